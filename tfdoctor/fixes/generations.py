"""Which branches of NVIDIA's driver, and which of its two kernel modules, serve a GPU, by its number on the PCI bus.

The bus tells this number although no driver starts. Ranges: the PCI ID database. Branches and modules: NVIDIA's
driver 595 in NixOS/nixos-hardware issue 1880 (2026-05), the open module's refusal of a GT 1030 in
negativo17/nvidia-driver issue 158 (2024-08), NVIDIA/open-gpu-kernel-modules issues 19 and 862 (2022-05, 2025-07),
and the Unix driver release notes of 455.23, 495.44, 520.56 and 570.86, which add or drop these GPUs.
"""

from __future__ import annotations

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.values import PciGpu
from tfdoctor.facts.versions import ComputeCapability
from tfdoctor.light.records import record

OPEN, PROPRIETARY = "open", "proprietary"


@record
class Generation:
    """GPUs that the same drivers serve. `module` "": either kind; `last` 0: no end is known."""

    name: str
    ids: tuple[tuple[int, int], ...]
    first: int = 0  # the first branch of the driver that knows all or some of them
    last: int = 0  # the last one that serves them
    module: str = ""


GENERATIONS = (
    Generation(
        "Kepler", ((0x0FC0, 0x103F), (0x1180, 0x11FF), (0x1280, 0x12BF)), last=470, module=PROPRIETARY
    ),
    Generation("Maxwell, Pascal or Volta", ((0x1340, 0x1DFF),), last=580, module=PROPRIETARY),
    Generation("Ampere", ((0x2200, 0x22FF), (0x2400, 0x25FF)), first=455),
    Generation("Ada", ((0x2680, 0x28FF),), first=520),
    Generation("Blackwell", ((0x2B80, 0x2FFF),), first=570, module=OPEN),
)


_LAST_BY_CAPABILITY = {3: 470, 5: 580, 6: 580, 7: 580}
"""The last branch for Linux, by the major capability; of 7.x that is Volta's, for Turing (7.5) is served by all."""
_TURING = ComputeCapability("7.5")


def last_branch(gpu: ComputeCapability) -> int:
    """The last branch of the driver for Linux that serves such a GPU; 0 where none is known to have dropped it."""
    return 0 if gpu >= _TURING else _LAST_BY_CAPABILITY.get(gpu.major, 0)


def generation(gpu: PciGpu) -> Generation | None:
    """None for other vendors, for Tegra's chips, and for GPUs that every driver of today serves."""
    try:
        number = int(gpu.device_id, 16)
    except ValueError:
        return None
    if gpu.vendor != "nvidia":
        return None
    return next((each for each in GENERATIONS if any(low <= number <= high for low, high in each.ids)), None)


def on_bus(facts: Facts) -> tuple[Generation, ...]:
    """The generations of this machine's GPUs, as far as they restrict the choice of a driver."""
    found = [generation(each) for each in value_or(facts.host.gpus_on_bus, ())]
    return tuple(each for each in found if each is not None)


def newest_branch(facts: Facts) -> int:
    """The last branch that serves every GPU of this machine; 0 where none of them was dropped."""
    return min((each.last for each in on_bus(facts) if each.last), default=0)


def oldest_branch(facts: Facts) -> int:
    """The first branch that knows every GPU of this machine; 0 where each driver of today does."""
    return max((each.first for each in on_bus(facts)), default=0)


def module_needed(facts: Facts) -> str:
    """The kind of kernel module that this machine's GPUs need: "open", "proprietary", or "" where either does."""
    kinds = {each.module for each in on_bus(facts)} - {""}
    return kinds.pop() if len(kinds) == 1 else ""


def module_loaded(facts: Facts) -> str:
    flavour = facts.driver.module_flavour
    return flavour.value if isinstance(flavour, Known) else ""
