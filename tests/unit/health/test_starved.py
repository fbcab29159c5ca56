"""A child that gets no CPU is no driver that hangs: what the kernel counted as waiting for one tells them apart."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

from tfdoctor.health.answer import FAIL, NO_VERDICT
from tfdoctor.health.judge import judge_devices
from tfdoctor.health.options import Options
from tfdoctor.system.forked import NO_CPU, Child, listen

pytestmark = pytest.mark.slow  # a child that is kept from the processor

Send = Callable[[str, Any], None]
CPU = min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0


def _starves(send: Send) -> None:
    send("at", "loading libnvidia-ml.so.1")
    os.sched_setaffinity(0, {CPU})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    while True:
        pass


def _hangs(send: Send) -> None:
    send("at", "loading libnvidia-ml.so.1")
    time.sleep(60)


@pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="needs a kernel that counts waiting")
@pytest.mark.parametrize(
    ("work", "ended", "status"),
    [(_starves, NO_CPU, NO_VERDICT), (_hangs, "hangs", FAIL)],
    ids=["starves", "hangs"],
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
    assert child.ended.startswith(ended)  # one that a busy machine is slow to end "can not be ended", too
    (driver,) = (each for each in judge_devices(child.answers, {}, Options()) if each.check == "driver")  # type: ignore[arg-type]  # what a child says
    assert driver.status == status
