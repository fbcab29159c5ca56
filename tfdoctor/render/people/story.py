"""What a report tells a person, in the order in which it is told. Every renderer for people shows one story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from tfdoctor.examine.report import Report
from tfdoctor.facts.outcome import Failed
from tfdoctor.findings.model import Confidence, Evidence, Finding, Ignored, Role, Verdict
from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import record
from tfdoctor.render.people.in_order import InOrder, found_in_order

VERDICTS = {
    Verdict.HEALTHY: "HEALTHY",
    Verdict.DEGRADED: "DEGRADED",
    Verdict.BROKEN: "BROKEN",
    Verdict.UNKNOWN: "UNKNOWN",
}
SURENESS = {
    Confidence.CERTAIN: "measured here",
    Confidence.LIKELY: "inferred from what was measured",
    Confidence.POSSIBLE: "a rule of thumb",
}

_FOR_PROGRAMS = Expression(r"\A(?:[a-z_]+\.[a-z0-9_.]+: )?(?:skipped: |not-live: )?")


@record
class Chapter:
    """One independent fault and what follows from it."""

    root: Finding
    consequences: tuple[Finding, ...]


@record
class Doubt:
    """One thing that could not be found out, and the questions that stay open because of it."""

    because: str
    codes: tuple[str, ...]


@record
class Story:
    """`doubts` is what nobody meant to leave open, `not_examined` what was not asked on purpose."""

    verdict: Verdict
    headline: str
    subject: str
    chapters: tuple[Chapter, ...]
    notes: tuple[Finding, ...]
    doubts: tuple[Doubt, ...]
    in_order: tuple[InOrder, ...]
    not_examined: tuple[str, ...]
    ignored: tuple[Ignored, ...]
    judged_by: str


def tell(report: Report) -> Story:
    return Story(
        verdict=report.verdict,
        headline=report.summary,
        subject=_subject(report),
        chapters=_chapters(report),
        notes=report.notes,
        doubts=_doubts(report),
        in_order=found_in_order(report),
        not_examined=_not_examined(report),
        ignored=report.ignored,
        judged_by=_judged_by(report),
    )


def weight(finding: Finding) -> str:
    """How bad, how sure, which code: "error, measured here: driver-too-old"."""
    return f"{finding.severity.value}, {SURENESS[finding.confidence]}: {finding.code}"


def gathered(evidence: Iterable[Evidence]) -> list[tuple[Evidence, list[str]]]:
    """Pieces of evidence that share fact, expectation and source, with all that was observed."""
    found: dict[tuple[str, str, str], tuple[Evidence, list[str]]] = {}
    for item in evidence:
        found.setdefault((item.fact, item.expected, item.source), (item, []))[1].append(item.observed)
    return list(found.values())


def expectation(evidence: Evidence) -> str:
    """What was expected and who says so; "" where nothing was."""
    if not evidence.expected:
        return f"source: {evidence.source}" if evidence.source else ""
    says = f" ({evidence.source})" if evidence.source else ""
    return f"expected: {evidence.expected}{says}"


def effect(consequence: Finding) -> str:
    """What a consequence shows on this machine; its title speaks of it as a fault of its own."""
    return f"{consequence.explanation or consequence.title} ({consequence.code})"


def left_open(doubt: Doubt) -> str:
    return f"leaves open: {', '.join(doubt.codes)}"


def _subject(report: Report) -> str:
    subject = report.subject
    python = f"Python {subject.python_version}" if subject.python_version else "a Python of unknown version"
    kind = f" ({subject.environment})" if subject.environment else ""
    place = f", {subject.python}" if subject.python else ""
    why = f"; chosen by {subject.chosen_by}" if subject.chosen_by else ""
    by = f"; with the settings of {subject.settings}" if subject.settings else ""
    how = f"; {subject.note}" if subject.note else ""
    return f"{python}{kind}{place}{why}{by}{how}"


def _chapters(report: Report) -> tuple[Chapter, ...]:
    """A consequence whose root is not in the report (another version's, or cut out) stands for itself."""
    roots = {finding.code for finding in report.roots}
    heads = [
        item
        for item in report.findings
        if item.role is Role.ROOT
        or (item.role is Role.CONSEQUENCE and (not item.caused_by or item.caused_by[0] not in roots))
    ]
    return tuple(Chapter(head, report.consequences_of(head.code)) for head in heads)


def _doubts(report: Report) -> tuple[Doubt, ...]:
    """Each reason once; the fact is named where it is one alone that could not be found out for that reason."""
    found: dict[str, dict[str, list[str]]] = {}
    for item in report.undecided:
        if not item.not_live and not item.settled:
            found.setdefault(_plainly(item.because), {}).setdefault(item.because, []).append(item.code)
    return tuple(
        Doubt(
            next(iter(told)) if len(told) == 1 else reason,
            tuple(code for codes in told.values() for code in codes),
        )
        for reason, told in found.items()
    )


def _not_examined(report: Report) -> tuple[str, ...]:
    """Each reason once: which stages it kept from being climbed, and how many questions it left unasked."""
    stages: dict[str, list[str]] = {}
    for stage in report.smoke.stages:
        if stage.status == "skipped":
            stages.setdefault(_reason(report, stage.name, stage.detail.get("reason")), []).append(stage.name)
    unasked = Counter(_plainly(item.because) for item in report.undecided if item.not_live)
    lines = []
    for reason in dict.fromkeys([*stages, *unasked]):
        climbed = f"{', '.join(stages[reason])} not tried out: " if reason in stages else ""
        open_ones = f" ({_questions(unasked[reason])} not asked)" if reason in unasked else ""
        lines.append(f"{climbed}{reason}{open_ones}")
    said = " ".join([*lines, *(item.because for item in report.undecided)])
    for run in (each for each in report.probes if each.status != "ok"):
        if run.name not in run.detail:
            lines.append(f"the probe {run.name}: {run.detail or run.status}")
        elif run.detail not in said:
            lines.append(run.detail)
    return tuple(lines)


def _questions(count: int) -> str:
    return "1 question" if count == 1 else f"{count} questions"


def _plainly(because: str) -> str:
    """The reason without the words that only programs need: the fact's path, and why it counts as not asked."""
    return _FOR_PROGRAMS.sub("", because)


def _reason(report: Report, stage: str, told: object) -> str:
    if told:
        return _plainly(str(told))
    fact = getattr(report.facts.smoke, stage, None)
    return fact.plainly if isinstance(fact, Failed) else "skipped"


def _judged_by(report: Report) -> str:
    tool = f"{report.tool.name} {report.tool.version}".strip()
    matrix = f"matrix {report.matrix.version} ({report.matrix.origin})" if report.matrix.version else ""
    parts = [part for part in (tool, matrix, f"{report.duration_s:.1f} s", report.generated_at) if part]
    return ", ".join(parts)
