"""How often a regular expression can go back in a line: the most steps that it takes from one place, if in the end nothing matches.

They are counted, not measured: in texts made of the pattern's own parts every way of reading is followed, and ways that meet at
one place go on as one with their number.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

FILE = Path(__file__)
MOST_STEPS = 8_000
"""Of the patterns of 2026-11 the most is 7,928; (a{1,9}){1,9} takes millions, \\w{0,200}\\w{0,200} 10,000 in a text of LENGTH."""
LENGTH = 100
_parser: Any = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_ALPHABET = frozenset(map(chr, range(32, 127))) | {"\t", "é"}
_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "DIGIT": str.isdigit,
    "SPACE": str.isspace,
    "WORD": lambda each: each.isalnum() or each == "_",
}
Part = Any
"""The characters that stand at one place; or a list of branches; or (least, most, what is repeated)."""
Ways = dict[int, int]
"""The places that are reached in a text, and in how many ways."""


class _TooManyError(Exception):
    pass


def explodes(pattern: str) -> str:
    """The beginning of a text in which the pattern takes more than MOST_STEPS from one place; "" for none."""
    parts = _parts(_parser.parse(pattern))
    repeats = [body for _, body in _repeats(parts)]
    if len(repeats) < 2 and all(
        len(body) == 1 and isinstance(body[0], frozenset) for body in repeats
    ):
        return ""
    for text in dict.fromkeys(_texts(parts)):
        steps = [0]
        try:
            _reached(parts, text, {0: 1}, steps)
        except _TooManyError:
            return text[:20]
    return ""


def too_many_ways(pattern: str) -> str:
    """Why a form that explodes is refused; "" for a good one."""
    text = explodes(pattern)
    why = "let no branch and no repeat take what its neighbor takes"
    return text and f"the pattern can be matched in too many ways against {text!r}: {why}"


def _parts(items: Any) -> list[Part]:
    found: list[Part] = []
    for operation, value in items:
        name = str(operation)
        if name in _REPEATS:
            found.append((value[0], value[1], _parts(value[2])))
        elif name == "SUBPATTERN":
            found += _parts(value[3])
        elif name == "BRANCH":
            found.append([_parts(each) for each in value[1]])
        elif name != "AT":
            found.append(_characters([(operation, value)] if name != "IN" else value))
    return found


def _characters(members: Any) -> frozenset[str]:
    """Those of a class, or of one literal."""
    found: set[str] = set()
    for operation, value in members:
        name = str(operation)
        if name == "LITERAL":
            found.add(chr(value))
        elif name == "NOT_LITERAL":
            found |= _ALPHABET - {chr(value)}
        elif name == "ANY":
            found |= _ALPHABET
        elif name == "RANGE":
            found |= {chr(each) for each in range(value[0], min(value[1], 126) + 1)}
        elif name == "CATEGORY":
            wanted = str(value).removeprefix("CATEGORY_")
            told = _CATEGORIES[wanted.removeprefix("NOT_")]
            found |= {each for each in _ALPHABET if told(each) != wanted.startswith("NOT_")}
    negated = any(str(operation) == "NEGATE" for operation, _ in members)
    return _ALPHABET - found if negated else frozenset(found)


def _reached(parts: list[Part], text: str, ways: Ways, steps: list[int]) -> Ways:
    """The places behind these parts. Raises _TooManyError."""
    for part in parts:
        if isinstance(part, frozenset):
            ways = {at + 1: ways[at] for at in ways if at < len(text) and text[at] in part}
            steps[0] += sum(ways.values())
            if steps[0] > MOST_STEPS:
                raise _TooManyError
        elif isinstance(part, list):
            ways = _joined(_reached(branch, text, ways, steps) for branch in part)
        else:
            ways = _joined(_rounds(part, text, ways, steps))
        if not ways:
            break
    return ways


def _rounds(part: Part, text: str, ways: Ways, steps: list[int]) -> Iterator[Ways]:
    least, most, body = part
    for done in range(min(most, len(text)) + 1):
        if done:
            ways = _reached(body, text, ways, steps)
        if not ways:
            return
        if done >= least:
            yield ways


def _joined(several: Iterator[Ways]) -> Ways:
    found: Ways = {}
    for ways in several:
        for at, number in ways.items():
            found[at] = found.get(at, 0) + number
    return found


def _texts(parts: list[Part]) -> Iterator[str]:
    """For each repeat what leads to it, and then what it takes, over and over."""
    told_apart: dict[tuple[bool, ...], str] = {}
    classes = list(dict.fromkeys(_classes(parts)))
    for each in sorted(frozenset().union(*classes)):
        told_apart.setdefault(tuple(each in one for one in classes), each)
    for lead, body in _repeats(parts):
        first = body[0]
        if len(body) == 1 and isinstance(first, frozenset):
            units = [each for each in told_apart.values() if each in first]
        else:
            units = [
                _sample(body),
                *(_sample(each) for part in body if isinstance(part, list) for each in part),
            ]
        for unit in filter(None, units):
            yield lead + unit * (LENGTH // len(unit) + 1)


def _classes(parts: list[Part]) -> Iterator[frozenset[str]]:
    for part in parts:
        if isinstance(part, frozenset):
            yield part
        else:
            for inner in part if isinstance(part, list) else [part[2]]:
                yield from _classes(inner)


def _repeats(parts: list[Part], lead: str = "") -> Iterator[tuple[str, list[Part]]]:
    """What may come more than once, each with a text that leads to it."""
    for part in parts:
        if isinstance(part, list):
            for branch in part:
                yield from _repeats(branch, lead)
        elif isinstance(part, tuple):
            yield from _repeats(part[2], lead)
            if part[1] > 1:
                yield lead, part[2]
        lead += _sample([part])


def _sample(parts: list[Part]) -> str:
    """A text that these parts take; what is optional stands in it once."""
    found = ""
    for part in parts:
        if isinstance(part, frozenset):
            found += next((each for each in "a0 -./" if each in part), min(part, default=""))
        elif isinstance(part, list):
            found += _sample(part[0])
        else:
            found += _sample(part[2]) * max(part[0], 1)
    return found
