"""The view of a diagnosis: what a log says went wrong, its lines, what to type; then what followed, and the noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfdoctor.examine.diagnosis import CAUSE_FOUND, NOISE_ONLY, Diagnosed, Diagnosis, LogLine
from tfdoctor.examine.summary import clause
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.model import Confidence, Finding, Role, Severity
from tfdoctor.render.view import (
    Code,
    Item,
    LogRow,
    Observation,
    Observations,
    Passage,
    Quotes,
    Section,
    View,
    Words,
    advice,
    folded,
    items,
    problem,
)

WORTH_KNOWING = "WORTH KNOWING"
"""Of a log that tells of no failure, and of something that matters to some and not to others."""
_VERDICTS = {"cause-found": "CAUSE FOUND", "noise-only": "NOTHING WRONG", "unrecognised": "NOT RECOGNISED"}
_TONES = {
    "CAUSE FOUND": "broken",
    WORTH_KNOWING: "degraded",
    "NOTHING WRONG": "healthy",
    "NO FAILURE": "degraded",
    "NOT RECOGNISED": "unknown",
    "UNFINISHED": "unknown",
}
_MOST_PLACES = 3  # lines of one finding that are shown with their neighbours
_MOST_NOISE = 12
_LONGEST, _LONGEST_BESIDE = 300, 120  # characters of a line
SURENESS = {
    Confidence.CERTAIN: "the log says so",
    Confidence.LIKELY: "inferred from the log",
    Confidence.POSSIBLE: "a rule of thumb",
}


def diagnosis_view(diagnosis: Diagnosis) -> View:
    verdict = _verdict(diagnosis)
    read = (f"Read: {line}" for line in _read(diagnosis))
    tool, matrix = diagnosis.tool, diagnosis.matrix
    return View(
        program="tfdoctor diagnose",
        verdict=verdict,
        tone=_TONES[verdict],
        headline=_headline(diagnosis),
        facts=tuple((line,) for line in (*read, *_earlier(diagnosis), *_remarks(diagnosis))),
        sections=tuple(_sections(diagnosis)),
        footer=f"{tool.name} {tool.version}, matrix {matrix.version} ({matrix.origin})",
    )


def _sections(diagnosis: Diagnosis) -> Iterator[Section]:
    several = len(diagnosis.files) > 1
    for number, root in enumerate(diagnosis.roots, start=1):
        finding = root.finding
        seen = tuple(Observation(each.fact, (each.observed,)) for each in finding.evidence)
        yield problem(
            number, finding, f"{finding.severity.value}, {SURENESS[finding.confidence]}: {finding.code}",
            _quotes(root.lines, several), Observations(seen) if seen else None, *advice(finding.fixes),
            items(*(Item(_effect(each, several)) for each in _followed(root, diagnosis)), heading="What followed from it"),
        )  # fmt: skip
    suspects = (Item((f"{_place(line, several)}: ", Code(line.text))) for line in diagnosis.suspects)
    yield from folded("Lines that look like a failure", *suspects)
    questions = (
        Item((f"The log leaves open: {' or '.join(each.codes)}. What decides is {each.fact}; this shows it:",), command=each.command)
        for each in diagnosis.open
    )  # fmt: skip
    yield from folded("What stays open", *questions)
    notes = (
        Item((f"{each.finding.title} ", *_effect(each, several)))
        for each in diagnosis.diagnoses
        if each.finding.role is Role.NOTE
    )
    yield from folded("Worth knowing", *notes)
    noise = (
        Item((f"line {each.line}{_times(each.count)}: ", Code(each.text), f" ({each.why})"))
        for each in diagnosis.noise
    )
    yield from folded("Frightening, and meaning nothing", *noise, shut=True, most=_MOST_NOISE)


def _effect(each: Diagnosed, several: bool) -> Words:
    """What followed, with its first line."""
    code = f" ({each.finding.code})"
    if not each.lines:
        return (f"{each.finding.title}{code}",)
    return (f"{_place(each.lines[0], several)}: ", Code(each.lines[0].text), code)


def _place(line: LogLine, several: bool) -> str:
    return f"log {line.file + 1}, line {line.line}" if several else f"line {line.line}"


def _quotes(lines: Sequence[LogLine], several: bool) -> Quotes | None:
    """The lines with their neighbours, each once."""
    found: dict[int, dict[int, tuple[str, bool]]] = {}
    for line in lines[:_MOST_PLACES]:
        rows = found.setdefault(line.file, {})
        first = line.line - len(line.before)
        for step, text in enumerate([*line.before, line.text, *line.after]):
            number = first + step
            itself = number == line.line or rows.get(number, ("", False))[1]
            rows[number] = (_cut(text, _LONGEST if itself else _LONGEST_BESIDE), itself)
    passages = tuple(
        Passage(f"log {file + 1}" if several else "", tuple(_rows(rows))) for file, rows in found.items()
    )
    return Quotes(passages, "What the log says") if passages else None


def _rows(rows: dict[int, tuple[str, bool]]) -> Iterator[LogRow]:
    width, before = len(str(max(rows))), 0
    for number in sorted(rows):
        text, itself = rows[number]
        yield LogRow(f"{'>' if itself else ' '} {number:>{width}} ", text, itself, bool(before) and before != number - 1)  # fmt: skip
        before = number


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]} …"


def _verdict(diagnosis: Diagnosis) -> str:
    if diagnosis.unfinished:
        return "UNFINISHED"
    if diagnosis.verdict == CAUSE_FOUND and _is_milder(diagnosis.roots[0].finding):
        return WORTH_KNOWING
    return "NO FAILURE" if diagnosis.own_result else _VERDICTS[diagnosis.verdict]


def _is_milder(root: Finding) -> bool:
    """Elsewhere an error; here nothing shows that anything failed for it."""
    return root.severity is Severity.WARNING and CODES[root.code].severity is Severity.ERROR


_NO_END = (
    "How the program ended is not in it. If it stands still after the last line, `py-spy dump --pid PID` shows what it waits in; if it is gone, "
    "its exit status says how it ended (137: killed, mostly for lack of memory)."
)


def _remarks(diagnosis: Diagnosis) -> Iterator[str]:
    if diagnosis.unused:
        yield diagnosis.unused
    if diagnosis.verdict == NOISE_ONLY and not diagnosis.own_result and not diagnosis.end_told:
        yield _NO_END


def _headline(diagnosis: Diagnosis) -> str:
    if diagnosis.verdict == CAUSE_FOUND:
        root = diagnosis.roots[0].finding
        fix = f"; first step: {clause(root.fixes[0].title)}" if root.fixes else ""
        return f"{root.title.strip().rstrip('.')}{fix}."
    if diagnosis.own_result:
        return diagnosis.own_result
    if diagnosis.verdict == NOISE_ONLY:
        return "The log shows no failure." + (
            " Its frightening lines mean nothing." if diagnosis.noise else ""
        )
    if diagnosis.unfinished:
        return diagnosis.unfinished
    if diagnosis.suspects:
        return "Nothing in it was recognised. The lines below look most like a failure."
    return "The program failed, and nothing in the log says why."


def _read(diagnosis: Diagnosis) -> list[str]:
    lines = []
    for number, each in enumerate(diagnosis.files, start=1):
        name = "standard input" if each.name == "-" else each.name
        prefix = f"log {number}: " if len(diagnosis.files) > 1 else ""
        kind = "" if each.kind == "text" else f", {each.kind}"
        note = f"; {each.note}" if each.note else ""
        lines.append(f"{prefix}{name}, {each.lines:,} lines{kind}, {each.encoding}{note}")
    return lines


def _followed(root: Diagnosed, diagnosis: Diagnosis) -> tuple[Diagnosed, ...]:
    return tuple(
        each
        for each in diagnosis.diagnoses
        if each.finding.role is Role.CONSEQUENCE and each.finding.caused_by[:1] == (root.finding.code,)
    )


def _times(count: int) -> str:
    return f" and {count - 1:,} more" if count > 1 else ""


def _earlier(diagnosis: Diagnosis) -> tuple[str, ...]:
    if not diagnosis.earlier:
        return ()
    ends = len(diagnosis.earlier)
    counted = "once before" if ends == 1 else f"{ends} times before"
    return (
        f"The log holds several runs; the last one is judged. It had ended {counted}, the last time with: {diagnosis.earlier[-1]}",
    )
