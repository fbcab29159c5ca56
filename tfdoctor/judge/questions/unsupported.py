"""GPUs on the bus that the installed driver leaves out, and why: by the kernel log's words, else by their PCI ID."""

from __future__ import annotations

from tfdoctor.base.records import record
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, known, value_or
from tfdoctor.facts.values import PciGpu
from tfdoctor.facts.versions import DriverRelease
from tfdoctor.fix.gpu_drivers import OPEN, PROPRIETARY, drivers_of, module_loaded
from tfdoctor.judge.questions.abilities import slot
from tfdoctor.judge.questions.versions_match import library_release
from tfdoctor.knowledge.matrix.model import GpuDrivers
from tfdoctor.knowledge.matrix.query import Matrix

_ELSEWHERE = ("nouveau", "vfio-pci")
_NEWEST_BRANCH = 580
"""What is named where the log says only that a GPU is too new (fixes/driver.py, BRANCH)."""


@record
class Refused:
    """A GPU that the driver leaves out. `said` "": nothing in the log; `module`: the kind that it needs, or ""."""

    why: str  # "dropped", "too old", "not listed", "open", "proprietary"
    gpu: str
    release: str
    branch: int
    module: str
    said: str = ""
    listed: str = ""  # the release that first lists this product
    source: str = ""


def ignored(facts: Facts, matrix: Matrix) -> tuple[Refused, ...]:
    """() where the driver shows every GPU, or nothing says that it does not support one. A device without an address is one that
    somebody described: no driver has shown it.
    """
    left_out = [each for each in value_or(facts.host.gpus_on_bus, ()) if _left_out(facts, each)]
    described = [each for each in value_or(facts.driver.devices, ()) if not each.pci_bus_id]
    if not left_out:
        rows = (
            (each.name, known(matrix.gpu_drivers(each.compute_capability, each.name)))
            for each in described
        )
        answers = (_by_drivers(facts, name, drivers) for name, drivers in rows)
        return tuple(each for each in answers if each is not None)
    by_table = [
        refused for each in left_out if (refused := _by_table(facts, each, matrix)) is not None
    ]
    by_table.sort(key=lambda refused: refused.why == "not listed")
    name = by_table[0].gpu if by_table else _name(left_out[0], drivers_of(left_out[0], matrix))
    by_log = _by_log(facts, name)
    return (by_log,) if by_log else tuple(by_table)


def _left_out(facts: Facts, gpu: PciGpu) -> bool:
    held = value_or(gpu.driver, "")
    return (
        gpu.vendor == "nvidia" and held not in _ELSEWHERE and slot(gpu.address) not in _shown(facts)
    )


def _shown(facts: Facts) -> set[str]:
    """The slots of the GPUs that the driver or NVML shows, hidden ones included."""
    by_driver = [each.pci_bus_id for each in value_or(facts.driver.devices, ())]
    by_nvml = [value_or(each.pci_bus_id, "") for each in value_or(facts.nvml.devices, ())]
    return {slot(each) for each in (*by_driver, *by_nvml)}


def _release(facts: Facts) -> DriverRelease | None:
    """The module's release; without one the library's, which was installed with it."""
    module = facts.driver.module_version
    return known(module if isinstance(module, Known) else library_release(facts))


def _by_table(facts: Facts, gpu: PciGpu, matrix: Matrix) -> Refused | None:
    drivers = drivers_of(gpu, matrix)
    return _by_drivers(facts, _name(gpu, drivers), drivers)


def _by_drivers(facts: Facts, name: str, drivers: GpuDrivers | None) -> Refused | None:
    """Why the installed driver does not serve the GPU, by the drivers that do."""
    release = _release(facts)
    if drivers is None or release is None:
        return None
    branch = release.major
    module = drivers.module_of(
        max(branch, drivers.first.value.major if isinstance(drivers.first, Known) else 0)
    )
    loaded, newest = module_loaded(facts), max(branch, _NEWEST_BRANCH)

    def refused(why: str, needed: int, listed: str = "") -> Refused:
        return Refused(
            why, name, release.text, needed, module, listed=listed, source=drivers.source
        )

    if drivers.last and branch > drivers.last:
        return refused("dropped", drivers.last)
    if isinstance(drivers.first, Known) and release < drivers.first.value:
        return refused("too old", max(drivers.first.value.major, _NEWEST_BRANCH))
    if module and loaded and loaded != module:
        return refused(module, drivers.last or newest)
    first_listed = drivers.not_listed(release)
    return refused("not listed", newest, first_listed.text) if first_listed is not None else None


def _name(gpu: PciGpu, drivers: GpuDrivers | None) -> str:
    family = (
        f"{'an' if drivers.name[0] in 'AEIO' else 'a'} {drivers.name} GPU" if drivers else "a GPU"
    )
    return f"{family} (PCI 10de:{gpu.device_id})" if gpu.device_id else family


def _by_log(facts: Facts, gpu: str) -> Refused | None:
    messages: tuple[str, ...] = value_or(facts.kernel_log.nvidia_messages, ())
    if not messages:
        return None
    from tfdoctor.knowledge.messages.catalogue import first  # seldom needed

    text = " ".join(" ".join(messages).replace("NVRM:", " ").split())
    hit = first(text, *_MEANS)
    if hit is None:
        return None
    why, module = _MEANS[hit.signature.name]
    release = _release(facts)
    present = release.major if release is not None else 0
    named = int(hit.told["branch"]) if why == "dropped" else max(present, _NEWEST_BRANCH)
    wanted = min(named, _NEWEST_BRANCH) if why == "proprietary" else named
    return Refused(why, gpu, release.text if release is not None else "", wanted, module, hit.text)


_MEANS = {
    "nvrm-legacy-branch": ("dropped", PROPRIETARY),
    "nvrm-not-by-open-module": ("proprietary", PROPRIETARY),
    "nvrm-needs-open-module": ("open", OPEN),
    "nvrm-not-by-release": ("too old", ""),
}
"""What the module writes about a GPU that it leaves out (NixOS/nixos-hardware issue 1880, negativo17/nvidia-driver
issue 158, NVIDIA/open-gpu-kernel-modules issues 19 and 862)."""
