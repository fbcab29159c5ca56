"""cuDNN that could not be set up although the GPU has memory: the line below the error tells how much."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_NAMES = ("cudnn-handle", "dnn-init-failed", "dnn-not-found", "dnn-not-in-executor")
_USAGE = "gpu-memory-usage"
_CODE = "cudnn-version-mismatch"
_HALF = 2
_ENOUGH = 1 << 30
"""Bytes: cuDNN's own memory and the largest of its usual workspaces (TensorFlow's limit for them, 4 GiB, is a limit and no need)."""
_LOOK = fix("if-stays-see-cudnn-are-and")


def of_handle(told: Testimony, saying: Saying) -> Candidate | None:
    """None where memory is short, or nothing tells how much there is."""
    if saying.name not in _NAMES or not _is_free(told):
        return None
    usage = told.named(_USAGE)[-1].told
    free, total = int(usage["free"]), int(usage["total"])
    title = f"cuDNN could not be set up, and memory is not what it lacks ({free / 1e9:.1f} of {total / 1e9:.1f} GB are free): the cuDNN that is loaded does not fit, or a part of it is missing."
    words = "The line below the error tells how much of the GPU's memory is free. cuDNN needs a few hundred megabytes. What else stops it at its start is a release that does not fit to this build or to the driver, or parts of two cuDNNs that meet."
    opened = question((_CODE, "cudnn-incomplete", "driver-too-old"), "cuda_libraries.cudnn_parts")
    return Candidate(_CODE, Confidence.LIKELY, (place(saying), place(told.named(_USAGE)[-1])), words, opened, title)  # fmt: skip


def _is_free(told: Testimony) -> bool:
    said = told.named(_USAGE)
    if not said:
        return False
    free, total = int(said[-1].told["free"]), int(said[-1].told["total"])
    return free >= _ENOUGH and free * _HALF >= total


def handle_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() for other codes, and where memory is short."""
    if code != _CODE or not told.named(*_NAMES) or not _is_free(told):
        return ()
    wanted = '"jax[cuda12]"' if shown(facts).jax else "'tensorflow[and-cuda]'"
    whole = fix("install-cudnn-made-for-with-all", python=interpreter(facts), wanted=wanted)
    return (whole, _LOOK)
