"""Holds the matrix against the published wheels, cell by cell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tfdoctor.harvest.index import Wheel
from tfdoctor.harvest.wheels import Cells
from tfdoctor.light.records import record
from tfdoctor.matrix.cells import HARVESTED, Cell, Row, cell, rows
from tfdoctor.matrix.query import Matrix

EMPTY: tuple[Any, ...] = ({}, "", [])


@record
class Difference:
    """One cell, or with an empty `field` one whole row, that the wheels tell otherwise."""

    row: Row
    field: str
    matrix: str
    wheels: str

    def __str__(self) -> str:
        where = f"{self.row.distribution} {self.row.release} on {self.row.platform}"
        return f"{where}: {self.field or 'wheels'}: matrix {self.matrix}, published {self.wheels}"


@dataclass
class Outcome:
    """What one run compared. `unproven` counts the cells that no range read proves, by the name of their source.

    A page's cell of which the wheels tell a part (cuDNN 8 of 8.6) is compared and stays unproven.
    """

    compared: int = 0
    differences: list[Difference] = field(default_factory=list)
    unproven: dict[str, int] = field(default_factory=dict)


def selected(
    matrix: Matrix, releases: Iterable[str], distributions: Iterable[str], platforms: Iterable[str]
) -> list[Row]:
    """The matrix' rows of these releases, distributions and platforms; an empty selection means all."""
    wanted, names, systems = set(releases), set(distributions), set(platforms)
    return [
        row
        for row in rows(matrix.document["releases"])
        if (not wanted or row.release in wanted)
        and (not names or row.distribution in names)
        and (not systems or row.platform in systems)
    ]


def compare_rows(asked: Iterable[Row], published: Mapping[Row, list[Wheel]]) -> list[Difference]:
    """Rows of the matrix that have no published wheel any more."""
    return [Difference(row, "", "has this row", "no wheel") for row in asked if row not in published]


def compare(matrix: Matrix, harvested: Mapping[Row, Cells], outcome: Outcome) -> None:
    """Adds what comparing these rows gives to `outcome`."""
    document = matrix.document
    for row, cells in harvested.items():
        for name, usual in document["fields"].items():
            here = cell(document["releases"], document["fields"], row, name)
            proven = name in HARVESTED and (here.source == usual or cells.get(name) == here.value)
            if not proven and here.value not in (None, *EMPTY):
                outcome.unproven[here.source] = outcome.unproven.get(here.source, 0) + 1
            if name not in HARVESTED or (here.source != usual and cells.get(name) is None):
                continue
            outcome.compared += 1
            if not same(here, usual, cells.get(name)):
                outcome.differences.append(Difference(row, name, _shown(here.value), _shown(cells.get(name))))


def same(here: Cell, usual: str, published: Any) -> bool:
    """Whether a cell agrees with the wheels. One from elsewhere may be more precise: 8.6 where the header says 8."""
    if here.source != usual and isinstance(here.value, str) and isinstance(published, str):
        return f"{here.value}.".startswith(f"{published}.")
    empty = here.value in (None, *EMPTY)
    return empty == (published in (None, *EMPTY)) and (empty or here.value == published)


def _shown(value: Any) -> str:
    return "nothing" if value in (None, *EMPTY) else str(value)
