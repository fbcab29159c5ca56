"""The last run as its black box tells it, also where the recorder was killed along with the command.

Without an end the counters are asked now: they may be gone, with their cgroup or with the boot that counted.
"""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any

from tfdoctor.facts.codec import from_json
from tfdoctor.facts.death import CommandEnd, Death, KillCounter
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.recorder.cgroups import Group
from tfdoctor.recorder.growth import growth_of, limit_of, reading_of
from tfdoctor.recorder.host_memory import kills
from tfdoctor.recorder.journal import boot_id, newest, read, steps_beside
from tfdoctor.recorder.postmortem import counter, kills_since
from tfdoctor.recorder.timeline import Sample
from tfdoctor.recorder.training import Line, steps_of, told_in, training_of
from tfdoctor.records import record, replace
from tfdoctor.system.cgroup import Cgroup
from tfdoctor.system.sysroot import System

_UNSEEN = "the recorder ended before it could see this"


@record
class LastRun:
    """A run from its file. `complete`: its recorder saw the end. `status` is 0 where nobody saw one."""

    path: str
    command: tuple[str, ...]
    interval_s: float
    samples: tuple[Sample, ...]
    death: Death
    complete: bool
    status: int


def last_run(place: str) -> LastRun | None:
    """The newest run whose recorder is no longer at work; None where there is none. Raises OSError."""
    for path in newest(place):
        lines = read(path)
        if lines and "command" in lines[0] and not _is_at_work(lines):
            return _of(path, lines)
    return None


def _is_at_work(lines: list[dict[str, Any]]) -> bool:
    head = lines[0]
    if any("status" in line for line in lines) or head.get("boot") != boot_id():
        return False
    try:
        with open(f"/proc/{int(head['recorder'])}/cmdline", "rb") as file:
            return b"run" in file.read().split(b"\0")
    except (OSError, KeyError, ValueError):
        return False


def _of(path: str, lines: list[dict[str, Any]]) -> LastRun:
    head = lines[0]
    samples = tuple(line["sample"] for line in lines if isinstance(line.get("sample"), dict))
    ending = next((line for line in reversed(lines) if "status" in line), None)
    told = told_in(steps_beside(path))
    if ending is not None and "facts" in ending:
        death = from_json(ending["facts"], Facts).death
    else:
        death = _without_end(head, lines, samples, told)
        if ending is not None:
            death = _ended_well(death, dict(ending["ended_well"]))
    return LastRun(
        path=path,
        command=tuple(str(word) for word in head["command"]),
        interval_s=float(head.get("interval", 1.0)),
        samples=samples,
        death=death,
        complete=ending is not None,
        status=int(ending["status"]) if ending else 0,
    )


def _without_end(
    head: dict[str, Any], lines: list[dict[str, Any]], samples: tuple[Sample, ...], told: list[Line]
) -> Death:
    steps = steps_of(told, _monotonic(head))
    this_boot = head.get("boot") == boot_id()
    groups = [line for line in lines if "cgroup" in line]
    unseen = Failed(_UNSEEN, "missing")
    return Death(
        end=Known(_end(head, samples), "the black box"),
        lost=unseen,
        counters=Known(tuple(map(_counter, groups)), "its cgroups, asked afterwards") if groups else unseen,
        machine_kills=_grown(head.get("machine_kills"))
        if this_boot
        else Failed("the machine was restarted since", "missing"),
        kernel_kills=kills_since(_monotonic(head))
        if this_boot
        else Failed("the machine was restarted since", "missing"),
        signals=unseen,
        reading=reading_of(samples),
        training=training_of(told, steps),
        growth=growth_of(samples, steps, limit_of(samples)),
        fill=Failed("what it wrote was not kept", "missing"),
        stall=unseen,
        said=Failed("what it wrote was not kept", "missing"),
    )


def _ended_well(death: Death, told: dict[str, Any]) -> Death:
    """Nobody made facts of a good end when it came; of how it went the samples tell the same."""
    assert isinstance(death.end, Known)  # made above
    peak: Fact[int] = Known(int(told["peak_rss"]), "wait4(2)")
    end = replace(death.end.value, how="exit", status=0, after_s=float(told["after_s"]), peak_rss=peak)
    calm = Absent("nothing ended badly, so nobody asked")
    return replace(
        death, end=Known(end, "wait(2)"), lost=calm, counters=calm, machine_kills=calm, kernel_kills=calm,
        signals=calm, fill=calm, stall=calm, said=calm,
    )  # fmt: skip


def _end(head: dict[str, Any], samples: tuple[Sample, ...]) -> CommandEnd:
    after = float(samples[-1]["t"]) if samples else 0.0
    name = str(head["command"][0]).rpartition("/")[2][:15]  # as the kernel cuts it
    return CommandEnd("unknown", 0, False, int(head.get("pid", 0)), name, after, Failed(_UNSEEN, "missing"))


def _monotonic(head: dict[str, Any]) -> float:
    """When it began, by this boot's clock."""
    return float(head.get("monotonic", time.monotonic()))


def _counter(line: dict[str, Any]) -> KillCounter:
    folder = str(line["cgroup"])
    group = Group(System(), Cgroup(int(line["version"]), folder, str(line["top"])))
    gone = not os.path.isdir(folder)
    before = line.get("kills")
    group.before = Known(int(before), folder) if before is not None else Failed(_UNSEEN, "missing")
    with contextlib.suppress(OSError):
        group.look()
    if gone:
        group.after = Failed(f"{folder} is gone", "missing")
    return counter(group, holds_command=True)


def _grown(before: object) -> Fact[int]:
    after = kills()
    if not isinstance(before, int) or after is None:
        return Failed("/proc/vmstat has no oom_kill (Linux 4.13 does)", "missing")
    return Known(after - before, "/proc/vmstat oom_kill, asked afterwards")
