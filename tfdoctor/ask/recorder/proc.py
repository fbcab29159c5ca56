"""One process as /proc shows it, read with as little effort as possible: this happens hundreds of times a minute.

psutil takes 40 ms to import, and tells what is swapped out only by smaps, 50 ms for each GB (2026-11-28).
"""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterable

from tfdoctor.base.records import record

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_KIB = 1024
_EXIT_CODE_FIELD = 49  # proc(5): field 52, the third stands behind the name
# struct pidfd_info of <linux/pidfd.h> (Linux 6.15): mask, cgroupid, eleven ids, exit_code; 64 bytes in its first version
_INFO = struct.Struct("=QQ11Ii")
_GET_INFO = (3 << 30) | (_INFO.size << 16) | (0xFF << 8) | 11
_INFO_EXIT = 1 << 3


@record
class Stat:
    """/proc/PID/stat. Times in seconds, `started` in ticks since boot. `exit_code` only says something of a zombie."""

    state: str
    parent: int
    major_faults: int
    cpu_s: float
    threads: int
    started: int
    exit_code: int
    name: str


@record
class Sizes:
    """Memory of one process in bytes (/proc/PID/status)."""

    rss: int
    anon: int
    swap: int


def stat_of(pid: int) -> Stat | None:
    """None where there is no such process any more. Raises nothing."""
    text = read_bytes(f"/proc/{pid}/stat")
    end = text.rfind(b")")
    if end < 0:
        return None
    fields = text[end + 2 :].split()
    try:
        # Its own, and of the children it waited for.
        ticks = sum(int(fields[place]) for place in (11, 12, 13, 14))
        code = int(fields[_EXIT_CODE_FIELD]) if len(fields) > _EXIT_CODE_FIELD else 0
        name = text[text.find(b"(") + 1 : end].decode("utf-8", "replace")
        return Stat(
            fields[0].decode(), int(fields[1]), int(fields[9]), ticks * _TICK_S, int(fields[17]), int(fields[19]), code, name
        )  # fmt: skip
    except (ValueError, IndexError):
        return None


def sizes_of(pid: int) -> Sizes | None:
    """None for a zombie, which has no memory, and for a process that is gone."""
    text = read_bytes(f"/proc/{pid}/status")
    if b"VmRSS:" not in text:
        return None
    return Sizes(_kib(text, b"VmRSS:"), _kib(text, b"RssAnon:"), _kib(text, b"VmSwap:"))


def _kib(text: bytes, key: bytes) -> int:
    start = text.find(key)
    if start < 0:
        return 0
    number = text[start + len(key) : text.find(b"kB", start)]
    return int(number) * _KIB if number.strip().isdigit() else 0


def pss_of(pid: int) -> int | None:
    """Its share of memory in bytes, pages that several have divided among them. Costs 50 ms per GB of small pages."""
    text = read_bytes(f"/proc/{pid}/smaps_rollup")
    return _kib(text, b"Pss:") if b"Pss:" in text else None


def open_files_of(pid: int) -> int | None:
    """Since Linux 6.2 the folder's size is the number; before, its entries are counted."""
    try:
        folder = f"/proc/{pid}/fd"
        return os.stat(folder).st_size or len(os.listdir(folder))
    except OSError:
        return None


def moved_by(pids: Iterable[int]) -> tuple[int, int]:
    """Bytes that these processes have read and written so far, whatever from and to; what is not ours to know counts 0."""
    read = wrote = 0
    for pid in pids:
        fields = read_bytes(f"/proc/{pid}/io").split()
        with contextlib.suppress(IndexError, ValueError):
            read, wrote = read + int(fields[1]), wrote + int(fields[3])
    return read, wrote


def groups_of(pid: int) -> str:
    """/proc/PID/cgroup, also of a zombie; "" where it can't be read."""
    return read_bytes(f"/proc/{pid}/cgroup").decode("utf-8", "replace")


def has_variable(pid: int, name: str, value: str) -> bool:
    """Whether its environment at its start had this."""
    return f"{name}={value}".encode() in read_bytes(f"/proc/{pid}/environ", 1 << 20).split(b"\0")


def read_bytes(name: str, most: int = 1 << 16) -> bytes:
    try:
        handle = os.open(name, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(handle, most)
    except OSError:
        return b""
    finally:
        os.close(handle)


def handle_of(pid: int) -> int:
    """A pidfd, by which the end of a process can be asked for after another has reaped it; -1 where there is none."""
    with contextlib.suppress(OSError):
        return os.pidfd_open(pid)
    return -1


def end_of(handle: int) -> int | None:
    """The wait(2) status of a process that was reaped, from the kernel; None where it does not tell (before 6.15)."""
    if handle < 0:
        return None
    import fcntl  # seldom needed, and a library to load

    asked = bytearray(_INFO.size)
    _INFO.pack_into(asked, 0, _INFO_EXIT, 0, *[0] * 11, 0)
    try:
        fcntl.ioctl(handle, _GET_INFO, asked)
    except OSError:
        return None
    told = _INFO.unpack(asked)
    return int(told[-1]) if told[0] & _INFO_EXIT else None
