"""A command in the same session and process group as the recorder: off a terminal, or where its words go elsewhere.

Whatever the terminal or somebody sends to the group reaches it by itself, stops and Ctrl-C included.
"""

from __future__ import annotations

import contextlib
import os
import select

from tfdoctor.ask.recorder.execute import Command, become
from tfdoctor.ask.recorder.streams import (
    FILE,
    HEAD_BYTES,
    PIPE,
    SOCKET,
    TAIL_BYTES,
    Forwarder,
    Plan,
    Text,
    close_fds,
    inherited,
    to_null,
)
from tfdoctor.base.records import record

_SETTLE_S = 5.0


@record
class WaitResult:
    """How the command ended: the status of wait(2), and the largest RSS in bytes of it or of a child it waited for."""

    status: int
    peak_rss: int


class Beside:
    """Started when it is made. `pid` is the command's; `dead` becomes true when it is a zombie, `well` with status 0."""

    def __init__(self, command: Command, plan: Plan, errors: int) -> None:
        self._plan = plan
        self.dead = self.well = False
        self._forwarder = Forwarder(plan.how) if plan.how in (PIPE, SOCKET) else None
        theirs = inherited()
        streams = dict.fromkeys(plan.taken, self._forwarder.write_end) if self._forwarder else {}
        recorder = os.getpid()
        self.pid = os.fork()
        if not self.pid:
            become(command, streams, errors, recorder)
        os.close(errors)
        self._handle = os.pidfd_open(self.pid)
        close_fds(theirs)
        to_null(0, 1)
        if self._forwarder is not None:
            self._forwarder.begin(2)

    def register(self, poll: select.poll) -> None:
        poll.register(self._handle, select.POLLIN)
        if self._forwarder is not None:
            poll.register(self._forwarder.handle, select.POLLIN)

    def attend(self, poll: select.poll, number: int, event: int) -> None:
        """Something happened to one of the registered files."""
        if number == self._handle:
            told = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
            self.dead = True
            self.well = told is not None and (told.si_code, told.si_status) == (os.CLD_EXITED, 0)
        elif self._forwarder is not None and number == self._forwarder.handle:
            poll.unregister(number)
            self._forwarder.ended()

    def deliver(self, number: int, *, to_all: bool) -> bool:
        """Passes a signal on. What was sent to the whole group has arrived already: False."""
        if to_all:
            return False
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self.pid, number)
        return True

    def resized(self) -> None:
        """The terminal's driver tells the group itself."""

    def continued(self) -> None:
        """Whoever sent it sent it to the group."""

    def wait(self) -> WaitResult:
        _, status, usage = os.wait4(self.pid, 0)
        return WaitResult(status, usage.ru_maxrss * 1024)

    def settle(self) -> None:
        """Waits until its last words are through."""
        if self._forwarder is not None:
            self._forwarder.settle(_SETTLE_S)

    def show(self, text: str) -> None:
        """Nothing: no terminal is ours to draw on."""

    @property
    def said_at(self) -> float:
        """When it last said something that we heard (time.monotonic()); 0 where we hear nothing while it works."""
        return self._forwarder.tape.last_at if self._forwarder is not None else 0.0

    def text(self) -> Text | str:
        """Its words, or why there are none to be had."""
        if self._forwarder is not None:
            return self._forwarder.tape.text()
        if self._plan.how == FILE:
            return _from_file(self._plan.offset)
        return self._plan.why


def _from_file(offset: int) -> Text | str:
    """What was written to the file behind stderr since the start, by a descriptor of our own that may read."""
    try:
        handle = os.open("/proc/self/fd/2", os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        return f"the file behind stderr can't be read ({error.strerror})"
    try:
        size = os.fstat(handle).st_size
        offset = min(offset, size)
        head = os.pread(handle, HEAD_BYTES, offset)
        rest = offset + len(head)
        start = max(rest, size - TAIL_BYTES)
        return Text(head, start - rest, os.pread(handle, TAIL_BYTES, start))
    except OSError as error:
        return f"the file behind stderr can't be read ({error.strerror})"
    finally:
        os.close(handle)
