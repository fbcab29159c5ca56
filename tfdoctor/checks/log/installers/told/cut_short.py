"""poetry's explanation without its last line: the sentences that lead there, and not what they end in."""

from __future__ import annotations

from collections import Counter

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.findings.model import Confidence, Fix

_PARTY, _END = "poetry-party", "poetry-no-solution"
_A_CHAIN = 3
"""Sentences of that form: one or two stand in other texts, too."""


def cut_short(told: Testimony) -> Candidate | None:
    """None where the last line is there, or anything else went wrong."""
    said = told.named(_PARTY)
    if len(said) < _A_CHAIN or told.codes or any(each.how != "success" for each in told.endings):
        return None
    askers = {each.told["asker"].lower() for each in said}
    named = [each.told["package"].lower() for each in said]
    package = Counter([each for each in named if each not in askers] or named).most_common(1)[0][0]
    first = next(each for each in said if each.told["package"].lower() == package)
    title = f"poetry finds no set of releases that fit each other, and these lines end before it says for whom: they turn on {package}."
    words = f'By these lines {first.told["asker"]} depends on {package} {first.told["wanted"]}. What asks for another {package} stands in the lines below, up to the last one, which begins with "So, because". poetry installed nothing, and changed nothing of what is there.'
    return Candidate("dependency-mismatch", Confidence.CERTAIN, (place(first),), words, title=title)


def cut_short_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where it is not the answer."""
    if cut_short(told) is None:
        return ()
    return (Fix("Have poetry say it once more, and read its last lines: the two that they name want different releases of one package", ("poetry lock",), "Then ask for another release of one of the two, or put one of them into a project of its own."),)  # fmt: skip
