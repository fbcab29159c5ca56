"""Makes the namespace of `namespace.py` and runs a program in it; a process of its own, which has one thread."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import sys
from typing import NoReturn

_NEWNS, _NEWUSER, _NEWPID = 0x00020000, 0x10000000, 0x20000000  # linux/sched.h
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_BIND, _MS_REC, _MS_PRIVATE = (
    2,
    4,
    8,
    4096,
    16384,
    1 << 18,
)  # linux/mount.h
_MS_RDONLY, _MS_REMOUNT, _MS_RELATIME = 1, 32, 1 << 21
_ST_RELATIME = 4096  # bits/statvfs.h
# Nosuid, nodev, noexec, noatime, nodiratime: the same bits in both.
_KEPT_AS_THEY_ARE = 2 | 4 | 8 | 1024 | 2048
_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_LIMIT = "the limit in /proc/sys/user is reached"  # ENOSPC (namespaces(7))
_LIBC = ctypes.CDLL(None, use_errno=True)


class _RefusedError(Exception):
    """What the system does not allow, in one clause."""


def main() -> NoReturn:
    """`ro|rw source target PROGRAM…`: the program with `source` seen at `target`; ends as it does."""
    from tfdoctor.apps.repair.namespace import REFUSED

    how, source, target, *argv = sys.argv[1:]
    read_only = how == "ro"
    working = os.getcwd()
    end_with_parent()
    try:
        _unshare()
        _mount("none", "/", _MS_REC | _MS_PRIVATE, "the mounts can't be made private")
        if source != target or read_only:
            _mount(source, target, _MS_BIND | _MS_REC, f"{source} can't be mounted over {target}")
        if read_only:
            flags = _MS_REMOUNT | _MS_BIND | _MS_RDONLY | _flags_of(target)
            _mount("none", target, flags, f"{target} can't be mounted read-only")
    except _RefusedError as refused:
        _refuse(str(refused), REFUSED)
    first = os.fork()
    if first == 0:
        end_with_parent()
        if source != target or read_only:
            _enter(working)
        _be_init(argv, REFUSED)
    _end_like(first)


def end_with_parent() -> None:
    """Killed when the process that made this one ends (prctl(2))."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _unshare() -> None:
    """With a user namespace only where it is needed; in it the user keeps the own number, and no program gets more rights."""
    if _LIBC.unshare(_NEWNS | _NEWPID) == 0:
        return
    user, group = os.geteuid(), os.getegid()
    if _LIBC.unshare(_NEWUSER | _NEWNS | _NEWPID) != 0:
        number = ctypes.get_errno()
        why = _LIMIT if number == errno.ENOSPC else os.strerror(number)
        raise _RefusedError(f"this system gives you no private namespace (unshare: {why})")
    try:
        for name, words in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(words)
    except OSError as error:
        raise _RefusedError(
            f"this system gives you no private namespace ({error.filename or 'uid_map'}: {error.strerror})"
        ) from error


def _mount(source: str, target: str, flags: int, words: str, kind: str | None = None) -> None:
    encoded = None if kind is None else kind.encode()
    if _LIBC.mount(os.fsencode(source), os.fsencode(target), encoded, flags, None) != 0:
        raise _RefusedError(f"{words} (mount: {os.strerror(ctypes.get_errno())})")


def _flags_of(target: str) -> int:
    """What a mount is already, as mount(2) wants it: a user namespace may not take it away (mount_namespaces(7))."""
    found = os.statvfs(target).f_flag
    return (found & _KEPT_AS_THEY_ARE) | (_MS_RELATIME if found & _ST_RELATIME else 0)


def _enter(folder: str) -> None:
    """The working directory by its name, which may now mean the directory that was put there."""
    try:
        os.chdir(folder)
    except OSError:
        os.chdir("/")


def _be_init(argv: list[str], refused: int) -> NoReturn:
    """The first process of its namespace: everything in it ends with this one (pid_namespaces(7))."""
    try:
        _mount(
            "proc",
            "/proc",
            _MS_NOSUID | _MS_NODEV | _MS_NOEXEC,
            "/proc can't be mounted again",
            "proc",
        )
    except _RefusedError as error:
        _refuse(str(error), refused)
    program = os.fork()
    if program == 0:
        try:
            os.execvp(argv[0], argv)  # noqa: S606  # words of our own
        except OSError as error:
            _refuse(f"{argv[0]}: {error.strerror}", refused)
    while True:
        ended, status = os.wait()
        if ended == program:
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)


def _end_like(child: int) -> NoReturn:
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    os._exit(code if code >= 0 else 128 - code)


def _refuse(words: str, status: int) -> NoReturn:
    os.write(2, f"{words}\n".encode("utf-8", "replace"))
    os._exit(status)
