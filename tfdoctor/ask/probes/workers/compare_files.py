"""Compares a distribution's RECORD (PEP 376) with the disk, in a process of its own: a file system that hangs
hangs only this.

Run as `python -I -S compare_files.py PARENT RECORD [--deep]`; prints lines of a word and its value, the last of which
is "end". Needs nothing but Python 3.7's standard library, and of that little: importing `json` would cost a tenth of
its time. Compiled files, the metadata folder itself and what is outside of site-packages (scripts) are left out.
"""

from __future__ import annotations

import errno
import gc
import os
import stat
import sys

TYPE_CHECKING = False  # importing `typing` would double this program's start-up
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from tfdoctor.ask.probes.workers.preamble import prepare
else:  # this program runs by itself: its folder is on the path for this one import
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from preamble import prepare

    del sys.path[0]

_SHOWN = 20
_CHUNK = 1 << 20
_MOST_RECORD = 32 << 20  # bytes; TensorFlow 2.21's has 2.7 MB
_COMPILED = (".pyc", ".pyo")
_DIGITS = 20  # of a size in bytes: more than any file system knows


def open_file(path: str) -> BinaryIO:
    """As `system/safe_open.py`, which this program can't import."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a file but a directory, a pipe, or a device", path)
    return open(handle, "rb")


def lines_of(text: str) -> list[str]:
    """RECORD's lines, and what stands behind the last of them."""
    return text.replace("\r\n", "\n").split("\n")


def doubtful_lines(lines: list[str]) -> list[tuple[int, str]]:
    """All lines, with their numbers, but those of the package's own files that are there in the recorded size.

    Looks below the working folder. In a sound installation a handful of 20,000 is left, for `own_entries` and
    `compare` to judge: this is their fast twin, one loop in which each word costs a millisecond. It compares sizes
    as text: what is written in another way than a size is left to the careful reader.
    """
    doubtful: list[tuple[int, str]] = []
    look, kind, plain_file = os.stat, stat.S_IFMT, stat.S_IFREG
    for number, line in enumerate(lines, 1):
        try:
            path, digest, size = line.rsplit(",", 2)
            if (
                digest
                and path[:1] not in '"./'
                and path[-4:] not in _COMPILED
                and "-info/" not in path
            ):
                found = look(path)
                if str(found.st_size) == size and kind(found.st_mode) == plain_file:
                    continue
        except (OSError, ValueError):
            pass  # the careful reader says what it is
        doubtful.append((number, line))
    return doubtful


def own_entries(
    lines: Iterable[tuple[int, str]], broken: list[int]
) -> Iterator[tuple[str, str, str]]:
    """The package's own lasting files: path, hash, size. The numbers of lines that are no entries go into `broken`."""
    for number, line in lines:
        try:
            path, digest, size = line.rsplit(",", 2)
        except ValueError:
            if line.strip():
                broken.append(number)
            continue
        if "\0" in path or (size and not (size.isdecimal() and len(size) < _DIGITS)):
            broken.append(number)
            continue
        if (
            path[:1] in '"./' or path[-4:] in _COMPILED or "-info/" in path
        ):  # the few that need a closer look
            if path[:1] == '"':
                # The CSV form of a name with a comma or a quotation mark.
                path = path[1:-1].replace('""', '"')
            if not belongs(path):
                continue
        yield path, digest, size


def belongs(path: str) -> bool:
    """Whether a path is one of the package's own lasting files."""
    if path.startswith(("..", "/")) or path.endswith(_COMPILED):
        return False
    return ".dist-info/" not in path and ".egg-info/" not in path


def compare(entries: Iterable[tuple[str, str, str]]) -> dict[str, list[str]]:
    """Missing files, files of another size, and files that may not be looked at, below the working folder."""
    missing: list[str] = []
    wrong: list[str] = []
    unreadable: list[str] = []
    look, kind, plain_file = os.stat, stat.S_IFMT, stat.S_IFREG
    for path, _, size in entries:
        try:
            found = look(path)
        except (FileNotFoundError, NotADirectoryError):
            missing.append(path)
        except OSError:
            unreadable.append(path)
        else:
            if (size and found.st_size != int(size)) or kind(found.st_mode) != plain_file:
                wrong.append(path)
    return {"missing": missing, "wrong_size": wrong, "unreadable": unreadable}


def wrong_hashes(entries: list[tuple[str, str, str]]) -> list[str]:
    """Files whose SHA-256 is not the recorded one. Those that can't be read are told by `compare`."""
    from concurrent.futures import ThreadPoolExecutor  # 8 ms, and only a deep examination hashes

    def differs(entry: tuple[str, str, str]) -> bool:
        return _digest(entry[0]) not in ("", entry[1])

    hashed = [entry for entry in entries if entry[1].startswith("sha256=")]
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        return [entry[0] for entry, wrong in zip(hashed, pool.map(differs, hashed)) if wrong]  # noqa: B905  # Python 3.7 has no strict=


def _digest(path: str) -> str:
    """In RECORD's form: "sha256=…", url-safe base64 without padding (PEP 376, PEP 427); "" where it can't be read."""
    import binascii
    import hashlib

    digest = hashlib.sha256()
    try:
        with open_file(path) as file:
            while True:
                chunk = file.read(_CHUNK)
                if not chunk:
                    break
                digest.update(chunk)
    except OSError:
        return ""
    text = binascii.b2a_base64(digest.digest(), newline=False).decode("ascii")
    return "sha256=" + text.rstrip("=").replace("+", "-").replace("/", "_")


def foreign_claims(record_file: str) -> Iterator[str]:
    """Files below tensorflow/ that other distributions of the same folder list as theirs: "path (distribution)"."""
    own = os.path.dirname(record_file)
    site = os.path.dirname(own)
    for name in sorted(os.listdir(site)):
        if not name.endswith(".dist-info") or name == os.path.basename(own):
            continue
        try:
            with open_file(os.path.join(site, name, "RECORD")) as file:
                data = b"\n" + file.read(_MOST_RECORD)
        except OSError:
            continue  # told by the inventory of the packages
        if b"\ntensorflow/" in data:
            for path, _, _ in own_entries(enumerate(lines_of(data.decode("utf-8", "replace"))), []):
                if path.startswith("tensorflow/"):
                    yield path + " (" + name[: -len(".dist-info")] + ")"


def telling_first(paths: list[str]) -> list[str]:
    """Libraries before Python files before all else, so that the ones that matter are among those shown."""

    def weight(path: str) -> int:
        return 0 if ".so" in os.path.basename(path) else 1 if path.endswith(".py") else 2

    return sorted(paths, key=weight)[:_SHOWN]


def examine(record_file: str, deep: bool) -> Iterator[tuple[str, object]]:
    """What is said, line by line: a word and its value. A path has no line's end in it: RECORD was read by lines."""
    record_file = os.path.abspath(record_file)
    # 20,000 relative paths cost a third less than absolute ones.
    os.chdir(os.path.dirname(os.path.dirname(record_file)))
    with open_file(record_file) as file:
        text = file.read(_MOST_RECORD).decode("utf-8", "replace")
    lines = lines_of(text)
    broken: list[int] = []
    doubtful = doubtful_lines(lines)
    entries = list(own_entries(doubtful, broken))
    yield "files", len(lines) - len(doubtful) + len(entries)
    yield "broken_count", len(broken)
    yield from (("broken", number) for number in broken[:1])
    found = compare(entries)
    found["wrong_hash"] = wrong_hashes(list(own_entries(enumerate(lines), []))) if deep else []
    found["foreign"] = list(foreign_claims(record_file))
    for name, paths in found.items():
        yield name + "_count", len(paths)
        yield from ((name, path) for path in telling_first(paths))


def main(parent: str, record: str, *options: str) -> None:
    gc.disable()  # 60,000 short-lived texts and no cycle: looking for some costs a tenth of the time
    prepare(int(parent))
    told = "".join(f"{word} {value}\n" for word, value in examine(record, "--deep" in options))
    sys.stdout.buffer.write((told + "end\n").encode("utf-8", "surrogateescape"))
    sys.stdout.flush()
    os._exit(0)  # without freeing 60,000 texts one by one


if __name__ == "__main__":
    main(*sys.argv[1:])
