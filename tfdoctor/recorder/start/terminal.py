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
import signal
import termios
import time
from typing import Any

from tfdoctor.recorder.start.forwarder import write_all
from tfdoctor.recorder.start.tape import Tape

_CHUNK = 1 << 16
_IFLAG, _OFLAG, _CFLAG, _LFLAG, _CC = 0, 1, 2, 3, 6
_SIGNAL_KEYS = ((termios.VINTR, signal.SIGINT), (termios.VQUIT, signal.SIGQUIT))
_SIZE = b"\0" * 8
_SOON_S, _GATHER_S, _LITTLE = 0.005, 0.001, 2048  # bytes
Settings = list[Any]  # what tcgetattr gives


class Terminal:
    """`outer` is a descriptor of the user's terminal, `master` and `slave` are the inner one's ends."""

    def __init__(self, outer: int) -> None:
        self.outer, self.tape = outer, Tape()
        self.master, self.slave = os.openpty()
        self._before: Settings = termios.tcgetattr(outer)
        termios.tcsetattr(self.slave, termios.TCSANOW, self._before)
        self.resize()
        self.raw = False
        self._to_command = b""
        self._read_at, self._little = 0.0, False
        os.set_blocking(self.master, False)
        self._lent = self._was_lent = False

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
        if self.raw:
            self._set_outer(self._before)
        self.raw = False
        self._lend_line_ends(True)

    def restore(self) -> None:
        """The outer terminal as the command left its own: what `stty` changed stays changed, as without us."""
        self._lend_line_ends(False)
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
        self.tape.add(said)
        write_all(self.outer, said)
        return bool(said)

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
            self.tape.add(said)
            write_all(self.outer, said)

    def give_back_typing(self) -> int:
        """Puts what was typed and never read back to the outer terminal (TIOCSTI); returns the bytes that were lost.

        Called with the inner terminal's slave still open, when the command is gone and the outer one is restored.
        """
        left = self._unread() + self._to_command
        self._to_command = b""
        if not left:
            return 0
        settings = termios.tcgetattr(self.outer)
        quiet = [
            *settings[:_LFLAG],
            settings[_LFLAG] & ~(termios.ECHO | termios.ECHONL),
            *settings[_LFLAG + 1 :],
        ]
        self._set_outer(quiet)  # it was echoed when it was typed
        given = 0
        try:
            for key in left:
                fcntl.ioctl(self.outer, termios.TIOCSTI, bytes([key]))
                given += 1
        except OSError:  # Linux 6.2 lets a system forbid it (dev.tty.legacy_tiocsti)
            pass
        self._set_outer(settings)
        return len(left) - given

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
