"""A copy of a process on a Mac: the system ends one that goes on with what its parent had begun, and says so in words of its own."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix

COPY_ENDED = "mac-copy-ended"
_CODE = "fork-after-init"
_CELERY, _GUNICORN = ("celery-at-work",), ("gunicorn-at-work",)
_TITLE = "macOS ended a worker process: it was copied (fork) from a process in which Apple's libraries had started."
_WORDS = (
    "A copy of a process has none of its threads, and on a Mac the system's own libraries (Objective-C, Core Foundation, Metal) refuse to go on in such a copy: macOS ends it, and says so. "
    "It is no lack of memory, whatever the server then guesses. It comes where a framework was imported, or a model loaded, before the worker was made."
)
_ALLOW = fix("for-test-let-copies-go-on")
_SOLO = fix("let-worker-work-in-own-process-2")
_LATER = fix("import-tensorflow-and-load-model-in")
_SPAWN = fix("start-worker-processes-fresh-in-place")


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
