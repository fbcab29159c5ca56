"""What a rule of redaction is, and what takes the place of a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record

Replace = Callable[["re.Match[str]"], "list[str] | None"]
_LETTERS_AND_DIGITS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


_ITSELF = Expression(r"<[a-z-]+-\d+>")


class Token(str):
    """What stands for a value; no rule looks into it."""

    __slots__ = ()


class Placeholders:
    """Hands out `<kind-1>`, `<kind-2>` … in the order of first sight."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Token] = {}
        self._counts: dict[str, int] = {}
        self._values: list[tuple[str, str]] = []

    def of(self, kind: str, value: str) -> Token:
        """The token of this value; upper and lower case of a value count as one."""
        if _ITSELF.fullmatch(value):
            return Token(value)
        key = (kind, value.casefold())
        if key not in self._known:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            self._known[key] = Token(f"<{kind}-{self._counts[kind]}>")
            self._values.append((kind, value))
        return self._known[key]

    def values(self, kind: str) -> tuple[str, ...]:
        """What has got a placeholder of this kind."""
        return tuple(value for each, value in self._values if each == kind)


@record(eq=False)
class Rule:
    """`replace` gives what stands for a match, or None where it stays as it is.

    `begins`: texts in lower case with one of which every match begins, so that it is looked for there alone.
    `holds`: texts of which a text that has a match holds one. Where there are none it is looked for everywhere.
    `apart`: no letter or digit of ASCII stands before a match ("lahf_lm", a flag of processors, holds no "hf_").
    """

    pattern: Expression | re.Pattern[str]
    replace: Replace
    begins: tuple[str, ...] = ()
    holds: tuple[str, ...] = ()
    apart: bool = False

    def matches(self, text: str, lowered: str) -> Iterator[re.Match[str]]:
        """From left to right, none within another. `lowered` is the text in lower case, as long as itself."""
        if not self.begins:
            yield from self._compiled.finditer(text)
            return
        end = 0
        for at in places(lowered, self.begins):
            if self.apart and at and lowered[at - 1] in _LETTERS_AND_DIGITS:
                continue
            if at >= end and (match := self._compiled.match(text, at)):
                yield match
                end = match.end()

    def can_match(self, lowered: str) -> bool:
        """False where a look at the text shows that it has nothing for this rule."""
        return self.may_match(lowered) and _any_in(self.begins, lowered)

    def may_match(self, lowered: str) -> bool:
        return _any_in(self.holds, lowered)

    def ever_matches(self, text: str, lowered: str) -> bool:
        return self.may_match(lowered) and next(self.matches(text, lowered), None) is not None

    @property
    def _compiled(self) -> re.Pattern[str]:
        return self.pattern.compiled if isinstance(self.pattern, Expression) else self.pattern


def _any_in(needles: tuple[str, ...], text: str) -> bool:
    for needle in needles:
        if needle in text:
            return True
    return not needles


def places(text: str, begins: tuple[str, ...]) -> list[int]:
    """Where in the text one of these begins, in order."""
    found: list[int] = []
    for each in begins:
        at = text.find(each)
        while at >= 0:
            found.append(at)
            at = text.find(each, at + 1)
    found.sort()
    return found
