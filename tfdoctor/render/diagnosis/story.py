"""What a diagnosis tells a person, in the order in which it is told. Every form shows this story."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfdoctor.examine.diagnosis import CAUSE_FOUND, NOISE_ONLY, Diagnosed, Diagnosis, LogLine
from tfdoctor.examine.summary import clause
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.model import Confidence, Finding, Role, Severity
from tfdoctor.light.records import record

WORTH_KNOWING = "WORTH KNOWING"
"""Of a log that tells of no failure, and of something that matters to some and not to others."""
VERDICTS = {"cause-found": "CAUSE FOUND", "noise-only": "NOTHING WRONG", "unrecognised": "NOT RECOGNISED"}
_MOST_PLACES = 3  # lines of one finding that are shown with their neighbours
_LONGEST, _LONGEST_BESIDE = 300, 120  # characters of a line
SURENESS = {
    Confidence.CERTAIN: "the log says so",
    Confidence.LIKELY: "inferred from the log",
    Confidence.POSSIBLE: "a rule of thumb",
}


@record
class Chapter:
    """A root and what followed from it."""

    root: Diagnosed
    followed: tuple[Diagnosed, ...]


@record
class Story:
    verdict: str
    headline: str
    read: tuple[str, ...]
    chapters: tuple[Chapter, ...]
    open: tuple[tuple[str, str], ...]  # a sentence and what to type
    notes: tuple[Diagnosed, ...]
    noise: tuple[str, ...]
    suspects: tuple[LogLine, ...]
    earlier: tuple[str, ...]
    remarks: tuple[str, ...]
    judged_by: str
    several: bool


def tell(diagnosis: Diagnosis) -> Story:
    roots = diagnosis.roots
    notes = tuple(each for each in diagnosis.diagnoses if each.finding.role is Role.NOTE)
    return Story(
        verdict=_verdict(diagnosis),
        headline=_headline(diagnosis),
        read=tuple(_read(diagnosis)),
        chapters=tuple(Chapter(root, _followed(root, diagnosis)) for root in roots),
        open=tuple(_open(diagnosis)),
        notes=notes,
        noise=tuple(
            f"line {each.line}{_times(each.count)}: {each.text} ({each.why})" for each in diagnosis.noise
        ),
        suspects=diagnosis.suspects,
        earlier=_earlier(diagnosis),
        remarks=tuple(_remarks(diagnosis)),
        judged_by=f"{diagnosis.tool.name} {diagnosis.tool.version}, matrix {diagnosis.matrix.version} ({diagnosis.matrix.origin})",
        several=len(diagnosis.files) > 1,
    )


def _verdict(diagnosis: Diagnosis) -> str:
    if diagnosis.unfinished:
        return "UNFINISHED"
    if diagnosis.verdict == CAUSE_FOUND and _is_milder(diagnosis.roots[0].finding):
        return WORTH_KNOWING
    return "NO FAILURE" if diagnosis.own_result else VERDICTS[diagnosis.verdict]


def _is_milder(root: Finding) -> bool:
    """Elsewhere an error; here nothing shows that anything failed for it."""
    return root.severity is Severity.WARNING and CODES[root.code].severity is Severity.ERROR


def weight(each: Diagnosed) -> str:
    """ "error, the log says so: cudnn-version-mismatch"."""
    finding = each.finding
    return f"{finding.severity.value}, {SURENESS[finding.confidence]}: {finding.code}"


def effect(each: Diagnosed, *, several: bool) -> str:
    """What followed, with its first line."""
    line = each.lines[0] if each.lines else None
    where = f"{place(line, several=several)}: {line.text}" if line is not None else each.finding.title
    return f"{where} ({each.finding.code})"


def place(line: LogLine, *, several: bool) -> str:
    return f"log {line.file + 1}, line {line.line}" if several else f"line {line.line}"


@record
class Row:
    """A line as it is shown; `itself`: one that the finding rests on, not its neighbour. A gap stands before it or not."""

    number: int
    text: str
    itself: bool
    gap: bool


def passages(lines: Sequence[LogLine]) -> list[tuple[int, list[Row]]]:
    """(log, rows) of the lines with their neighbours, each once."""
    found: dict[int, dict[int, tuple[str, bool]]] = {}
    for line in lines[:_MOST_PLACES]:
        rows = found.setdefault(line.file, {})
        first = line.line - len(line.before)
        for step, text in enumerate([*line.before, line.text, *line.after]):
            number = first + step
            itself = number == line.line or rows.get(number, ("", False))[1]
            rows[number] = (_cut(text, _LONGEST if itself else _LONGEST_BESIDE), itself)
    return [(file, _rows(rows)) for file, rows in found.items()]


def _rows(rows: dict[int, tuple[str, bool]]) -> list[Row]:
    numbers = sorted(rows)
    return [
        Row(number, *rows[number], gap=place > 0 and numbers[place - 1] != number - 1)
        for place, number in enumerate(numbers)
    ]


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]} …"


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
        return f"{clause_up(root.title)}{fix}."
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


def clause_up(title: str) -> str:
    return title.strip().rstrip(".")


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


def _open(diagnosis: Diagnosis) -> list[tuple[str, str]]:
    found = []
    for each in diagnosis.open:
        codes = " or ".join(each.codes)
        found.append(
            (f"The log leaves open: {codes}. What decides is {each.fact}; this shows it:", each.command)
        )
    return found


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
