"""The matrix file's layout: how a cell is looked up in it.

A release's field is a series: `{2.3.0: "10.1", 2.4.0: "11.0"}` holds from each named release on until the next
one, in the order of the distribution's `order`. A platform's own series goes before that of `every` platform.
A value is plain, or `{is: value, source: name, disagrees: text}` where its source is not the field's usual one;
`null` says that nobody knows. `requires` and `and_cuda` hold one series for each package, where `null` means
that it is not required.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

EVERY = "every"
ORDER = "order"
RELEASES = "releases"
MAPS = ("requires", "and_cuda")
HARVESTED = (
    "gpu", "python", "glibc", "cuda", "cudnn", "nccl", "gencode", "sass", "ptx", "requires", "requires_by_python",
    "and_cuda", "stub_for",
)  # fmt: skip
"""What a few range reads of each wheel tell, and `verify` can therefore prove."""
WHOLE_WHEELS = (
    "ptx_isa",
    "ptx_target",
    "ptx_isa_compiled",
    "sass_incomplete",
    "sonames",
    "sonames_optional",
)
"""What takes whole wheels or running them."""
FIELDS = (*HARVESTED, *WHOLE_WHEELS)


class Cell(NamedTuple):
    """A value as the file holds it (None: unknown), the name of its source, and who says otherwise."""

    value: Any
    source: str
    disagrees: str = ""


class Row(NamedTuple):
    """One release of one distribution on one platform."""

    release: str
    distribution: str
    platform: str


class Order(dict[str, float]):
    """The place of each release of `order`. A release that somebody took out of the list has the place that its
    version gives it, so that what is stated of it still parts what came before it from what came after.
    """

    def __init__(self, order: Iterable[str]) -> None:
        super().__init__({release: float(index) for index, release in enumerate(order)})

    def __missing__(self, release: str) -> float:
        from packaging.version import Version

        older = [index for known, index in self.items() if Version(known) < Version(release)]
        return max(older, default=-1.0) + 0.5


def rows(releases: Mapping[str, Any]) -> Iterator[Row]:
    """Every row of the file's `releases`, oldest first within a platform."""
    for distribution, block in releases.items():
        for platform, own in block.items():
            if platform not in (ORDER, EVERY):
                yield from (Row(release, distribution, platform) for release in own[RELEASES])


def cell(releases: Mapping[str, Any], usual: Mapping[str, str], row: Row, field: str) -> Cell:
    """The cell of `field` in `row`, which must exist; `usual` names each field's source."""
    return cells(releases, usual, row, (field,))[field]


def cells(
    releases: Mapping[str, Any], usual: Mapping[str, str], row: Row, fields: Iterable[str] = FIELDS
) -> dict[str, Cell]:
    """The cells of several fields in one row."""
    block = releases[row.distribution]
    position = Order(block[ORDER])
    own, every = block[row.platform], block.get(EVERY, {})
    found = {}
    for field in fields:
        if field in MAPS:
            packages = {**every.get(field, {}), **own.get(field, {})}
            found[field] = _map_cell(packages, position, row.release, usual[field])
        else:
            series = own[field] if field in own else every.get(field, {})
            found[field] = _value(at(series, position, row.release), usual[field])
    return found


def _map_cell(
    packages: Mapping[str, Any], position: Mapping[str, float], release: str, usual: str
) -> Cell:
    found = {
        name: _value(at(series, position, release), usual) for name, series in packages.items()
    }
    needed = {name: here for name, here in sorted(found.items()) if here.value is not None}
    others = [here for here in needed.values() if here.source != usual or here.disagrees]
    source = others[0].source if others else usual
    disagreements = "; ".join(here.disagrees for here in others if here.disagrees)
    return Cell({name: here.value for name, here in needed.items()}, source, disagreements)


def at(series: Mapping[str, Any], position: Mapping[str, float], release: str) -> Any:
    """The series' value in force at `release`; None before its first."""
    here, best, value = position[release], -1.0, None
    for since, stated in series.items():
        if best < position[since] <= here:
            best, value = position[since], stated
    return value


def _value(stated: Any, usual: str) -> Cell:
    if isinstance(stated, dict) and "is" in stated:
        return Cell(stated["is"], stated.get("source", usual), stated.get("disagrees", ""))
    return Cell(stated, usual)
