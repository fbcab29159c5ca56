"""What a log in which nothing was recognised still shows: the lines most like a failure, or a person's question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfdoctor.logs.extract import Read
from tfdoctor.logs.passages.open_end import GOES_ON
from tfdoctor.logs.passages.survived import ANCHORS, passed_over
from tfdoctor.logs.prefixes import Prefixes
from tfdoctor.records import record
from tfdoctor.signatures.catalogue import read as signatures_of
from tfdoctor.signatures.signature import NOISE
from tfdoctor.system.expressions import Expression

_FATAL = Expression(
    r"(?i)\bfatal\b|\bpanicked\b|\bwas preempted\b|\b(?:CrashLoop|ImagePull)BackOff\b|\breceived signal\b|\breceived a shutdown signal\b|failed to load the native tensorflow runtime|\bkernel\b.{0,20}\b(?:died|dead|terminated)\b|\buncaught exception\b|\bhas stopped working\b|\bpanic\b|traceback \(|core dumped|\babort(?:ed|ing)?\b|\bkilled\b|\bcrash(?:ed)?\b|\bsegmentation\b|[Ee]xit(?:ed)? (?:with )?(?:code|status)[ :=]{0,3}[1-9]"
)
_ERROR = Expression(
    r"\b(?:[A-Z]\w{2,60})?(?:Error|Exception)\b|\berror\b|\bERROR\b|\bfailed\b|\bFAILED\b|\bfailure\b|^(?:\S{0,40} )?E[ 0-9]|(?i:\bout[ -]of[ -]memory\b|\bnot enough memory\b|内存不足|内存溢出|記憶體不足|メモリ不足|недостаточно памяти|\bquota (?:vastly )?exceeded\b)"
    r"|\b(?:RESOURCE_EXHAUSTED|INVALID_ARGUMENT|INTERNAL|NOT_FOUND|UNIMPLEMENTED|FAILED_PRECONDITION|UNAVAILABLE|ABORTED|DATA_LOSS|DEADLINE_EXCEEDED|PERMISSION_DENIED|UNAUTHENTICATED|ALREADY_EXISTS)\b: |\bResource exhausted: |\bOP_REQUIRES failed\b|\bcudaError[A-Z]\w{3,40}"
)
_WEAK = Expression(
    r"(?i)^\s*File \"[^\"]{1,400}\", line \d{1,9}, in \S{1,200}\s*$|\bcannot\b|\bcan't\b|\bcould not\b|\bunable to\b|\bdenied\b|\brefused\b|\btimed? ?out\b|\bnot found\b|\binvalid\b"
)
_HARMLESS = Expression(
    r"(?i)\bHTTP/\d(?:\.\d)?\"? [1-4]\d\d\b|\b0 (?:errors|failed|failures)\b|error[_ ]?rate|\bmean[_ ]?\w{0,30} error|pip's dependency resolver does not currently take into account|\bhas requirement [^\n]{1,400}, but you'll have |\bloss\b|no errors?\b|errors?[=:] ?0\b"
)
_AGAIN = Expression(
    r"(?i)\bretrying\b|\b(?:will|to) retry\b|\bretry (?:loop|in \d)|\bRetry\(|\btrying (?:again|to re-?(?:connect|establish))\b"
)
_NEVER_AGAIN = Expression(r"(?i)exhausted|exceeded|giv(?:ing|en) up|\b(?:not|no|max|last)\b")
"""Whoever says that it tries once more goes on: where that fails, too, other lines say so."""
_WARNED = Expression(
    r"\.pyx?:\d{1,6}: \w{0,60}Warning: |^\w{1,60}Warning: |^(?:\S{1,40} {1,4}){0,3}\[?WARN(?:ING)?\b|\bWARNING\b(?: -|/|\]|:| {2})"
)
"""Python's and a program's own word for their line: whoever warns goes on. A death is none the less one."""
_MILD = Expression(
    r"^(?:INFO|DEBUG):\w|^(?:\d{4}-\d\d-\d\d \d\d:\d\d:[\d.]{2,12}: )?(?:[IW] \S{1,200}:\d{1,6}\] |[IW]\d{4} \d\d:\d\d:\S{2,20} {1,9}\d{1,20} \S{1,200}:\d{1,6}\] )"
)
"""TensorFlow's own word for its line: information or a warning. Whoever writes it so goes on."""
_OP = Expression(
    r"(?:OP_REQUIRES failed at \S{1,120} : |endezvous is aborting with status: )(?:(?!OUT_OF_RANGE|CANCELLED|Out of range|Cancelled)[A-Z][A-Za-z_ ]{3,30}): "
)
"""An operation failed. TensorFlow calls it a warning, for a program may catch what follows; one that did goes on."""
_NUMBERS, _ZEROS = Expression(r"\d{0,40}[1-9]\d{0,40}"), Expression(r"0{2,40}")
"""A number counts as 0 or as another: "exit code 0" is no failure, "exit code 137" is one."""
_SENTENCE = Expression(r"^\s{0,9}[^\W\d_][^\W_]{0,30}(?:[ ,.?!'\u2019-]{1,3}[^\W_]{1,30}){2,60}[ .?!]{0,9}$")
_ASKS = Expression(r"\b(?:[Mm]y|[Ii]|[Ww]hy|[Hh]ow|[Pp]lease [Hh]elp)\b")
"""Words of a person. A program's line has signs between its words, or speaks of itself."""
_MOST = 5
_LAST = 3


def suspects(
    reads: Sequence[Read], *, failed: bool = False, after: Sequence[int] = ()
) -> list[tuple[int, int]]:
    """(file, line) of at most five lines, the strongest words first, of equals the last.

    What TensorFlow calls information or a warning counts only in a run that `failed`, or where nothing goes on after an
    operation that did. `after`: of each log the line up to which its work is known to have gone on.
    """
    rated = []
    like = _Like()
    for file, read in enumerate(reads):
        lines = read.transcript.lines
        worked = max((number for number, text in lines.items() if like.of(text).goes_on), default=0)
        survived = _survived(lines)
        first = after[file] if after else 0
        for number, text in lines.items():
            seems = like.of(text)
            if (
                seems.strength
                and number > first
                and number not in survived
                and not like.of(lines.get(number + 1, "")[:200]).again
                and (failed or seems.strength == _LAST or not seems.warned)
                and (failed or not seems.mild or (number > worked and seems.operation))
                and not seems.noise
            ):
                rated.append((-seems.strength, file, -number))
    return [(file, -number) for _, file, number in sorted(rated)[:_MOST]]


def is_question(reads: Sequence[Read]) -> bool:
    """Whether these are at most five lines of a person's sentences and nothing else."""
    lines = [text for read in reads for text in read.transcript.lines.values() if text.strip()]
    return (
        len(lines) <= _MOST
        and all(_SENTENCE.search(text) for text in lines)
        and any(_ASKS.search(text) for text in lines)
    )


def _survived(lines: Mapping[int, str]) -> frozenset[int]:
    """Lines of tracebacks after which their program went on, whatever a collector put before them."""
    if not any(anchor in text for text in lines.values() for anchor in ANCHORS):
        return frozenset()
    prefixes = Prefixes(lines.values())
    of_process: dict[str, list[tuple[int, str]]] = {}
    for number, text in lines.items():
        process, words = prefixes.parted(text)
        of_process.setdefault(process, []).append((number, words))
    return frozenset(number for each in of_process.values() for number in passed_over(each))


@record
class _Seems:
    """What a line's words alone tell."""

    strength: int
    again: bool
    warned: bool
    mild: bool
    operation: bool
    goes_on: bool
    noise: bool


class _Like:
    """Lines that differ in numbers alone are looked at once: a long log repeats itself."""

    def __init__(self) -> None:
        self._known: dict[str, _Seems] = {}

    def of(self, text: str) -> _Seems:
        shape = _ZEROS.compiled.sub("0", _NUMBERS.compiled.sub("1", text))
        if shape not in self._known:
            self._known[shape] = _seems(text)
        return self._known[shape]


def _seems(text: str) -> _Seems:
    again = _is_tried_again(text)
    strength = 0 if again else _strength(text)
    return _Seems(
        strength, again, bool(_WARNED.search(text)), bool(_MILD.match(text)), bool(_OP.search(text)), bool(GOES_ON.search(text)),
        strength > 0 and any(hit.signature.role == NOISE for hit in signatures_of(text)),
    )  # fmt: skip


def _strength(text: str) -> int:
    if len(text) > 4000 or _HARMLESS.search(text):
        return 0
    if _FATAL.search(text):
        return _LAST
    if _ERROR.search(text):
        return 2
    return 1 if _WEAK.search(text) else 0


def _is_tried_again(text: str) -> bool:
    return bool(_AGAIN.search(text)) and not _NEVER_AGAIN.search(text)
