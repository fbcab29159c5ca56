"""A card that Windows took from DirectML: what to do first depends on what the program did when it happened."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Finding, Fix

_TAKEN = "dml-device-removed"
_HEAP = "CreateHeap("
"""DirectML asks Direct3D for its first piece of the card's memory."""
_SMALLER_HEAP = fix("have-directml-take-cards-memory-in")
"""The plug-in's makers in microsoft/DirectML#95 (2021-03)."""
_DRIVER = fix("bring-cards-driver-up-to-date")


def taken(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """() for other losses of a card, and where a training had come to a step: there the batch comes first."""
    said = told.named(_TAKEN)
    if not said or told.went_on(said[0].file):
        return ()
    small = (_SMALLER_HEAP,) if any(_HEAP in each.text for each in said) else ()
    return (*small, _DRIVER)
