"""Whether the command stands still: no CPU, no GPU, no disk, no output."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Sequence

from tfdoctor.ask.recorder.proc import moved_by, read_bytes
from tfdoctor.ask.recorder.stacks import NoStacks, Stack, stacks_of
from tfdoctor.ask.recorder.timeline import Sample
from tfdoctor.base.printable import plain
from tfdoctor.base.records import replace
from tfdoctor.facts.death import Stall, WaitingThread
from tfdoctor.facts.outcome import Absent, Fact, Known

PY_SPY, WAIT_CHANNELS = "py-spy", "wait channels"
_MOST_PROCESSES, _MOST_THREADS, _MOST_FRAMES = 8, 32, 12


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
    try:
        return [_thread(each, _process(pid)) for each in stacks_of(pid)]
    except NoStacks:
        return []


def _thread(seen: Stack, process: str) -> WaitingThread:
    stack = tuple(
        f"{each.name} ({os.path.basename(each.file)}:{each.line})"
        for each in seen.frames[:_MOST_FRAMES]
    )
    return WaitingThread(process, seen.thread, stack)


def _by_wait_channel(pid: int) -> list[WaitingThread]:
    """/proc/PID/task/TID/wchan: where in the kernel it sleeps; "0" where it runs or is not ours to see (proc(5))."""
    found = []
    with contextlib.suppress(OSError):
        for thread in sorted(os.listdir(f"/proc/{pid}/task"), key=int)[:_MOST_THREADS]:
            place = (
                read_bytes(f"/proc/{pid}/task/{thread}/wchan").decode("ascii", "replace").strip()
            )
            if place not in ("", "0"):
                found.append(
                    WaitingThread(_process(pid), _name(f"/proc/{pid}/task/{thread}/comm"), (place,))
                )
    return found


def _process(pid: int) -> str:
    return f"{_name(f'/proc/{pid}/comm')} {pid}"


def _name(path: str) -> str:
    return plain(read_bytes(path).decode("utf-8", "replace").strip()) or "?"


_IDLE_CPU = 0.02  # of one core: threads that wake up to look at a queue take less
_IDLE_BYTES_PER_S = 4096
_LEAST_OUTPUT = 32  # bytes between two looks: a line; less is a thread that wakes another
_IDLE_GPU = 0.01
_LONGEST_GAP_S = 30.0
"""A longer gap than this between two looks: all of us were stopped, or the machine slept. It says nothing."""
_LAST_WORDS_S = 15.0
"""A program that is ended may still say something, or tidy up. What goes on for longer was no stall."""
_NONE = Absent("it did not stand still when it ended")


class StillWatch:
    """`after_s`: when standing still counts as a stall; `said_at` tells when the last output was heard, in seconds
    since the start. `since` is when it last did something. `on_stall` is called once for each stall.
    """

    def __init__(self, after_s: float, said_at: Callable[[], float]) -> None:
        self.after_s, self._said_at = after_s, said_at
        self.since = 0.0
        self._last: Sample = {}
        self._read = self._wrote = 0
        self.on_stall: Callable[[], None] = lambda: None
        self._stall: Stall | None = None
        self._told = False

    def update(self, sample: Sample, pids: Sequence[int]) -> None:
        """`pids`: the command's living processes; none when it is a zombie, which is no standing still."""
        if not pids:
            return
        read, wrote = moved_by(pids)
        if self._works(sample, read, wrote):
            self.since, self._told = sample["t"], False
        if self._said_at() > self.since:
            self.since, self._told = self._said_at(), False
        self._last, self._read, self._wrote = sample, read, wrote
        if sample["t"] - self.since >= self.after_s:
            self._stands(sample["t"], pids)

    def _stands(self, now: float, pids: Sequence[int]) -> None:
        if not self._told:
            self._told = True
            by, threads = waiting(pids)
            self._stall = Stall(self.since, now - self.since, by, threads, False)
            self.on_stall()
        if self._stall is not None:
            self._stall = replace(self._stall, for_s=round(now - self._stall.since_s, 3))

    def at_the_end(self, ended_at: float, *, by_us: bool) -> Fact[Stall]:
        """The stall that its end found it in; Absent where it had gone on."""
        stall = self._stall
        if stall is None or ended_at - (stall.since_s + stall.for_s) > _LAST_WORDS_S:
            return _NONE
        return Known(replace(stall, ended_by_us=by_us), "samples")

    def _works(self, sample: Sample, read: int, wrote: int) -> bool:
        last = self._last
        if "cpu_s" not in last:
            return True
        elapsed = max(sample["t"] - last["t"], 1e-3)
        if elapsed > _LONGEST_GAP_S and elapsed > 10 * self.after_s:
            return True
        busy = (sample["cpu_s"] - last["cpu_s"]) / elapsed > max(_IDLE_CPU, 0.015 / elapsed)
        moves = (
            abs(read - self._read) / elapsed > _IDLE_BYTES_PER_S
            or abs(wrote - self._wrote) >= _LEAST_OUTPUT
        )
        gpu = any(each.get("utilization", 0.0) > _IDLE_GPU for each in sample.get("gpus", ()))
        changed = sample.get("processes") != last.get("processes")
        return bool(busy or moves or gpu or changed)
