"""Memory, file systems and the limits of host, container and process."""

from __future__ import annotations

import errno
import importlib
import os
import queue
import re
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from tfdoctor.ask.probes.host import cgroup
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.runner import attempt
from tfdoctor.ask.probes.text_files import guarded, lines_of, mounts, not_live, number, pairs
from tfdoctor.base.cgroup import SELF, Cgroup, Limit
from tfdoctor.base.expressions import Expression
from tfdoctor.base.printable import plain
from tfdoctor.base.sysroot import System
from tfdoctor.base.user_folders import (
    NO_HOME,
    first_writable,
    home,
    named_temporary_folders,
    temporary_folders,
)
from tfdoctor.facts.model import Facts, Memory
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, kind_of_error, map_known, part_of

T = TypeVar("T")
SHM = "/dev/shm"  # noqa: S108  # the folder asked about; nothing is written there
_STUCK_S = 1.0  # a network file system whose server is gone lets its caller wait for ever
_SIZE = Expression(r"(\d{1,20})([kmgt%]?)", re.IGNORECASE)
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}


def shm_total(system: System, ram_total: Fact[int]) -> Fact[int]:
    """Bytes of /dev/shm. Below a root by its mount's option size=, else tmpfs' default, half of the memory."""
    if system.live:
        return _usage("total", SHM)
    table = mounts(system)
    if not isinstance(table, Known):
        return table
    options = [mount.options for mount in table.value if mount.point in (SHM, "/run/shm")]
    if not options:
        return Absent(f"{SHM} is not mounted")
    for option in options[-1].split(","):
        key, _, value = option.partition("=")
        if key == "size":
            return _size(value, ram_total)
    return _size("50%", ram_total)


def _size(text: str, ram_total: Fact[int]) -> Fact[int]:
    """A size as tmpfs(5) writes it: "65536k", "50%" of the memory."""
    match = _SIZE.fullmatch(text)
    if not match:
        return Failed(f"the size {plain(text)!r} of {SHM} can't be read", "unreadable")
    if match[2] == "%":
        if not isinstance(ram_total, Known):
            return ram_total
        return Known(ram_total.value * number(match[1]) // 100, f"size={text} of the memory")
    return Known(number(match[1]) << _UNITS[match[2].lower()], "/proc/self/mountinfo")


def shm_free(system: System) -> Fact[int]:
    """Free bytes of /dev/shm."""
    if not system.live:
        return not_live("the free space of a mount")
    return _usage("free", SHM)


def tmp_writable(system: System) -> Fact[str]:
    """The first folder that this user may write of those in which Python's tempfile looks for one, in its order."""
    if not system.live:
        return not_live("whether a mount can be written")
    places = temporary_folders(system.environ)

    def ask() -> Fact[str]:
        if folder := first_writable(places):
            return Known(plain(folder), "access(2)")
        return Absent(
            f"none of {', '.join(map(plain, places[:-1]))} and the working folder can be written"
        )

    return in_time(lambda: guarded(ask, "access"), "the folders for temporary files")


def tmp_free(system: System) -> Fact[int]:
    """Free bytes where temporary files go: TMPDIR, TEMP or TMP, else /tmp (the order of Python's tempfile)."""
    if not system.live:
        return not_live("the free space of a mount")
    return _usage("free", *named_temporary_folders(system.environ), "/tmp")  # noqa: S108  # asked about, not written


def home_free(system: System) -> Fact[int]:
    """Free bytes of the home folder."""
    if not system.live:
        return not_live("the free space of a mount")
    place = home(system.environ)
    return _usage("free", place) if place else Absent(NO_HOME)


def _usage(which: str, *folders: str) -> Fact[int]:
    """Bytes of the first folder that exists: "total", or "free" for this user."""

    def ask() -> Fact[int]:
        for folder in folders:
            if os.path.isdir(folder):
                return Known(_bytes(which, folder), f"statvfs {plain(folder)}")
        return Absent(f"{plain(folders[-1])} does not exist")

    return in_time(lambda: guarded(ask, "statvfs"), plain(folders[0]))


def _bytes(which: str, folder: str) -> int:
    """As `shutil.disk_usage`, which Windows needs, and whose import of three compressors takes 3 ms."""
    if sys.platform == "win32":
        import shutil

        return int(getattr(shutil.disk_usage(folder), which))
    here = os.statvfs(folder)
    return (here.f_bavail if which == "free" else here.f_blocks) * here.f_frsize


def in_time(ask: Callable[[], Fact[T]], what: str, seconds: float = _STUCK_S) -> Fact[T]:
    """The answer, or Failed when it does not come in time. The thread that hangs is left behind."""
    answer: queue.SimpleQueue[Fact[T]] = queue.SimpleQueue()
    threading.Thread(target=lambda: answer.put(ask()), daemon=True).start()
    try:
        return answer.get(timeout=seconds)
    except queue.Empty:
        return Failed(f"{what} did not answer within {seconds:g} s", "timed-out")


_FILE = "/proc/self/limits"
_ROWS = {  # the names of the rows in /proc/self/limits (proc(5))
    "RLIMIT_AS": "Max address space",
    "RLIMIT_NOFILE": "Max open files",
    "RLIMIT_NPROC": "Max processes",
    "RLIMIT_MEMLOCK": "Max locked memory",
}
_COLUMNS = Expression(r"\s{2,}")


def soft_limit(system: System, name: str) -> Fact[int]:
    """The soft limit `name` ("RLIMIT_AS"): bytes, or a count. Absent: unlimited, or a system without such limits."""
    if not system.live:
        return _from_file(system, _ROWS[name])
    try:
        resource = importlib.import_module("resource")
    except ImportError:
        return Absent("this system has no resource limits of this kind")
    if not hasattr(resource, name):
        return Absent(f"this system has no {name}")
    value = resource.getrlimit(getattr(resource, name))[0]
    if value == resource.RLIM_INFINITY:
        return Absent("unlimited")
    return Known(value, f"getrlimit({name})")


def _from_file(system: System, row: str) -> Fact[int]:
    """From a recorded `Max open files            1024                 4096                 files`."""
    lines = lines_of(system, _FILE)
    if not isinstance(lines, Known):
        return lines
    for line in lines.value:
        columns = _COLUMNS.split(line.strip())
        if columns[0] == row and len(columns) > 1:
            return (
                Absent("unlimited")
                if columns[1] == "unlimited"
                else Known(number(columns[1]), _FILE)
            )
    return Failed(f"{_FILE} has no row {row}", "missing")


MEMINFO = "/proc/meminfo"
_VMSTAT = "/proc/vmstat"
_PRESSURE = "/proc/pressure/memory"
_AVG10 = Expression(r"\bavg10=(\d{1,3}\.\d{1,2})\b")
_BETWEEN_READINGS_S = 0.05  # long enough for a swapping machine to show hundreds of pages


def ask(request: Request, facts: Facts) -> Memory:
    """Fills the group Memory. Waits 0.05 s on a machine that has something in its swap, else not at all."""
    return memory_of(request.system)


def memory_of(system: System, platform: str = sys.platform) -> Memory:
    """The memory; `platform` as sys.platform: /proc/meminfo is Linux's, elsewhere psutil asks the system."""
    read = partial(meminfo if platform == "linux" or not system.live else _by_psutil, system)
    total, swap = read("MemTotal"), read("SwapTotal")
    swap_total: Fact[int] = (
        Absent("there is no swap") if isinstance(swap, Known) and not swap.value else swap
    )
    swap_free: Fact[int] = read("SwapFree") if isinstance(swap_total, Known) else swap_total
    group = guarded(lambda: cgroup.own_cgroup(system, "memory"), SELF)
    limit = _in_group(group, lambda own: cgroup.memory_limit(system, own))
    return Memory(
        ram_total=total,
        ram_available=part_of(total, read("MemAvailable"), "MemAvailable of MemTotal"),
        swap_total=swap_total,
        swap_free=part_of(swap_total, swap_free, "SwapFree of SwapTotal"),
        swap_in_per_s=attempt(lambda: swap_in_rate(system, swap_total, swap_free), _VMSTAT),
        pressure_full_avg10=attempt(lambda: pressure_full(system), _PRESSURE),
        cgroup_version=map_known(group, lambda own: own.version),
        cgroup_limit=map_known(limit, lambda known: known.value),
        cgroup_used=_used(system, group, limit),
        cgroup_oom_kills=_in_group(group, lambda own: cgroup.oom_kills(system, own)),
        shm_total=attempt(lambda: shm_total(system, total), SHM),
        shm_free=attempt(lambda: shm_free(system), SHM),
        tmp_free=attempt(lambda: tmp_free(system), "the folder for temporary files"),
        tmp_writable=attempt(lambda: tmp_writable(system), "the folders for temporary files"),
        home_free=attempt(lambda: home_free(system), "the home folder"),
        limit_address_space=attempt(lambda: soft_limit(system, "RLIMIT_AS"), "getrlimit"),
        limit_open_files=attempt(lambda: soft_limit(system, "RLIMIT_NOFILE"), "getrlimit"),
        limit_processes=attempt(lambda: soft_limit(system, "RLIMIT_NPROC"), "getrlimit"),
        cgroup_pids_limit=attempt(lambda: _pids_limit(system), SELF),
        limit_locked_memory=attempt(lambda: soft_limit(system, "RLIMIT_MEMLOCK"), "getrlimit"),
    )


def meminfo(system: System, key: str) -> Fact[int]:
    """One number of /proc/meminfo in bytes. The file says "kB" and means KiB (proc(5))."""
    lines = lines_of(system, MEMINFO)
    if not isinstance(lines, Known):
        return (
            lines if isinstance(lines, Failed) else Failed(f"{MEMINFO} does not exist", "missing")
        )
    value = pairs(lines.value).get(key)
    if value is None:
        return Failed(f"{MEMINFO} has no {key}", "missing")
    return attempt(lambda: number(value.removesuffix("kB")) * 1024, MEMINFO)


def _by_psutil(system: System, key: str) -> Fact[int]:
    """The same numbers on macOS and Windows, whose calls psutil knows (psutil 5.9 and newer)."""
    import psutil  # Linux never needs it

    def ask() -> int:
        if key.startswith("Swap"):
            swap = psutil.swap_memory()
            return int(swap.total if key == "SwapTotal" else swap.free)
        memory = psutil.virtual_memory()
        return int(memory.total if key == "MemTotal" else memory.available)

    return attempt(ask, "psutil")


def swap_in_rate(system: System, total: Fact[int], free: Fact[int]) -> Fact[float]:
    """Pages a second that come back from swap, by two readings of pswpin in /proc/vmstat.

    Known to be 0 without a second reading where nothing is in swap or nothing ever came back.
    """
    if not system.live:
        return not_live("a rate needs two readings of a running system")
    if not isinstance(total, Known):
        return total
    if isinstance(free, Known) and free.value == total.value:
        return Known(0.0, f"{MEMINFO}: nothing is in swap")
    return rate_of(lambda: _pages_swapped_in(system), _BETWEEN_READINGS_S)


def rate_of(read: Callable[[], Fact[int]], seconds: float) -> Fact[float]:
    """Growth a second of a counter that starts with the machine, by two readings so far apart."""
    started, before = time.monotonic(), read()
    if not isinstance(before, Known):
        return before
    if before.value == 0:
        return Known(0.0, f"{before.source}: 0 since the machine started")
    time.sleep(seconds)
    after = read()
    if not isinstance(after, Known):
        return after
    elapsed = time.monotonic() - started
    return Known(
        round(max(after.value - before.value, 0) / elapsed, 1),
        f"{after.source} within {elapsed:.2f} s",
    )


def _pages_swapped_in(system: System) -> Fact[int]:
    entry = cgroup.stat_entry(system, _VMSTAT, "pswpin")
    return Failed(f"{_VMSTAT} does not exist", "missing") if isinstance(entry, Absent) else entry


def pressure_full(system: System) -> Fact[float]:
    """Percent of the last 10 s in which every task waited for memory (the kernel's accounting/psi)."""
    try:
        lines = system.read(_PRESSURE).splitlines()
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            return Absent("this kernel keeps no pressure statistics (psi=0)")
        missing = lines_of(system, _PRESSURE)
        failed = Failed(f"{_PRESSURE}: {error.strerror}", kind_of_error(error))
        return missing if not isinstance(missing, Known) else failed
    for line in lines:
        match = _AVG10.search(line)
        if line.startswith("full ") and match:
            return Known(float(match[1]), _PRESSURE)
    return Failed(f"{_PRESSURE} has no line full", "missing")


def _in_group(group: Fact[Cgroup], ask_group: Callable[[Cgroup], Fact[T]]) -> Fact[T]:
    if not isinstance(group, Known):
        return group
    return attempt(lambda: ask_group(group.value), group.value.folder)


def _used(system: System, group: Fact[Cgroup], limit: Fact[Limit]) -> Fact[int]:
    if not isinstance(limit, Known):
        return limit
    return _in_group(group, lambda own: cgroup.memory_used(system, own, limit.value))


def _pids_limit(system: System) -> Fact[int]:
    return _in_group(cgroup.own_cgroup(system, "pids"), lambda own: cgroup.pids_limit(system, own))
