"""GPUs on the bus that the installed driver leaves out, and why: by the kernel log's words, else by their generation."""

from __future__ import annotations

from tfdoctor.checks.questions.abilities import slot
from tfdoctor.checks.questions.versions_match import library_release
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.values import PciGpu
from tfdoctor.facts.versions import DriverRelease
from tfdoctor.fixes.generations import OPEN, PROPRIETARY, Generation, generation, module_loaded
from tfdoctor.light.records import record

_ELSEWHERE = ("nouveau", "vfio-pci")
_NEWEST_BRANCH = 580
"""What is named where the log says only that a GPU is too new (fixes/driver.py, BRANCH)."""


@record
class Refused:
    """A GPU that the driver leaves out. `said` "": nothing in the log; `module`: the kind that it needs, or ""."""

    why: str  # "dropped", "too old", "open", "proprietary"
    gpu: str
    release: str
    branch: int
    module: str
    said: str = ""


def ignored(facts: Facts) -> tuple[Refused, ...]:
    """() where the driver shows every GPU, or nothing says that it does not support one."""
    left_out = [each for each in value_or(facts.host.gpus_on_bus, ()) if _left_out(facts, each)]
    if not left_out:
        return ()
    by_table = [refused for each in left_out if (refused := _by_generation(facts, each)) is not None]
    by_log = _by_log(facts, by_table[0].gpu if by_table else _name(left_out[0], generation(left_out[0])))
    return (by_log,) if by_log else tuple(by_table)


def _left_out(facts: Facts, gpu: PciGpu) -> bool:
    held = value_or(gpu.driver, "")
    return gpu.vendor == "nvidia" and held not in _ELSEWHERE and slot(gpu.address) not in _shown(facts)


def _shown(facts: Facts) -> set[str]:
    """The slots of the GPUs that the driver or NVML shows, hidden ones included."""
    by_driver = [each.pci_bus_id for each in value_or(facts.driver.devices, ())]
    by_nvml = [value_or(each.pci_bus_id, "") for each in value_or(facts.nvml.devices, ())]
    return {slot(each) for each in (*by_driver, *by_nvml)}


def _release(facts: Facts) -> DriverRelease | None:
    """The module's release; without one the library's, which was installed with it."""
    module = facts.driver.module_version
    found = module if isinstance(module, Known) else library_release(facts)
    return found.value if isinstance(found, Known) else None


def _by_generation(facts: Facts, gpu: PciGpu) -> Refused | None:
    kind, release = generation(gpu), _release(facts)
    if kind is None or release is None:
        return None
    branch = release.major
    name, loaded = _name(gpu, kind), module_loaded(facts)
    if kind.last and branch > kind.last:
        return Refused("dropped", name, release.text, kind.last, kind.module)
    if kind.first and branch < kind.first:
        return Refused("too old", name, release.text, max(kind.first, _NEWEST_BRANCH), kind.module)
    if kind.module and loaded and loaded != kind.module:
        return Refused(kind.module, name, release.text, kind.last or max(branch, _NEWEST_BRANCH), kind.module)
    return None


def _name(gpu: PciGpu, kind: Generation | None) -> str:
    family = f"a {kind.name} GPU".replace("a A", "an A") if kind else "a GPU"
    return f"{family} (PCI 10de:{gpu.device_id})" if gpu.device_id else family


def _by_log(facts: Facts, gpu: str) -> Refused | None:
    messages: tuple[str, ...] = value_or(facts.kernel_log.nvidia_messages, ())
    if not messages:
        return None
    from tfdoctor.signatures.catalogue import first  # seldom needed

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
"""What the module writes about a GPU that it leaves out (for the issues see fixes/generations.py)."""
