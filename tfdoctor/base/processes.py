"""What this process started, and all that those started, also in sessions of their own: found, adopted, ended.

A hook of an examined environment, TensorFlow or libcuda may start a daemon. Whose parent ends is handed to init, unless
an ancestor asked for it (PR_SET_CHILD_SUBREAPER, prctl(2)). Imports next to nothing: the health check uses it.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER, _PR_SET_PTRACER = 1, 36, 0x59616D61  # linux/prctl.h
_M_ARENA_MAX = -8  # malloc.h
_F_SETSIG = 10  # fcntl(2), on every architecture of Linux that TensorFlow has wheels for
_SIGKILL, _SIGTERM = 9, 15
_PAUSE_S = 0.002


def adopt() -> None:
    """From now on descendants whose parent ends become children of this process. Where that is refused, init's."""
    _call("prctl", _PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_creator(number: int = _SIGTERM) -> None:
    """In a child before it runs its program: the kernel sends it this signal when the thread that made it ends (prctl(2))."""
    _call("prctl", _PR_SET_PDEATHSIG, number, 0, 0, 0)


def let_be_read_by(pid: int) -> None:
    """In a child before it runs its program: that process and its descendants may look at its stacks, as root may.

    Yama's scope 1, the default of Ubuntu, else lets a process be read by its ancestors alone (Linux, Yama.rst, 2026-11); the kernel
    keeps the permission over execve(2) and not over fork(2). Without Yama the call fails, and nothing is changed.
    """
    _call("prctl", _PR_SET_PTRACER, pid, 0, 0, 0)


def end_tree(pid: int) -> None:
    """Kills the process and its descendants."""
    for member in tree(pid):
        _end(member)


def own_process(words: Sequence[str]) -> list[str]:
    """What starts this very tfdoctor as a process, which is asked to end when the thread that started it does."""
    path = [os.path.abspath(f"{__file__}/../../.."), *filter(None, sys.path)]
    begin = "from tfdoctor.base.processes import end_with_creator; end_with_creator()"
    start = f"import sys; sys.path[:] = {path!r}; {begin}; from tfdoctor.apps.cli.entry import main; main()"
    return [sys.executable, "-c", start, *words]


def share_one_arena() -> None:
    """Threads to come take no address space of their own for malloc: else 64 MB each, of what `ulimit -v` leaves."""
    _call("mallopt", _M_ARENA_MAX, 1)


def _call(name: str, *numbers: int) -> None:
    """Does nothing where there is no such call."""
    try:
        import _ctypes  # what ctypes is made of; importing ctypes itself takes three times as long

        program = _ctypes.dlopen(None, os.RTLD_NOW)  # type: ignore[arg-type]  # None is the program itself, which typeshed leaves out
        _ctypes.call_function(_ctypes.dlsym(program, name), numbers)
    except (ImportError, OSError, AttributeError):
        return


def end_with_parent(alive: int) -> None:
    """The kernel sends SIGKILL when the parent's end of this pipe is closed, however the parent ends (fcntl(2))."""
    import fcntl

    fcntl.fcntl(alive, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(alive, _F_SETSIG, _SIGKILL)
    fcntl.fcntl(alive, fcntl.F_SETFL, fcntl.fcntl(alive, fcntl.F_GETFL) | os.O_ASYNC)


def any_left() -> bool:
    """Whether this process has a child, also one that has ended and was not waited for."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def tree(pid: int) -> list[int]:
    """The process and its descendants (/proc/PID/task/TID/children, proc(5)); alone where the kernel lacks that."""
    members = [pid]
    for member in members:
        for task in _names(f"/proc/{member}/task"):
            members += [
                child
                for child in _children(f"/proc/{member}/task/{task}/children")
                if child not in members
            ]
    return members


def _children(path: str) -> list[int]:
    try:
        with open(path, "rb") as file:
            return [int(word) for word in file.read().split()]
    except (OSError, ValueError):
        return []


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


def end_all(spared: frozenset[int] = frozenset(), within_s: float = 1.0) -> bool:
    """Kills every descendant but `spared`, and waits for their end. False where one is left that can't be ended."""
    until = time.monotonic() + within_s
    while any_left():
        others = [pid for pid in tree(os.getpid())[1:] if pid not in spared]
        if not others:
            return True
        for pid in others:
            _end(pid)
        if time.monotonic() >= until:
            return False
        time.sleep(_PAUSE_S)
    return True


def _end(pid: int) -> None:
    try:
        os.kill(pid, _SIGKILL)
        os.waitpid(pid, os.WNOHANG)
    except OSError:
        return  # it has ended, is another's child, or runs as somebody whom we may not end


def memory_of(pid: int) -> tuple[int, int]:
    """RSS and its shared part in bytes (/proc/PID/statm, proc(5)); 0 where they can't be read."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            fields = file.read(200).split()
        page = os.sysconf("SC_PAGE_SIZE")
        return int(fields[1]) * page, int(fields[2]) * page
    except (OSError, ValueError, IndexError, AttributeError):
        return 0, 0


def sum_bytes(pids: list[int]) -> tuple[int, int]:
    """RSS and its unshared part of these processes together, in bytes."""
    sizes = [memory_of(pid) for pid in pids]
    return sum(whole for whole, _ in sizes), sum(whole - shared for whole, shared in sizes)


def waited_for_cpu(pid: int) -> float:
    """The seconds in which it could have run and others had the CPUs; 0 where the kernel does not count them."""
    try:
        with open(f"/proc/{pid}/schedstat", "rb") as file:
            ran, waited = (int(word) / 1e9 for word in file.read(100).split()[:2])
        waits = _stat(pid)[0] == b"R"
    except (OSError, ValueError, IndexError):
        return 0.0
    return max(waited, age(pid) - ran) if waits else waited  # the kernel counts a wait at its end


def age(pid: int) -> float:
    """Seconds since the process was made. Raises OSError, and what else it takes where there is no such number."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - int(_stat(pid)[19]) / os.sysconf("SC_CLK_TCK")


def is_older(pid: int, seconds: float) -> bool:
    """Whether there is such a process, it has not ended, and it was made longer ago than this."""
    try:
        return _stat(pid)[0] != b"Z" and age(pid) > seconds
    except (OSError, ValueError, IndexError):
        return False


def _stat(pid: int) -> list[bytes]:
    """/proc/PID/stat from the process' state on, its third field (proc(5)). Raises OSError."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        return file.read(4096).rpartition(b")")[2].split()


def cpu_seconds(pid: int) -> float:
    """The CPU time of a process (/proc/PID/stat, proc(5)); 0 where it can't be read."""
    try:
        fields = _stat(pid)
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0
