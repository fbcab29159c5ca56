"""Texts on which a regular expression takes longest, made from the expression itself.

A backtracking matcher is slow where it can begin at many places, or part a run in many ways, and fails late. So for
each repetition in the expression there are texts that fill it: what leads to it once and a long run of what it takes;
both over and over; and each of these with an end that nothing takes. Runs of what texts are made of come beside them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

# The parser that `re` itself uses; it has no public name.
parser: Any = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
codes: Any = import_module("re._constants" if sys.version_info >= (3, 11) else "sre_constants")

LONG = 32  # a repetition that may take so many counts as endless
_CANDIDATES = [chr(number) for number in range(1, 0x250)] + ["“", "\u2028", "\ue000", "\U000e0001"]
_ENDS = ("", "\x00", "\n")
_PLAIN = ("a", "0", " ", "-", ".", "/", ":", "=", "_", "\t", "\n", '"', "'", "\\", "~", "@", "\x1b", "<", "A1", "a.",
          "a-", "0.", "a:", "a=", "a@", "a/", "/a", "ab: ", "a,b;", "://a", "secret", "token=")  # fmt: skip


def worst_texts(pattern: str | bytes, flags: int, length: int) -> Iterator[str]:
    """Texts of about `length` characters, each once."""
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    tree = parser.parse(text, flags & ~re.UNICODE if isinstance(pattern, bytes) else flags)
    ends = [
        *_ENDS,
        *_forbidden(tree),
        *[char for char in dict.fromkeys(_literals(tree)) if not char.isalnum()][:6],
    ]
    seen: set[str] = set()
    bodies: list[tuple[str, Sequence[str]]] = [(_filled(plain, length), _ENDS) for plain in _PLAIN]
    for lead, pump in _pumps(tree, ""):
        bodies += [(lead + _filled(pump, length), ends), (_filled(lead + pump, length), ends)]
    for body, its_ends in bodies:
        for end in its_ends:
            if body + end not in seen:
                seen.add(body + end)
                yield body + end


def _filled(unit: str, length: int) -> str:
    return unit * (length // len(unit)) if unit else ""


def _pumps(tree: Any, lead: str) -> Iterator[tuple[str, str]]:
    """What leads to each endless repetition, and what fills it."""
    for kind, told in tree:
        if kind in _repeats():
            least, most, inside = told
            yield from _pumps(inside, lead)
            if most >= LONG:
                for unit in _units(inside):
                    yield lead, unit
            lead += _sample(inside) * least
            continue
        for inside in _inner(kind, told):
            yield from _pumps(inside, lead)
        if kind not in (codes.ASSERT, codes.ASSERT_NOT):
            lead += _sample_of(kind, told)
    yield "", lead  # the whole of it, again and again


def _forbidden(tree: Any) -> Iterator[str]:
    """What the expression must not find further on: with it at the end of the text nothing matches."""
    for kind, told in tree:
        if kind is codes.ASSERT_NOT and told[0] > 0:
            yield _sample(told[1])
        for inside in [told[2]] if kind in _repeats() else _inner(kind, told):
            yield from _forbidden(inside)


def _literals(tree: Any) -> Iterator[str]:
    """The characters that stand in the expression, also where it is said what it does not take."""
    for kind, told in tree:
        if kind in (codes.LITERAL, codes.NOT_LITERAL):
            yield chr(told)
        elif kind is codes.IN:
            yield from _literals([part for part in told if part[0] is codes.LITERAL])
        elif kind in _repeats():
            yield from _literals(told[2])
        else:
            for inside in _inner(kind, told):
                yield from _literals(inside)


def _repeats() -> tuple[Any, ...]:
    return (
        codes.MAX_REPEAT,
        codes.MIN_REPEAT,
        getattr(codes, "POSSESSIVE_REPEAT", codes.MAX_REPEAT),
    )


def _inner(kind: Any, told: Any) -> list[Any]:
    if kind is codes.SUBPATTERN:
        return [told[-1]]
    if kind is codes.BRANCH:
        return list(told[1])
    if kind in (codes.ASSERT, codes.ASSERT_NOT):
        return [told[1]]
    return []


def _units(inside: Any) -> list[str]:
    """Up to four different fillings: the first, a middle and the last character of a class, and a mixture."""
    if len(inside) == 1 and inside[0][0] in (codes.IN, codes.ANY, codes.NOT_LITERAL, codes.LITERAL):
        taken = _characters(*inside[0])
        told = [char for char in " a0A-./:=\"'_" if char in taken] or taken[:1]
        return [*dict.fromkeys([*told[:4], told[-1], "".join(told[:2])])]
    return [_sample(inside)] if _sample(inside) else []


def _characters(kind: Any, told: Any) -> list[str]:
    one = parser.SubPattern(parser.State(), [(kind, told)])
    expression = re.compile(_rebuilt(one), re.DOTALL)
    return [char for char in _CANDIDATES if expression.fullmatch(char)]


def _rebuilt(one: Any) -> str:
    """A class as an expression of its own."""
    kind, told = one[0]
    if kind is codes.ANY:
        return "."
    if kind is codes.LITERAL:
        return re.escape(chr(told))
    if kind is codes.NOT_LITERAL:
        return f"[^{re.escape(chr(told))}]"
    parts = []
    for part, value in told:
        parts.append(_class_part(part, value))
    return "[" + "".join(parts) + "]"


def _class_part(part: Any, value: Any) -> str:
    if part is codes.NEGATE:
        return "^"
    if part is codes.LITERAL:
        return re.escape(chr(value))
    if part is codes.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    names: dict[Any, str] = {
        codes.CATEGORY_DIGIT: r"\d", codes.CATEGORY_NOT_DIGIT: r"\D", codes.CATEGORY_SPACE: r"\s",
        codes.CATEGORY_NOT_SPACE: r"\S", codes.CATEGORY_WORD: r"\w", codes.CATEGORY_NOT_WORD: r"\W",
    }  # fmt: skip
    return names[value]


def _sample(tree: Any) -> str:
    return "".join(_sample_of(kind, told) for kind, told in tree)


def _sample_of(kind: Any, told: Any) -> str:
    """A text that this part takes; "" for what takes none."""
    if kind is codes.LITERAL:
        return chr(told)
    if kind in (codes.IN, codes.ANY, codes.NOT_LITERAL):
        taken = _characters(kind, told)
        return next((char for char in "a0 -./" if char in taken), taken[0] if taken else "")
    if kind is codes.SUBPATTERN:
        return _sample(told[-1])
    if kind is codes.BRANCH:
        return _sample(told[1][0])
    if kind in _repeats():
        return _sample(told[2]) * max(int(told[0]), min(int(told[1]), 1))
    return ""
