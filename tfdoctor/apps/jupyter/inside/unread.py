"""Native code's last words, kept where a kernel's death leaves them.

ipykernel's own thread takes what is written to file 2 out of a pipe and then passes it on, for which it needs the
interpreter: what it had in hand dies with the kernel, mostly the line that says why. Here a line stays in the pipe until it has
been passed on; whoever watches the kernel reads what was still there (`inner_pipe.py`).
"""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any

_MOST_BYTES = 1 << 16
_ERRORS = 2


class Unread:
    """File 2 as a pipe that is looked at with tee(2) before it is read. Raises OSError, AttributeError where it can't be."""

    def __init__(self, stream: Any) -> None:
        """`stream` is ipykernel's sys.stderr, which has a copy of the file that was there before."""
        self._stream, self._passes_to = stream, int(stream._original_stdstream_copy)
        self._tee = ctypes.CDLL(None, use_errno=True).tee
        self._read, write = os.pipe()
        self._seen, self._sees = os.pipe()
        self._before = os.dup(_ERRORS)
        os.dup2(write, _ERRORS)
        os.close(write)
        threading.Thread(target=self._pass_on, daemon=True, name="tfdoctor-stderr").start()

    def _pass_on(self) -> None:
        """Waits without the interpreter's lock; ends when nobody has the pipe open for writing any more."""
        while (size := self._tee(self._read, self._sees, _MOST_BYTES, 0)) > 0:
            words = os.read(self._seen, size)
            os.write(self._passes_to, words)
            os.read(self._read, len(words))
            self._stream.write(words.decode(errors="replace"))
        for handle in (self._read, self._seen, self._sees):
            os.close(handle)

    def put_back(self) -> None:
        """File 2 is ipykernel's again."""
        os.dup2(self._before, _ERRORS)
        os.close(self._before)
