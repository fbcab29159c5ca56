"""At most one driver child per user: a lock in the runtime folder, and the last answer beside it.

The child itself holds the lock, so one that can't be ended keeps it, and no second one is added to it. A probe that
does not get it waits, within its own time, for the holder's answer: one that was finished after the probe began
and was asked under the same variables is as good as its own.
"""

from __future__ import annotations

import fcntl
import marshal
import os
import sys
import time

from tfdoctor.health import clock
from tfdoctor.health.state import runtime_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tfdoctor.health.child import Send

NOBODY, UNKNOWN, STRANGER = 0, -1, -2
POLL_S = 0.02
LOOK_POLLS = 8  # between two looks at the one that holds the lock
WORDS = 200  # bytes of the lock file for people; behind them who holds it, and since when
STEERS = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "NVIDIA_VISIBLE_DEVICES", "LD_LIBRARY_PATH")
"""What changes the driver's answers: an answer under other values is another question's."""


def alone(ask: Callable[[Send], None], send: Send, parent: int) -> None:
    """Runs `ask` as the only one of this user, or hands on the answer of the one that runs."""
    begun = clock.since_boot()
    opened = _opened(send)
    if opened is None:
        ask(send)
        return
    folder, lock = opened
    polls = 0
    while not _locked(lock):
        if _hand_on(folder, begun, send):
            return
        polls += 1
        if polls % LOOK_POLLS == 0:
            _look_at_the_holder(lock, send)
        _wait(lock, send, parent)
    if polls:
        send("queued", clock.since_boot() - begun)
    send("busy", "")
    if not _hand_on(folder, begun, send):
        _ask_and_leave(ask, send, folder, lock)


def locked(work: Callable[[], None], send: Send, parent: int) -> None:
    """Runs `work` as the only one of this user at the driver, with an answer of its own."""
    opened = _opened(send)
    if opened is not None:
        while not _locked(opened[1]):
            _wait(opened[1], send, parent)
        os.pwrite(opened[1], _line(time.strftime("%H:%M:%S", time.gmtime()), "the smoke kernel"), 0)
        os.set_inheritable(
            opened[1], True
        )  # what is started has it, too, and one that can't be ended keeps it
    send("busy", "")
    work()


def _wait(lock: int, send: Send, parent: int) -> None:
    """Tells what the holder is at. Ends this process where nobody waits for it any more."""
    if os.getppid() != parent:
        os._exit(0)
    send("busy", _text(lock))
    time.sleep(POLL_S)


def _opened(send: Send) -> tuple[int, int] | None:
    """Handles on the runtime folder and the lock file; None, and the reason said, where there is no such folder."""
    try:
        folder, _ = runtime_folder(dict(os.environ))
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        return folder, os.open("driver.lock", flags, 0o600, dir_fd=folder)
    except OSError as error:
        send("alone", f"no private folder for a lock ({error.filename or 'none'}: {error.strerror})")
        return None


def _locked(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def at_the_driver() -> tuple[int, float]:
    """The process that holds the lock, and since when (time.monotonic()); NOBODY where it is free, UNKNOWN where none is named.

    STRANGER: who is named does not hold it. The holder has not got to writing its own name, or lives in another container.
    """
    try:
        folder, _ = runtime_folder(dict(os.environ))
        lock = os.open("driver.lock", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        if _locked(lock):
            os.close(lock)
            return NOBODY, 0.0
        return _holder(lock)
    except (OSError, ValueError):
        return UNKNOWN, 0.0


def _holder(lock: int) -> tuple[int, float]:
    """By what it has written into the lock file. Raises OSError, ValueError."""
    pid, since = os.pread(lock, 100, WORDS).split()
    if not _has_open(int(pid), os.fstat(lock)):
        return STRANGER, 0.0
    return int(pid), time.monotonic() - (clock.since_boot() - float(since))


def _look_at_the_holder(lock: int, send: Send) -> None:
    """Says for how long something blocks it. It may be ended before this probe's own time is over, and its turn comes."""
    from tfdoctor.health.starved import life

    try:
        pid, since = _holder(lock)
    except (OSError, ValueError):
        return
    if pid > 0:
        send("held", life(pid, since).blocked)


def _has_open(pid: int, file: os.stat_result) -> bool:
    """A process of that number may be another's, as in another container."""
    handles = f"/proc/{pid}/fd"
    try:
        return any(os.path.samestat(os.stat(f"{handles}/{each}"), file) for each in os.listdir(handles))
    except OSError:  # it has ended
        return False


def _text(lock: int) -> str:
    """ "12:00:03 cuInit": since when the holder asks, and what."""
    return os.pread(lock, WORDS, 0).decode("ascii", "replace").strip()


def _line(since: str, call: str) -> bytes:
    return f"{since} {call}"[: WORDS - 1].ljust(WORDS).encode("ascii", "replace")


def _ask_and_leave(ask: Callable[[Send], None], send: Send, folder: int, lock: int) -> None:
    """Asks, telling the lock file each step, and leaves the answer for those who wait."""
    since = time.strftime("%H:%M:%S", time.gmtime())
    said: list[tuple[str, Any]] = []

    def tell(key: str, value: Any) -> None:
        if key == "at":
            os.pwrite(lock, _line(since, value), 0)
        said.append((key, value))
        send(key, value)

    os.pwrite(lock, b"\n%d %f\n" % (os.getpid(), clock.since_boot()), WORDS)
    ask(tell)
    try:
        _leave(folder, marshal.dumps((_question(), clock.since_boot(), said)))
    except OSError as error:  # the answer itself is not hurt
        send("alone", f"no answer could be left for other probes ({error.strerror})")


def _leave(folder: int, answer: bytes) -> None:
    """Only the holder of the lock writes, so one name for the part will do."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open("driver.answer.part", flags, 0o600, dir_fd=folder), "wb") as file:
        file.write(answer)
    os.rename("driver.answer.part", "driver.answer", src_dir_fd=folder, dst_dir_fd=folder)


def _question() -> tuple[str, ...]:
    return (sys.version, *(os.environ.get(name, "\0") for name in STEERS))


def _hand_on(folder: int, begun: float, send: Send) -> bool:
    """Says another child's answer if it is young enough. False: there is none."""
    try:
        handle = os.open("driver.answer", os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        with os.fdopen(handle, "rb") as file:
            question, finished, said = marshal.loads(file.read())  # noqa: S302  # from a folder that only this user enters
    except (OSError, ValueError, EOFError, TypeError):
        return False
    if question != _question() or finished < begun:
        return False
    send("busy", "")
    for key, value in said:
        send(key, value)
    send("shared", True)
    return True
