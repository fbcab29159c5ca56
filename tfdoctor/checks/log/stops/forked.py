"""Workers of a server that forks, crashing one after another: mostly TensorFlow had started before they were made."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
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
    fix("start-workers-without-preloading-and-load"),
    fix("have-crash-shown-with-stack-innermost"),
)
_OF_CELERY = (
    fix("let-worker-work-in-one-process"),
    fix("have-crash-shown-with-stack-innermost-2"),
)
_OF_UWSGI = (
    fix("have-each-worker-load-application-itself"),
    fix("have-crash-shown-with-stack-innermost-3"),
)
_OF_A_MAC = fix("on-mac-system-itself-ends-copy")


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
_NO_PROCESSES = fix("have-data-made-without-worker-processes")
_SPAWNED = fix("to-keep-several-processes-have-them")
_STACKS = fix("see-what-waits-in-while-stands-2")


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
