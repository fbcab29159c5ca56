"""The mount table of this process: /proc/self/mountinfo (proc(5))."""

from __future__ import annotations

from tfdoctor.facts.outcome import Fact, Known
from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import record
from tfdoctor.probes.text_files import lines_of
from tfdoctor.system.sysroot import System

MOUNTINFO = "/proc/self/mountinfo"
_OCTAL = Expression(r"\\([0-7]{3})")


@record
class Mount:
    """One line. `root` is the folder of the file system that is mounted at `point`; `options` the super block's."""

    root: str
    point: str
    kind: str
    source: str
    options: str


def mounts(system: System) -> Fact[list[Mount]]:
    """All mounts, the topmost of equal points last. Lines that can't be read are left out."""
    lines = lines_of(system, MOUNTINFO)
    if not isinstance(lines, Known):
        return lines
    found = [_mount(line.split()) for line in lines.value]
    return Known([mount for mount in found if mount is not None], MOUNTINFO)


def _mount(words: list[str]) -> Mount | None:
    """`36 35 98:0 /root /point rw,noatime master:1 - ext4 /dev/sda1 rw`: the optional fields end at the dash."""
    if "-" not in words[6:] or len(words) < 5:
        return None
    kind, source, options = [*words[words.index("-", 6) + 1 :], "", "", ""][:3]
    return Mount(_unescaped(words[3]), _unescaped(words[4]), kind, _unescaped(source), options)


def _unescaped(text: str) -> str:
    """Blanks, tabs, line ends and backslashes stand as octal numbers."""
    return _OCTAL.sub(lambda match: chr(int(match[1], 8)), text)
