"""The machine that a plan is made for: this one, or one that the user describes."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, value_or
from tfdoctor.facts.versions import (
    ComputeCapability,
    CudaRelease,
    DriverRelease,
    GlibcRelease,
    PythonRelease,
    V,
)
from tfdoctor.knowledge.matrix.model import PLATFORMS
from tfdoctor.knowledge.matrix.query import Matrix

_SYSTEMS = {
    "linux": "linux_x86_64",
    "linux-x86_64": "linux_x86_64",
    "linux-aarch64": "linux_aarch64",
    "linux-arm64": "linux_aarch64",
    "wsl": "linux_x86_64",
    "wsl2": "linux_x86_64",
    "windows": "win_amd64",
    "macos": "macosx_arm64",
    "macos-arm64": "macosx_arm64",
    "macos-x86_64": "macosx_x86_64",
}

_ANY = Absent("any CUDA will do")


NO_SPECIFIER = "isn't a version specifier such as '>=2.16,<2.18'"


class DescriptionError(ValueError):
    """A description that can't be understood: the value of `field`, and why, with what would be understood."""

    def __init__(self, field: str, value: str, why: str) -> None:
        super().__init__(f"--{field} {value}: {why}")
        self.field, self.value, self.why = field, value, why


@record
class Machine:
    """What decides which TensorFlow works. `gpus` Absent: plan for the CPU. `driver` Failed: any driver will do.

    `described`: the user said at least a part of it, so it is not simply this machine. `fetch`: its Python is not
    installed, so uv has to get it. `models`: the names of `gpus`, one each; () where only compute capabilities are known.
    """

    platform: str
    python: Fact[PythonRelease]
    glibc: Fact[GlibcRelease]
    driver: Fact[DriverRelease]
    gpus: Fact[tuple[ComputeCapability, ...]]
    cuda: Fact[CudaRelease] = _ANY
    described: bool = False
    models: tuple[str, ...] = ()
    wsl: bool = False
    fetch: bool = False

    @property
    def os(self) -> str:
        """As the matrix' driver tables name it."""
        return "windows" if self.platform.startswith("win") else "linux"

    @property
    def named(self) -> tuple[tuple[str, ComputeCapability], ...]:
        """The known GPUs, each with its name; "" for none."""
        gpus = value_or(self.gpus, ())
        return tuple(zip(self.models or ("",) * len(gpus), gpus, strict=True))

    @property
    def driver_os(self) -> str:
        """Whose driver versions count: WSL's driver is the Windows one and has its numbers."""
        return "windows" if self.wsl else self.os


def machine_from_facts(facts: Facts) -> Machine:
    """This machine."""
    gpus, models = _gpus(facts)
    return Machine(
        platform=_platform(facts),
        python=facts.interpreter.version,
        glibc=facts.host.glibc,
        driver=facts.driver.version,
        gpus=gpus,
        models=models,
        wsl=isinstance(facts.host.wsl, Known),
    )


def processor(facts: Facts) -> Fact[str]:
    """The one that the interpreter was built for, else the machine's."""
    own = facts.interpreter.machine
    return own if isinstance(own, Known) else facts.host.machine


def _platform(facts: Facts) -> str:
    os = value_or(facts.host.os, "linux")
    machine = processor(facts)
    arch = machine.value.lower() if isinstance(machine, Known) else "x86_64"
    if os == "windows":
        return "win_amd64"
    if os == "macos":
        return "macosx_arm64" if arch == "arm64" else "macosx_x86_64"
    return "linux_aarch64" if arch in ("aarch64", "arm64") else "linux_x86_64"


def _gpus(facts: Facts) -> tuple[Fact[tuple[ComputeCapability, ...]], tuple[str, ...]]:
    """The GPUs that the driver shows, else those that NVML shows, and their names."""
    if isinstance(facts.driver.devices, Known):
        shown = facts.driver.devices.value
        return (
            Known(tuple(each.compute_capability for each in shown), facts.driver.devices.source),
            tuple(each.name for each in shown),
        )
    if isinstance(facts.nvml.devices, Known):
        listed = [
            (each.compute_capability.value, each.name)
            for each in facts.nvml.devices.value
            if isinstance(each.compute_capability, Known)
        ]
        if listed:
            capabilities, names = zip(*listed, strict=True)
            return Known(tuple(capabilities), facts.nvml.devices.source), tuple(names)
    bus = facts.host.gpus_on_bus
    if isinstance(bus, Absent):
        return bus, ()
    if isinstance(bus, Known) and all(each.vendor == "amd" for each in bus.value):
        return Absent("the GPU here is AMD's, which these builds do not serve"), ()
    return Failed(
        "no driver answers, so the compute capability of the GPU is not known; name it with --gpu",
        "missing",
    ), ()


def described(
    machine: Machine,
    matrix: Matrix,
    *,
    driver: str = "",
    gpu: str = "",
    python: str = "",
    os: str = "",
    cuda: str = "",
) -> Machine:
    """The machine with what the user says in place of what was found. Raises DescriptionError."""
    machine = replace(machine, described=any((os, python, driver, gpu)))
    if os:
        machine = _on_system(machine, os)
    if python:
        machine = replace(machine, python=Known(_python(python), "--python"))
    if cuda:
        machine = replace(machine, cuda=Known(_said(cuda, CudaRelease, "--cuda"), "--cuda"))
    if driver:
        machine = replace(
            machine, driver=Known(_said(driver, DriverRelease, "--driver"), "--driver")
        )
    if gpu.strip().lower() == "none":
        return replace(machine, gpus=Absent("--gpu none"), models=())
    if gpu:
        capability, name = _gpu(gpu, matrix)
        machine = replace(machine, gpus=Known((capability,), "--gpu"), models=(name,))
        if os.lower() in ("", "linux"):
            machine = _beside(machine, capability, name, matrix)
        if not isinstance(machine.driver, Known):
            machine = replace(machine, driver=Failed("no --driver was named", "not-asked"))
    elif driver and not isinstance(machine.gpus, Known):
        machine = replace(machine, gpus=Failed("no --gpu was named", "not-asked"))
    return machine


def _beside(machine: Machine, capability: ComputeCapability, name: str, matrix: Matrix) -> Machine:
    """On the system that such a GPU is part of: GH200 and GB10 are beside Arm CPUs alone."""
    drivers = matrix.gpu_drivers(capability, name)
    platform = drivers.value.platform if isinstance(drivers, Known) else ""
    if not platform or platform == machine.platform:
        return machine
    return replace(machine, platform=platform, glibc=_UNSAID)


_UNSAID = Failed("not said for the machine described", "not-asked")


def _on_system(machine: Machine, os: str) -> Machine:
    """Another system has another C library, and nothing is known of its GPU unless it is named."""
    platform = _SYSTEMS.get(os.lower(), os.lower().replace("-", "_"))
    if platform not in PLATFORMS:
        raise DescriptionError(
            "os", os, "use linux, linux-aarch64, wsl2, windows, macos or macos-x86_64"
        )
    wsl = os.lower().startswith("wsl")
    if platform == machine.platform and wsl == machine.wsl:
        return machine
    gone = Absent("none was named for the machine described")
    return replace(
        machine, platform=platform, glibc=_UNSAID, driver=_UNSAID, gpus=gone, models=(), wsl=wsl
    )


def _said(text: str, kind: type[V], option: str) -> V:
    try:
        return kind.parse(text)
    except ValueError as error:
        raise DescriptionError(option[2:], text, f"{error}, such as {_EXAMPLES[option]}") from error


def _python(text: str) -> PythonRelease:
    """Python 3 with its minor: no release that the matrix knows is for another."""
    said = _said(text, PythonRelease, "--python")
    if said.major != 3 or "." not in text:
        raise DescriptionError("python", text, "needs a minor version of Python 3, such as 3.12")
    return said


_EXAMPLES = {"--python": "3.12", "--cuda": "12.5", "--driver": "535.104.05"}
_CAPABILITY = Expression(r"1?\d\.\d")  # "8.6", "12.0"; a bare "4090" is a model
_SERIES = ("", "RTX ", "GTX ")  # what people leave out of "RTX 4090"


def _gpu(text: str, matrix: Matrix) -> tuple[ComputeCapability, str]:
    """A compute capability with its point ("8.6"), else a GPU's name, also without its series ("4090"); and that name."""
    if _CAPABILITY.fullmatch(text.strip()):
        return ComputeCapability.parse(text.strip()), ""
    for series in _SERIES:
        known = matrix.gpu(f"{series}{text}")
        if isinstance(known, Known):
            return known.value, f"{series}{text}"
    if other := matrix.other_gpu(text):
        raise DescriptionError("gpu", text, other)
    if text.replace(".", "").isdigit() and "." in text:
        raise DescriptionError("gpu", text, "no GPU has this compute capability")
    names = {name.lower(): name for name in matrix.gpu_names()}
    import difflib  # only for a name that is no GPU's

    near = [
        each
        for series in _SERIES
        for each in difflib.get_close_matches(f"{series}{text}".lower(), names, n=1, cutoff=0.75)
    ]
    hint = f"did you mean {names[near[0]]!r}? Or give" if near else "give"
    raise DescriptionError("gpu", text, f"unknown GPU; {hint} its compute capability, such as 8.6")
