"""Stand-ins for what a report for a ticket must not hold: the same value gets the same one all through a report."""

from __future__ import annotations


class Token(str):
    """What stands for a value; no rule looks into it."""

    __slots__ = ()


Piece = str


class Placeholders:
    """Hands out `<kind-1>`, `<kind-2>` … in the order of first sight."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Token] = {}
        self._counts: dict[str, int] = {}

    def of(self, kind: str, value: str) -> Token:
        """The token of this value; upper and lower case of a value count as one."""
        key = (kind, value.casefold())
        if key not in self._known:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._known[key] = Token(f"<{kind}-{self._counts[kind]}>")
        return self._known[key]
