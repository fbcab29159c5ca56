"""What was seen to work on this machine, which overrules what any table says."""

from __future__ import annotations

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, known, value_or
from tfdoctor.facts.smoke_values import DeviceSmoke, TensorFlowSmoke
from tfdoctor.judge.engine.case import Ability

OUT_OF_MEMORY = 2
"""CUDA_ERROR_OUT_OF_MEMORY (cuda.h of CUDA 12.9)."""


def abilities_seen(facts: Facts) -> frozenset[Ability]:
    """The abilities that the smoke ladder saw at work, right numbers included."""
    abilities: set[Ability] = set()
    driver, tensorflow = facts.smoke.driver, facts.smoke.tensorflow
    if isinstance(driver, Known) and {device.status for device in driver.value.devices} == {
        "passed"
    }:
        abilities.add(Ability.DRIVER)
    if isinstance(tensorflow, Known):
        abilities |= _of_tensorflow(tensorflow.value, facts)
    return frozenset(abilities)


def computed_right(facts: Facts) -> frozenset[str]:
    """The slots of the GPUs on each of which the driver stage's own kernel was seen to compute right."""
    return _slots(facts, {each.index for each in _driver_stage(facts) if each.status == "passed"})


def tensorflow_computed(facts: Facts) -> frozenset[str]:
    """The slots of the GPUs on each of which TensorFlow did all that it was asked for, whatever its numbers."""
    return _computed(facts, "passed", "wrong") - tensorflow_failed_on(facts)


def tensorflow_failed_on(facts: Facts) -> frozenset[str]:
    """The slots of the GPUs on each of which one of TensorFlow's computations failed."""
    return _computed(facts, "failed")


def memory_refused_on(facts: Facts) -> frozenset[str]:
    """The slots of the GPUs on each of which the driver stage, which needs next to nothing, was told that no memory is left."""
    return _slots(
        facts,
        {each.index for each in _driver_stage(facts) if value_or(each.code, 0) == OUT_OF_MEMORY},
    )


def _driver_stage(facts: Facts) -> tuple[DeviceSmoke, ...]:
    smoke = known(facts.smoke.driver)
    return smoke.devices if smoke else ()


def _computed(facts: Facts, *ends: str) -> frozenset[str]:
    smoke = known(facts.smoke.tensorflow)
    done = [each.device for each in smoke.computations if each.status in ends] if smoke else []
    return _slots(facts, {int(name[4:]) for name in done if name.startswith("GPU:")})


def _slots(facts: Facts, indices: set[int]) -> frozenset[str]:
    devices = value_or(facts.driver.devices, ())
    return frozenset(slot(each.pci_bus_id) for each in devices if each.index in indices)


def slot(pci_bus_id: str) -> str:
    """A GPU's place on the bus without the function's number: NVML writes the domain with eight digits, the driver
    API with four, and an Xid leaves the function out."""
    return pci_bus_id.lower().lstrip("0:").partition(".")[0]


def _of_tensorflow(smoke: TensorFlowSmoke, facts: Facts) -> set[Ability]:
    abilities: set[Ability] = set()
    if isinstance(smoke.imported, Known):
        abilities.add(Ability.IMPORT)
    passed = {item.device for item in smoke.computations if item.status == "passed"}
    failed = {item.device for item in smoke.computations if item.status != "passed"}
    if not smoke.finished and (smoke.end.how != "exit" or smoke.end.status != 0):
        return abilities
    if any(device.startswith("CPU") for device in passed - failed):
        abilities.add(Ability.COMPUTE)
    gpus = {device for device in passed - failed if device.startswith("GPU")}
    visible = facts.driver.devices
    if gpus and not failed and isinstance(visible, Known) and len(gpus) >= len(visible.value):
        abilities |= {Ability.GPU, Ability.COMPUTE}
    return abilities
