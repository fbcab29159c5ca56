"""What each thread of a program that stands still waits for: its Python stack by py-spy, else the kernel's own name.

py-spy reads the memory of a process without stopping it (`--nonblocking`). It is used where it is installed and allowed.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable

from tfdoctor.facts.death import WaitingThread
from tfdoctor.probes.text_files import plain
from tfdoctor.recorder.watch.proc import read_bytes

PY_SPY, WAIT_CHANNELS = "py-spy", "wait channels"
_MOST_PROCESSES, _MOST_THREADS, _MOST_FRAMES = 8, 32, 12
_SPY_S = 10.0


def waiting(pids: Iterable[int]) -> tuple[str, tuple[WaitingThread, ...]]:
    """By what it was seen, and the threads: those of the first processes. Threads that can't be read are left out."""
    some = list(pids)[:_MOST_PROCESSES]
    spied = [thread for pid in some for thread in _by_py_spy(pid)]
    if spied:
        return PY_SPY, tuple(spied[:_MOST_THREADS])
    channels = [thread for pid in some for thread in _by_wait_channel(pid)]
    return WAIT_CHANNELS, tuple(channels[:_MOST_THREADS])


def _by_py_spy(pid: int) -> list[WaitingThread]:
    """[] where it is not installed, not allowed to look, or the process runs no Python."""
    program = shutil.which("py-spy") or os.path.join(os.path.dirname(sys.executable), "py-spy")
    try:
        done = subprocess.run(
            [program, "dump", "--nonblocking", "--json", "--pid", str(pid)],
            stdin=subprocess.DEVNULL, capture_output=True, timeout=_SPY_S, check=True,
        )  # fmt: skip
        return [_thread(each, _process(pid)) for each in json.loads(done.stdout)]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError, TypeError):
        return []


def _thread(told: dict[str, object], process: str) -> WaitingThread:
    frames = told["frames"]
    assert isinstance(frames, list)
    stack = tuple(
        plain(f"{each['name']} ({each['short_filename'] or each['filename']}:{each['line']})")
        for each in frames[:_MOST_FRAMES]
    )
    return WaitingThread(process, plain(str(told.get("thread_name") or "a thread")), stack)


def _by_wait_channel(pid: int) -> list[WaitingThread]:
    """/proc/PID/task/TID/wchan: where in the kernel it sleeps; "0" where it runs or is not ours to see (proc(5))."""
    found = []
    with contextlib.suppress(OSError):
        for thread in sorted(os.listdir(f"/proc/{pid}/task"), key=int)[:_MOST_THREADS]:
            place = read_bytes(f"/proc/{pid}/task/{thread}/wchan").decode("ascii", "replace").strip()
            if place not in ("", "0"):
                found.append(WaitingThread(_process(pid), _name(f"/proc/{pid}/task/{thread}/comm"), (place,)))
    return found


def _process(pid: int) -> str:
    return f"{_name(f'/proc/{pid}/comm')} {pid}"


def _name(path: str) -> str:
    return plain(read_bytes(path).decode("utf-8", "replace").strip()) or "?"
