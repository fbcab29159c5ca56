"""Signals by the names that people know them by."""

from __future__ import annotations

import signal


def signal_name(number: int) -> str:
    """ "SIGSEGV"; "signal 99" for a number that this system has no name for."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
