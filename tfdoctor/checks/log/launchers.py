"""What a launcher or a scheduler reports of the processes that it started: it says that one ended, not why."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix

_LOST, _REFUSED, _LIMIT, _HEAP = "lost-by-", "refused-by-", "limit-of-", "heap-of-"
_NAMES: Mapping[str, str] = {
    "mpirun": "mpirun",
    "horovod": "Horovod",
    "ray": "Ray",
    "slurm": "Slurm",
    "lsf": "LSF",
    "pbs": "PBS",
    "yarn": "YARN",
    "dataflow": "Dataflow",
    "service": "The hosting service",
    "node": "Node.js",
    "java": "Java",
    "r": "R",
}
"""By the end of a message's name."""
_LOGS: Mapping[str, tuple[str, ...]] = {
    "Ray": ("ls -t /tmp/ray/session_latest/logs | head",),
}
"""Where a launcher keeps the output of its processes."""
_ASK: Mapping[str, tuple[str, ...]] = {
    "Slurm": ("sinfo -o '%P %G %l %m %c'",),
}
"""What lists the resources that can be asked for."""


def reported(saying: Saying) -> Candidate | None:
    """The finding for a report of a launcher or scheduler; None for any other message."""
    kind, name = _of(saying)
    if not kind:
        return None
    told = saying.told
    message = (told.get("message") or told.get("value", "")).rstrip(". ")
    if kind == _LOST:
        title = f"{name} reports that {_who(saying)} ended or stopped answering. The reason is in that process's own log."
        words = f"{name} starts the processes and passes on that one is gone; it does not know why."
    elif kind == _REFUSED:
        title, words = f"{name} did not start the job: {message}.", "Nothing was run."
    elif kind == _LIMIT:
        title, words = (
            f"{name} ended the job: {message}.",
            f"{name} stopped it at a limit of memory or time; the program itself did not fail.",
        )
    else:
        title = f"{name} ran out of memory."
        words = f"{name} limits its own memory. TensorFlow and the GPU are not involved."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)


def _who(saying: Saying) -> str:
    told = saying.told
    who = (told.get("process") or told.get("value") or told.get("module") or "").lower()
    if not who:
        return "one of its processes"
    return who if who[-1].isdigit() else f"{'an' if who[0] in 'aeiou' else 'a'} {who}"


def launcher_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where no launcher reports a lost process."""
    said = next((each for each in told.of(code) if _of(each)[0] in (_LOST, _REFUSED)), None)
    if said is None:
        return ()
    kind, name = _of(said)
    if kind == _REFUSED:
        return (
            Fix(
                f"Ask {name} for no more than it has",
                _ASK.get(name, ()),
                "Its message names what it refuses.",
            ),
        )
    note = "Killed, 137 or -9 there is mostly memory; a traceback or a signal names the cause."
    return (Fix("Read the end of the first lost process's log", _LOGS.get(name, ()), note),)


def _of(saying: Saying) -> tuple[str, str]:
    """The kind of report and the program's name; "" twice for any other message."""
    for kind in (_LOST, _REFUSED, _LIMIT, _HEAP):
        if saying.name.startswith(kind):
            return kind, _NAMES[saying.name.removeprefix(kind)]
    return "", ""
