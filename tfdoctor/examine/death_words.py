"""What the words of a watched program say beyond the checks of its death: read and weighed as `diagnose` reads a log."""

from __future__ import annotations

from collections.abc import Sequence

from tfdoctor.checks.engine.table import JUDGED_IN
from tfdoctor.examine.diagnosis import Diagnosed, diagnose
from tfdoctor.facts.death import CommandEnd
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.edges import HOW_IT_ENDED
from tfdoctor.findings.model import Confidence, Evidence, Finding, Role
from tfdoctor.light.records import replace
from tfdoctor.logs.read import read_of
from tfdoctor.logs.transcript import Transcript, default_literals
from tfdoctor.logs.witness import testimony
from tfdoctor.matrix.query import Matrix

_SHOWN_LINES, _LONGEST = 3, 300
_SAYS_WHO = "worker-lost"  # how it ended, and more telling than a traceback


def causes_said(facts: Facts, lines: Sequence[str], matrix: Matrix) -> tuple[Finding, ...]:
    """Causes that its words name, roots alone. Some have a check that looks for them, too: `has_check` tells which.

    `lines`: all that was kept of its words; () for those in `facts`. A program that ended well said nothing that counts.
    """
    end = facts.death.end
    if not isinstance(end, Known) or _went_well(end.value):
        return ()
    from_the_facts: tuple[str, ...] = value_or(facts.death.said, ())
    words = lines or from_the_facts
    if not words:
        return ()
    transcript = Transcript(default_literals())
    transcript.feed("\n".join((*words, "")).encode("utf-8", "replace"))
    transcript.end()
    read = read_of(transcript, "stderr")
    told = testimony((read,))
    told = replace(told, death=replace(told.death, training=facts.death.training))
    said = diagnose(told, (read,), matrix)
    return tuple(_as_death(each) for each in said.diagnoses if _is_cause(each.finding))


def _went_well(end: CommandEnd) -> bool:
    return (end.how, end.status) == ("exit", 0)


def has_check(finding: Finding) -> bool:
    """A check judges this code by facts; words alone are the second best then."""
    return finding.code in JUDGED_IN


def _is_cause(finding: Finding) -> bool:
    if finding.role is Role.NOTE:
        return False
    if finding.confidence is Confidence.POSSIBLE and has_check(finding):
        return False  # "Bus error" alone: the check has looked at /dev/shm itself
    return finding.code not in HOW_IT_ENDED or finding.code == _SAYS_WHO


def _as_death(told: Diagnosed) -> Finding:
    shown = [each.text.strip()[:_LONGEST] for each in told.lines[:_SHOWN_LINES]] or [told.finding.title]
    evidence = tuple(
        Evidence("death.said", text, "ends well", "what the command wrote to stderr") for text in shown
    )
    return replace(told.finding, evidence=evidence)
