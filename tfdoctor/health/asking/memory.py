"""The memory limit of this process' control group, its use, and /dev/shm: the few numbers a probe needs.

A twin of `probes/host/cgroup.py`, which says of each number where it comes from: importing that one takes 32 ms where
all of a health check takes 36 (Python 3.11, 2026-11-22). Names of files and fields stand in `meaning/cgroup_files.py` for both,
and a test holds both to the same answers.
"""

from __future__ import annotations

import os

from tfdoctor.health.state.identity import text_of
from tfdoctor.meaning.cgroup_files import (
    MOUNTS,
    NO_LIMIT,
    SELF,
    STAT,
    UNLIMITED_V1,
    V1_CACHE,
    V1_HIDDEN_LIMIT,
    V1_LIMITS,
    V2_CACHE,
    V2_LIMITS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SHM = "/dev/shm"  # noqa: S108  # the folder asked about; nothing is written there


def memory_limit(root: str = "") -> tuple[int, int] | None:
    """The smallest limit from the own group upwards, and what counts against it; None: no limit. Raises OSError."""
    version, own, top = _own_group(root)
    if not version:
        return None
    files, cache = (V1_LIMITS, V1_CACHE) if version == 1 else (V2_LIMITS, V2_CACHE)
    found = []
    for folder in _upwards(own, top):
        for limit_file, usage_file in files:
            limit = _number(f"{root}{folder}/{limit_file}")
            if limit is not None and limit < UNLIMITED_V1:
                found.append((limit, folder, usage_file))
    smallest = min(found, key=lambda each: each[0], default=None)
    hidden = _entry(f"{root}{own}/{STAT}", V1_HIDDEN_LIMIT) if version == 1 else UNLIMITED_V1
    if 0 < hidden < (smallest[0] if smallest else UNLIMITED_V1):
        raise OSError(2, "the group that sets the limit can't be seen from here")
    if smallest is None:
        return None
    limit, folder, usage_file = smallest
    used = _number(f"{root}{folder}/{usage_file}")
    if used is None:
        raise OSError(2, f"{folder}/{usage_file} does not exist")
    return limit, max(used - _entry(f"{root}{folder}/{STAT}", cache), 0)


def _upwards(folder: str, top: str) -> Iterator[str]:
    """The own folder, then those above it up to the topmost visible one."""
    while True:
        yield folder
        if len(folder) <= len(top) or "/" not in folder[1:]:
            return
        folder = folder.rpartition("/")[0]


def _own_group(root: str) -> tuple[int, str, str]:
    """The version, the own folder and the topmost visible one; version 0 where there is no memory controller."""
    version, path = 0, ""
    for line in _lines(root + SELF):
        number, _, rest = line.partition(":")
        controllers, _, place = rest.partition(":")
        if "memory" in controllers.split(","):
            version, path = 1, place
            break
        if number == "0" and not controllers:
            version, path = 2, place
    for line in reversed(_lines(root + MOUNTS) if version else []):
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.split(" ")
        fits = (
            kind[0] == "cgroup2" if version == 2 else kind[0] == "cgroup" and "memory" in kind[-1].split(",")
        )
        shown = "" if len(fields) < 5 or fields[3] == "/" else fields[3]
        if not fits or len(fields) < 5 or ".." in path.split("/") or not (path + "/").startswith(shown + "/"):
            continue
        folder = (fields[4] + path[len(shown) :]).rstrip("/")
        if os.path.isdir(root + folder):
            return version, folder, fields[4]
    if version:
        raise FileNotFoundError(2, "the own control group can't be seen from here")
    return 0, "", ""


def _lines(path: str) -> list[str]:
    return text_of(path, 1 << 20).splitlines()


def _number(path: str) -> int | None:
    """None for "max" and for a file that a group does not have. Raises OSError for one that can't be read."""
    try:
        text = text_of(path, 64).strip()
    except FileNotFoundError:
        return None
    if text == NO_LIMIT:
        return None
    if not text.isdecimal():
        raise OSError(5, f"{path} holds no number")
    return int(text)


def _entry(path: str, key: str) -> int:
    """The number behind `key` in a file of "key number" lines. 0 where it is not told: then no page counts as free."""
    try:
        for line in _lines(path):
            if line.startswith(key + " "):
                return int(line[len(key) :])
    except (OSError, ValueError):
        return 0
    return 0


def available(root: str = "") -> int:
    """Bytes that the machine can still give (MemAvailable). Raises OSError."""
    total = None
    for line in _lines(root + "/proc/meminfo"):
        if line.startswith("MemTotal:"):
            total = int(line.split()[1])
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1])
            if total is not None and free > total:
                raise ValueError(f"MemAvailable of MemTotal can't be: {free} kB of {total} kB")
            return free * 1024  # "kB" means KiB (proc(5))
    raise OSError(61, "/proc/meminfo tells no MemAvailable")


def shared_memory() -> tuple[int, int]:
    """Size and free bytes of /dev/shm. Raises OSError where there is none."""
    status = os.statvfs(SHM)
    return status.f_blocks * status.f_frsize, status.f_bfree * status.f_frsize
