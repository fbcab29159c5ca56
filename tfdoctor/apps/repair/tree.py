"""The files of an environment: what they are (a manifest), a clone of them by hard links, and what differs from before.

A hard link is the same file under a second name: who replaces or removes one leaves the other as it is, who writes into it changes both.
So what an installer may write into is copied, and what happened to a linked file shows in its change time, which no program can set.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import sys
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from tfdoctor.base.records import names, record

_FICLONE = 0x40049409  # linux/fs.h: _IOW(0x94, 9, int)
_GETVERSION = 0x80087601  # linux/fs.h: _IOR('v', 1, long)
_KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}
CACHES = ("__pycache__",)
"""Directories that every use of an environment may write."""


class TreeError(Exception):
    """A tree that can't be cloned; the message says why in one clause."""


@record
class Entry:
    """One file, directory or link. Times in nanoseconds; `target` of a link, "" of others."""

    kind: str
    mode: int
    size: int
    modified: int
    target: str
    inode: int
    links: int
    changed: int

    @property
    def content(self) -> tuple[object, ...]:
        """What has to be equal for two to be the same to whoever reads them. A directory's size is the file system's affair."""
        size = 0 if self.kind == "directory" else self.size
        return (self.kind, self.mode, size, self.modified, self.target)


Manifest = Mapping[str, Entry]
"""By path below the root, in which "" is the root itself."""


def manifest(root: Path) -> dict[str, Entry]:
    """All that the tree holds. Raises OSError, and TreeError for what is neither file, directory nor link, or another mount."""
    device = os.lstat(root).st_dev
    found: dict[str, Entry] = {}
    for path, status in _walk(root):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode))
        if kind is None:
            raise TreeError(f"{root / path} is a device, a pipe or a socket")
        if status.st_dev != device:
            raise TreeError(f"{root / path} is on another file system")
        found[path] = _entry(root, path, kind, status)
    return found


def _walk(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """Each with its path below the root, a directory before what is in it."""
    yield "", os.lstat(root)
    left = [""]
    while left:
        folder = left.pop()
        with os.scandir(root / folder) as entries:
            for each in entries:
                path = f"{folder}/{each.name}" if folder else each.name
                status = each.stat(follow_symlinks=False)
                yield path, status
                if stat.S_ISDIR(status.st_mode):
                    left.append(path)


def _entry(root: Path, path: str, kind: str, status: os.stat_result) -> Entry:
    return Entry(
        kind,
        stat.S_IMODE(status.st_mode),
        status.st_size,
        status.st_mtime_ns,
        os.readlink(root / path) if kind == "link" else "",
        status.st_ino,
        status.st_nlink,
        status.st_ctime_ns,
    )


def clone(source: Path, target: Path, entries: Manifest, copied: Collection[str] = ()) -> None:
    """Makes `target` the same tree: each file copied on write where the file system can, else a hard link, but for `copied`.

    Raises OSError; what was made until then is left.
    """
    reflinks = _Reflinks()
    for path, entry in entries.items():
        origin, place = source / path, target / path
        if entry.kind == "directory":
            place.mkdir(mode=0o700)
        elif entry.kind == "link":
            place.symlink_to(entry.target)
            os.utime(place, ns=(entry.modified, entry.modified), follow_symlinks=False)
        elif not reflinks.made(origin, place):
            _second_name(origin, place, as_copy=path in copied)
    for path, entry in reversed(list(entries.items())):
        if entry.kind == "directory":
            _as_it_was(source / path, target / path)


def _as_it_was(origin: Path, place: Path) -> None:
    """Owner, mode, times and extended attributes."""
    status = os.lstat(origin)
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
        os.chown(place, status.st_uid, status.st_gid)
    shutil.copystat(origin, place)


def _second_name(origin: Path, place: Path, *, as_copy: bool) -> None:
    """A hard link, or a file of its own: also where a file has as many names as it can, or the system forbids one more."""
    if not as_copy:
        try:
            os.link(origin, place)
        except OSError as error:
            if error.errno not in (errno.EMLINK, errno.EPERM):
                raise
        else:
            return
    shutil.copyfile(origin, place)
    _as_it_was(origin, place)


class _Reflinks:
    """Copies that share their blocks until one is written (ioctl_ficlone(2)); asked for until the file system says no."""

    def __init__(self) -> None:
        self._possible = True

    def made(self, origin: Path, place: Path) -> bool:
        """False where no file was made."""
        if not self._possible:
            return False
        import fcntl

        try:
            with open(origin, "rb") as source, open(place, "xb") as target:
                fcntl.ioctl(target.fileno(), _FICLONE, source.fileno())
        except OSError as error:
            place.unlink(missing_ok=True)
            if error.errno not in (
                errno.EOPNOTSUPP,
                errno.EINVAL,
                errno.ENOTTY,
                errno.EXDEV,
                errno.ENOSYS,
            ):
                raise
            self._possible = False
            return False
        _as_it_was(origin, place)
        return True


def differences(before: Manifest, now: Manifest, *, caches: bool = True) -> tuple[str, ...]:
    """The paths that are not what they were, sorted. With `caches` False, not what every use of the environment may write.

    A linked file counts as changed where its change time tells that it was written to, whatever its content's time says; but for one
    with names elsewhere, too (uv's cache), to which others give and take names meanwhile.
    """
    every = before.keys() | now.keys()
    found = (path for path in every if not _is_same(before.get(path), now.get(path)))
    return tuple(sorted(each for each in found if caches or not _is_cache(before, now, each)))


_NAMES = 2
"""Of a file of an environment and of its clone."""


def _is_same(before: Entry | None, now: Entry | None) -> bool:
    if before is None or now is None or before.content != now.content or before.inode != now.inode:
        return False
    # A second name was given or taken, which sets the change time, too.
    only_links = before.links != now.links
    others = before.links > _NAMES
    return before.kind != "file" or only_links or others or before.changed == now.changed


def _is_cache(before: Manifest, now: Manifest, path: str) -> bool:
    """In a cache, or a directory that differs by its time alone."""
    if any(part in CACHES for part in path.split("/")):
        return True
    one, other = before.get(path), now.get(path)
    return (
        one is not None
        and other is not None
        and one.kind == other.kind == "directory"
        and one.mode == other.mode
    )


def same_content(before: Manifest, now: Manifest) -> tuple[str, ...]:
    """As `differences`, for a tree of which other names may have come and gone since: by kind, size, mode, time and target."""
    every = before.keys() | now.keys()
    return tuple(
        sorted(path for path in every if not _reads_the_same(before.get(path), now.get(path)))
    )


def written(before: Manifest, now: Manifest) -> tuple[str, ...]:
    """The paths that read otherwise, but for what every use of the environment may write."""
    other = set(same_content(before, now))
    return tuple(each for each in differences(before, now, caches=False) if each in other)


def _reads_the_same(before: Entry | None, now: Entry | None) -> bool:
    return (
        before is not None
        and now is not None
        and before.content == now.content
        and before.inode == now.inode
    )


def generation(folder: Path) -> int:
    """What tells a directory from a later one with the same inode number, which ext4 gives again at once; 0 where the file system does
    not say, or there is no directory.
    """
    import fcntl

    said = bytearray(8)
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return 0
    try:
        fcntl.ioctl(handle, _GETVERSION, said)
    except OSError:
        return 0
    finally:
        os.close(handle)
    # The kernel writes an int, whatever the call's number says.
    return int.from_bytes(said[:4], sys.byteorder)


def own_bytes(root: Path) -> int:
    """What the tree takes on the disk that no other name keeps there."""
    return sum(
        status.st_blocks * 512
        for _, status in _walk(root)
        if status.st_nlink == 1 or stat.S_ISDIR(status.st_mode)
    )


def remove(root: Path) -> None:
    """The whole tree, whatever its directories' modes say; nothing where there is none. Raises OSError."""
    if not os.path.lexists(root):
        return
    if not root.is_dir() or root.is_symlink():
        root.unlink()
        return
    for path, status in _walk_open(root):
        if stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_IRWXU != stat.S_IRWXU:
            os.chmod(root / path, stat.S_IMODE(status.st_mode) | stat.S_IRWXU)
    shutil.rmtree(root)


def _walk_open(root: Path) -> Iterator[tuple[str, os.stat_result]]:
    """As `_walk`; each directory is given back before it is read, so that it can be opened first."""
    left = [""]
    while left:
        folder = left.pop()
        yield folder, os.lstat(root / folder)
        with os.scandir(root / folder) as entries:
            left += [
                f"{folder}/{each.name}" if folder else each.name
                for each in entries
                if each.is_dir(follow_symlinks=False)
            ]


def write_manifest(path: Path, entries: Manifest) -> None:
    """For a later `read_manifest`, on the disk when this returns. Raises OSError."""
    fields = names(Entry)
    rows = {name: [getattr(entry, field) for field in fields] for name, entry in entries.items()}
    with open(path, "x", encoding="ascii") as file:
        json.dump(rows, file)
        file.flush()
        os.fsync(file.fileno())


def read_manifest(path: Path) -> dict[str, Entry]:
    """Raises TreeError where it can't be read or is not what was written."""
    try:
        with open(path, encoding="ascii") as file:
            return {name: Entry(*row) for name, row in json.load(file).items()}
    except OSError as error:
        raise TreeError(f"{path} can't be read ({error.strerror})") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise TreeError(f"{path} is damaged") from error
