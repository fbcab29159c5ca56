"""A kernel that died behind large allocations: no proof, and still the first thing to look at."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.light.expressions import Expression  # reads no log: the number in a line that was heard already
from tfdoctor.light.records import replace

OF_A_KILL = {
    "host-oom-killed": "The program was killed from outside (SIGKILL), mostly because the machine's memory ran out.",
    "container-oom-killed": "The program was killed from outside (SIGKILL), mostly at its container's limit of memory.",
}
"""Titles of an end that only tells that it was one."""
_LARGE = ("allocation-tenth", "allocation-tenth-old", "large-alloc")
_DIED = "jupyter-kernel-died"
_KILLS = ("host-oom-killed", "container-oom-killed")
_WORTH_TELLING = 500_000_000  # a smaller piece fills no machine by itself
_BYTES = Expression(r"\b(?P<bytes>\d{7,15})\b")
_FIRST = fix("watch-machines-memory-while-same-cell")


def behind_large_pieces(facts: Facts, told: Testimony) -> bool:
    """More than a tenth of the free memory, or a gigabyte, was asked for at once, and no step is told after that."""
    lines = [(each.file, each.line) for each in value_or(facts.log.noise, ()) if each.name in _LARGE]
    worked = [place(each) for each in told.named("keras-step", "epoch")]
    return bool(lines) and not any(each > min(lines) for each in worked)


def with_memory_first(facts: Facts, told: Testimony, found: Candidate) -> Candidate:
    """A death with the large allocation that stands before it; any other candidate as it is."""
    if found.code in _KILLS and found.title in ("", *OF_A_KILL.values()) and behind_large_pieces(facts, told):
        return _killed_behind_it(facts, found)
    if found.code != _DIED or not behind_large_pieces(facts, told):
        return found
    words = (
        "The process behind the notebook ended, and Jupyter does not keep the exit status. The log tells of very large pieces of memory that "
        "were taken at once, which is no error; but a process that dies behind such lines mostly used up the memory, and the system killed it."
    )
    title = "The notebook's kernel died behind large allocations: the machine's memory is the first suspect."
    opened = question(("host-oom-killed", "container-oom-killed", "native-crash"), "kernel_log.oom_kills")
    return replace(found, explanation=words, title=title, open=opened)


def _killed_behind_it(facts: Facts, found: Candidate) -> Candidate:
    """The line counts as evidence then, and not among those that mean nothing."""
    large = [each for each in value_or(facts.log.noise, ()) if each.name in _LARGE]
    sizes = (_BYTES.search(each.text) for each in large)
    size = max((int(each["bytes"]) for each in sizes if each is not None), default=0)
    if size < _WORTH_TELLING:
        return found
    words = (
        f"{found.explanation} Before that the program asked for {size / 1e9:.1f} GB in one piece. TensorFlow warns of that where it is more than a tenth of what is free; the memory is "
        "used up when the piece is filled."
    ).strip()
    ran_out = f"mostly because memory ran out: it had just asked for {size / 1e9:.1f} GB in one piece."
    title = f"The program was killed from outside (SIGKILL), {ran_out}"
    places = (*found.places, *((each.file, each.line) for each in large))
    sure = Confidence.LIKELY if found.confidence is Confidence.POSSIBLE else found.confidence
    return replace(found, explanation=words, title=title, places=places, confidence=sure)


def memory_first_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() for the page's."""
    return (_FIRST, *ways_out(_DIED)) if behind_large_pieces(facts, told) else ()
