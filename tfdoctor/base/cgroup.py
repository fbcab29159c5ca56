"""The control group (cgroup) of a process, and the smallest memory limit that it and its ancestors set.

Version 2 has one tree; version 1 has one for each controller; a hybrid system has both and gives each controller to
one of them. /proc/PID/cgroup says where the group is below the tree's root, and the mount says which part of the tree is
visible here, and where: cgroups(7), and the kernel's admin-guide/cgroup-v1 and -v2 (read 2026-11-20).
"""

from __future__ import annotations

from tfdoctor.base.records import record

TYPE_CHECKING = False  # importing `typing` takes as long as a health check
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tfdoctor.base.mounts import Mount

    Read = Callable[[str], str | None]
    """A file's text; None where there is no such file. Raises OSError where it can't be read."""

SELF = "/proc/self/cgroup"

V1_LIMITS = (
    ("memory.limit_in_bytes", "memory.usage_in_bytes"),
    ("memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes"),
)
"""(limit, use). memsw is memory and swap together; it is never below the limit of memory alone."""
V2_LIMITS = (("memory.max", "memory.current"),)

STAT = "memory.stat"
V1_CACHE, V2_CACHE = "total_inactive_file", "inactive_file"
"""In memory.stat: file pages that the kernel drops at once."""
V1_HIDDEN_LIMIT = "hierarchical_memory_limit"
"""In memory.stat of version 1: the smallest limit of all groups above, also of those outside the container's view."""

NO_LIMIT = "max"
UNLIMITED_V1 = 1 << 60
"""Version 1 writes the largest page-aligned number where there is no limit."""


@record
class Cgroup:
    """The group of one controller: its folder, and the topmost folder that is visible here."""

    version: int
    folder: str
    top: str

    def upwards(self) -> Iterator[str]:
        """The own folder, then its ancestors up to the topmost visible one."""
        folder = self.folder
        while len(folder) > len(self.top):
            yield folder
            folder = folder.rpartition("/")[0]
        yield self.top


@record
class Limit:
    """A limit in bytes, the folder that sets it ("": it can't be seen from here), and the file that tells the use."""

    value: int
    folder: str
    usage_file: str


def path_in(lines: Iterable[str], controller: str) -> tuple[int, str]:
    """The version that has the controller and the path in it: "4:memory:/a" is version 1, "0::/a" version 2; (0, "")."""
    unified = ""
    for line in lines:
        number_of_tree, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controller in controllers.split(","):
            return 1, path
        if number_of_tree == "0" and not controllers:
            unified = path
    return (2, unified) if unified else (0, "")


def trees(mounts: Iterable[Mount], version: int, controller: str) -> list[Mount]:
    """Where the file system of this version is mounted with the controller."""
    if version == 2:
        return [mount for mount in mounts if mount.kind == "cgroup2"]
    return [
        mount
        for mount in mounts
        if mount.kind == "cgroup" and controller in mount.options.split(",")
    ]


def group_in(mount: Mount, version: int, path: str) -> Cgroup | None:
    """The group of this path below a mount; None where the mount does not show it.

    Without a cgroup namespace a container's mount shows the part of the tree below `mount.root`, which is then a
    prefix of the path. A path that begins with "/.." is outside of the own namespace.
    """
    parts, root = _parts(path), _parts(mount.root)
    if ".." in parts or ".." in root or parts[: len(root)] != root:
        return None
    top = "/" + "/".join(_parts(mount.point))
    return Cgroup(version, "/".join((top, *parts[len(root) :])), top)


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def memory_limit(group: Cgroup, read: Read) -> Limit | None:
    """The smallest limit of the group and its ancestors. Raises OSError or ValueError where one can't be read."""
    found: list[Limit] = []
    for folder in group.upwards():
        for limit_file, usage_file in V1_LIMITS if group.version == 1 else V2_LIMITS:
            value = limit_in(f"{folder}/{limit_file}", group.version, read)
            if value is not None:
                found.append(Limit(value, folder, usage_file))
    smallest = min(found, key=lambda limit: limit.value, default=None)
    hidden = (
        _entry_or_none(f"{group.folder}/{STAT}", V1_HIDDEN_LIMIT, read)
        if group.version == 1
        else None
    )
    if hidden is not None and hidden < (UNLIMITED_V1 if smallest is None else smallest.value):
        return Limit(hidden, "", "")
    return smallest


def limit_in(name: str, version: int, read: Read) -> int | None:
    """A limit file's number; None where it sets none or does not exist. Raises OSError, or ValueError naming the file."""
    text = read(name)
    if text is None or text.strip() == NO_LIMIT:
        return None
    value = _number(text.partition("\n")[0], name)
    return None if version == 1 and value >= UNLIMITED_V1 else value


def memory_used(group: Cgroup, limit: Limit, read: Read) -> tuple[int, str]:
    """Bytes charged to the group of the limit, without file pages that the kernel can drop at once, and what told it.

    Raises OSError or ValueError.
    """
    name = f"{limit.folder}/{limit.usage_file}"
    usage = limit_in(name, group.version, read)
    if usage is None:
        raise FileNotFoundError(2, f"{name} does not exist")
    key = V1_CACHE if group.version == 1 else V2_CACHE
    cache = _entry_or_none(f"{limit.folder}/{STAT}", key, read)
    return (usage, name) if cache is None else (max(usage - cache, 0), f"{name} without {key}")


def _entry_or_none(name: str, key: str, read: Read) -> int | None:
    try:
        return entry_in((read(name) or "").splitlines(), key, name)
    except (OSError, ValueError):
        return None


def entry_in(lines: Iterable[str], key: str, name: str) -> int | None:
    """The number behind `key` among "key number" lines; None where there is none. Raises ValueError naming the file."""
    for line in lines:
        word, _, value = line.partition(" ")
        if word == key:
            return _number(value, f"{name}: {key}")
    return None


def _number(text: str, what: str) -> int:
    text = text.strip()
    if not (
        text.isascii() and text.isdecimal() and len(text) <= 20
    ):  # a 64-bit number has no more digits
        raise ValueError(f"{what}: {text[:40]!r} isn't a number")
    return int(text)
