"""A process that passes a pipe on and keeps the words: live, byte for byte, for as long as anybody writes.

It is a process of its own so that a daemon which keeps the stream can go on writing when the recorder has ended,
and so that a busy recorder never holds the command up.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time

from tfdoctor.recorder.start.streams import SOCKET, let_go
from tfdoctor.recorder.start.tape import Tape

_CHUNK = 1 << 16
_OUTLIVED = (
    signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGPIPE,
)  # fmt: skip
"""What reaches the whole process group: the command may have last words to say about it."""


class Forwarder:
    """`write_end` is the command's; `begin` is called once the command has it and we have let go of it."""

    def __init__(self, how: str) -> None:
        self.tape = Tape()
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
        let_go((self._ours, self.handle))
        self._ours = self.handle = -1


def _leave_all_but(*needed: int) -> None:
    """Closes what else this process inherited: it may stay behind, and nobody must wait for its files."""
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in needed:
            with contextlib.suppress(OSError):
                os.close(int(name))


def pass_on(source: int, target: int, tape: Tape) -> None:
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
