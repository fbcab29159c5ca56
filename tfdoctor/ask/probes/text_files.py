"""Small tools for reading a machine's text files: what a missing file means, numbers that can be trusted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TypeVar

from tfdoctor.ask.probes.runner import attempt
from tfdoctor.base.expressions import Expression
from tfdoctor.base.mounts import MOUNTINFO, Mount, mounts_in
from tfdoctor.base.printable import plain
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, kind_of_error

T = TypeVar("T")
_NUMBER = Expression(r"\d{1,20}")  # a 64-bit number has at most 20 digits


def guarded(ask: Callable[[], Fact[T]], source: str) -> Fact[T]:
    """`attempt` for what answers with a fact already: an exception that a broken machine can cause is Failed."""
    return attempt(ask, source)


def not_live(what: str) -> Failed:
    """For what only a running system has, asked of an unpacked one."""
    return Failed(f"not-live: {what}", "not-live")


def lines_of(system: System, name: str) -> Fact[list[str]]:
    """The lines of a file. Where it does not exist: Absent on a live system, not-live below a sysroot.

    Failed where it can't be read, and where Linux' /proc is not mounted, which proves nothing of what it would show.
    """
    try:
        return Known(system.read(name).splitlines(), name)
    except (FileNotFoundError, NotADirectoryError):
        if not system.live:
            return not_live(f"{name} is not in the examined folder")
        if (
            name.startswith("/proc/")
            and sys.platform == "linux"
            and not system.exists("/proc/self")
        ):
            return Failed(f"{name}: /proc is not mounted here", "missing")
        return Absent(f"{name} does not exist")
    except (OSError, ValueError) as error:
        return Failed(f"{name}: {getattr(error, 'strerror', None) or error}", kind_of_error(error))


def mounts(system: System) -> Fact[list[Mount]]:
    """The mount table of this process, the topmost of equal points last."""
    lines = lines_of(system, MOUNTINFO)
    return Known(mounts_in(lines.value), MOUNTINFO) if isinstance(lines, Known) else lines


def first_line(system: System, name: str) -> Fact[str]:
    """The first line of a file without its line end. An empty file is Failed; else as `lines_of`."""
    lines = lines_of(system, name)
    if not isinstance(lines, Known):
        return lines
    text = plain(lines.value[0]) if lines.value else ""
    return Known(text, name) if text else Failed(f"{name} is empty", "missing")


def pairs(lines: Iterable[str]) -> dict[str, str]:
    """ "key: value" and "key=value" lines as a dictionary; the first of equal keys counts."""
    found: dict[str, str] = {}
    for line in lines:
        mark = next((char for char in line if char in ":="), "")
        key, _, value = line.partition(mark) if mark else ("", "", "")
        if key.strip():
            found.setdefault(key.strip(), value.strip())
    return found


def number(text: str) -> int:
    """A plain decimal number of at most 20 digits. Raises ValueError for anything else."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text[:40]!r} isn't a number")
    return int(text)
