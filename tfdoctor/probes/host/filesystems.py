"""Size and free space of the file systems that TensorFlow's work needs: /dev/shm, temporary files, home."""

from __future__ import annotations

import os
import queue
import re
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.light.expressions import Expression
from tfdoctor.probes.host.mounts import mounts
from tfdoctor.probes.text_files import guarded, not_live, number, plain
from tfdoctor.system.sysroot import System

T = TypeVar("T")
SHM = "/dev/shm"  # noqa: S108  # the folder asked about; nothing is written there
_TMP_FOLDERS = ("/tmp", "/var/tmp", "/usr/tmp")  # noqa: S108  # asked about, not written
"""Python's tempfile, _candidate_tempdir_list (3.10 to 3.14)."""
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


def _named_tmp(system: System) -> list[str]:
    return [system.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if system.environ.get(name)]


def tmp_writable(system: System) -> Fact[str]:
    """The first folder that this user may write of those in which Python's tempfile looks for one, in its order."""
    if not system.live:
        return not_live("whether a mount can be written")
    places = (*_named_tmp(system), *_TMP_FOLDERS, os.curdir)

    def ask() -> Fact[str]:
        for folder in places:
            if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
                return Known(plain(folder), "access(2)")
        return Absent(f"none of {', '.join(map(plain, places[:-1]))} and the working folder can be written")

    return in_time(lambda: guarded(ask, "access"), "the folders for temporary files")


def tmp_free(system: System) -> Fact[int]:
    """Free bytes where temporary files go: TMPDIR, TEMP or TMP, else /tmp (the order of Python's tempfile)."""
    if not system.live:
        return not_live("the free space of a mount")
    named = _named_tmp(system)
    return _usage("free", *named, "/tmp")  # noqa: S108  # asked about, not written


def home_free(system: System) -> Fact[int]:
    """Free bytes of the home folder."""
    if not system.live:
        return not_live("the free space of a mount")
    home = system.environ.get("HOME") or system.environ.get("USERPROFILE")
    return _usage("free", home) if home else Failed("neither HOME nor USERPROFILE is set", "missing")


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
