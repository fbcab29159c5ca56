"""A GPU that Windows or macOS took away, or that gives nothing: DirectML's and Metal's words, what they mean and what helps."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.own_words import title_of_text, words_of
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence


def of_plugin(told: Testimony, saying: Saying) -> Candidate | None:
    """What the same plug-in says more exactly beside it; None where it means what it says."""
    if saying.name == "metal-command-buffer" and (full := told.named("metal-no-memory")):
        words = words_of("metal-no-memory")
        return Candidate("gpu-out-of-memory", Confidence.CERTAIN, (place(full[0]), place(saying)), words, title=title_of_text("metal-no-memory"))  # fmt: skip
    if saying.name == "dml-no-adapter" and (shadowed := told.of("wsl-driver-shadowed")):
        return Candidate("wsl-driver-shadowed", Confidence.LIKELY, (place(shadowed[0]), place(saying)))
    if saying.name == "plugin-stopped" and (lost := told.named("dml-device-removed")):
        words = words_of("dml-device-removed")
        return Candidate("cuda-context-poisoned", Confidence.LIKELY, (place(lost[0]), place(saying)), words, title=title_of_text("dml-device-removed"))  # fmt: skip
    return None
