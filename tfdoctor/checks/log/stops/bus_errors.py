"""A bus error: memory that was mapped could not be filled. Among several processes, and in containers, that is mostly /dev/shm."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.resources.shared_memory import DOCKER_SHM
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.signatures.mapped import is_loading, names_several

_CODE = "shared-memory-too-small"
_OTHERS = (_CODE, "native-crash", "tensorflow-install-broken", "disk-full")
_TITLE = "The program died of a bus error (SIGBUS): memory that it had mapped could not be filled, mostly because /dev/shm is full."
_WORDS = (
    "SIGBUS comes where a piece of memory stands for a file and the file gives no room. The file is mostly one in /dev/shm, the folder in memory by which processes and GPUs of "
    "one machine exchange data: Docker and Kubernetes give a container 64 MiB of it. Else the disk is full, or a file was cut short while it was in use. Python code alone "
    "can't cause it, and it says nothing of the GPU."
)
_ASK = fix("see-whether-dev-shm-full-or")
_DISK = fix("if-not-look-for-full-disk")


def bus_error(facts: Facts, told: Testimony, ending: Ending) -> Candidate | None:
    """None on a Mac, where the crash is in the loading of a library, and where it is known that /dev/shm had room."""
    free = facts.memory.shm_free
    if isinstance(free, Known) and free.value >= DOCKER_SHM:
        return None
    if value_or(facts.host.os, "linux") != "linux" or is_loading(ending.frame):
        return None
    several = isinstance(facts.host.container, Known) or ending.container or bool(ending.process)
    said = (ending.what, *(each.text for each in told.sayings))
    shown = several or any(map(names_several, said))
    sure = Confidence.LIKELY if shown else Confidence.POSSIBLE
    return Candidate(_CODE, sure, (place(ending),), _WORDS, question(_OTHERS, "memory.shm_free"), _TITLE)


def bus_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where the log names /dev/shm itself."""
    if told.of(_CODE):
        return ()
    return (_ASK, *ways_out(_CODE)[:2], _DISK)
