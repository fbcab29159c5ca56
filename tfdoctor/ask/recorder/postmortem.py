"""The facts about the command's end, from everything that saw it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING

from tfdoctor.ask.probes.host.kernel_log import kernel_messages
from tfdoctor.ask.probes.runner import attempt
from tfdoctor.ask.probes.text_files import first_line, guarded, number
from tfdoctor.ask.recorder.cgroups import Group
from tfdoctor.ask.recorder.growth import growth_of, limit_of, reading_of
from tfdoctor.ask.recorder.host_memory import kills
from tfdoctor.ask.recorder.journal import STEPS
from tfdoctor.ask.recorder.run import RunContext, RunResult, exit_of
from tfdoctor.ask.recorder.streams import Text
from tfdoctor.ask.recorder.training import filling_of, gpus_told, steps_of, told_in, training_of
from tfdoctor.ask.recorder.tree import Lost
from tfdoctor.base.printable import plain
from tfdoctor.base.sysroot import System
from tfdoctor.facts.death import CommandEnd, Death, KernelKill, KillCounter, LostProcess, SentSignal
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, map_known, value_or

if TYPE_CHECKING:
    from tfdoctor.ask.recorder.beside import WaitResult
    from tfdoctor.ask.recorder.gpu_use import GpuUse
    from tfdoctor.ask.recorder.grown_lines import GrownLines
    from tfdoctor.ask.recorder.watcher import Watcher

_WAIT = "wait(2)"
_UNSEEN_GPU = Failed("whether TensorFlow used a GPU was not asked", "not-asked")
_NO_LINES = Failed("which line was at work was not asked", "not-asked")
_WITHOUT_GPU = 1  # the status where the command was ended for want of a GPU
_LONGEST_NAME = 200
_NONE_LOST = Absent("no process below it was seen to end badly")


def ended(
    run: RunContext,
    watcher: Watcher,
    waited: WaitResult,
    after: float,
    text: Text | str,
    gpu_use: GpuUse | None = None,
    grown_lines: GrownLines | None = None,
) -> RunResult:
    """The facts, and how to leave. `gpu_use`, `grown_lines`: None where nobody looked."""
    status, dies_of = exit_of(waited.status)
    lines = lines_of(text)
    told = told_in(run.environ.get(STEPS, ""))
    steps = steps_of(told, run.at)
    badly = waited.status != 0 or bool(watcher.tree.lost) or watcher.tree.untold > 0
    death = Death(
        end=Known(_end(watcher, waited, after), _WAIT),
        lost=_lost(watcher),
        counters=_counters(watcher),
        machine_kills=kills_of_machine(watcher.kills_before),
        kernel_kills=kills_since(run.at)
        if badly
        else Absent("nothing ended badly, so nobody asked"),
        signals=_signals(run),
        reading=reading_of(watcher.timeline.samples),
        training=training_of(told, steps),
        growth=growth_of(watcher.timeline.samples, steps, limit_of(watcher.timeline.samples)),
        grown_line=_NO_LINES if grown_lines is None else grown_lines.found(),
        fill=filling_of(
            lines,
            watcher.timeline.samples,
            run.started_at,
            run.environ.get("TF_CPP_MIN_LOG_LEVEL", ""),
        ),
        warned=Known(run.warned, "its recorder")
        if run.warned
        else Absent("nothing had to be said"),
        cpu_only=_UNSEEN_GPU
        if gpu_use is None
        else gpu_use.cpu_only(
            lines, watcher.timeline.samples, gpus_told(told), ended=run.without_gpu
        ),
        stall=watcher.still.at_the_end(after, by_us=run.stopped_by_us),
        said=last_lines(lines, telling=badly),
    )
    retained = value_or(lines, ())
    if run.without_gpu:
        status, dies_of = _WITHOUT_GPU, 0
    return RunResult(
        death,
        watcher.timeline.samples,
        status,
        dies_of,
        tuple(watcher.errors),
        retained,
        python_of(run, watcher.tree.names),
    )


def not_started(program: str, error: int, status: int) -> RunResult:
    """The facts of a command that could not be started, by the errno of the start, and how to leave."""
    name = plain(os.fsencode(program).decode("utf-8", "replace"))[:_LONGEST_NAME]
    end = CommandEnd("not-started", error, False, 0, name, 0.0, Absent("it never ran"))
    nothing = Absent("the command never ran")
    death = Death(
        end=Known(end, "execve(2)"), lost=nothing, counters=nothing, machine_kills=nothing, kernel_kills=nothing,
        signals=nothing, reading=nothing, training=nothing, growth=nothing, fill=nothing, grown_line=nothing, warned=nothing, cpu_only=nothing, stall=nothing, said=nothing,
    )  # fmt: skip
    return RunResult(death, [], status, 0, (), (), None)


def _end(watcher: Watcher, waited: WaitResult, after: float) -> CommandEnd:
    peak: Fact[int] = (
        Known(waited.peak_rss, "wait4(2)")
        if waited.peak_rss
        else Failed("wait4(2) told none", "missing")
    )
    pid = watcher.tree.root
    name = plain(watcher.tree.members[pid].stat.name) if pid in watcher.tree.members else ""
    after = round(after, 3)
    if os.WIFSIGNALED(waited.status):
        core = os.WCOREDUMP(waited.status)
        return CommandEnd("signal", os.WTERMSIG(waited.status), core, pid, name, after, peak)
    return CommandEnd("exit", os.WEXITSTATUS(waited.status), False, pid, name, after, peak)


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
    found = tuple(
        counter(group, holds_command=group is home) for group in watcher.groups.by_folder.values()
    )
    return Known(found, "its cgroups")


def kills_of_machine(before: int | None, when: str = "") -> Fact[int]:
    """By how many the machine's count of kills for lack of memory has grown; `when` it is asked, where not at the end."""
    after = kills()
    if before is None or after is None:
        return Failed("/proc/vmstat has no oom_kill (Linux 4.13 does)", "missing")
    return Known(after - before, f"/proc/vmstat oom_kill{when}")


def _signals(run: RunContext) -> Fact[tuple[SentSignal, ...]]:
    found = tuple(
        SentSignal(
            sent.arrival.number,
            plain(sent.sender),
            sent.arrival.from_kernel,
            round(sent.at - run.at, 3),
        )
        for sent in run.sent
    )
    return Known(found, "signals that came") if found else Absent("no signal came for it")


_COLOR = re.compile(r"\x1b\[[\d;]*m")
# As render/terminal.py signs its first line; it indents the others.
_INNER = re.compile(r"[✗x!✓+?] tfdoctor: ")
_MOST_LINES, _MOST_TELLING, _LONGEST_SAID = 40, 40, 500


def lines_of(text: Text | str) -> Fact[tuple[str, ...]]:
    """All that was kept, a line that was written over (progress bars) as it stood last. Failed with the reason."""
    if isinstance(text, str):
        return Failed(text, "missing")
    lines = tuple(
        line.rstrip("\r").rpartition("\r")[2]
        for line in text.whole.decode("utf-8", "replace").split("\n")
    )
    retained = tuple(_without_an_inner_recorders(lines))
    while retained and not retained[-1].strip():
        retained = retained[:-1]
    return Known(retained, "stderr") if retained else Absent("it wrote nothing to stderr")


def _without_an_inner_recorders(lines: tuple[str, ...]) -> Iterator[str]:
    """Without what a recorder inside this one said of the same end: it quotes the program and explains."""
    inside = False
    for line in lines:
        text = _COLOR.sub("", line)
        inside = _INNER.match(text) is not None or (inside and text[:1] in ("", " "))
        if not inside:
            yield line


def last_lines(lines: Fact[tuple[str, ...]], *, telling: bool = False) -> Fact[tuple[str, ...]]:
    """Those that a report keeps: the last ones, and with `telling` those before them that the catalogue knows."""
    if not isinstance(lines, Known):
        return lines
    written = tuple(line for line in lines.value if line.strip())
    before, last = written[:-_MOST_LINES], written[-_MOST_LINES:]
    told = _telling(before) if telling and before else ()
    return Known(tuple(line[:_LONGEST_SAID] for line in (*told, *last)), lines.source)


def _telling(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Of each text that gives something away the first and the last line; a cause may stand far above its traceback."""
    from tfdoctor.ask.logs.search import Literals
    from tfdoctor.knowledge.messages.catalogue import everything, named
    from tfdoctor.knowledge.messages.signature import CAUSE, HINT, Signature

    wanted = [each for each in everything() if each.role in (CAUSE, HINT)]
    wanted += [named(each) for each in ("traceback", "retracing", "shuffle-filled")]
    encoded = [line.encode("utf-8", "replace") for line in lines]
    ends = list(accumulate(len(line) + 1 for line in encoded))
    by_anchor: dict[str, list[Signature]] = {}
    for each in wanted:
        for anchor in each.anchors:
            by_anchor.setdefault(anchor, []).append(each)
    literals = Literals(by_anchor, engine="each")
    seen: dict[str, tuple[int, int]] = {}
    for at, text in literals.places(b"\n".join(encoded)):
        place = bisect_right(ends, at)
        for signature in by_anchor[literals.texts[text]]:
            if signature.hit(lines[place]):
                seen[signature.name] = (seen.get(signature.name, (place,))[0], place)
    places = sorted({place for both in seen.values() for place in both})
    return tuple(lines[place] for place in places[:_MOST_TELLING])


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


_SLACK_S = 1.0  # between the kernel's clock for messages and ours
# mm/oom_kill.c, dump_oom_summary: "oom-kill:constraint=CONSTRAINT_MEMCG,…,task_memcg=/x,task=python,pid=12,uid=0"
_SUMMARY = "oom-kill:constraint=CONSTRAINT_"
# mm/oom_kill.c, __oom_kill_process: "Memory cgroup out of memory: Killed process 12 (python) total-vm:…"
_KILLED = re.compile(r"Kill(?:ed)? process (\d{1,9}),? \(([^)]{1,64})\)")
_OF_CGROUP = "Memory cgroup out of memory"
_LONGEST = 300


def kills_since(started: float) -> Fact[tuple[KernelKill, ...]]:
    """`started` in time.monotonic() seconds, which is the log's own clock. Failed where the log is closed to us."""
    messages = guarded(lambda: kernel_messages(System()), "the kernel log")
    if not isinstance(messages, Known):
        return messages
    found: dict[int, KernelKill] = {}
    for message in messages.value:
        if isinstance(message.seconds, Known) and message.seconds.value >= started - _SLACK_S:
            kill = _kill(message.text)
            if kill is not None:
                found.setdefault(kill.pid, kill)
    if not found:
        return Absent(f"{messages.source} was read and tells of none since the start")
    return Known(tuple(found.values()), messages.source)


def _kill(text: str) -> KernelKill | None:
    shown = plain(text)[:_LONGEST]
    if _SUMMARY in text:
        return _summary(text.partition(_SUMMARY)[2], shown)
    if told := _KILLED.search(text):
        constraint = "memcg" if _OF_CGROUP in text else "none"
        return KernelKill(int(told[1]), plain(told[2]), constraint, shown)
    return None


def _summary(fields: str, shown: str) -> KernelKill | None:
    """The name of a task may hold commas; what stands behind it may not."""
    constraint = fields.partition(",")[0]
    name, _, rest = fields.partition(",task=")[2].rpartition(",pid=")
    pid = rest.partition(",")[0]
    return KernelKill(int(pid), plain(name), constraint.lower(), shown) if pid.isdecimal() else None


_PYTHON = re.compile(r"(?:python|pypy)[\d.]*t?")
_FIRST_LINE = 512


def python_of(run: RunContext, names: Iterable[str]) -> str | None:
    """A path, links kept (a virtual environment's is one); "" where a Python ran that the words don't name; None: none ran.

    `names` are those of the processes that were seen.
    """
    found = _on_path(run.argv[0], run.environ.get("PATH"))
    for candidate in (found, _interpreter_line(found)):
        if _PYTHON.fullmatch(os.path.basename(candidate)) and os.path.exists(candidate):
            return os.path.abspath(candidate)
    return "" if any(_PYTHON.match(name) for name in names) else None


def _on_path(word: str, path: str | None) -> str:
    return word if "/" in word else shutil.which(word, path=path) or ""


def _interpreter_line(file: str) -> str:
    """What a script's first line names: "#!/home/me/env/bin/python"; "" where it is no script."""
    with contextlib.suppress(OSError):
        with open(file, "rb") as script:
            line = script.read(_FIRST_LINE).split(b"\n")[0]
        if line.startswith(b"#!"):
            words = line[2:].decode("utf-8", "replace").split()
            if words and os.path.basename(words[0]) == "env":
                return shutil.which(words[-1]) or ""
            return words[0] if words else ""
    return ""
