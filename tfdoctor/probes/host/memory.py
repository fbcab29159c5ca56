"""Memory and the other limits of host, container and process."""

from __future__ import annotations

import errno
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from tfdoctor.facts.model import Facts, Memory
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, kind_of_error, map_known, part_of
from tfdoctor.light.expressions import Expression
from tfdoctor.probes.host import cgroup
from tfdoctor.probes.host.filesystems import SHM, home_free, shm_free, shm_total, tmp_free, tmp_writable
from tfdoctor.probes.host.limits import soft_limit
from tfdoctor.probes.request import Request
from tfdoctor.probes.runner import attempt
from tfdoctor.probes.text_files import guarded, lines_of, not_live, number, pairs
from tfdoctor.system.cgroup import SELF
from tfdoctor.system.sysroot import System

T = TypeVar("T")
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
    swap_total: Fact[int] = Absent("there is no swap") if isinstance(swap, Known) and not swap.value else swap
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
        return lines if isinstance(lines, Failed) else Failed(f"{MEMINFO} does not exist", "missing")
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
        round(max(after.value - before.value, 0) / elapsed, 1), f"{after.source} within {elapsed:.2f} s"
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


def _in_group(group: Fact[cgroup.Cgroup], ask_group: Callable[[cgroup.Cgroup], Fact[T]]) -> Fact[T]:
    if not isinstance(group, Known):
        return group
    return attempt(lambda: ask_group(group.value), group.value.folder)


def _used(system: System, group: Fact[cgroup.Cgroup], limit: Fact[cgroup.Limit]) -> Fact[int]:
    if not isinstance(limit, Known):
        return limit
    return _in_group(group, lambda own: cgroup.memory_used(system, own, limit.value))


def _pids_limit(system: System) -> Fact[int]:
    return _in_group(cgroup.own_cgroup(system, "pids"), lambda own: cgroup.pids_limit(system, own))
