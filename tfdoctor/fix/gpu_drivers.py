"""Which drivers and which kind of kernel module serve this machine's GPUs, by the matrix.

The bus tells a GPU's PCI ID although no driver starts; a driver or a log tells its name and compute capability.
"""

from __future__ import annotations

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.values import PciGpu
from tfdoctor.facts.versions import DriverRelease
from tfdoctor.knowledge.matrix.model import GpuDrivers
from tfdoctor.knowledge.matrix.query import Matrix

OPEN, PROPRIETARY = "open", "proprietary"


def drivers_of(gpu: PciGpu, matrix: Matrix) -> GpuDrivers | None:
    """None for other vendors, for Tegra's chips, and for GPUs that the matrix does not know by PCI ID."""
    found = matrix.gpu_drivers(None, device_id=gpu.device_id) if gpu.vendor == "nvidia" else None
    return found.value if isinstance(found, Known) else None


def known_gpus(facts: Facts, matrix: Matrix) -> tuple[GpuDrivers, ...]:
    """The rows of this machine's GPUs, as far as the bus, the driver or NVML tells which they are."""
    on_bus = [drivers_of(each, matrix) for each in value_or(facts.host.gpus_on_bus, ())]
    shown = [
        matrix.gpu_drivers(each.compute_capability, each.name)
        for each in value_or(facts.driver.devices, ())
    ]
    listed = [
        matrix.gpu_drivers(
            each.compute_capability.value if isinstance(each.compute_capability, Known) else None,
            each.name,
        )
        for each in value_or(facts.nvml.devices, ())
    ]
    named = [each.value for each in (*shown, *listed) if isinstance(each, Known)]
    return tuple(dict.fromkeys((*(each for each in on_bus if each is not None), *named)))


def last_branch(facts: Facts, matrix: Matrix) -> int:
    """The last branch that serves every GPU of this machine; 0 where none of them was dropped."""
    return min((each.last for each in known_gpus(facts, matrix) if each.last), default=0)


def first_driver(facts: Facts, matrix: Matrix) -> DriverRelease | None:
    """The lowest driver that serves every GPU of this machine, as far as it is known."""
    known = [
        each.first.value for each in known_gpus(facts, matrix) if isinstance(each.first, Known)
    ]
    return max(known, default=None)


def module_needed(facts: Facts, matrix: Matrix, branch: int) -> str:
    """The kind of kernel module of that branch that this machine's GPUs need: "open", "proprietary", or "" for either.

    Where no GPU is known, the kind that every GPU needs that the branch serves.
    """
    gpus = known_gpus(facts, matrix) or tuple(
        each for each in matrix.gpu_driver_rows if not each.last or branch <= each.last
    )
    kinds = {each.module_of(branch) for each in gpus if each.name != "Jetson"}
    return kinds.pop() if len(kinds) == 1 else ""


def module_loaded(facts: Facts) -> str:
    return value_or(facts.driver.module_flavour, "")
