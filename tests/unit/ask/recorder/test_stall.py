"""A command that stands still is told from one that works little, waits for its end, or goes on."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from tests.unit.ask.recorder.watched import watched
from tests.waiting import until
from tfdoctor.ask.recorder.stall import StillWatch, waiting
from tfdoctor.ask.recorder.timeline import Sample
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.judge.process import waits_for

HERE = [os.getpid()]


def still(*samples: Sample, said_at: float = 0.0) -> StillWatch:
    """These looks at a process that reads and writes nothing: a number that nobody has."""
    watch = StillWatch(100.0, lambda: said_at)
    for sample in samples:
        watch.update(sample, [1 << 30])
    return watch


def looks(until: int, cpu: float = 0.0) -> list[Sample]:
    return [{"t": float(at), "cpu_s": 1.0 + cpu * at, "processes": 1} for at in range(0, until, 10)]


def test_no_work_for_longer_than_asked() -> None:
    stall = still(*looks(130)).at_the_end(121.0, by_us=False)
    assert isinstance(stall, Known)
    assert (stall.value.since_s, stall.value.for_s) == (0.0, 120.0)


@pytest.mark.parametrize(
    ("watch", "why"),
    [
        (still(*looks(90)), "shorter than asked"),
        (still(*looks(130, cpu=0.1)), "a tenth of a core"),
        (still(*looks(130), said_at=60.0), "it wrote something"),
        (still(*looks(130), {"t": 130.0, "cpu_s": 1.0, "processes": 2}), "a new process"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_is_no_stall(watch: StillWatch, why: str) -> None:
    assert isinstance(watch.at_the_end(160.0, by_us=False), Absent)


def test_last_words_at_its_end_are_no_going_on() -> None:
    """Ctrl-C makes Python write a traceback."""
    watch = still(*looks(130), {"t": 121.0, "cpu_s": 9.0, "processes": 1})
    assert isinstance(watch.at_the_end(122.0, by_us=False), Known)


def test_the_threads_of_this_process() -> None:
    over = threading.Event()
    waits = threading.Thread(target=over.wait)
    waits.start()
    try:
        assert until(_is_seen_to_wait)  # a thread that has begun need not wait yet
    finally:
        over.set()
        waits.join()


def _is_seen_to_wait() -> bool:
    by, threads = waiting(HERE)
    if by == "wait channels":  # py-spy may be installed here
        return any("a lock" in waits_for(each.stack[0]) for each in threads) or not threads
    return any("wait (threading.py" in each.stack[0] for each in threads)


@pytest.mark.slow  # a stall takes its time
def test_a_stall_is_ended_on_request(tmp_path: Path) -> None:
    program = "import threading; lock = threading.Lock(); lock.acquire(); lock.acquire()"
    options = ("--stall-after", "1", "--interval", "0.2", "--kill-stalled")
    run = watched(tmp_path, sys.executable, "-c", program, options=options)
    assert (run.status, run.outcome, run.roots) == (-15, "stalled", ["stalled"])
    assert run.fact("death.stall")["ended_by_us"] is True
