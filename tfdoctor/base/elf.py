"""Reads what a loader reads of an ELF file: architecture, search paths, names, and whether the file is whole.

A reader of its own, because pyelftools takes 92 ms to import and 22 ms to read one TensorFlow library here (2026-11-20); this
one takes 0.3 ms. The structures are those of elf(5).
"""

from __future__ import annotations

import os
import struct
from typing import BinaryIO

from tfdoctor.base.records import record
from tfdoctor.base.safe_open import open_regular

_MACHINES = {
    3: "i386",
    21: "ppc64",
    40: "arm",
    62: "x86_64",
    183: "aarch64",
    243: "riscv64",
}  # e_machine, elf.h
_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3  # p_type
_NEEDED, _STRING_TABLE, _SONAME, _RPATH, _RUNPATH = 1, 5, 14, 15, 29  # d_tag
_HASH, _SYMBOLS, _VERSIONS, _NEEDED_VERSIONS = 0x6FFFFEF5, 6, 0x6FFFFFF0, 0x6FFFFFFE  # d_tag, GNU's
_STRING_SIZE, _MOST_TEXT = 10, 1 << 24
_HIDDEN = 0x8000  # of a symbol's version (LSB core, symbol versioning)
_GLOBAL = 1  # binding of a symbol
_MOST_SYMBOLS = 100_000  # libcudnn_graph has 7,000
_IDENT = 16  # bytes: e_ident
_MOST_TAGS = 4096
_LONGEST_STRING = 1 << 20  # of a search path: TensorFlow's RUNPATH has 40,000 characters
_LONGEST_NAME = 4096
# Of NEEDED and of RPATH or RUNPATH; a loader takes one path of each.
_MOST_NAMES, _MOST_PATHS = (
    1000,
    4,
)


class NotElfError(ValueError):
    """The file is no ELF file, or not a whole one; the message says which."""


@record
class Elf:
    """`complete` is False where the file ends before what its own headers describe: it was cut."""

    machine: str
    bits: int
    interpreter: str
    soname: str
    needed: tuple[str, ...]
    rpath: tuple[str, ...]
    runpath: tuple[str, ...]
    complete: bool


def read_elf(path: str) -> Elf:
    """Raises NotElfError where it is no ELF file or lacks even its headers, OSError where it can't be read."""
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        try:
            return _Reader(file, size).elf()
        except struct.error as error:
            raise NotElfError(f"{path} ends inside its own headers ({size} bytes)") from error
        except NotElfError as error:
            raise NotElfError(f"{path} {error}") from error


@record
class Symbols:
    """`wanted`: symbols that must come from other libraries, each with the library that has to have it. `defined`: its own."""

    wanted: tuple[tuple[str, str], ...]  # (library, symbol)
    defined: frozenset[str]


def read_symbols(path: str) -> Symbols:
    """Of the dynamic symbols those that name their library; weak ones may be missing. Raises as read_elf does."""
    with open_regular(path) as file:
        try:
            return _Reader(file, os.fstat(file.fileno()).st_size).symbols()
        except struct.error as error:
            raise NotElfError(f"{path} ends inside its own tables") from error
        except NotElfError as error:
            raise NotElfError(f"{path} {error}") from error


class _Reader:
    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, size  # size in bytes
        ident = self._at(0, 64)
        if size == 0:
            raise NotElfError("is empty")
        if ident[:4] != b"\x7fELF":
            raise NotElfError("is no ELF file")
        if len(ident) < _IDENT:
            raise NotElfError(f"ends inside its own headers ({size} bytes)")
        self._wide = ident[4] == 2
        self._order = "<" if ident[5] == 1 else ">"
        self._ident = ident

    def _at(self, offset: int, length: int) -> bytes:
        """Bytes at an offset; fewer where the file ends before, none where the offset is nonsense."""
        if offset >= self._size:
            return b""
        self._file.seek(offset)
        return self._file.read(length)

    def elf(self) -> Elf:
        kind = "HHIQQQIHHHHHH" if self._wide else "HHIIIIIHHHHHH"
        (
            _,
            machine,
            _,
            _,
            segments,
            sections,
            _,
            _,
            segment_size,
            count,
            section_size,
            section_count,
            _,
        ) = struct.unpack_from(self._order + kind, self._ident, 16)
        self._segments = [self._segment(segments + index * segment_size) for index in range(count)]
        ends = [offset + length for kind_, offset, _, length in self._segments]
        complete = max([*ends, sections + section_size * section_count]) <= self._size
        tags = self._tags()
        return Elf(
            machine=_MACHINES.get(machine, f"machine {machine}"),
            bits=64 if self._wide else 32,
            interpreter=self._interpreter(),
            soname=next(iter(self._strings(tags, _SONAME)), ""),
            needed=self._strings(tags, _NEEDED),
            rpath=self._paths(tags, _RPATH),
            runpath=self._paths(tags, _RUNPATH),
            complete=complete,
        )

    def symbols(self) -> Symbols:
        self.elf()
        tags = dict(self._tags())
        names, table = self._place(tags, _STRING_TABLE), self._place(tags, _SYMBOLS)
        first, count = self._numbers_of_symbols(tags)
        if not self._wide or names is None or table is None:
            return Symbols((), frozenset())
        # Places stay.
        text = self._at(names, min(tags.get(_STRING_SIZE, 0), _MOST_TEXT)).decode("latin-1") + "\0"
        undefined = struct.iter_unpack(self._order + "IBBH16x", self._at(table, first * 24))
        defined = struct.iter_unpack(
            self._order + "I20x", self._at(table + first * 24, (count - first) * 24)
        )
        libraries = self._libraries_of_versions(tags, text)
        place = self._place(tags, _VERSIONS)
        versions = (
            struct.unpack(f"{self._order}{count}H", self._at(place, count * 2)) if place else ()
        )
        return Symbols(
            tuple(
                (libraries[number], text[at : text.find("\0", at)])
                for (at, info, _, section), number in zip(undefined, versions, strict=False)
                if section == 0 and info >> 4 == _GLOBAL and number in libraries
            ),
            frozenset(
                [text[at : text.find("\0", at)] for (at,) in defined]
            ),  # libcudnn_graph's 2,400: no call for each
        )

    def _place(self, tags: dict[int, int], tag: int) -> int | None:
        return self._file_offset(tags[tag]) if tag in tags else None

    def _numbers_of_symbols(self, tags: dict[int, int]) -> tuple[int, int]:
        """Of the first one that it defines, and how many there are: the hash table lists what is defined, at the end."""
        at = self._place(tags, _HASH)
        if at is None:
            return 0, 0
        buckets, first, words, _ = struct.unpack(self._order + "4I", self._at(at, 16))
        at += 16 + words * (8 if self._wide else 4)
        starts = struct.unpack(f"{self._order}{buckets}I", self._at(at, 4 * buckets))
        last = max(starts, default=0)
        if last < first:
            return min(first, _MOST_SYMBOLS), min(first, _MOST_SYMBOLS)
        chain = self._at(at + 4 * buckets + 4 * (last - first), 4 * _MOST_SYMBOLS)
        ends = (
            number
            for number, (value,) in enumerate(struct.iter_unpack(self._order + "I", chain))
            if value & 1
        )
        return min(first, _MOST_SYMBOLS), min(last + next(ends, 0) + 1, _MOST_SYMBOLS)

    def _libraries_of_versions(self, tags: dict[int, int], text: str) -> dict[int, str]:
        """By a version's number the library that has to have it."""
        at, found = self._place(tags, _NEEDED_VERSIONS), dict[int, str]()
        while at is not None and len(found) < _MOST_NAMES:
            _, count, library, entries, after = struct.unpack(
                self._order + "HHIII", self._at(at, 16)
            )
            entry = at + entries
            for _ in range(count):
                _, _, number, _, following = struct.unpack(
                    self._order + "IHHII", self._at(entry, 16)
                )
                found[number & ~_HIDDEN] = text[library : text.find("\0", library)]
                entry += following
            at = at + after if after else None
        return found

    def _segment(self, at: int) -> tuple[int, int, int, int]:
        """Type, offset in the file, address, length in the file."""
        if self._wide:
            kind, _, offset, address, _, length = struct.unpack(
                self._order + "IIQQQQ", self._at(at, 40)
            )
        else:
            kind, offset, address, _, length = struct.unpack(
                self._order + "IIIII", self._at(at, 20)
            )
        return kind, offset, address, length

    def _interpreter(self) -> str:
        for kind, offset, _, length in self._segments:
            if kind == _INTERPRETER:
                return self._at(offset, min(length, 4096)).rstrip(b"\0").decode("utf-8", "replace")
        return ""

    def _tags(self) -> list[tuple[int, int]]:
        form = self._order + ("qQ" if self._wide else "iI")
        width = struct.calcsize(form)
        for kind, offset, _, length in self._segments:
            if kind == _DYNAMIC:
                data = self._at(offset, min(length, width * _MOST_TAGS))
                return [
                    pair
                    for pair in struct.iter_unpack(form, data[: len(data) // width * width])
                    if pair[0]
                ]
        return []

    def _paths(self, tags: list[tuple[int, int]], wanted: int) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(
                part
                for text in self._strings(tags, wanted, _MOST_PATHS, _LONGEST_STRING)
                for part in text.split(":")
                if part
            )
        )

    def _strings(
        self,
        tags: list[tuple[int, int]],
        wanted: int,
        most: int = _MOST_NAMES,
        longest: int = _LONGEST_NAME,
    ) -> tuple[str, ...]:
        table = next((value for tag, value in tags if tag == _STRING_TABLE), None)
        place = None if table is None else self._file_offset(table)
        if place is None:
            return ()
        asked = [value for tag, value in tags if tag == wanted][:most]
        return tuple(self._string(place + value, longest) for value in asked)

    def _file_offset(self, address: int) -> int | None:
        for kind, offset, start, length in self._segments:
            if kind == _LOAD and start <= address < start + length:
                return offset + address - start
        return None

    def _string(self, at: int, longest: int) -> str:
        """A string of the table, up to its zero byte."""
        text = bytearray()
        while len(text) < longest and (chunk := self._at(at + len(text), 4096)):
            head, end, _ = chunk.partition(b"\0")
            text += head
            if end:
                break
        return text.decode("utf-8", "surrogateescape")
