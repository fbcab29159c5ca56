"""Lines that came so often that hearing them again tells nothing new: from then on they are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from tfdoctor.knowledge.messages.signature import NOISE, Hit

OFTEN = 500  # times; what one of hundreds of ranks writes is still kept from each
OFTEN_NOISE = 50  # times a line that means nothing is kept
ZEROS = bytes.maketrans(b"0123456789", b"0" * 10)
"""Makes each digit as good as any other."""
_LONGEST, _MOST = 2000, 2000  # bytes of a line, and lines that are remembered: 4 MB at most
Outline = tuple[Any, ...]
"""The bytes of a line, then the numbers of the literals that were looked for in it."""


def outline_of(line: bytes, known: int, literals: Iterable[int]) -> Outline:
    """The line without the values of clock, process and counter. Of what stands before its first known text, which ends at
    `known`, each digit is as good as any other; behind it a number may mean something."""
    return line[:known].translate(ZEROS) + line[known:], *literals


class Familiar:
    """The outlines of one log: how often each came, and what was recognised in it."""

    def __init__(self) -> None:
        self._heard: Counter[Outline] = Counter()
        self._kinds: dict[Outline, set[str]] = {}
        self._said: set[Outline] = set()
        self._noise: set[bytes] = set()

    def note(self, outline: Outline, hits: Iterable[Hit]) -> None:
        """A line was looked at."""
        if len(outline[0]) > _LONGEST:
            return
        if len(self._heard) >= _MOST and outline not in self._heard:
            self._heard.clear()
            self._kinds.clear()
            self._said.clear()
            self._noise.clear()
        self._heard[outline] += 1
        self._kinds.setdefault(outline, set()).update(hit.signature.name for hit in hits)
        if any(hit.signature.role == NOISE for hit in hits):
            self._noise.add(outline[0])
        elif hits:
            self._said.add(outline)

    def kinds(self, outline: Outline, keep: int) -> Collection[str] | None:
        """The names of what is in a line that came often; None for one that has to be looked at. `keep`: how many lines are kept
        wherever its literals stand; what tells of an end or begins a passage is looked at each time, but for noise with such words."""
        often = OFTEN_NOISE if self._frightens(outline) else OFTEN
        if self._heard[outline] < often or keep > 1 or (keep and not self._frightens(outline)):
            return None
        return self._kinds[outline]

    def says(self, outline: Outline) -> bool:
        """Whether a line says something beside noise: where it came last may be another run."""
        return outline in self._said

    def _frightens(self, outline: Outline) -> bool:
        return outline[0] in self._noise and outline not in self._said
