"""The control group (cgroup) of this process and the limits that it and its ancestors set.

Version 2 has one tree; version 1 has one for each controller; a hybrid system has both and gives each controller to
one of them. /proc/self/cgroup says where the own group is below the tree's root, and the mount says which
part of the tree is visible here, and where: cgroups(7), and the kernel's admin-guide/cgroup-v1 and -v2.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.light.records import record
from tfdoctor.probes.host.mounts import Mount, mounts
from tfdoctor.probes.text_files import lines_of, number, plain
from tfdoctor.system.cgroup import (
    NO_LIMIT,
    SELF,
    STAT,
    UNLIMITED_V1,
    V1_CACHE,
    V1_HIDDEN_LIMIT,
    V1_LIMITS,
    V2_CACHE,
    V2_LIMITS,
)
from tfdoctor.system.sysroot import System

_USUAL = "/sys/fs/cgroup"
_V1_MARKS = {"memory": "limit_in_bytes", "pids": "max"}


@record
class Cgroup:
    """The own group of one controller: its folder, and the topmost folder that is visible here."""

    version: int
    folder: str
    top: str

    def upwards(self) -> Iterator[str]:
        """The own folder, then its ancestors up to the topmost visible one."""
        folder = self.folder
        while folder != self.top:
            yield folder
            folder = str(PurePosixPath(folder).parent)
        yield folder


@record
class Limit:
    """A limit in bytes, the folder that sets it, and the name of the file that tells the use."""

    value: int
    folder: str
    usage_file: str


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


def _in_mounts(system: System, controller: str, lines: list[str], table: Fact[list[Mount]]) -> Fact[Cgroup]:
    if not isinstance(table, Known):
        return table
    version, path = _own_path(lines, controller)
    if not version:
        return Absent(f"{SELF} names no group with the controller {controller}")
    trees = [mount for mount in table.value if _carries(mount, version, controller)]
    if not trees:
        return Failed(f"the cgroup file system with {controller} is not mounted here", "missing")
    found = [group for mount in trees if (group := _located(system, mount, version, path))]
    if found:
        return Known(found[0], SELF)
    return Failed(f"the own cgroup {plain(path)} can't be seen in {plain(trees[-1].point)}", "hidden")


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
    if not isinstance(table, Known) or not any(mount.kind.startswith("cgroup") for mount in table.value):
        table = Known(usual, _USUAL)
    return lines, table


def _own_path(lines: list[str], controller: str) -> tuple[int, str]:
    """The version that has the controller and the own path in it: "4:memory:/a" is version 1, "0::/a" version 2."""
    unified = ""
    for line in lines:
        number_of_tree, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controller in controllers.split(","):
            return 1, path
        if number_of_tree == "0" and not controllers:
            unified = path
    return (2, unified) if unified else (0, "")


def _carries(mount: Mount, version: int, controller: str) -> bool:
    if version == 2:
        return mount.kind == "cgroup2"
    return mount.kind == "cgroup" and controller in mount.options.split(",")


def _located(system: System, mount: Mount, version: int, path: str) -> Cgroup | None:
    """The own group's folder below this mount, None where the mount does not show it.

    Without a cgroup namespace a container's mount shows the part of the tree below `mount.root`, which is then a
    prefix of the path. A path that begins with "/.." is outside of the own namespace.
    """
    if ".." in PurePosixPath(path).parts or ".." in PurePosixPath(mount.root).parts:
        return None
    if not PurePosixPath(path).is_relative_to(mount.root):
        return None
    below = PurePosixPath(path).relative_to(mount.root)
    folder = str(PurePosixPath(mount.point) / below)
    return Cgroup(version, folder, str(PurePosixPath(mount.point))) if system.exists(folder) else None


def memory_limit(system: System, group: Cgroup) -> Fact[Limit]:
    """The smallest memory limit of the own group and its ancestors. Absent: none of them sets one.

    Failed where a visible limit can't be read, for it may be the smallest.
    """
    files = V1_LIMITS if group.version == 1 else V2_LIMITS
    found: list[Limit] = []
    for folder in group.upwards():
        for limit_file, usage_file in files:
            value = _value(system, f"{folder}/{limit_file}", group.version)
            if isinstance(value, Failed):
                return value
            if isinstance(value, Known):
                found.append(Limit(value.value, folder, usage_file))
    hidden = _hidden_limit(system, group)
    smallest = min(found, key=lambda limit: limit.value, default=None)
    if hidden is not None and (smallest is None or hidden < smallest.value):
        return Known(Limit(hidden, "", ""), f"{group.folder}/memory.stat, a group above those visible here")
    if smallest is None:
        return Absent(f"no memory limit from {group.folder} up to {group.top}")
    return Known(smallest, smallest.folder)


def _hidden_limit(system: System, group: Cgroup) -> int | None:
    """Version 1 tells the smallest limit of all ancestors, also of those outside the container's view."""
    if group.version != 1:
        return None
    entry = stat_entry(system, f"{group.folder}/{STAT}", V1_HIDDEN_LIMIT)
    return entry.value if isinstance(entry, Known) and entry.value < UNLIMITED_V1 else None


def _value(system: System, name: str, version: int) -> Fact[int]:
    """A limit file's number. Absent for "max", for version 1's huge number and where the group has no such file."""
    if not system.exists(name):
        return Absent(f"{name} does not exist")
    lines = lines_of(system, name)
    if not isinstance(lines, Known):
        return lines
    text = lines.value[0].strip() if lines.value else ""
    if text == NO_LIMIT:
        return Absent(f"{name} says max")
    try:
        value = number(text)
    except ValueError as error:
        return Failed(f"{name}: {error}", "unreadable")
    if version == 1 and value >= UNLIMITED_V1:
        return Absent(f"{name} says that there is none")
    return Known(value, name)


def memory_used(system: System, group: Cgroup, limit: Limit) -> Fact[int]:
    """Bytes charged to the group of the limit, without file pages that the kernel can drop at once."""
    if not limit.folder:
        return Failed("the group that sets the limit can't be seen from here", "hidden")
    usage = _value(system, f"{limit.folder}/{limit.usage_file}", group.version)
    if not isinstance(usage, Known):
        kind = usage.kind if isinstance(usage, Failed) else "missing"
        return Failed(f"{limit.folder}/{limit.usage_file} can't be read", kind)
    key = V1_CACHE if group.version == 1 else V2_CACHE
    cache = stat_entry(system, f"{limit.folder}/{STAT}", key)
    if not isinstance(cache, Known):
        return usage
    return Known(max(usage.value - cache.value, 0), f"{usage.source} without {key}")


def oom_kills(system: System, group: Cgroup) -> Fact[int]:
    """Processes of the own group that the kernel killed for lack of memory, since the group was made."""
    if group.version == 1:
        entry = stat_entry(system, f"{group.folder}/memory.oom_control", "oom_kill")  # Linux 4.13
        return (
            entry
            if isinstance(entry, Known)
            else Failed("memory.oom_control counts no kills here", "missing")
        )
    for (
        folder
    ) in group.upwards():  # a group without the controller is charged to the nearest one above that has it
        for name in ("memory.events.local", "memory.events"):  # local: without the groups below (Linux 5.2)
            if system.exists(f"{folder}/{name}"):
                return stat_entry(system, f"{folder}/{name}", "oom_kill")
    return Absent(f"{group.folder} is the root group, or the memory controller is off: nothing counts kills")


def pids_limit(system: System, group: Cgroup) -> Fact[int]:
    """The smallest pids.max of the own group and its ancestors."""
    found = [_value(system, f"{folder}/pids.max", group.version) for folder in group.upwards()]
    for value in found:
        if isinstance(value, Failed):
            return value
    known = [value for value in found if isinstance(value, Known)]
    return (
        min(known, key=lambda fact: fact.value) if known else Absent("no pids.max from the own group upwards")
    )


def stat_entry(system: System, name: str, key: str) -> Fact[int]:
    """The number behind `key` in a file of "key number" lines."""
    lines = lines_of(system, name)
    if not isinstance(lines, Known):
        return lines
    for line in lines.value:
        word, _, value = line.partition(" ")
        if word == key:
            try:
                return Known(number(value), name)
            except ValueError as error:
                return Failed(f"{name}: {key}: {error}", "unreadable")
    return Failed(f"{name} has no {key}", "missing")
