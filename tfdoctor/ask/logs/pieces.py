"""The lines of a piece around given places, numbered without looking at all of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

LONGEST_LINE = 8000  # characters of one line that are looked at around what was recognised


class Candidate(NamedTuple):
    """A line in which literals stand: its number, its bounds in the piece, the last byte of the first literal, and which they are."""

    number: int
    start: int
    end: int
    first: int
    literals: list[int]


class Piece:
    """Lines of a piece by the places in it, numbered without looking at all of them."""

    def __init__(self, data: bytes, first: int) -> None:
        self._data, self._at, self._number = data, 0, first

    def candidates(self, places: Iterator[tuple[int, int]]) -> Iterator[Candidate]:
        """Each line that has some."""
        data, found = self._data, Candidate(0, 0, -1, 0, [])
        for at, literal in places:
            if at < found.end:
                if literal not in found.literals:
                    found.literals.append(literal)
                continue
            if found.literals:
                yield found
            start, end = self._bounds(at)
            self._number += data.count(b"\n", self._at, start)
            self._at = max(self._at, start)
            found = Candidate(self._number, start, end, at, [literal])
        if found.literals:
            yield found

    def _bounds(self, at: int) -> tuple[int, int]:
        """Of the line around a place; a return parts what a progress bar wrote over."""
        data = self._data
        half = LONGEST_LINE // 2 - 1
        low, high = max(0, at - half), min(len(data), at + half)
        start = max(data.rfind(b"\n", low, at), data.rfind(b"\r", low, at)) + 1 or low
        ends = [
            place
            for place in (data.find(b"\n", at, high), data.find(b"\r", at, high))
            if place >= 0
        ]
        return start, min(ends, default=high)

    def last_number(self) -> int:
        """Of the last line that ends in the piece; of the one before the first where none does."""
        return self._number + self._data.count(b"\n", self._at) - 1

    def line(self, found: Candidate) -> bytes:
        return self._data[found.start : found.end]

    def first_lines(self, count: int) -> Iterator[tuple[int, bytes]]:
        start, number = 0, self._number
        for _ in range(count):
            end = self._data.find(b"\n", start)
            if end < 0:
                return
            yield number, self._data[start : min(end, start + LONGEST_LINE)]
            start, number = end + 1, number + 1

    def neighbours(self, found: Candidate, before: int, after: int) -> Iterator[tuple[int, bytes]]:
        """The lines around one, with their numbers."""
        data, number, start = self._data, found.number, found.start
        begin = data.rfind(b"\n", 0, start) + 1
        for back in range(1, before + 1):
            if begin <= 0:
                break
            end, begin = begin - 1, data.rfind(b"\n", 0, begin - 1) + 1
            yield number - back, data[begin : min(end, begin + LONGEST_LINE)]
        at = data.find(b"\n", start) + 1
        for step in range(1, after + 1):
            end = data.find(b"\n", at)
            if at <= 0 or end < 0:
                return
            yield number + step, data[at : min(end, at + LONGEST_LINE)]
            at = end + 1
