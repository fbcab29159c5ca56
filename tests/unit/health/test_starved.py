"""Starved is not unhealthy: who got no processor is told from who hangs, by what the kernel counts for the process."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import gone
from tfdoctor.health import lock as busy
from tfdoctor.health.answer import FAULT, OK, STARVED, Answer, Point, as_json, as_line
from tfdoctor.health.child import STARVED as GOT_NO_PROCESSOR
from tfdoctor.health.child import Child, Clock, listen
from tfdoctor.health.formats import as_nfd, as_prometheus, nagios_status
from tfdoctor.health.judge import judge_devices, judge_rest
from tfdoctor.health.options import Options
from tfdoctor.health.starved import Life, hangs, short

SPIN = "while True: pass"
DRIVER = Point("driver", STARVED, "no processor was free to ask the driver in time")


def answered(*points: Point, starved_is_healthy: bool = True) -> Answer:
    return Answer([*points], seconds=0.9, at=0.0, extra={}, starved_is_healthy=starved_is_healthy)


@contextmanager
def one_full_processor() -> Iterator[int]:
    """A processor that three others keep busy."""
    cpu = min(os.sched_getaffinity(0))
    with ExitStack() as stack:
        for _ in range(3):
            spinner = stack.enter_context(subprocess.Popen([sys.executable, "-S", "-c", SPIN]))
            stack.callback(spinner.kill)
            os.sched_setaffinity(spinner.pid, {cpu})
        yield cpu


def there(cpu: int, policy: int, work: Callable[[], None]) -> Callable[[Any], None]:
    """`work` on that processor. os.SCHED_IDLE: only what the others leave is left for it."""

    def begin(send: Any) -> None:
        send("at", "cuInit")
        os.sched_setaffinity(0, {cpu})
        os.sched_setscheduler(0, policy, os.sched_param(0))
        work()

    return begin


def spin() -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("life", "starves", "blocked"),
    [
        (Life(0.8, had=0.02, waited=0.75), True, False),
        (Life(0.8, had=0.02, waited=0.01), False, True),  # a hanging driver on an idle machine
        (
            Life(0.8, had=0.02, waited=0.3),
            True,
            True,
        ),  # and on a full one: its start was slow, then it blocked
        (Life(0.8, had=0.79, waited=0.01), False, False),  # one that spins
    ],
)
def test_who_waits_for_a_processor_is_told_from_who_waits_for_something_else(
    life: Life, starves: bool, blocked: bool
) -> None:
    assert (short(life), hangs(life, 0.8)) == (starves, blocked)


@pytest.mark.slow  # waits for its limit beside a full processor
def test_a_child_that_gets_no_processor_is_starved_and_one_that_blocks_beside_it_hangs() -> None:
    with one_full_processor() as cpu:
        starving = Child(there(cpu, os.SCHED_IDLE, spin))
        blocked = Child(there(cpu, os.SCHED_OTHER, lambda: time.sleep(60)))
        listen([starving, blocked], Clock(time.monotonic() + 3))
    assert starving.ended == GOT_NO_PROCESSOR
    assert blocked.ended.startswith(
        "hangs"
    )  # beside a full processor its end may be seen too late, and that is added


@pytest.mark.slow  # waits for its limit beside a full processor
def test_more_time_is_given_to_a_starved_child_alone() -> None:
    begun = time.monotonic()
    with one_full_processor() as cpu:
        starving = Child(there(cpu, os.SCHED_IDLE, spin))
        listen([starving], Clock(begun + 1, latest=begun + 2.5))
    assert starving.ended == GOT_NO_PROCESSOR
    assert time.monotonic() - begun > 2.4


def test_what_a_child_said_and_nobody_had_time_to_read_counts() -> None:
    child = Child(lambda send: send("at", "cuInit"))
    gone([child.pid])
    listen([child], Clock(time.monotonic() - 0.1))
    assert (child.ended, child.answers["at"], child.answers["done"]) == ("", "cuInit", True)


def test_the_one_at_the_driver_is_found_by_its_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "tfdoctor").mkdir(mode=0o700)
    lock = tmp_path / "tfdoctor" / "driver.lock"
    lock.write_bytes(b"12:00:03 cuInit".ljust(busy.WORDS) + b"\n%d 0.0\n" % os.getpid())
    lock.chmod(0o600)
    assert busy.at_the_driver()[0] == busy.NOBODY
    with lock.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert busy.at_the_driver()[0] == os.getpid()
        lock.write_bytes(
            b"12:00:03 cuInit".ljust(busy.WORDS) + b"\n1 0.0\n"
        )  # it does not have the file open
        assert busy.at_the_driver()[0] == busy.STRANGER


def test_a_starved_question_is_no_fault_whatever_was_asked() -> None:
    options = Options()
    options.min_free_ram, options.max_age = 1 << 30, 600.0
    points = [
        *judge_devices({"ended": GOT_NO_PROCESSOR, "at": "cuInit"}, {}, options, {}),
        *judge_rest({"ended": GOT_NO_PROCESSOR}, options),
    ]
    assert not [point.words for point in points if point.status == FAULT]
    assert {point.check for point in points if point.status == STARVED} == {"driver", "memory", "examination"}


def test_no_libraries_and_no_time_to_look_for_a_gpu_is_no_missing_driver() -> None:
    absent: Any = {"cuda_error": "absent", "nvml_error": "absent", "done": True, "gpus": []}
    points = judge_devices(absent, {}, Options(), {"ended": GOT_NO_PROCESSOR})
    assert [point.status for point in points if point.check == "driver"] == [STARVED]


def test_its_word_and_its_status_in_every_form() -> None:
    starved = answered(DRIVER)
    assert as_line(starved) == "starved: no processor was free to ask the driver in time\n"
    assert (starved.healthy, answered(DRIVER, starved_is_healthy=False).healthy) == (True, False)
    assert '"starved": true' in as_json(starved)
    assert nagios_status(starved) == 3
    assert "tfdoctor_starved 1" in as_prometheus(starved)
    assert "tfdoctor.starved=true" in as_nfd(starved, 60)


def test_a_fault_that_was_seen_goes_before_it() -> None:
    answer = answered(DRIVER, Point("memory", FAULT, "memory limit: 99 of 100 MiB used"))
    assert as_line(answer).startswith("unhealthy: memory limit")
    assert (answer.healthy, answer.starved) == (False, False)
    assert "starved" not in as_line(answered(Point("gpus", OK, "1 GPU")))


def test_without_a_limit_it_is_patient_but_not_in_a_pod() -> None:
    options = Options()
    assert options.patience({}) > options.limit == options.patience({"KUBERNETES_SERVICE_HOST": "10.0.0.1"})
    options.timeout = 2.0
    assert options.patience({}) == 2.0
