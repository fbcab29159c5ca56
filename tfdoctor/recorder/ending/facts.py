"""The facts about the command's end, from everything that saw it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tfdoctor.facts.death import CommandEnd, KillCounter, LostProcess, SentSignal
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.programs import Death
from tfdoctor.probes.text_files import plain
from tfdoctor.recorder.ending.counters import counter
from tfdoctor.recorder.ending.filling import filling_of
from tfdoctor.recorder.ending.interpreter import python_of
from tfdoctor.recorder.ending.kernel import kills_since
from tfdoctor.recorder.ending.reading import limit_of, reading_of
from tfdoctor.recorder.ending.steps import steps_of, told_in, training_of
from tfdoctor.recorder.ending.words import last_lines, lines_of
from tfdoctor.recorder.keep.places import STEPS
from tfdoctor.recorder.recording import Ended, Recording, exit_of
from tfdoctor.recorder.watch import surroundings
from tfdoctor.recorder.watch.growth import growth_of
from tfdoctor.recorder.watch.tree import Lost

if TYPE_CHECKING:
    from tfdoctor.recorder.start.beside import Buried
    from tfdoctor.recorder.start.tape import Text
    from tfdoctor.recorder.watch.watcher import Watcher

_WAIT = "wait(2)"
_LONGEST_NAME = 200
_NONE_LOST = Absent("no process below it was seen to end badly")


def ended(run: Recording, watcher: Watcher, buried: Buried, after: float, text: Text | str) -> Ended:
    """The facts, and how to leave."""
    status, dies_of = exit_of(buried)
    lines = lines_of(text)
    kills = surroundings.kills()
    told = told_in(run.orders.environ.get(STEPS, ""))
    steps = steps_of(told, run.at)
    badly = buried.status != 0 or bool(watcher.tree.lost) or watcher.tree.untold > 0
    death = Death(
        end=Known(_end(watcher, buried, after), _WAIT),
        lost=_lost(watcher),
        counters=_counters(watcher),
        machine_kills=_grown(watcher.kills_before, kills),
        kernel_kills=kills_since(run.at) if badly else Absent("nothing ended badly, so nobody asked"),
        signals=_signals(run),
        reading=reading_of(watcher.timeline.samples),
        training=training_of(told, steps),
        growth=growth_of(watcher.timeline.samples, steps, limit_of(watcher.timeline.samples)),
        fill=filling_of(lines, watcher.timeline.samples, run.started_at),
        stall=watcher.still.at_the_end(after, by_us=bool(run.killed_at)),
        said=last_lines(lines, telling=badly),
    )
    retained = lines.value if isinstance(lines, Known) else ()
    return Ended(
        death,
        watcher.timeline.samples,
        status,
        dies_of,
        tuple(watcher.errors),
        retained,
        python_of(run.orders, watcher.tree.names),
    )


def not_started(run: Recording, status: int) -> Ended:
    name = plain(os.fsencode(run.orders.argv[0]).decode("utf-8", "replace"))[:_LONGEST_NAME]
    end = CommandEnd("not-started", run.command.error, False, 0, name, 0.0, Absent("it never ran"))
    nothing = Absent("the command never ran")
    death = Death(
        end=Known(end, "execve(2)"), lost=nothing, counters=nothing, machine_kills=nothing, kernel_kills=nothing,
        signals=nothing, reading=nothing, training=nothing, growth=nothing, fill=nothing, stall=nothing, said=nothing,
    )  # fmt: skip
    return Ended(death, [], status, 0, (), (), None)


def _end(watcher: Watcher, buried: Buried, after: float) -> CommandEnd:
    peak: Fact[int] = (
        Known(buried.peak_rss, "wait4(2)") if buried.peak_rss else Failed("wait4(2) told none", "missing")
    )
    pid = watcher.tree.root
    name = plain(watcher.tree.members[pid].stat.name) if pid in watcher.tree.members else ""
    after = round(after, 3)
    if os.WIFSIGNALED(buried.status):
        core = os.WCOREDUMP(buried.status)
        return CommandEnd("signal", os.WTERMSIG(buried.status), core, pid, name, after, peak)
    return CommandEnd("exit", os.WEXITSTATUS(buried.status), False, pid, name, after, peak)


def _lost(watcher: Watcher) -> Fact[tuple[LostProcess, ...]]:
    """By a signal, or with a status above 128, which a shell passes on for one."""
    told = tuple(_lost_process(each, watcher) for each in watcher.tree.lost)
    if told:
        return Known(told, "pidfd")
    if watcher.tree.untold:
        return Failed(
            f"how {watcher.tree.untold} of its processes ended is not told by this kernel (Linux 6.15 does)",
            "missing",
        )
    return _NONE_LOST


def _lost_process(lost: Lost, watcher: Watcher) -> LostProcess:
    status = lost.status
    group = watcher.groups.of(lost.member.groups) if lost.member.groups else None
    return LostProcess(
        pid=lost.member.pid,
        name=plain(lost.member.stat.name),
        signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        status=0 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status),
        known_by="pidfd" if lost.member.handle >= 0 else "zombie",
        after_s=round(lost.at, 3),
        peak_rss=lost.member.peak,
        cgroup=group.folder if group is not None else "",
    )


def _counters(watcher: Watcher) -> Fact[tuple[KillCounter, ...]]:
    if not watcher.groups.by_folder:
        return Failed("no memory cgroup of its processes can be seen from here", "missing")
    root = watcher.tree.members.get(watcher.tree.root)
    home = watcher.groups.of(root.groups) if root is not None and root.groups else None
    found = tuple(counter(group, holds_command=group is home) for group in watcher.groups.by_folder.values())
    return Known(found, "its cgroups")


def _grown(before: int | None, after: int | None) -> Fact[int]:
    if before is None or after is None:
        return Failed("/proc/vmstat has no oom_kill (Linux 4.13 does)", "missing")
    return Known(after - before, "/proc/vmstat oom_kill")


def _signals(run: Recording) -> Fact[tuple[SentSignal, ...]]:
    found = tuple(
        SentSignal(
            sent.arrival.number, plain(sent.sender), sent.arrival.from_kernel, round(sent.at - run.at, 3)
        )
        for sent in run.command.sent
    )
    return Known(found, "signals that came") if found else Absent("no signal came for it")
