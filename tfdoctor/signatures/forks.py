"""How servers that fork show themselves and speak of a worker that died (gunicorn, Celery, uWSGI), and what macOS says when it ends a copy."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

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
