"""The document's releases and tables as the typed values of model.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from tfdoctor.base.expressions import Expression
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.facts.versions import (
    ComputeCapability,
    CudaRelease,
    CudnnRelease,
    DriverRelease,
    GlibcRelease,
    PtxRelease,
    PythonRelease,
)
from tfdoctor.knowledge.matrix.cells import ORDER, WHOLE_WHEELS, Cell, Order, Row, at, cells
from tfdoctor.knowledge.matrix.model import (
    Beside,
    Container,
    CudaSupport,
    CudnnBug,
    CudnnSupport,
    Defect,
    NvidiaWheel,
    Pair,
    Release,
    Requirement,
    Requirements,
    Source,
    unknown,
)

T = TypeVar("T")

NO_CUDA = "this build has no CUDA"
EMPTY = {
    "and_cuda": "this release has no and-cuda extra",
    "requires_by_python": "its requirements are the same for every Python",
    "stub_for": "the wheel holds TensorFlow itself",
}
"""What an empty value of a field means; elsewhere an empty list is an answer."""
CUDA_FIELDS = ("cuda", "cudnn", "nccl", "sass", "ptx", *WHOLE_WHEELS)


def release_of(document: Mapping[str, Any], sources: Mapping[str, Source], row: Row) -> Release:
    """The release of `row`, which must exist in the document."""
    found = cells(document["releases"], document["fields"], row)
    gpu = found["gpu"].value

    def fact(name: str, convert: Callable[[Any], T]) -> Fact[T]:
        if gpu is False and name in CUDA_FIELDS:
            return Absent(NO_CUDA)
        if name == "glibc" and not row.platform.startswith("linux"):
            return Absent("not a Linux wheel")
        return _fact(row, name, found[name], sources, convert)

    return Release(
        *row,
        gpu=fact("gpu", bool),
        python=fact("python", _each(PythonRelease)),
        glibc=fact("glibc", GlibcRelease),
        cuda=fact("cuda", CudaRelease),
        cudnn=fact("cudnn", CudnnRelease),
        nccl=fact("nccl", str),
        sass=fact("sass", _each(ComputeCapability)),
        ptx=fact("ptx", _each(ComputeCapability)),
        ptx_isa=fact("ptx_isa", PtxRelease),
        ptx_target=fact("ptx_target", str),
        ptx_isa_compiled=fact("ptx_isa_compiled", PtxRelease),
        sass_incomplete=fact("sass_incomplete", _each(ComputeCapability)),
        sonames=fact("sonames", _each(str)),
        sonames_optional=fact("sonames_optional", _each(str)),
        requires=fact("requires", requirements),
        requires_by_python=fact("requires_by_python", _by_python),
        and_cuda=fact("and_cuda", requirements),
        stub_for=fact("stub_for", str),
        sources={
            name: _cited(here, sources) for name, here in found.items() if here.value is not None
        },
    )


def requirements(stated: Mapping[str, Any]) -> Requirements:
    """From the file's form (a specifier, or a list of specifiers with markers) to the typed one."""
    return {name: _requirement(value) for name, value in stated.items()}


def _requirement(value: Any) -> tuple[Requirement, ...]:
    if isinstance(value, str):
        return (Requirement(value, ""),)
    return tuple(Requirement(each["spec"], each.get("marker", "")) for each in value)


def _by_python(stated: Mapping[str, Any]) -> Mapping[str, Requirements]:
    return {python: requirements(each) for python, each in stated.items()}


def _each(convert: Callable[[str], T]) -> Callable[[list[str]], tuple[T, ...]]:
    return lambda values: tuple(convert(value) for value in values)


def _fact(
    row: Row, name: str, here: Cell, sources: Mapping[str, Source], convert: Callable[[Any], T]
) -> Fact[T]:
    if here.value is None:
        return unknown(f"the {name} of {row.distribution} {row.release} on {row.platform}")
    if name in EMPTY and not here.value:
        return Absent(EMPTY[name])
    return Known(convert(here.value), str(sources[here.source]))


def _cited(here: Cell, sources: Mapping[str, Source]) -> Source:
    cited = sources[here.source]
    if not here.disagrees:
        return cited
    return Source(cited.name, cited.text, cited.date, cited.kind, here.disagrees)


Document = Mapping[str, Any]
Sources = Mapping[str, Source]


def cuda_rows(document: Document, sources: Sources) -> tuple[CudaSupport, ...]:
    """The CUDA table, the oldest first."""
    return tuple(
        _cuda_row(each, sources[each.get("source", document["cuda"]["source"])])
        for each in document["cuda"]["rows"]
    )


def _cuda_row(stated: Mapping[str, Any], source: Source) -> CudaSupport:
    version = CudaRelease(stated["version"])
    capabilities = stated.get("compute_capabilities")
    return CudaSupport(
        version=version,
        driver_min=_drivers(stated.get("driver_min", stated["driver"])),
        driver_for_ptx=_drivers(stated["driver"]),
        ptx_isa=Known(PtxRelease(stated["ptx_isa"]), str(source)),
        compute_capabilities=(
            Known(tuple(map(ComputeCapability, capabilities)), str(source))
            if capabilities
            else unknown(f"the architectures of CUDA {version}")
        ),
        source=source,
    )


def _drivers(stated: Mapping[str, str]) -> Mapping[str, DriverRelease]:
    return {os: DriverRelease(text) for os, text in stated.items()}


def cudnn_support(document: Document, sources: Sources, cudnn: CudnnRelease) -> Fact[CudnnSupport]:
    """The last row at or below this cuDNN, if the table reaches that far."""
    table = document["cudnn"]
    rows = [row for row in table["rows"] if CudnnRelease(row["since"]) <= cudnn]
    if not rows or cudnn.numbers[:2] > CudnnRelease(table["until"]).numbers[:2]:
        return unknown(f"cuDNN {cudnn}")
    row = rows[-1]
    source = str(sources[row.get("source", table["source"])])
    bugs = (
        each
        for each in table.get("bugs", ())
        if CudnnRelease(each["since"]) <= cudnn < CudnnRelease(each["fixed_in"])
    )
    return Known(
        CudnnSupport(
            lowest=_capability(row, "lowest", source),
            highest=_capability(row, "highest", source),
            driver_min=Known(DriverRelease(row["driver_min"]), source)
            if "driver_min" in row
            else unknown(f"the oldest driver for cuDNN {cudnn}"),
            bugs=tuple(
                CudnnBug(e["kind"], e["text"], e["fixed_in"], str(sources[e["source"]]))
                for e in bugs
            ),
        ),
        source,
    )


def _capability(row: Mapping[str, str], end: str, source: str) -> Fact[ComputeCapability]:
    if end not in row:
        return unknown(f"the {end} compute capability of cuDNN {row['since']}")
    return Known(ComputeCapability(row[end]), source)


def defects(document: Document, sources: Sources, tensorflow: str) -> tuple[Defect, ...]:
    """The defects whose `releases`, or whose range `since`–`until`, hold this release."""
    order = Order(document["releases"]["tensorflow"][ORDER])
    return tuple(
        Defect(
            kind=each["kind"],
            text=each["text"],
            detail={name: str(value) for name, value in each.get("detail", {}).items()},
            platforms=tuple(each.get("platforms", ())),
            source=str(sources[each["source"]]),
        )
        for each in document["defects"]
        if concerns(each, order, tensorflow)
    )


def concerns(stated: Mapping[str, Any], order: Order, tensorflow: str) -> bool:
    """Whether a row with `releases`, or with `since` and `until` (both inclusive, both optional), is about it."""
    if tensorflow not in order:
        return False
    if "releases" in stated:
        return tensorflow in stated["releases"]
    first = order[stated["since"]] if "since" in stated else 0.0
    last = order[stated["until"]] if "until" in stated else float(len(order))
    return first <= order[tensorflow] <= last


def runtime_bounds(document: Document, sources: Sources, tensorflow: str) -> dict[str, Fact[str]]:
    """What this release was seen to run with, which can differ from its metadata."""
    order = Order(document["releases"]["tensorflow"][ORDER])

    def bound(package: str) -> Fact[str]:
        for each in document["runtime"].get(package, ()):
            if concerns(each, order, tensorflow):
                if each["spec"] is None:
                    return Absent(each["because"])
                return Known(each["spec"], str(sources[each["source"]]))
        return unknown(f"which {package} TensorFlow {tensorflow} runs with")

    return {package: bound(package) for package in ("numpy", "protobuf", "keras")}


def pairs(document: Document, sources: Sources) -> tuple[Pair, ...]:
    """Packages that go together; () in a matrix before 2026.11.28."""
    return tuple(
        Pair(
            package=each["package"],
            of=each.get("of", ""),
            needs=each["needs"],
            specifier=each["spec"],
            brings=each.get("brings", False),
            source=str(sources[each["source"]]),
            stated=each.get("stated", ""),
        )
        for each in document.get("pairs", ())
    )


def containers(document: Document, sources: Sources) -> tuple[Container, ...]:
    """NVIDIA's images, the oldest first; () in an older matrix."""
    capabilities = _each(ComputeCapability)
    return tuple(
        Container(
            image=each["image"],
            tensorflow=each["tensorflow"],
            gpus=capabilities(each.get("gpus", [])),
            built=capabilities(each.get("built", [])),
            needs=each.get("needs", ""),
            source=str(sources[each["source"]]),
        )
        for each in document.get("containers", ())
    )


WITHOUT_CUDA = ("jax",)
"""Frameworks that bring no CUDA library, so that TensorFlow's extra makes no difference."""


def together(
    document: Document, sources: Sources, tensorflow: str, extra: str, framework: str
) -> tuple[Beside, ...]:
    """Each release of a framework ("jax[cuda12]") beside this TensorFlow, the newest first; () where nobody resolved them.

    What is clean with TensorFlow's extra is clean without it: there is less to please.
    """
    table = document.get("together", {"rows": ()})
    of = {
        each["extra"]: each["outcomes"]
        for each in table["rows"]
        if tensorflow in each["tensorflow"] and each["beside"] == framework
    }
    own = of.get("" if framework in WITHOUT_CUDA else extra)
    outcomes = own or (of.get("and-cuda", {}) if not extra else {})
    if not outcomes:
        return ()
    name = framework.partition("[")[0]
    position = Order(table["releases"][name])
    found = []
    for release in reversed(table["releases"][name]):
        stated = at(outcomes, position, release)
        outcome, packages = next(iter(stated.items())) if isinstance(stated, dict) else (stated, ())
        if outcome is not None and (own or outcome == "clean"):
            pythons = tuple(map(PythonRelease, at(table["python"][name], position, release)))
            source = str(sources[table["source"]])
            found.append(Beside(framework, release, outcome, tuple(packages), pythons, source))
    return tuple(found)


def frameworks(document: Document) -> Mapping[str, tuple[str, ...]]:
    """What was resolved beside TensorFlow ("torch", "jax[cuda12]"), with its releases, the oldest first; {} in a matrix before
    2026.11.29."""
    table = document.get("together", {"rows": ()})
    return {
        each["beside"]: tuple(table["releases"][each["beside"].partition("[")[0]])
        for each in table["rows"]
    }


def together_in_one(
    document: Document, tensorflow: str, extra: str
) -> tuple[tuple[Mapping[str, str], tuple[PythonRelease, ...]], ...]:
    """The sets of several frameworks that were resolved with this TensorFlow at once, each clean, and for which Pythons."""
    return tuple(
        (each["set"], tuple(map(PythonRelease, each["python"])))
        for each in document.get("together", {}).get("sets", ())
        if (each["tensorflow"], each["extra"]) == (tensorflow, extra)
    )


def images(document: Document) -> tuple[tuple[str, Expression, Mapping[str, str]], ...]:
    """What tags of base images tell: the image, the form of its tag, and what holds for all of that form; () in a matrix before
    2026.11.29."""
    return tuple(
        (each["image"], Expression(each["tag"]), each.get("tells", {}))
        for each in document.get("images", ())
    )


def nvidia_wheels(
    document: Mapping[str, Any], sources: Mapping[str, Source]
) -> tuple[NvidiaWheel, ...]:
    """One entry for each package and each span of its versions that holds the same, the oldest first."""
    source = str(sources[document["nvidia"]["source"]])
    found = []
    for package, stated in document["nvidia"]["packages"].items():
        starts = list(stated["holds"])
        for number, since in enumerate(starts, start=1):
            below = starts[number] if number < len(starts) else ""
            names = tuple(stated["holds"][since])
            found.append(NvidiaWheel(package, stated["folder"], names, since, below, source))
    return tuple(found)
