"""One run of `matrix verify`: reads the wheels of the chosen rows and says what differs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from tfdoctor.harvest.index import Index, Wheel
from tfdoctor.harvest.verify import Outcome, compare, compare_rows
from tfdoctor.harvest.wheels import Read, Unreadable, by_row, harvest
from tfdoctor.light.printable import printable
from tfdoctor.matrix.cells import Row
from tfdoctor.matrix.query import Matrix


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
            named = ", ".join(f"{count} from {name}" for name, count in sorted(self.outcome.unproven.items()))
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
                {**each.row._asdict(), "field": each.field, "matrix": each.matrix, "published": each.wheels}
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
    matrix: Matrix,
    chosen: list[Row],
    progress: Callable[[Read | Unreadable], None],
    index: Index | None = None,
) -> Verification:
    """What the wheels of the chosen rows tell. Raises MatrixError where the index itself can't be asked."""
    index = index or Index()
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
