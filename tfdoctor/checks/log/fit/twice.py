"""Two copies of Keras in one process: TensorFlow's own and one of another minor, which register the same names."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.pins import pin
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_NAMES = ("keras-metric-twice", "keras-gauge-twice")
_USUAL = "2.6"
"""Its metadata asks for keras~=2.6, which admits every newer Keras 2; from 2.7 on TensorFlow names the minor (their wheels)."""


def registered_twice(saying: Saying) -> Candidate | None:
    if saying.name not in _NAMES:
        return None
    words = "Keras registers its counters with TensorFlow, each name once. Here they came twice: the installed package keras is of another minor than TensorFlow, so its code and TensorFlow's own both register them. That is mostly TensorFlow 2.6, with which pip installs a newer Keras."
    title = "Two copies of Keras meet: the installed keras is newer than the installed TensorFlow."
    return Candidate("keras-mismatch", Confidence.CERTAIN, (place(saying),), words, title=title)


def twice_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where nothing was registered twice."""
    if code != "keras-mismatch" or not told.named(*_NAMES):
        return ()
    parts = str(value_or(facts.tensorflow.version, "")).split(".")
    minor = ".".join(parts[:2]) if len(parts) > 1 and all(map(str.isdecimal, parts[:2])) else _USUAL
    python = interpreter(facts)
    note = (
        ""
        if len(parts) > 1
        else f"With another TensorFlow than 2.6 take its own minor: `{python} -m pip show tensorflow` names it."
    )
    own = Fix(
        f"Install the Keras of TensorFlow {minor}",
        (f'{python} -m pip install "{pin("keras", minor)}"',),
        note,
    )
    newer = fix("take-tensorflow-names-keras-2-7-and", python=python)
    return (own, newer) if minor == _USUAL else (own,)
