"""Packages that go with TensorFlow: which release goes with which, and how one is installed beside it."""

from __future__ import annotations

import re

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.spans import runs_on
from tfdoctor.judge.log.testimony import Place, Testimony, place
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Words, quoted
from tfdoctor.knowledge.messages.by_release import CORE, Times, key
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.packages import PROJECTS, project_of
from tfdoctor.knowledge.says import says

# The release of a companion that is made for a minor of TensorFlow, and the days that part TensorFlow's minors.

NUMBERED_ALIKE = (
    "tensorflow-text",
    "tf-models-official",
    "tf-keras",
    "tensorboard",
    "tensorflow-estimator",
)
"""Their minor is TensorFlow's own (their metadata)."""
_EIGHT_AHEAD = ("tensorflow-probability", "tensorflow-addons")
"""0.N+8 is made for TensorFlow 2.N, from 2.1 on (their release notes; addons ended with 0.23, for 2.15)."""
ENDED = ("tensorflow-addons", "tflite-model-maker")
"""No longer developed: a newer one does not come (their own notes)."""
_LAST = {
    "tensorflow-probability": 16,
    "tensorflow-addons": 15,
    "tf-keras": 99,
    "tensorflow-text": 99,
}


def pin(package: str, minor: str) -> str:
    """ "keras==2.9.*" for TensorFlow 2.9; "" where no release is known to be made for it."""
    major, number = (int(each) for each in minor.split("."))
    if package == "keras":
        return _keras(major, number)
    if major != 2 or number > _LAST.get(package, 15):
        return ""
    if package in _EIGHT_AHEAD and number >= 1:
        return f"{package}==0.{number + 8}.*"
    if package in NUMBERED_ALIKE and (package != "tf-keras" or number >= 15):
        return f"{package}==2.{number}.*"
    return ""


def _keras(major: int, number: int) -> str:
    """Before 2.6 TensorFlow had its Keras inside, and the package was another one: 2.4.3 only passes on to it, from 2.2 to 2.5."""
    if major == 1 or number < 2:
        return "keras==2.3.1"
    if number < 6:
        return "keras==2.4.3"
    return f"keras==2.{number}.*" if number <= 15 else "keras>=3"


def closest(package: str, minors: tuple[str, ...]) -> tuple[str, str]:
    """The pin for the newest of the minors that has one, and that minor; "" twice for none."""
    found = ((spec, each) for each in reversed(minors) if (spec := pin(package, each)))
    return next(found, ("", ""))


# Which minors of TensorFlow or Keras can have written a log: those told, those of this Python, those that have the files of its frames.

_ENVIRONMENT = Expression(
    r"(?:tf|tensorflow)[-_]?(?:gpu|cpu)?[-_]?(?P<number>[12][._]?\d{1,2})(?!\d)", re.IGNORECASE
)
_FOLDER = Expression(
    r"[\\/](?:envs|venvs|\.virtualenvs|virtualenvs)[\\/](?P<name>[^\\/]{1,60})[\\/]"
)
_NUMBERS = {"3.6": ("1.15", "2.6"), "3.5": ("1.15", "2.3")}
"""Minors with wheels for Pythons that are older than the matrix (the file names of 1.15 to 2.6)."""


@record
class Present:
    """`minors` in order, () where the log contradicts itself; `told` says whether a version stands in it."""

    minors: tuple[str, ...]
    told: bool = False


def present(case: Case, told: Testimony, last: Ending, package: str, lacking: Times) -> Present:
    """The minors that can be installed; `lacking` is what this one has not."""
    without = tuple(each for each in lacking.every if each not in lacking.having)
    own = _told(case, package)
    if own:
        return Present((own,) if own in without else (), told=True)
    upper = _LAST_WITH_CORE if f"'{CORE}" in last.what else _LAST_TO_LOAD_KERAS if told.named("tensorflow-loads-keras") else (99, 0)  # fmt: skip
    found = tuple(each for each in without if key(each) <= upper) or without
    found = _of_python(case, found) or found
    return (
        Present(_of_environment(last, found) or found)
        if package == "tensorflow"
        else Present(without)
    )


_LAST_WITH_CORE = (2, 1)
"""The last minor whose files are in tensorflow_core (the wheels' files)."""
_LAST_TO_LOAD_KERAS = (2, 15)
"""TensorFlow's own __init__.py loads Keras up to this minor (the signature tensorflow-loads-keras)."""


def _told(case: Case, package: str) -> str:
    """ "2.9"; "" where no version is told."""
    version = value_or(case.facts.tensorflow.version, "") if package == "tensorflow" else ""
    installed = (
        each.version for each in value_or(case.facts.packages.installed, ()) if each.name == package
    )
    parts = str(version or next(installed, "")).split(".")
    return ".".join(parts[:2]) if len(parts) > 1 else ""


def _of_python(case: Case, minors: tuple[str, ...]) -> tuple[str, ...]:
    python = case.facts.interpreter.version
    if not isinstance(python, Known):
        return minors
    feature = python.value.feature
    if feature in _NUMBERS:
        first, last = _NUMBERS[feature]
        return tuple(each for each in minors if key(first) <= key(each) <= key(last))
    having = {row.minor for row in case.matrix.releases() if runs_on(row, case.facts)}
    return tuple(each for each in minors if each in having)


def _of_environment(last: Ending, minors: tuple[str, ...]) -> tuple[str, ...]:
    """By the name that people give an environment ("tf210", "tensorflow-2.4"); () where it has none or fits none."""
    folders = [
        found["name"] for each in (last.frame, *last.roots) if (found := _FOLDER.search(each))
    ]
    named = next((found for each in folders if (found := _ENVIRONMENT.search(each))), None)
    if named is None:
        return ()
    digits = re.sub(r"\D", "", named["number"])
    meant = (f"{digits[0]}.{digits[1:]}", f"{digits[0]}.{digits[1]}")
    return tuple(each for each in minors if each in meant)[:1]


# Packages beside TensorFlow that do not fit it, as a log tells: which one, what it asks for, what brings the right one.

_COMPANIONS_FOLDER = Expression(r"(?:site|dist)-packages[\\/](?P<folder>\w{1,100})")
_PLUGINS = Expression(r"tensorflow-plugins[\\/](?:lib)?(?P<stem>[a-z]{3,20})")
_OF_PLUGINS = {
    "tfdml": "tensorflow-directml-plugin",
    "metal": "tensorflow-metal",
    "itex": "intel-extension-for-tensorflow",
}
"""Which package puts a library of that name into the folder in which TensorFlow looks for plug-ins (their wheels' RECORD)."""
_IMPORTING = Expression(
    r"(?:[\w.]{0,80}\.)?(?:ImportError|ModuleNotFoundError)\b|AttributeError: (?:partially initialized )?module '"
)
_NO_COMPANIONS = ("tensorflow", "tensorflow-core", "tensorflow-cpu", "numpy")
"""What is wrong with these has codes of its own."""


def add_on(facts: Facts, saying: Saying) -> Candidate:
    """A compiled add-on whose library asks for what this TensorFlow, or this system, does not have."""
    return _built_for_another(facts, distribution(saying), saying.sure, place(saying))


def _built_for_another(facts: Facts, name: str, sure: str, at: Place) -> Candidate:
    if not name:
        return Candidate("custom-op-mismatch", Confidence(sure), (at,))
    own = fix_here(facts, "change-packages", "add-on-for-tensorflow-here", package=name)
    return of_page(
        "custom-op-mismatch",
        "built",
        (at,),
        values={"name": name},
        sure=Confidence(sure),
        fixes=(own,),
    )


_LOADING = (".framework.load_library", ".resource_loader")
"""TensorFlow's own files that load an add-on's library on its behalf."""


def refused_add_on(facts: Facts, last: Ending) -> Candidate | None:
    """What goes wrong while TensorFlow loads an add-on's library is a misfit of the two; None where no add-on asks for it."""
    asking = [
        each
        for each in last.through
        if not each.startswith("tensorflow-core") and each != "tensorflow"
    ]
    if (
        last.how != "exception"
        or not asking
        or not last.inside
        or not last.inside[-1].endswith(_LOADING)
    ):
        return None
    return _built_for_another(facts, asking[-1], "likely", place(last))


def distribution(saying: Saying) -> str:
    """The package whose library a saying names; "" where it is nobody's that pip knows."""
    library = saying.told.get("library", "")
    if saying.name == "add-on-says-mismatch":
        return PROJECTS.get(saying.told["package"], saying.told["package"])
    if (plugin := _PLUGINS.search(library)) is not None:
        return next(
            (name for stem, name in _OF_PLUGINS.items() if plugin["stem"].startswith(stem)), ""
        )
    found = _COMPANIONS_FOLDER.search(library)
    return project_of(found["folder"]) if found else ""


def import_failed(told: Testimony, last: Ending) -> Candidate | None:
    """An error of importing that arose in a package's code and that nothing else explains: no fault of the program."""
    name = failed_package(last)
    if not name or _known_deeper(told, last):
        return None
    by = says("package-import-failed", "imported-in", frame=last.frame) if last.frame else ""
    error = last.what if len(last.what) <= 200 else f"{last.what[:200]} …"
    return of_page(
        "package-import-failed",
        "imported",
        (place(last),),
        values={"name": name, "error": error, "by": by},
    )


_BASES = (*_NO_COMPANIONS, "keras", "tf-keras", "h5py", "protobuf", "six", "wrapt", "numba", "jax")
"""Packages that others import: what fails in them is mostly what the one that imports them does or is too old for."""
_OF_NO_PACKAGE = (
    "KeyboardInterrupt",
    "MemoryError",
    "SystemExit",
    "FileNotFoundError",
    "PermissionError",
    "ModuleNotFoundError: No module named",
)


UNPICKLERS = ("joblib", "cloudpickle", "dill")
"""They import what a saved object names, which mostly is a file of its own project."""


def failed_package(last: Ending) -> str:
    """The package that could not be imported, by any exception; "" where none was being imported, or a base of all alone."""
    if last.package in UNPICKLERS:
        return ""
    if last.package and last.package not in _NO_COMPANIONS and _IMPORTING.match(last.what):
        return last.package
    if last.doing != "importing" or last.what.startswith(_OF_NO_PACKAGE):
        return ""
    return next((each for each in reversed(last.through) if each not in _BASES), "")


def _known_deeper(told: Testimony, last: Ending) -> bool:
    """An exception that this one was raised from, or while handling it, has a cause that is known: the last one only wraps it."""
    said = [
        each.text.rstrip(".")
        for each in told.sayings
        if each.role == "cause" and place(each) < place(last)
    ]
    long = [each for each in last.chained if len(each) > _TELLING]
    return any(each in text or text in each for each in long for text in said if text)


_TELLING = 20
"""Characters of an exception's words: fewer could stand in another line by chance."""


def import_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """What brings the package that failed, and what it needs, to a release that fits."""
    raised = [each for each in told.raised if each.package]
    if not raised:
        return ()
    name = failed_package(raised[-1]) or raised[-1].package
    if name == "setuptools":
        return (fix_here(facts, "change-packages", "setuptools-with-pkg-resources"),)
    return (
        fix_here(
            facts,
            "change-packages",
            "update-package-and-requirements",
            called=name,
            partner=partner(name),
        ),
        fix_here(facts, "look", "version-conflicts", called=name),
        act("new-environment", "try-new-environment", package=name),
    )


_WITH = {"tensorflow-datasets": "etils", "keras-cv": "keras-nlp"}
"""What a companion works with so closely that only releases of one time go together (tensorflow/datasets#5448, 2024-06; keras-team/keras-cv#2400, 2024-03)."""


def partner(name: str) -> Words:
    """ "tensorflow-datasets etils" for pip; the name alone where no such other is known."""
    return quoted(name, *_WITH.get(name, "").split())


def updated(facts: Facts, package: str) -> Fix:
    """The newest version of that package for the TensorFlow that is here."""
    return fix_here(facts, "change-packages", "update-package", package=package)
