"""A command on a terminal: in an inner one of its own, led by a monitor, with everything passed on."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time

from tfdoctor.recorder.start import monitor as lead
from tfdoctor.recorder.start.beside import Buried
from tfdoctor.recorder.start.execute import Command
from tfdoctor.recorder.start.signals import Signals
from tfdoctor.recorder.start.streams import Plan, inherited, let_go, to_null
from tfdoctor.recorder.start.tape import Text
from tfdoctor.recorder.start.terminal import Terminal

_FOR_THE_KEYS = (signal.SIGTTIN, signal.SIGTTOU)
_CONTINUED_S = 0.3
_DRAIN_S = 0.2


class Inside:
    """Started when it is made. `pid` is the command's; `dead` becomes true when it is a zombie, `well` with status 0.

    lost_keys: bytes that were typed, never read, and could not be given back.
    """

    def __init__(self, command: Command, plan: Plan, errors: int, signals: Signals) -> None:
        self.dead = self.well = False
        self.lost_keys, self._signals = 0, signals
        self._terminal = Terminal(_own_terminal())
        self._partners = plan.partners
        theirs = inherited()
        in_front = not plan.partners and self._terminal.in_foreground()
        self._terminal.go_raw() if in_front else self._terminal.go_lazy()
        place = lead.Place(self._terminal.master, self._terminal.slave, plan.taken, in_front, errors, theirs)
        self._monitor, self.pid = lead.start(command, place)
        os.close(errors)
        let_go(theirs)
        to_null(0, 1)
        self._keys_end = False

    def register(self, poll: select.poll) -> None:
        poll.register(self._monitor, select.POLLIN)
        poll.register(self._terminal.master, select.POLLIN)
        self._listen(poll)

    def _listen(self, poll: select.poll) -> None:
        """Keys are read only where they are the command's, and no faster than it takes them."""
        wanted = self._terminal.raw and not self._keys_end and not self._terminal.has_keys
        poll.register(self._terminal.outer, select.POLLIN if wanted else 0)
        to_write = select.POLLOUT if self._terminal.has_keys else 0
        poll.register(self._terminal.master, select.POLLIN | to_write)

    def attend(self, poll: select.poll, number: int, event: int) -> None:
        terminal = self._terminal
        if number == self._monitor.fileno():
            self._hear()
        elif number == terminal.outer:
            if not event & select.POLLIN or not terminal.from_outer():
                self._keys_end = True
                poll.unregister(terminal.outer)
                return
        elif number == terminal.master:
            if event & select.POLLOUT:
                terminal.to_inner()
            terminal.from_inner()
        if not self._keys_end:
            self._listen(poll)

    def _hear(self) -> None:
        kind, number, _ = self._monitor.receive()
        if kind == lead.STOPPED:
            self._terminal.drain()
            self._stopped(number)
        else:  # it has ended, or the monitor has and nobody can say any more how the command fares
            self.dead, self.well = True, bool(kind == lead.ENDED and number)

    def _stopped(self, number: int) -> None:
        """The command stopped: for the keys, which it may have, or as somebody wished, and then all of us stop."""
        terminal = self._terminal
        if number in _FOR_THE_KEYS and terminal.in_foreground():
            self._in_front()
            return
        terminal.go_lazy()
        os.kill(os.getpid() if number == signal.SIGSTOP else 0, number)
        self._signals.wait_for(signal.SIGCONT, _CONTINUED_S)
        self.continued()

    def continued(self) -> None:
        if self._terminal.in_foreground() and not self._partners:
            self._in_front()
        else:
            self._terminal.go_lazy()
            self._monitor.send(lead.BEHIND)

    def _in_front(self) -> None:
        self._terminal.resize()
        self._terminal.go_raw()
        self._monitor.send(lead.IN_FRONT)

    def deliver(self, number: int, *, to_all: bool) -> bool:
        """Passes a signal on: to the command, or to its whole process group as the sender meant it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number) if to_all else os.kill(self.pid, number)
        return True

    def resized(self) -> None:
        self._terminal.resize()
        if not self._terminal.raw:  # the inner terminal tells those in its foreground alone
            self.deliver(signal.SIGWINCH, to_all=True)

    def bury(self) -> Buried:
        self._monitor.send(lead.BURY)
        kind, status, peak = self._monitor.receive()
        return Buried(status if kind else signal.SIGKILL, peak * 1024)

    def settle(self) -> None:
        """Passes the last words on, gives back the terminal, and lets a daemon keep its own."""
        terminal = self._terminal
        terminal.drain()
        terminal.restore()
        self.lost_keys = terminal.give_back_typing()
        os.close(terminal.slave)
        deadline = time.monotonic() + _DRAIN_S
        held = terminal.drain()
        while held and time.monotonic() < deadline:
            time.sleep(0.002)  # the monitor closes its own end now, too
            held = terminal.drain()
        if held:
            terminal.go_lazy()  # the shell's settings hold again
        self._monitor.send(lead.STAY if held else lead.LEAVE)

    @property
    def said_at(self) -> float:
        return self._terminal.tape.last_at

    def text(self) -> Text | str:
        return self._terminal.tape.text()


def _own_terminal() -> int:
    """The session's terminal to read from and write to: stderr may have been opened for writing alone."""
    try:
        return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return os.dup(2)
