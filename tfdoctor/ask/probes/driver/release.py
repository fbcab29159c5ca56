"""The driver's one release, joined from all that tell it when the probes have answered."""

from __future__ import annotations

from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import NOT_ASKED, Absent, Fact, Failed, Known, map_known
from tfdoctor.facts.versions import DriverRelease


def joined(facts: Facts) -> Facts:
    """The facts with `driver.version`: NVML's word, else the loaded kernel module's, else the one of libcuda's name."""
    return replace(facts, driver=replace(facts.driver, version=_release(facts)))


def _release(facts: Facts) -> Fact[DriverRelease]:
    told = [facts.nvml.driver_version, facts.driver.module_version, _of_library(facts)]
    asked = [fact for fact in told if not (isinstance(fact, Failed) and fact.kind == "not-asked")]
    for outcome in (Known, Failed):
        for fact in asked:
            if isinstance(fact, outcome):
                return fact
    return Absent("no NVIDIA driver is loaded or installed") if asked else NOT_ASKED


def _of_library(facts: Facts) -> Fact[DriverRelease]:
    library = facts.driver.library
    version = library.value.version if isinstance(library, Known) else library
    return map_known(version, lambda release: release.as_kind(DriverRelease))
