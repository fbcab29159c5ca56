"""AMD's GPUs: what a line of ROCm tells of an architecture."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.outcome import Known

_LIST = "supported AMDGPU versions"
_RELATIVES = {"gfx103": ("gfx1030", "10.3.0"), "gfx110": ("gfx1100", "11.0.0")}
"""Generations whose GPUs run each other's code, with the member that ROCm's builds hold code for (ROCm/legacy-rocm-build#2353, 2023-08)."""
_GIVEN_UP = {"gfx803": "3.5", "gfx900": "4.5", "gfx906": "5.7"}
"""The last ROCm that AMD itself supported each with, by ROCm's release notes of 4.0, 4.5 and 6.0."""


def joined_architectures(case: Case, told: Testimony, saying: Saying) -> Mapping[str, str] | None:
    """ "gfx1030gfx1100" where the build's list holds the GPU's own architecture so: a comma is missing."""
    names = (each.strip(" .") for each in saying.text.partition(_LIST)[2].removeprefix(" are ").split(","))
    own = saying.told["capability"]
    joined = next((each for each in names if each != own and own in each and each.count("gfx") > 1), "")
    return {"joined": joined} if joined else None


def relative_architecture(case: Case, told: Testimony, saying: Saying) -> Mapping[str, str] | None:
    """The architecture of the same generation that the build holds code for, and its number for HSA_OVERRIDE_GFX_VERSION."""
    own = saying.told["capability"]
    name, number = _RELATIVES.get(own[:-1], ("", ""))
    held = bool(name) and name != own and name in saying.text.partition(_LIST)[2]
    return {"own": own, "called": name, "value": number} if held else None


def last_rocm(case: Case, told: Testimony, saying: Saying) -> Mapping[str, str] | None:
    """The last ROCm for an architecture that AMD gave up."""
    own = saying.told["capability"]
    return {"own": own, "last": _GIVEN_UP[own]} if own in _GIVEN_UP else None


def rock_not_loaded(case: Case, told: Testimony, saying: Saying) -> Mapping[str, str] | None:
    """Whether rocminfo finds no module loaded, which means nothing in a container, where nobody can ask for modules."""
    boxed = isinstance(case.facts.host.container, Known)
    lacking = any("ROCk module is NOT loaded" in each.text for each in told.named("rocm-no-device"))
    return {} if lacking and not boxed else None


def rocblas_architecture(case: Case, told: Testimony, saying: Saying) -> Mapping[str, str] | None:
    """The architecture that rocBLAS names, by itself or in the name of the file that it does not find."""
    arch = saying.told.get("value") or saying.told["file"].partition("_gfx")[2].partition(".")[0]
    if not arch:
        return None
    return {"arch": arch if arch.startswith("gfx") else f"gfx{arch}"}
