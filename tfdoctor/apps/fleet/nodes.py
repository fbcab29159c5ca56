"""Names of nodes as cluster people write them: n[1-3,7], by ClusterShell."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from ClusterShell.NodeSet import RESOLVER_NOGROUP, NodeSet, NodeSetException

_NUMBERED = re.compile(
    r"([A-Za-z_](?:[A-Za-z0-9_.-]*[A-Za-z_.-])?|(?:\d+\.)+)?(\d+)([A-Za-z_.-]+)?"
)


class NodesError(ValueError):
    """A list of nodes that can't be read; the message says why."""


def fold(names: Iterable[str]) -> str:
    """The names in one text that `expand` reads, folded along their last number; any other name stands as it is.

    NodeSet would take a minute for 2,000 names with four random numbers each, and RangeSet 25 MB for 100,000 names.
    """
    numbers: dict[tuple[str, str], list[str]] = defaultdict(list)
    others = []
    for name in names:
        found = _NUMBERED.fullmatch(name)
        if found and len(found[2]) <= 18:
            numbers[found[1] or "", found[3] or ""].append(found[2])
        else:
            others.append(name)
    folded = [
        f"{before}[{_ranges(each)}]{after}" if len(each) > 1 else f"{before}{each[0]}{after}"
        for (before, after), each in sorted(numbers.items())
    ]
    return ",".join(folded + sorted(others))


def _ranges(numbers: list[str]) -> str:
    """The numbers as "1-3,7"; leading zeros are part of a name."""
    spans: list[list[str]] = []
    for number in sorted(sorted(numbers), key=len):
        if (
            spans
            and int(number) == int(spans[-1][-1]) + 1
            and (len(number) == len(spans[-1][0]) or "0" not in (number[0], spans[-1][0][0]))
        ):
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return ",".join(map("-".join, spans))


def expand(text: str) -> list[str]:
    """The names in a list such as "n[1-3],m7". Raises NodesError."""
    try:
        return [str(name) for name in NodeSet(text, resolver=RESOLVER_NOGROUP)]
    except NodeSetException as error:
        raise NodesError(str(error)) from error


def natural(name: str) -> list[tuple[int, int, str]]:
    """A key that sorts n2 before n10."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d{1,18})", name)
    ]
