"""Runs a program that may hang, die, flood its output or eat memory, and always answers.

The child gets a process group of its own, which is ended afterwards with all that it started. Output beyond a
bound is read and thrown away, so that the child neither blocks nor fills our memory. A child that can't be
ended (stuck in the kernel) is reported and not waited for.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_LIVE: set[int] = set()
_TICK_S = 0.05
_GRACE_S = 1.0  # after SIGKILL a process that is not gone by then is stuck in the kernel


@dataclass(frozen=True)
class ChildResult:
    """How it ended. `how` is "exit", "signal", "timeout", "memory-bound", "not-ended" or "not-started"."""

    how: str
    status: int  # exit status, or the signal's number; -1 where neither exists
    stdout: bytes
    stderr: bytes
    duration_s: float
    peak_rss: int = 0  # bytes, the child's own, sampled; 0 where it could not be read
    overflow: bool = False  # more output than was kept

    @property
    def ok(self) -> bool:
        return self.how == "exit" and self.status == 0

    def describe(self) -> str:
        """One clause for a sentence: "ended with status 3", "died of SIGSEGV", "did not answer within 5 s"."""
        if self.how == "exit":
            return f"ended with status {self.status}"
        if self.how == "signal":
            return f"died of {signal_name(self.status)}"
        if self.how == "timeout":
            return f"did not answer within {self.duration_s:.0f} s" if self.duration_s >= 1 else "did not answer in time"
        if self.how == "memory-bound":
            return f"was ended at {self.peak_rss >> 20} MiB of memory"
        if self.how == "not-ended":
            return "did not answer and could not be ended"
        return f"could not be started: {self.stderr.decode('utf-8', 'replace')}"


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


class _Sink(threading.Thread):
    """Reads one pipe to its end and keeps its head and its tail."""

    def __init__(self, stream: object, keep: int, on_data: Callable[[bytes], None] | None = None) -> None:
        super().__init__(daemon=True)
        self._fd: int = stream.fileno()  # type: ignore[attr-defined]  # a pipe of Popen
        self._head, self._tail = bytearray(), bytearray()
        self._keep, self._on_data = keep, on_data
        self.overflow = False

    def run(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self._fd, 65536):
                self._take(chunk)

    def _take(self, chunk: bytes) -> None:
        if self._on_data is not None:
            self._on_data(chunk)
        room = self._keep - len(self._head)
        self._head += chunk[:room]
        if rest := chunk[max(room, 0) :]:
            self._tail = (self._tail + rest)[-self._keep :]
            self.overflow = self.overflow or len(self._head) + len(self._tail) >= 2 * self._keep

    @property
    def data(self) -> bytes:
        return bytes(self._head + self._tail)


def run_child(
    argv: Sequence[str],
    *,
    timeout_s: float,
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    keep_bytes: int = 1 << 20,
    memory_bound: int | None = None,
    cwd: str | None = None,
    on_stdout: Callable[[bytes], None] | None = None,
) -> ChildResult:
    """Runs `argv` to its end or its limit. Never raises for anything that the program does.

    keep_bytes: of each stream the first and the last so many bytes are kept. memory_bound: bytes of RSS of the
    child at which it is ended. on_stdout is called in another thread with each chunk as it comes.
    """
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            list(argv), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=None if env is None else dict(env), cwd=cwd, start_new_session=True, bufsize=0,
        )  # fmt: skip
    except (OSError, ValueError) as error:
        return ChildResult("not-started", -1, b"", _reason(error).encode(), time.monotonic() - started)
    _LIVE.add(process.pid)
    out, err = _Sink(process.stdout, keep_bytes, on_stdout), _Sink(process.stderr, keep_bytes)
    out.start()
    err.start()
    _feed(process, stdin)
    how, peak = _watch(process, started + timeout_s, memory_bound)
    _end_group(process)
    for sink in (out, err):
        sink.join(_GRACE_S / 2)
    return _result(process, how, peak, out, err, time.monotonic() - started)


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    """In a thread: a child that does not read must not block us."""

    def write() -> None:
        with contextlib.suppress(OSError, ValueError):
            assert process.stdin is not None
            process.stdin.write(data)
            process.stdin.close()

    if data:
        threading.Thread(target=write, daemon=True).start()
    elif process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()


def _watch(process: subprocess.Popen[bytes], deadline: float, memory_bound: int | None) -> tuple[str, int]:
    """Waits for the end, the deadline or the bound. Returns why it stopped waiting and the peak RSS."""
    peak = 0
    while True:
        left = deadline - time.monotonic()
        if memory_bound is None:
            tick = left
        else:
            peak = max(peak, resident_bytes(process.pid))
            if peak > memory_bound:
                return "memory-bound", peak
            tick = min(_TICK_S, left)
        if _ended_within(process, max(tick, 0)):
            return "ended", peak
        if time.monotonic() >= deadline:
            return "timeout", peak


def _ended_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Popen.wait(timeout) polls with pauses of up to 50 ms; a pidfd wakes us at once (Linux 5.3, pidfd_open(2))."""
    try:
        fd = os.pidfd_open(process.pid)
    except (AttributeError, OSError):
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        return process.returncode is not None
    try:
        select.select([fd], [], [], seconds)
    finally:
        os.close(fd)
    return process.poll() is not None


def resident_bytes(pid: int) -> int:
    """The RSS of a process in bytes (/proc/PID/statm, proc(5)); 0 where it can't be read."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Ends what the child left behind, too."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_S)
    _LIVE.discard(process.pid)


def _result(
    process: subprocess.Popen[bytes], how: str, peak: int, out: _Sink, err: _Sink, duration: float
) -> ChildResult:
    code = process.returncode
    if how == "ended":
        how, status = ("signal", -code) if code < 0 else ("exit", code)
    elif code is None:
        how, status = "not-ended", -1
    else:
        status = -1
    return ChildResult(how, status, out.data, err.data, duration, peak, out.overflow or err.overflow)


def _reason(error: BaseException) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def end_all_children() -> None:
    """For Ctrl-C and SIGTERM: nothing that we started stays behind."""
    for pid in list(_LIVE):
        with contextlib.suppress(OSError, AttributeError):
            os.killpg(pid, signal.SIGKILL)
