"""Reads /etc/ld.so.cache without running ldconfig, so that an unpacked system's can be read, too.

The format is glibc's (sysdeps/generic/dl-cache.h): "glibc-ld.so.cache1.1", alone or behind the older
"ld.so-1.7.0" that it replaced.
"""

from __future__ import annotations

import struct

_MAGIC = b"glibc-ld.so.cache1.1"
_OLD_MAGIC = b"ld.so-1.7.0\0"
_HEADER, _ENTRY, _OLD_ENTRY = 48, 24, 12  # bytes
_MOST_ENTRIES = 100_000  # a desktop has 5,000
_LONGEST_NAME = 4096  # PATH_MAX
_FLAGS = {
    "x86_64": 0x0303,
    "aarch64": 0x0A03,
    "ppc64": 0x0503,
    "i386": 0x0003,
    "riscv64": 0x1003,
    "arm": 0x0903,
}
"""What marks an entry as made for an architecture (FLAG_… of dl-cache.h; riscv64 and arm with hard floats)."""


def read_cache(data: bytes, machine: str) -> dict[str, list[str]]:
    """The paths of each soname for `machine`, in the cache's order. Raises ValueError for any other content."""
    try:
        start = _start(data)
        if start >= 0:
            return _entries(data, start, _FLAGS.get(machine, 0x0303))
    except struct.error as error:
        raise ValueError(f"this ld.so.cache ends too early ({len(data)} bytes)") from error
    raise ValueError("this is no ld.so.cache of a form known here")


def _start(data: bytes) -> int:
    if data.startswith(_MAGIC):
        return 0
    if not data.startswith(_OLD_MAGIC):
        return -1
    (count,) = struct.unpack_from("<I", data, len(_OLD_MAGIC))
    place = (16 + int(count) * _OLD_ENTRY + 7) // 8 * 8
    return place if data[place : place + len(_MAGIC)] == _MAGIC else -1


def _entries(data: bytes, start: int, wanted: int) -> dict[str, list[str]]:
    (count,) = struct.unpack_from("<I", data, start + len(_MAGIC))
    found: dict[str, list[str]] = {}
    for index in range(min(count, _MOST_ENTRIES)):
        flags, key, value = struct.unpack_from("<iII", data, start + _HEADER + index * _ENTRY)
        if flags == wanted:
            found.setdefault(_text(data, start + key), []).append(_text(data, start + value))
    return found


def _text(data: bytes, at: int) -> str:
    end = data.find(b"\0", at, at + _LONGEST_NAME)
    if at >= len(data) or end < 0:
        raise ValueError("this ld.so.cache names a string that it does not hold")
    return data[at:end].decode("utf-8", "surrogateescape")
