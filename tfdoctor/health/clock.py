"""Times that a clock set back can't spoil, and durations as people write them."""

from __future__ import annotations

import os
import time

UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def duration(text: str) -> float:
    """Seconds from "90", "0.9", "10m", "36h" or "7d". Raises ValueError."""
    number, unit = text.strip(), 1.0
    if number[-1:] in UNITS:
        number, unit = number[:-1], UNITS[number[-1]]
    try:
        value = float(number) * unit
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise ValueError(f"{text!r} is no time; write one as 90, 10m, 36h or 7d")
    return value


def in_words(seconds: float) -> str:
    """ "5 min" and its like, for a person."""
    for name, length in (("d", 86400), ("h", 3600), ("min", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds / length)} {name}"
    return f"{int(seconds)} s"


def since_boot() -> float:
    """Seconds since the machine started, sleep included; nobody can set this clock."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def age_of_process() -> float:
    """Seconds since this process was started: its interpreter's start-up counts. Without /proc its CPU time."""
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read(4096).rpartition(b")")[2].split()[19])  # proc(5): starttime is field 22
        return max(since_boot() - ticks / os.sysconf("SC_CLK_TCK"), 0.0)
    except (OSError, ValueError, IndexError):
        return time.process_time()


def rfc3339(seconds: float) -> str:
    """UTC, as "2026-11-20T12:00:03Z"."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
