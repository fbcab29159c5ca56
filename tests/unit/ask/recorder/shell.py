"""An interactive bash on a terminal of its own, typed to and read from."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import sys
import termios
import time
from collections.abc import Mapping

from tests.waiting import GIVEN_UP_S

RUN = f"{shlex.quote(sys.executable)} -m tfdoctor run --"
PROMPT = "PROMPT> "


class Shell:
    """`buffer` is what was written and not yet expected."""

    def __init__(self, environ: Mapping[str, str], rows: int = 40, columns: int = 200) -> None:
        self.pid, self._fd = pty.fork()
        if not self.pid:
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            variables = {**environ, "PS1": PROMPT, "TERM": "xterm", "HISTFILE": ""}
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "--noediting", "-i"], variables)
        self.buffer = b""
        self.resize(rows, columns)
        self.until(re.escape(PROMPT))

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("4H", rows, columns, 0, 0))

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def enter(self, line: str) -> None:
        """Types a line and waits for its echo."""
        self.type(f"{line}\n")
        self.until(re.escape(line) + r"\r\n")

    def answer(self, line: str) -> str:
        """What a whole command writes, up to the next prompt."""
        self.enter(line)
        return self.until(re.escape(PROMPT)).removesuffix(PROMPT)

    def until(self, pattern: str) -> str:
        """What was written up to the end of the first match."""
        wanted, end = re.compile(pattern.encode(), re.DOTALL), time.monotonic() + GIVEN_UP_S
        while not (found := wanted.search(self.buffer)):
            left = end - time.monotonic()
            assert left > 0, f"{pattern!r} did not come; there is {self.buffer!r}"
            if select.select([self._fd], [], [], left)[0]:
                self.buffer += os.read(self._fd, 65536)
        said, self.buffer = self.buffer[: found.end()], self.buffer[found.end() :]
        return said.decode("utf-8", "replace")

    def close(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._fd)
