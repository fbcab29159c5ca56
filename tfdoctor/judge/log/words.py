"""What a message's own entry in the knowledge says of it: title, explanation, fixes."""

from __future__ import annotations

from functools import cache
from typing import Any

from tfdoctor.base.records import replace
from tfdoctor.base.version_ranges import normalised, tightest
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.values import Bound
from tfdoctor.fix.commands import interpreter
from tfdoctor.fix.ranges import range_of, required
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.spans import own_minor
from tfdoctor.judge.log.testimony import Testimony
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.compiled import Lines
from tfdoctor.knowledge.lines import Pip, Words, quoted
from tfdoctor.knowledge.messages.catalogue import ADDED, COMPILED_WORDS
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.says import says

# What a message's own entry in the knowledge says of it: a title, an explanation, fixes; "" and () where its code's page is meant.

_Words = tuple[str, str, tuple[tuple[str, str], ...], tuple[dict[str, Any], ...], dict[str, str]]
_NOTHING: _Words = ("", "", (), (), {})


@cache
def words(name: str) -> _Words:
    """Title, explanation, fixes, cases and defaults of the message of that name. Raises OSError for a damaged installation."""
    added = next((said for each, said in ADDED.items() if each.name == name), None)
    if added is not None:
        return added
    found: _Words = _lines().get(name, _NOTHING)
    return found


@cache
def _lines() -> Lines:
    return Lines(COMPILED_WORDS)


def title_of_text(name: str) -> str:
    return words(name)[0]


def words_of(name: str) -> str:
    return words(name)[1]


def fixes_of(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """Those of the message that proves most of the code, of equals the one with an explanation or fixes of its own."""
    surest = min(
        told.of(code),
        key=lambda each: (Confidence(each.sure), not _is_explained(each.name)),
        default=None,
    )
    names = words(surest.name)[2] if surest is not None else ()
    return tuple(fix_here(facts, *each) for each in names)


def _is_explained(name: str) -> bool:
    _, explanation, fixes, *_ = words(name)
    return bool(explanation or fixes)


_DRIVER = "driver-too-old"


def title_of(facts: Facts, saying: Saying) -> str:
    """ "" for that of the code."""
    driver = facts.driver.version
    if saying.code == _DRIVER and isinstance(driver, Known) and not title_of_text(saying.name):
        return says("driver-too-old", "of-program-title", driver=driver.value)
    return title_of_text(saying.name)


# A fix in the words of the log's own Python and TensorFlow.

OWN_RELEASE = "$(python -c 'from importlib.metadata import version as v; print(v(\"tensorflow\"))')"
INSTALLED = "$(python -m pip list --format=freeze | grep -E '^tensorflow(-cpu|-gpu|-macos)?==')"
"""As pip's requirements: on Macs with Apple's processor it was tensorflow-macos up to 2.16, and -cpu and -gpu are names of their own."""


def fix_here(facts: Facts, kind: str, what: str, /, **values: object) -> Fix:
    """The action with the log's Python, with what keeps its TensorFlow, and with what installs its Keras 2."""
    own = {
        "python": interpreter(facts),
        "keeping": keeping_tensorflow(facts),
        "tf_keras": _tf_keras(facts),
    }
    return act(kind, what, **{**own, **values})


_MINOR = "import tensorflow as tf; print(tf.__version__.rpartition('.')[0])"


def _tf_keras(facts: Facts) -> Words:
    """The Keras 2 of this TensorFlow's minor: another minor's asks pip for another TensorFlow (its metadata, 2.16 and newer). Asks the
    TensorFlow that is installed where the log does not name its version.
    """
    own, python = own_minor(facts), interpreter(facts)
    if own is not None:
        return Pip(f"tf-keras~={own[0]}.{own[1]}.0", python=python)
    if value_or(facts.host.os, "") == "windows":
        asked = f"for /f %v in ('{{{{python}}}} -c \"{_MINOR}\"') do"
        return Words(f'{asked} {{{{python}}}} -m pip install "tf-keras~=%v.0"', python=python)
    posix = _MINOR.replace("'", '"')
    asked = f"{{{{python}}}} -m pip install \"tf-keras~=$({{{{python}}}} -c '{posix}').0\""
    return Pip("tf-keras", line=Words(asked, python=python))


def keeping_tensorflow(facts: Facts) -> Words:
    """What pip is told besides, so that TensorFlow stays: under the name that it has here."""
    version, system = value_or(facts.tensorflow.version, ""), value_or(facts.host.os, "")
    if version and system != "macos":
        return quoted(f"{value_or(facts.tensorflow.distribution, 'tensorflow')}=={version}")
    return Words(f'"tensorflow=={OWN_RELEASE}"' if system == "windows" else INSTALLED)


def range_here(case: Case, told: Testimony, name: str, *needed: str) -> str:
    """The versions of a package that are needed, and that TensorFlow, what the log lists and what pip says in it allow: ">=1.26,<2"."""
    facts = case.facts
    said = tuple(
        Bound(
            normalised(each.told["package"]),
            each.told["wanted"],
            each.told["asker"],
            each.told["version"],
        )
        for each in told.named("pip-conflict")
    )
    bounds = Known((*value_or(facts.packages.bounds, ()), *said), "pip's own words")
    facts = replace(facts, packages=replace(facts.packages, bounds=bounds))
    return range_of(
        facts, case.matrix, name, tightest(*needed, required(facts, case.matrix, name))
    ).specifier


def python_in(facts: Facts, folder: str) -> Words:
    """The Python of a new environment."""
    windows = value_or(facts.host.os, "") == "windows"
    return Words(
        r"{{folder}}\Scripts\python" if windows else "{{folder}}/bin/python", folder=folder
    )
