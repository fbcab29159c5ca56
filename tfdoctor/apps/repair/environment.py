"""The directory that a fix would change, and everything for which none is tried there: each with what to do instead."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from tfdoctor import __version__
from tfdoctor.base.child import find_program
from tfdoctor.base.fix_files import NEW
from tfdoctor.base.mounts import MOUNTINFO, Mount, mounts_in
from tfdoctor.base.records import record
from tfdoctor.base.units import first_of
from tfdoctor.base.vouched import only_ours
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import known, value_or
from tfdoctor.fix.kernel import KERNEL_JSON
from tfdoctor.knowledge.lines import Pip, requirement
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.place import Place
from tfdoctor.knowledge.tools import with_tool

_PROJECTS = {
    "uv.lock": "uv-project",
    "poetry.lock": "poetry",
    "pdm.lock": "pdm",
    "Pipfile.lock": "pipenv",
}
"""The lock file of the tool that keeps an environment in its project's folder, and the tool's name among the places."""
_OF_A_NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "lustre", "gpfs", "beegfs", "ocfs2", "gfs2", "davfs",
     "pvfs2", "orangefs", "fuse.sshfs")
)  # fmt: skip
_LAYERED = frozenset(("overlay", "aufs", "unionfs"))
_VIRTUAL = ("venv", "virtualenv")
_MOST_USERS = 3


@record
class Refusal:
    """Why nothing is tried there. `instead`: the commands that can be typed; `from_outside`: they are this tfdoctor's own, which can do it elsewhere."""

    because: str
    instead: tuple[str, ...] = ()
    from_outside: bool = False


def from_outside(words: tuple[str, ...]) -> str:
    """The command that runs this tfdoctor once in an environment of its own: by uv where it is there, else by pipx."""
    try:
        find_program("uv", os.environ)
        runner = "uvx --from"
    except FileNotFoundError:
        runner = "pipx run --spec"
    return f"{runner} {shlex.join((_own_source(), 'tfdoctor', *words))}"


def _own_source() -> str:
    """What an installer gets this tfdoctor from: the directory or file it was installed from (PEP 610), else its version."""
    # 25 ms of every check, with the next two (2026-11-29)
    from importlib.metadata import (
        PackageNotFoundError,
        distribution,
    )
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:
        written = distribution("tfdoctor").read_text("direct_url.json")
        url = str(json.loads(written or "{}").get("url", ""))
    except (PackageNotFoundError, ValueError, OSError):
        url = ""
    return (
        url2pathname(urlsplit(url).path) if url.startswith("file:") else f"tfdoctor=={__version__}"
    )


def directory_of(facts: Facts, fix: Fix | None = None) -> Path:
    """The environment's directory, the kernel's where its file is to be changed, or that of a new environment; links followed. An empty
    path: not known.
    """
    if fix is not None and fix.action is not None and _makes_new(fix):
        return _free(_beside(facts) / str(fix.action.values["environment"]))
    kernel = (
        known(facts.jupyter.examined_kernel)
        if fix is not None and fix.where == KERNEL_JSON
        else None
    )
    found = kernel.folder if kernel is not None else value_or(facts.interpreter.prefix, "")
    return Path(os.path.realpath(found)) if found else Path()


def _beside(facts: Facts) -> Path:
    """Where a new environment is made: beside a virtual environment, else in the current directory."""
    is_virtual = value_or(facts.interpreter.environment, "") in _VIRTUAL
    return directory_of(facts).parent if is_virtual else Path.cwd()


def _free(folder: Path) -> Path:
    """The directory, or the first with a number that is not there yet."""
    names = (folder, *(folder.with_name(f"{folder.name}-{number}") for number in range(2, 100)))
    return next((each for each in names if not os.path.lexists(each)), folder)


def refusal(facts: Facts, fix: Fix) -> Refusal | None:
    """Why the fix is not tried in the examined environment, whoever asks; None where it can be. It looks at every file there."""
    if sys.platform != "linux":
        return Refusal("a fix can be tried safely on Linux only. Type its command", fix.commands)
    place = directory_of(facts, fix)
    if refused := refusal_at_a_glance(facts, fix):
        return refused
    if place.is_dir() and (other := others_files(place)):
        return Refusal(f"{other} belongs to another user. Give all of {place} to one user first")
    return None


def refusal_at_a_glance(facts: Facts, fix: Fix) -> Refusal | None:
    """The same as far as the directory itself shows it: an answer that only offers a fix has no time for a hundred thousand files."""
    return next(_refusals(facts, fix, directory_of(facts, fix)), None)


def _refusals(facts: Facts, fix: Fix, place: Path) -> Iterator[Refusal]:
    if fix.where == KERNEL_JSON:
        yield from _of_its_files(fix, place)
        return
    if _makes_new(fix):
        yield from _of_its_keeper(facts, fix, directory_of(facts))
        yield from _of_a_new_one(fix, place)
        return
    yield from _of_its_keeper(facts, fix, place)
    if place == Path(os.path.realpath(sys.prefix)):
        yield Refusal(
            "tfdoctor itself is installed in this environment, and would change under its own feet. Run it from outside",
            (from_outside(("fix", "--python", str(place))),),
            from_outside=True,
        )
    yield from _of_its_files(fix, place)


def _of_its_keeper(facts: Facts, fix: Fix, place: Path) -> Iterator[Refusal]:
    """Somebody else than pip keeps it, or more than one program depends on it."""
    kind = value_or(facts.interpreter.environment, "")
    if ".pixi" in place.parts:
        yield Refusal(
            "pixi keeps this environment, and its next install would undo the fix. Change the project",
            _pixi(fix) or fix.commands,
        )
    if kind == "conda":
        base = (
            "its base environment, which conda itself runs in"
            if (place / "condabin").is_dir()
            else "this environment"
        )
        # As it is printed where conda installed the package; what pip installed in a conda environment, pip changes.
        yield Refusal(f"conda keeps {base}. Type the command for conda", fix.commands)
    if kind not in _VIRTUAL and not _makes_new(fix):
        yield Refusal(
            "this Python is not a virtual environment: other programs may use its packages. Make an environment for TensorFlow",
            ("tfdoctor plan",),
        )
    for lock, tool in _PROJECTS.items():
        if (place.parent / lock).is_file():
            yield Refusal(
                f"{lock} beside it says what is installed here, and the next install from it would undo the fix. Change the project",
                fix.commands if _makes_new(fix) else _in_project(fix, tool, place.parent),
            )


def _pixi(fix: Fix) -> tuple[str, ...]:
    added, removed = fix.parameter("install"), fix.parameter("remove")
    return tuple(
        f"pixi {word} --pypi {' '.join(map(requirement, packages))}"
        for word, packages in (("remove", removed), ("add", added))
        if packages
    )


def _in_project(fix: Fix, tool: str, folder: Path) -> tuple[str, ...]:
    added, removed = fix.parameter("install"), fix.parameter("remove")
    lines = [Pip(*removed, uninstalls=True)] if removed else []
    lines += [Pip(*added)] if added else []
    drawn = with_tool(Fix(fix.title, tuple(lines)), Place(frozenset((tool,))))
    return (f"cd {shlex.quote(str(folder))}", *drawn.commands)


def _of_its_files(fix: Fix, place: Path) -> Iterator[Refusal]:
    status = os.lstat(place)
    if status.st_uid != os.geteuid():
        yield Refusal(f"{place} belongs to {_user(status.st_uid)}. Run tfdoctor fix as that user")
    if not only_ours(str(place)):
        yield Refusal(
            f"other users can change {place} or a directory above it, so it is shared. {_instead(fix, 'Make an environment of your own')}",
            _commands(fix),
        )
    for each in (place, place.parent):
        if not os.access(each, os.W_OK):
            yield Refusal(
                f"{each} can't be written. {_instead(fix, 'Make an environment where you can write')}",
                _commands(fix),
            )
    mounts = _mounts()
    mount = nearest(mounts, place)
    if mount is not None and (found := of_its_mount(fix, place, mount.kind)):
        yield found
    if (
        os.path.ismount(place)
        or status.st_dev != os.stat(place.parent).st_dev
        or _mounted_in(mounts, place)
    ):
        yield Refusal(
            f"{place} or a directory in it is a mount of its own, so it can't be exchanged for another directory. Type the command",
            fix.commands,
        )


def _mounted_in(mounts: list[Mount], place: Path) -> bool:
    """os.path.ismount does not know a directory of the same file system that is mounted once more."""
    return any(each.point == str(place) or each.point.startswith(f"{place}/") for each in mounts)


def _of_a_new_one(fix: Fix, place: Path) -> Iterator[Refusal]:
    parent = place.parent
    if not os.access(parent, os.W_OK) or not only_ours(str(parent)):
        yield Refusal(
            f"{parent}, where the new environment would be made, is not yours alone to write. Type the commands in a directory of your own",
            fix.commands,
        )
    mount = nearest(_mounts(), place)
    if (
        mount is not None
        and mount.kind in _LAYERED
        and (found := of_its_mount(fix, place, mount.kind))
    ):
        yield found


def _makes_new(fix: Fix) -> bool:
    return fix.action is not None and fix.action.kind == NEW


def _instead(fix: Fix, words: str) -> str:
    return "Type the command as a user who may" if fix.where == KERNEL_JSON else words


def _commands(fix: Fix) -> tuple[str, ...]:
    return fix.commands if fix.where == KERNEL_JSON else ("tfdoctor plan",)


def _user(number: int) -> str:
    import pwd

    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"user {number}"


def of_its_mount(fix: Fix, place: Path, kind: str) -> Refusal | None:
    """Where the file system's kind stands against it."""
    if kind in _OF_A_NETWORK:
        return Refusal(
            f"{place} is on a network file system ({kind}), which other machines may use. Type the command",
            fix.commands,
        )
    if kind in _LAYERED:
        return Refusal(
            f"{place} is on a layered file system ({kind}), as in a container: what is changed there is lost with the container. "
            "Put the command into the image",
            fix.commands,
        )
    return None


def _mounts() -> list[Mount]:
    """[] where the table can't be read."""
    try:
        with open(MOUNTINFO, encoding="utf-8", errors="surrogateescape") as file:
            return mounts_in(file)
    except OSError:
        return []


def nearest(mounts: list[Mount], place: Path) -> Mount | None:
    """The mount that a directory is on; of several at one point the last, which hides the others."""
    above = {str(place), *map(str, place.parents)}
    inside = [each for each in reversed(mounts) if each.point in above]
    return max(inside, key=lambda each: len(each.point), default=None)


def others_files(place: Path) -> str:
    """A file in it that belongs to another user; "" where there is none."""
    for where, folders, files in os.walk(place):
        for name in (*folders, *files):
            path = os.path.join(where, name)
            if os.lstat(path).st_uid != os.geteuid():
                return path
    return ""


def users(place: Path) -> tuple[str, ...]:
    """The processes that run a program of the environment or have loaded a file of it, as "python (PID 12)"."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        if int(pid) != os.getpid() and _uses(pid, os.fsencode(place) + b"/"):
            found.append(f"{_called(pid)} (PID {pid})")
    return tuple(found)


def _uses(pid: str, prefix: bytes) -> bool:
    return _content(f"/proc/{pid}/cmdline").startswith(prefix) or b" " + prefix in _content(
        f"/proc/{pid}/maps"
    )


def _content(path: str) -> bytes:
    """b"" where the process has ended, or is another user's."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


def _called(pid: str) -> str:
    return _content(f"/proc/{pid}/comm").decode("utf-8", "replace").strip() or "a process"


def in_use(place: Path) -> Refusal | None:
    """Where a program would meet new files beside those that it has loaded."""
    found = users(place)
    if not found:
        return None
    return Refusal(
        f"{place} is in use by {first_of(found, _MOST_USERS)}. End it first, or go on with --in-use: a running program keeps what it has loaded, "
        "and loads the rest from the changed environment",
    )


def free_bytes(place: Path) -> int:
    found = os.statvfs(place)
    return found.f_bavail * found.f_frsize
