"""A child that gets no CPU is no driver that hangs: what the kernel counted as waiting for one tells them apart."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from tfdoctor.apps.health.answer import BUSY, FAIL, NO_VERDICT
from tfdoctor.apps.health.judge import judge_devices, judge_rest
from tfdoctor.apps.health.options import Options
from tfdoctor.apps.health.state import State
from tfdoctor.base.forked import NO_CPU, Child, listen
from tfdoctor.base.processes import end_with_creator

pytestmark = pytest.mark.slow  # a child that is kept from the processor

Send = Callable[[str, Any], None]
CPU = min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0


def _starves(send: Send) -> None:
    send("at", "loading libnvidia-ml.so.1")
    os.sched_setaffinity(0, {CPU})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while True:
        pass


def _waits_for_one_that_starves(send: Send) -> None:
    if not os.fork():
        end_with_creator(signal.SIGKILL)
        _starves(send)
    os.wait()


def _hangs(send: Send) -> None:
    send("at", "loading libnvidia-ml.so.1")
    time.sleep(60)


@pytest.mark.skipif(
    not os.path.exists("/proc/self/schedstat"), reason="needs a kernel that counts waiting"
)
@pytest.mark.parametrize(
    ("work", "ended", "status"),
    [
        (_starves, NO_CPU, BUSY),
        (_waits_for_one_that_starves, NO_CPU, BUSY),
        (_hangs, "hangs", FAIL),
    ],
    ids=["starves", "its-child-starves", "hangs"],
)
def test_only_a_call_that_hangs_is_the_drivers_fault(
    work: Callable[[Send], None], ended: str, status: str
) -> None:
    busy = subprocess.Popen(
        [sys.executable, "-c", f"import os\nos.sched_setaffinity(0, {{{CPU}}})\nwhile True: pass"]
    )
    try:
        child = Child(work)
        listen([child], time.monotonic() + 2.0)
    finally:
        busy.kill()
        busy.wait()
    # One that a busy machine is slow to end "can not be ended", too.
    assert child.ended.startswith(ended)
    said: Any = child.answers  # a child's word
    (driver,) = (each for each in judge_devices(said, {}, Options()) if each.check == "driver")
    assert driver.status == status


BEFORE = State(
    schema_version="1.0", tool="", written_at=0.0, boot_id="", since_boot=0.0, machine="", uid=0, verdict="healthy",
    summary="", roots=(), python="", driver_version="", gpus=(), cuda_count=0, xids=(), files=(), failing=(),
    nvml_started=False, ignored=(),
)  # fmt: skip


@pytest.mark.parametrize(
    ("files", "status", "words"),
    [
        ({"examined": {"ended": NO_CPU}}, BUSY, "the examination got no CPU"),
        ({"ended": NO_CPU}, BUSY, "the examination got no CPU"),
        ({"examined": {"ended": "hangs"}}, NO_VERDICT, "the examination did not finish"),
        (
            {"examined": {"ended": NO_CPU}, "state": BEFORE, "before": BEFORE, "state_age": 200.0, "changed": ["x"]},
            BUSY,
            "the examination got no CPU; 3 min ago: healthy",
        ),
    ],
    ids=["examination", "files", "hangs", "known-before"],
)  # fmt: skip
def test_an_examination_without_cpu_says_nothing_of_the_machine(
    files: Any, status: str, words: str
) -> None:
    for options in (Options(), _of_max_age(60.0)):
        points = judge_rest(
            {"cuda_error": "absent", "nvml_error": "absent", "done": True}, files, options
        )
        (examination,) = (each for each in points if each.check == "examination")
        assert (examination.status, examination.words) == (status, words)


def _of_max_age(seconds: float) -> Options:
    options = Options()
    options.max_age = seconds
    return options
