"""What the installed TensorFlow was built for: its own files first, the matrix where the files do not tell."""

from __future__ import annotations

import re

from tfdoctor.base.records import record
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, AnyFact, Fact, Failed, Known, known
from tfdoctor.facts.versions import ComputeCapability, CudaRelease, CudnnRelease, PtxRelease
from tfdoctor.fix.machine import processor
from tfdoctor.judge.engine.case import Case
from tfdoctor.knowledge.matrix.model import Release as Row

NO_CUDA = "this TensorFlow was built without CUDA"

_MACHINES = {
    ("linux", "x86_64"): "linux_x86_64",
    ("linux", "aarch64"): "linux_aarch64",
    ("macos", "x86_64"): "macosx_x86_64",
    ("macos", "arm64"): "macosx_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "x86_64"): "win_amd64",
}


@record
class Build:
    """The parts that decide about drivers, libraries and GPUs. `row` is what the matrix knows of the release."""

    cuda: Fact[CudaRelease]  # Absent: built without CUDA
    cudnn: Fact[CudnnRelease]
    sass: Fact[tuple[ComputeCapability, ...]]
    ptx: Fact[tuple[ComputeCapability, ...]]
    ptx_isa: Fact[PtxRelease]
    ptx_isa_compiled: Fact[PtxRelease]
    ptx_target: Fact[str]
    sass_incomplete: Fact[tuple[ComputeCapability, ...]]
    row: Fact[Row]


def platform_of(facts: Facts) -> Fact[str]:
    """The wheel platform of the examined interpreter: "linux_x86_64"."""
    system = facts.host.os
    machine = processor(facts)
    if not isinstance(system, Known):
        return system
    if not isinstance(machine, Known):
        return machine
    name = _MACHINES.get((system.value, machine.value.lower()))
    return (
        Known(name, machine.source)
        if name
        else Absent(f"no wheels exist for {system.value} {machine.value}")
    )


def row_of(case: Case) -> Fact[Row]:
    """What the matrix knows of the installed release."""
    version, distribution = case.facts.tensorflow.version, case.facts.tensorflow.distribution
    platform = platform_of(case.facts)
    for fact in (version, distribution, platform):
        if not isinstance(fact, Known):
            return fact
    return case.matrix.release(version.value, distribution.value, platform.value)  # type: ignore[union-attr]  # the loop left no other outcome


def build_of(case: Case) -> Build:
    """The build. Raises NotApplicable where no TensorFlow is installed."""
    own, row = case.facts.tensorflow.build, row_of(case)
    if isinstance(own, Absent):
        case.need(own)
    if not isinstance(own, Known):
        return Build(**{name: _of_row(row, name) for name in _FIELDS}, row=row)
    build = own.value
    cuda, bare = build.cuda, isinstance(build.cuda, Absent)
    return Build(
        cuda=_of_row(row, "cuda") if isinstance(cuda, Failed) else cuda,
        cudnn=_precise(build.cudnn, row),
        sass=Absent(NO_CUDA) if bare else Known(build.sass, own.source),
        ptx=Absent(NO_CUDA) if bare else Known(build.ptx, own.source),
        ptx_isa=_of_row(row, "ptx_isa"),
        ptx_isa_compiled=_of_row(row, "ptx_isa_compiled"),
        ptx_target=_of_row(row, "ptx_target"),
        sass_incomplete=_of_row(row, "sass_incomplete"),
        row=row,
    )


_FIELDS = (
    "cuda",
    "cudnn",
    "sass",
    "ptx",
    "ptx_isa",
    "ptx_isa_compiled",
    "ptx_target",
    "sass_incomplete",
)


def _of_row(row: Fact[Row], name: str) -> AnyFact:
    if not isinstance(row, Known):
        why, kind = (row.error, row.kind) if isinstance(row, Failed) else (row.reason, "missing")
        return Failed(f"its files do not tell, and {why}", kind)
    fact: AnyFact = getattr(row.value, name)
    return fact


def _precise(own: Fact[CudnnRelease], row: Fact[Row]) -> Fact[CudnnRelease]:
    """build_info of older releases says only cuDNN's major; the matrix then knows the minor."""
    by_row = _of_row(row, "cudnn")
    if isinstance(own, Failed):
        return by_row
    if isinstance(own, Known) and "." not in own.value.text and isinstance(by_row, Known):
        return by_row if by_row.value.major == own.value.major else own
    return own


def made_for_rocm(facts: Facts) -> bool:
    """Whether this TensorFlow is a build for AMD's GPUs."""
    build = known(facts.tensorflow.build)
    return build is not None and isinstance(build.rocm, Known)


def at_least(version: Fact[str], major: int, minor: int) -> Fact[bool]:
    """Whether this TensorFlow is of that minor release or a newer one ("2.22.0rc0" counts as 2.22)."""
    if not isinstance(version, Known):
        return version
    numbers = re.match(r"(\d+)\.(\d+)", version.value)
    if numbers is None:
        return Failed(f"{version.value!r} is no TensorFlow version", "unreadable")
    return Known((int(numbers[1]), int(numbers[2])) >= (major, minor), version.source)
