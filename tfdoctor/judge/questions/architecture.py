"""How each visible GPU is served by the installed build: by binaries, by PTX, or not at all.

The rules of binaries and PTX are in fixes/architecture.py, which `tfdoctor plan` uses, too. Here the build's own
files give the architectures; what only the wheel's code tells (PTX version and target, incomplete binaries) comes
from the matrix.
"""

from __future__ import annotations

from tfdoctor.base.records import record
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.versions import ComputeCapability
from tfdoctor.fix.architecture import Code, Fit, Service, fit
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.questions.build import Build, build_of
from tfdoctor.judge.questions.gpu import Device, devices, driver_os


@record
class Served:
    """One GPU under the build. `says` tells the build's architectures in words."""

    device: Device
    fit: Fact[Fit]
    says: str


def served(case: Case) -> tuple[Served, ...]:
    """Every visible GPU under the installed build.

    Raises NotApplicable for a build without CUDA or a machine without a GPU, Inconclusive where either is unknown.
    """
    build = build_of(case)
    case.need(build.cuda)
    sass, ptx = case.need(build.sass), case.need(build.ptx)
    says = _says(sass, ptx)
    return tuple(
        Served(device, _fit(case, device, build, sass, ptx), says) for device in devices(case)
    )


def served_at_all(case: Case, device: Device) -> bool:
    """Whether this build is known to have code that runs on a GPU, one that is hidden from this process included."""
    build = build_of(case)
    answer = _fit(case, device, build, case.need(build.sass), case.need(build.ptx))
    return isinstance(answer, Known) and answer.value.service not in (
        Service.TOO_OLD,
        Service.TOO_NEW,
        Service.DRIVER_TOO_OLD,
    )


def _fit(
    case: Case,
    device: Device,
    build: Build,
    sass: tuple[ComputeCapability, ...],
    ptx: tuple[ComputeCapability, ...],
) -> Fact[Fit]:
    gpu, partly = device.capability, _partly(build, ptx)
    code = Code(
        tuple(sorted({*sass, *partly})), ptx, build.ptx_isa, build.ptx_isa_compiled, build.ptx_target,
        Known(partly, "the build's PTX"),
    )  # fmt: skip
    answer = fit(gpu, code, case.facts.driver.version, case.matrix, driver_os(case.facts))
    if (
        isinstance(answer, Known)
        and answer.value.service is Service.DRIVER_TOO_OLD
        and _offers(case, build)
    ):
        known = (
            Service.PARTLY_COMPILED
            if any(gpu.runs_binary_for(each) for each in code.sass)
            else Service.COMPILED
        )
        return Known(
            Fit(known, answer.value.driver_needed), "the CUDA version that the driver offers"
        )
    if isinstance(answer, Failed) and (not isinstance(build.row, Known) or _for_every_later(code)):
        own = _by_own_files(case, gpu, code, build)
        return answer if own is None else own
    return answer


def _partly(build: Build, ptx: tuple[ComputeCapability, ...]) -> tuple[ComputeCapability, ...]:
    """Architectures with binaries for the compiled kernels alone: as measured, else those that are listed as PTX."""
    measured = build.sass_incomplete
    return measured.value if isinstance(measured, Known) else ptx


def _offers(case: Case, build: Build) -> bool:
    """The driver offers the build's own CUDA release, so that it compiles the PTX of that release."""
    offered = case.facts.driver.cuda_version
    if not isinstance(offered, Known) or not isinstance(build.cuda, Known):
        return False
    has, needs = offered.value, build.cuda.value
    return (has.major, has.minor) >= (needs.major, needs.minor)


_FIRST_OF_ITS_OWN = ComputeCapability("9.0")
"""From here on PTX may be for one architecture alone (sm_90a; NVIDIA, PTX ISA 8.0)."""


def _for_every_later(code: Code) -> bool:
    """PTX that no other file has to tell about: every later architecture can compile it (Windows' builds up to 2.10)."""
    return bool(code.ptx) and all(built < _FIRST_OF_ITS_OWN for built in code.ptx)


def _by_own_files(case: Case, gpu: ComputeCapability, code: Code, build: Build) -> Fact[Fit] | None:
    """What nobody has measured: PTX of the GPU's own architecture, or for every later one, and a driver of the build's CUDA do."""
    later = _for_every_later(code)
    compiles = any(gpu >= built and (later or gpu.major == built.major) for built in code.ptx)
    if compiles and _offers(case, build):
        return Known(Fit(Service.PARTLY_COMPILED), "the build's own list of architectures")
    return None


def _says(sass: tuple[ComputeCapability, ...], ptx: tuple[ComputeCapability, ...]) -> str:
    binaries = ", ".join(map(str, sass)) or "none"
    return f"binaries for {binaries}; PTX for {', '.join(map(str, ptx)) or 'none'}"


def unknown(fact: Fact[Fit]) -> str:
    """Why it is not known how a GPU is served; "" where it is."""
    if isinstance(fact, Known):
        return ""
    return fact.reason if isinstance(fact, Absent) else fact.error
