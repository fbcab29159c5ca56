"""The ways out of these deaths, by their code."""

from __future__ import annotations

from tfdoctor.checks.log.deaths.copies import copy_fixes
from tfdoctor.checks.log.deaths.fast_fail import fast_fail_fixes
from tfdoctor.checks.log.deaths.grown import FIXES
from tfdoctor.checks.log.deaths.widths import width_fixes
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix


def death_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the program died of something else."""
    if code == "host-memory-leak":
        return FIXES
    if code == "fork-after-init":
        return copy_fixes(told)
    if code == "foreign-architecture":
        return width_fixes(facts, told)
    return fast_fail_fixes(code, told) if code == "windows-cudnn-dll-missing" else ()
