"""What processes hold of the machine's memory, by /proc/PID/statm (proc(5))."""

from __future__ import annotations

import os
from collections.abc import Sequence


def _statm(pid: int) -> tuple[int, int]:
    """RSS and its shared part, in bytes."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            fields = file.read().split()
        page = os.sysconf("SC_PAGE_SIZE")
        return int(fields[1]) * page, int(fields[2]) * page
    except (OSError, ValueError, IndexError, AttributeError):
        return 0, 0


def sum_bytes(pids: Sequence[int]) -> tuple[int, int]:
    """RSS and its unshared part of these processes together, in bytes."""
    resident = unshared = 0
    for member in pids:
        whole, shared = _statm(member)
        resident, unshared = resident + whole, unshared + whole - shared
    return resident, unshared
