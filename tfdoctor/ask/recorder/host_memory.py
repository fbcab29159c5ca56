"""What surrounds the command: the machine's memory, its pressure and its kills, shared memory and disks."""

from __future__ import annotations

import contextlib
import os
import threading

from tfdoctor.ask.recorder.proc import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_SHM = "/dev/shm"  # noqa: S108  # asked for its size, no file is made
_DISKS_EVERY_S = 5.0


def available_bytes() -> int | None:
    """/proc/meminfo MemAvailable."""
    text = read_bytes("/proc/meminfo")
    start = text.find(b"MemAvailable:")
    return int(text[start + 13 : text.find(b"kB", start)]) * 1024 if start >= 0 else None


def pressure_percent() -> float | None:
    """Percent of the last 10 s in which every task waited for memory."""
    words = _behind(b"full avg10=", read_bytes("/proc/pressure/memory"))
    return float(words[0]) if words else None


def swapped_in_pages() -> int | None:
    """Pages that the machine has read back from swap since its start (/proc/vmstat pswpin)."""
    words = _behind(b"pswpin ", read_bytes("/proc/vmstat"))
    return int(words[0]) if words else None


def kills() -> int | None:
    """Processes that the kernel killed for lack of memory since the start, in all cgroups and outside (/proc/vmstat)."""
    words = _behind(b"oom_kill ", read_bytes("/proc/vmstat"))
    return int(words[0]) if words else None


def _behind(mark: bytes, text: bytes) -> list[bytes]:
    """The words behind a mark that begins a line; none where no line begins so."""
    _, found, rest = (b"\n" + text).partition(b"\n" + mark)
    return rest.partition(b"\n")[0].split() if found else []


class Disks(threading.Thread):
    """Free bytes of shared memory and of the disks behind the working folder and TMPDIR.

    In a thread of its own: a network file system that hangs must not stop the watching. `free_bytes` is its last answer.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        super().__init__(daemon=True, name="disks")
        self._places = {
            "shm_free_bytes": _SHM,
            "disk_free_bytes": "/",
            "tmp_free_bytes": environ.get("TMPDIR") or "/tmp",  # noqa: S108  # asked for its size alone
        }
        with contextlib.suppress(OSError):
            self._places["disk_free_bytes"] = os.getcwd()
        self.free_bytes: dict[str, int] = {}
        self.over = threading.Event()

    def run(self) -> None:
        while True:
            self.look()
            if self.over.wait(_DISKS_EVERY_S):
                return

    def look(self) -> None:
        found = {}
        for key, place in self._places.items():
            try:
                told = os.statvfs(place)
            except OSError:
                continue
            found[key] = told.f_bavail * told.f_frsize
        self.free_bytes = found
