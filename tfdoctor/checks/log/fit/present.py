"""Which minors of TensorFlow or Keras can have written a log: those told, those of this Python, those that have the files of its frames."""

from __future__ import annotations

import re  # reads no log: names of environments' folders

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.light.expressions import Expression  # reads no log: names of environments' folders
from tfdoctor.light.records import record
from tfdoctor.signatures.by_release import CORE, Times, plain, times

_ENVIRONMENT = Expression(
    r"(?:tf|tensorflow)[-_]?(?:gpu|cpu)?[-_]?(?P<number>[12][._]?\d{1,2})(?!\d)", re.IGNORECASE
)
_FOLDER = Expression(r"[\\/](?:envs|venvs|\.virtualenvs|virtualenvs)[\\/](?P<name>[^\\/]{1,60})[\\/]")
_NUMBERS = {"3.6": ("1.15", "2.6"), "3.5": ("1.15", "2.3")}
"""Minors with wheels for Pythons that are older than the matrix (the file names of 1.15 to 2.6)."""


@record
class Present:
    """`minors` in order, () where the log contradicts itself; `told` says whether a version stands in it."""

    minors: tuple[str, ...]
    told: bool = False


_IMPORTLIB = {
    "126": ("3.6", "3.10", "3.11"),
    "127": ("3.7", "3.8", "3.9"),
    "90": ("3.12",),
    "88": ("3.13", "3.14"),
}
"""The Pythons by the line of importlib/__init__.py at which import_module calls on (Lib/importlib/__init__.py of their branches, read 2026-11-22)."""
_LAST_TO_LOAD_KERAS = "2.15"
"""TensorFlow's own __init__.py loads Keras up to this minor (the signature tensorflow-loads-keras)."""


def present(case: Case, told: Testimony, last: Ending, package: str, lacking: Times) -> Present:
    """The minors that can be installed; `lacking` is what this one has not."""
    without = tuple(each for each in lacking.every if each not in lacking.having)
    own = _told(case, package) or (_FIRST_KNOWN if KERAS_OF_1 in last.what and last.package else "")
    if own:
        return Present((own,) if own in without else (), told=bool(_told(case, package)))
    found = _by_frames(without, last, package)
    if package == "tensorflow":
        if f"'{CORE}" in last.what:
            found = tuple(each for each in found if key(each) <= _LAST_WITH_CORE) or found
        found = _of_python(case, found) or found
        found = _of_lines(case, told, found) or found
        found = _of_source(case, found) or found
        named = _of_environment(last, found)
        return Present(named or found)
    return Present(found)


_FIRST_KNOWN = "1.15"
"""Of the tables of names."""
_LAST_WITH_CORE = (2, 1)
"""The last minor whose files are in tensorflow_core (the wheels' files)."""
KERAS_OF_1 = "tensorflow.python.keras.api._v1."
"""What tf.keras is in TensorFlow 1.14 and 1.15 (their files). In 2.x it is only tf.compat.v1.keras."""
_OF_1 = "tensorflow._api.v1."
"""A module's name in TensorFlow 1.9 to 1.15 (their files)."""


def before_the_tables(case: Case, last: Ending) -> Present:
    """A TensorFlow that lacks what each release since 1.15 has: older than that, where the log shows it; () minors else."""
    own = _told(case, "tensorflow")
    if own and key(own) < key(_FIRST_KNOWN):
        return Present((own,), told=True)
    return Present(("1.9", "1.14") if _OF_1 in last.what and not own else ())


def _told(case: Case, package: str) -> str:
    """ "2.9"; "" where no version is told."""
    version = value_or(case.facts.tensorflow.version, "") if package == "tensorflow" else ""
    for each in value_or(case.facts.packages.installed, ()):
        if each.name == package and not version:
            version = each.version
    parts = str(version).split(".")
    return ".".join(parts[:2]) if len(parts) > 1 else ""


def _by_frames(minors: tuple[str, ...], last: Ending, package: str) -> tuple[str, ...]:
    for module in last.inside:
        there = times(plain(module)) if plain(module).partition(".")[0] == package else None
        narrower = tuple(each for each in minors if there is None or each in there.having)
        minors = narrower or minors
    return minors


def _of_lines(case: Case, told: Testimony, minors: tuple[str, ...]) -> tuple[str, ...]:
    """By lines of TensorFlow's and Python's own files that a traceback shows."""
    if told.named("tensorflow-loads-keras"):
        minors = tuple(each for each in minors if key(each) <= key(_LAST_TO_LOAD_KERAS))
    for each in told.named("importlib-line") if not isinstance(case.facts.interpreter.version, Known) else ():
        pythons = _IMPORTLIB.get(each.told["line"], ())
        having = {minor for feature in pythons for minor in _having(case, feature)}
        minors = tuple(minor for minor in minors if minor in having) or minors
    return minors


def _of_source(case: Case, minors: tuple[str, ...]) -> tuple[str, ...]:
    """By the lines of TensorFlow's own source that messages and frames name, and by the forms of its messages."""
    around = shown(case.facts)
    low, high = key(around.oldest or _FIRST_KNOWN), key(around.newest or "99.0")
    return tuple(each for each in minors if low <= key(each) <= high)


def _having(case: Case, feature: str) -> set[str]:
    """The minors with wheels for a Python; those before the matrix for all that had some."""
    known = {
        ".".join(row.tensorflow.split(".")[:2])
        for row in case.matrix.releases()
        if isinstance(row.python, Known) and feature in [each.feature for each in row.python.value]
    }
    return known | ({"1.15", "2.0", "2.1", "2.2"} if feature in ("3.6", "3.7", "3.8") else set())


def _of_python(case: Case, minors: tuple[str, ...]) -> tuple[str, ...]:
    python = case.facts.interpreter.version
    if not isinstance(python, Known):
        return minors
    feature = python.value.feature
    if feature in _NUMBERS:
        first, last = _NUMBERS[feature]
        return tuple(each for each in minors if key(first) <= key(each) <= key(last))
    having = {
        ".".join(row.tensorflow.split(".")[:2])
        for row in case.matrix.releases()
        if isinstance(row.python, Known) and feature in [each.feature for each in row.python.value]
    }
    return tuple(each for each in minors if each in having)


def _of_environment(last: Ending, minors: tuple[str, ...]) -> tuple[str, ...]:
    """By the name that people give an environment ("tf210", "tensorflow-2.4"); () where it has none or fits none."""
    folders = [found["name"] for each in (last.frame, *last.roots) if (found := _FOLDER.search(each))]
    named = next((found for each in folders if (found := _ENVIRONMENT.search(each))), None)
    if named is None:
        return ()
    digits = re.sub(r"\D", "", named["number"])
    meant = (f"{digits[0]}.{digits[1:]}", f"{digits[0]}.{digits[1]}")
    return tuple(each for each in minors if each in meant)[:1]


def key(minor: str) -> tuple[int, ...]:
    return tuple(map(int, minor.split(".")))
