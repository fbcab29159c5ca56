"""A kernel that died behind large allocations: no proof, and still the first thing to look at."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.light.records import replace

_LARGE = ("allocation-tenth", "allocation-tenth-old", "large-alloc")
_DIED = "jupyter-kernel-died"
_FIRST = Fix(
    "Watch the machine's memory while the same cell runs again. If it runs full, take smaller batches and keep less data at once",
    ("free -h",),
    "Type it again and again while the cell runs; it changes nothing. On a shared server the limit of your own session may be lower than the machine's memory.",
)


def behind_large_pieces(facts: Facts, told: Testimony) -> bool:
    """More than a tenth of the free memory, or a gigabyte, was asked for at once, and no step is told after that."""
    lines = [(each.file, each.line) for each in value_or(facts.log.noise, ()) if each.name in _LARGE]
    worked = [place(each) for each in told.named("keras-step", "epoch")]
    return bool(lines) and not any(each > min(lines) for each in worked)


def with_memory_first(facts: Facts, told: Testimony, found: Candidate) -> Candidate:
    """The death of a kernel with what stands before it; any other candidate as it is."""
    if found.code != _DIED or not behind_large_pieces(facts, told):
        return found
    words = (
        "The process behind the notebook ended, and Jupyter does not keep the exit status. The log tells of very large pieces of memory that "
        "were taken at once, which is no error; but a process that dies behind such lines mostly used up the memory, and the system killed it."
    )
    title = "The notebook's kernel died behind large allocations: the machine's memory is the first suspect."
    opened = question(("host-oom-killed", "container-oom-killed", "native-crash"), "kernel_log.oom_kills")
    return replace(found, explanation=words, title=title, open=opened)


def memory_first_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() for the page's."""
    return (_FIRST, *ways_out(_DIED)) if behind_large_pieces(facts, told) else ()
