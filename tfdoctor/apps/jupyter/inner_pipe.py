"""What a kernel had written to its stderr and nobody had read yet when it died.

ipykernel puts a pipe of its own in the place of file 2 and has a thread of the kernel pass it on (iostream.py,
`_watch_pipe_fd`; ipykernel 7.4). A line that native code writes just before it aborts stays in that pipe and dies with
it. Whoever holds the pipe open can still read it then; as long as the kernel lives nothing is taken from it.
"""

from __future__ import annotations

import contextlib
import os
import stat

_MOST_BYTES = 1 << 20  # a pipe holds 64 kB, and no more than this unless root says so (pipe(7))


class InnerPipe:
    """`outer` is the number (st_ino) of the pipe that the kernel got as its stderr, 0 where it got another file."""

    def __init__(self, pid: int, outer: int) -> None:
        self._path, self._outer = f"/proc/{pid}/fd/2", outer
        self._handle, self._number = -1, 0

    def look(self) -> None:
        """Holds the pipe that is file 2 now. Where /proc does not let us, nothing is held."""
        with contextlib.suppress(OSError):
            found = os.stat(self._path)
            if not stat.S_ISFIFO(found.st_mode) or found.st_ino in (self._outer, self._number):
                return
            self.close()
            self._handle = os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            self._number = found.st_ino

    def say(self, text: str) -> None:
        """Writes into it: ipykernel shows that below the cell that runs. Nothing where the kernel has no such pipe, or it is full."""
        with contextlib.suppress(OSError):
            if self._handle < 0 or os.stat(self._path).st_ino != self._number:
                return
            handle = os.open(self._path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            try:
                os.write(handle, text.encode())
            finally:
                os.close(handle)

    def rest(self) -> bytes:
        """What is left in it after the kernel's death."""
        found = b""
        with contextlib.suppress(OSError):
            while (
                self._handle >= 0
                and len(found) < _MOST_BYTES
                and (chunk := os.read(self._handle, 1 << 16))
            ):
                found += chunk
        return found

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._handle, self._number = -1, 0
