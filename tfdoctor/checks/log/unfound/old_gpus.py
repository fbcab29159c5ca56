"""A GPU that is older than all published builds: the libraries that are missed, too, would not help it."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.gpus.cards import gpus
from tfdoctor.checks.log.testimony import place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.versions import ComputeCapability
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.libraries import on_cpu

_FIRST = ComputeCapability("3.5")
"""The lowest that TensorFlow's packages of pip have code for, from 1.0 to 2.x (its page "Install TensorFlow", GPU support, read 2026-11-23)."""


def too_old(case: Case, saying: Saying) -> Candidate | None:
    """None where a GPU of the log is new enough, or none is named."""
    devices = gpus(case)
    if not devices or max(each.compute_capability for each in devices) >= _FIRST:
        return None
    device = devices[0]
    words = (
        f"{device.name} has compute capability {device.compute_capability}. What pip installs has never held code for GPUs below {_FIRST}. "
        "It does not find CUDA's libraries, either; they would not help. TensorFlow computes on the processor."
    )
    title = f"The GPU is older than every published TensorFlow (compute capability {device.compute_capability}, and {_FIRST} is the lowest)."
    return Candidate("compute-capability-too-low", Confidence.LIKELY, (place(saying),), words, title=title)


def old_gpu_fixes(case: Case) -> tuple[Fix, ...]:
    """() where the GPU is new enough for some release, or none is named."""
    devices = gpus(case)
    if not devices:
        return ()
    if max(each.compute_capability for each in devices) >= _FIRST:
        number = devices[0].compute_capability
        return (
            fix("take-newest-tensorflow-code-for-compute", called=devices[0].name, number=number),
            on_cpu(case.facts),
        )
    build = fix("to-use-gpu-all-same-old")
    return (on_cpu(case.facts), build)
