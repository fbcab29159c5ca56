"""The last run as its black box tells it, also where the recorder was killed along with the command.

Without an end the counters are asked now: they may be gone, with their cgroup or with the boot that counted.
"""

from __future__ import annotations

import contextlib
import os

from tfdoctor.ask.recorder.cgroups import Group, SeenGroup
from tfdoctor.ask.recorder.growth import growth_of, limit_of, reading_of
from tfdoctor.ask.recorder.journal import RunHead, boot_id, newest, read, steps_beside
from tfdoctor.ask.recorder.postmortem import counter, kills_of_machine, kills_since
from tfdoctor.ask.recorder.run import CleanExit
from tfdoctor.ask.recorder.timeline import Sample
from tfdoctor.ask.recorder.training import Line, steps_of, told_in, training_of
from tfdoctor.base.records import record, replace
from tfdoctor.base.sysroot import System
from tfdoctor.facts.codec import DocumentError, from_json
from tfdoctor.facts.death import CommandEnd, Death, KillCounter
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known

_UNSEEN = "the recorder ended before it could see this"


@record
class LastRun:
    """A run from its file. `complete`: its recorder saw the end. `status` is 0 where nobody saw one."""

    command: tuple[str, ...]
    interval_s: float
    samples: tuple[Sample, ...]
    death: Death
    complete: bool
    status: int


@record
class _RunEnd:
    status: int
    facts: Facts | None = None
    ended_well: CleanExit | None = None


def last_run(place: str) -> LastRun | None:
    """The newest run whose recorder is no longer at work; None where there is none. Raises OSError."""
    for path in newest(place):
        lines = read(path)
        with contextlib.suppress(
            DocumentError, IndexError
        ):  # no run was begun in it, or it is damaged
            head = from_json(lines[0], RunHead)
            if not _is_at_work(head, lines):
                return _of(path, head, lines)
    return None


def _is_at_work(head: RunHead, lines: list[Line]) -> bool:
    if any("status" in line for line in lines) or head.boot != boot_id():
        return False
    try:
        with open(f"/proc/{head.recorder}/cmdline", "rb") as file:
            return b"run" in file.read().split(b"\0")
    except OSError:
        return False


def _of(path: str, head: RunHead, lines: list[Line]) -> LastRun:
    samples = tuple(from_json(line["sample"], Sample) for line in lines if "sample" in line)
    groups = [from_json(line, SeenGroup) for line in lines if "cgroup" in line]
    ending = next((from_json(line, _RunEnd) for line in reversed(lines) if "status" in line), None)
    told = told_in(steps_beside(path))
    if ending is not None and ending.facts is not None:
        death = ending.facts.death
    else:
        death = _without_end(head, groups, samples, told)
        if ending is not None and ending.ended_well is not None:
            death = _ended_well(death, ending.ended_well)
    return LastRun(
        command=head.command,
        interval_s=head.interval,
        samples=samples,
        death=death,
        complete=ending is not None,
        status=ending.status if ending else 0,
    )


def _without_end(
    head: RunHead, groups: list[SeenGroup], samples: tuple[Sample, ...], told: list[Line]
) -> Death:
    steps = steps_of(told, head.monotonic)
    this_boot = head.boot == boot_id()
    unseen = Failed(_UNSEEN, "missing")
    restarted = Failed("the machine was restarted since", "missing")
    unkept = Failed("what it wrote was not kept", "missing")
    return Death(
        end=Known(_end(head, samples), "the black box"),
        lost=unseen,
        counters=Known(tuple(map(_counter, groups)), "its cgroups, asked afterwards")
        if groups
        else unseen,
        machine_kills=kills_of_machine(head.machine_kills, ", asked afterwards")
        if this_boot
        else restarted,
        kernel_kills=kills_since(head.monotonic) if this_boot else restarted,
        signals=unseen,
        reading=reading_of(samples),
        training=training_of(told, steps),
        growth=growth_of(samples, steps, limit_of(samples)),
        grown_line=unseen,
        fill=unkept,
        warned=unkept,
        cpu_only=unseen,
        stall=unseen,
        said=unkept,
    )


def _ended_well(death: Death, told: CleanExit) -> Death:
    """Nobody made facts of a good end when it came; of how it went the samples tell the same."""
    assert isinstance(death.end, Known)  # made above
    peak: Fact[int] = Known(told.peak_rss, "wait4(2)")
    end = replace(death.end.value, how="exit", status=0, after_s=told.after_s, peak_rss=peak)
    calm = Absent("nothing ended badly, so nobody asked")
    return replace(
        death, end=Known(end, "wait(2)"), lost=calm, counters=calm, machine_kills=calm, kernel_kills=calm,
        signals=calm, grown_line=calm, fill=calm, warned=calm, cpu_only=calm, stall=calm, said=calm,
    )  # fmt: skip


def _end(head: RunHead, samples: tuple[Sample, ...]) -> CommandEnd:
    after = float(samples[-1]["t"]) if samples else 0.0
    name = head.command[0].rpartition("/")[2][:15]  # as the kernel cuts it
    return CommandEnd("unknown", 0, False, head.pid, name, after, Failed(_UNSEEN, "missing"))


def _counter(seen: SeenGroup) -> KillCounter:
    group = Group(System(), seen)
    gone = not os.path.isdir(seen.folder)
    group.before = (
        Failed(_UNSEEN, "missing") if seen.kills is None else Known(seen.kills, seen.folder)
    )
    with contextlib.suppress(OSError):
        group.look()
    if gone:
        group.after = Failed(f"{seen.folder} is gone", "missing")
    return counter(group, holds_command=True)
