"""A GPU of Intel's or AMD's, and a TensorFlow that is built for NVIDIA's CUDA."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Place
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

CODE = "gpu-absent"
_DIRECTML = fix("on-windows-use-microsofts-plug-in")
_ELSEWHERE = fix("for-work-on-gpu-use-machine")
_ROCM = fix("on-linux-use-amds-image-holds")


def of_another_maker(facts: Facts, at: tuple[Place, ...]) -> Candidate | None:
    """None where the log names no GPU of Intel's or AMD's, or one of NVIDIA's beside it."""
    name = shown(facts).other_gpu
    if not name or value_or(facts.host.os, "linux") == "macos":
        return None
    words = (
        f"The log names {name} and no GPU of NVIDIA's. TensorFlow's own builds use NVIDIA's GPUs alone, so neither a driver nor CUDA nor cuDNN changes what it shows here. It computes "
        "on the processor."
    )
    title = f"The GPU that the log names is {name}, and TensorFlow's own builds use NVIDIA's alone."
    return Candidate(CODE, Confidence.LIKELY, at, words, title=title)


def maker_fixes(facts: Facts) -> tuple[Fix, ...]:
    """() where no GPU of another maker is named."""
    name = shown(facts).other_gpu
    if not name:
        return ()
    on_windows = value_or(facts.host.os, "linux") == "windows" and not isinstance(facts.host.wsl, Known)
    own = _DIRECTML if on_windows else _ROCM if "Radeon" in name else None
    return (own, _ELSEWHERE) if own is not None else (_ELSEWHERE,)
