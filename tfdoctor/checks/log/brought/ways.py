"""The ways out of what comes from elsewhere: another program on the GPU, a library of another package, a board, a compiler."""

from __future__ import annotations

from tfdoctor.checks.log.brought.boards import board_fixes
from tfdoctor.checks.log.brought.handles import handle_fixes
from tfdoctor.checks.log.brought.linked import linked_driver_fixes
from tfdoctor.checks.log.brought.shared_gpu import shared_gpu_fixes
from tfdoctor.checks.log.gpus.drivers import checked_fixes
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix


def brought_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where nothing of them is concerned."""
    return (
        shared_gpu_fixes(code, facts, told)
        or handle_fixes(code, facts, told)
        or board_fixes(code, facts, told)
        or checked_fixes(code, told)
        or (linked_driver_fixes(told) if code == "driver-missing" else ())
    )
