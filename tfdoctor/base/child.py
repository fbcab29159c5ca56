"""Runs a program that may hang, die, flood its output or eat memory, and always answers.

The child gets a process group of its own, which is ended afterwards with all that it started. Output beyond a
bound is read and thrown away, so that the child neither blocks nor fills our memory. A child that can't be
ended (stuck in the kernel) is reported and not waited for.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from tfdoctor.base.owners import Owner, environment_of
from tfdoctor.base.processes import cpu_seconds, sum_bytes, tree
from tfdoctor.base.records import record
from tfdoctor.base.signals import signal_name

_LIVE: set[int] = set()
_ENDING = threading.Event()
_TICK_S = 0.05
_LOOKS_PER_TREE = 10  # who belongs to the tree is read again every half second; reading it costs more than its sizes
# For the end of a process that has done everything, which takes TensorFlow less than a second of an idle processor:
_EXIT_S = 5.0  # for so long it may get no CPU time at all
_EXIT_CPU_S = 5.0
_LONGEST_EXIT_S = 30.0
_GRACE_S = 1.0  # after SIGKILL a process that is not gone by then is stuck in the kernel


class _Sink(threading.Thread):
    """Reads one pipe to its end and keeps its head and its tail."""

    def __init__(
        self, stream: object, keep: int, on_data: Callable[[bytes], None] | None = None
    ) -> None:
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


class Child:
    """A program at work: it can be talked to, and its memory is watched from its first moment.

    keep_bytes: of each stream the first and the last so many bytes are kept. memory_bound: bytes of memory of its
    own (RSS without the pages of files, which the kernel can drop; with all that it started) at which it is ended;
    it may be changed while it runs. owner: the user to start it as, which root alone can.
    on_stdout is called in another thread with each chunk as it comes. Raises OSError or ValueError where it can't
    be started.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str | None = None,
        keep_bytes: int = 1 << 20,
        memory_bound: int | None = None,
        on_stdout: Callable[[bytes], None] | None = None,
        owner: Owner | None = None,
    ) -> None:
        self.started = time.monotonic()
        self.memory_bound, self._peak = memory_bound, 0
        self._over_bound = self._waited = False
        if _ENDING.is_set():
            raise OSError(errno.ECANCELED, "tfdoctor is ending")
        self._process = _started(list(argv), None if env is None else dict(env), cwd, owner)
        _LIVE.add(self._process.pid)
        if _ENDING.is_set():  # the end came between both: it has not seen this one
            end_all_children()
        self._out = _Sink(self._process.stdout, keep_bytes, on_stdout)
        self._err = _Sink(self._process.stderr, keep_bytes)
        try:
            self._out.start()
            self._err.start()
            if memory_bound is not None:
                threading.Thread(target=self._watch_memory, daemon=True).start()
        except RuntimeError as error:  # no more threads may be started: nobody could listen to it
            _end_group(self._process)
            raise OSError(errno.EAGAIN, str(error)) from error

    def send(self, data: bytes, *, last: bool = False) -> None:
        """Writes to its stdin, in a thread: a child that does not read must not block us. `last` closes it."""
        if not data:
            self._feed(data, last)
            return
        threading.Thread(target=self._feed, args=(data, last), daemon=True).start()

    def _feed(self, data: bytes, last: bool) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            if data:
                self._process.stdin.write(data)
        if last:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def wait(self, timeout_s: float, finished: threading.Event | None = None) -> ChildResult:
        """Its end, or what it had said when the time was over and it was ended with its whole group.

        finished: once this is set, the process has a few seconds for its own end; what keeps it is not waited for.
        """
        deadline = time.monotonic() + max(timeout_s, 0)
        if finished is not None and self._until_finished(deadline, finished):
            in_time = self._exits(deadline)
        else:
            in_time = _ended_within(self._process, max(deadline - time.monotonic(), 0))
        self._waited = True
        _end_group(self._process)
        for sink in (self._out, self._err):
            sink.join(_GRACE_S / 2)
        return self._result(in_time)

    def _until_finished(self, deadline: float, finished: threading.Event) -> bool:
        """Whether it says before its end and before `deadline` that it has done everything."""
        while not finished.is_set() and (left := deadline - time.monotonic()) > 0:
            if _ended_within(self._process, min(_TICK_S, left)):
                break
        return finished.is_set()

    def _exits(self, deadline: float) -> bool:
        """Whether it ends by itself. One that waits for a busy processor has more time than one that stands still."""
        deadline = min(deadline, time.monotonic() + _LONGEST_EXIT_S)
        used = spent = cpu_seconds(self._process.pid)
        while (left := deadline - time.monotonic()) > 0:
            if _ended_within(self._process, min(_EXIT_S, left)):
                return True
            before, spent = spent, cpu_seconds(self._process.pid)
            if spent == before or spent - used > _EXIT_CPU_S:
                return False
        return False

    def end(self) -> ChildResult:
        """Ends it now."""
        return self.wait(0)

    def _watch_memory(self) -> None:
        members, looks = [self._process.pid], 0
        while not self._waited and self.memory_bound is not None:
            members = tree(self._process.pid) if looks % _LOOKS_PER_TREE == 0 else members
            looks += 1
            resident, unshared = sum_bytes(members)
            self._peak = max(self._peak, resident)
            if unshared > self.memory_bound:
                self._over_bound = True
                _kill_group(self._process)
                return
            time.sleep(_TICK_S)

    def _result(self, in_time: bool) -> ChildResult:
        code, how, status = self._process.returncode, "timeout", -1
        if code is None:
            how = "not-ended"
        elif self._over_bound:
            how = "memory-bound"
        elif in_time:
            how, status = ("signal", -code) if code < 0 else ("exit", code)
        duration, overflow = (
            time.monotonic() - self.started,
            self._out.overflow or self._err.overflow,
        )
        return ChildResult(
            how, status, self._out.data, self._err.data, duration, self._peak, overflow
        )


def _started(
    argv: list[str], env: dict[str, str] | None, cwd: str | None, owner: Owner | None
) -> subprocess.Popen[bytes]:
    """The program in a session of its own; where a sandbox refuses setsid(2), in a group of its own, else in ours."""
    identity: dict[str, Any] = {}
    if owner is not None:
        env, cwd = environment_of(owner, os.environ if env is None else env), cwd or "/"
        identity = {"user": owner.uid, "group": owner.gid, "extra_groups": owner.groups}

    program = find_program(argv[0], os.environ if env is None else env)

    def start(**apart: Any) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [program, *argv[1:]],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=env,
            cwd=cwd,
            bufsize=0,
            **apart,
            **identity,
        )

    try:
        return start(start_new_session=True)
    except PermissionError:
        with contextlib.suppress(PermissionError, TypeError):  # Python 3.10 can't make a group only
            return start(process_group=0)
        return start()


def find_program(name: str, environ: Mapping[str, str]) -> str:
    """A program's path by PATH, whose relative entries are passed over. Raises FileNotFoundError."""
    if os.path.dirname(name) or os.name == "nt":
        return name
    for folder in environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)


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
    owner: Owner | None = None,
) -> ChildResult:
    """Runs `argv` to its end or its limit. Never raises for anything that the program does.

    The arguments are `Child`'s; a program that can't be started is the result "not-started".
    """
    started = time.monotonic()
    try:
        child = Child(
            argv,
            env=env,
            cwd=cwd,
            keep_bytes=keep_bytes,
            memory_bound=memory_bound,
            on_stdout=on_stdout,
            owner=owner,
        )
    except (OSError, ValueError) as error:
        return ChildResult(
            "not-started", -1, b"", _reason(error).encode(), time.monotonic() - started,
            refused=isinstance(error, BlockingIOError),  # EAGAIN of clone(2)
        )  # fmt: skip
    child.send(stdin, last=True)
    return child.wait(started + timeout_s - time.monotonic())


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


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
    if process.returncode is None:  # not the leader of a group, or no groups here
        with contextlib.suppress(OSError):
            process.kill()


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Ends what the child left behind, too."""
    _kill_group(process)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_S)
    _LIVE.discard(process.pid)


def _reason(error: BaseException) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def end_all_children() -> None:
    """For the end of the program, however it comes: nothing that we started stays behind, nothing more is started."""
    _ENDING.set()
    for pid in list(_LIVE):
        with contextlib.suppress(OSError, AttributeError):
            os.killpg(pid, signal.SIGKILL)


Kind: TypeAlias = Literal[
    "ended", "died", "timed-out", "over-memory", "not-started", "no-more-threads"
]
"""Of what is not known since a child ended so; `facts/outcome.py` says what each means."""
_KINDS: dict[str, Kind] = {
    "exit": "ended",
    "signal": "died",
    "timeout": "timed-out",
    "not-ended": "timed-out",
    "memory-bound": "over-memory",
    "not-started": "not-started",
}


@record
class ChildResult:
    """How it ended. `how` is "exit", "signal", "timeout", "memory-bound", "not-ended" or "not-started"."""

    how: str
    status: int  # exit status, or the signal's number; -1 where neither exists
    stdout: bytes
    stderr: bytes
    duration_s: float
    peak_rss: int = 0  # bytes, the child's own, sampled; 0 where it could not be read
    overflow: bool = False  # more output than was kept
    refused: bool = False  # it was not started since the system gave no more threads or processes

    @property
    def ok(self) -> bool:
        return self.how == "exit" and self.status == 0

    @property
    def kind(self) -> Kind:
        """The kind of what is not known since it ended like this."""
        return "no-more-threads" if self.refused else _KINDS[self.how]

    def describe(self) -> str:
        """One clause for a sentence: "ended with status 3", "died of SIGSEGV", "did not answer within 5 s"."""
        if self.how == "exit":
            return f"ended with status {self.status}"
        if self.how == "signal":
            return f"died of {signal_name(self.status)}"
        if self.how == "timeout":
            return (
                f"did not answer within {self.duration_s:.0f} s"
                if self.duration_s >= 1
                else "did not answer in time"
            )
        if self.how == "memory-bound":
            return f"was ended at {self.peak_rss >> 20} MiB of memory"
        if self.how == "not-ended":
            return "did not answer and could not be ended"
        return f"could not be started: {self.stderr.decode('utf-8', 'replace')}"
