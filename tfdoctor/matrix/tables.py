"""The matrix's tables beside the releases: CUDA, cuDNN, known defects and what works at run time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.versions import ComputeCapability, CudaRelease, CudnnRelease, DriverRelease, PtxRelease
from tfdoctor.matrix.cells import ORDER, Order
from tfdoctor.matrix.model import CudaSupport, CudnnBug, CudnnSupport, Defect, RuntimeBounds, Source

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
            else Failed(f"the matrix does not know the architectures of CUDA {version}", "unknown-to-matrix")
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
        return Failed(f"the matrix does not know cuDNN {cudnn}", "unknown-to-matrix")
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
            else Failed(f"the matrix does not know the oldest driver for cuDNN {cudnn}", "unknown-to-matrix"),
            bugs=tuple(
                CudnnBug(e["kind"], e["text"], e["fixed_in"], str(sources[e["source"]])) for e in bugs
            ),
        ),
        source,
    )


def _capability(row: Mapping[str, str], end: str, source: str) -> Fact[ComputeCapability]:
    if end not in row:
        return Failed(
            f"the matrix does not know the {end} compute capability of cuDNN {row['since']}",
            "unknown-to-matrix",
        )
    return Known(ComputeCapability(row[end]), source)


def defects(document: Document, sources: Sources, tensorflow: str) -> tuple[Defect, ...]:
    """The defects whose `releases`, or whose range `since`–`until`, hold this release."""
    order = document["releases"]["tensorflow"][ORDER]
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


def concerns(stated: Mapping[str, Any], order: list[str], tensorflow: str) -> bool:
    """Whether a row with `releases`, or with `since` and `until` (both inclusive, both optional), is about it."""
    if tensorflow not in order:
        return False
    if "releases" in stated:
        return tensorflow in stated["releases"]
    place = Order(order)
    first = place[stated.get("since", order[0])]
    last = place[stated.get("until", order[-1])]
    return first <= place[tensorflow] <= last


def runtime_bounds(document: Document, sources: Sources, tensorflow: str) -> RuntimeBounds:
    """What this release was seen to run with."""
    order = document["releases"]["tensorflow"][ORDER]

    def bound(package: str) -> Fact[str]:
        for each in document["runtime"].get(package, ()):
            if concerns(each, order, tensorflow):
                if each["spec"] is None:
                    return Absent(each["because"])
                return Known(each["spec"], str(sources[each["source"]]))
        return Failed(
            f"the matrix does not know which {package} TensorFlow {tensorflow} runs with", "unknown-to-matrix"
        )

    return RuntimeBounds(numpy=bound("numpy"), protobuf=bound("protobuf"), keras=bound("keras"))
