"""Holds the matrix against the published wheels, cell by cell."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tfdoctor.base.printable import printable
from tfdoctor.base.records import record
from tfdoctor.knowledge.matrix.cells import HARVESTED, Cell, Row, cell, rows
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.matrix.wheels.index import Index, Wheel
from tfdoctor.knowledge.matrix.wheels.read import Cells, Read, Unreadable, by_row, harvest

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
    return [
        Difference(row, "", "has this row", "no wheel") for row in asked if row not in published
    ]


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
                outcome.differences.append(
                    Difference(row, name, _shown(here.value), _shown(cells.get(name)))
                )


def same(here: Cell, usual: str, published: Any) -> bool:
    """Whether a cell agrees with the wheels. One from elsewhere may be more precise: 8.6 where the header says 8."""
    if here.source != usual and isinstance(here.value, str) and isinstance(published, str):
        return f"{here.value}.".startswith(f"{published}.")
    empty = here.value in (None, *EMPTY)
    return empty == (published in (None, *EMPTY)) and (empty or here.value == published)


def _shown(value: Any) -> str:
    return "nothing" if value in (None, *EMPTY) else str(value)


@dataclass
class Verification:
    """What a run found. `received` counts bytes over the network."""

    matrix: str
    rows: int
    outcome: Outcome
    wheels: int = 0
    received: int = 0
    unreadable: list[Unreadable] = field(default_factory=list)
    yanked: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """1: something differs or is damaged; 3: nothing is, but not everything could be read; else 0."""
        if self.outcome.differences or any(each.damaged for each in self.unreadable):
            return 1
        return 3 if self.unreadable else 0

    def to_text(self) -> str:
        """One line for each difference and each wheel that could not be read, then the sums."""
        unproven = sum(self.outcome.unproven.values())
        lines = [
            *(str(each) for each in self.outcome.differences),
            *(
                f"{'damaged' if each.damaged else 'not read'}: {each.wheel.filename}: {each.error}"
                for each in self.unreadable
            ),
            *(f"yanked: {name}" for name in self.yanked),
            f"{self.outcome.compared} cells of {self.rows} rows compared with {self.wheels} wheels"
            f" ({self.received / 1e6:.0f} MB read): {len(self.outcome.differences)} differences",
        ]
        if unproven:
            named = ", ".join(
                f"{count} from {name}" for name, count in sorted(self.outcome.unproven.items())
            )
            lines.append(f"{unproven} cells are from elsewhere and not provable by wheels: {named}")
        return "".join(printable(line) + "\n" for line in lines)

    def to_json(self) -> str:
        found = {
            "matrix": self.matrix,
            "rows": self.rows,
            "wheels": self.wheels,
            "bytes_read": self.received,
            "cells_compared": self.outcome.compared,
            "differences": [
                {
                    **each.row._asdict(),
                    "field": each.field,
                    "matrix": each.matrix,
                    "published": each.wheels,
                }
                for each in self.outcome.differences
            ],
            "not_provable": self.outcome.unproven,
            "not_read": [
                {"wheel": each.wheel.filename, "error": each.error, "damaged": each.damaged}
                for each in self.unreadable
            ],
            "yanked": self.yanked,
        }
        return json.dumps(found, indent=1) + "\n"


def verify_wheels(
    matrix: Matrix, chosen: list[Row], progress: Callable[[Read | Unreadable], None]
) -> Verification:
    """What the wheels of the chosen rows tell. Raises MatrixError where the index itself can't be asked."""
    index = Index()
    published: dict[Row, list[Wheel]] = {}
    for distribution in dict.fromkeys(row.distribution for row in chosen):
        published.update(by_row(distribution, index.wheels(distribution)))
    asked = {row: published[row] for row in chosen if row in published}
    wheels = [wheel for each in asked.values() for wheel in each]
    result = Verification(matrix.version, len(chosen), Outcome(), wheels=len(wheels))

    def note(each: Read | Unreadable) -> None:
        if isinstance(each, Read):
            result.received += each.received
        progress(each)

    harvested, result.unreadable = harvest(index.session, asked, note)
    result.yanked = [wheel.filename for wheel in wheels if wheel.yanked]
    result.outcome.differences += compare_rows(chosen, published)
    compare(matrix, harvested, result.outcome)
    return result
