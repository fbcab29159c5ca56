"""Which TensorFlow works on a machine, best first, and the one reason why each other does not.

Best is the newest that is proven for the GPU, the driver and the Python; what is untested, or below the driver that first
lists the GPU, comes after it and is never the best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from tfdoctor.base.records import record, replace
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, known, value_or
from tfdoctor.facts.versions import ComputeCapability, CudnnRelease, PythonRelease
from tfdoctor.fix.architecture import Code, Fit, Service, fit
from tfdoctor.fix.machine import Machine
from tfdoctor.fix.together import Clash, Wanted, fitting
from tfdoctor.knowledge.matrix.model import GpuDrivers, Release
from tfdoctor.knowledge.matrix.query import Matrix

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet


@record
class Obstacle:
    """Why a release does not work on a machine: a finding's code, what is needed, what is there."""

    code: str
    expected: str
    observed: str


@record
class Option:
    """A release that works. `proven` False: something that it hangs on was not measured; the notes say what. `beside`: what shares
    its environment, as pip installs it ("torch==2.10.0").
    """

    release: Release
    pythons: tuple[PythonRelease, ...]
    notes: tuple[str, ...]
    proven: bool
    fit: tuple[Fit, ...] = ()
    listed: bool = True  # False: this driver is older than the first that lists the GPU
    beside: tuple[str, ...] = ()

    @property
    def best(self) -> bool:
        return self.proven and self.listed


@record
class Excluded:
    release: Release
    because: tuple[Obstacle, ...]


@record
class Plan:
    """`asked`: the version specifier that releases had to meet; "" for any. `beside`: what has to share the environment."""

    machine: Machine
    options: tuple[Option, ...]
    excluded: tuple[Excluded, ...]
    asked: str = ""
    beside: tuple[Wanted, ...] = ()


def plan(
    machine: Machine,
    matrix: Matrix,
    *,
    spec: str = "",
    prereleases: bool = False,
    beside: tuple[Wanted, ...] = (),
) -> Plan:
    """Judges every release that the matrix knows for the machine's platform.

    spec: a version specifier ("~=2.16", "2.15.1"); raises packaging's InvalidSpecifier. Prereleases are left out
    unless asked for. A wheel that only pulls in another distribution stands for that distribution.
    """
    judged = list(_judged(machine, matrix, spec, prereleases, beside))
    options = [each for each in judged if isinstance(each, Option)]
    excluded = tuple(each for each in judged if isinstance(each, Excluded))
    options.sort(key=lambda option: not option.best)
    return Plan(machine, tuple(options), excluded, spec.strip(), beside)


def best_first(machine: Machine, matrix: Matrix, *, spec: str = "") -> Iterator[Option]:
    """The options of such a plan, each as it is asked for: who needs the best alone waits for no other."""
    others: list[Option] = []
    for each in _judged(machine, matrix, spec):
        if isinstance(each, Option) and each.best:
            yield each
        elif isinstance(each, Option):
            others.append(each)
    yield from others


def _judged(
    machine: Machine,
    matrix: Matrix,
    spec: str,
    prereleases: bool = False,
    beside: tuple[Wanted, ...] = (),
) -> Iterator[Option | Excluded]:
    """The releases that were asked for, the newest first."""
    from packaging.version import Version  # 20 ms that few answers need

    wanted = _specifiers(spec)
    for release in _candidates(machine, matrix):
        version = Version(release.tensorflow)
        if not wanted.contains(version, prereleases=True) or (
            version.is_prerelease and not prereleases
        ):
            continue
        verdict = weigh(release, machine, matrix)
        if beside and isinstance(verdict, Option):
            verdict = _shared(verdict, machine, matrix, beside)
        yield verdict


def _shared(
    option: Option, machine: Machine, matrix: Matrix, beside: tuple[Wanted, ...]
) -> Option | Excluded:
    """The release with what goes with it in one environment."""
    found = fitting(option.release, machine, matrix, beside)
    if isinstance(found, tuple):
        return Excluded(
            option.release, tuple(_CLASHES[each.outcome](each, machine) for each in found)
        )
    pythons = value_or(found.release.python, ())
    return replace(option, release=found.release, pythons=pythons, beside=found.packages)


def _without_wheel(clash: Clash, machine: Machine) -> Obstacle:
    here = machine.python.value if isinstance(machine.python, Known) else "any"
    return Obstacle("python-unsupported", ", ".join(clash.pythons), f"{here} ({clash.what})")


_CLASHES: dict[str, Callable[[Clash, Machine], Obstacle]] = {
    "overwritten": lambda each, _: Obstacle(
        "cuda-libraries-mixed", ", ".join(each.packages), each.what
    ),
    "refused": lambda each, _: Obstacle("dependency-mismatch", ", ".join(each.packages), each.what),
    "python": _without_wheel,
    "unknown": lambda each, _: Obstacle("unknown-release", "a set that was resolved", each.what),
}


def _specifiers(spec: str) -> SpecifierSet:
    from packaging.specifiers import SpecifierSet  # 20 ms that few answers need

    spec = spec.strip()
    return SpecifierSet(f"=={spec}" if spec[:1].isdigit() else spec)


def _candidates(machine: Machine, matrix: Matrix) -> Iterable[Release]:
    """The newest first. A stub is replaced by what it pulls in, where the matrix knows that."""
    for release in matrix.releases(platform=machine.platform):
        if isinstance(release.stub_for, Known):
            real = matrix.release(release.tensorflow, release.stub_for.value, machine.platform)
            yield real.value if isinstance(real, Known) else release
        else:
            yield release


def weigh(release: Release, machine: Machine, matrix: Matrix) -> Option | Excluded:
    """One release on one machine."""
    obstacles = [*_platform_obstacles(release, machine)]
    notes: list[str] = []
    fits: tuple[Fit, ...] = ()
    if isinstance(machine.gpus, Known):
        found, fits, notes = _gpu_obstacles(release, machine, machine.gpus.value, matrix)
        obstacles += found
    obstacles += _cuda_obstacle(release, machine)
    if obstacles:
        return Excluded(release, tuple(obstacles))
    if not all(source.verified for source in release.sources.values()):
        notes.append("known from one index alone, whose wheels' hashes were not compared")
    defects, harmful = _defect_notes(release, machine, matrix)
    proven = not notes and not harmful
    unlisted = _not_listed(machine, matrix)
    notes += [*unlisted, *_speed_notes(fits), *_system_notes(release, machine), *defects]
    pythons = value_or(release.python, ())
    return Option(release, pythons, tuple(notes), proven, fits, listed=not unlisted)


_MENDED_BY_COMMANDS = frozenset((
    "runpath-absent", "runpath-incomplete", "numpy-2-breaks", "numpy-bound-missing", "protobuf-bound-missing", "protobuf-gencode",
    "and-cuda-brings-newer-cudnn", "and-cuda-needs-tensorrt", "tensorboard-needs-pkg-resources", "build-info-without-cuda",
    "ptx-architecture-specific", "image-lacks-cudnn", "keras-major",
))  # fmt: skip
"""Kinds of defects that fixes/install.py's commands answer, that an obstacle says already, or that pip sees to."""
_UNPROVEN = ("xla-aborts-on-blackwell",)
"""Kinds of defects that keep a release from counting as proven."""


def _defect_notes(release: Release, machine: Machine, matrix: Matrix) -> tuple[list[str], bool]:
    """The known defects that the person who installs this release has to know, and whether one may keep it from working."""
    gpus = value_or(machine.gpus, ())
    notes, harmful = [], False
    for defect in matrix.defects(release.tensorflow):
        elsewhere = defect.platforms and machine.platform not in defect.platforms
        needs_gpu = defect.kind in ("nvml-needed", "xla-aborts-on-blackwell")
        lowest = ComputeCapability(defect.detail.get("from", "0"))
        unmet = needs_gpu and not any(gpu >= lowest for gpu in gpus)
        if elsewhere or unmet or defect.kind in _MENDED_BY_COMMANDS:
            continue
        notes.append(defect.text[0].upper() + defect.text[1:] + ".")
        harmful = harmful or defect.kind in _UNPROVEN
    return notes, harmful


def _platform_obstacles(release: Release, machine: Machine) -> list[Obstacle]:
    found = []
    if isinstance(release.python, Known) and isinstance(machine.python, Known):
        features = [python.feature for python in release.python.value]
        if machine.python.value.feature not in features:
            found.append(
                Obstacle("python-unsupported", ", ".join(features), machine.python.value.feature)
            )
    glibc, needed = machine.glibc, release.glibc
    if isinstance(glibc, Known) and isinstance(needed, Known) and glibc.value < needed.value:
        found.append(Obstacle("glibc-too-old", f">={needed.value}", str(glibc.value)))
    return found


def _gpu_obstacles(
    release: Release, machine: Machine, gpus: tuple[ComputeCapability, ...], matrix: Matrix
) -> tuple[list[Obstacle], tuple[Fit, ...], list[str]]:
    """What keeps the GPUs from being used; how each is served; what nobody measured."""
    if not isinstance(release.cuda, Known):
        code = "tensorflow-cpu-only" if machine.platform == "linux_x86_64" else "os-gpu-unsupported"
        return (
            [Obstacle(code, "a build with CUDA", f"{release.distribution} for {machine.platform}")],
            (),
            [],
        )
    found: list[Obstacle] = []
    fits: list[Fit] = []
    floor = matrix.driver_floor(release.cuda.value, machine.driver_os)
    if (
        isinstance(floor, Known)
        and isinstance(machine.driver, Known)
        and machine.driver.value < floor.value
    ):
        found.append(Obstacle("driver-too-old", f">={floor.value}", str(machine.driver.value)))
    elif isinstance(machine.driver, Absent):
        expected = f">={floor.value}" if isinstance(floor, Known) else "a driver"
        found.append(Obstacle("driver-missing", expected, "none"))
    not_served, unmeasured = _driver_obstacles(machine, matrix)
    found += not_served
    for gpu in gpus:
        served = fit(gpu, code_of(release), machine.driver, matrix, machine.driver_os)
        if isinstance(served, Known):
            fits.append(served.value)
            found += _architecture_obstacle(gpu, served.value, release, machine)
        elif isinstance(served, Failed):
            unmeasured.append(f"Not proven: {served.error}.")
    return found, tuple(fits), [*unmeasured, *_cudnn_notes(release, gpus, matrix)]


def served_by(machine: Machine, matrix: Matrix) -> tuple[Fact[GpuDrivers], ...]:
    """The drivers for Linux of each GPU; () where another system's count."""
    if (
        machine.driver_os != "linux"
        or not isinstance(machine.gpus, Known)
        or not matrix.gpu_driver_rows
    ):
        return ()
    return tuple(matrix.gpu_drivers(gpu, name) for name, gpu in machine.named)


def _driver_obstacles(machine: Machine, matrix: Matrix) -> tuple[list[Obstacle], list[str]]:
    """The GPUs that the driver does not serve, and those of which nobody knows which drivers do."""
    found: list[Obstacle] = []
    unknown = []
    for drivers in served_by(machine, matrix):
        if isinstance(drivers, Known):
            found += _not_served(drivers.value, machine)
        first = drivers.value.first if isinstance(drivers, Known) else drivers
        if isinstance(first, Failed):
            unknown.append(f"Not proven: {first.error}.")
    return found, unknown


def _not_served(drivers: GpuDrivers, machine: Machine) -> list[Obstacle]:
    """The driver has dropped this GPU, or is older than the first that knows it."""
    if not isinstance(machine.driver, Known):
        return []
    driver = machine.driver.value
    if drivers.last and driver.major > drivers.last:
        return [Obstacle("driver-lacks-gpu", f"{drivers.last} or older", str(driver))]
    if isinstance(drivers.first, Known) and driver < drivers.first.value:
        return [Obstacle("driver-lacks-gpu", f">={drivers.first.value}", str(driver))]
    return []


def _not_listed(machine: Machine, matrix: Matrix) -> list[str]:
    if not isinstance(machine.driver, Known):
        return []
    driver = machine.driver.value
    first = [
        each.value.not_listed(driver)
        for each in served_by(machine, matrix)
        if isinstance(each, Known)
    ]
    return [
        f"Driver {driver} does not list this GPU; drivers list it from {each} on."
        for each in dict.fromkeys(first)
        if each is not None
    ]


_LAST_CUDNN_8 = CudnnRelease("8.9.7")


def _cudnn_notes(
    release: Release, gpus: tuple[ComputeCapability, ...], matrix: Matrix
) -> list[str]:
    """The code of TensorFlow's own can be compiled for a later GPU; cuDNN 8, which it needs as well, was not made for one."""
    if not isinstance(release.cudnn, Known) or release.cudnn.value.major > _LAST_CUDNN_8.major:
        return []
    support = matrix.cudnn_support(_LAST_CUDNN_8)
    highest = support.value.highest if isinstance(support, Known) else support
    newer = [gpu for gpu in gpus if isinstance(highest, Known) and gpu.major > highest.value.major]
    return [
        f"Not proven: its cuDNN {release.cudnn.value.major} was made for GPUs up to {highest.value}; {gpu} is newer."
        for gpu in newer
        if isinstance(highest, Known)
    ]


def code_of(release: Release) -> Code:
    """An incomplete architecture counts as one with binaries: most of its kernels have them."""
    return Code(
        sass=tuple(sorted({*value_or(release.sass, ()), *value_or(release.sass_incomplete, ())})),
        ptx=release.ptx.value if isinstance(release.ptx, Known) else (),
        ptx_isa=release.ptx_isa,
        ptx_isa_compiled=release.ptx_isa_compiled,
        ptx_target=release.ptx_target,
        incomplete=release.sass_incomplete,
    )


def _architecture_obstacle(
    gpu: ComputeCapability, served: Fit, release: Release, machine: Machine
) -> list[Obstacle]:
    built = code_of(release)
    listed = ", ".join(str(each) for each in sorted({*built.sass, *built.ptx}))
    if served.service is Service.TOO_OLD:
        return [Obstacle("compute-capability-too-low", f"one of {listed}", str(gpu))]
    if served.service is Service.TOO_NEW:
        return [Obstacle("gpu-too-new-for-build", f"one of {listed}", str(gpu))]
    if served.service is Service.DRIVER_TOO_OLD and isinstance(served.driver_needed, Known):
        observed = str(known(machine.driver) or "unknown")
        return [Obstacle("driver-too-old-for-ptx", f">={served.driver_needed.value}", observed)]
    return []


def _cuda_obstacle(release: Release, machine: Machine) -> list[Obstacle]:
    """`--cuda 12` asks for any 12.x, `--cuda 11.8` for that minor."""
    wanted, built = known(machine.cuda), known(release.cuda)
    if wanted is None:
        return []
    if (
        built
        and built.major == wanted.major
        and ("." not in wanted.text or built.minor == wanted.minor)
    ):
        return []
    return [Obstacle("cuda-libraries-wrong-version", f"CUDA {wanted}", f"CUDA {built or 'none'}")]


def _system_notes(release: Release, machine: Machine) -> list[str]:
    """What a person on a system without GPU wheels of today has to know."""
    if machine.platform == "win_amd64" and isinstance(release.cuda, Known):
        cuda, cudnn = (
            release.cuda.value,
            release.cudnn.value if isinstance(release.cudnn, Known) else "8",
        )
        return [
            f"Windows has no CUDA wheels for it: install CUDA {cuda} and cuDNN {cudnn}, and put their bin folders on PATH."
        ]
    if machine.platform == "win_amd64":
        return [
            "On the CPU: native Windows has no GPU build after 2.10. In WSL2 the Linux build uses the GPU."
        ]
    if machine.platform == "linux_aarch64":
        return [
            "On the CPU: there is no GPU build for Linux on ARM. NVIDIA's own containers have one."
        ]
    return []


def _speed_notes(fits: tuple[Fit, ...]) -> list[str]:
    services = {each.service for each in fits}
    if Service.COMPILED in services:
        return [
            "The first start can take half an hour, because this build's kernels are compiled for this GPU. Set "
            "CUDA_CACHE_MAXSIZE=4294967296 to keep them all."
        ]
    if Service.PARTLY_COMPILED in services:
        return ["The first step is slower, once: some kernels are compiled at first use."]
    return []
