"""The types that the matrix answers with. A field that nobody proved is `Failed`, never a guess.

Platforms are named as the end of a wheel's name tells them, without versions: linux_x86_64, linux_aarch64,
macosx_x86_64, macosx_arm64, win_amd64.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from tfdoctor.base.records import record
from tfdoctor.facts.outcome import Fact, Failed
from tfdoctor.facts.versions import (
    ComputeCapability,
    CudaRelease,
    CudnnRelease,
    DriverRelease,
    GlibcRelease,
    PtxRelease,
    PythonRelease,
)

PLATFORMS = ("linux_x86_64", "linux_aarch64", "macosx_x86_64", "macosx_arm64", "win_amd64")

Origin: TypeAlias = Literal["bundled", "file", "cache"]
Kind: TypeAlias = Literal["artefact", "page"]


class MatrixError(Exception):
    """A matrix that can't be used; the message is one sentence that says what is wrong and where."""


class DamagedWheelError(MatrixError):
    """A published wheel whose content is not what its own zip says: it was changed after it was made."""


def unknown(what: str) -> Failed:
    """The answer to a question for which the matrix has none."""
    return Failed(f"the matrix does not know {what}", "unknown-to-matrix")


UNVERIFIED = ", read from one index in pieces, so that no hash of a whole wheel was compared"
"""How the sources end that `matrix update` cites: such rows are used and never count as proven."""


@record
class Source:
    """Where a cell was read: in an artefact (the wheel itself, or what it did when it ran) or on a page.

    `disagrees` says what another source claims where this one is held to be right.
    """

    name: str
    text: str
    date: str
    kind: Kind
    disagrees: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.date})"

    @property
    def verified(self) -> bool:
        return not self.text.endswith(UNVERIFIED)


@record
class Requirement:
    """One Requires-Dist line: the specifier as in METADATA and the environment marker ("" for none)."""

    spec: str
    marker: str = ""


Requirements: TypeAlias = Mapping[str, tuple[Requirement, ...]]


@record
class Release:
    """One release of one distribution on one platform, as its wheels tell."""

    tensorflow: str
    distribution: str
    platform: str
    gpu: Fact[bool]
    python: Fact[tuple[PythonRelease, ...]]  # from the wheels' tags
    glibc: Fact[GlibcRelease]  # from the manylinux tag; Absent off Linux
    cuda: Fact[CudaRelease]  # Absent: a build without CUDA
    cudnn: Fact[CudnnRelease]
    nccl: Fact[str]
    sass: Fact[tuple[ComputeCapability, ...]]  # architectures with binaries
    ptx: Fact[tuple[ComputeCapability, ...]]  # architectures with PTX
    # The language version of the PTX that GPUs of `sass_incomplete` need, else of any PTX:
    ptx_isa: Fact[PtxRelease]
    # "sm_90a" can't be compiled for any other architecture, "sm_90" for all later ones.
    ptx_target: Fact[str]
    # Of the kernels that nvcc or clang compiled; GPUs above all binaries need both:
    ptx_isa_compiled: Fact[PtxRelease]
    # Some kernels have a binary for it, some PTX alone.
    sass_incomplete: Fact[tuple[ComputeCapability, ...]]
    # Without one of these it shows no GPU; Absent: a build without CUDA.
    sonames: Fact[tuple[str, ...]]
    sonames_optional: Fact[tuple[str, ...]]  # opened at first use
    requires: Fact[Requirements]
    # By "3.9": what differs there; Absent: nothing does.
    requires_by_python: Fact[Mapping[str, Requirements]]
    and_cuda: Fact[Requirements]  # Absent: no such extra
    # The distribution that this wheel only pulls in; Absent: it holds TensorFlow itself.
    stub_for: Fact[str]
    sources: Mapping[str, Source]

    @property
    def minor(self) -> str:
        """ "2.16" of 2.16.1."""
        return ".".join(self.tensorflow.split(".")[:2])


@record
class CudaSupport:
    """One CUDA minor release: its drivers and the architectures that its compiler knows."""

    version: CudaRelease
    driver_min: Mapping[str, DriverRelease]  # by os: runs its binaries
    driver_for_ptx: Mapping[str, DriverRelease]  # by os: compiles its PTX
    ptx_isa: Fact[PtxRelease]
    compute_capabilities: Fact[tuple[ComputeCapability, ...]]
    source: Source


@record
class GpuDrivers:
    """The drivers for Linux that serve a GPU. `last` 0: none is known to have dropped it; `module` "": either kind."""

    name: str  # "Ada", "GH200"
    # Failed: nobody has shown it; Absent: any driver that TensorFlow can use.
    first: Fact[DriverRelease]
    last: int = 0  # the last branch
    module: str = ""  # "open" or "proprietary": the one kind of kernel module that serves it
    open_from: int = 0  # the branch from which on only the open module does
    platform: str = ""  # where the GPU is part of a machine of one kind
    listed: tuple[
        DriverRelease, ...
    ] = ()  # the first release of each branch that lists this product late
    source: str = ""

    def module_of(self, branch: int) -> str:
        """The kind of kernel module that serves the GPU in that branch; "" where either does."""
        return "open" if self.open_from and branch >= self.open_from else self.module

    def not_listed(self, driver: DriverRelease) -> DriverRelease | None:
        """The release that first lists this product, where `driver` is older; lists lag behind what a driver can do."""
        if not self.listed or driver.major > self.listed[-1].major:
            return None
        own = [first for first in self.listed if first.major == driver.major]
        wanted = own or [first for first in self.listed if first.major > driver.major]
        return wanted[0] if driver < wanted[0] else None


@record
class CudnnBug:
    """A known bug of cuDNN releases; `kind` is for machines, `fixed_in` the first release without it."""

    kind: str
    text: str
    fixed_in: str
    source: str


@record
class CudnnSupport:
    """What a cuDNN release runs on."""

    lowest: Fact[ComputeCapability]
    highest: Fact[ComputeCapability]
    driver_min: Fact[DriverRelease]  # Linux
    bugs: tuple[CudnnBug, ...]


@record
class Defect:
    """A known defect of single releases. `kind` and `detail` are for machines, `text` for people."""

    kind: str
    text: str
    detail: Mapping[str, str]
    platforms: tuple[str, ...]  # empty: all
    source: str


@record
class Pair:
    """What `package` needs beside it and pip does not see to: nobody's metadata says it, or only under an extra.

    `of`: the versions of the package that need it. `specifier` may hold "{minor}", the package's own. "" asks for any version.
    `brings`: its metadata says it as well, so that pip installs a `tensorflow` with it where the one here has another name.
    `stated`: the versions of the package whose own metadata says it, so that an installer keeps to it; "" for none.
    """

    package: str
    of: str
    needs: str
    specifier: str
    brings: bool
    source: str
    stated: str = ""


@record
class Container:
    """One of NVIDIA's own images. `gpus`: those that a tag of its own is for; `built`: what it has kernels for, () where nobody has
    told; `needs`: on the host, for people.
    """

    image: str
    tensorflow: str
    gpus: tuple[ComputeCapability, ...]
    built: tuple[ComputeCapability, ...]
    needs: str
    source: str


Outcome: TypeAlias = Literal["clean", "refused", "overwritten"]


@record
class Beside:
    """What an installer makes of one TensorFlow and one release of another framework, on Linux x86-64.

    "clean"; "refused": no version of one of `packages` pleases both; "overwritten": `packages` hold the same files with other content.
    pythons: those that the framework has wheels for.
    """

    framework: str  # "jax[cuda12]"
    release: str
    outcome: Outcome
    packages: tuple[str, ...]
    pythons: tuple[PythonRelease, ...]
    source: str


@record
class NvidiaWheel:
    """One package of NVIDIA's on the index, and what its versions from `since` until before `below` hold.

    `folder` is relative to site-packages; `below` is "" for the newest span.
    """

    package: str
    folder: str
    holds: tuple[str, ...]
    since: str
    below: str
    source: str

    @property
    def requirement(self) -> str:
        """What to install to get it: "nvidia-cudnn-cu12>=9.0.0.312"."""
        return f"{self.package}>={self.since}" + (f",<{self.below}" if self.below else "")
