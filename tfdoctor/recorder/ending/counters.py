"""How often the kernel killed in each of the command's memory cgroups, before it and since."""

from __future__ import annotations

from tfdoctor.facts.death import KillCounter
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, map_known
from tfdoctor.probes.runner import attempt
from tfdoctor.probes.text_files import first_line, number
from tfdoctor.recorder.watch.cgroups import Group
from tfdoctor.system.sysroot import System


def counter(group: Group, *, holds_command: bool) -> KillCounter:
    system, folder, version = group.system, group.folder, group.group.version
    limit_folder = group.limit.value.folder if isinstance(group.limit, Known) else ""
    return KillCounter(
        folder=folder,
        before=group.before,
        after=group.after,
        limit=map_known(group.limit, lambda limit: limit.value),
        peak=Known(group.peak, "samples")
        if group.peak
        else Failed("no sample could read its use", "missing"),
        high_water=_high_water(system, limit_folder or folder, version),
        kills_whole_group=_whole_group(system, folder, version),
        holds_command=holds_command,
    )


def _high_water(system: System, folder: str, version: int) -> Fact[int]:
    """The kernel's own largest use, cache included (memory.peak since Linux 5.19)."""
    name = f"{folder}/{'memory.max_usage_in_bytes' if version == 1 else 'memory.peak'}"
    return _number(system, name)


def _whole_group(system: System, folder: str, version: int) -> Fact[bool]:
    if version == 1:
        return Absent("cgroup version 1 kills single processes")
    return map_known(_number(system, f"{folder}/memory.oom.group"), lambda value: value == 1)


def _number(system: System, name: str) -> Fact[int]:
    line = first_line(system, name)
    return attempt(lambda: number(line.value), name) if isinstance(line, Known) else line
