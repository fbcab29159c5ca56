"""Waiting for what another process does, for as long as that takes; and whether it is still there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

Answer = TypeVar("Answer")

GIVEN_UP_S = 60.0
"""Far more than any of them needs on a busy machine."""


def until(happened: Callable[[], Answer]) -> Answer:
    """The first answer that is not empty. Fails where none comes."""
    end = time.monotonic() + GIVEN_UP_S
    while not (answer := happened()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
    return answer


def alive(pid: int) -> bool:
    """A zombie is gone: nothing of it runs any more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pids: Iterable[int]) -> None:
    """Waits until all have ended."""
    left = list(pids)
    until(lambda: not any(alive(pid) for pid in left))
