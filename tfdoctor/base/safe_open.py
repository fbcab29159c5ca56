"""Opens and reads what must be a file, no more of it than can be told, and nothing outside of an examined system.

Everything here was written by others. Reading from a pipe that nobody writes to, or from a device, could wait for
ever; a file may be as large as a disk. And a link in an unpacked system (`--sysroot`) means a place inside of it, as in
a chroot: followed as it stands it would bring the files of the host that examines it into the report.
"""

from __future__ import annotations

import errno
import os
import stat
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from tfdoctor.base.links import follow

MOST_NAMES = 100_000
"""Of a folder, the names that are looked at: a folder of wheels has hundreds."""

_ROOTS: set[Path] = set()


def stay_inside(root: Path) -> None:
    """From now on links of what is below `root` lead nowhere but below it."""
    _ROOTS.add(root)


def resolve_inside(root: Path, name: PurePosixPath) -> Path:
    """The real path of the file `name` (absolute) of the system below `root`, as chroot(2) would find it.

    Raises OSError (ELOOP) for a chain of more links than the kernel follows.
    """
    return Path(follow(str(name), _link_target, os.fspath(root).rstrip("/")) or "/")


def _link_target(path: str) -> str | None:
    """What a symbolic link says; None where there is none, or nothing at all. Raises OSError where that can't be known."""
    try:
        return os.readlink(path)
    except ValueError:  # no file has this name
        return None
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.ENOENT, errno.ENOTDIR, errno.EBADF, errno.ELOOP):
            return None
        raise


def real(path: str | Path) -> str:
    """The path itself; where it is below an unpacked system, what it means there. Raises OSError."""
    for root in _ROOTS:
        if (given := Path(path)).is_relative_to(root):
            return str(resolve_inside(root, PurePosixPath("/") / given.relative_to(root)))
    return str(path)


def list_folder(path: str | Path) -> list[str]:
    """The names in a folder, sorted, at most `MOST_NAMES`. Raises OSError or ValueError."""
    with os.scandir(real(path)) as entries:
        return sorted(entry.name for entry in islice(entries, MOST_NAMES))


def folder_names(path: str | Path) -> list[str]:
    """The same; [] where the folder can't be read, as for who passes over it."""
    try:
        return list_folder(path)
    except (OSError, ValueError):
        return []


def open_regular(path: str | Path) -> BinaryIO:
    """A file to read from. Raises OSError, also where it is something else than a file."""
    return open(_handle(path), "rb")


def head_of(path: str | Path, most: int) -> bytes:
    """The first `most` bytes. Raises OSError as `open_regular`."""
    with open(_handle(path), "rb", buffering=0) as file:
        content = bytearray()
        # /proc/sys answers ENOMEM to a read of 4 MiB (fs/proc/proc_sysctl.c, KMALLOC_MAX_SIZE)
        while len(content) < most and (chunk := file.read(min(most - len(content), 1 << 16))):
            content += chunk
    return bytes(content)


def head_text(path: str | Path, most: int) -> str:
    """The same as text; "" where the file can't be read."""
    try:
        return head_of(path, most).decode("utf-8", "replace")
    except OSError:
        return ""


def whole_of(path: str | Path, most: int) -> bytes:
    """All of it. Raises OSError, also where it is larger than `most` bytes and so not what it should be."""
    content = head_of(path, most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most} bytes", str(path))
    return content


def _handle(path: str | Path) -> int:
    # Windows has the second alone.
    handle = os.open(
        real(path), os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise OSError(errno.EINVAL, "not a file but a directory, a pipe, or a device", str(path))
    return handle
