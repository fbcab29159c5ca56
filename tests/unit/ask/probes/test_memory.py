"""Memory and limits, on laid-out machines and on this one."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tests.unit.ask.probes.laid_out import lay_out
from tfdoctor.apps.health import files as light_memory
from tfdoctor.ask.probes.host.memory import ask, in_time, memory_of, rate_of, swap_in_rate, tmp_free
from tfdoctor.ask.probes.request import Request
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known

MEMINFO = (
    "MemTotal:       16384 kB\nMemFree:         1024 kB\nMemAvailable:    8192 kB\n"
    "SwapTotal:       2048 kB\nSwapFree:        1024 kB\n"
)
PRESSURE = "some avg10=9.99 avg60=0.00 avg300=0.00 total=1\nfull avg10=3.50 avg60=1.00 avg300=0.00 total=1\n"
LIMITS = (
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max address space         8589934592           unlimited            bytes     \n"
    "Max processes             unlimited            unlimited            processes \n"
    "Max open files            1024                 4096                 files     \n"
    "Max locked memory         65536                65536                bytes     \n"
)
SHM = "30 25 0:27 / /dev/shm rw,nosuid - tmpfs shm rw,size=65536k,inode64\n"
LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs a Linux machine")


def test_more_than_there_is_can_t_be_known(tmp_path: Path) -> None:
    lines = "MemTotal: 4 kB\nMemAvailable: 8 kB\nSwapTotal: 1 kB\nSwapFree: 2 kB\n"
    memory = memory_of(lay_out(tmp_path, {"/proc/meminfo": lines}))
    assert (memory.ram_total, kind(memory.ram_available), kind(memory.swap_free)) == (
        Known(4096, "/proc/meminfo"), "unreadable", "unreadable",
    )  # fmt: skip
    with pytest.raises(ValueError, match="MemAvailable of MemTotal can't be"):
        light_memory.available(str(tmp_path))


def kind(fact: Fact[int]) -> str:
    assert isinstance(fact, Failed)
    return fact.kind


@pytest.mark.parametrize(
    ("name", "text", "facts"),
    [
        ("/proc/meminfo", MEMINFO, {"ram_total": 16 << 20, "ram_available": 8 << 20, "swap_total": 2 << 20, "swap_free": 1 << 20}),
        ("/proc/meminfo", "MemTotal: 1 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n", dict.fromkeys(("swap_total", "swap_free"), Absent("there is no swap"))),
        ("/proc/pressure/memory", PRESSURE, {"pressure_full_avg10": 3.5}),
        ("/proc/self/limits", LIMITS, {"limit_address_space": 8 << 30, "limit_processes": Absent("unlimited"), "limit_open_files": 1024, "limit_locked_memory": 65536}),
        ("/proc/self/mountinfo", "27 1 254:0 / / rw - ext4 /dev/vda rw\n", {"shm_total": Absent("/dev/shm is not mounted")}),
    ],
    ids=["memory", "no swap", "pressure", "limits", "no shared memory"],
)  # fmt: skip
def test_what_a_file_says(name: str, text: str, facts: dict[str, object], tmp_path: Path) -> None:
    memory = memory_of(lay_out(tmp_path, {name: text}))
    for fact, value in facts.items():
        assert getattr(memory, fact) == (
            value if isinstance(value, Absent) else Known(value, name)
        ), fact


@pytest.mark.parametrize(
    ("name", "text", "fact"),
    [
        ("/proc/meminfo", "MemTotal: 1 kB\n", "ram_available"),  # an old kernel
        ("/proc/self/mountinfo", SHM.replace("65536k", "big"), "shm_total"),
    ],
)
def test_what_a_file_does_not_say_is_failed(
    name: str, text: str, fact: str, tmp_path: Path
) -> None:
    assert isinstance(getattr(memory_of(lay_out(tmp_path, {name: text})), fact), Failed)


@pytest.mark.parametrize(
    ("mounts", "size"),
    [
        (SHM, 64 << 20),
        (SHM.replace("size=65536k", "size=1g"), 1 << 30),
        (SHM.replace("size=65536k", "size=4096"), 4096),
        (SHM.replace("size=65536k", "size=50%"), 8 << 20),
        (SHM.replace("size=65536k,", ""), 8 << 20),  # tmpfs' default
        (SHM + SHM.replace("65536k", "8192k"), 8 << 20),  # the later mount lies on top
        (SHM.replace("/dev/shm", "/run/shm"), 64 << 20),
    ],
)
def test_recorded_shared_memory(tmp_path: Path, mounts: str, size: int) -> None:
    memory = memory_of(
        lay_out(tmp_path, {"/proc/meminfo": MEMINFO, "/proc/self/mountinfo": mounts})
    )
    assert isinstance(memory.shm_total, Known)
    assert memory.shm_total.value == size


def test_an_unpacked_system_has_nothing_that_lives(tmp_path: Path) -> None:
    memory = memory_of(lay_out(tmp_path, {"/proc/meminfo": MEMINFO}))
    for fact in (memory.swap_in_per_s, memory.shm_free, memory.tmp_free, memory.home_free, memory.limit_open_files):  # fmt: skip
        assert isinstance(fact, Failed)
        assert fact.not_live


def test_a_call_that_hangs_is_failed_in_time() -> None:
    never = threading.Event()

    def hang() -> Fact[int]:
        never.wait()
        return Absent("never said")

    assert in_time(hang, "/mnt/gone", seconds=0.05) == Failed(
        "/mnt/gone did not answer within 0.05 s", "timed-out"
    )
    never.set()


def test_temporary_files_go_where_tempfile_puts_them(tmp_path: Path) -> None:
    fact = tmp_free(System(environ={"TMPDIR": "/no/such/folder", "TEMP": str(tmp_path)}))
    assert isinstance(fact, Known)
    assert fact.source == f"statvfs {tmp_path}"


@pytest.mark.parametrize("home", ["", "bad\0name", "/no/such/home"])
def test_a_home_that_is_none_is_never_an_exception(home: str) -> None:
    free = memory_of(System(environ={"HOME": home})).home_free
    # Else the account's own counts.
    assert isinstance(free, Absent if home.startswith("/") else (Known, Absent))


@LINUX
def test_nothing_in_swap_is_no_swapping() -> None:
    rate = swap_in_rate(System(), Known(4096, "x"), Known(4096, "x"))
    assert rate == Known(0.0, "/proc/meminfo: nothing is in swap")


def test_a_rate_is_the_growth_between_two_readings() -> None:
    readings = iter([Known(1000, "pswpin"), Known(1500, "pswpin")])
    rate = rate_of(lambda: next(readings), 0.05)
    assert isinstance(rate, Known)
    assert 500 / 5 < rate.value <= 500 / 0.05


def test_a_counter_that_never_moved_or_can_not_be_read_is_not_waited_for() -> None:
    readings = iter([Known(0, "pswpin")])
    assert rate_of(lambda: next(readings), 60) == Known(0.0, "pswpin: 0 since the machine started")
    assert rate_of(lambda: Failed("no", "missing"), 60) == Failed("no", "missing")


@LINUX
def test_a_live_machine_answers_within_its_own_bounds() -> None:
    memory = ask(Request(), Facts())
    assert isinstance(memory.ram_total, Known)
    assert isinstance(memory.ram_available, Known)
    assert 0 < memory.ram_available.value <= memory.ram_total.value
    assert memory.ram_total.value % os.sysconf("SC_PAGE_SIZE") == 0
    if isinstance(memory.shm_total, Known) and isinstance(memory.shm_free, Known):
        assert memory.shm_free.value <= memory.shm_total.value
    if isinstance(memory.cgroup_limit, Known) and isinstance(memory.cgroup_used, Known):
        assert memory.cgroup_used.value <= memory.cgroup_limit.value
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if soft != resource.RLIM_INFINITY:
        assert memory.limit_open_files == Known(soft, "getrlimit(RLIMIT_NOFILE)")


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_systems_are_asked_through_psutil(platform: str) -> None:
    memory = memory_of(System(), platform)
    assert isinstance(memory.ram_total, Known)
    assert memory.ram_total.source == "psutil"
