"""What the kernel's log says of processes that it killed since the command began."""

from __future__ import annotations

import re

from tfdoctor.facts.death import KernelKill
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.probes.host.kernel_log import kernel_messages
from tfdoctor.probes.text_files import guarded, plain
from tfdoctor.system.sysroot import System

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
