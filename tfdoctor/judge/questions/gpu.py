"""What "a GPU is there" and "a GPU is expected here" mean, for every check that depends on it.

A GPU is there where anything shows it: the driver offers it, NVML lists it, the PCI bus has it, its device node
exists, the kernel module is loaded. It is certain that there is none only where bus and nodes were read, are
empty, and no driver answers. What the driver answers goes before what the bus and /proc show.
"""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, known, value_or
from tfdoctor.facts.values import NvmlDevice
from tfdoctor.facts.versions import ComputeCapability
from tfdoctor.judge.engine.case import Case, Inconclusive, NotApplicable
from tfdoctor.knowledge.driver_errors import SAY_NOTHING_OF_A_GPU, SUCCESS

DXG = "/dev/dxg"
WSL_FOLDER = "/usr/lib/wsl/"
_GPU_NODE = Expression(r"/dev/(nvidia\d+|nvgpu/.*|nvhost-gpu|nvmap)$")


def nvidia_gpu(facts: Facts) -> Fact[str]:
    """What shows an NVIDIA GPU, in a few words. Absent: it is certain that there is none."""
    sign = _sign(facts)
    if sign:
        return Known(sign, sign)
    asked_in_vain = (facts.driver.init_code,) if isinstance(facts.driver.library, Known) else ()
    for fact in (*asked_in_vain, facts.host.gpus_on_bus, facts.host.gpu_device_nodes):
        if isinstance(fact, Failed):
            return fact
    return Absent("no NVIDIA GPU on the PCI bus, no device node, and no driver that offers one")


def _sign(facts: Facts) -> str:
    init = facts.driver.init_code
    if driver_starts(facts):
        return "the driver starts and offers a GPU"
    if isinstance(facts.nvml.devices, Known) and facts.nvml.devices.value:
        return "NVML lists a GPU"
    listed = facts.driver.devices
    if not isinstance(init, Known) and isinstance(listed, Known) and listed.value:
        return "the driver listed a GPU"  # in a log, which does not tell what cuInit answered
    if isinstance(facts.nvml.driver_version, Known) and not isinstance(facts.nvml.devices, Absent):
        return "NVML answers"  # without a GPU the driver's kernel module does not load
    if nvidia_on_bus(facts):
        return "an NVIDIA GPU is on the PCI bus"
    if has_nodes(facts):
        return "a GPU's device node exists"
    if isinstance(facts.driver.module_version, Known):
        return "NVIDIA's kernel module is loaded"
    if isinstance(init, Known) and init.value not in (SUCCESS, *SAY_NOTHING_OF_A_GPU):
        return (
            f"the driver answers {init.value}, which is not the answer of a machine without a GPU"
        )
    return ""


def driver_starts(facts: Facts) -> bool:
    """cuInit succeeded, and nothing says that it offers no GPU."""
    offered = facts.driver.devices
    none = isinstance(offered, Absent) or (isinstance(offered, Known) and not offered.value)
    return known(facts.driver.init_code) == SUCCESS and not none


def nvidia_on_bus(facts: Facts) -> bool:
    return any(gpu.vendor == "nvidia" for gpu in value_or(facts.host.gpus_on_bus, ()))


def has_nodes(facts: Facts) -> bool:
    """A GPU's device node, or WSL's /dev/dxg together with the libcuda that Windows' NVIDIA driver puts there."""
    nodes = value_or(facts.host.gpu_device_nodes, ())
    return any(_GPU_NODE.match(node) for node in nodes) or (DXG in nodes and _wsl_libcuda(facts))


def _wsl_libcuda(facts: Facts) -> bool:
    """/dev/dxg exists for GPUs of every vendor; only NVIDIA's driver brings this library."""
    others = value_or(facts.driver.other_libraries, ())
    return any(path.startswith(WSL_FOLDER) for path in (libcuda(facts), *others))


def libcuda(facts: Facts) -> str:
    """Where the libcuda is that the loader takes; "" where it takes none."""
    library = known(facts.driver.library)
    return value_or(library.path, "") if library else ""


def need_gpu(case: Case) -> str:
    """What shows that TensorFlow should find an NVIDIA GPU here.

    Raises NotApplicable on a machine that has none and needs none, Inconclusive where that could not be found out.
    A GPU that is required counts as expected where nothing can be known (an unpacked image), but one that is
    certainly absent is the one fault, and what only a GPU would use is not judged beside it.
    """
    present = nvidia_gpu(case.facts)
    if isinstance(present, Known):
        return present.value
    if isinstance(present, Failed) and case.policy.require_gpu:
        return "a GPU is required"
    return case.need(present)


def boxed(facts: Facts) -> Fact[str]:
    """The container or scheduler's job around this process ("docker", "slurm"); Absent outside of any."""
    container, job = facts.host.container, facts.host.scheduler
    if isinstance(container, Known):
        return container
    if isinstance(job, Known):
        return Known(job.value.kind, job.source)
    return (
        container
        if isinstance(container, Failed)
        else Absent("neither a container nor a scheduler's job")
    )


_CONSUMERS = Expression(r"GeForce|TITAN|\bGTX ?\d{3,4}|\bRTX ?[2-5]0[5-9]0\b")


def for_consumers(facts: Facts) -> bool:
    """Whether a GPU here is a GeForce or its like: no cuda-compat runs on one (NVIDIA, CUDA
    Compatibility: forward compatibility, 2026-11)."""
    by_driver = [each.name for each in value_or(facts.driver.devices, ())]
    by_nvml = [each.name for each in value_or(facts.nvml.devices, ())]
    return any(_CONSUMERS.search(name) for name in (*by_driver, *by_nvml))


def in_wsl(facts: Facts) -> bool:
    return isinstance(facts.host.wsl, Known)


def driver_os(facts: Facts) -> str:
    """Whose driver versions count: WSL's driver is the Windows one and carries its numbers."""
    return "windows" if known(facts.host.os) == "windows" or in_wsl(facts) else "linux"


@record
class Device:
    """A GPU that this process would use; `path` is the fact that shows it."""

    name: str
    capability: ComputeCapability
    path: str

    @property
    def shown(self) -> str:
        return f"{self.name}, compute capability {self.capability}"


def devices(case: Case) -> tuple[Device, ...]:
    """The visible GPUs with their compute capability: as the driver shows them, else as NVML lists them.

    Raises NotApplicable where there is no GPU, Inconclusive where no capability could be found out.
    """
    shown = case.facts.driver.devices
    if isinstance(shown, Known) and shown.value:
        return tuple(
            Device(each.name, each.compute_capability, "driver.devices") for each in shown.value
        )
    by_nvml = case.facts.nvml.devices
    if isinstance(by_nvml, Known) and by_nvml.value:
        return tuple(listed(case, each) for each in by_nvml.value)
    need_gpu(case)
    for fact in (shown, by_nvml):
        if isinstance(fact, Failed):
            case.cant_tell(fact)
    raise Inconclusive("neither the driver nor NVML says which GPU this is")


def listed(case: Case, gpu: NvmlDevice) -> Device:
    """A GPU as NVML lists it; by its name where it does not tell the capability."""
    if isinstance(gpu.compute_capability, Known):
        return Device(gpu.name, gpu.compute_capability.value, "nvml.devices")
    by_name = case.matrix.gpu(gpu.name)
    if isinstance(by_name, Known):
        return Device(gpu.name, by_name.value, "nvml.devices")
    if isinstance(by_name, Absent):
        raise NotApplicable(by_name.reason)
    raise Inconclusive(by_name.error)
