"""Writes files so that they are there whole or not at all, and never replaces anything but a file.

A rename by root makes a plain file of a device, and a link that somebody else put into a shared folder leads wherever
they like. So what is in the place is looked at first. Imports next to nothing: the health check uses it.
"""

from __future__ import annotations

import errno
import os
import stat

from tfdoctor.base import supervised
from tfdoctor.base.links import follow

_TRIES = 100
_OWN_HANDLES = ("/dev/fd/", "/proc/self/fd/")
_NAMED_HANDLES = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}
_PARTS: set[str] = set()


def stream_of(name: str) -> int | None:
    """A handle to write to, for what is written to and never replaced; None for a file or a place where nothing is.

    That is a handle that this process was started with (/dev/stdout, `>(…)` of a shell), a pipe, a terminal or the like.
    Raises OSError where it can't be opened.
    """
    if not is_stream(name):
        return None
    own = _own_handle(name)
    if own is not None:
        return os.dup(own)
    return os.open(
        place_of(name), os.O_WRONLY | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)
    )


def _own_handle(name: str) -> int | None:
    """The number of a handle that the name stands for."""
    if name in _NAMED_HANDLES:
        return _NAMED_HANDLES[name]
    for folder in _OWN_HANDLES:
        if name.startswith(folder) and name[len(folder) :].isdecimal():
            return int(name[len(folder) :])
    return None


def is_stream(name: str) -> bool:
    """Whether `stream_of` would open it. Raises OSError where it can't be written to."""
    own = _own_handle(name)
    if own is not None:
        os.write(own, b"")  # EBADF where it is closed or only to be read from
        return True
    try:
        kind = os.lstat(place_of(name)).st_mode
    except FileNotFoundError:
        return False
    return stat.S_ISCHR(kind) or stat.S_ISFIFO(kind)


def place_of(name: str) -> str:
    """The path that is meant, with links followed. Raises OSError where one of them is another user's.

    A link counts where it is this user's, root's, or the owner's of "/", who is shown as nobody in a container with
    user numbers of its own; but not in a directory where everybody may put such a link in another's place.
    """
    if os.name != "posix":
        return os.path.realpath(name)
    return follow(os.path.abspath(name), _link) or "/"


def _link(path: str) -> str | None:
    """Where a link leads; None where there is none. Raises PermissionError where it is another user's."""
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISLNK(status.st_mode):
        return None
    if status.st_uid not in (0, os.geteuid()) and not _is_the_systems(path, status.st_uid):
        raise PermissionError(errno.EPERM, f"{path} is a link of another user", path)
    if os.stat(os.path.dirname(path)).st_mode & (stat.S_IWOTH | stat.S_ISVTX) == stat.S_IWOTH:
        raise PermissionError(errno.EPERM, f"{path} is a link where every user may change it", path)
    return os.readlink(path)


def _is_the_systems(path: str, owner: int) -> bool:
    return (
        owner == os.stat("/").st_uid and not os.stat(os.path.dirname(path)).st_mode & stat.S_IWOTH
    )


def file_to_replace(name: str) -> str:
    """The path of a file, or of a place where nothing is yet. Raises OSError for anything else, which stays what it is."""
    place = place_of(name)
    try:
        status = os.lstat(place)
    except FileNotFoundError:
        return place
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", name)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "it is not a file but a device, a pipe or a socket", name)
    return place


def prove_writable(place: str) -> None:
    """Raises OSError where no file can be made beside the place."""
    _remove(_make_beside(place, 0o600))


def replace_file(name: str, data: bytes, mode: int = 0o666, *, private: bool = False) -> None:
    """Writes beside the place and renames into it; what was there before stays until then. Raises OSError.

    mode: of a new file, less the umask; a file that is replaced keeps its own. private: it is for this user alone,
    whatever was there.
    """
    place = file_to_replace(name)
    part = _make_beside(place, 0o600 if private else mode)
    try:
        with open(part, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if not private:
            _take_mode(part, place)
        os.replace(part, place)
    except BaseException:
        _remove(part)
        raise
    _forget(part)


def _make_beside(place: str, mode: int) -> str:
    """An empty file under a name that nobody has. It is announced first: whatever ends this process, it is removed."""
    folder, name = os.path.split(place)
    for number in range(_TRIES):
        part = os.path.join(folder, f".{name[:100]}.{os.getpid()}.{number}")
        if os.path.lexists(part):
            continue
        _PARTS.add(part)
        supervised.tell("made", part)
        try:
            flags = (
                os.O_WRONLY
                | os.O_CREAT
                | os.O_EXCL
                | getattr(os, "O_NOFOLLOW", 0)
                | getattr(os, "O_CLOEXEC", 0)
            )
            os.close(os.open(part, flags, mode))
        except OSError as error:
            _forget(part)
            if isinstance(error, FileExistsError):
                continue
            raise
        return part
    raise OSError(errno.EEXIST, "every name beside it is taken", place)


def _take_mode(part: str, place: str) -> None:
    """That of the file which is replaced. Raises OSError."""
    try:
        mode = stat.S_IMODE(os.stat(place).st_mode)
    except FileNotFoundError:
        return
    os.chmod(part, mode)


def _remove(part: str) -> None:
    try:  # noqa: SIM105  # contextlib costs more than all of this file
        os.unlink(part)
    except OSError:
        pass  # it is gone, or its folder is: nothing more can be done
    _forget(part)


def _forget(part: str) -> None:
    _PARTS.discard(part)
    supervised.tell("gone", part)


def remove_parts_of(name: str, pid: int) -> None:
    """What another process of ours, which has ended, left beside the file. Raises OSError."""
    folder, base = os.path.split(file_to_replace(name))
    for each in os.listdir(folder or "."):
        if each.startswith(f".{base[:100]}.{pid}."):
            _remove(os.path.join(folder, each))


def remove_all_parts() -> None:
    """For the end of the program by a signal."""
    for part in list(_PARTS):
        _remove(part)
