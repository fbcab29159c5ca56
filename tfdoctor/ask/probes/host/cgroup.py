"""The control group of this process and what it limits, as facts. `system/cgroup.py` knows the files."""

from __future__ import annotations

from tfdoctor.ask.probes.text_files import lines_of, mounts
from tfdoctor.base import cgroup
from tfdoctor.base.cgroup import SELF, Cgroup, Limit, entry_in, group_in, path_in, trees
from tfdoctor.base.mounts import Mount
from tfdoctor.base.printable import plain
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known

_USUAL = "/sys/fs/cgroup"
_V1_MARKS = {"memory": "limit_in_bytes", "pids": "max"}


def own_cgroup(system: System, controller: str) -> Fact[Cgroup]:
    """The group that limits this process by `controller` ("memory", "pids").

    Absent where the kernel has no such thing; Failed where the group is there but can't be seen from here.
    """
    lines, table = lines_of(system, SELF), mounts(system)
    if not system.live:
        lines, table = _or_usual(system, lines, table)
    if not isinstance(lines, Known):
        return lines
    return _in_mounts(system, controller, lines.value, table)


def named_cgroup(system: System, controller: str, lines: list[str]) -> Fact[Cgroup]:
    """The same for any process, by the lines of its /proc/PID/cgroup."""
    return _in_mounts(system, controller, lines, mounts(system))


def _in_mounts(
    system: System, controller: str, lines: list[str], table: Fact[list[Mount]]
) -> Fact[Cgroup]:
    if not isinstance(table, Known):
        return table
    version, path = path_in(lines, controller)
    if not version:
        return Absent(f"{SELF} names no group with the controller {controller}")
    mounted = trees(table.value, version, controller)
    if not mounted:
        return Failed(f"the cgroup file system with {controller} is not mounted here", "missing")
    for mount in mounted:
        group = group_in(mount, version, path)
        if group is not None and system.exists(group.folder):
            return Known(group, SELF)
    return Failed(
        f"the own cgroup {plain(path)} can't be seen in {plain(mounted[-1].point)}", "hidden"
    )


def _or_usual(
    system: System, lines: Fact[list[str]], table: Fact[list[Mount]]
) -> tuple[Fact[list[str]], Fact[list[Mount]]]:
    """For a laid-out tree that holds cgroup files but not the files of /proc: the places that systemd uses."""
    usual = [
        Mount("/", f"{_USUAL}/{name}", "cgroup", "cgroup", f"rw,{name}")
        for name in ("memory", "pids")
        if system.exists(f"{_USUAL}/{name}/{name}.{_V1_MARKS[name]}")
    ]
    if system.exists(f"{_USUAL}/cgroup.controllers") or system.exists(f"{_USUAL}/memory.max"):
        usual.append(Mount("/", _USUAL, "cgroup2", "cgroup2", "rw"))
    if not usual:
        return lines, table
    if not isinstance(lines, Known):
        names = [mount.point.rpartition("/")[2] for mount in usual if mount.kind == "cgroup"]
        lines = Known([*(f"1:{name}:/" for name in names), "0::/"], _USUAL)
    if not isinstance(table, Known) or not any(
        mount.kind.startswith("cgroup") for mount in table.value
    ):
        table = Known(usual, _USUAL)
    return lines, table


class _UnreadableError(OSError):
    """A file is there and can't be read."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.error)
        self.failed = failed


def _reader(system: System) -> cgroup.Read:
    def read(name: str) -> str | None:
        lines = lines_of(system, name) if system.exists(name) else Absent(f"{name} does not exist")
        if isinstance(lines, Failed):
            raise _UnreadableError(lines)
        return "\n".join(lines.value) if isinstance(lines, Known) else None

    return read


def memory_limit(system: System, group: Cgroup) -> Fact[Limit]:
    """The smallest memory limit of the own group and its ancestors. Absent: none of them sets one.

    Failed where a visible limit can't be read, for it may be the smallest.
    """
    try:
        limit = cgroup.memory_limit(group, _reader(system))
    except _UnreadableError as error:
        return error.failed
    except ValueError as error:
        return Failed(str(error), "unreadable")
    if limit is None:
        return Absent(f"no memory limit from {group.folder} up to {group.top}")
    return Known(
        limit, limit.folder or f"{group.folder}/memory.stat, a group above those visible here"
    )


def memory_used(system: System, group: Cgroup, limit: Limit) -> Fact[int]:
    """Bytes charged to the group of the limit, without file pages that the kernel can drop at once."""
    if not limit.folder:
        return Failed("the group that sets the limit can't be seen from here", "hidden")
    unread = f"{limit.folder}/{limit.usage_file} can't be read"
    try:
        return Known(*cgroup.memory_used(group, limit, _reader(system)))
    except _UnreadableError as error:
        return Failed(unread, error.failed.kind)
    except FileNotFoundError:
        return Failed(unread, "missing")
    except ValueError:
        return Failed(unread, "unreadable")


def oom_kills(system: System, group: Cgroup) -> Fact[int]:
    """Processes of the own group that the kernel killed for lack of memory, since the group was made."""
    if group.version == 1:
        entry = stat_entry(system, f"{group.folder}/memory.oom_control", "oom_kill")  # Linux 4.13
        return (
            entry
            if isinstance(entry, Known)
            else Failed("memory.oom_control counts no kills here", "missing")
        )
    for folder in (
        group.upwards()
    ):  # a group without the controller is charged to the nearest one above that has it
        for name in (
            "memory.events.local",
            "memory.events",
        ):  # local: without the groups below (Linux 5.2)
            if system.exists(f"{folder}/{name}"):
                return stat_entry(system, f"{folder}/{name}", "oom_kill")
    return Absent(
        f"{group.folder} is the root group, or the memory controller is off: nothing counts kills"
    )


def pids_limit(system: System, group: Cgroup) -> Fact[int]:
    """The smallest pids.max of the own group and its ancestors."""
    found: dict[str, int] = {}
    for folder in group.upwards():
        try:
            value = cgroup.limit_in(f"{folder}/pids.max", group.version, _reader(system))
        except _UnreadableError as error:
            return error.failed
        except ValueError as error:
            return Failed(str(error), "unreadable")
        if value is not None:
            found[f"{folder}/pids.max"] = value
    if not found:
        return Absent("no pids.max from the own group upwards")
    smallest = min(found, key=found.__getitem__)
    return Known(found[smallest], smallest)


def stat_entry(system: System, name: str, key: str) -> Fact[int]:
    """The number behind `key` in a file of "key number" lines."""
    lines = lines_of(system, name)
    if not isinstance(lines, Known):
        return lines
    try:
        value = entry_in(lines.value, key, name)
    except ValueError as error:
        return Failed(str(error), "unreadable")
    return Failed(f"{name} has no {key}", "missing") if value is None else Known(value, name)
