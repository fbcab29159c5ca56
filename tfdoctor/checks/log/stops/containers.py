"""Containers, and the pods of Kubernetes, that do not start or get no GPU: what their engines say, what it means and what helps."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.own_words import words_of
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix


def started(saying: Saying) -> Candidate | None:
    """A title with what the line itself names; None for texts whose title is always the same."""
    told = saying.told
    titles = {
        "kubernetes-unschedulable": "Kubernetes finds no node for the pod: {message}.",
        "rocblas-no-arch": "ROCm's rocBLAS holds no code for this GPU ({value}).",
    }
    if saying.name not in titles:
        return None
    shown = {name: text.rstrip(" .") for name, text in told.items()}
    words = words_of(saying.name)
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=titles[saying.name].format(**shown))  # fmt: skip


_REFUSED_BY = {
    "toolkit-refused": ("container-without-gpu", "The NVIDIA Container Toolkit could not prepare the container: {message}."),
    "apptainer-refused": ("command-not-started", "Apptainer (Singularity) could not start the container: {message}."),
    "docker-refused": ("command-not-started", "Docker refused to start the container: {message}."),
}  # fmt: skip
"""The nearest to the cause first: Docker passes on what the toolkit says."""
_BEFORE_THE_PROGRAM = "The container was not started, so nothing of TensorFlow has run. The reason is what the message says last, before the word unknown."
_LONG = 200
_ALONE = (
    fix("see-whether-container-starts-at-all"),
    fix("restart-docker-on-host-where-been"),
)  # fmt: skip
_OF_APPTAINER = (
    fix("see-whether-image-itself-whole-and"),
    fix("have-say-more"),
)  # fmt: skip


def not_started(told: Testimony) -> Candidate | None:
    """A container that its engine refused, in words that no other signature knows."""
    if told.codes:
        return None
    for name, (code, title) in _REFUSED_BY.items():
        if said := told.named(name):
            message = said[0].told["message"].removesuffix(": unknown.").rstrip(" .")
            short = message if len(message) <= _LONG else f"… {message[-_LONG:]}"
            return Candidate(code, Confidence.LIKELY, tuple(map(place, said[:1])), _BEFORE_THE_PROGRAM, title=title.format(message=short))  # fmt: skip
    return None


def not_started_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where no engine refused in words of its own."""
    found = not_started(told)
    if found is None or found.code != code:
        return ()
    return _OF_APPTAINER if "Apptainer" in found.title else _ALONE
