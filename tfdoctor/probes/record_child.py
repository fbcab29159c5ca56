"""Compares a distribution's RECORD (PEP 376) with the disk, in a process of its own: a file system that hangs
hangs only this.

Run as `python -I -S record_child.py PARENT RECORD [--deep]`; prints one JSON object. Needs nothing but Python 3.7's
standard library. Compiled files, the metadata folder itself and what lies outside of site-packages (scripts)
are left out.
"""

from __future__ import annotations

import binascii
import errno
import gc
import json
import os
import stat
import sys
from collections.abc import Iterator

TYPE_CHECKING = False  # importing `typing` would double this program's start-up
if TYPE_CHECKING:
    from typing import BinaryIO

_SHOWN = 20
_CHUNK = 1 << 20


def end_with(parent: int) -> None:
    """On Linux this process ends with the one that started it, however that ends (prctl(2), PR_SET_PDEATHSIG)."""
    if sys.platform != "linux":
        return
    try:
        import ctypes
    except ImportError:  # an interpreter built without it: then the clock alone ends this
        return
    ctypes.CDLL(None).prctl(1, ctypes.c_ulong(9))  # SIGKILL
    if os.getppid() != parent:  # it had ended before
        os._exit(0)


def open_file(path: str) -> BinaryIO:
    """As `regular.open_regular`, which this program can't import."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "it is no file but a folder, a pipe or a device", path)
    return open(handle, "rb")


def read_entries(text: str) -> tuple[list[tuple[str, str, str]], list[int]]:
    """The entries (path, hash, size), and the numbers of the lines that are none."""
    entries: list[tuple[str, str, str]] = []
    broken: list[int] = []
    for number, line in enumerate(text.splitlines(), 1):
        parts = line.rsplit(",", 2)
        if len(parts) != 3 or (parts[2] and not parts[2].isdigit()) or "\0" in line:
            if line.strip():
                broken.append(number)
            continue
        path = parts[0]
        if path[:1] == '"':
            path = path[1:-1].replace('""', '"')  # the CSV form of a name with a comma or a quotation mark
        entries.append((path, parts[1], parts[2]))
    return entries, broken


def belongs(path: str) -> bool:
    """Whether a path is one of the package's own lasting files."""
    if path.startswith(("..", "/")) or path.endswith((".pyc", ".pyo")):
        return False
    return ".dist-info/" not in path and ".egg-info/" not in path


def compare(entries: list[tuple[str, str, str]]) -> dict[str, list[str]]:
    """Missing files, files of another size, and files that may not be looked at, below the working folder."""
    missing: list[str] = []
    wrong: list[str] = []
    unreadable: list[str] = []
    for path, _, size in entries:
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            missing.append(path)
        except (OSError, ValueError):
            unreadable.append(path)
        else:
            if (size and found.st_size != int(size)) or not stat.S_ISREG(found.st_mode):
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


def foreign_claims(record: str) -> Iterator[str]:
    """Files below tensorflow/ that other distributions of the same folder list as theirs: "path (distribution)"."""
    own = os.path.dirname(record)
    site = os.path.dirname(own)
    for name in sorted(os.listdir(site)):
        if not name.endswith(".dist-info") or name == os.path.basename(own):
            continue
        try:
            with open_file(os.path.join(site, name, "RECORD")) as file:
                data = b"\n" + file.read()
        except OSError:
            continue  # told by the inventory of the packages
        if b"\ntensorflow/" in data:
            entries, _ = read_entries(data.decode("utf-8", "replace"))
            for path, _, _ in entries:
                if path.startswith("tensorflow/") and belongs(path):
                    yield path + " (" + name[: -len(".dist-info")] + ")"


def telling_first(paths: list[str]) -> list[str]:
    """Libraries before Python files before all else, so that the ones that matter are among those shown."""

    def weight(path: str) -> int:
        return 0 if ".so" in os.path.basename(path) else 1 if path.endswith(".py") else 2

    return sorted(paths, key=weight)[:_SHOWN]


def examine(record: str, deep: bool) -> dict[str, object]:
    record = os.path.abspath(record)
    os.chdir(os.path.dirname(os.path.dirname(record)))  # 20,000 relative paths cost a third less than absolute ones
    with open_file(record) as file:
        entries, broken = read_entries(file.read().decode("utf-8", "replace"))
    entries = [entry for entry in entries if belongs(entry[0])]
    answer: dict[str, object] = {"files": len(entries), "broken": broken[:_SHOWN], "broken_count": len(broken)}
    found = dict(compare(entries), wrong_hash=wrong_hashes(entries) if deep else [])
    found["foreign"] = list(foreign_claims(record))
    for name, paths in found.items():
        answer[name] = telling_first(paths)
        answer[name + "_count"] = len(paths)
    return answer


if __name__ == "__main__":
    gc.disable()  # 60,000 short-lived texts and no cycle: looking for some costs a tenth of the time
    end_with(int(sys.argv[1]))
    sys.stdout.write(json.dumps(examine(sys.argv[2], "--deep" in sys.argv)) + "\n")
