"""Workers of a server that forks, crashing one after another: mostly TensorFlow had started before they were made."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.signatures.forks import by_celery, by_uwsgi, forks_workers

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
_OF_UWSGI = (
    Fix(
        "Have each worker load the application itself, after it was made",
        ("uwsgi --ini uwsgi.ini --lazy-apps --enable-threads",),
        "With your own file. In it: lazy-apps = true, and enable-threads = true, without which uWSGI gives Python no threads at all.",
    ),
    Fix(
        "Have the crash shown with its stack: the innermost lines name the library",
        ("PYTHONFAULTHANDLER=1 uwsgi --ini uwsgi.ini --lazy-apps --enable-threads",),
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
    fixes = _of_the_server(ends)
    return (fixes[0], _OF_A_MAC, *fixes[1:]) if value_or(facts.host.os, "") == "macos" else fixes


def _of_the_server(ends: list[Ending]) -> tuple[Fix, ...]:
    if any(by_celery(each.what) for each in ends):
        return _OF_CELERY
    return _OF_UWSGI if any(by_uwsgi(each.what) for each in ends) else _GUNICORN


_WARNED = "multiprocessing-warned"
_BEHIND_A_FORK = (
    "Keras warned that the worker processes of use_multiprocessing can stand still beside TensorFlow, and no step is told after that. The workers are copies of a process in which TensorFlow's "
    "threads run already; a copy has none of them, and can wait for ever for what one of them held. It is no question of the machine's speed."
)
_BEHIND_A_FORK_TITLE = "The log ends before the first step, and the data come from worker processes that are forked beside TensorFlow: if it stands still, they are the likely reason."
_WAITED = (
    "It was stopped by hand (KeyboardInterrupt) while its own thread waited in Python's {module}.py for another thread or process. Where it stood there for long, that other one is what hangs: a worker process "
    "of the data, mostly, which died or was forked while TensorFlow's threads ran."
)
_WAITED_TITLE = (
    "The program waited for a thread or process of its own that did not answer, until somebody stopped it."
)
_NEAR = 4
"""Lines between the innermost frame and KeyboardInterrupt: the source line, and where Python marks it."""
_NO_PROCESSES = Fix(
    "Have the data made without worker processes, for a test. If it runs on, they were it",
    note="In your files: fit(…, workers=1, use_multiprocessing=False), or of Keras 3: PyDataset(workers=1, use_multiprocessing=False). tf.data with num_parallel_calls needs no processes.",
)
_SPAWNED = Fix(
    "To keep several processes, have them started fresh instead of copied",
    note='In your files, before TensorFlow is imported: import multiprocessing; multiprocessing.set_start_method("spawn")',
)
_STACKS = Fix(
    "See what it waits in, while it stands still. It changes nothing",
    ("python -m pip install py-spy", 'sudo env "PATH=$PATH" py-spy dump --pid "$(pgrep -n -f python)"'),
)


def stood_still(facts: Facts, told: Testimony) -> Candidate | None:
    """Behind Keras' warning of its worker processes, or in a wait that somebody broke off."""
    end = facts.log.open_end
    if (
        isinstance(end, Known)
        and end.value.kind in ("epoch", "progress")
        and told.named(_WARNED)
        and not told.codes
    ):
        at = ((end.value.file, end.value.line), *map(place, told.named(_WARNED)))
        return Candidate(_CODE, Confidence.POSSIBLE, at, _BEHIND_A_FORK, title=_BEHIND_A_FORK_TITLE)
    stopped = told.named("keyboard-interrupt")
    waits = told.named("waits-in-frame")
    near = [
        each
        for each in waits
        for one in stopped[-1:]
        if 0 < one.line - each.line <= _NEAR and one.file == each.file
    ]
    if not near:
        return None
    words = _WAITED.format(module=near[-1].told["module"])
    return Candidate("stalled", Confidence.POSSIBLE, (place(near[-1]),), words, title=_WAITED_TITLE)


def still_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where it did not stand still, as far as the log tells."""
    found = stood_still(facts, told)
    return (_NO_PROCESSES, _SPAWNED, _STACKS) if found is not None and found.code == code else ()
