"""Exchanges two directories in one step: at no moment is one of the names missing (renameat2(2), RENAME_EXCHANGE)."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # linux/fcntl.h, linux/fs.h


def exchange(one: Path, other: Path) -> None:
    """Each gets the other's name and keeps its time, which XFS sets to now where a directory gets another parent. On the disk when this
    returns. Raises OSError.
    """
    times = [(each.st_atime_ns, each.st_mtime_ns) for each in (os.lstat(other), os.lstat(one))]
    libc = ctypes.CDLL(None, use_errno=True)
    try:
        call = libc.renameat2
    except AttributeError as error:  # glibc before 2.28
        raise OSError(0, "this system's C library has no renameat2") from error
    if call(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(one))
    for each, both in zip((one, other), times, strict=True):
        os.utime(each, ns=both, follow_symlinks=False)
    for each in {one.parent, other.parent}:
        sync_folder(each)


def sync_folder(place: Path) -> None:
    """Its names are on the disk when this returns."""
    handle = os.open(place, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_out(tree: Path) -> None:
    """All that was written to the tree's file system is on the disk when this returns (syncfs(2))."""
    handle = os.open(tree, os.O_RDONLY)
    try:
        ctypes.CDLL(None, use_errno=True).syncfs(handle)
    finally:
        os.close(handle)
