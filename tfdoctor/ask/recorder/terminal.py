"""The inner terminal: the command's own, of the same size and settings as the outer one, with everything passed on.

While the command is in the outer terminal's foreground, the outer one is raw: each key goes to the inner one, whose
line discipline makes of Ctrl-C and Ctrl-Z what the command asked for. In a pipeline, where another program may read
the keys (`| less`), and in the background nothing is read until the command itself reads: it is then stopped by
SIGTTIN or SIGTTOU, as in any background, and goes on in the foreground as soon as we may read.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import struct
import termios
import time
from typing import Any

from tfdoctor.ask.recorder import monitor as lead
from tfdoctor.ask.recorder.beside import WaitResult
from tfdoctor.ask.recorder.execute import Command
from tfdoctor.ask.recorder.signals import Signals
from tfdoctor.ask.recorder.streams import (
    OutputBuffer,
    Plan,
    Text,
    close_fds,
    inherited,
    to_null,
    write_all,
)
from tfdoctor.ask.recorder.typed import Typed

_CHUNK = 1 << 16
_IFLAG, _OFLAG, _CFLAG, _LFLAG, _CC = 0, 1, 2, 3, 6
_SIGNAL_KEYS = ((termios.VINTR, signal.SIGINT), (termios.VQUIT, signal.SIGQUIT))
_SIZE = b"\0" * 8
_SOON_S, _GATHER_S, _LITTLE = 0.005, 0.001, 2048  # bytes
_WIDTH = 80
_ROOM_BELOW = b"\n\x1b[A"  # at the last line the screen scrolls
_BELOW = b"\x1b7\x1b[B\r\x1b[2K%s\x1b8"  # the cursor is kept, the line below written again (ECMA-48; DECSC, DECRC)
Settings = list[Any]  # what tcgetattr gives


class Terminal:
    """`outer` is a descriptor of the user's terminal, `master` and `slave` are the inner one's ends."""

    def __init__(self, outer: int) -> None:
        self.outer, self.tape, self.typed = outer, OutputBuffer(), Typed()
        self.master, self.slave = os.openpty()
        self._before: Settings = termios.tcgetattr(outer)
        termios.tcsetattr(self.slave, termios.TCSANOW, self._before)
        self.resize()
        self.raw = False
        self._to_command = b""
        self._read_at, self._little = 0.0, False
        os.set_blocking(self.master, False)
        self._lent = self._was_lent = self._shows = False

    def in_foreground(self) -> bool:
        with contextlib.suppress(OSError):
            return os.tcgetpgrp(self.outer) == os.getpgrp()
        return False

    def go_raw(self) -> None:
        """From here on the keys are the command's. The shell may have changed settings since we last had them."""
        if not self.raw:
            self._before, self._lent = termios.tcgetattr(self.outer), False
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self.slave, termios.TCSANOW, self._before)
        self._set_outer(_raw(self._before))
        self.raw = True

    def go_lazy(self) -> None:
        """The keys are others'; the outer terminal keeps its settings, and turns line ends into CR LF itself."""
        self.hide()
        if self.raw:
            self._set_outer(self._before)
        self.raw = False
        self._lend_line_ends(True)

    def restore(self) -> None:
        """The outer terminal as the command left its own: what `stty` changed stays changed, as without us."""
        self._lend_line_ends(False)
        self.hide()
        if self.raw:
            settings = self.inner_settings()
            settings[_OFLAG] |= self._before[_OFLAG] & termios.OPOST if self._was_lent else 0
            self._set_outer(settings)
        self.raw = False

    def inner_settings(self) -> Settings:
        with contextlib.suppress(termios.error):
            return termios.tcgetattr(self.master)
        return self._before

    def _lend_line_ends(self, wanted: bool) -> None:
        if wanted == self._lent or not self._before[_OFLAG] & termios.OPOST:
            return
        settings = self.inner_settings()
        settings[_OFLAG] ^= termios.OPOST
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self.master, termios.TCSANOW, settings)
        self._lent = wanted
        self._was_lent = (
            True  # a program may have read the settings meanwhile, and put them back when it ends
        )

    def _set_outer(self, settings: Settings) -> None:
        """Background processes may set a terminal where SIGTTOU is blocked (tcsetattr(3)); we never want to be stopped here."""
        old = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGTTOU,))
        try:
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self.outer, termios.TCSADRAIN, settings)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, old)

    def resize(self) -> None:
        with contextlib.suppress(OSError):
            size = fcntl.ioctl(self.outer, termios.TIOCGWINSZ, _SIZE)
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)

    def from_outer(self) -> bool:
        """Passes typed keys on. False where the terminal is gone."""
        try:
            keys = os.read(self.outer, _CHUNK)
        except OSError:
            return False
        if not keys:
            return False
        self._tell_partners(keys)
        self._to_command += keys
        self.typed.add(keys)
        self.to_inner()
        return True

    @property
    def has_keys(self) -> bool:
        return bool(self._to_command)

    def to_inner(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._to_command = self._to_command[os.write(self.master, self._to_command) :]

    def _tell_partners(self, keys: bytes) -> None:
        """Ctrl-C reaches all of a pipeline; the command gets it by the inner terminal, the others from here."""
        settings = self.inner_settings()
        if not settings[_LFLAG] & termios.ISIG:
            return
        for place, number in _SIGNAL_KEYS:
            key = settings[_CC][place]
            if key != b"\0" and key in keys:
                os.kill(0, number)  # our own copy is recognised by its sender

    def from_inner(self) -> bool:
        """Passes what the command wrote on. False at the end: nobody has the inner terminal open any more.

        Of one that writes line upon line a millisecond's worth is gathered: for each by itself we would be woken, and then
        whoever shows it, and the command would wait for a processor.
        """
        if self._little and time.monotonic() - self._read_at < _SOON_S:
            time.sleep(_GATHER_S)
        try:
            said = os.read(self.master, _CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._read_at, self._little = time.monotonic(), len(said) < _LITTLE
        self._show_said(said)
        return bool(said)

    def _show_said(self, said: bytes) -> None:
        self.tape.add(said)
        self.hide()
        write_all(self.outer, said)

    def show(self, text: str) -> None:
        """A line of our own below the cursor, which stays where it is; gone as soon as the command writes."""
        if self.raw:
            width = (
                struct.unpack("4H", fcntl.ioctl(self.outer, termios.TIOCGWINSZ, _SIZE))[1] or _WIDTH
            )
            line = text[: width - 1].encode("utf-8", "replace")
            write_all(self.outer, _ROOM_BELOW + _BELOW % line)
            self._shows = True

    def hide(self) -> None:
        if self._shows:
            self._shows = False
            write_all(self.outer, _BELOW % b"")

    def drain(self) -> bool:
        """All that was written so far. False where nobody has it open any more."""
        while True:
            try:
                said = os.read(self.master, _CHUNK)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not said:
                return False
            self._show_said(said)

    def give_back_typing(self) -> None:
        """Puts what was typed and never read back to the outer terminal (TIOCSTI).

        Called with the inner terminal's slave still open, when the command is gone and the outer one is restored.
        """
        left = self._unread() + self._to_command
        self._to_command = b""
        if not left:
            return
        settings = termios.tcgetattr(self.outer)
        quiet = [
            *settings[:_LFLAG],
            settings[_LFLAG] & ~(termios.ECHO | termios.ECHONL),
            *settings[_LFLAG + 1 :],
        ]
        self._set_outer(quiet)  # it was echoed when it was typed
        with contextlib.suppress(
            OSError
        ):  # Linux 6.2 lets a system forbid it (dev.tty.legacy_tiocsti)
            for key in left:
                fcntl.ioctl(self.outer, termios.TIOCSTI, bytes([key]))
        self._set_outer(settings)

    def _unread(self) -> bytes:
        settings = termios.tcgetattr(self.slave)
        settings[_LFLAG] &= ~(termios.ICANON | termios.ECHO)
        settings[_CC][termios.VMIN], settings[_CC][termios.VTIME] = 0, 0
        with contextlib.suppress(termios.error, OSError):
            termios.tcsetattr(self.slave, termios.TCSANOW, settings)
            return os.read(self.slave, _CHUNK)
        return b""


def _raw(settings: Settings) -> Settings:
    """Each byte as it is in both directions, no key of its own meaning (cfmakeraw(3))."""
    raw = [*settings[:_CC], list(settings[_CC])]
    raw[_IFLAG] &= ~(termios.IGNBRK | termios.BRKINT | termios.PARMRK | termios.ISTRIP | termios.INLCR | termios.IGNCR | termios.ICRNL | termios.IXON)  # fmt: skip
    raw[_OFLAG] &= ~termios.OPOST
    raw[_LFLAG] &= ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
    raw[_CFLAG] = raw[_CFLAG] & ~(termios.CSIZE | termios.PARENB) | termios.CS8
    raw[_CC][termios.VMIN], raw[_CC][termios.VTIME] = 1, 0
    return raw


_FOR_THE_KEYS = (signal.SIGTTIN, signal.SIGTTOU)
_CONTINUED_S = 0.3
_DRAIN_S = 0.2


class Inside:
    """Started when it is made. `pid` is the command's; `dead` becomes true when it is a zombie, `well` with status 0."""

    def __init__(self, command: Command, plan: Plan, errors: int, signals: Signals) -> None:
        self.dead = self.well = False
        self._signals = signals
        self._terminal = Terminal(_own_terminal())
        self._partners = plan.partners
        theirs = inherited()
        in_front = not plan.partners and self._terminal.in_foreground()
        self._terminal.go_raw() if in_front else self._terminal.go_lazy()
        place = lead.Place(
            self._terminal.master, self._terminal.slave, plan.taken, in_front, errors, theirs
        )
        self._monitor, self.pid = lead.start(command, place)
        os.close(errors)
        close_fds(theirs)
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

    def wait(self) -> WaitResult:
        self._monitor.send(lead.WAIT)
        kind, status, peak = self._monitor.receive()
        return WaitResult(status if kind else signal.SIGKILL, peak * 1024)

    def settle(self) -> None:
        """Passes the last words on, gives back the terminal, and lets a daemon keep its own."""
        terminal = self._terminal
        terminal.drain()
        terminal.restore()
        terminal.give_back_typing()
        os.close(terminal.slave)
        deadline = time.monotonic() + _DRAIN_S
        held = terminal.drain()
        while held and time.monotonic() < deadline:
            time.sleep(0.002)  # the monitor closes its own end now, too
            held = terminal.drain()
        if held:
            terminal.go_lazy()  # the shell's settings hold again
        self._monitor.send(lead.STAY if held else lead.LEAVE)

    def show(self, text: str) -> None:
        """A line of ours, "" for none."""
        self._terminal.show(text) if text else self._terminal.hide()

    @property
    def said_at(self) -> float:
        return self._terminal.tape.last_at

    def text(self) -> Text | str:
        told = self._terminal.tape.text()
        taken_out = self._terminal.typed.taken_out
        return Text(taken_out(told.head), told.skipped, taken_out(told.tail))


def _own_terminal() -> int:
    """The session's terminal to read from and write to: stderr may have been opened for writing alone."""
    try:
        return os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return os.dup(2)
