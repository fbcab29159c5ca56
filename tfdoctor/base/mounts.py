"""The mount table of a process, as /proc/PID/mountinfo has it (proc(5))."""

from __future__ import annotations

from tfdoctor.base.records import record

TYPE_CHECKING = False  # importing `typing` takes as long as a health check
if TYPE_CHECKING:
    from collections.abc import Iterable

MOUNTINFO = "/proc/self/mountinfo"


@record
class Mount:
    """One line. `root` is the folder of the file system that is mounted at `point`; `options` the super block's."""

    root: str
    point: str
    kind: str
    source: str
    options: str


def mounts_in(lines: Iterable[str]) -> list[Mount]:
    """All mounts, the topmost of equal points last. Lines that can't be read are left out."""
    found = [_mount(line.split()) for line in lines]
    return [mount for mount in found if mount is not None]


def _mount(words: list[str]) -> Mount | None:
    """`36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/sda1 rw`: the optional fields end at the dash."""
    if "-" not in words[6:] or len(words) < 5:
        return None
    kind, source, options = [*words[words.index("-", 6) + 1 :], "", "", ""][:3]
    return Mount(_unescaped(words[3]), _unescaped(words[4]), kind, _unescaped(source), options)


def _unescaped(text: str) -> str:
    """Blanks, tabs, line ends and backslashes stand as three octal digits behind a backslash."""
    first, *others = text.split("\\")
    return first + "".join(
        chr(int(part[:3], 8)) + part[3:]
        if len(part) > 2 and set(part[:3]) <= set("01234567")
        else "\\" + part
        for part in others
    )
