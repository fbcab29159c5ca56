"""Resolvers that end in a corner: pip-tools and pipenv of old, which never go back, and pip, which goes back for hours."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.installers.compatible import together
from tfdoctor.checks.log.installers.told.backtracking import backtracking_fixes
from tfdoctor.checks.log.installers.told.cut_short import cut_short_fixes
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying, Surroundings
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_NAME, _PARTY, _NOTHING = "pip-tools-no-version", "pip-tools-party", "pip-tools-nothing-there"


def narrowed(told: Testimony, saying: Saying) -> Candidate | None:
    """None for sayings of another kind."""
    if saying.name != _NAME:
        return None
    package, wanted = saying.told["package"], saying.told.get("wanted", "")
    if told.named(_NOTHING):
        words = "The index was asked for the releases that have a file for the Python and the system of this environment, and there is none: mostly the Python is too new or too old for TensorFlow, and pipenv may use another Python than the shell."
        title = f"There is no release of {package} at all for this Python and system, or the index was not reached."
        return Candidate("python-unsupported", Confidence.LIKELY, (place(saying),), words, title=title)
    one, other = _clash(wanted)
    if not one:
        title = (
            f"No release of {package} is all that is asked of it: {wanted or 'what the lines below name'}."
        )
    else:
        title = f"No release of {package} is both {one} and {other}, and each is asked for{_by(told, one, other)}."
    words = "The packages that ask were taken each in its newest release, and this resolver never tries an older one of them: so a set that would fit is not found, where pip itself mostly finds one. Nothing was installed."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _clash(wanted: str) -> tuple[str, str]:
    """Two bounds of which no release can satisfy both; "" twice where no two exclude each other."""
    parts = [each for each in wanted.split(",") if not each.startswith("!=")]
    for number, one in enumerate(parts):
        for other in parts[number + 1 :]:
            if one.startswith("<") != other.startswith("<") and together(one, other) is False:
                return one, other
    return "", ""


def _by(told: Testimony, one: str, other: str) -> str:
    """ " (by tfx, tensorflow-transform)", as far as the lines tell."""
    askers = [
        each.told["asker"]
        for each in told.named(_PARTY)
        if "asker" in each.told and {one, other} & set(each.told.get("wanted", "").split(","))
    ]
    first = told.named(_NAME)[0].told.get("message", "").partition("==")[0]
    named = dict.fromkeys(each for each in (*askers, first) if each and not each.startswith("-"))
    return f" (by {', '.join(named)})" if named else ""


def narrowed_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where none of them did."""
    said = told.named(_NAME)
    if not said:
        return backtracking_fixes(facts, told) or cut_short_fixes(told)
    python = interpreter(facts)
    pipenv = value_or(facts.log.surroundings, Surroundings()).project == "pipenv"
    if pipenv or any("pipenv" in each.text for each in (*said, *told.named(_PARTY))):
        return (
            Fix("Update pipenv, whose newer releases resolve as pip does, and lock again", (f"{python} -m pip install --upgrade pipenv", "pipenv lock")),
        )  # fmt: skip
    return (
        Fix("Update pip-tools, and have it resolve as pip does", (f"{python} -m pip install --upgrade pip-tools", "pip-compile --resolver=backtracking")),
    )  # fmt: skip
