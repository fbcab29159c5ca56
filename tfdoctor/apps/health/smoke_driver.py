"""`--smoke driver`: the PTX kernel of the smoke ladder, as one more child, under this check's lock."""

from __future__ import annotations

import os
import sys

from tfdoctor.apps.health.answer import BUSY, FAIL, NOTE, OK, CheckResult
from tfdoctor.ask.probes.workers import program
from tfdoctor.base.forked import NO_CPU, Child, listen
from tfdoctor.base.json_text import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tfdoctor.base.forked import Send

PROGRAM = program("compute_driver")
MARK = b"@tfdoctor "


def smoke_driver(count: int, deadline: float) -> CheckResult:
    """Runs it on every visible GPU. `deadline` is in time.monotonic() seconds."""
    if not count:
        return CheckResult("smoke", NOTE, "no GPU to run the kernel on")
    parent = os.getpid()
    try:
        child = Child(lambda send: _run(send, parent), ("line",))
    except OSError as error:
        return CheckResult(
            "smoke", FAIL, f"no process can be started ({error.strerror})", "threads-exhausted"
        )
    listen([child], deadline)
    return _judged(child.answers, count)


def _run(send: Send, parent: int) -> None:
    """The program's lines as they come. They share the lock, so one that can't be ended keeps it."""
    from tfdoctor.ask.probes.workers.preamble import prepare

    prepare(parent)
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        _become_program(write_end, os.getppid())
    os.close(write_end)
    buffer = b""
    while data := os.read(read_end, 65536):
        *lines, buffer = (buffer + data).split(b"\n")
        for line in lines:
            if line.startswith(MARK):
                send("line", line[len(MARK) :])
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        send("died", os.WTERMSIG(status))
    elif os.WEXITSTATUS(status):
        send("left", os.WEXITSTATUS(status))


def _become_program(write_end: int, parent: int) -> None:
    from tfdoctor.ask.probes.workers.preamble import prepare

    try:
        prepare(parent)
        os.dup2(write_end, 1)
        environ = {**os.environ, "CUDA_CACHE_DISABLE": "1"}
        argv = [sys.executable, "-I", "-S", "-B", PROGRAM, str(parent), "libcuda.so.1", "0"]
        os.execve(sys.executable, argv, environ)  # noqa: S606  # our own program
    finally:
        os._exit(127)


def _judged(answers: dict[str, Any], count: int) -> CheckResult:
    lines = [loads(line.decode()) for line in answers["line"]]
    step = next((line["at"] for line in reversed(lines) if "at" in line), "starting")
    results = [line for line in lines if line.get("say") == "result"]
    refused = [line for line in lines if line.get("say") == "refused"]
    for line in [*refused, *results]:
        if line.get("status") == "wrong":
            return CheckResult(
                "smoke",
                FAIL,
                f"GPU {line['index']} computes wrong: {line['message']}",
                "gpu-computes-wrong",
            )
        if line.get("status") != "passed":
            where = f"GPU {line['index']}: " if "index" in line else ""
            return CheckResult(
                "smoke",
                FAIL,
                f"{where}{line['step']} fails: {line['message']}",
                "smoke-driver-failed",
            )
    if "died" in answers:
        return CheckResult(
            "smoke",
            FAIL,
            f"the kernel's program crashed (signal {answers['died']}) in {step}",
            "driver-unresponsive",
        )
    if "done" not in answers or "left" in answers or len(results) < count:
        if answers.get("ended") == NO_CPU:
            return CheckResult("smoke", BUSY, f"the kernel's program {NO_CPU}")
        word = answers.get("ended") or f"was left with status {answers.get('left', 0)}"
        return CheckResult(
            "smoke",
            FAIL,
            f"the kernel's program {word} in {step}",
            "smoke-timeout" if "hangs" in word else "driver-unresponsive",
        )
    return CheckResult(
        "smoke", OK, f"a kernel computes right on {count} GPU" + ("s" if count > 1 else "")
    )
