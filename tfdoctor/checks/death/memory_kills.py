"""Whether the kernel killed for lack of memory, and for whose: the container's or the machine's.

What counts: the kill counter of the victim's own cgroup, the kernel's log naming its pid, and use at the limit.
/proc/vmstat counts foreign kills too and proves nothing alone; `memory.failcnt` stays 0 in a real kill (tried on
Linux 6.18, cgroup v1, 2026-11).
"""

from __future__ import annotations

import signal
from collections.abc import Callable

from tfdoctor.checks.death.whose import Victim, death_as_evidence, end_of, victim, who, workers
from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, check
from tfdoctor.facts.death import KernelKill, KillCounter
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix
from tfdoctor.light.records import record

_AT_LIMIT = 0.95
_NEARLY_NONE_BYTES = 512 << 20  # what MemAvailable has fallen to in a sample before the kernel kills
_PASSES_ON = ("python-exception", "exited-nonzero", "killed-by-user", "native-crash", "stalled")


@record
class Kill:
    """One kill for lack of memory: of whom, how sure, and by what it is known."""

    dead: Victim
    confidence: Confidence
    evidence: tuple[Evidence, ...]


@check("container-oom-killed", prevents=Ability.NOTHING, explains=_PASSES_ON)
def container_oom(case: Case) -> Found | None:
    """The kernel killed a process of the command's because its cgroup was at its memory limit."""
    kill = _first(case, _by_container)
    if kill is None:
        return None
    limit = _limit(case, kill.dead)
    told = f" of {size(limit.value)}" if isinstance(limit, Known) else ""
    return Found(
        f"{who(kill.dead)} needed more memory than the limit{told} of its container or job allows, and Linux ended it at once.{_largest(case)}",
        (*death_as_evidence(case, kill.dead), *kill.evidence),
        _raise_the_limit(limit),
        kill.confidence,
    )


@check("host-oom-killed", prevents=Ability.NOTHING, explains=_PASSES_ON)
def host_oom(case: Case) -> Found | None:
    """The kernel killed a process of the command's because the machine ran out of memory."""
    kill = _first(case, _by_host)
    if kill is None:
        return None
    return Found(
        f"{who(kill.dead)} was ended by Linux because the whole machine had no memory left. It may have needed less than another program that was spared.",
        (*death_as_evidence(case, kill.dead), *kill.evidence),
        (
            fix("see-what-else-uses-machines-memory"),
            fix("use-less-memory-2"),
        ),
        kill.confidence,
    )


def killed_for_memory(case: Case) -> bool:
    return _first(case, _by_container) is not None or _first(case, _by_host) is not None


def _largest(case: Case) -> str:
    reading = case.facts.death.reading
    if not isinstance(reading, Known) or not isinstance(reading.value.most_anon, Known):
        return ""
    return (
        f" The largest use that was seen was {size(reading.value.most_anon.value)}, files in memory left out."
    )


def _first(case: Case, ask: Callable[[Case, Victim], Kill | None]) -> Kill | None:
    """Of the command's own death, else of a worker's that it survived or only reported."""
    dead = victim(case)
    candidates = [dead] if dead is not None else workers(case)
    unknown: CantTell | None = None
    for candidate in candidates:
        if candidate.signal != signal.SIGKILL:
            continue
        try:
            kill = ask(case, candidate)
        except CantTell as reason:
            unknown = reason
            continue
        if kill is not None:
            return kill
    if unknown is not None:
        raise unknown
    return None


def _by_container(case: Case, dead: Victim) -> Kill | None:
    kernel, counters = case.facts.death.kernel_kills, case.facts.death.counters
    named = _named(kernel, dead)
    if named is not None:
        if named.constraint != "memcg":
            return None
        return Kill(dead, Confidence.CERTAIN, (_of_kernel(named), *_of_counters(counters, dead)))
    grown = [each for each in _where(counters, dead) if _growth(each) > 0]
    if _of_the_machine(case, grown):
        return None
    if grown and not _all_foreign(case, kernel, dead):
        full = any(_was_full(case, each) for each in grown)
        sure = dead.confidence if full else Confidence.LIKELY
        return Kill(dead, sure, _of_counters(counters, dead))
    if grown or (
        isinstance(counters, Known) and all(_is_known(each) or _cant_kill(each) for each in counters.value)
    ):
        return None
    if value_or(case.facts.death.machine_kills, 1) == 0:
        return None  # nobody at all was killed for lack of memory meanwhile: /proc/vmstat counts everybody's
    return _by_use(case, dead)


def _by_use(case: Case, dead: Victim) -> Kill | None:
    """Where nobody counts kills: use at the limit in the last samples makes it likely; without samples nothing is."""
    reading = case.facts.death.reading
    if isinstance(reading, Known):
        most, limit = reading.value.most_cgroup, reading.value.cgroup_limit
        if isinstance(most, Known) and isinstance(limit, Known):
            if most.value < _AT_LIMIT * limit.value:
                return None
            use = Evidence("death.reading", f"{size(most.value)} used of {size(limit.value)}", "", "samples")
            return Kill(dead, Confidence.LIKELY, (use,))
    if isinstance(case.facts.death.counters, Failed):
        case.cant_tell(case.facts.death.counters)
    raise CantTell("death.counters: the kills of its memory cgroup could not be counted")


def _by_host(case: Case, dead: Victim) -> Kill | None:
    kernel = case.facts.death.kernel_kills
    named = _named(kernel, dead)
    if named is not None:
        return None if named.constraint == "memcg" else Kill(dead, Confidence.CERTAIN, (_of_kernel(named),))
    if isinstance(kernel, (Known, Absent)) and not _may_be_named(kernel, dead):
        return None  # the log is open to us and does not name it
    machine = case.need_outcome(case.facts.death.machine_kills)
    if isinstance(machine, Absent) or machine.value <= 0:
        return None
    grown = [each for each in _where(case.facts.death.counters, dead) if _growth(each) > 0]
    if grown and not _of_the_machine(case, grown):
        return None
    case.need(case.facts.death.reading)
    least = _left(case)
    if not isinstance(least, Known) or least.value > _NEARLY_NONE_BYTES:
        return None
    return Kill(
        dead,
        Confidence.LIKELY,
        (
            Evidence("death.machine_kills", f"the kernel killed {machine.value} for lack of memory meanwhile", "0", "/proc/vmstat"),
            Evidence("death.reading", f"{size(least.value)} of the machine's memory were left at most", "", least.source),
        ),
    )  # fmt: skip


def _of_the_machine(case: Case, grown: list[KillCounter]) -> bool:
    """A cgroup counts a kill of the whole machine, too (memcontrol.c): where none of those that grew has a limit, while the
    machine itself had next to nothing left, it was the machine's.
    """
    least = _left(case)
    empty = isinstance(least, Known) and least.value <= _NEARLY_NONE_BYTES
    return empty and bool(grown) and all(isinstance(each.limit, Absent) for each in grown)


def _left(case: Case) -> Fact[int]:
    """The least that the machine had left, in bytes. A full machine lets nobody look (23 s without a look, tried with 24 GB):
    what the command came to hold beyond all looks was taken from what the last of them saw.
    """
    reading = case.facts.death.reading
    if not isinstance(reading, Known):
        return reading
    least, last, most = reading.value.least_available, reading.value.last_available, reading.value.most_rss
    peak = end_of(case).peak_rss
    if not (
        isinstance(least, Known)
        and isinstance(last, Known)
        and isinstance(most, Known)
        and isinstance(peak, Known)
    ):
        return least
    left = max(0, last.value - max(0, peak.value - most.value))
    return Known(left, "samples, wait4(2)") if left < least.value else Known(least.value, "samples")


def _may_be_named(kernel: Known[tuple[KernelKill, ...]] | Absent, dead: Victim) -> bool:
    """In a container the log has the host's numbers for processes; a name stays what it is."""
    return any(each.name == dead.name or not dead.name for each in value_or(kernel, ()))


def _named(kernel: Fact[tuple[KernelKill, ...]], dead: Victim) -> KernelKill | None:
    return next((each for each in value_or(kernel, ()) if each.pid == dead.pid and dead.pid), None)


def _all_foreign(case: Case, kernel: Fact[tuple[KernelKill, ...]], dead: Victim) -> bool:
    """The log is open, it tells of kills, and none is of a name that the victim may have: others lived there, too."""
    if not isinstance(kernel, Known) or not dead.name:
        return False
    return all(each.name != dead.name for each in kernel.value)


def _where(counters: Fact[tuple[KillCounter, ...]], dead: Victim) -> list[KillCounter]:
    """The counters of the victim's own cgroup; all where it is not known which that was."""
    known = value_or(counters, ())
    own = [each for each in known if each.folder == dead.cgroup]
    return own if dead.cgroup and dead.pid else list(known)


def _is_known(counter: KillCounter) -> bool:
    return isinstance(counter.before, Known) and isinstance(counter.after, Known)


def _cant_kill(counter: KillCounter) -> bool:
    """The root group of version 2: it has no limit, so the kernel counts nothing there."""
    return isinstance(counter.before, Absent) and isinstance(counter.limit, Absent)


def _growth(counter: KillCounter) -> int:
    before, after = counter.before, counter.after
    return after.value - before.value if isinstance(before, Known) and isinstance(after, Known) else 0


def _was_full(case: Case, counter: KillCounter) -> bool:
    if not isinstance(counter.limit, Known):
        return False
    highest = max(value_or(counter.high_water, 0), value_or(counter.peak, 0))
    return highest >= _AT_LIMIT * counter.limit.value


def _limit(case: Case, dead: Victim) -> Fact[int]:
    found = [each.limit for each in _where(case.facts.death.counters, dead) if isinstance(each.limit, Known)]
    return found[0] if found else Failed("not known", "missing")


def _of_kernel(kill: KernelKill) -> Evidence:
    return Evidence("death.kernel_kills", kill.text, "", "the kernel's log")


def _of_counters(counters: Fact[tuple[KillCounter, ...]], dead: Victim) -> tuple[Evidence, ...]:
    found = []
    for each in _where(counters, dead):
        if _growth(each) > 0:
            limit = f", limit {size(each.limit.value)}" if isinstance(each.limit, Known) else ""
            high = (
                f", high-water mark {size(each.high_water.value)}"
                if isinstance(each.high_water, Known)
                else ""
            )
            found.append(Evidence("death.counters", f"oom_kill of {each.folder} grew by {_growth(each)}{limit}{high}", "no growth", "the kernel's counter"))  # fmt: skip
    return tuple(found)


def _raise_the_limit(limit: Fact[int]) -> tuple[Fix, ...]:
    more = f"more than {size(limit.value)}" if isinstance(limit, Known) else "more"
    return (
        fix("use-less-memory"),
        fix("raise-limit", more=more),
    )  # fmt: skip


def size(number: float) -> str:
    if abs(number) >= 1e9:
        return f"{number / 1e9:.1f} GB"
    return f"{number / 1e6:.0f} MB" if abs(number) >= 1e6 else f"{number / 1e3:.0f} kB"


def no_kill(case: Case) -> tuple[Evidence, ...]:
    """What speaks against a kill for lack of memory, for those who claim another."""
    end_of(case)
    known = [each for each in value_or(case.facts.death.counters, ()) if _is_known(each)]
    found = [
        Evidence("death.counters", f"oom_kill of {each.folder} did not grow", "", "the kernel's counter")
        for each in known
    ]
    kernel = case.facts.death.kernel_kills
    if isinstance(kernel, (Absent, Known)):
        found.append(
            Evidence(
                "death.kernel_kills", "the kernel's log names no such kill of it", "", "the kernel's log"
            )
        )
    return tuple(found)
