"""Whether a regular expression can take more than linear time: a repeat of what repeats, with nothing between that parts them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

_parser: Any = import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
_ALPHABET = frozenset(map(chr, range(32, 127))) | {"\t"}
_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "DIGIT": str.isdigit,
    "SPACE": str.isspace,
    "WORD": lambda each: each.isalnum() or each == "_",
}


def runaway(pattern: str) -> bool:
    """True for (a{1,9}){1,9} and (\\w{1,9},?){1,9}, False for (\\.\\w{1,9}){0,8}: the dot parts one round from the next."""
    return any(_repeats_a_repeat(body) for body in _repeated(_parser.parse(pattern)))


def _repeated(items: Any) -> Iterator[Any]:
    """The bodies of all that may come more than once."""
    for operation, value in items:
        if str(operation) in _REPEATS and value[1] > 1:
            yield value[2]
            for branch, ways in _flat(value[2]):
                if str(branch) == "BRANCH":
                    yield from ways[1]
        for inner in _inside(operation, value):
            yield from _repeated(inner)


def _inside(operation: Any, value: Any) -> list[Any]:
    name = str(operation)
    if name in _REPEATS:
        return [value[2]]
    if name == "SUBPATTERN":
        return [value[3]]
    return list(value[1]) if name == "BRANCH" else []


def _repeats_a_repeat(body: Any) -> bool:
    """Whether some part of it is of no fixed length, and no part that has to be there is apart from that one's characters."""
    items = list(_flat(body))
    loose = [
        value
        for operation, value in items
        if str(operation) in _REPEATS and value[0] != value[1] and value[1] > 1
    ]
    fixed = [
        _characters([(operation, value)])
        for operation, value in items
        if not (str(operation) in _REPEATS and value[0] == 0)
    ]
    return any(not any(part.isdisjoint(_characters(repeat[2])) for part in fixed if part) for repeat in loose)


def _flat(items: Any) -> Iterator[tuple[Any, Any]]:
    """Its parts in a row; a group is its parts."""
    for operation, value in items:
        if str(operation) == "SUBPATTERN":
            yield from _flat(value[3])
        else:
            yield operation, value


def _characters(items: Any) -> frozenset[str]:
    """Those that can stand in it."""
    found: frozenset[str] = frozenset()
    for operation, value in items:
        name = str(operation)
        if name == "LITERAL":
            found |= {chr(value)}
        elif name == "NOT_LITERAL":
            found |= _ALPHABET - {chr(value)}
        elif name == "ANY":
            found |= _ALPHABET
        elif name == "IN":
            found |= _set(value)
        else:
            for inner in _inside(operation, value):
                found |= _characters(inner)
    return found


def _set(members: Any) -> frozenset[str]:
    found: set[str] = set()
    for operation, value in members:
        name = str(operation)
        if name == "LITERAL":
            found.add(chr(value))
        elif name == "RANGE":
            found |= {chr(each) for each in range(value[0], min(value[1], 126) + 1)}
        elif name == "CATEGORY":
            wanted = str(value).removeprefix("CATEGORY_")
            told = _CATEGORIES[wanted.removeprefix("NOT_")]
            found |= {each for each in _ALPHABET if told(each) != wanted.startswith("NOT_")}
    negated = any(str(operation) == "NEGATE" for operation, _ in members)
    return _ALPHABET - found if negated else frozenset(found)
