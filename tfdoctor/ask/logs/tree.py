"""Finds literals without a library for it: a regular expression in the shape of a tree, and a memory for lines.

Logs repeat themselves: but for their numbers, most lines were there before. What stands in such a line is found out once.
Our own: hyperscan has no wheel for a browser, and without either of them reading takes 3 to 10 times as long.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Any

from tfdoctor.ask.logs.familiar import ZEROS

_REMEMBERED = 8 << 20  # bytes of lines
_WORTH = 3  # one line in so many may be new; where more are, remembering costs more than looking
_KEY = 3  # bytes
_COMMON = b" .=-0123456789etaoinsrlcdupmfghbvywkxqjz/:,>[]()|%'\""
"""What logs consist of, the most common first. The matcher should begin at few places."""

Place = tuple[int, int]  # the offset of the literal's last byte, and the literal's number


class Tree:
    """Literals without line ends. Numbers are looked up in the text itself: the memory holds a zero for each digit."""

    def __init__(self, texts: Sequence[bytes]) -> None:
        self._texts = texts
        self._zeroed = [text.translate(ZEROS) for text in texts]
        self._known: dict[bytes, tuple[Place, ...]] = {}
        self._bytes = 0

    def places(self, piece: bytes) -> list[Place]:
        """Every literal that stands in the piece, in order."""
        if self._bytes > _REMEMBERED:
            self._known.clear()
            self._bytes = 0
        zeroed = piece.translate(ZEROS)
        lines = zeroed.split(b"\n")
        fresh = set(lines).difference(self._known)
        repeats = len(fresh) * _WORTH <= len(lines)
        if repeats:
            self._learn(fresh)
        found = self._numbers(piece)
        for start, number in self._remembered(lines) if repeats else self._search(zeroed):
            text = self._texts[number]
            if piece.startswith(text, start):
                found.append((start + len(text) - 1, number))
        return sorted(found)

    def _remembered(self, lines: Iterable[bytes]) -> Iterator[Place]:
        """(first byte, literal) of all that stands in known lines."""
        known, start = self._known, 0
        for line in lines:
            for begin, number in known[line]:
                yield start + begin, number
            start += len(line) + 1

    def _learn(self, fresh: set[bytes]) -> None:
        """What stands in each line, as (first byte, literal)."""
        told: dict[bytes, list[Place]] = {}
        lines = list(fresh)
        ends = list(accumulate(len(line) + 1 for line in lines))
        for begin, number in self._search(b"\n".join(lines)):
            place = bisect_right(ends, begin)
            told.setdefault(lines[place], []).append(
                (begin - (ends[place - 1] if place else 0), number)
            )
        self._known.update((line, tuple(told.get(line, ()))) for line in lines)
        self._bytes += sum(map(len, lines)) + 200 * len(lines)

    def _numbers(self, piece: bytes) -> list[Place]:
        """The literals that are nothing but a number."""
        found = []
        for number in self._bare:
            text = self._texts[number]
            at = piece.find(text)
            while at >= 0:
                found.append((at + len(text) - 1, number))
                at = piece.find(text, at + 1)
        return found

    @cached_property
    def _bare(self) -> list[int]:
        return [number for number, text in enumerate(self._zeroed) if not text.strip(b"-0")]

    @cached_property
    def _keys(self) -> dict[bytes, list[tuple[int, int]]]:
        """Three telling bytes of each literal, with where in it they stand and its number."""
        found: dict[bytes, list[tuple[int, int]]] = {}
        for number, text in enumerate(self._zeroed):
            if number not in self._bare:
                at = _most_telling(text)
                found.setdefault(text[at : at + _KEY], []).append((at, number))
        return found

    @cached_property
    def _pattern(self) -> re.Pattern[bytes]:
        tree: dict[int, Any] = {}
        for key in self._keys:
            here = tree
            for byte in key:
                here = here.setdefault(byte, {})
            here[-1] = {}
        return re.compile(_as_pattern(tree))

    def _search(self, text: bytes) -> list[Place]:
        """(first byte, literal), without the values of digits. The tree finds keys; the next one may begin inside of this one."""
        found: list[Place] = []
        if not self._keys:
            return found
        keys, texts, search = self._keys, self._zeroed, self._pattern.search
        lengths = sorted({len(key) for key in keys})
        at = 0
        while match := search(text, at):
            start = match.start()
            at = start + 1
            for length in lengths:
                for before, number in keys.get(text[start : start + length], ()):
                    if start >= before and text.startswith(texts[number], start - before):
                        found.append((start - before, number))
        return sorted(found)


def _most_telling(text: bytes) -> int:
    def rare(at: int) -> tuple[int, int, int]:
        ranks = [_COMMON.find(byte) % (len(_COMMON) + 1) for byte in text[at : at + _KEY]]
        return (ranks[0], sum(ranks), -at)

    return max(range(max(1, len(text) - _KEY + 1)), key=rare)


def _as_pattern(tree: dict[int, Any]) -> bytes:
    if -1 in tree:
        return b""  # a shorter literal ends here: the longer one adds no line
    branches = []
    singles = []
    for byte, below in sorted(tree.items()):
        rest = _as_pattern(below)
        head = re.escape(bytes((byte,)))
        if rest:
            branches.append(head + rest)
        else:
            singles.append(head)
    if singles:
        branches.append(singles[0] if len(singles) == 1 else b"[" + b"".join(singles) + b"]")
    return branches[0] if len(branches) == 1 else b"(?:" + b"|".join(branches) + b")"
