"""How commands ended, by a real watcher of real processes; and what is read of groups, of the kernel's log and of a command's words."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.ask.probes.laid_out import lay_out
from tests.waiting import until
from tfdoctor.ask.recorder.beside import WaitResult
from tfdoctor.ask.recorder.cgroups import Groups
from tfdoctor.ask.recorder.host_memory import Disks
from tfdoctor.ask.recorder.launch import Sent
from tfdoctor.ask.recorder.postmortem import (
    counter,
    ended,
    kills_of_machine,
    kills_since,
    last_lines,
    lines_of,
    not_started,
    python_of,
)
from tfdoctor.ask.recorder.proc import Stat
from tfdoctor.ask.recorder.run import RunContext, RunResult
from tfdoctor.ask.recorder.signals import Arrival
from tfdoctor.ask.recorder.stall import StillWatch
from tfdoctor.ask.recorder.streams import Text
from tfdoctor.ask.recorder.tree import Lost, Member
from tfdoctor.ask.recorder.watcher import Watcher
from tfdoctor.facts.death import (
    CommandEnd,
    KernelKill,
    KillCounter,
    LostProcess,
    MemoryWarning,
    SentSignal,
)
from tfdoctor.facts.outcome import Absent, Failed, Known

SAID = Text(b"Epoch 1/3\nKilled\n", 0, b"")


class Command:
    """A shell with a watcher beside it. What it reads has no end until `end`."""

    def __init__(self, script: str) -> None:
        self.at = time.monotonic()
        self.process = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE)
        self.watcher = Watcher(
            self.process.pid, "one", interval=1.0, started=self.at, disks=Disks({}),
            still=StillWatch(60.0, lambda: 0.0), gpus=None,
        )  # fmt: skip
        self.watcher.look()

    def end(self, text: Text | str = SAID, peak: int = 4096, **context: object) -> RunResult:
        assert self.process.stdin is not None
        self.process.stdin.close()
        os.waitid(os.P_PID, self.process.pid, os.WEXITED | os.WNOWAIT)
        self.watcher.finish()
        _, status = os.waitpid(self.process.pid, 0)
        self.process.returncode = status
        run = RunContext(("sh",), {"PATH": os.defpath}, self.at, time.time(), **context)  # type: ignore[arg-type]  # by their names
        return ended(run, self.watcher, WaitResult(status, peak), 1.23456, text)


@pytest.mark.parametrize(
    ("script", "how", "number", "status", "dies_of"),
    [
        ("read word; exit 0", "exit", 0, 0, 0),
        ("read word; exit 3", "exit", 3, 3, 0),
        ("read word; kill -KILL $$", "signal", 9, 137, 0),
        ("read word; kill -TERM $$", "signal", 15, 143, 15),
        ("read word; kill -INT $$", "signal", 2, 130, 2),
    ],
)
def test_how_a_command_ended(script: str, how: str, number: int, status: int, dies_of: int) -> None:
    command = Command(script)
    result = command.end()
    end = result.death.end
    assert end == Known(
        CommandEnd(how, number, False, command.process.pid, "sh", 1.235, Known(4096, "wait4(2)")),
        "wait(2)",
    )
    assert (result.status, result.dies_of, result.lines) == (
        status,
        dies_of,
        ("Epoch 1/3", "Killed"),
    )
    assert result.death.said == Known(("Epoch 1/3", "Killed"), "stderr")
    assert result.samples and result.notes == ()
    nobody_asked = result.death.kernel_kills == Absent("nothing ended badly, so nobody asked")
    assert nobody_asked == (status == 0)
    assert result.death.lost == Absent("no process below it was seen to end badly")


def test_what_nobody_saw_is_not_known() -> None:
    death = (
        Command("read word; exit 0").end("stderr goes to a device that keeps nothing", peak=0).death
    )
    assert isinstance(death.end, Known)
    assert death.end.value.peak_rss == Failed("wait4(2) told none", "missing")
    assert death.said == Failed("stderr goes to a device that keeps nothing", "missing")
    assert death.cpu_only == Failed("whether TensorFlow used a GPU was not asked", "not-asked")
    assert death.grown_line == Failed("which line was at work was not asked", "not-asked")
    assert death.warned == Absent("nothing had to be said")
    assert death.signals == Absent("no signal came for it")


def test_a_command_that_was_ended_for_want_of_a_gpu_has_status_1() -> None:
    warned = MemoryWarning(1.0, "host-memory", 5.0, "tfdoctor: memory will be full")
    result = Command("read word; kill -TERM $$").end(without_gpu=True, warned=(warned,))
    assert (result.status, result.dies_of) == (1, 0)
    assert result.death.warned == Known((warned,), "its recorder")


def test_the_signals_that_came_for_it() -> None:
    command = Command("read word; exit 0")
    sent = (
        Sent(Arrival(15, 7, False), "slurm\x1b[2J", command.at + 2.00049),
        Sent(Arrival(2, 0, True), "", command.at + 3),
    )
    came = command.end(sent=sent).death.signals
    assert came == Known(
        (SentSignal(15, "slurm [2J", False, 2.0), SentSignal(2, "", True, 3.0)),
        "signals that came",
    )


def member(pid: int, name: str, handle: int = -1) -> Member:
    made = Member(pid, Stat("Z", 1, 0, 0.0, 1, 0, 0, name), handle)
    made.peak = 1 << 20
    return made


def test_processes_below_it_that_were_lost() -> None:
    command = Command("read word; exit 0")
    command.watcher.tree.lost += [
        Lost(member(7, "python3", handle=3), signal.SIGSEGV, 1.5),
        Lost(member(8, "pt_data\x1b"), 137 << 8, 2.5),
    ]
    death = command.end().death
    assert death.lost == Known(
        (
            LostProcess(7, "python3", 11, 0, "pidfd", 1.5, 1 << 20, ""),
            LostProcess(8, "pt_data", 0, 137, "zombie", 2.5, 1 << 20, ""),
        ),
        "pidfd",
    )
    assert not isinstance(death.kernel_kills, Absent) or "was read" in death.kernel_kills.reason


def test_an_end_below_it_that_the_kernel_does_not_tell() -> None:
    command = Command("read word; exit 0")
    command.watcher.tree.untold = 2
    assert command.end().death.lost == Failed(
        "how 2 of its processes ended is not told by this kernel (Linux 6.15 does)", "missing"
    )


def test_a_real_process_below_it_that_crashes() -> None:
    command = Command("sh -c 'read word; kill -SEGV $$' 2>&-; exit 0")
    until(lambda: len(command.watcher.tree.look(0.0)) == 2)
    result = command.end()
    assert result.status == 0
    if isinstance(result.death.lost, Known):
        (lost,) = result.death.lost.value
        assert (lost.name, lost.signal, lost.status, lost.known_by) == ("sh", 11, 0, "pidfd")
    else:
        assert "how 1 of its processes ended is not told" in str(result.death.lost)


def test_a_command_that_could_not_be_started() -> None:
    result = not_started("/no/such\x1b/python" + "x" * 300, 2, 127)
    assert isinstance(result.death.end, Known)
    end = result.death.end.value
    assert (end.how, end.status, end.name) == ("not-started", 2, "/no/such /python" + "x" * 184)
    assert (result.status, result.dies_of, result.python) == (127, 0, None)
    assert result.death.said == result.death.lost == Absent("the command never ran")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (Text(b"", 0, b""), Absent("it wrote nothing to stderr")),
        (Text(b"\n \n", 0, b""), Absent("it wrote nothing to stderr")),
        (Text(b"a\r\nb\r\n", 0, b""), Known(("a", "b"), "stderr")),
        (Text(b"head\n", 7, b"tail\n\xff"), Known(("head", "[… 7 bytes were not kept …]", "tail", "\ufffd"), "stderr")),
    ],
)  # fmt: skip
def test_the_last_words(text: Text, said: Known[tuple[str, ...]] | Absent) -> None:
    assert last_lines(lines_of(text)) == said


V2 = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
V1 = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
JOB = "/sys/fs/cgroup/job"
JOB_1 = "/sys/fs/cgroup/memory/job"


def group_of(root: Path, text: str, files: dict[str, str], later: dict[str, str]) -> KillCounter:
    system = lay_out(root, files)
    group = Groups(system).of(text)
    assert group is not None
    lay_out(root, later)
    group.look()
    return counter(group, holds_command=True)


def test_the_kills_of_a_group(tmp_path: Path) -> None:
    files = {
        "/proc/self/mountinfo": V2, f"{JOB}/memory.max": "1000\n", f"{JOB}/memory.current": "900\n",
        f"{JOB}/memory.stat": "inactive_file 100\n", f"{JOB}/memory.events": "oom_kill 1\n",
        f"{JOB}/memory.peak": "999\n", f"{JOB}/memory.oom.group": "1\n",
    }  # fmt: skip
    told = group_of(tmp_path, "0::/job\n", files, {f"{JOB}/memory.events": "oom_kill 3\n"})
    assert (told.folder, told.holds_command) == (JOB, True)
    assert (told.before, told.after) == (
        Known(1, f"{JOB}/memory.events"),
        Known(3, f"{JOB}/memory.events"),
    )
    assert [each.value for each in (told.limit, told.peak) if isinstance(each, Known)] == [
        1000,
        800,
    ]
    assert told.high_water == Known(999, f"{JOB}/memory.peak")
    assert told.kills_whole_group == Known(True, f"{JOB}/memory.oom.group")


def test_the_kills_of_a_group_of_version_1(tmp_path: Path) -> None:
    files = {
        "/proc/self/mountinfo": V1, f"{JOB_1}/memory.limit_in_bytes": "4096\n", f"{JOB_1}/memory.usage_in_bytes": "many\n",
        f"{JOB_1}/memory.stat": "total_inactive_file 0\n", f"{JOB_1}/memory.oom_control": "under_oom 0\noom_kill 2\n",
        f"{JOB_1}/memory.max_usage_in_bytes": "a lot\n",
    }  # fmt: skip
    told = group_of(tmp_path, "4:memory:/job\n", files, {})
    assert told.kills_whole_group == Absent("cgroup version 1 kills single processes")
    assert told.peak == Failed("no sample could read its use", "missing")
    assert isinstance(told.high_water, Failed) and told.high_water.kind == "unreadable"
    assert isinstance(told.before, Known) and told.before.value == 2


def test_kills_of_the_whole_machine() -> None:
    missing = Failed("/proc/vmstat has no oom_kill (Linux 4.13 does)", "missing")
    assert kills_of_machine(None) == missing
    told = kills_of_machine(0, ", asked afterwards")
    assert told == missing or (
        isinstance(told, Known) and told.source == "/proc/vmstat oom_kill, asked afterwards"
    )


SUMMARY = "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/job,task_memcg=/job,task=py,th=on,pid=4711,uid=0"
OF_GROUP = "Memory cgroup out of memory: Killed process 4711 (python3) total-vm:8kB, anon-rss:4kB"
OF_ALL = "Out of memory: Killed process 12 (python3) total-vm:8kB"
OLD = "Kill process 12, (python3) score 1000 or sacrifice child"


@pytest.mark.parametrize(
    ("text", "seconds", "told"),
    [
        (SUMMARY, 100.0, KernelKill(4711, "py,th=on", "memcg", SUMMARY)),
        (OF_GROUP, 100.0, KernelKill(4711, "python3", "memcg", OF_GROUP)),
        (OF_ALL, 100.0, KernelKill(12, "python3", "none", OF_ALL)),
        (f"{OF_ALL} oom", 99.5, KernelKill(12, "python3", "none", f"{OF_ALL} oom")),
        (OF_ALL, 98.5, None),
        ("oom-kill:constraint=CONSTRAINT_NONE,task=python,pid=x,uid=0", 100.0, None),
        ("NVRM: Xid (PCI:0000:3b:00): 79, pid=12", 100.0, None),
    ],
)
def test_a_kill_in_the_kernels_log(
    text: str, seconds: float, told: KernelKill | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    entry = f"3,812,{seconds * 1e6:.0f},-;{text}\n"
    (tmp_path / "kmsg").write_text(entry, encoding="ascii")
    monkeypatch.setattr("tfdoctor.base.kernel_log.KMSG", str(tmp_path / "kmsg"))
    nothing = Absent("/dev/kmsg was read and tells of none since the start")
    assert kills_since(100.0) == (Known((told,), "/dev/kmsg") if told else nothing)


PYTHON = os.path.basename(sys.executable)


@pytest.mark.parametrize(
    ("first_line", "named"),
    [
        ("#!{folder}/env/bin/python3 -u", "{folder}/env/bin/python3"),
        ("#!/usr/bin/env -S python3", "{folder}/env/bin/python3"),
        ("#!/usr/bin/env none-such", None),
        ("#!{folder}/gone/bin/python3", None),
        ("#!", None),
        ("#!/bin/sh", None),
        ("print(1)", None),
    ],
)
def test_the_python_of_a_script(
    first_line: str, named: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bin_folder = tmp_path / "env/bin"
    bin_folder.mkdir(parents=True)
    (bin_folder / "python3").symlink_to(sys.executable)
    script = bin_folder / "train"
    script.write_text(first_line.format(folder=tmp_path) + "\nimport tensorflow\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(bin_folder))
    expected = named and named.format(folder=tmp_path)
    for word in (str(script), "train"):
        run = RunContext((word,), {"PATH": str(bin_folder)}, 0.0, 0.0)
        assert python_of(run, ["sh"]) == expected
        assert python_of(run, ["python3.12"]) == (expected or "")


def test_the_python_that_was_named() -> None:
    run = RunContext((sys.executable, "train.py"), {}, 0.0, 0.0)
    assert python_of(run, []) == os.path.abspath(sys.executable)
    assert python_of(RunContext(("no-such-program",), {}, 0.0, 0.0), ["sh"]) is None
