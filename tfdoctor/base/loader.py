"""Finds libraries by soname as the dynamic loader would for a library that calls dlopen (ld.so(8), glibc 2.33 and newer).

Order: the caller's RPATH where it has no RUNPATH, and the program's own; LD_LIBRARY_PATH; the caller's RUNPATH;
ld.so.cache; the default folders. Only files are looked at: nothing is opened by the loader itself.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path

from tfdoctor.base.elf import Elf, NotElfError, read_elf
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import field, record
from tfdoctor.base.safe_open import folder_names, whole_of
from tfdoctor.base.sysroot import System

_DEFAULT_FOLDERS = {  # dl-load.c's system_dirs, with Debian's multiarch folders and Red Hat's lib64
    "x86_64": (
        "/lib/x86_64-linux-gnu",
        "/usr/lib/x86_64-linux-gnu",
        "/lib64",
        "/usr/lib64",
        "/lib",
        "/usr/lib",
    ),
    "aarch64": (
        "/lib/aarch64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/lib64",
        "/usr/lib64",
        "/lib",
        "/usr/lib",
    ),
}
_LEVELS = (  # x86-64 psABI, "Microarchitecture Levels", by the names of /proc/cpuinfo
    ("x86-64-v4", frozenset({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})),
    ("x86-64-v3", frozenset({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"})),
    ("x86-64-v2", frozenset({"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"})),
)
_MOST_CACHE = 16 << 20  # bytes; a desktop's has 0.1 MB
_MOST_PLACES = 2000  # folders of a RPATH; TensorFlow's RUNPATH has 500
_NAMES_OF_INTEREST = Expression(r"lib(cu|nv|nccl|npp)[\w-]{0,80}\.so")


@record
class Place:
    """A folder of the search, as a path on this machine, and what brings it there."""

    folder: str
    via: str


@record
class Copy:
    """A file found. `problem` says why the loader can't load it, "" where its headers are sound."""

    path: str
    via: str
    problem: str = ""
    foreign: bool = False  # of another architecture: the loader passes over it
    elf: Elf | None = None


@record(eq=False)
class Loader:
    """The loader of one machine for one calling library. Folders are listed once."""

    system: System
    machine: str
    cpu_flags: frozenset[str] = frozenset()
    program: Elf | None = None
    program_folder: str = ""
    _listed: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def places(self, caller: Elf | None, origin: str) -> list[Place]:
        """The folders that are searched one by one, without ld.so.cache and the defaults."""
        found: list[Place] = []
        if caller is None or not caller.runpath:
            found += _expanded(caller.rpath if caller else (), origin, "RPATH")
            if self.program is not None and not self.program.runpath:
                found += _expanded(self.program.rpath, self.program_folder, "RPATH")
        found += [Place(folder, "LD_LIBRARY_PATH") for folder in self.library_path]
        if caller is not None:
            found += _expanded(caller.runpath, origin, "RUNPATH")
        return found

    @property
    def library_path(self) -> list[str]:
        """LD_LIBRARY_PATH's folders. An empty entry is the working folder."""
        return [os.path.abspath(item) for item in self.system.folders("LD_LIBRARY_PATH", ":;")]

    def find(self, soname: str, places: Iterable[Place]) -> list[Copy]:
        """Every copy in the order of the search, each file once; the first that is not foreign is the one it takes."""
        seen: set[str] = set()
        found: list[Copy] = []
        for path, via in self._candidates(soname, places):
            real = os.path.realpath(path)
            if real not in seen:
                seen.add(real)
                found.append(self.inspect(path, via))
        return found

    def _candidates(self, soname: str, places: Iterable[Place]) -> Iterator[tuple[str, str]]:
        preloaded = self.system.folders("LD_PRELOAD", ": ")
        yield from (
            (path, "LD_PRELOAD")
            for path in preloaded
            if os.path.basename(path) == soname and os.path.exists(path)
        )
        for place in places:
            for folder in (*self._hwcaps(place.folder), place.folder):
                if soname in self.names_in(folder):
                    yield os.path.join(folder, soname), place.via
        for path in self._of_cache(soname):
            real = self.system.path(path)
            if os.path.exists(real):
                yield str(real), "ld.so.cache"
        for folder in self.default_folders:
            if soname in self.names_in(folder):
                yield os.path.join(folder, soname), "default"

    @cached_property
    def default_folders(self) -> list[str]:
        names = _DEFAULT_FOLDERS.get(self.machine, ("/lib64", "/usr/lib64", "/lib", "/usr/lib"))
        return [str(self.system.path(name)) for name in names]

    def _hwcaps(self, folder: str) -> list[str]:
        """glibc-hwcaps/x86-64-v3 and its like, the best level first, where this processor has it."""
        if not os.path.isdir(os.path.join(folder, "glibc-hwcaps")):
            return []
        return [os.path.join(folder, "glibc-hwcaps", level) for level in self._levels()]

    def _levels(self) -> list[str]:
        return [
            level
            for index, (level, _) in enumerate(_LEVELS)
            if all(flags <= self.cpu_flags for _, flags in _LEVELS[index:])
        ]

    def _of_cache(self, soname: str) -> list[str]:
        paths = self.cache.get(soname, [])
        plain = [path for path in paths if "/glibc-hwcaps/" not in path]
        tuned = [
            path for level in self._levels() for path in paths if f"/glibc-hwcaps/{level}/" in path
        ]
        return tuned + plain

    @cached_property
    def cache(self) -> dict[str, list[str]]:
        """ld.so.cache; {} where there is none. Raises ValueError or OSError where it can't be read."""
        path = self.system.path("/etc/ld.so.cache")
        return read_cache(whole_of(path, _MOST_CACHE), self.machine) if path.exists() else {}

    def names_in(self, folder: str) -> tuple[str, ...]:
        """The CUDA libraries' names in a folder; () where it can't be listed, as for the loader."""
        if folder not in self._listed:
            names = filter(_NAMES_OF_INTEREST.match, folder_names(folder))
            self._listed[folder] = tuple(sorted(names))
        return self._listed[folder]

    def other_majors(self, soname: str, places: Iterable[Place]) -> list[str]:
        """Paths of other majors of the library where the loader looks, each file once."""
        stem, _, wanted = soname.partition(".so.")
        major = wanted.split(".")[0]
        found: dict[str, str] = {}

        def take(name: str, path: str) -> None:
            number = name.partition(".so.")[2].split(".")[0]
            if name.startswith(f"{stem}.so.") and number.isdigit() and number != major:
                found.setdefault(os.path.realpath(path), path)

        for folder in [*(place.folder for place in places), *self.default_folders]:
            for name in self.names_in(folder):
                take(name, os.path.join(folder, name))
        for name, paths in self.cache.items():
            if name.startswith(stem):
                take(name, str(self.system.path(paths[0])))
        return [path for path in found.values() if os.path.exists(path)]

    def inspect(self, path: str, via: str) -> Copy:
        """Reads the file's headers, not the whole file."""
        try:
            elf = read_elf(path)
        except (NotElfError, OSError, ValueError) as error:
            return Copy(path, via, problem=str(error))
        if elf.machine != self.machine or elf.bits != (
            32 if self.machine in ("i386", "arm") else 64
        ):
            return Copy(
                path,
                via,
                problem=f"{path} is built for {elf.machine}, not for {self.machine}",
                foreign=True,
            )
        if not elf.complete:
            return Copy(
                path,
                via,
                problem=f"{path} is cut off: its headers describe more than the file holds",
            )
        return Copy(path, via, elf=elf)


def _expanded(folders: Iterable[str], origin: str, via: str) -> list[Place]:
    """$ORIGIN, $LIB and relative entries resolved as ld.so does. Each folder once."""
    found: dict[str, None] = {}
    for item in islice(folders, _MOST_PLACES):
        text = re.sub(r"\$ORIGIN|\$\{ORIGIN\}", lambda _: origin, item)
        for lib in ("lib64", "lib") if re.search(r"\$LIB|\$\{LIB\}", text) else ("",):
            found.setdefault(_shorter(re.sub(r"\$LIB|\$\{LIB\}", lib, text)))
    return [Place(folder, via) for folder in found]


def _shorter(folder: str) -> str:
    """Without "..", where that names the same folder: behind a link it need not."""
    short = os.path.normpath(folder)
    return short if os.path.realpath(short) == os.path.realpath(folder) else folder


def loading_library(package_files: Path) -> Path | None:
    """The library of TensorFlow that calls dlopen for the CUDA libraries (tsl's dso_loader is in the framework)."""
    stem = "libtensorflow_framework.so."
    names = (name for name in folder_names(package_files) if name.startswith(stem))
    return next((package_files / name for name in names if name[len(stem) :][:1].isdigit()), None)


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
