"""How servers that fork show themselves and speak of a worker that died (gunicorn, Celery, uWSGI), and what macOS says when it ends a copy."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression
from tfdoctor.signatures.signature import FACT, NATIVE, TOOL, Signature

_CELERY = ("exited with 'signal", "WorkerLostError")
_UWSGI = ("DAMN ! worker", "uWSGI worker")
_FORKED = Expression(
    r"\[(?:WARNING|ERROR)\] Worker (?:with pid |\(pid:)\d{1,10}\)? was (?:terminated due to|sent) (?:signal \d{1,2}|SIG[A-Z]{3,5})|Process '(?:ForkPool)?\w{0,20}Worker-\d{1,6}' pid:\d{1,10} exited with 'signal \d{1,2}"
    r"|WorkerLostError\W{1,3}Worker exited prematurely: signal \d{1,2}|DAMN ! worker \d{1,6} \(pid: \d{1,10}\) died, killed by signal \d{1,2}|uWSGI worker \d{1,6} .{0,40}got Segmentation Fault"
)
"""gunicorn's arbiter (20 and newer), Celery's pool and uWSGI's master, by public logs of 2015 to 2024."""


def forks_workers(text: str) -> bool:
    return bool(_FORKED.compiled.search(text))


def by_celery(text: str) -> bool:
    return any(each in text for each in _CELERY)


def by_uwsgi(text: str) -> bool:
    return any(each in text for each in _UWSGI)


SIGNATURES = (
    Signature(
        "mac-copy-ended",
        "fork-after-init",
        "when fork() was called",
        also=("THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS", "The process has forked and you cannot use this", "crashed on child side of fork pre-exec"),
        form=r"\+\[(?P<symbol>\w{1,80}) initialize\] may have been in progress in another thread when fork\(\) was called|THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS|The process has forked and you cannot use this CoreFoundation|crashed on child side of fork pre-exec",
        speaker=NATIVE,
        samples=(
            "objc[21952]: +[MPSGraphObject initialize] may have been in progress in another thread when fork() was called. We cannot safely call it or ignore it in the fork() child process. Crashing instead. Set a breakpoint on objc_initializeAfterForkError to debug.",
            "The process has forked and you cannot use this CoreFoundation functionality safely. You MUST exec().",
            "Break on __THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__() to debug.",
            "*** multi-threaded process forked *** crashed on child side of fork pre-exec",
        ),
        near=("a thread was running when fork() was called",),
        releases="macOS 10.13 and newer",
        sources=("celery/celery#9897 (2025-09)", "konveyor/kai#367 (2024-09)", "agentuniverse-ai/agentUniverse#57 (2024-05)"),
    ),
    Signature(
        "celery-at-work",
        "",
        "ForkPoolWorker-",
        also=("celery -A ", "celery worker", "/MainProcess] ", "celery@", "billiard/pool.py"),
        role=FACT,
        speaker=TOOL,
        samples=("[2019-03-24 10:00:00,123: WARNING/ForkPoolWorker-2] Using TensorFlow backend.", "celery -A project.app worker -l INFO"),
        near=("celery is a vegetable",),
        sources=("celery/celery#9897 (2025-09)",),
    ),
    Signature(
        "gunicorn-at-work",
        "",
        "[INFO] Starting gunicorn ",
        also=("[INFO] Booting worker with pid", "] [WARNING] Worker with pid ", "] [ERROR] Worker (pid:", "[CRITICAL] WORKER TIMEOUT"),
        role=FACT,
        speaker=TOOL,
        samples=("[2023-05-23 21:49:23 +0100] [5414] [INFO] Starting gunicorn 20.1.0", "[2024-09-17 08:45:16 -0400] [54123] [ERROR] Worker (pid:54127) was sent SIGKILL! Perhaps out of memory?"),
        near=("gunicorn is a server",),
        sources=("konveyor/kai#367 (2024-09)",),
    ),
)  # fmt: skip
