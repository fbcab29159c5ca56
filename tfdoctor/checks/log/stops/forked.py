"""Workers of a server that forks, crashing one after another: mostly TensorFlow had started before they were made."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.signatures.forks import by_celery, forks_workers

_CODE = "fork-after-init"
_CRASHES = (6, 10, 11)
_TITLE = "The server's workers crash: mostly TensorFlow, or the model, was loaded before the server made them by fork."
_WORDS = (
    "gunicorn, Celery and uWSGI make their workers by fork: each is a copy of a process that has run already, with its memory and without its threads. TensorFlow's threads, its "
    "GPU and Apple's libraries (Accelerate, Metal) do not survive that, and the first computation in a copy crashes. It is so where the application is preloaded, where the model "
    "is loaded while the module is imported by the parent, and with Celery's default pool."
)
_GUNICORN = (
    Fix(
        "Start the workers without preloading, and load the model in each of them",
        ("gunicorn --workers 1 app:app",),
        "In your files: preload_app = False (and no --preload); load the model at the first request, or in post_fork(server, worker) of gunicorn's configuration.",
    ),
    Fix(
        "Have the crash shown with its stack: the innermost lines name the library",
        ("PYTHONFAULTHANDLER=1 gunicorn --workers 1 app:app",),
    ),
)
_OF_CELERY = (
    Fix(
        "Let the worker work in one process, without a fork, for a test. If it runs, the fork was it",
        ("celery -A app worker --pool=solo",),
        "To stay with several: --pool=threads, or several workers with --pool=solo, and TensorFlow imported inside of the task.",
    ),
    Fix(
        "Have the crash shown with its stack: the innermost lines name the library",
        ("PYTHONFAULTHANDLER=1 celery -A app worker --pool=solo",),
    ),
)
_OF_A_MAC = Fix(
    "On a Mac the system itself ends a copy that goes on with what its parent had begun; for a test, let it",
    ("export OBJC_DISABLE_INITIALIZE_FORK_SAFETY=YES",),
)


def forked(ending: Ending) -> Candidate | None:
    """None for a crash of another kind of process, or where a package's own frames stand below it."""
    if ending.status not in _CRASHES or ending.package or not forks_workers(ending.what):
        return None
    return Candidate(_CODE, Confidence.POSSIBLE, (place(ending),), _WORDS, title=_TITLE)


def forked_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the log tells of a fork in its own words."""
    ends = [each for each in told.endings if forked(each) is not None]
    if not ends or told.of(_CODE):
        return ()
    fixes = _OF_CELERY if any(by_celery(each.what) for each in ends) else _GUNICORN
    return (fixes[0], _OF_A_MAC, *fixes[1:]) if value_or(facts.host.os, "") == "macos" else fixes
