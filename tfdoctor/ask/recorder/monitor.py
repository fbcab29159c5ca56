"""Leads the inner terminal's session, as a shell leads its own: starts the command there and hears of stops and its end.

The command must have a parent in its session but outside of its process group: a group without one is orphaned, and
Ctrl-Z would not stop it (POSIX, orphaned process group). sudo's use_pty has such a monitor, too.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import socket
import struct
import termios

from tfdoctor.ask.recorder.execute import Command, become
from tfdoctor.ask.recorder.streams import OutputBuffer, pass_on, to_null
from tfdoctor.base.processes import end_tree
from tfdoctor.base.records import record

MESSAGE = struct.Struct("=cqq")
PID, STOPPED, ENDED = b"p", b"s", b"e"  # to the recorder
BEHIND, IN_FRONT, WAIT, STAY, LEAVE = b"c", b"f", b"b", b"t", b"l"  # from it


class Monitor:
    """The recorder's side. `master` and `slave` are the inner terminal's two ends."""

    def __init__(self, socket_: socket.socket, pid: int) -> None:
        self.socket, self.pid = socket_, pid

    def fileno(self) -> int:
        return self.socket.fileno()

    def receive(self) -> tuple[bytes, int, int]:
        """A message's kind and its two numbers; (b"", 0, 0) where the monitor is gone."""
        data = self.socket.recv(MESSAGE.size, socket.MSG_WAITALL)
        return MESSAGE.unpack(data) if len(data) == MESSAGE.size else (b"", 0, 0)

    def send(self, kind: bytes) -> None:
        with contextlib.suppress(OSError):
            self.socket.sendall(MESSAGE.pack(kind, 0, 0))


@record
class Place:
    """Where the command is to live: the inner terminal's ends, the streams that it gets from it, and whether the keys
    are its own from the start. `errors` tells of a failed start, `inherited` are files that are the command's alone."""

    master: int
    slave: int
    taken: tuple[int, ...]
    in_front: bool
    errors: int
    inherited: tuple[int, ...]


def start(command: Command, place: Place) -> tuple[Monitor, int]:
    """Forks the monitor, which forks the command; returns both once the command has a process."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if not pid:
        ours.close()
        try:
            _lead(command, place, theirs)
        finally:
            os._exit(0)
    theirs.close()
    monitor = Monitor(ours, pid)
    _, child, _ = monitor.receive()
    return monitor, child


def _lead(command: Command, place: Place, line: socket.socket) -> None:
    os.setsid()
    fcntl.ioctl(place.slave, termios.TIOCSCTTY, 0)
    child = _begin(command, place)
    outer = os.dup(2)
    for number in (place.errors, *place.inherited):
        os.close(number)
    to_null(0, 1, 2)
    line.sendall(MESSAGE.pack(PID, child, 0))
    _Watch(line, child, place.slave).until_the_end()
    os.close(place.slave)
    kind, _, _ = Monitor(line, 0).receive()
    line.close()
    if (
        kind == STAY
    ):  # a daemon has the terminal open: the session lives on, and what it writes is passed on
        os.set_blocking(place.master, True)
        pass_on(place.master, outer, OutputBuffer())


def _begin(command: Command, place: Place) -> int:
    ready, go = os.pipe()
    monitor = os.getpid()
    child = os.fork()
    if not child:
        os.setpgid(0, 0)
        os.close(go)
        os.read(ready, 1)  # until the monitor has put us in front
        become(command, dict.fromkeys(place.taken, place.slave), place.errors, monitor)
    os.close(ready)
    with contextlib.suppress(OSError):
        os.setpgid(child, child)
    if place.in_front:
        os.tcsetpgrp(place.slave, child)
    os.close(go)
    return child


class _Watch:
    """Waits for the command and for the recorder's words at once."""

    def __init__(self, line: socket.socket, child: int, slave: int) -> None:
        self._line, self._child, self._slave = line, child, slave
        self._woken, wake = os.pipe()
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for number in (
            signal.SIGTTOU,
            signal.SIGTTIN,
            signal.SIGTSTP,
            signal.SIGHUP,
            signal.SIGINT,
        ):
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())

    def until_the_end(self) -> None:
        while not self._ended():
            ready, _, _ = select.select([self._line.fileno(), self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 4096)
            if self._line.fileno() in ready:
                self._obey()

    def _ended(self) -> bool:
        """Tells the recorder of a stop, or of the end. A command that has ended stays a zombie until we leave."""
        while found := os.waitid(
            os.P_PID, self._child, os.WEXITED | os.WSTOPPED | os.WNOHANG | os.WNOWAIT
        ):
            if found.si_code not in (os.CLD_STOPPED, os.CLD_TRAPPED):
                well = (found.si_code, found.si_status) == (os.CLD_EXITED, 0)
                self._line.sendall(MESSAGE.pack(ENDED, well, 0))
                self._bury()
                return True
            os.waitid(os.P_PID, self._child, os.WSTOPPED | os.WNOHANG)
            self._line.sendall(MESSAGE.pack(STOPPED, found.si_status, 0))
        return False

    def _bury(self) -> None:
        """The recorder looks at the zombie first; then it asks for its status."""
        Monitor(self._line, 0).receive()
        _, status, usage = os.wait4(self._child, 0)
        self._line.sendall(MESSAGE.pack(ENDED, status, usage.ru_maxrss))

    def _obey(self) -> None:
        kind, _, _ = Monitor(self._line, 0).receive()
        if not kind:
            end_tree(self._child)
            os._exit(0)  # the recorder is gone, and the terminal with it
        with contextlib.suppress(OSError):
            os.tcsetpgrp(self._slave, self._child if kind == IN_FRONT else os.getpgrp())
            os.killpg(self._child, signal.SIGCONT)
