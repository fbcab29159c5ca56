"""Every probe, in the order of the groups of `Facts`."""

from __future__ import annotations

from tfdoctor.probes import environment, host, jupyter, kernel_log, memory
from tfdoctor.probes.runner import Probe

PROBES: tuple[Probe, ...] = (
    Probe("host", host.ask),
    Probe("memory", memory.ask),
    Probe("kernel_log", kernel_log.ask, limit_s=8.0),
    Probe("jupyter", jupyter.ask, needs=("interpreter",)),
    Probe("environment", environment.ask),
)
