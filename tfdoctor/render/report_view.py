"""The view of an examination's report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tfdoctor.examine.report import Report
from tfdoctor.facts.outcome import Failed
from tfdoctor.findings.model import Confidence, Finding, Role
from tfdoctor.light.expressions import Expression
from tfdoctor.render.passed_summary import passed_summary
from tfdoctor.render.view import (
    Code,
    Item,
    Row,
    Rows,
    Section,
    View,
    advice,
    folded,
    items,
    observations,
    problem,
    with_code,
)

SURENESS = {
    Confidence.CERTAIN: "measured here",
    Confidence.LIKELY: "inferred from what was measured",
    Confidence.POSSIBLE: "a rule of thumb",
}

_FOR_PROGRAMS = Expression(r"\A(?:[a-z_]+\.[a-z0-9_.]+: )?(?:skipped: |not-live: )?")


def report_view(report: Report) -> View:
    return View(
        program="tfdoctor",
        verdict=report.verdict.name,
        tone=report.verdict.value,
        headline=report.summary,
        facts=((f"Examined: {_subject(report)}",),),
        sections=tuple(_sections(report)),
        footer=_footer(report),
    )


def _sections(report: Report) -> Iterator[Section]:
    for number, root in enumerate(_roots(report), start=1):
        weight = f"{root.severity.value}, {SURENESS[root.confidence]}: {root.code}"
        effects = items(*map(_effect, report.consequences_of(root.code)), heading="What follows from it")
        yield problem(number, root, weight, observations(root.evidence), *advice(root.fixes), effects)
    notes = (with_code(f"{note.title} {note.explanation}", note.code) for note in report.notes)
    yield from folded("Worth knowing", *notes)
    yield from folded("Could not be found out", *_open_questions(report))
    if rows := tuple(Row(line.label, line.text) for line in passed_summary(report)):
        yield Section("Found in order", (Rows(rows),))
    yield from folded("Not examined", *(Item((line,)) for line in _not_examined(report)), shut=True)
    ignored = (Item((Code(each.code), f": {each.reason}" if each.reason else "")) for each in report.ignored)
    yield from folded("Ignored at your wish", *ignored, shut=True)


def _effect(consequence: Finding) -> Item:
    """What a consequence shows on this machine; its title speaks of it as a fault of its own."""
    return Item((f"{consequence.explanation or consequence.title} ({consequence.code})",))


def _subject(report: Report) -> str:
    subject = report.subject
    python = f"Python {subject.python_version}" if subject.python_version else "a Python of unknown version"
    kind = f" ({subject.environment})" if subject.environment else ""
    place = f", {subject.python}" if subject.python else ""
    why = f"; chosen by {subject.chosen_by}" if subject.chosen_by else ""
    by = f"; with the settings of {subject.settings}" if subject.settings else ""
    how = f"; {subject.note}" if subject.note else ""
    return f"{python}{kind}{place}{why}{by}{how}"


def _roots(report: Report) -> list[Finding]:
    """A consequence whose root is not in the report (another version's, or cut out) stands for itself."""
    roots = {finding.code for finding in report.roots}
    return [
        item
        for item in report.findings
        if item.role is Role.ROOT
        or (item.role is Role.CONSEQUENCE and (not item.caused_by or item.caused_by[0] not in roots))
    ]


def _open_questions(report: Report) -> Iterator[Item]:
    """Each reason once; the fact is named where it is one alone that could not be found out for that reason."""
    found: dict[str, dict[str, list[str]]] = {}
    for item in report.undecided:
        if not item.not_live and not item.settled:
            found.setdefault(_plainly(item.because), {}).setdefault(item.because, []).append(item.code)
    for reason, told in found.items():
        codes = (code for codes in told.values() for code in codes)
        yield Item((next(iter(told)) if len(told) == 1 else reason,), f"leaves open: {', '.join(codes)}")


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


def _footer(report: Report) -> str:
    tool = f"{report.tool.name} {report.tool.version}".strip()
    matrix = f"matrix {report.matrix.version} ({report.matrix.origin})" if report.matrix.version else ""
    parts = [part for part in (tool, matrix, f"{report.duration_s:.1f} s", report.generated_at) if part]
    return ", ".join(parts)
