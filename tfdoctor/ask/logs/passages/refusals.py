"""Ends in the words of a program's own option parser: absl, argparse, click and their like. Nothing ran after them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record

# absl/app.py, argparse.py and click/exceptions.py as installed, read 2026-11-22
_ABSL = Expression(r"^FATAL Flags parsing error:\s{0,3}(?P<words>.{0,2000})$")
_USAGE = Expression(r"^[Uu]sage: (?P<program>\S{1,400})")
_AFTER_USAGE = Expression(
    r"^(?:(?P<program>[^\s:]{1,400}(?: [\w-]{1,40}){0,4}): error|[Ee]rror|ERROR): (?P<words>\S.{0,2000})$"
)
_ARGPARSE = Expression(
    r"^(?P<program>[\w./\\-]{1,400}): error: (?P<words>(?:argument [^:]{1,200}: |unrecognized arguments: |the following arguments are required: "
    r"|one of the arguments |ambiguous option: |unsupported format ).{0,2000}|too few arguments)$"
)
_GETOPT = Expression(
    r"^(?P<program>[\w./\\-]{1,400}): (?P<words>(?:unrecognized|invalid|unknown) option .{1,300})$"
)
_BOX = Expression(r"^╭─ Error ─")
_BOXED = Expression(r"^│ (?P<words>.{1,400}?)\s{0,400}│$")
_TELLING = ("sage: ", "Flags parsing error", "rror: ", "ERROR: ", " option ", "─ Error ─")
_USAGE_HOLDS = 80  # lines: a long list of options, and Python's warnings between


@record
class Refusal:
    """What the parser objected to, its line, and the program as it calls itself ("" where it does not)."""

    words: str
    line: int
    program: str
    status: int


def refusals(lines: Iterable[tuple[int, str]]) -> Iterator[Refusal]:
    """Those of one process, in order."""
    usage, program, boxed = -_USAGE_HOLDS - 1, "", False
    for place, (number, text) in enumerate(lines):
        if not boxed and not any(each in text for each in _TELLING):
            continue
        if found := _USAGE.match(text):
            usage, program = place, found["program"]
            continue
        after = place - usage <= _USAGE_HOLDS
        if boxed and (found := _BOXED.match(text)):
            yield Refusal(found["words"], number, program, 2)
        boxed = after and bool(_BOX.match(text))
        if refusal := _told(number, text, program if after else None):
            yield refusal
            usage = -_USAGE_HOLDS - 1


def _told(number: int, text: str, program: str | None) -> Refusal | None:
    """`program` is the one whose usage was shown shortly before; None where none was."""
    if found := _ABSL.match(text):
        return Refusal(f"Flags parsing error: {found['words']}".strip(), number, "", 1)
    if found := _ARGPARSE.match(text) or _GETOPT.match(text):
        return Refusal(found["words"], number, found["program"], 2)
    if program is not None and (found := _AFTER_USAGE.match(text)):
        return Refusal(found["words"], number, found["program"] or program, 2)
    return None
