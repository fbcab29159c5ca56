"""A copy of a process on a Mac: the system ends one that goes on with what its parent had begun, and says so in words of its own."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.findings.model import Confidence, Fix

COPY_ENDED = "mac-copy-ended"
_CODE = "fork-after-init"
_CELERY, _GUNICORN = ("celery-at-work",), ("gunicorn-at-work",)
_TITLE = "macOS ended a worker process: it was copied (fork) from a process in which Apple's libraries had started."
_WORDS = (
    "A copy of a process has none of its threads, and on a Mac the system's own libraries (Objective-C, Core Foundation, Metal) refuse to go on in such a copy: macOS ends it, and says so. "
    "It is no lack of memory, whatever the server then guesses. It comes where a framework was imported, or a model loaded, before the worker was made."
)
_ALLOW = Fix(
    "For a test, let the copies go on, in the shell that starts the program",
    ("export OBJC_DISABLE_INITIALIZE_FORK_SAFETY=YES",),
    "What a copy then computes on the GPU (Metal) can still crash.",
)
_SOLO = Fix(
    "Let the worker work in its own process, without a copy",
    ("celery -A app worker --pool=solo",),
    "With your own application's name. To stay with several: --pool=threads, or several workers with --pool=solo.",
)
_LATER = Fix(
    "Import TensorFlow and load the model in the worker itself, not in the process that makes the workers",
    note="In your files: the import and load_model(…) inside of the function that answers, or in post_fork(server, worker) of gunicorn's configuration; no --preload.",
)
_SPAWN = Fix(
    "Start the worker processes fresh, in place of copies",
    note='In your files, before the first of them is made: import multiprocessing; multiprocessing.set_start_method("spawn")',
)


def ended_copy(told: Testimony) -> Candidate | None:
    """None where macOS says nothing of that kind."""
    said = told.named(COPY_ENDED)
    if not said:
        return None
    return Candidate(_CODE, Confidence.CERTAIN, tuple(map(place, said)), _WORDS, title=_TITLE)


def copy_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where macOS ended none. By the server that makes the workers, where the log shows one."""
    if not told.named(COPY_ENDED):
        return ()
    if told.named(*_CELERY):
        return (_SOLO, _ALLOW, _LATER)
    return (_ALLOW, _LATER) if told.named(*_GUNICORN) else (_ALLOW, _SPAWN, _LATER)
