"""The recorder beside other processes: its processor time and memory, with all that it keeps beside itself."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

WARM_UP_S, MINUTE_S = 10.0, 60.0
# It ends all that it started when it is asked to end.
PROGRAM = """
import signal, subprocess, sys, time
children = [subprocess.Popen(["sleep", "1000"]) for _ in range(int(sys.argv[1]))]
def end(*_):
    for each in children: each.kill()
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
time.sleep(1000)
"""
_TICKS = os.sysconf("SC_CLK_TCK")


def beside(watched: Callable[..., tuple[str, ...]], many: int) -> str:
    """A minute of it, after the first ten seconds. Memory is the peak of the recorder, and what all of it holds together."""
    command = watched(sys.executable, "-c", PROGRAM, str(many))
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        time.sleep(WARM_UP_S)
        before = _cpu_s(process.pid)
        time.sleep(MINUTE_S)
        used = _cpu_s(process.pid) - before
        peak, together = _peak_bytes(process.pid), sum(_pss_bytes(pid) for pid in _own(process.pid))
        process.terminate()
        process.stdout.read()
    return (
        f"recorder beside {many + 1} processes: {100 * used / MINUTE_S:.2f} % of a core, "
        f"{peak / 1e6:.0f} MB at the most, {together / 1e6:.0f} MB with its helpers (aim: under 1 %, 60 MB)"
    )


def _own(pid: int) -> list[int]:
    """The recorder and its helpers: its children whose command line is its own, so not the command."""
    own = Path(f"/proc/{pid}/cmdline").read_bytes()
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            words = Path(f"/proc/{child}/cmdline").read_bytes()
            if words == own or b"watch_gpus" in words:
                found.append(int(child))
    return found


def _cpu_s(pid: int) -> float:
    fields = [
        Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split() for each in _own(pid)
    ]
    return sum(int(each[11]) + int(each[12]) for each in fields) / _TICKS


def _peak_bytes(pid: int) -> int:
    return _kib(Path(f"/proc/{pid}/status"), "VmHWM:")


def _pss_bytes(pid: int) -> int:
    """Pages that several processes share are divided among them, so the sum counts each once."""
    return _kib(Path(f"/proc/{pid}/smaps_rollup"), "Pss:")


def _kib(file: Path, key: str) -> int:
    return int(file.read_text().partition(key)[2].split()[0]) * 1024
