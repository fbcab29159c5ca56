"""gunicorn ended workers that gave no sign for its timeout: mostly they were still loading the model, or stood still behind a fork."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix

_NAME, _CODE = "gunicorn-worker-timeout", "stalled"
_TITLE = (
    "gunicorn ended its workers because they gave no sign for its timeout (30 s unless it is told another)."
)
_WORDS = (
    "gunicorn expects a sign of each worker and ends one that gives none for its timeout. A worker is silent while it imports TensorFlow and loads a model, and while it computes one long answer; one that was copied from a "
    "process in which TensorFlow had started (--preload) can stand still for ever. The SIGKILL behind it is gunicorn's own; memory is only its guess."
)
_LONGER = Fix(
    "Start one worker with a longer timeout, for a test",
    ("gunicorn --workers 1 --timeout 300 app:app",),
    "If it answers now, it was only slow: keep the timeout, or start fewer workers, for each loads a model of its own. An asynchronous worker (--worker-class gthread) gives its sign beside a long answer.",
)
_FRESH = Fix(
    "If it stands still all the same, start the workers without preloading, and load the model in each of them",
    ("gunicorn --workers 1 app:app",),
    "In your files: preload_app = False (and no --preload); load the model at the first request, or in post_fork(server, worker) of gunicorn's configuration.",
)
_STACKS = Fix(
    "See what a worker waits in, while it is silent. It changes nothing",
    ("python -m pip install py-spy", 'sudo env "PATH=$PATH" py-spy dump --pid "$(pgrep -n -f python)"'),
)


def out_of_patience(saying: Saying) -> Candidate | None:
    """None for any other text."""
    if saying.name != _NAME:
        return None
    opened = question((_CODE, "fork-after-init", "host-oom-killed"), "kernel_log.oom_kills")
    return Candidate(_CODE, Confidence.LIKELY, (place(saying),), _WORDS, opened, _TITLE)


def patience_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where nobody lost patience."""
    return (_LONGER, _FRESH, _STACKS) if code == _CODE and told.named(_NAME) else ()
