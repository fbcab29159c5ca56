"""Which of the command's three streams are left as they are, and how the words on stderr are come by.

Only stderr's text is needed, and stdout's where both are one. A terminal is given whole or not at all: an inner
terminal for the output alone would part prompts from their answers.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import stat
import struct
import time

from tfdoctor.base.records import record

TERMINAL, PIPE, SOCKET, FILE, NONE = "terminal", "pipe", "socket", "file", "none"


@record
class Plan:
    """`how` the text is come by: one of the words above; `why` it is not, where it is NONE.

    taken: those of the streams 0, 1, 2 that the command gets from us instead. offset: of a FILE, where the
    command's own words begin. partners: on a terminal, other programs of the same pipeline may use it, too.
    """

    how: str
    taken: tuple[int, ...] = ()
    offset: int = 0
    why: str = ""
    partners: bool = False


def plan() -> Plan:
    """For the streams of this process."""
    kinds = {number: _kind(number) for number in (0, 1, 2)}
    how = kinds[2]
    if how == FILE:
        return Plan(FILE, offset=_offset(2))
    if how in (PIPE, SOCKET):
        same = kinds[1] == how and same_file(1, 2)
        return Plan(how, (1, 2) if same else (2,))
    if how == TERMINAL and not _is_controlling(2):
        return Plan(NONE, why="stderr is a terminal that is not this session's own")
    if how == TERMINAL:
        taken = tuple(
            number for number in (0, 1, 2) if kinds[number] == TERMINAL and same_file(number, 2)
        )
        return Plan(TERMINAL, taken, partners=kinds[0] != TERMINAL or kinds[1] in (PIPE, SOCKET))
    return Plan(
        NONE,
        why="stderr is closed" if how == "closed" else "stderr goes to a device that keeps nothing",
    )


def _kind(number: int) -> str:
    try:
        mode = os.fstat(number).st_mode
    except OSError:
        return "closed"
    if stat.S_ISREG(mode):
        return FILE
    if stat.S_ISFIFO(mode):
        return PIPE
    if stat.S_ISSOCK(mode):
        return SOCKET
    return TERMINAL if os.isatty(number) else NONE


def same_file(one: int, other: int) -> bool:
    first, second = os.fstat(one), os.fstat(other)
    return (first.st_dev, first.st_ino, first.st_rdev) == (
        second.st_dev,
        second.st_ino,
        second.st_rdev,
    )


def _is_controlling(number: int) -> bool:
    """tcgetpgrp(3) answers for the controlling terminal alone."""
    try:
        os.tcgetpgrp(number)
    except OSError:
        return False
    return True


def _offset(number: int) -> int:
    """Where the next write will go: at the end for `2>>log`, else at the position that was handed over."""
    import fcntl

    appends = fcntl.fcntl(number, fcntl.F_GETFL) & os.O_APPEND
    with contextlib.suppress(OSError):
        return os.fstat(number).st_size if appends else os.lseek(number, 0, os.SEEK_CUR)
    return 0


def inherited() -> tuple[int, ...]:
    """Further open files that were handed to us and that the command inherits (`3>log`, a lock, a jobserver)."""
    found = []
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError):
                if int(name) > 2 and os.get_inheritable(int(name)):
                    found.append(int(name))
    return tuple(found)


def close_fds(numbers: tuple[int, ...]) -> None:
    """Closes files that are the command's alone: whoever waits for their end must not wait for us."""
    for number in numbers:
        with contextlib.suppress(OSError):
            os.close(number)


def to_null(*numbers: int) -> None:
    """Puts /dev/null in the place of streams that are the command's alone. A closed one stays closed."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in numbers:
        with contextlib.suppress(OSError):
            os.fstat(number)
            os.dup2(null, number)
    if null not in numbers:
        os.close(null)


HEAD_BYTES = 128 << 10
TAIL_BYTES = 512 << 10
_FIELDS = struct.Struct("=BQd")  # busy, bytes so far, time of the last of them (time.monotonic)


@record
class Text:
    """The words of a stream. `skipped`: bytes between both parts that were not kept."""

    head: bytes
    skipped: int
    tail: bytes

    @property
    def whole(self) -> bytes:
        """Both parts, with a line between them where something was left out."""
        if not self.skipped:
            return self.head + self.tail
        return self.head + f"\n[… {self.skipped} bytes were not kept …]\n".encode() + self.tail


class OutputBuffer:
    """Written by one process, read by another: whoever was forked after it was made sees the same memory."""

    def __init__(self) -> None:
        import mmap  # a command whose words go elsewhere needs no memory for them

        self._memory = mmap.mmap(-1, _FIELDS.size + HEAD_BYTES + TAIL_BYTES)
        self._put(False, 0, time.monotonic())

    def _put(self, busy: bool, total: int, at: float) -> None:
        _FIELDS.pack_into(self._memory, 0, busy, total, at)

    def _get(self) -> tuple[bool, int, float]:
        busy, total, at = _FIELDS.unpack_from(self._memory, 0)
        return bool(busy), total, at

    def begin(self) -> None:
        """Said before data is taken from the stream: from now on it may be on its way."""
        _, total, at = self._get()
        self._put(True, total, at)

    def done(self) -> None:
        """Said when all that was taken was passed on."""
        _, total, at = self._get()
        self._put(False, total, at)

    def add(self, chunk: bytes) -> None:
        busy, total, _ = self._get()
        room = max(HEAD_BYTES - total, 0)
        start = _FIELDS.size + total
        if room:
            self._memory[start : start + len(chunk[:room])] = chunk[:room]
        self._wind(chunk[room:], max(total - HEAD_BYTES, 0))
        self._put(busy, total + len(chunk), time.monotonic())

    def _wind(self, rest: bytes, before: int) -> None:
        """Writes what no longer fits into the head around the ring; `before` bytes have gone into it so far."""
        if not rest:
            return
        cut = max(len(rest) - TAIL_BYTES, 0)
        at, rest = (before + cut) % TAIL_BYTES, rest[cut:]
        ring = _FIELDS.size + HEAD_BYTES
        first = rest[: TAIL_BYTES - at]
        self._memory[ring + at : ring + at + len(first)] = first
        self._memory[ring : ring + len(rest) - len(first)] = rest[len(first) :]

    @property
    def busy(self) -> bool:
        return self._get()[0]

    @property
    def total(self) -> int:
        return self._get()[1]

    @property
    def last_at(self) -> float:
        return self._get()[2]

    def text(self) -> Text:
        total = self.total
        base, ring = _FIELDS.size, _FIELDS.size + HEAD_BYTES
        head = self._memory[base : base + min(total, HEAD_BYTES)]
        wound = max(total - HEAD_BYTES, 0)
        if wound <= TAIL_BYTES:
            return Text(head, 0, self._memory[ring : ring + wound])
        at = wound % TAIL_BYTES
        tail = self._memory[ring + at : ring + TAIL_BYTES] + self._memory[ring : ring + at]
        return Text(head, wound - TAIL_BYTES, tail)


_CHUNK = 1 << 16
_OUTLIVED = (
    signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE,
)  # fmt: skip
"""What reaches the whole process group: the command may have last words to say about it."""


class Forwarder:
    """`write_end` is the command's; `begin` is called once the command has it and we have let go of it."""

    def __init__(self, how: str) -> None:
        self.tape = OutputBuffer()
        self._ours, self.write_end = self._pair(how)
        self._pid = self.handle = -1

    @staticmethod
    def _pair(how: str) -> tuple[int, int]:
        """Of the kind that the stream had before, so that the command sees what it would have seen."""
        if how != SOCKET:
            return os.pipe()
        import socket

        one, other = socket.socketpair()
        return one.detach(), other.detach()

    def begin(self, target: int) -> None:
        """Forks; from now on all that is written goes to the file `target`."""
        os.close(self.write_end)
        self._pid = os.fork()
        if self._pid:
            self.handle = os.pidfd_open(self._pid)
            return
        try:
            _leave_all_but(self._ours, target)
            for number in _OUTLIVED:
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            pass_on(self._ours, target, self.tape)
        finally:
            os._exit(0)

    def settle(self, seconds: float) -> None:
        """Waits until all that the command had written when it ended was passed on, but no longer than so."""
        import fcntl
        import struct
        import termios

        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self._ours >= 0:
            waiting = struct.unpack("i", fcntl.ioctl(self._ours, termios.FIONREAD, b"\0" * 4))[0]
            if not waiting and not self.tape.busy:
                break
            time.sleep(0.001)

    def ended(self) -> None:
        """Its process is gone: at the end of the stream, or since nobody reads. The command must meet that, too."""
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._pid, 0)
        close_fds((self._ours, self.handle))
        self._ours = self.handle = -1


def _leave_all_but(*needed: int) -> None:
    """Closes what else this process inherited: it may stay behind, and nobody must wait for its files."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in needed:
            with contextlib.suppress(OSError):
                os.close(int(name))


def pass_on(source: int, target: int, tape: OutputBuffer) -> None:
    """Copies to the end of `source`. A reader that went away ends it: the command then meets the same."""
    poll = select.poll()
    poll.register(source, select.POLLIN)
    while True:
        poll.poll()
        tape.begin()
        try:
            chunk = os.read(source, _CHUNK)
        except OSError:  # a terminal that nobody has open any more
            chunk = b""
        tape.add(chunk)
        passed = write_all(target, chunk)
        tape.done()
        if not chunk or not passed:
            return


def write_all(target: int, data: bytes) -> bool:
    """False where nobody reads any more. A file that was set to non-blocking by somebody is waited for."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(target, view) :]
        except BlockingIOError:
            select.select([], [target], [])
        except OSError:
            return False
    return True
