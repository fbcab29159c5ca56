"""What an examination is doing, as a list on the terminal of whoever waits for it: rows with their seconds and limits."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import TYPE_CHECKING

from tfdoctor.base import supervised

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

_ROWS = {
    "Machine, memory": ("host", "memory", "kernel_log"),
    "Python, packages": ("interpreter", "packages", "tensorflow", "environment", "jupyter"),
    "Driver, GPU": ("driver", "nvml"),
    "CUDA libraries": ("cuda_libraries",),
    "GPU test": ("smoke: driver",),
    "CUDA library test": ("smoke: libraries",),
    "TensorFlow test": ("smoke: tensorflow",),
}
_ROW_OF = {what: row for row, whats in _ROWS.items() for what in whats}
_WIDTH = max(map(len, _ROWS)) + 2
_A_SECOND = 10  # frames


class _Row:
    """`open`: what of it is still asked, until `ends`; `took_s` once nothing is open."""

    def __init__(self, begun: float) -> None:
        self.begun = self.ends = begun
        self.open: set[str] = set()
        self.took_s = 0.0


class Progress:
    """Call it with what begins and its limit in seconds, and with None at its end; `end` takes the list away.

    Without `live` nothing is shown.
    """

    def __init__(self, *, live: bool) -> None:
        self._rows: dict[str, _Row] = {}
        self._lock = threading.Lock()
        self._live: Live | None = None
        self._starting = threading.Thread(target=self._start, daemon=True) if live else None
        if self._starting is not None:
            with contextlib.suppress(RuntimeError):  # no more threads: nothing is shown
                self._starting.start()

    def _start(self) -> None:
        """Imports rich while the machine is being asked."""
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        live = Live(self, console=console, refresh_per_second=_A_SECOND, transient=True)
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            live.start()
            self._live = live

    def __call__(self, what: str, limit_s: float | None) -> None:
        if limit_s is not None:
            supervised.tell("doing", what)
        now = time.monotonic()
        with self._lock:
            row = self._rows.setdefault(_ROW_OF.get(what, what), _Row(now))
            if limit_s is None:
                row.open.discard(what)
                row.took_s = now - row.begun
            else:
                row.open.add(what)
                row.ends = max(row.ends, now + limit_s)

    def end(self) -> None:
        if self._starting is not None and self._starting.ident is not None:
            self._starting.join()
        self._starting = None
        if self._live is not None:
            with contextlib.suppress(OSError, ValueError):
                self._live.stop()
            self._live = None

    def __rich__(self) -> Text:
        """What is done first, what is waited for last."""
        from rich.text import Text

        now = time.monotonic()
        with self._lock:
            rows = sorted(self._rows.items(), key=lambda named: bool(named[1].open))
            return Text("\n").join(_line(name, row, now) for name, row in rows)


def _line(name: str, row: _Row, now: float) -> Text:
    from rich.text import Text

    if not row.open:
        return Text.assemble("  ", ("✓", "green"), f" {name:<{_WIDTH}}{row.took_s:.1f} s")
    turning = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"[int(now * _A_SECOND) % 10]
    return Text(
        f"  {turning} {name:<{_WIDTH}}{now - row.begun:.1f} s, at most {row.ends - row.begun:.0f}"
    )
