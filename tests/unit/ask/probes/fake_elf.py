"""Shared objects without code: just the headers that a loader reads (elf(5)), and a loader's cache."""

from __future__ import annotations

import struct
from pathlib import Path

_MACHINES = {"x86_64": 62, "aarch64": 183}


def make_library(
    path: Path,
    *,
    soname: str = "",
    needed: tuple[str, ...] = (),
    runpath: str = "",
    rpath: str = "",
    machine: str = "x86_64",
    padding: int = 256,
) -> Path:
    """Writes a 64-bit little-endian shared object of one loaded segment and a dynamic section."""
    strings, tags = b"\0", []
    for tag, text in [
        *((1, name) for name in needed),
        (14, soname or path.name),
        (15, rpath),
        (29, runpath),
    ]:
        if text:
            tags.append((tag, len(strings)))
            strings += text.encode() + b"\0"
    dynamic_at, count = 64 + 2 * 56, len(tags) + 2
    strings_at = dynamic_at + 16 * count
    dynamic = b"".join(struct.pack("<qQ", *pair) for pair in [*tags, (5, strings_at), (0, 0)])
    size = strings_at + len(strings) + padding
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = struct.pack(
        "<HHIQQQIHHHHHH", 3, _MACHINES[machine], 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0
    )
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, size, size, 4096)
    segment = struct.pack(
        "<IIQQQQQQ", 2, 4, dynamic_at, dynamic_at, dynamic_at, len(dynamic), len(dynamic), 8
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((ident + header + load + segment + dynamic + strings).ljust(size, b"\0"))
    return path


def cache_bytes(
    entries: list[tuple[str, str]], flags: int = 0x0303, *, with_old_part: bool = False
) -> bytes:
    """ld.so.cache of glibc 2.32 and newer; `with_old_part`: behind an empty older part, as before."""
    start = 48 + 24 * len(entries)
    table, places = b"", []
    for name, path in entries:
        places.append((start + len(table), start + len(table) + len(name) + 1))
        table += name.encode() + b"\0" + path.encode() + b"\0"
    head = b"glibc-ld.so.cache1.1" + struct.pack("<II", len(entries), len(table)) + bytes(20)
    body = b"".join(struct.pack("<iIIIQ", flags, key, value, 0, 0) for key, value in places)
    old = b"ld.so-1.7.0\0" + struct.pack("<I", 0) if with_old_part else b""
    return old + head + body + table
