"""What `ulimit -v` and `ulimit -d` leave of address space, and threads that fit into it."""

from __future__ import annotations

import sys

from tfdoctor.base.processes import share_one_arena

LEAST_BYTES = 64 << 20
"""Below it (an examination was seen to need 48 MiB with CPython 3.11, 2026-11-28) CPython can't even start its threads: one
that dies for lack of memory as it starts is waited for without end (Thread.start(), CPython 3.10 to 3.14)."""
_STACK_BYTES = 1 << 20


def smallest() -> tuple[int, str]:
    """The smaller of the two limits in bytes, and its option; sys.maxsize and "" where there is none."""
    try:
        import resource
    except ImportError:  # Windows
        return sys.maxsize, ""
    limits = [
        (resource.getrlimit(resource.RLIMIT_AS)[0], "-v"),
        (resource.getrlimit(resource.RLIMIT_DATA)[0], "-d"),
    ]
    return min(
        (each for each in limits if each[0] != resource.RLIM_INFINITY), default=(sys.maxsize, "")
    )


def fit_threads() -> None:
    """Threads to come take 1 MiB each instead of 8 with an arena of 64, where there is a limit. Raises MemoryError."""
    limit, option = smallest()
    if not option:
        return
    if limit < LEAST_BYTES:
        raise MemoryError
    import threading

    share_one_arena()
    threading.stack_size(_STACK_BYTES)
