"""Whether root is about to run what another user can change, and as whom to run it instead.

Starting an interpreter runs code of its environment (.pth files, sitecustomize). As root that would make whoever can
write there root. A container whose root owns the run is left alone: its programs run as root, too.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from tfdoctor.ask.probes.host.container import container_kind
from tfdoctor.ask.probes.python.target import Target, choose_target
from tfdoctor.ask.probes.request import Request
from tfdoctor.base.owners import Owner, owner
from tfdoctor.base.printable import plain
from tfdoctor.base.records import record
from tfdoctor.base.safe_open import folder_names
from tfdoctor.facts.outcome import Known


@record
class Stranger:
    """Who else can change the environment. `user` is None where it is root's and anybody may write there."""

    place: str
    user: Owner | None

    @property
    def name(self) -> str:
        return f"the user {self.user.name}" if self.user else "anybody"


def stranger(request: Request) -> Stranger | None:
    """For root on a live system; None where nobody else can change what will run. Raises RequestError."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or not request.system.live:
        return None
    return request.shared.once("stranger", lambda: _found(choose_target(request)))


def runs_as(request: Request) -> Owner | None:
    """The user whom everything of the environment is started as; None: as this process. Raises RequestError."""
    found = stranger(request) if request.as_owner else None
    return found.user if found else None


def notice(request: Request) -> str:
    """What is said before anything of the environment runs; "" where there is nothing to say."""
    found = stranger(request)
    if found is None or runs_as(request) or isinstance(container_kind(request.system), Known):
        return ""
    option = f"; --as-owner runs it as {found.user.name}" if found.user else ""
    return f"root runs code of an environment that {found.name} can change ({plain(found.place)}){option}"


def note(request: Request) -> str:
    """The same for the report, without names."""
    found = stranger(request)
    user = runs_as(request)
    if user:
        return f"run as its owner, the user number {user.uid}"
    if found is None or not notice(request):
        return ""
    who = f"the user number {found.user.uid}" if found.user else "anybody"
    return f"run as root, though {who} can change it"


def _found(target: Target) -> Stranger | None:
    if not isinstance(target.executable, Known):
        return None
    for path in _paths(target.executable.value, target.prefix):
        try:
            status = os.lstat(path)
        except OSError:
            continue
        if status.st_uid != 0:
            return Stranger(path, owner(status.st_uid, status.st_gid))
        if _others_may_write(status):
            return Stranger(path, None)
    return None


def _others_may_write(status: os.stat_result) -> bool:
    """A folder with the sticky bit keeps others from changing what is root's in it; a link has no permissions."""
    if stat.S_ISLNK(status.st_mode) or (
        stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
    ):
        return False
    if status.st_mode & stat.S_IWOTH:
        return True
    return (
        bool(status.st_mode & stat.S_IWGRP) and status.st_gid != 0 and _has_members(status.st_gid)
    )


def _has_members(group: int) -> bool:
    """Debian's /usr/local belongs to the group staff, in which nobody is."""
    import grp

    try:
        return bool(set(grp.getgrgid(group).gr_mem) - {"root"})
    except KeyError:
        return True


def _packages(prefix: Path) -> list[Path]:
    names = folder_names(prefix / "lib")
    return [prefix / "lib" / name / "site-packages" for name in names if name.startswith("python3")]


def _paths(executable: str, prefix: str) -> Iterator[str]:
    """What decides which code runs, with every folder above it."""
    real = os.path.realpath(executable)
    prefixes = [Path(prefix), Path(real).parent.parent] if prefix else [Path(real).parent.parent]
    named = [Path(executable), Path(real), *prefixes]
    for folder in prefixes:
        named += [folder / "pyvenv.cfg", *_packages(folder)]
    seen = set()
    for path in named:
        for each in (path, *path.parents):
            if each not in seen:
                seen.add(each)
                yield str(each)
