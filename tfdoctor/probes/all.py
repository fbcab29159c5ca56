"""Every probe, in the order of the groups of `Facts`."""

from __future__ import annotations

from tfdoctor.probes import (
    cuda_libraries,
    driver,
    environment,
    host,
    interpreter,
    jupyter,
    kernel_log,
    memory,
    nvml,
    packages,
    tensorflow,
)
from tfdoctor.probes.runner import Probe

PROBES: tuple[Probe, ...] = (
    Probe("host", host.ask),
    Probe("memory", memory.ask),
    Probe("interpreter", interpreter.ask, limit_s=12.0),  # its child has 10 s
    Probe("packages", packages.ask, needs=("interpreter",), limit_s=10.0),
    Probe("tensorflow", tensorflow.ask, needs=("interpreter",), limit_s=100.0),  # --deep hashes 2 GB
    Probe("cuda_libraries", cuda_libraries.ask, needs=("host", "interpreter"), limit_s=12.0),
    Probe("driver", driver.ask, limit_s=12.0),  # its child has 10 s
    Probe("nvml", nvml.ask, limit_s=12.0),  # its child has 10 s
    Probe("kernel_log", kernel_log.ask, limit_s=8.0),
    Probe("jupyter", jupyter.ask, needs=("interpreter",)),
    Probe("environment", environment.ask),
)
