"""What sets a group of nodes apart from those that work, by rules that a person can follow.

An item (a fact or a part of it) separates where 90 % of the group or more and 5 % of the reference or less have a value, or
the reverse; values that have an order are parted by one cut ("older than 525"). What the cause's own evidence names comes
first, then what `diff` calls decisive. Items on the same nodes are one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any, ClassVar

from tfdoctor.apps.fleet.reports import Items
from tfdoctor.base.records import record
from tfdoctor.report.difference import NONE, UNKNOWN, Weight, weight_of

MOST, FEW = 0.9, 0.05
_ENOUGH = 3  # nodes of a group that a single difference explains likely
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
UNNAMED = 1 << 20
_WEIGHTS = list(Weight)


@record
class Odd:
    """`with_others` and `rivals`: how many other items part the same nodes, and how many part others."""

    JSON: ClassVar = (
        "fact value others in_group in_reference weight confidence with=with_others rivals"
    )

    fact: str
    value: str
    others: str
    in_group: tuple[int, int]
    in_reference: tuple[int, int]
    weight: str
    confidence: str
    with_others: int = 0
    rivals: int = 0


@record(eq=False)
class Candidate:
    """Nodes that have one of `numbers` (or, `absent`, none of them) are those that the value holds of.

    named: its place among the pieces of evidence; `UNNAMED` where none names it.
    """

    fact: str
    value: str
    others: str
    numbers: frozenset[int]
    absent: bool
    in_group: tuple[int, int]
    in_reference: tuple[int, int]
    weight: Weight
    named: int

    @property
    def rank(self) -> tuple[Any, ...]:
        share = self.in_group[0] / self.in_group[1] - self.in_reference[0] / self.in_reference[1]
        return (self.named, _WEIGHTS.index(self.weight), -share, "[" in self.fact, self.fact)


def candidates(
    items: Items,
    group: Counter[int],
    size: int,
    reference: Counter[int],
    others: int,
    named: Collection[tuple[str, str]],
) -> list[Candidate]:
    """The items that separate a group of `size` reports from a reference of `others`; for each fact the clearest."""
    found: list[Candidate] = []
    for (path, part), values in items.of_part.items():
        if (path, part) in items.varied:
            continue
        table = _table(values, group, size, reference, others)
        best = (
            _single(table, size, others)
            or _cut(table, size, others)
            or _reverse(table, size, others)
        )
        if best is None:
            continue
        value, numbers, absent, here, there = best
        usual = max(table, key=lambda row: row[2])[0]
        found.append(Candidate(
            f"{path}{part}", value, usual, numbers, absent, (here, size), (there, others),
            weight_of(path, part), next((place for place, seen in enumerate(named) if _names(seen, path, part)), UNNAMED),
        ))  # fmt: skip
    return sorted(found, key=lambda each: each.rank)


def _names(seen: tuple[str, str], path: str, part: str) -> bool:
    """Whether a piece of evidence (fact, what was observed) is of this item: of a list it has to quote the part."""
    fact, observed = seen
    if not part:
        return fact == path or fact.startswith(f"{path}.")
    return fact == f"{path}{part}" or (fact == path and part[1:-1] in observed)


Best = tuple[str, frozenset[int], bool, int, int]


def _table(
    values: dict[str, int], group: Counter[int], size: int, reference: Counter[int], others: int
) -> list[tuple[str, int, int, frozenset[int], bool]]:
    """(value, in the group, in the reference, its numbers, whether it is that there is none) of each value."""
    table = [
        (value, group[number], reference[number], frozenset({number}), False)
        for value, number in values.items()
        if group[number] or reference[number]
    ]
    lacking = (size - sum(row[1] for row in table), others - sum(row[2] for row in table))
    if table and any(lacking):
        table.append((NONE, *lacking, frozenset(values.values()), True))
    return table


def _single(table: list[Any], size: int, others: int) -> Best | None:
    rows = [
        row
        for row in table
        if row[1] >= MOST * size and row[2] <= FEW * others and not row[0].startswith(UNKNOWN)
    ]
    return next(
        ((value, numbers, absent, here, there) for value, here, there, numbers, absent in rows),
        None,
    )


def _reverse(table: list[Any], size: int, others: int) -> Best | None:
    """What nearly all others have and the group lacks."""
    for value, here, there, numbers, absent in table:
        if here <= FEW * size and there >= MOST * others and not value.startswith(UNKNOWN):
            return f"not {value}", numbers, not absent, size - here, others - there
    return None


def _cut(table: list[Any], size: int, others: int) -> Best | None:
    """The best single cut through values that have an order: versions and numbers."""
    ordered = [(order_of(value), value, here, there, numbers) for value, here, there, numbers, absent in table
               if not absent and order_of(value)]  # fmt: skip
    if len(ordered) < 3 or sum(row[2] for row in ordered) < MOST * size:
        return None
    ordered.sort()
    best: tuple[float, Best] | None = None
    for place in range(1, len(ordered)):
        for low in (True, False):
            side = ordered[:place] if low else ordered[place:]
            here, there = sum(row[2] for row in side), sum(row[3] for row in side)
            gain = here / size - there / others
            if here >= MOST * size and there <= FEW * others and (best is None or gain > best[0]):
                version = "." in ordered[place][1] or "." in ordered[place - 1][1]
                words = ("older than", "newer than") if version else ("less than", "more than")
                edge = ordered[place][1] if low else ordered[place - 1][1]
                numbers = frozenset().union(*(row[4] for row in side))
                best = (gain, (f"{words[not low]} {edge}", numbers, False, here, there))
    return best[1] if best else None


def order_of(value: str) -> tuple[int, ...]:
    """A version or a number as something that can be compared; () for any other text."""
    ordered = len(value) < 40 and value.isascii() and _NUMBER.fullmatch(value)
    return tuple(int(part) for part in value.split(".")) if ordered else ()


def odd_ones(found: list[Candidate], prints: list[int], size: int) -> Iterator[Odd]:
    """One for each set of nodes. `prints` are equal where candidates hold of the same nodes."""
    leaders: dict[int, Candidate] = {}
    for candidate, print_of in zip(found, prints, strict=True):
        leaders.setdefault(print_of, candidate)
    counts = Counter(prints)
    rivals = len(leaders) - 1
    for print_of, lead in leaders.items():
        certain = lead.named != UNNAMED
        likely = not rivals and size >= _ENOUGH
        yield Odd(
            lead.fact, lead.value, lead.others, lead.in_group, lead.in_reference, lead.weight.value,
            "certain" if certain else "likely" if likely else "possible", counts[print_of] - 1, rivals,
        )  # fmt: skip
