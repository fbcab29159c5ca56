"""A log read once, from front to back: the lines worth keeping, what was recognised in them, how often.

It can be fed piece by piece. Of a small log every line is kept; of a large one those that were recognised, with
their neighbours, what follows the beginning of a traceback or a table, and the last lines.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import accumulate

from tfdoctor.ask.logs import endings
from tfdoctor.ask.logs.familiar import OFTEN_NOISE, Familiar, Outline, outline_of
from tfdoctor.ask.logs.forms.encodings import Plainer
from tfdoctor.ask.logs.forms.paste import rejoined
from tfdoctor.ask.logs.pieces import LONGEST_LINE, Candidate, Piece
from tfdoctor.ask.logs.prefixes import of_json
from tfdoctor.ask.logs.search import Frequent, Literals
from tfdoctor.base.records import record
from tfdoctor.knowledge.messages.catalogue import anchors
from tfdoctor.knowledge.messages.signature import NOISE, Hit, Signature

WHOLE = 256 << 10
"""Bytes from the beginning of which every line is kept."""
TAIL = 200  # lines
_AROUND = 2
_CONTEXT_OF = {
    "Traceback (most recent call last)": 160,
    "Fatal Python error": 80,
    "Check failed": 30,
    "NVIDIA-SMI ": 60,
    "Last State:": 12,
    "Stats:": 14,
    "short test summary info": 60,
    "invoked oom-killer": 60,
    "from versions:": 4,
    "Package ": 0,
}
"""Where a text of several lines begins that is read as a whole, and how many lines it may have."""
_PARTS = ("Free  at ", "InUse at ", "rounded to ", "Sum Total of in-use")
"""Of the allocator's dump, which has thousands of lines."""
_ALL_FACTS = 2000  # recognised lines of one kind that are looked at closely; the others are counted
_UNSEEN = bytes([*range(33), 127])  # control characters and the blank
_KEPT_BYTES = 24 << 20
_FIRST_BYTES = 8 << 20


@record
class Match:
    """One recognised text: where it stands and what it tells."""

    line: int
    hit: Hit


class Transcript:
    """What is known of one log after `feed` and `end`."""

    def __init__(self, literals: Literals | None = None) -> None:
        self.lines: dict[int, str] = {}
        self.matches: list[Match] = []
        self.counts: Counter[str] = Counter()
        self.total_bytes = 0
        self.total_lines = 0
        self.blank = True
        """No line of it has a character that can be seen."""
        self._plainer = Plainer()
        self._literals = literals or default_literals()
        self._table = _Table(self._literals.texts)
        self._frequent = Frequent(len(self._literals.texts))
        self._familiar = Familiar()
        self._rest = b""
        self._wanted_until = 0
        self._kept = 0
        self._tail: list[tuple[int, bytes]] = []

    @property
    def encoding(self) -> str:
        return self._plainer.encoding or "utf-8"

    def feed(self, piece: bytes) -> None:
        """The next bytes of the log, cut anywhere."""
        self.total_bytes += len(piece)
        self._take(self._plainer.feed(piece))

    def end(self) -> None:
        self._take(self._plainer.feed(b"", last=True))
        if self._rest:
            rest, self._rest = self._rest, b""
            self._read(rest + b"\n")
        for number, line in self._tail:
            self._keep(number, shown(line))
        self.lines = dict(sorted(self.lines.items()))
        if self.total_bytes <= WHOLE:
            self._hear_again()
        self.matches.sort(key=lambda each: each.line)

    def _hear_again(self) -> None:
        """What a mail, a page or a narrow terminal broke is joined and read once more, all of it at once."""
        joined = {first: (text, last) for first, text, last in rejoined(self.lines)}
        changed = {first: text for first, (text, _) in joined.items()}
        found: dict[int, dict[str, Hit]] = {}
        for number, literal in self._places_in(changed):
            for signature in self._table[literal].signatures:
                if hit := signature.hit(changed[number]):
                    found.setdefault(number, {})[signature.name] = hit
        by_line: dict[int, list[Hit]] = {}
        for each in self.matches:
            by_line.setdefault(each.line, []).append(each.hit)
        for first, (_, last) in joined.items():
            later = [hit for line in range(first + 1, last + 1) for hit in by_line.get(line, ())]
            parts = [*by_line.get(first, ()), *later]
            if later and all(hit in parts for hit in found.get(first, {}).values()):
                # What goes on is a message of its own, and both together say no more.
                del changed[first]
        self.lines.update(changed)
        self._take_back(changed)
        known = {(each.line, each.hit.signature.name) for each in self.matches}
        for number in changed:
            for name, hit in found.get(number, {}).items():
                if (number, name) not in known:
                    self.counts[name] += 1
                    self.matches.append(Match(number, hit))

    def _take_back(self, changed: Mapping[int, str]) -> None:
        """What a part of a line seemed to say and the whole of it does not."""
        kept = []
        for each in self.matches:
            if each.line in changed and each.hit.signature.hit(changed[each.line]) is None:
                self.counts[each.hit.signature.name] -= 1
            else:
                kept.append(each)
        self.matches = kept

    def _places_in(self, texts: Mapping[int, str]) -> Iterator[tuple[int, int]]:
        """(number of the line, literal), by one search through all of them."""
        parts = [text.encode("utf-8", "replace") for text in texts.values()]
        ends = list(accumulate(len(part) + 1 for part in parts))
        numbers = list(texts)
        for at, literal in self._literals.places(b"\n".join(parts)):
            yield numbers[bisect_right(ends, at)], literal

    def _take(self, plain: bytes) -> None:
        self.blank = self.blank and not plain.translate(None, _UNSEEN)
        cut = plain.rfind(b"\n") + 1
        if cut:
            data = b"".join((self._rest, memoryview(plain)[:cut]))
            self._rest = plain[cut:]
            self._read(data)
            return
        self._rest += plain
        if len(self._rest) > LONGEST_LINE << 7:  # a line without an end: read it as it comes
            rest, self._rest = self._rest, b""
            self._read(rest)

    def _read(self, data: bytes) -> None:
        """Whole lines, or a part of one that is longer than can be held."""
        before = self.total_lines
        whole = self.total_bytes <= WHOLE
        if whole:
            self._keep_all(data)
        reader = Piece(data, before + 1)
        if not whole and self._wanted_until > before:
            for number, line in reader.first_lines(self._wanted_until - before):
                self._keep(number, shown(line))
        self._listen(data, reader, whole=whole)
        self.total_lines = reader.last_number()
        self._remember_tail(data)

    def _wanted(self, data: bytes) -> Iterator[tuple[int, int]]:
        """The places, without those of kinds that were seen often enough: these are counted alone."""
        table, frequent = self._table, self._frequent
        places = self._literals.places(data, frequent)
        for number in frequent.last:
            self.counts[table[number].counted_as] += (
                frequent.counts[number] - table[number].look_at_last
            )
        again = [(at, number) for number, at in frequent.last.items() if table[number].look_at_last]
        places = sorted([*places, *again]) if again else places
        last = {number: at for at, number in places}
        for at, number in places:
            entry = table[number]
            if not entry.counted_only or (entry.look_at_last and last[number] == at):
                yield at, number
            else:
                self.counts[entry.counted_as] += 1
        for number, entry in table.items():
            frequent.flags[number] = entry.counted_only

    def _listen(self, data: bytes, reader: Piece, *, whole: bool) -> None:
        """Reads each line in which literals stand. A familiar one is counted; where it says something, its last is read, too."""
        last: dict[Outline, Candidate] = {}
        for found in reader.candidates(self._wanted(data)):
            entries = [self._table[each] for each in found.literals]
            for entry in entries:
                entry.met(tire=not whole)
            outline = outline_of(reader.line(found), found.first - found.start, found.literals)
            keep = max(entry.keep for entry in entries)
            kinds = None if whole else self._familiar.kinds(outline, keep)
            if kinds is None:
                self._hear(found, outline, reader, whole=whole)
                continue
            if not self._familiar.says(outline) or outline in last:
                self.counts.update(kinds)
            if self._familiar.says(outline):
                last[outline] = found
        for outline, found in last.items():
            self._hear(found, outline, reader, whole=whole)

    def _hear(self, found: Candidate, outline: Outline, reader: Piece, *, whole: bool) -> None:
        text = shown(reader.line(found))
        entries = [self._table[each] for each in found.literals]
        signatures = {each.name: each for entry in entries for each in entry.signatures}
        hits = [hit for each in signatures.values() if (hit := each.hit(text))]
        self._familiar.note(outline, hits)
        self.counts.update(hit.signature.name for hit in hits)
        self.matches += [Match(found.number, hit) for hit in hits]
        roles = {hit.signature.role for hit in hits}
        for entry in entries:
            entry.needed = entry.needed or (NOISE in roles and len(roles) > 1)
        of_hits = max((1 if role == NOISE else 1 + _AROUND for role in roles), default=0)
        keep = max(of_hits, *(entry.keep for entry in entries))
        if keep and not whole:
            self._keep(found.number, text)
            if keep > 1:
                for other, line in reader.neighbours(found, _AROUND, keep):
                    self._keep(other, shown(line))
                self._wanted_until = max(self._wanted_until, found.number + keep)

    def _keep_all(self, data: bytes) -> None:
        for number, line in enumerate(data.split(b"\n")[:-1] or [data], self.total_lines + 1):
            self._keep(number, shown(line))

    def _keep(self, number: int, text: str) -> None:
        if number in self.lines:
            return
        self.lines[number] = text
        self._kept += len(text) + 100
        if self._kept > _KEPT_BYTES:
            self._forget()

    def _forget(self) -> None:
        """The middle goes: a cause stands near the beginning, the end at the end."""
        taken, retained = 0, {}
        for number, text in self.lines.items():
            taken += len(text) + 100
            if taken <= _FIRST_BYTES or taken > self._kept - _FIRST_BYTES:
                retained[number] = text
        self.lines = retained
        self._kept = sum(len(text) + 100 for text in retained.values())

    def _remember_tail(self, data: bytes) -> None:
        start = max(0, len(data) - TAIL * 400)
        lines = data[start:].split(b"\n")
        if lines and not lines[-1]:
            lines.pop()
        lines = lines[-TAIL:]
        first = self.total_lines - len(lines) + 1
        fresh = [(first + place, line[:LONGEST_LINE]) for place, line in enumerate(lines)]
        self._tail = [*(each for each in self._tail if each[0] < first), *fresh][-TAIL:]


class _Entry:
    """A literal, the signatures that it announces, and whether it is only counted from now on."""

    __slots__ = (
        "counted_as", "counted_only", "keep", "look_at_last", "needed", "noise", "part", "recognised", "signatures",
    )  # fmt: skip

    def __init__(self, text: str, signatures: tuple[Signature, ...]) -> None:
        self.signatures = signatures
        self.keep = _CONTEXT_OF.get(text, 0) or (0 if signatures else 1)
        """Lines that are kept wherever the literal stands."""
        self.part = text in _PARTS
        self.recognised = 0
        self.counted_as = signatures[0].name if signatures else text
        self.counted_only = False
        self.look_at_last = False
        self.needed = False
        """Of noise: it has stood beside the words of a cause, which would be believed where it is not told."""
        self.noise = bool(signatures) and all(each.role == NOISE for each in signatures)

    def met(self, *, tire: bool) -> None:
        """From some time on counted; of what may be a cause the last one of each piece is still looked at."""
        self.recognised += 1
        most = 200_000 if self.part else OFTEN_NOISE if self.noise else _ALL_FACTS
        if tire and self.recognised >= most and not (self.noise and self.needed):
            self.counted_only, self.look_at_last = True, not self.noise


def shown(line: bytes) -> str:
    """A line as text: of what a progress bar wrote over itself the last state, without the return of Windows."""
    text = line.rstrip(b"\r")
    if b"\r" in text:
        text = text.rpartition(b"\r")[2]
    words = text[:LONGEST_LINE].decode("utf-8", "replace")
    return of_json(words) if words.startswith("{") else words


def default_literals(engine: str = "") -> Literals:
    """Every text to look for: those of the catalogue and those that begin a longer passage."""
    texts = [*anchors(), *_CONTEXT_OF, *_PARTS, *endings.ANCHORS]
    quoted = [_in_json(text) for text in texts if '"' in text]
    return Literals(dict.fromkeys([*texts, *quoted]), engine=engine)


def _in_json(text: str) -> str:
    """As it stands in the line of a collector that writes JSON."""
    return text.replace('"', '\\"')


class _Table(dict[int, _Entry]):
    """The entries by the numbers of their literals, each made when a log first has it: few of thousands."""

    def __init__(self, texts: tuple[str, ...]) -> None:
        super().__init__()
        self._texts = texts

    def __missing__(self, number: int) -> _Entry:
        text = self._texts[number]
        self[number] = _Entry(text, anchors().get(_plain().get(text, text), ()))
        return self[number]


@cache
def _plain() -> dict[str, str]:
    """Each anchor by what it is in JSON."""
    return {_in_json(text): text for text in anchors()}
