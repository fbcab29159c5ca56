"""The view of a diagnosis: what a log says went wrong, its lines, what to type; then what followed, and the noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from shlex import quote

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace
from tfdoctor.base.units import counted, rfc3339
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Confidence, Finding, Role, Severity
from tfdoctor.report.diagnosis import CAUSE_FOUND, NOISE_ONLY, Diagnosed, Diagnosis, LogLine
from tfdoctor.say.report_view import milder_than_usual, weight
from tfdoctor.say.view import (
    CONSEQUENCES,
    Advice,
    Code,
    Item,
    LogRow,
    Observation,
    Observations,
    Passage,
    Quotes,
    Row,
    Section,
    View,
    about,
    also,
    first_fix,
    fixes,
    folded,
    items,
    problem,
    to_apply,
)

CAUSES = {
    Confidence.CERTAIN: "CAUSE",
    Confidence.LIKELY: "LIKELY CAUSE",
    Confidence.POSSIBLE: "POSSIBLE CAUSE",
}
NOTHING_WRONG, NO_CAUSE, NOTHING = "NOTHING WRONG", "NO CAUSE FOUND", "NOTHING TO DIAGNOSE"
_TONES = {NOTHING_WRONG: "healthy", NO_CAUSE: "unknown", NOTHING: "unknown"}
_IF_SO = "If so"
"""Before the fixes of a cause that is first to be made sure of."""
_MOST_PLACES = 3  # lines of one finding that are shown with their neighbours
_MOST_NOISE = 12
_LONGEST, _LONGEST_BESIDE, _LONGEST_SHOWN = 300, 120, 300  # characters of a line
# TensorFlow's own.
_PREFIX = Expression(r"\A\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,9}: [IWEF] \S{1,200}\] ")
# Before an exception's class.
_MODULES = Expression(r"\A\s{0,40}(?:[a-z_]\w{0,60}\.){1,9}(?=[A-Z])")


def diagnosis_view(diagnosis: Diagnosis) -> View:
    verdict = _verdict(diagnosis)
    roots = [each.finding for each in diagnosis.roots]
    tool, matrix = diagnosis.tool, diagnosis.matrix
    origin = "" if matrix.origin == "bundled" else f" ({matrix.origin})"
    return View(
        program="tfdoctor diagnose",
        verdict=verdict,
        tone=_TONES.get(verdict) or ("degraded" if _is_milder(roots[0]) else "broken"),
        lead=verdict,
        headline=_headline(diagnosis),
        fix=_first_step(diagnosis),
        facts=(*_lines(diagnosis), *also(roots), *(Row("Note", text) for text in (*_earlier(diagnosis), *_remarks(diagnosis)))),
        sections=tuple(_sections(diagnosis)),
        footer=" · ".join((*_read(diagnosis), f"{tool.name} {tool.version}", f"matrix {matrix.version}{origin}")),
        about=about(
            rfc3339(), "tfdoctor diagnose", ", ".join(_names(diagnosis)), len(roots), len(_notes(diagnosis))
        ),
        all_facts=diagnosis.facts,
    )  # fmt: skip


def _first_step(diagnosis: Diagnosis) -> Advice | None:
    """The first fix of the first cause; where that is only possible, the command that decides, if there is one."""
    roots = [each.finding for each in diagnosis.roots]
    if roots and roots[0].confidence is Confidence.POSSIBLE:
        for each in diagnosis.open:
            if roots[0].code in each.codes and each.command:
                why = (
                    "Find out why"
                    if diagnosis.roots[0].is_bare_end
                    else "Find out whether this is the cause"
                )
                command = _on_this_log(each.command, diagnosis)
                return Advice(
                    why, (command,), "LOG is the file with the log." if " LOG " in command else ""
                )
    return first_fix(roots[:1])


def _lines(diagnosis: Diagnosis) -> Iterator[Row]:
    """The line that the first cause rests on, with its number; nothing where there is no cause."""
    several = len(diagnosis.files) > 1
    for line in (line for root in diagnosis.roots[:1] for line in root.lines[:1]):
        yield Row(
            "Line", f"{_place(line, several)}  {_cut(_PREFIX.sub('', line.text), _LONGEST_SHOWN)}"
        )


def _on_this_log(command: str, diagnosis: Diagnosis) -> str:
    """The command with the name of the one file that was read in place of LOG."""
    names = [each.name for each in diagnosis.files]
    return command.replace(" LOG ", f" {quote(names[0])} ") if len(names) == 1 else command


def _sections(diagnosis: Diagnosis) -> Iterator[Section]:
    several = len(diagnosis.files) > 1
    above = _first_step(diagnosis)
    for number, root in enumerate(diagnosis.roots, start=1):
        finding = _without_line(root)
        seen = tuple(Observation(each.fact, (each.observed,)) for each in finding.evidence)
        yield problem(
            number, finding, weight(finding) if number > 1 else milder_than_usual(finding),
            fixes(finding, without=above, heading=_IF_SO if number == 1 and above != first_fix([finding]) else ""), _quotes(root.lines, several), Observations(seen) if seen else None,
            items(*(_effect(each, several) for each in _followed(root, diagnosis)), heading=CONSEQUENCES),
        )  # fmt: skip
    suspects = (
        Item((f"line {_place(line, several)}: ", Code(line.text))) for line in diagnosis.suspects
    )
    yield from folded("Lines that look like a failure", *suspects)
    asked = dict.fromkeys(_on_this_log(each.command, diagnosis) for each in diagnosis.open)
    questions = (
        Item((), command=each) for each in asked if above is None or (each,) != above.commands
    )
    yield from folded("Still unclear. To find out, run", *questions)
    yield from folded("Notes", *(_effect(each, several) for each in _notes(diagnosis)))
    noise = (
        Item((f"line {each.line}{_times(each.count)}: ", Code(each.text), f" ({each.why})"))
        for each in diagnosis.noise
    )
    yield from folded("Harmless messages", *noise, shut=True, most=_MOST_NOISE)
    yield from to_apply(diagnosis.apply)


def _notes(diagnosis: Diagnosis) -> list[Diagnosed]:
    return [each for each in diagnosis.diagnoses if each.finding.role is Role.NOTE]


def _without_line(root: Diagnosed) -> Finding:
    """The finding without the message that the row Line shows."""
    line = " ".join(root.lines[0].text.split()) if root.lines else ""
    said = f"The last line: {_MODULES.sub('', line).rstrip('. ')}."
    if len(line) > _LONGEST_SHOWN or said not in root.finding.explanation:
        return root.finding
    return replace(root.finding, explanation=root.finding.explanation.replace(said, "").strip())


def _effect(each: Diagnosed, several: bool) -> Item:
    """What followed, with the number of its first line; the line itself for those who want more."""
    where = f"line {_place(each.lines[0], several)}, " if each.lines else ""
    detail = each.lines[0].text if each.lines else ""
    return Item((f"{each.finding.title.rstrip('.')} ({where}{each.finding.code})",), detail=detail)


def _place(line: LogLine, several: bool) -> str:
    return f"{line.line} of log {line.file + 1}" if several else str(line.line)


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
        Passage(f"log {file + 1}" if several else "", tuple(_rows(rows)))
        for file, rows in found.items()
    )
    return Quotes(passages, "In the log") if passages else None


def _rows(rows: dict[int, tuple[str, bool]]) -> Iterator[LogRow]:
    width, before = len(str(max(rows))), 0
    for number in sorted(rows):
        text, itself = rows[number]
        yield LogRow(f"{'>' if itself else ' '} {number:>{width}} ", text, itself, bool(before) and before != number - 1)  # fmt: skip
        before = number


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]} …"


def _verdict(diagnosis: Diagnosis) -> str:
    if diagnosis.verdict == CAUSE_FOUND and not diagnosis.unfinished:
        sure = [root.finding.confidence for root in diagnosis.roots]
        several = sure[0] is Confidence.POSSIBLE and sure.count(sure[0]) > 1
        return CAUSES[sure[0]] + ("S" if several else "")
    if diagnosis.nothing:
        return NOTHING
    return (
        NOTHING_WRONG if diagnosis.verdict == NOISE_ONLY and not diagnosis.unfinished else NO_CAUSE
    )


def _is_milder(root: Finding) -> bool:
    """Elsewhere an error; here nothing shows that anything failed for it."""
    return root.severity is Severity.WARNING and CODES[root.code].severity is Severity.ERROR


_NOTHING = {
    "empty": "The log is empty. Capture both streams: python train.py > train.log 2>&1",
    "notebook": "The notebook has no saved output. Run it, save it, and try again.",
    "question": "This is a question, not a log. `tfdoctor check` examines the machine; diagnose reads what the program printed.",
}
_NO_END = (
    "The log does not show how the program ended. If it died, rerun it with `tfdoctor run -- python train.py` to see "
    "why; if it hangs, `py-spy dump --pid PID` shows where."
)


def _remarks(diagnosis: Diagnosis) -> Iterator[str]:
    if diagnosis.unused:
        yield diagnosis.unused
    if diagnosis.verdict == NOISE_ONLY and not diagnosis.own_result and not diagnosis.end_told:
        yield _NO_END


def _headline(diagnosis: Diagnosis) -> str:
    if diagnosis.unfinished:
        return diagnosis.unfinished
    if diagnosis.verdict == CAUSE_FOUND:
        return diagnosis.roots[0].finding.title
    if diagnosis.own_result:
        return diagnosis.own_result
    if diagnosis.nothing:
        return _NOTHING[diagnosis.nothing]
    if diagnosis.verdict == NOISE_ONLY:
        harmless = (
            " Its messages are harmless." if diagnosis.noise and not diagnosis.diagnoses else ""
        )
        return f"The log shows no failure.{_used(diagnosis.gpus)}{harmless}"
    if diagnosis.roots:
        return diagnosis.roots[0].finding.title
    if diagnosis.suspects:
        return "No known message was found. The lines below look most like a failure."
    return "The program failed, and the log does not show why."


def _used(gpus: Sequence[str]) -> str:
    if not gpus:
        return ""
    names = ", ".join(dict.fromkeys(gpus))
    return f" TensorFlow uses {'the GPU' if len(gpus) == 1 else f'{len(gpus)} GPUs'} ({names})."


def _names(diagnosis: Diagnosis) -> list[str]:
    return ["standard input" if each.name == "-" else each.name for each in diagnosis.files]


def _read(diagnosis: Diagnosis) -> list[str]:
    lines = []
    for number, (name, each) in enumerate(
        zip(_names(diagnosis), diagnosis.files, strict=True), start=1
    ):
        prefix = f"log {number}: " if len(diagnosis.files) > 1 else ""
        kind = "".join(
            f", {what}" for what in (each.kind, each.encoding) if what not in ("text", "utf-8")
        )
        note = f"; {each.note}" if each.note else ""
        lines.append(f"{prefix}{name}, {counted(each.lines, 'line')}{kind}{note}")
    return lines


def _followed(root: Diagnosed, diagnosis: Diagnosis) -> tuple[Diagnosed, ...]:
    """The consequences of a root that other lines show than its own."""
    return tuple(
        each
        for each in diagnosis.diagnoses
        if each.role is Role.CONSEQUENCE
        and each.caused_by[:1] == (root.code,)
        and not (each.lines and set(each.lines) <= set(root.lines))
    )


def _times(count: int) -> str:
    return f" and {count - 1:,} more" if count > 1 else ""


def _earlier(diagnosis: Diagnosis) -> tuple[str, ...]:
    if not diagnosis.earlier:
        return ()
    ends = len(diagnosis.earlier)
    counted = "once before" if ends == 1 else f"{ends} times before"
    return (
        f"The log contains several runs; this is about the last one. It had ended {counted}, the last time with: {diagnosis.earlier[-1]}",
    )
