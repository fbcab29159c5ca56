"""Which TensorFlow works on which GPU, and the lowest driver for it: as `plan` judges it, drawn from the matrix."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from packaging.version import Version

from tfdoctor.base.records import record
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.versions import ComputeCapability, DriverRelease
from tfdoctor.fix.architecture import Service, fit
from tfdoctor.fix.machine import Machine
from tfdoctor.fix.plan import Option, code_of, weigh
from tfdoctor.knowledge.matrix.model import Release
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.say.view import Compatibility, GpuRow, Run, Section, View

_PLATFORM = "linux_x86_64"
_ANY = Failed("any driver", "not-asked")
_NOT_ASKED = Absent("it is not asked for")
_WORDS = {
    "works": "works",
    "compiled": "works; kernels are compiled at first use",
    "unproven": "untested",
    "no": "doesn't work",
}


@record
class _Cell:
    state: str
    driver: str = ""


def compatibility_view(matrix: Matrix) -> View:
    return View(
        program="tfdoctor matrix show", verdict=f"matrix {matrix.version}", tone="healthy",
        headline="The TensorFlow versions that work on each GPU, and the lowest driver",
        sections=(Section("", (compatibility(matrix),), paged=True),),
        footer=f"matrix {matrix.version} ({matrix.origin})",
    )  # fmt: skip


def compatibility(matrix: Matrix) -> Compatibility:
    """The newest patch of each minor version, the newest first, as the GPUs."""
    releases = _newest_patches(matrix)
    versions = tuple(each.minor for each in releases)
    return Compatibility(versions, tuple(_rows(matrix, releases, versions)))


def _newest_patches(matrix: Matrix) -> list[Release]:
    found: dict[tuple[int, ...], Release] = {}
    for release in matrix.releases(_PLATFORM):
        version = Version(release.tensorflow)
        if not version.is_prerelease:
            found.setdefault(version.release[:2], release)
    return [found[each] for each in sorted(found, reverse=True)]


def _rows(matrix: Matrix, releases: list[Release], versions: tuple[str, ...]) -> Iterator[GpuRow]:
    names: dict[str, list[str]] = matrix.document["gpus"]["names"]
    for text in sorted(names, key=lambda each: ComputeCapability(each).numbers, reverse=True):
        gpu = ComputeCapability(text)
        drivers = matrix.gpu_drivers(gpu, names[text][0])
        if isinstance(drivers, Known) and drivers.value.platform:  # a board with a CPU of its own
            continue
        cells = [_cell(matrix, gpu, release) for release in releases]
        generation = matrix.gpu_drivers(gpu)
        yield GpuRow(
            text, generation.value.name if isinstance(generation, Known) else "", tuple(names[text]), tuple(_runs(cells, versions))
        )  # fmt: skip


def _cell(matrix: Matrix, gpu: ComputeCapability, release: Release) -> _Cell:
    """Judged with the lowest driver that serves build, PTX and GPU."""
    served = fit(gpu, code_of(release), _ANY, matrix, "linux")
    needed = (
        [matrix.driver_floor(release.cuda.value, "linux")]
        if isinstance(release.cuda, Known)
        else []
    )
    needed += [served.value.driver_needed] if isinstance(served, Known) else []
    drivers = matrix.gpu_drivers(gpu)
    needed += [drivers.value.first] if isinstance(drivers, Known) else []
    lowest = max((each.value for each in needed if isinstance(each, Known)), default=None)
    if lowest is None:
        return _Cell("no")
    verdict = weigh(release, _machine(gpu, lowest), matrix)
    if not isinstance(verdict, Option):
        return _Cell("no")
    if not verdict.proven:
        return _Cell("unproven", str(lowest))
    compiled = any(each.service is Service.COMPILED for each in verdict.fit)
    return _Cell("compiled" if compiled else "works", str(lowest))


def _machine(gpu: ComputeCapability, driver: DriverRelease) -> Machine:
    said = "the chart"
    return Machine(_PLATFORM, _ANY, _ANY, Known(driver, said), Known((gpu,), said), _NOT_ASKED)


def _runs(cells: list[_Cell], versions: tuple[str, ...]) -> Iterator[Run]:
    """Neighboring versions with the same answer."""
    first = 0
    for cell, same in groupby(cells):
        count = len(list(same))
        last = first + count - 1
        span = versions[first] if count == 1 else f"{versions[last]}–{versions[first]}"
        yield Run(first, count, span, cell.state, cell.driver, _WORDS[cell.state])
        first = last + 1
