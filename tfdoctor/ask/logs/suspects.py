"""What a log in which nothing was recognised still shows: the lines most like a failure, or a person's question."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, partial

from tfdoctor.ask.logs.extract import Read
from tfdoctor.ask.logs.passages.open_end import GOES_ON
from tfdoctor.ask.logs.passages.survived import ANCHORS, passed_over
from tfdoctor.ask.logs.prefixes import Prefixes
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.knowledge.messages.catalogue import failing
from tfdoctor.knowledge.messages.catalogue import read as signatures_of
from tfdoctor.knowledge.messages.signature import NOISE, SUCCESS, Hit

_NUMBERS, _ZEROS = Expression(r"\d{0,40}[1-9]\d{0,40}"), Expression(r"0{2,40}")
"""A number counts as 0 or as another: "exit code 0" is no failure, "exit code 137" is one."""
_SENTENCE = Expression(
    r"^\s{0,9}[^\W\d_][^\W_]{0,30}(?:[ ,.?!'\u2019-]{1,3}[^\W_]{1,30}){2,60}[ .?!]{0,9}$"
)
_ASKS = Expression(r"\b(?:[Mm]y|[Ii]|[Ww]hy|[Hh]ow|[Pp]lease [Hh]elp)\b")
"""Words of a person. A program's line has signs between its words, or speaks of itself."""
_MOST = 5
_LAST = 3
_PLAIN = (
    2  # how strongly a line tells of a failure, by data/knowledge/failing.yaml: fatal, error, weak
)
_LONGEST = 4000  # characters of a line that are looked at


def suspects(
    reads: Sequence[Read],
    *,
    failed: bool = False,
    after: Sequence[int] = (),
    done: Sequence[bool] = (),
) -> list[tuple[int, int]]:
    """(file, line) of at most five lines, the strongest words first, of equals the last.

    What TensorFlow calls information or a warning counts only in a run that `failed`, or where nothing that worked is told after it.
    `after`: of each log the line up to which its work is known to have gone on. `done`: whether it then was complete, so that only
    plain words of a failure count.
    """
    rated = []
    like = _Like()
    for file, read in enumerate(reads):
        lines = read.transcript.lines
        worked = _worked(read, like)
        survived = _survived(lines)
        first = after[file] if after else 0
        least = _PLAIN if done and done[file] else 1
        for number, text in lines.items():
            seems = like.of(text)
            if (
                seems.strength >= least
                and number >= first
                and number not in survived
                and not like.of(lines.get(number + 1, "")[:200]).again
                and (failed or seems.strength == _LAST or not seems.warned)
                and (failed or not seems.mild or number > worked)
                and not seems.known
            ):
                rated.append((-seems.strength, file, -number))
    return [(file, -number) for _, file, number in sorted(rated)[:_MOST]]


def _worked(read: Read, like: _Like) -> int:
    """The last line that tells of progress, or of something that worked."""
    done = (each.line for each in read.transcript.matches if each.hit.signature.role == SUCCESS)
    steps = (number for number, text in read.transcript.lines.items() if like.of(text).goes_on)
    return max((*done, *steps), default=0)


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
    goes_on: bool
    known: bool


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
    again = _goes_on(text)
    strength = 0 if again else _strength(text)
    if not strength:
        return _Seems(
            0, again, warned=False, mild=False, goes_on=bool(GOES_ON.search(text)), known=False
        )
    return _Seems(
        strength, again, bool(_words("warned").search(text)), bool(_words("informed").search(text)), bool(GOES_ON.search(text)),
        any(map(partial(_is_explained, text), signatures_of(text))),
    )  # fmt: skip


def _is_explained(text: str, hit: Hit) -> bool:
    """Whether harmless words are all that the line says: what fails beside a line of progress is not told by the progress."""
    role = hit.signature.role
    return role == NOISE or (role == SUCCESS and not _strength(text.replace(hit.text, " ", 1)))


def _strength(text: str) -> int:
    beginning = text[:_LONGEST]
    return _strongest(_words("said-well").sub(" ", beginning)) if _strongest(beginning) else 0


def _strongest(text: str) -> int:
    kinds = (("fatal", _LAST), ("error", 2), ("weak", 1))
    return next((strength for kind, strength in kinds if _words(kind).search(text)), 0)


def _goes_on(text: str) -> bool:
    """Whoever says that it tries once more, or does without, goes on: where that fails, too, other lines say so."""
    return bool(_words("goes-on").search(text)) and not _words("never-again").search(text)


@cache
def _words(kind: str) -> re.Pattern[str]:
    return re.compile(failing()[kind])
