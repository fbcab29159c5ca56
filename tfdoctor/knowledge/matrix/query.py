"""Questions to the matrix. Each answer is a fact with its source; where it does not know, it says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from tfdoctor.base.expressions import Expression
from tfdoctor.base.version_ranges import normalised
from tfdoctor.facts.outcome import Fact, Known, value_or
from tfdoctor.facts.versions import (
    ComputeCapability,
    CudaRelease,
    CudnnRelease,
    DriverRelease,
    PtxRelease,
    PythonRelease,
)
from tfdoctor.knowledge.lines import name_in
from tfdoctor.knowledge.matrix import cells, gpus
from tfdoctor.knowledge.matrix.model import (
    Beside,
    Container,
    CudaSupport,
    CudnnSupport,
    Defect,
    GpuDrivers,
    NvidiaWheel,
    Origin,
    Pair,
    Release,
    Source,
    unknown,
)
from tfdoctor.knowledge.matrix.tables import (
    containers,
    cuda_rows,
    cudnn_support,
    defects,
    frameworks,
    images,
    nvidia_wheels,
    pairs,
    release_of,
    runtime_bounds,
    together,
    together_in_one,
)

DEFAULT = "tensorflow"


class Matrix:
    """A loaded matrix. `document` is the file's content, `sha256` the file's digest."""

    def __init__(self, document: Mapping[str, Any], sha256: str, origin: Origin) -> None:
        self.document = document
        self.version: str = document["version"]
        self.sha256 = sha256
        self.origin = origin
        self._releases: dict[cells.Row, Release] = {}
        self._gpu_drivers: dict[tuple[str, str, str], Fact[GpuDrivers]] = {}

    @cached_property
    def sources(self) -> Mapping[str, Source]:
        return {
            name: Source(name, each["source"], each["date"], each["kind"])
            for name, each in self.document["sources"].items()
        }

    @cached_property
    def rows(self) -> frozenset[cells.Row]:
        return frozenset(cells.rows(self.document["releases"]))

    def release(
        self, version: str, distribution: str = DEFAULT, platform: str = "linux_x86_64"
    ) -> Fact[Release]:
        """One release. Failed where the matrix does not know it, also for vendors' builds ("2.17.0+nv25.1")."""
        row = cells.Row(version, distribution, platform)
        if row not in self.rows:
            return unknown(f"{distribution} {version} on {platform}")
        if row not in self._releases:
            self._releases[row] = release_of(self.document, self.sources, row)
        return Known(self._releases[row], f"matrix {self.version}")

    def releases(
        self, platform: str = "linux_x86_64", distribution: str = DEFAULT
    ) -> Iterator[Release]:
        """All known releases, the newest first, prereleases among them: most questions need the first few alone."""
        order = self.document["releases"].get(distribution, {}).get(cells.ORDER, ())
        found = (self.release(version, distribution, platform) for version in reversed(order))
        return (each.value for each in found if isinstance(each, Known))

    def pythons(
        self, platform: str = "linux_x86_64", distribution: str = DEFAULT
    ) -> tuple[PythonRelease, ...]:
        """Every Python that some known release has a wheel for, the oldest first."""
        known = (each.python for each in self.releases(platform, distribution))
        return tuple(
            sorted({python for each in known if isinstance(each, Known) for python in each.value})
        )

    @cached_property
    def cuda_rows(self) -> tuple[CudaSupport, ...]:
        """What is known of each CUDA minor release, the oldest first."""
        return cuda_rows(self.document, self.sources)

    def driver_floor(self, cuda: CudaRelease, os: str) -> Fact[DriverRelease]:
        """The oldest driver that runs binaries of this CUDA release; `os` is "linux" or "windows".

        Minor-version compatibility counts: from 11.0 on a driver of the first minor release runs them all.
        It does not cover PTX: see `driver_for_ptx`.
        """
        for row in self.cuda_rows:
            if (row.version.major, row.version.minor) == (
                cuda.major,
                cuda.minor,
            ) and os in row.driver_min:
                return Known(row.driver_min[os], str(row.source))
        return unknown(f"the oldest driver for CUDA {cuda} on {os}")

    def driver_for_ptx(self, isa: PtxRelease, os: str) -> Fact[DriverRelease]:
        """The oldest driver that compiles PTX of this version: the first of the CUDA release that brought it."""
        for row in self.cuda_rows:
            knows = isinstance(row.ptx_isa, Known) and row.ptx_isa.value >= isa
            if knows and os in row.driver_for_ptx:
                return Known(row.driver_for_ptx[os], str(row.source))
        return unknown(f"the oldest driver for PTX {isa} on {os}")

    def cudnn_support(self, cudnn: CudnnRelease) -> Fact[CudnnSupport]:
        """The GPUs and the Linux driver that a cuDNN release needs, and its known bugs."""
        return cudnn_support(self.document, self.sources, cudnn)

    def gpu(self, name: str) -> Fact[ComputeCapability]:
        """The compute capability of a GPU by its name, with or without vendor, board and memory size."""
        stated = self.document["gpus"]
        known = {
            each: capability for capability, names in stated["names"].items() for each in names
        }
        hit = gpus.match(name, known)
        if hit is None:
            return unknown(f"a GPU named {name!r}")
        return Known(ComputeCapability(known[hit]), str(self.sources[stated["source"]]))

    def gpu_drivers(
        self, capability: ComputeCapability | None, name: str = "", device_id: str = ""
    ) -> Fact[GpuDrivers]:
        """Which drivers for Linux serve a GPU. Failed where nothing has shown it, or this matrix is an older one."""
        asked = (str(capability or ""), name, device_id)
        if asked not in self._gpu_drivers:
            found = gpus.drivers_for(
                self.document["gpus"], self.sources, capability, name, device_id
            )
            self._gpu_drivers[asked] = found
        return self._gpu_drivers[asked]

    @cached_property
    def gpu_driver_rows(self) -> tuple[GpuDrivers, ...]:
        """Every row of the table of drivers by GPU."""
        return gpus.driver_rows(self.document["gpus"], self.sources)

    def gpu_names(self) -> tuple[str, ...]:
        """Every GPU that the matrix knows, by name."""
        return tuple(name for names in self.document["gpus"]["names"].values() for name in names)

    def other_gpu(self, name: str) -> str:
        """What to do with a GPU of another vendor; "" for a name that is none."""
        rows = self.document["gpus"].get("others", ())
        return next(
            (row["says"] for row in rows if Expression(row["name"]).search(name.lower())), ""
        )

    def defects(self, tensorflow: str) -> tuple[Defect, ...]:
        """The known defects of one release; none are known of a release that the matrix does not know."""
        return defects(self.document, self.sources, tensorflow)

    def runtime_bounds(self, tensorflow: str) -> dict[str, Fact[str]]:
        """The versions of numpy, protobuf and keras that a release was seen to work with, as specifiers."""
        return runtime_bounds(self.document, self.sources, tensorflow)

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """What packages need beside them that pip does not see to."""
        return pairs(self.document, self.sources)

    def pairs_of(self, package: str, needs: str) -> list[Pair]:
        """What the one needs of the other."""
        return [each for each in self.pairs if (each.package, each.needs) == (package, needs)]

    def brings(self, package: str) -> bool:
        """Whether the package's own metadata asks for `tensorflow`."""
        return any(each.package == package and each.brings for each in self.pairs)

    def together(self, tensorflow: str, extra: str, framework: str) -> tuple[Beside, ...]:
        """Each release of a framework ("jax[cuda12]") beside this TensorFlow with its extra, the newest first; () where nobody
        resolved them."""
        return together(self.document, self.sources, tensorflow, extra, framework)

    def together_in_one(
        self, tensorflow: str, extra: str
    ) -> tuple[tuple[Mapping[str, str], tuple[PythonRelease, ...]], ...]:
        """The sets of several frameworks that were resolved with this TensorFlow at once, each clean, and for which Pythons."""
        return together_in_one(self.document, tensorflow, extra)

    def frameworks(self) -> Mapping[str, tuple[str, ...]]:
        """What was resolved beside TensorFlow, with its releases, the oldest first."""
        return frameworks(self.document)

    def image(self, name: str, tag: str) -> Mapping[str, str]:
        """What the tag of a base image tells (`python`, `cuda`, `cudnn`, `libc` …); {} where it tells nothing."""
        found: dict[str, str] = {}
        for image, form, always in self._images:
            hit = form.fullmatch(tag) if image == name else None
            if hit is not None:
                found.update(always)
                found.update(
                    (key, value) for key, value in hit.groupdict().items() if value is not None
                )
        return found

    @cached_property
    def _images(self) -> tuple[tuple[str, Expression, Mapping[str, str]], ...]:
        return images(self.document)

    def container(self, gpu: ComputeCapability | None) -> Container | None:
        """NVIDIA's newest image for such a GPU, one of its own before one for all; None in a matrix that knows none."""
        known = containers(self.document, self.sources)
        own = [each for each in known if gpu in each.gpus]
        return next(reversed(own or [each for each in known if not each.gpus]), None)

    def empty_packages(self) -> Mapping[str, str]:
        """Packages whose name promises a TensorFlow that they don't hold, with their newest version."""
        found: Mapping[str, str] = self.document.get("empty", {}).get("packages", {})
        return found

    def later_extras(self) -> Mapping[str, str]:
        """TensorFlow's extras for CUDA beside and-cuda, with the first release that has them."""
        found: Mapping[str, str] = self.document.get("extras", {}).get("since", {})
        return found

    @cached_property
    def packages(self) -> frozenset[str]:
        """The names of all packages that its rows hold."""
        required = (name for each in self.releases() for name in value_or(each.requires, {}))
        beside = (name for each in self.pairs for name in (each.package, each.needs))
        nvidia = (each.package for each in self.nvidia_wheels)
        frameworks = (name_in(each) for each in self.frameworks())
        every = (*self.document["releases"], *required, *beside, *nvidia, *frameworks)
        return frozenset(map(normalised, every))

    @cached_property
    def nvidia_wheels(self) -> tuple[NvidiaWheel, ...]:
        """Every package of NVIDIA's that some [and-cuda] names, by spans of versions that hold the same."""
        return nvidia_wheels(self.document, self.sources)
