"""Reads the GPU code inside a shared library: which architectures have binaries, and what PTX there is.

NVIDIA does not document the container. The layout is the one that the cuda-fatbin readers of the public projects
cricket and ZLUDA describe (read 2026-11); it was checked here against the libraries of TensorFlow 2.21.0, where
every header parses and every PTX text begins as it should.
"""

from __future__ import annotations

import mmap
import re
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

HEADER = struct.Struct("<IHHQ")  # magic, version, header size, size of the entries
MAGIC = struct.pack("<IHH", 0xBA55ED50, 1, HEADER.size)
ENTRY = struct.Struct("<HHIQIIHHIIIQQQ")
PTX, BINARY = 1, 2
COMPRESSED_LZ4 = 0x2000
PTX_HEAD = re.compile(rb"\.version\s+(\d+\.\d+)\s+\.target\s+(sm_\w+)")
SECTIONS = {"compiled": ".nv_fatbin", "relocatable": "__nv_relfatbin"}
"""Where nvcc and clang put their kernels; TensorFlow's generated kernels are in ordinary data sections."""


@dataclass(frozen=True)
class FatBinary:
    """One container: its section, the architectures with a binary, and its PTX as (version, target) pairs."""

    section: str
    binaries: frozenset[int]
    ptx: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Library:
    """What one shared library holds."""

    fat_binaries: tuple[FatBinary, ...]
    runpath: tuple[str, ...]


def read_library(path: Path) -> Library:
    """Every fat binary of an ELF file. Raises ValueError where a container does not parse."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        elf = ELFFile(file)
        sections = [(each.name, each["sh_offset"], each["sh_size"]) for each in elf.iter_sections()]
        found = tuple(_fat_binary(data, at, _section(sections, at)) for at in _containers(data))
        return Library(found, _runpath(elf))


def _containers(data: mmap.mmap) -> Iterator[int]:
    at = data.find(MAGIC)
    while at >= 0:
        yield at
        at = data.find(MAGIC, at + HEADER.size)


def _section(sections: list[tuple[str, int, int]], at: int) -> str:
    return next((name for name, start, size in sections if start <= at < start + size), "")


def _runpath(elf: ELFFile) -> tuple[str, ...]:
    for section in elf.iter_sections():
        if isinstance(section, DynamicSection):
            for tag in section.iter_tags():
                if tag.entry.d_tag in ("DT_RUNPATH", "DT_RPATH"):
                    return tuple(
                        (getattr(tag, "runpath", "") or getattr(tag, "rpath", "")).split(":")
                    )
    return ()


class Entry(NamedTuple):
    """One kernel image: PTX or BINARY, its architecture (90 for sm_90), and its bytes."""

    kind: int
    arch: int
    compressed: bool
    body: bytes


def entries(data: mmap.mmap, start: int) -> Iterator[Entry]:
    """The images of the container at `start`. Raises ValueError where one does not parse."""
    at, end = start + HEADER.size, start + HEADER.size + HEADER.unpack_from(data, start)[3]
    while at < end:
        kind, _, header_size, body_size, packed, _, _, _, arch, _, _, flags, _, _ = (
            ENTRY.unpack_from(data, at)
        )
        if kind not in (PTX, BINARY) or not header_size:
            raise ValueError(f"an entry of unknown kind {kind} at byte {at}")
        body = (
            data[at + header_size : at + header_size + (packed or body_size)]
            if kind == PTX
            else b""
        )
        yield Entry(kind, arch, bool(flags & COMPRESSED_LZ4), body)
        at += header_size + body_size


def architectures(path: Path) -> Counter[str]:
    """How many images a library has for each architecture ("sm_90", "compute_90"). Damaged containers are skipped."""
    counts: Counter[str] = Counter()
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for start in _containers(data):
            try:
                counts.update(
                    f"{'sm' if each.kind == BINARY else 'compute'}_{each.arch}"
                    for each in entries(data, start)
                )
            except ValueError:
                continue  # the magic number by chance, inside compressed code
    return counts


def _fat_binary(data: mmap.mmap, start: int, section: str) -> FatBinary:
    images = list(entries(data, start))
    binaries = frozenset(each.arch for each in images if each.kind == BINARY)
    ptx = frozenset(_ptx_head(each.body, each.compressed) for each in images if each.kind == PTX)
    return FatBinary(section, binaries, ptx)


def _ptx_head(body: bytes, compressed: bool) -> tuple[str, str]:
    text = unpack(body, 600) if compressed else body[:600]
    head = PTX_HEAD.search(text)
    if head is None:
        raise ValueError(f"PTX without .version and .target: {text[:80]!r}")
    return head[1].decode(), head[2].decode()


def unpack(packed: bytes, wanted: int) -> bytes:
    """The first `wanted` bytes of an LZ4 block (LZ4 block format specification)."""
    out = bytearray()
    at = 0
    while at < len(packed) and len(out) < wanted:
        token = packed[at]
        literals, at = _length(packed, at + 1, token >> 4)
        out += packed[at : at + literals]
        at += literals
        if at >= len(packed):
            break
        offset = packed[at] | packed[at + 1] << 8
        length, at = _length(packed, at + 2, token & 15)
        for _ in range(length + 4):
            out.append(out[-offset])
    return bytes(out[:wanted])


def _length(packed: bytes, at: int, nibble: int) -> tuple[int, int]:
    if nibble < 15:
        return nibble, at
    total = nibble
    while True:
        byte = packed[at]
        at += 1
        total += byte
        if byte != 255:
            return total, at
