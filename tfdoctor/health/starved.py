"""Whether a process waited for a processor instead of working: its own times tell, not the load of the machine.

The kernel counts for each task how long it computed, and how long it could have and got no processor, with the time
that a quota of its cgroup held it back (/proc/PID/schedstat, Documentation/scheduler/sched-stats.rst). The rest of its
life it waited for something else. A driver that hangs waits for a device: it has little of either, whatever the load.
"""

from __future__ import annotations

import os
import time

SHARE = 0.3
"""Of its time; who waited longer than this for a processor had no fair chance. One that is spinning hardly waits."""
ENOUGH = 0.1
"""Of the time that is given; who was blocked for so long in something else hangs there, however full the machine is."""
_NS = 1e9


class Life:
    """Seconds: how long it has lived (`lived`), computed (`had`), and was ready without a processor (`waited`)."""

    def __init__(self, lived: float, had: float = 0.0, waited: float = 0.0) -> None:
        self.lived, self.had, self.waited = lived, had, waited

    @property
    def blocked(self) -> float:
        return max(self.lived - self.had - self.waited, 0.0)


def life(pid: int | str, begun: float) -> Life:
    """begun: since when it lives, in time.monotonic() seconds. Where the kernel does not count, it waited for nothing."""
    lived = time.monotonic() - begun
    try:
        with open(f"/proc/{pid}/schedstat", "rb") as file:
            had, waited = (int(word) / _NS for word in file.read(200).split()[:2])
    except (OSError, ValueError):
        had = waited = 0.0
    state, ticked = _state(pid)
    had = max(had, ticked)
    if state == b"R" and pid != "self":  # a wait is counted when it ends, and this one goes on
        waited = max(lived - had, waited)
    return Life(lived, had, waited)


def _state(pid: int | str) -> tuple[bytes, float]:
    """proc(5): its state, and the seconds that it computed, to a hundredth."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read(4096).rpartition(b")")[2].split()
        return fields[0], (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return b"", 0.0


def short(life: Life) -> bool:
    """Whether it was kept waiting for a processor."""
    return life.waited > SHARE * life.lived


def hangs(life: Life, window: float) -> bool:
    """Whether something else held it for long. window: the seconds that were meant for it."""
    return life.blocked >= ENOUGH * window


def starved_in_the_queue(window: float, *, ours: bool) -> bool:
    """Of a probe that waited for another's child at the driver: one of both was short, and that one does not hang.

    One that has only just begun is the next of many, who wait for each other and for a processor, not for the driver.

    ours: whether the probe itself was short of a processor.
    """
    from tfdoctor.health.lock import NOBODY, STRANGER, UNKNOWN, at_the_driver

    pid, since = at_the_driver()
    if pid in (NOBODY, STRANGER):
        return ours
    if pid == UNKNOWN:
        return False
    other = life(pid, since)
    just_begun = other.lived < ENOUGH * window
    return just_begun or (not hangs(other, window) and (ours or short(other)))
