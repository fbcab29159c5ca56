"""Whether the loaded kernel module and the user-space driver are of one version, which NVIDIA's driver demands."""

from __future__ import annotations

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Fact, Failed, Known
from tfdoctor.facts.versions import DriverRelease


def library_release(facts: Facts) -> Fact[DriverRelease]:
    """The release of the user-space driver: libcuda's own, else what NVML's library says.

    `driver.version` will not do: it may be the kernel module's.
    """
    for found in (facts.driver.library, facts.nvml.library):
        version = found.value.version if isinstance(found, Known) else found
        if isinstance(version, Known) and version.value.text.count(".") in (
            1,
            2,
        ):  # "1" and "1.2.3.4" are none
            return Known(version.value.as_kind(DriverRelease), version.source)
    return Failed("neither libcuda's nor NVML's file says its release", "missing")


def pair(facts: Facts) -> tuple[DriverRelease, DriverRelease] | None:
    """Kernel module and library releases where both are known."""
    module, library = facts.driver.module_version, library_release(facts)
    if isinstance(module, Known) and isinstance(library, Known):
        return module.value, library.value
    return None


def differ(facts: Facts) -> bool:
    """True only where both are known and differ."""
    found = pair(facts)
    return found is not None and found[0] != found[1]
