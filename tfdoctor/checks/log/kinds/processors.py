"""Instructions that TensorFlow was compiled for and that the processor, as the program sees it, does not have."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence

_IN_ORDER = ("SSE", "SSE2", "SSE3", "SSE4.1", "SSE4.2", "AVX")
"""What TensorFlow asks a processor for first, in this order (core/platform/cpu_feature_guard.cc): it dies at the first that is missing."""


def lacks_instructions(saying: Saying) -> Candidate | None:
    """None where AVX or something older is missing, which Rosetta and qemu lack, too: then the architecture is in question."""
    flag = saying.told.get("flag", "").strip()
    if saying.name != "cpu-feature-guard-fatal" or flag in _IN_ORDER:
        return None
    words = (
        f"TensorFlow was compiled for {flag} and looks for it when it is loaded. It was content with AVX before that, so this is an x86 processor that has AVX: either it is "
        f"one from before {flag}, or a virtual machine shows a plain model of processor, which hides what the real one can do. Another TensorFlow wheel of today asks for the same."
    )
    opened = question(("cpu-instructions-missing", "foreign-architecture"), "host.cpu_flags")
    return Candidate("cpu-instructions-missing", Confidence.LIKELY, (place(saying),), words, opened, f"This TensorFlow was compiled for {flag}, which the processor does not have or a virtual machine hides.")  # fmt: skip
