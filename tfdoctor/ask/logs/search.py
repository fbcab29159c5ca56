"""Finds the places of hundreds of literals in a large text, with the best engine that is here.

Hyperscan where it is installed, for texts that are worth its start (65 ms); for small ones a search for each literal;
else one regular expression in the shape of a tree, which is slower (`tree.py`). All three find the same lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tfdoctor.ask.logs.tree import Place, Tree

SMALL = 200_000
"""Bytes up to which the engine's start costs more than it saves."""


class Frequent:
    """Literals that came so often that their places are no longer told: how often they came in the last piece, and where last."""

    def __init__(self, literals: int) -> None:
        self.flags = bytearray(literals)
        self.counts = [0] * literals
        self.last: dict[int, int] = {}

    def clear(self) -> None:
        for number in self.last:
            self.counts[number] = 0
        self.last.clear()

    def seen(self, number: int, at: int) -> None:
        self.counts[number] += 1
        self.last[number] = at


class Literals:
    """Looks for all of `texts` at once. `places` tells every one that stands in a piece, in order."""

    def __init__(self, texts: Iterable[str], *, engine: str = "") -> None:
        """engine: "" for the best; "hyperscan", "tree" or "each" to test that all say the same."""
        self.texts = tuple(texts)
        self._bytes = tuple(text.encode("utf-8") for text in self.texts)
        self._engine = engine

    def places(self, piece: bytes, frequent: Frequent | None = None) -> list[Place]:
        """Those of the frequent are counted there instead of being told."""
        frequent = frequent or Frequent(len(self.texts))
        frequent.clear()
        if self._engine == "each" or (not self._engine and len(piece) <= SMALL):
            return _without(frequent, self._each(piece))
        scan = None if self._engine == "tree" else self._hyperscan
        return (
            scan(piece, frequent)
            if scan is not None
            else _without(frequent, self._tree.places(piece))
        )

    def _each(self, piece: bytes) -> list[Place]:
        found = []
        for number, text in enumerate(self._bytes):
            at = piece.find(text)
            while at >= 0:
                found.append((at + len(text) - 1, number))
                at = piece.find(text, at + 1)
        return sorted(found)

    @cached_property
    def _tree(self) -> Tree:
        from tfdoctor.ask.logs.tree import Tree

        return Tree(self._bytes)

    @cached_property
    def _hyperscan(self) -> Callable[[bytes, Frequent], list[Place]] | None:
        try:
            import hyperscan
        except Exception:  # noqa: BLE001  # not installed, or built for another processor: the slow way answers the same
            return None
        base: Any = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        base.compile(
            expressions=[re.escape(text) for text in self._bytes],
            ids=list(range(len(self._bytes))),
            elements=len(self._bytes),
            flags=[0] * len(self._bytes),
        )

        def scan(piece: bytes, frequent: Frequent) -> list[Place]:
            found: list[Place] = []
            add, flags_of, counts, last = (
                found.append,
                frequent.flags,
                frequent.counts,
                frequent.last,
            )

            def seen(number: int, begin: int, end: int, flags: int, context: object) -> None:
                if flags_of[number]:
                    counts[number] += 1
                    last[number] = end - 1
                else:
                    add((end - 1, number))

            base.scan(piece, match_event_handler=seen)
            return found

        return scan


def _without(frequent: Frequent, places: list[Place]) -> list[Place]:
    flags = frequent.flags
    for at, number in places:
        if flags[number]:
            frequent.seen(number, at)
    return [place for place in places if not flags[place[1]]] if frequent.last else places
