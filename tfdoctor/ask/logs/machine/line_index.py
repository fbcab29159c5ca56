"""All lines of a log together, to find those that hold a word by one search through the whole text.

A large log keeps a hundred thousand lines. Asking each of them for each of forty things would take longer than reading
a gigabyte; a word that stands nowhere is found to be so at once.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Generic, Protocol, TypeVar

from tfdoctor.base.expressions import Expression


class LogLine(Protocol):
    """A line of the log without its prefix."""

    @property
    def number(self) -> int: ...
    @property
    def text(self) -> str: ...


L_co = TypeVar("L_co", bound=LogLine, covariant=True)


class Clue(Expression):
    """What a line has to look like, and words of which one stands in each such line; `small` ones where case does not matter."""

    def __init__(self, pattern: str, words: tuple[str, ...], *, small: bool = False) -> None:
        super().__init__(pattern)
        self.words, self.small = words, small


class LineIndex(Generic[L_co]):
    """The lines in their order."""

    def __init__(self, lines: Sequence[L_co]) -> None:
        self._lines = lines

    def __iter__(self) -> Iterator[L_co]:
        return iter(self._lines)

    def holding(self, words: Iterable[str], *, small: bool = False) -> list[L_co]:
        """The lines that hold one of the words."""
        text, ends = self._small if small else self._text
        found = set()
        for word in words:
            at = text.find(word)
            while at >= 0:
                place = bisect_right(ends, at)
                found.add(place)
                at = text.find(word, ends[place])
        return [self._lines[place] for place in sorted(found)]

    def first_holding(self, *words: str) -> int:
        """The number of the first line that holds one of the words; 0 for none."""
        return next((line.number for line in self.holding(words)), 0)

    def first(self, wanted: Clue) -> tuple[L_co, re.Match[str]] | None:
        """The first line that gives it away."""
        for line in self.holding(wanted.words, small=wanted.small):
            if found := wanted.search(line.text):
                return line, found
        return None

    @cached_property
    def _text(self) -> tuple[str, list[int]]:
        return _together([line.text for line in self._lines])

    @cached_property
    def _small(self) -> tuple[str, list[int]]:
        return _together([line.text.lower() for line in self._lines])


def _together(texts: list[str]) -> tuple[str, list[int]]:
    """One text, and where in it each line's successor begins."""
    return "\n".join(texts) + "\n", list(accumulate(len(text) + 1 for text in texts))
