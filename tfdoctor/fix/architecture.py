"""How a GPU is served by a build: by a binary, by code that the driver compiles at first use, or not at all.

A binary for X.y runs on X.z with z >= y and on no other major. PTX for X.y can be compiled for every later
architecture, by a driver that knows the PTX's version; PTX for a target with the suffix `a` (sm_90a) for that
one architecture alone. (NVIDIA, CUDA C++ Programming Guide, "Compute Capability" and "Family-specific and
architecture-specific features"; read 2026-11-20.)
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from tfdoctor.base.records import record, replace
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.versions import ComputeCapability, DriverRelease, PtxRelease
from tfdoctor.knowledge.matrix.query import Matrix

Capabilities = Sequence[ComputeCapability]
_NO_PTX = Absent("no PTX is needed")


class Service(Enum):
    """What becomes of a GPU under a build."""

    BINARY = "a binary for every kernel"
    PARTLY_COMPILED = "some kernels are compiled at first use"
    COMPILED = "every kernel is compiled at first use"
    TOO_OLD = "older than every architecture of the build"
    TOO_NEW = "newer than every binary, and the PTX can't be compiled for it"
    DRIVER_TOO_OLD = "the driver does not know the version of the PTX that this GPU needs"


@record
class Code:
    """The GPU code inside a build. Failed: nobody has read it."""

    sass: Capabilities
    ptx: Capabilities
    ptx_isa: Fact[PtxRelease]
    # Of the compiled kernels; it may be newer than the generated ones'.
    ptx_isa_compiled: Fact[PtxRelease]
    ptx_target: Fact[str]
    incomplete: Fact[tuple[ComputeCapability, ...]]


@record
class Fit:
    """The answer, with the driver that the PTX needs where one is needed."""

    service: Service
    driver_needed: Fact[DriverRelease] = _NO_PTX


def fit(
    gpu: ComputeCapability, code: Code, driver: Fact[DriverRelease], matrix: Matrix, os: str
) -> Fact[Fit]:
    """How `gpu` is served. Failed where the matrix does not know what the answer hangs on."""
    code = _whole(code)
    binary = any(gpu.runs_binary_for(built) for built in code.sass)
    if binary and not _lacks_some(gpu, code):
        return Known(Fit(Service.BINARY), "architectures of the build")
    if not binary and not any(gpu >= built for built in code.ptx):
        return Known(Fit(Service.TOO_OLD), "architectures of the build")
    service = Service.PARTLY_COMPILED if binary else Service.COMPILED
    if isinstance(code.ptx_target, Failed):
        return Failed(
            f"this build's PTX was not tested on compute capability {gpu}", "unknown-to-matrix"
        )
    if isinstance(code.ptx_target, Known) and not _compiles_for(code.ptx_target.value, gpu):
        return Known(Fit(Service.TOO_NEW), code.ptx_target.source)
    return _by_driver(service, code, driver, matrix, os)


def _whole(code: Code) -> Code:
    """Where it was measured that no architecture lacks kernels (2.3 to 2.7), the one listed as PTX has binaries, too."""
    if isinstance(code.incomplete, Known) and not code.incomplete.value:
        return replace(code, sass=tuple(sorted({*code.sass, *code.ptx})))
    return code


def _lacks_some(gpu: ComputeCapability, code: Code) -> bool:
    """The best binary for this GPU is one whose set of kernels is incomplete."""
    fitting = [built for built in code.sass if gpu.runs_binary_for(built)]
    return isinstance(code.incomplete, Known) and max(fitting) in code.incomplete.value


def _compiles_for(target: str, gpu: ComputeCapability) -> bool:
    """`target` as the PTX names it: "sm_90", "sm_90a"."""
    digits = target.removeprefix("sm_").rstrip("af")
    own = ComputeCapability(f"{digits[:-1]}.{digits[-1]}")
    if target.endswith("a"):
        return gpu == own
    return gpu >= own


def _by_driver(
    service: Service, code: Code, driver: Fact[DriverRelease], matrix: Matrix, os: str
) -> Fact[Fit]:
    stated = (
        (code.ptx_isa,)
        if service is Service.PARTLY_COMPILED
        else (code.ptx_isa, code.ptx_isa_compiled)
    )
    known = [each.value for each in stated if isinstance(each, Known)]
    if len(known) < len(stated):
        return Failed(
            "the matrix does not know the version of this build's PTX", "unknown-to-matrix"
        )
    needed = matrix.driver_for_ptx(max(known), os)
    if isinstance(needed, Failed):
        return needed
    if isinstance(driver, Known) and isinstance(needed, Known) and driver.value < needed.value:
        return Known(Fit(Service.DRIVER_TOO_OLD, needed), needed.source)
    return Known(
        Fit(service, needed), next(each.source for each in stated if isinstance(each, Known))
    )
