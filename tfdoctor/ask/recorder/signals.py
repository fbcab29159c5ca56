"""The signals that come to the recorder, one after the other, each with who sent it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable

from tfdoctor.base.records import record

FORWARDED = (
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGINT,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGQUIT,
)
_SI_KERNEL = 0x80  # <asm-generic/siginfo.h>: the terminal's driver, and not a process
DYING_OF = (signal.SIGINT, signal.SIGTERM)
"""A shell's loop stops where its command dies of these, and not where it only reports 128+N."""


@record
class Arrival:
    """One signal. `from_kernel`: typed at the terminal. `sender` is a pid, 0 where it is of another namespace."""

    number: int
    sender: int
    from_kernel: bool


class Signals:
    """Waits for signals in a thread of its own; `fileno` wakes a poll. Made before any other thread."""

    def __init__(self) -> None:
        self.watched = {*FORWARDED, signal.SIGWINCH, signal.SIGCONT}
        if os.getpid() == 1:
            self.watched.add(signal.SIGCHLD)
        self.mask = frozenset(
            int(each) for each in signal.pthread_sigmask(signal.SIG_BLOCK, self.watched)
        )
        self._arrived = deque[
            Arrival
        ]()  # `queue` would cost the start of a short command half a millisecond
        self._ours, self._wake = os.pipe()
        for end in (self._ours, self._wake):
            os.set_blocking(end, False)

    def begin(self) -> None:
        threading.Thread(target=self._wait, daemon=True, name="signals").start()

    def fileno(self) -> int:
        return self._ours

    def _wait(self) -> None:
        while True:
            told = signal.sigwaitinfo(self.watched)
            self._arrived.append(Arrival(told.si_signo, told.si_pid, told.si_code == _SI_KERNEL))
            self._call()

    def _call(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._wake, b".")

    def take(self) -> list[Arrival]:
        with contextlib.suppress(BlockingIOError):
            os.read(self._ours, 4096)
        found = []
        while self._arrived:
            found.append(self._arrived.popleft())
        return found

    def wait_for(self, number: int, seconds: float) -> bool:
        """Whether this signal comes within the time; others are kept for later."""
        end = time.monotonic() + seconds
        others: list[Arrival] = []
        found = False
        while not found and select.select([self._ours], [], [], max(end - time.monotonic(), 0))[0]:
            came = self.take()
            found = any(arrival.number == number for arrival in came)
            others += [arrival for arrival in came if arrival.number != number]
        if others:
            self._arrived.extendleft(reversed(others))
            self._call()
        return found


def die_of(number: int) -> None:
    """Ends this process by the signal; returns where that does not work, as in the first process of a container."""
    with contextlib.suppress(OSError):  # SIGKILL's action can't be changed, nor need it be
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (number,))
    signal.raise_signal(number)  # for this thread: another one waits for the process'


_LOOK_S = 0.03  # a sender that goes through a group needs microseconds; a loaded machine some milliseconds
_FRESH_S = 1.0
_PARENT_LOOK_S = 2.0


class Witness:
    def __init__(self, watched: Iterable[signal.Signals]) -> None:
        self._watched = tuple(watched)
        self._ours, theirs = os.pipe()
        parent = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            self._stand(parent, theirs)
        os.close(theirs)
        self._seen: list[tuple[int, float]] = []

    def _stand(self, parent: int, theirs: int) -> None:
        try:
            for name in os.listdir("/proc/self/fd"):
                if int(name) != theirs:
                    with contextlib.suppress(OSError):
                        os.close(int(name))
            signal.pthread_sigmask(signal.SIG_BLOCK, self._watched)
            while os.getppid() == parent:
                if told := signal.sigtimedwait(self._watched, _PARENT_LOOK_S):
                    os.write(theirs, bytes([told.si_signo]))
        finally:
            os._exit(0)

    def saw(self, number: int) -> bool:
        """Whether the whole group got this signal just now. Waits 0.03 s before it says no."""
        self._read(0)
        if not self._take(number):
            self._read(_LOOK_S)
            return self._take(number)
        return True

    def _take(self, number: int) -> bool:
        now = time.monotonic()
        self._seen = [(each, at) for each, at in self._seen if now - at < _FRESH_S]
        for place, (each, _) in enumerate(self._seen):
            if each == number:
                del self._seen[place]
                return True
        return False

    def _read(self, seconds: float) -> None:
        if select.select([self._ours], [], [], seconds)[0]:
            now = time.monotonic()
            self._seen += [(number, now) for number in os.read(self._ours, 64)]

    def end(self) -> None:
        with contextlib.suppress(OSError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
