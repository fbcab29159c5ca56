"""The lines of a piece around given places, numbered without looking at all of them."""

from __future__ import annotations

from collections.abc import Iterator

LONGEST_LINE = 8000  # characters of one line that are looked at around what was recognised


class Piece:
    """Lines of a piece by the places in it, numbered without looking at all of them."""

    def __init__(self, data: bytes, first: int) -> None:
        self._data, self._at, self._number = data, 0, first

    def candidates(self, places: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int, int, list[int]]]:
        """(number, start, end, literals) of each line that has some."""
        data, start, end = self._data, 0, -1
        ids: list[int] = []
        number = 0
        for at, literal in places:
            if at < end:
                if literal not in ids:
                    ids.append(literal)
                continue
            if ids:
                yield number, start, end, ids
            start, end = self._bounds(at)
            self._number += data.count(b"\n", self._at, start)
            self._at = max(self._at, start)
            number, ids = self._number, [literal]
        if ids:
            yield number, start, end, ids

    def _bounds(self, at: int) -> tuple[int, int]:
        """Of the line around a place; a return parts what a progress bar wrote over."""
        data = self._data
        half = LONGEST_LINE // 2 - 1
        low, high = max(0, at - half), min(len(data), at + half)
        start = max(data.rfind(b"\n", low, at), data.rfind(b"\r", low, at)) + 1 or low
        ends = [place for place in (data.find(b"\n", at, high), data.find(b"\r", at, high)) if place >= 0]
        return start, min(ends, default=high)

    def lines_from(self, start: int, count: int) -> Iterator[tuple[int, bytes]]:
        number = self._number
        for _ in range(count):
            end = self._data.find(b"\n", start)
            if end < 0:
                return
            yield number, self._data[start : min(end, start + LONGEST_LINE)]
            start, number = end + 1, number + 1

    def neighbours(self, start: int, before: int, after: int) -> Iterator[tuple[int, bytes]]:
        """The lines around the one that was reached last."""
        data, number = self._data, self._number
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
