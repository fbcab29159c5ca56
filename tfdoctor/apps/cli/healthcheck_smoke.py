"""`healthcheck --smoke tf`: TensorFlow computes in a child of the examined interpreter, at most as often as asked.

The last result is in the runtime folder; a restart of machine or container forgets it.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tfdoctor import __version__
from tfdoctor.apps.health import state as clock
from tfdoctor.apps.health.answer import FAIL, OK, UNKNOWN, CheckResult
from tfdoctor.apps.health.options import Options
from tfdoctor.apps.health.state import boot_id, runtime_folder
from tfdoctor.ask.probes.python.ownership import notice, runs_as, stranger
from tfdoctor.ask.probes.python.target import choose_target
from tfdoctor.ask.probes.request import Request, RequestError
from tfdoctor.ask.probes.smoke.ladder import start_tensorflow
from tfdoctor.ask.probes.smoke.scratch import Scratch
from tfdoctor.base.records import record
from tfdoctor.base.sysroot import System
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, Known

if TYPE_CHECKING:
    from tfdoctor.apps.health.readings import Driver, Files

LEAST_S = 0.5
RESULT = "tensorflow.json"


@record
class Kept:
    """The last result."""

    tool: str  # of another tfdoctor it does not count
    python: str
    boot_id: str
    since_boot: float
    status: str
    words: str
    code: str


def smoke_tensorflow(
    options: Options, driver: Driver, files: Files, deadline: float
) -> CheckResult:
    """The point of TensorFlow's own computation. `deadline` is in time.monotonic() seconds."""
    python = interpreter(options, files)
    if isinstance(python, CheckResult):
        return python
    request = Request(System(), python=python, as_owner=options.as_owner)
    if refused := _not_ours(request, options):
        return refused
    try:
        folder, _ = runtime_folder(dict(os.environ))
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.open("tensorflow.lock", flags, 0o600, dir_fd=folder)
    except OSError:
        return _run(request, driver, deadline)  # nothing can be kept: it runs each time
    return _at_most(options.every, request, driver, deadline, folder, lock)


def _not_ours(request: Request, options: Options) -> CheckResult | None:
    """A node's check, run by root, runs nothing that another user can change."""
    found = stranger(request) if options.node else None
    if found is None or runs_as(request):
        return None
    words = f"TensorFlow is not run: {found.name} can change {found.place}; --as-owner runs it as its owner"
    return CheckResult("smoke", UNKNOWN, words)


def interpreter(options: Options, files: Files) -> str | CheckResult:
    """The one of `--python`, else the one that was examined, else the one that `check` would choose."""
    last_examined = files["state"].python if "state" in files else ""
    if last_examined and not options.python:
        return last_examined
    try:
        target = choose_target(Request(System(Path(options.sysroot or "/")), python=options.python))
    except RequestError as error:
        return CheckResult("smoke", FAIL, str(error))
    chosen = target.executable
    if not target.runs:
        return CheckResult("smoke", UNKNOWN, "an interpreter of an unpacked system is never run")
    if isinstance(chosen, Known):
        return chosen.value
    return CheckResult(
        "smoke",
        FAIL,
        chosen.error if isinstance(chosen, Failed) else f"{chosen.reason}; name one by --python",
    )


def _at_most(
    every: float, request: Request, driver: Driver, deadline: float, folder: int, lock: int
) -> CheckResult:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return _last(folder, request.python, float("inf")) or CheckResult(
            "smoke", UNKNOWN, "another probe runs TensorFlow right now"
        )
    last = _last(folder, request.python, every)
    if last is not None:
        return last
    point = _run(request, driver, deadline)
    _keep(folder, request.python, point)
    return point


def _last(folder: int, python: str, every: float) -> CheckResult | None:
    """The last result of this interpreter in this boot, if it is younger than `every` seconds."""
    try:
        handle = os.open(RESULT, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        with os.fdopen(handle, encoding="utf-8") as file:
            last = from_json(json.load(file), Kept)
    except (OSError, ValueError):
        return None
    age = clock.since_boot() - last.since_boot
    if (
        last.tool != __version__
        or last.python != python
        or last.boot_id != boot_id()
        or not 0 <= age < every
    ):
        return None
    words = f"{last.words} ({clock.in_words(age)} ago)"
    return CheckResult("smoke", FAIL if last.status == FAIL else OK, words, last.code)


def _keep(folder: int, python: str, point: CheckResult) -> None:
    kept = Kept(
        __version__, python, boot_id(), clock.since_boot(), point.status, point.words, point.code
    )
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        with os.fdopen(
            os.open(RESULT + ".part", flags, 0o600, dir_fd=folder), "w", encoding="utf-8"
        ) as file:
            json.dump(to_json(kept), file)
        os.rename(RESULT + ".part", RESULT, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        return  # a result that can't be kept is found again next time


def _run(request: Request, driver: Driver, deadline: float) -> CheckResult:
    try:
        scratch = Scratch()
    except OSError as error:
        return CheckResult(
            "smoke", FAIL, f"no folder for temporary files: {error.strerror}", "disk-full"
        )
    try:
        return _computed(request, driver, deadline, scratch)
    finally:
        scratch.remove()


def _computed(request: Request, driver: Driver, deadline: float, scratch: Scratch) -> CheckResult:
    if words := notice(request):
        request.warn(words)
    child = start_tensorflow(request, request.python, Facts(), scratch.folder)
    if isinstance(child, Failed):
        return CheckResult("smoke", FAIL, child.error, "tensorflow-missing")
    smoke, stage = child.go(Facts(), max(deadline, time.monotonic() + LEAST_S))
    if stage.status == "failed":
        code = "smoke-timeout" if smoke.value.end.how == "timeout" else "smoke-tensorflow-failed"
        if str(stage.detail["error"]).endswith("No module named 'tensorflow'"):
            code = "tensorflow-missing"
        return CheckResult("smoke", FAIL, f"TensorFlow: {stage.detail['error']}", code)
    if driver.get("cuda_count", 0) > 0 and not isinstance(smoke.value.gpus, Known):
        return CheckResult(
            "smoke", FAIL, "TensorFlow computes but shows no GPU", "smoke-tensorflow-failed"
        )
    where = len(smoke.value.gpus.value) if isinstance(smoke.value.gpus, Known) else 0
    on = f" on {where} GPU{'s' if where > 1 else ''}" if where else ""
    return CheckResult("smoke", OK, f"TensorFlow computes right{on} in {request.python}")
