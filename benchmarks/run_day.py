"""A day of looks at a real command by a clock that is given: what a look costs, and whether memory and files stay bounded."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

from tfdoctor.ask.recorder.gpus import Gpus
from tfdoctor.ask.recorder.host_memory import Disks
from tfdoctor.ask.recorder.journal import RunJournal
from tfdoctor.ask.recorder.stall import StillWatch
from tfdoctor.ask.recorder.watcher import Watcher

DAY_S, LOOK_S = 86_400, 1.0
EDGE = 2_000  # looks at the beginning and at the end whose cost is compared
# A training script's company: small programs that come and go, and end with a status of their own.
COMMAND = ("sh", "-c", "while :; do sh -c 'sleep 0.01; exit 3'; done")


class Clock:
    """Seconds that go on when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def day(folder: Path) -> str:
    """All looks of a day, one a second, each as `tfdoctor run` takes it: samples kept, thinned and written to the black box."""
    clock, box = Clock(), RunJournal(str(folder / "day"), "day")
    process = subprocess.Popen(COMMAND, start_new_session=True)
    watcher = _watcher(process.pid, clock, box)
    costs, early_peak = [], 0
    try:
        for second in range(DAY_S):
            clock.now = second * LOOK_S
            began = time.process_time()
            watcher.look()
            costs.append(time.process_time() - began)
            if second == EDGE:
                early_peak = _peak_bytes()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        watcher.finish()
        box.close()
    return _said(watcher, box, costs, early_peak)


def _watcher(pid: int, clock: Clock, box: RunJournal) -> Watcher:
    disks = Disks({})
    disks.look()
    watcher = Watcher(
        pid, "", interval=LOOK_S, started=0.0, disks=disks, still=StillWatch(300.0, lambda: 0.0), gpus=Gpus(time.monotonic() + 2 * DAY_S), clock=clock,
    )  # fmt: skip
    watcher.on_sample = lambda sample: box.sample(sample, watcher.timeline.samples)
    return watcher


def _said(watcher: Watcher, box: RunJournal, costs: list[float], early_peak: int) -> str:
    samples = watcher.timeline.samples
    hours = Counter(int(each["t"] // 3600) for each in samples)
    first, last = sum(costs[:EDGE]) / EDGE, sum(costs[-EDGE:]) / EDGE
    return (
        f"a day of {len(costs)} looks: {100 * sum(costs) / DAY_S:.2f} % of a core (a look {1e3 * first:.2f} ms at first, "
        f"{1e3 * last:.2f} ms at last; the dearest {1e3 * max(costs):.0f} ms), "
        f"{early_peak / 1e6:.0f} MB after {EDGE} looks, {_peak_bytes() / 1e6:.0f} MB at the most, "
        f"{len(watcher.tree.lost)} ends kept; black box {os.stat(box.path).st_size / 1e6:.1f} MB, "
        f"{len(samples)} samples, at least {min(hours[hour] for hour in range(24))} of each hour (aim: under 1 %, 60 MB)"
    )


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
