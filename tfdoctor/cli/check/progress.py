"""One line on stderr that says what is being asked, for a person at a terminal alone."""

from __future__ import annotations

import contextlib
import sys
import threading

from tfdoctor.system import supervised

_CLEAR = "\r\x1b[K"
_MOST = 60  # columns: fits into narrow terminals with the word before it


class Progress:
    """Call it with what begins; `end` takes the line away. Without `live` it says nothing."""

    def __init__(self, *, live: bool) -> None:
        self._live, self._lock = live, threading.Lock()

    def __call__(self, what: str) -> None:
        supervised.tell("doing", what)
        if self._live:
            self._show(f"{_CLEAR}examining: {what}"[: _MOST + len(_CLEAR)])

    def end(self) -> None:
        if self._live:
            self._show(_CLEAR)
            self._live = False

    def _show(self, text: str) -> None:
        with self._lock, contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()
