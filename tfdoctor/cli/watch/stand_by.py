"""Parts the program into three: a child that does the work, a light parent that always answers, a guardian between them.

The child may be stuck in a call that runs no Python code any more, be ended by the system for lack of memory, or
crash. The parent does nothing but wait, so it can then end the child and write what was known; the guardian ends what
the child has left behind (`guardian.py`). It costs two forks, about two milliseconds; nothing is imported that Python
has not loaded at its start.
"""

from __future__ import annotations

import os
import signal
import time

from tfdoctor.light import watched
from tfdoctor.light.descendants import adopt, any_left, end_all, end_with_parent, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_WAKING = (*FORWARDED, signal.SIGCHLD)


def stand_by() -> None:
    """Returns in the child. The parent never returns. Where no process can be made, the work goes on without one."""
    begun = time.monotonic()
    try:
        import fcntl  # noqa: F401  # it and fork() are used below, and stripped Pythons lack them

        # Before the forks: each page that is written after them has to be copied.
        from tfdoctor.cli.watch.guardian import guard
        from tfdoctor.cli.watch.parent import Watch

        told, permission, alive = (tuple(map(_beyond_standard, os.pipe())) for _ in range(3))
    except (ImportError, OSError):
        return
    os.write(permission[1], b"1")
    adopt()  # should the guardian itself be killed; it needs what this imports, too
    spared = _already_there()
    before = {
        number: signal.signal(number, _wake)
        for number in _WAKING
        if number == signal.SIGCHLD or _is_ours(number)
    }
    try:
        child = os.fork()
    except OSError:
        child = -1
    if child == 0:
        for handle in (told[0], permission[1], alive[1]):
            os.close(handle)
        _be_guarded(told[1], alive[0], guard)
        end_with_parent(alive[0])
        watched.be_watched(told[1], permission[0])
        watched.tell("worker", os.getpid())
    if child <= 0:
        for number, handler in before.items():
            signal.signal(number, handler)
        return
    for handle in (told[1], alive[0]):
        os.close(handle)
    status = Watch(child, told[0], permission[0], begun, spared).until_the_end()
    end_all(spared)
    os._exit(status)


def _already_there() -> frozenset[int]:
    """Children that this process had before it became ours: a shell's, whose last command was an `exec`."""
    return frozenset(tree(os.getpid())) if any_left() else frozenset()


def _be_guarded(told: int, alive: int, guard: Callable[[int, int, int, int], NoReturn]) -> None:
    """Returns in the child of the guardian. Where no second process can be made, there is none."""
    wakes, wake = map(_beyond_standard, os.pipe())
    for handle in (wakes, wake):
        os.set_blocking(handle, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    try:
        child = os.fork()
    except OSError:
        child = 0
    if child:
        guard(child, told, alive, wakes)
    signal.set_wakeup_fd(-1)
    os.close(wakes)
    os.close(wake)


def _is_ours(number: int) -> bool:
    """Not what somebody wants to be ignored, as nohup does with SIGHUP and a shell with SIGINT of a job behind `&`."""
    return signal.getsignal(number) is not signal.SIG_IGN


def _wake(number: int, frame: FrameType | None) -> None:
    """The number is read from the wake-up pipe (`signal.set_wakeup_fd`)."""


def _beyond_standard(handle: int) -> int:
    """The same pipe under a number above 2, where a caller had closed one of the standard three."""
    if handle > 2:
        return handle
    import fcntl

    moved: int = fcntl.fcntl(handle, fcntl.F_DUPFD_CLOEXEC, 3)
    os.close(handle)
    return moved
