"""What a build holds for one GPU: whole binaries, some, only PTX, or nothing."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.versions import ComputeCapability, PtxRelease
from tfdoctor.matrix.model import Release

Coverage: TypeAlias = Literal["complete", "incomplete", "ptx-only", "none"]


def coverage(release: Release, gpu: ComputeCapability) -> Fact[Coverage]:
    """complete: every kernel has a binary; incomplete: some have PTX alone; ptx-only: all; none: the GPU is too old.

    A binary for X.y runs on X.z with z >= y. The architecture that build_info lists with PTX has a binary, too, for
    the kernels that nvcc or clang compiled, and in some releases for all.
    """
    sass, ptx, partly = release.sass, release.ptx, release.sass_incomplete
    if not isinstance(sass, Known):
        return sass
    if any(gpu.runs_binary_for(built) for built in sass.value):
        return Known("complete", sass.source)
    if not isinstance(ptx, Known):
        return ptx
    if not isinstance(partly, Known):
        return partly
    if any(gpu.runs_binary_for(built) for built in partly.value):
        return Known("incomplete", partly.source)
    if any(gpu.runs_binary_for(built) for built in ptx.value):
        return Known("complete", partly.source)
    return Known("ptx-only" if any(gpu >= built for built in ptx.value) else "none", ptx.source)


def ptx_loads(release: Release, gpu: ComputeCapability) -> Fact[bool]:
    """Whether a driver that is new enough can compile this build's PTX for that GPU at all.

    PTX for sm_90a is for 9.0 alone; PTX for sm_90 is for 9.0 and everything newer (PTX ISA, directive .target).
    """
    target = release.ptx_target
    if not isinstance(target, Known):
        return target
    digits = target.value.removeprefix("sm_").rstrip("af")
    built = ComputeCapability(f"{digits[:-1]}.{digits[-1]}")
    specific = target.value.endswith("a")
    return Known(gpu == built if specific else gpu >= built, target.source)


def ptx_needed(release: Release, gpu: ComputeCapability) -> Fact[PtxRelease]:
    """The newest PTX that a driver must compile for that GPU. Absent where binaries suffice or nothing would."""
    covered = coverage(release, gpu)
    if not isinstance(covered, Known):
        return covered
    if covered.value not in ("incomplete", "ptx-only"):
        return Absent(f"binaries: {covered.value}")
    stated = (
        [release.ptx_isa] if covered.value == "incomplete" else [release.ptx_isa, release.ptx_isa_compiled]
    )
    known = [each for each in stated if isinstance(each, Known)]
    if len(known) < len(stated):
        return Failed(f"the matrix does not know the PTX of {release.distribution} {release.tensorflow}")
    return max(known, key=lambda each: each.value)
