"""The view of an examination's report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tfdoctor.base.expressions import Expression
from tfdoctor.base.units import counted, first_of
from tfdoctor.facts.outcome import Fact, Failed, Known, known
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Confidence, Finding, Role, Severity
from tfdoctor.report.report import Report
from tfdoctor.report.summary import NO_GPU
from tfdoctor.say.overview import overview, system
from tfdoctor.say.view import (
    CONSEQUENCES,
    NO_FIX,
    Bar,
    Bars,
    Code,
    Item,
    Prose,
    Row,
    Section,
    View,
    about,
    also,
    first_fix,
    fixes,
    folded,
    items,
    noted,
    observations,
    problem,
    to_apply,
)


def weight(finding: Finding) -> str:
    """What is not usual: that it is no error, or not certain."""
    sureness = finding.confidence.value if finding.confidence is not Confidence.CERTAIN else ""
    return " · ".join(filter(None, (milder_than_usual(finding), sureness)))


def milder_than_usual(finding: Finding) -> str:
    """Its severity; "" for an error."""
    return finding.severity.value if finding.severity is not Severity.ERROR else ""


_MOST_CODES = 4
_FOR_PROGRAMS = Expression(r"\A(?:[a-z_]+\.[a-z0-9_.]+: )?(?:skipped: |not-live: )?")


def report_view(report: Report) -> View:
    roots = _roots(report)
    return View(
        program="tfdoctor",
        verdict=report.verdict.name,
        tone=report.verdict.value,
        headline=report.summary,
        fix=first_fix(roots[:1]),
        facts=(*also(roots), *_remarks(report)),
        overview=overview(report),
        sections=tuple(_sections(report, roots)),
        footer=footer_of(report),
        about=about(
            report.generated_at,
            "tfdoctor check",
            system(report.facts)[1],
            len(roots),
            _notes(report),
        ),
        all_facts=report.facts,
    )


def _notes(report: Report) -> int:
    return sum(each.code != "probe-failed" for each in report.notes)


def _remarks(report: Report) -> Iterator[Row]:
    if NO_GPU in report.summary and "gpu-absent" not in {each.code for each in report.ignored}:
        # The target stays the user's.
        yield Row("", "Should it have one? Check again with --require-gpu.")
    if report.subject.settings:
        yield Row("Settings", report.subject.settings)
    if report.subject.note:
        yield Row("Note", report.subject.note)


def _sections(report: Report, roots: list[Finding]) -> Iterator[Section]:
    above = first_fix(roots[:1])
    for number, root in enumerate(roots, start=1):
        effects = items(*map(_effect, report.consequences_of(root.code)), heading=CONSEQUENCES)
        yield problem(
            number, root, weight(root),
            fixes(root, without=above), _no_fix(root, report), observations(root.evidence), effects,
        )  # fmt: skip
    unread = tuple(_open_questions(report))
    failed = (Item((note.explanation,)) for note in report.notes if note.code == "probe-failed")
    incomplete = (*unread, *(Item((line,)) for line in _not_examined(report)), *failed)
    notes = (
        note
        for note in report.notes
        if note.code != "probe-failed" and note.title != CODES["gpu-absent"].name
    )
    yield from folded("Notes", *map(noted, notes))
    yield from folded("Not checked", *incomplete, shut=bool(roots) or not unread)
    ignored = (
        Item((Code(each.code), f": {each.reason}" if each.reason else ""))
        for each in report.ignored
    )
    yield from folded("Ignored", *ignored, shut=True)
    yield from _test_times(report)
    yield from to_apply(report.apply)


def _no_fix(root: Finding, report: Report) -> Prose | None:
    return Prose((f"Fix: {NO_FIX}",)) if root.code in report.unconfirmed else None


_TONES = {"passed": "healthy", "wrong": "broken", "failed": "broken"}


def _test_times(report: Report) -> tuple[Section, ...]:
    """How long each TensorFlow test takes, on one device below the other; () where none ran."""
    tests = known(report.facts.smoke.tensorflow)
    bars = [
        Bar(f"{each.name} on {each.device}", each.steady_s.value, _TONES.get(each.status, "unknown"), _times(each.steady_s.value, each.first_s))
        for each in (sorted(tests.computations, key=lambda each: each.name) if tests else ())
        if isinstance(each.steady_s, Known)
    ]  # fmt: skip
    if not bars:
        return ()
    return (
        Section(
            "Test times", (Bars(tuple(bars), "Time of one computation"),), shut=True, paged=True
        ),
    )


def _times(steady: float, first: Fact[float]) -> str:
    return _duration(steady) + (
        f" (first: {_duration(first.value)})" if isinstance(first, Known) else ""
    )


def _duration(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def _effect(consequence: Finding) -> Item:
    """Its title alone: its explanation would name other causes than the one above."""
    return Item((f"{consequence.title.rstrip('.')} ({consequence.code})",))


def _roots(report: Report) -> list[Finding]:
    """A consequence whose root is not in the report (another version's, or cut out) stands for itself."""
    roots = {finding.code for finding in report.roots}
    return [
        item
        for item in report.findings
        if item.role is Role.ROOT
        or (
            item.role is Role.CONSEQUENCE and (not item.caused_by or item.caused_by[0] not in roots)
        )
    ]


def _open_questions(report: Report) -> Iterator[Item]:
    """Each reason once; the fact is named where it is one alone that could not be found out for that reason."""
    found: dict[str, dict[str, list[str]]] = {}
    for item in report.undecided:
        if not item.not_live and not item.settled:
            found.setdefault(_plainly(item.because), {}).setdefault(item.because, []).append(
                item.code
            )
    for reason, told in found.items():
        codes = [code for codes in told.values() for code in codes]
        said = next(iter(told)) if len(told) == 1 else reason
        yield Item((said,), detail=f"Undecided: {first_of(codes, _MOST_CODES)}.")


def _not_examined(report: Report) -> tuple[str, ...]:
    """Each reason once: which stages it kept from being climbed, and how many questions it left unasked."""
    stages: dict[str, list[str]] = {}
    for stage in report.smoke.stages:
        if stage.status == "skipped":
            stages.setdefault(_reason(report, stage.name, stage.detail.get("reason")), []).append(
                stage.name
            )
    unasked = Counter(_plainly(item.because) for item in report.undecided if item.not_live)
    lines = []
    for reason in dict.fromkeys([*stages, *unasked]):
        climbed = f"skipped: {', '.join(stages[reason])} tests: " if reason in stages else ""
        open_ones = f" ({counted(unasked[reason], 'check')} not run)" if reason in unasked else ""
        lines.append(f"{climbed}{reason}{open_ones}")
    said = " ".join([*lines, *(item.because for item in report.undecided)])
    for run in (each for each in report.probes if each.status != "ok"):
        if run.name not in run.detail:
            lines.append(f"{run.name}: {run.detail or run.status}")
        elif run.detail not in said:
            lines.append(run.detail)
    return tuple(lines)


def _plainly(because: str) -> str:
    """The reason without the words that only programs need: the fact's path, and why it counts as not asked."""
    return _FOR_PROGRAMS.sub("", because)


def _reason(report: Report, stage: str, told: object) -> str:
    if told:
        return _plainly(str(told))
    fact = getattr(report.facts.smoke, stage, None)
    return fact.plainly if isinstance(fact, Failed) else "skipped"


def footer_of(report: Report) -> str:
    """Who judged, by which matrix, in what time."""
    tool = f"{report.tool.name} {report.tool.version}".strip()
    matrix = f"matrix {report.matrix.version}" if report.matrix.version else ""
    matrix += f" ({report.matrix.origin})" if report.matrix.origin not in ("", "bundled") else ""
    parts = [part for part in (tool, matrix, f"{report.duration_s:.1f} s") if part]
    return " · ".join(parts)
