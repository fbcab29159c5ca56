"""The GPUs of a log: those that TensorFlow or the driver describe, else the one that somebody names."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import shown
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.values import CudaDevice


def gpus(case: Case) -> tuple[CudaDevice, ...]:
    """() where the log names none, or several of different generations in words alone."""
    devices = case.facts.driver.devices
    if isinstance(devices, Known):
        return devices.value
    found = []
    for name in shown(case.facts).cards:
        capability = case.matrix.gpu(name)
        if isinstance(capability, Known):
            found.append(CudaDevice(0, name, capability.value, 0, "", ""))
    return tuple(found[:1]) if len({each.compute_capability.major for each in found}) == 1 else ()
