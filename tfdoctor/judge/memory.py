"""Memory of the machine and the container, and programs that were killed for it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from tfdoctor.base.records import record
from tfdoctor.base.signals import SIGKILL
from tfdoctor.base.units import enumerated
from tfdoctor.facts.death import (
    BUFFERS,
    KEEPS,
    Fill,
    GrownLine,
    Growth,
    KernelKill,
    KillCounter,
    Reading,
)
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, known, value_or
from tfdoctor.judge.engine.case import Ability, Case, Found, Inconclusive, check
from tfdoctor.judge.questions.abilities import abilities_seen
from tfdoctor.judge.questions.deaths import Victim, death_as_evidence, end_of, victim, who, workers
from tfdoctor.judge.questions.stage_output import died_of, each_said, failed_stage, said, words
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.memory_needs import MIB, SHM_FULL
from tfdoctor.knowledge.model import Confidence, Evidence, Fix, Severity
from tfdoctor.knowledge.says import says

MB = 10**6
GIB = 1 << 30
START_CHARGED = 200 * MB
WORK_RESIDENT = 622 * MB
START_ADDRESSES = 1450 * MB
WORK_ADDRESSES = 2700 * MB
MEASURED = "measured with TensorFlow 2.21.0 on 2 CPUs (2026-11-20)"


@check("memory-limit-too-small", blocks=Ability.NOTHING)
def memory_limit(case: Case) -> Found | None:
    """Limits of the cgroup, of addresses and of the machine against what TensorFlow was measured to take; free memory
    against the policy's own minimum. What was seen to compute makes it worth knowing.
    """
    tight = list(filter(None, (_cgroup(case), _addresses(case), _machine(case), _policy(case))))
    if not tight:
        memory = case.facts.memory
        for fact in (memory.cgroup_limit, memory.limit_address_space, memory.ram_total):
            case.need_outcome(fact)  # one that could not be read may be the one that is too small
        return None
    works = Ability.COMPUTE in abilities_seen(case.facts)
    worst = min(severity for _, severity in tight)
    if _died_of_memory(case.facts):
        worst = Severity.ERROR
    demanded = any(each.source == POLICY for each, _ in tight)
    severity = (Severity.WARNING if demanded else Severity.INFO) if works else worst
    return Found(
        says("memory-limit-too-small", "works")
        if works
        else says("memory-limit-too-small", "not-even-start"),
        tuple(evidence for evidence, _ in tight),
        _raise(case, tight),
        severity=severity,
    )


POLICY = "the policy's minimum of free memory"
Tight = tuple[Evidence, Severity]


def _cgroup(case: Case) -> Tight | None:
    limit = known(case.facts.memory.cgroup_limit)
    if limit is None:
        return None
    return _below(
        "memory.cgroup_limit", limit, _cgroup_of(case, limit), WORK_RESIDENT, START_CHARGED
    )


def _below(path: str, limit: int, seen: str, needed: int, to_start: int) -> Tight | None:
    """A limit below what TensorFlow was measured to need; an error where it does not even start."""
    if limit >= needed:
        return None
    severity = Severity.ERROR if limit < to_start else Severity.WARNING
    return Evidence(path, seen, f">={_size(needed)}", MEASURED), severity


def _addresses(case: Case) -> Tight | None:
    limit = case.facts.memory.limit_address_space
    if not isinstance(limit, Known):
        return None
    path, seen, gpu = (
        "memory.limit_address_space",
        _addresses_of(limit.value),
        _gpu_addresses(case.facts),
    )
    if gpu and limit.value < gpu:
        expected = f">={_size(gpu)}, better unlimited: CUDA reserves addresses for all memory of machine and GPUs"
        source = "NVIDIA, CUDA C programming guide, unified virtual addressing (2026-11)"
        return Evidence(path, seen, expected, source), Severity.WARNING
    return _below(path, limit.value, seen, WORK_ADDRESSES, START_ADDRESSES)


def _gpu_addresses(facts: Facts) -> int:
    """Bytes of addresses that CUDA takes at the least; 0 without a GPU."""
    devices = value_or(facts.driver.devices, ())
    own = sum(each.memory_total for each in devices)
    return own + value_or(facts.memory.ram_total, 0) if devices else 0


def _machine(case: Case) -> Tight | None:
    total = known(case.facts.memory.ram_total)
    return (
        None if total is None else _below("memory.ram_total", total, _size(total), WORK_RESIDENT, 0)
    )


def _policy(case: Case) -> Tight | None:
    demanded, free = case.policy.min_free_ram, free_memory(case.facts)
    if not demanded or not isinstance(free, Known) or free.value >= demanded:
        return None
    return Evidence(
        free.source, _size(free.value), f">={_size(demanded)}", POLICY
    ), Severity.WARNING


def free_memory(facts: Facts) -> Known[int] | Failed:
    """What is left for this process: of the machine, or below the container's limit. `source` is the fact's path."""
    memory = facts.memory
    left = []
    if isinstance(memory.ram_available, Known):
        left.append(Known(memory.ram_available.value, "memory.ram_available"))
    if isinstance(memory.cgroup_limit, Known) and isinstance(memory.cgroup_used, Known):
        left.append(
            Known(
                max(memory.cgroup_limit.value - memory.cgroup_used.value, 0), "memory.cgroup_used"
            )
        )
    if left:
        return min(left, key=lambda each: each.value)
    available = memory.ram_available
    return (
        available
        if isinstance(available, Failed)
        else Failed("memory.ram_available: not told", "missing")
    )


def _raise(case: Case, tight: list[Tight]) -> tuple[Fix, ...]:
    paths = {evidence.fact for evidence, _ in tight}
    fixes = []
    if "memory.limit_address_space" in paths:
        fixes.append(act("raise-limit", "address-space"))
    if paths & {"memory.cgroup_limit", "memory.cgroup_used"}:
        fixes.append(raise_limit(value_or(case.facts.memory.cgroup_limit, 0)))
    if fixes:
        return tuple(fixes)
    in_wsl = isinstance(case.facts.host.wsl, Known)
    return (act("raise-limit", "wsl-memory") if in_wsl else act("raise-limit", "machine-memory"),)


def _addresses_of(limit: int) -> str:
    return f"ulimit -v allows {_size(limit)} of address space"


def _cgroup_of(case: Case, limit: int) -> str:
    job = known(case.facts.host.scheduler)
    who = f"the {job.kind.capitalize()} job" if job else "the container or job"
    return f"{who} may use {_size(limit)}"


def raise_limit(limit: int) -> Fix:
    """To twice the bytes that were too few, and to what TensorFlow needs for a small model; 0 where they are not known."""
    if not limit:
        return act("raise-limit", "memory")
    wanted = max(2 * limit, 2 * WORK_RESIDENT)
    return act("raise-limit", "memory", gigabytes=-(-wanted // GIB))


def reached_limit(case: Case) -> tuple[Evidence, Fix] | None:
    """The limit that a process meets before the memory is used up; None where the machine's memory is the least."""
    addresses, free = case.facts.memory.limit_address_space, free_memory(case.facts)
    if isinstance(addresses, Known) and (isinstance(free, Failed) or addresses.value < free.value):
        seen = Evidence(
            "memory.limit_address_space",
            _addresses_of(addresses.value),
            "unlimited",
            "getrlimit(2)",
        )
        return seen, act("raise-limit", "address-space")
    limit = case.facts.memory.cgroup_limit
    if isinstance(limit, Known) and isinstance(free, Known) and free.source == "memory.cgroup_used":
        seen = Evidence("memory.cgroup_limit", _cgroup_of(case, limit.value), "", "cgroup")
        return seen, raise_limit(limit.value)
    return None


def _size(number: int) -> str:
    return f"{number / 10**9:.1f} GB" if number >= 10**9 else f"{number // MB} MB"


def _died_of_memory(facts: Facts) -> bool:
    stage = failed_stage(facts)
    if stage is None:
        return False
    killed = died_of(facts, SIGKILL) and isinstance(facts.memory.cgroup_limit, Known)
    return killed or stage.end.how == "memory-bound" or _out_of_memory(facts) is not None


def _out_of_memory(facts: Facts) -> Evidence | None:
    """What was said of memory that was not to be had. A mount that forbids code makes the loader say the same."""
    if isinstance(facts.tensorflow.noexec_mount, Known) and words(facts, "map-segment") is not None:
        return None
    return words(facts, "host-memory-exhausted")


@check("host-memory-exhausted", blocks=Ability.NOTHING)
def memory_exhausted(case: Case) -> Found | None:
    """The stage reached its bound of memory, its words tell of a failed allocation, or less is free than the import takes."""
    text, stage = _out_of_memory(case.facts), failed_stage(case.facts)
    if stage is not None and stage.end.how == "memory-bound":
        peak = (
            f" of {_size(stage.end.peak_rss.value)}"
            if isinstance(stage.end.peak_rss, Known)
            else ""
        )
        proof = Evidence(
            "smoke.tensorflow",
            f"was ended at the bound{peak}, still growing",
            f"about {_size(WORK_RESIDENT)}",
            MEASURED,
        )
        return Found(
            says("host-memory-exhausted", "runaway"),
            (proof,),
            (act("words", "look-for-what-else-tensorflow-imports"),),
        )
    reached, free = reached_limit(case), free_memory(case.facts)
    if text is None and reached is not None and reached[0].fact == "memory.limit_address_space":
        text = words(case.facts, "threads-exhausted")  # the stack of a thread found no room
    if text is None:
        return _nearly_gone(case)
    title = _grown(case, "until an allocation failed")
    if reached is not None:
        seen, raised = reached
        return Found(
            says("host-memory-exhausted", "by-a-limit", observed=seen.observed),
            (text, seen),
            (raised, act("use-less-memory")),
            title=title,
        )
    left = (Evidence(free.source, f"{_size(free.value)} left"),) if isinstance(free, Known) else ()
    end = stage.end if stage is not None else known(case.facts.death.end)
    held = value_or(end.peak_rss, 0) if end is not None else 0
    # What is left after its end was free then, less what it held.
    room = 0 < 2 * held < value_or(free, 0)
    return Found(
        says("host-memory-exhausted", "with-room")
        if room
        else says("host-memory-exhausted", "refused"),
        (text, *left),
        (act("use-less-memory"), act("raise-limit", "address-space"))
        if room
        else (act("use-less-memory", "use-less-memory-or-free-some"),),
        title=title,
    )


def _nearly_gone(case: Case) -> Found | None:
    free = free_memory(case.facts)
    if isinstance(free, Failed):
        case.cant_tell(free)
    swap = value_or(case.facts.memory.swap_free, 0) if free.source == "memory.ram_available" else 0
    if free.value + swap >= START_CHARGED:
        return None
    killed = died_of(case.facts, SIGKILL)
    works = Ability.COMPUTE in abilities_seen(case.facts)
    return Found(
        says(
            "host-memory-exhausted",
            "nearly-gone",
            size=_size(free.value),
            needed=_size(START_CHARGED),
        ),
        (
            Evidence(
                free.source, f"{_size(free.value)} left", f">={_size(START_CHARGED)}", MEASURED
            ),
            Evidence(
                "smoke.tensorflow", "was killed (SIGKILL)", "ends well", "the TensorFlow stage"
            )
            if killed
            else None,
        ),
        (act("look", "largest-processes"),),
        Confidence.CERTAIN if killed else Confidence.LIKELY,
        Severity.ERROR if killed else Severity.INFO if works else Severity.WARNING,
    )


DOCKER_SHM = 64 * MIB
"""Docker's and Kubernetes' default size of /dev/shm."""
_NCCL_SHM = 256 * MIB
"""Docker's default is too small for NCCL; NVIDIA's own advice is 1 GB (NCCL user guide, troubleshooting, 2026-11)."""


@check("shared-memory-too-small", blocks=Ability.NOTHING)
def shared_memory(case: Case) -> Found | None:
    """The size of /dev/shm against what NCCL needs where there are several GPUs, else against Docker's default; or it is
    full. The stage's words make it an error.
    """
    if case.need(case.facts.host.os) != "linux":
        return None
    total = case.need_outcome(case.facts.memory.shm_total)
    free = case.facts.memory.shm_free
    size = value_or(total, 0)
    full = isinstance(free, Known) and free.value < SHM_FULL and size > 0
    several = len(value_or(case.facts.driver.devices, ())) > 1
    if not full and size >= (_NCCL_SHM if several else DOCKER_SHM + 1):
        return None
    harmful = several or full or size < DOCKER_SHM
    text = words(case.facts, "shared-memory-too-small")
    observed = (
        "not mounted"
        if isinstance(total, Absent)
        else f"{size // MIB} MiB" + (", full" if full else "")
    )
    harm = (
        "With several GPUs, NCCL passes data through /dev/shm and fails when it is full." if several
        else "Worker processes that pass data through /dev/shm die of SIGBUS when it is full. One process alone does not use it."
    )  # fmt: skip
    return Found(
        harm,
        (
            Evidence(
                "memory.shm_total",
                observed,
                ">=1 GiB for NCCL or worker processes",
                "NVIDIA, NCCL user guide, troubleshooting (2026-11)",
            ),
            text,
        ),
        (act("raise-limit", "shared-memory"),),
        Confidence.CERTAIN if text or full else Confidence.LIKELY,
        Severity.ERROR if text else Severity.WARNING if harmful else Severity.INFO,
    )


_STALLED_PERCENT = 10.0
"""PSI "full": the share of time in which no task at all could go on for lack of memory (kernel, accounting/psi.rst)."""
_PSI = "Linux pressure stall information"
_PLENTY = 0.1
"""Of the machine's memory: with so much of it available, tasks that wait for memory wait for cached files to be dropped, as
beside an installation of gigabytes (12 % of ten seconds with 20 of 23 GB available; measured 2026-11-22)."""
_SWAPPED_IN = 1000.0
"""Pages a second, about 4 MB: a rule of thumb; a machine that works swaps in next to nothing."""


@check("swap-thrashing", blocks=Ability.NOTHING)
def swapping(case: Case) -> Found | None:
    """The share of time in which every task waited for memory (PSI) while little is left, or the pages swapped in each
    second. Of a command that was watched, the pages come first: it may have had a small limit on a large machine.
    """
    evidence = _while_it_ran(case.facts.death.reading) or _now(case.facts)
    if evidence:
        return _found(case, evidence)
    stalled, rate = case.facts.memory.pressure_full_avg10, case.facts.memory.swap_in_per_s
    if isinstance(stalled, Known) or isinstance(rate, Known):
        return None
    if isinstance(stalled, Absent) and isinstance(rate, Absent):
        return None
    for fact in (stalled, rate):
        case.need_outcome(fact)
    return None


def _while_it_ran(reading: Fact[Reading]) -> list[Evidence]:
    if not isinstance(reading, Known):
        return []
    pages = _of_pages("death.reading", reading.value.most_swapped_in)
    return [*_of_pressure("death.reading", reading.value.most_pressure), *pages] if pages else []


def _now(facts: Facts) -> list[Evidence]:
    waited = (
        []
        if _plenty(facts)
        else _of_pressure("memory.pressure_full_avg10", facts.memory.pressure_full_avg10)
    )
    return [*waited, *_of_pages("memory.swap_in_per_s", facts.memory.swap_in_per_s)]


def _of_pressure(fact: str, stalled: Fact[float]) -> list[Evidence]:
    if not isinstance(stalled, Known) or stalled.value < _STALLED_PERCENT:
        return []
    words = f"{stalled.value:.0f} % of the time"
    return [Evidence(fact, words, f"<{_STALLED_PERCENT:.0f} %", _PSI)]


def _of_pages(fact: str, rate: Fact[float]) -> list[Evidence]:
    if not isinstance(rate, Known) or rate.value < _SWAPPED_IN:
        return []
    return [
        Evidence(
            fact, f"{rate.value:.0f} pages/s", f"<{_SWAPPED_IN:.0f} pages/s", "a rule of thumb"
        )
    ]


def _plenty(facts: Facts) -> bool:
    available, total = facts.memory.ram_available, facts.memory.ram_total
    known = isinstance(available, Known) and isinstance(total, Known)
    return known and value_or(available, 0) >= _PLENTY * value_or(total, 0)


def _found(case: Case, evidence: Sequence[Evidence]) -> Found:
    """Certain where the system's own word for waiting is among the evidence."""
    line = grown_line(case)
    return Found(
        says("swap-thrashing", "found"),
        (*evidence, *line),
        (*first_fix(case), act("use-less-memory", "use-less-memory-or-free-some")),
        Confidence.CERTAIN if evidence[0].source == _PSI else Confidence.LIKELY,
        title=_grown(case, "and what does not fit is in swap") if line else "",
    )


_AT_LIMIT = 0.95
# What MemAvailable has fallen to in a sample before the kernel kills.
_NEARLY_NONE_BYTES = 512 << 20


@record
class Kill:
    """One kill for lack of memory: of whom, how sure, and by what it is known."""

    dead: Victim
    confidence: Confidence
    evidence: tuple[Evidence, ...]


@check("container-oom-killed", blocks=Ability.NOTHING, watched=True)
def container_oom(case: Case) -> Found | None:
    """The kernel killed a process of the command's because its cgroup was at its memory limit."""
    kill = _first(case, _by_container)
    if kill is None:
        return None
    limit = _limit(case, kill.dead)
    told = f" of {size(limit)}" if limit else ""
    return Found(
        says("container-oom-killed", "found", who=who(kill.dead), told=told, largest=_largest(case)) + _no_line(case),
        (*death_as_evidence(case, kill.dead), *grown_line(case), *kill.evidence),
        (*first_fix(case), act("use-less-memory"), raise_limit(limit or 0)),
        kill.confidence,
        title=_grown(case, f"up to the limit{told} of its container or job"),
    )  # fmt: skip


@check("host-oom-killed", blocks=Ability.NOTHING, watched=True)
def host_oom(case: Case) -> Found | None:
    """The kernel killed a process of the command's because the machine ran out of memory."""
    kill = _first(case, _by_host)
    if kill is None:
        return None
    return Found(
        says("host-oom-killed", "found", who=who(kill.dead)) + _no_line(case),
        (*death_as_evidence(case, kill.dead), *grown_line(case), *kill.evidence),
        (*first_fix(case), act("look", "largest-processes"), act("use-less-memory")),
        kill.confidence,
        title=_grown(case, "until the machine had none left"),
    )


_LINES: dict[str, Callable[[], Fix]] = {
    "line-keeps": lambda: act("use-less-memory", "keep-less"),
    "line-buffers": lambda: act("use-less-memory", "buffers"),
    "line-trains": lambda: act("use-less-memory", "halve-batch-until-it-fits"),
    "line-loads": lambda: act("use-less-memory", "memory-map"),
}
"""What the line during which memory grew does, by its words (data/knowledge/facts/growing_lines.yaml), the more telling first."""


def grown_line(case: Case) -> tuple[Evidence, ...]:
    """The line of the program during which memory grew most."""
    seen = known(case.facts.death.grown_line)
    if seen is None:
        return ()
    text = f": {seen.text}" if seen.text else ""
    share = (
        f"{size(seen.grew)} of {size(seen.whole)}" if seen.grew < seen.whole else size(seen.grew)
    )
    words = f"memory grew by {share} while {_place(seen)} ran{text}"
    file = os.path.basename(seen.file)
    held = [
        f"{file}, line {each.line}, {_HOLDS[each.how]}: {each.text}"
        for each in seen.holders
        if each.how in _HOLDS
    ]
    return tuple(Evidence("death.grown_line", each, "", _BY_STACKS) for each in (words, *held))


_BY_STACKS = "stacks by py-spy, taken from outside, and the program's text"
_HOLDS = {KEEPS: "keeps what each turn makes", BUFFERS: "buffers"}


def first_fix(case: Case) -> tuple[Fix, ...]:
    """What helps where the words of that line tell what it does; without a line, where the program tells in which phase memory grew."""
    seen = known(case.facts.death.grown_line)
    if seen is not None:
        does = _does(seen)
        if any(each.how == KEEPS for each in seen.holders):
            does = "line-keeps"
        elif _is_buffered(seen):
            does = "line-buffers"
        return (_LINES[does](),) if does else ()
    growth = known(case.facts.death.growth)
    phase = _PHASES.get(growth.kind) if growth is not None else None
    return (phase(),) if phase is not None else ()


def _does(seen: GrownLine) -> str:
    """ "" where its words do not tell."""
    from tfdoctor.knowledge.messages.catalogue import named  # only where a program was watched

    return next((name for name in _LINES if named(name).hit(seen.text)), "")


def _is_buffered(seen: GrownLine) -> bool:
    """A line that trains, of a data set with buffers: what they hold shows there first."""
    return _does(seen) == "line-trains" and any(each.how == BUFFERS for each in seen.holders)


_PHASES: dict[str, Callable[[], Fix]] = {
    "loading": lambda: act("use-less-memory", "memory-map"),
    "per-step": lambda: act("use-less-memory", "store-numbers"),
    "per-epoch": lambda: act("edit-program", "build-once-before-training-not-per-epoch"),
}
"""By the kinds of growth that only a program shows that tells of its steps."""


def _no_line(case: Case) -> str:
    """Why no line is named, where one was wanted."""
    unseen = case.facts.death.grown_line
    if not isinstance(unseen, Failed) or unseen.kind == "not-asked":
        return ""
    return " " + says("container-oom-killed", "no-line", why=unseen.error)


def _place(seen: GrownLine) -> str:
    return f"{os.path.basename(seen.file)}, line {seen.line}, in {seen.function}"


def _grown(case: Case, how_far: str) -> str:
    """A title where memory grew to the end, with the line during which it did where one is known; "" for the page's own where
    it was not seen to grow.
    """
    seen = known(case.facts.death.grown_line)
    if seen is not None:
        where = f"{os.path.basename(seen.file)}, line {seen.line}"
        return f"Memory grew by {size(seen.grew)} while {where} ran{_kept(seen)}, {how_far}."
    growth = case.facts.death.growth
    if not isinstance(growth, Known) or growth.value.kind not in (*_LEAKS, "rising"):
        return ""
    return f"Memory grew steadily, by {_rate(growth.value)}, {how_far}."


def _kept(seen: GrownLine) -> str:
    """What a title says of the lines that hold what another one made."""
    others = [each for each in seen.holders if each.line != seen.line]
    lines = [str(each.line) for each in others if each.how == KEEPS]
    if not lines:
        buffered = next((each for each in others if _is_buffered(seen)), None)
        return f" and line {buffered.line} buffered" if buffered is not None else ""
    return f" and line{'s' * (len(lines) > 1)} {enumerated(lines)} kept what each turn makes"


def killed_for_memory(case: Case) -> bool:
    return _first(case, _by_container) is not None or _first(case, _by_host) is not None


def _largest(case: Case) -> str:
    reading = known(case.facts.death.reading)
    most = known(reading.most_anon) if reading else None
    return (
        ""
        if most is None
        else f" The largest use that was seen was {size(most)}, files in memory left out."
    )


def _first(case: Case, ask: Callable[[Case, Victim], Kill | None]) -> Kill | None:
    """Of the command's own death, else of a worker's that it survived or only reported."""
    dead = victim(case)
    candidates = [dead] if dead is not None else workers(case)
    unknown: Inconclusive | None = None
    for candidate in candidates:
        if candidate.signal != SIGKILL:
            continue
        try:
            kill = ask(case, candidate)
        except Inconclusive as reason:
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
    if grown and not _all_foreign(kernel, dead):
        full = any(map(_was_full, grown))
        sure = dead.confidence if full else Confidence.LIKELY
        return Kill(dead, sure, _of_counters(counters, dead))
    if grown or (
        isinstance(counters, Known)
        and all(_is_known(each) or _cant_kill(each) for each in counters.value)
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
            use = Evidence(
                "death.reading", f"{size(most.value)} used of {size(limit.value)}", "", "samples"
            )
            return Kill(dead, Confidence.LIKELY, (use,))
    case.need_outcome(case.facts.death.counters)
    raise Inconclusive("death.counters: the kills of its memory cgroup could not be counted")


def _by_host(case: Case, dead: Victim) -> Kill | None:
    kernel = case.facts.death.kernel_kills
    named = _named(kernel, dead)
    if named is not None:
        return (
            None
            if named.constraint == "memcg"
            else Kill(dead, Confidence.CERTAIN, (_of_kernel(named),))
        )
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
    empty = value_or(_left(case), _NEARLY_NONE_BYTES + 1) <= _NEARLY_NONE_BYTES
    return empty and bool(grown) and all(isinstance(each.limit, Absent) for each in grown)


def _left(case: Case) -> Fact[int]:
    """The least that the machine had left, in bytes. A full machine lets nobody look (23 s without a look, tried with 24 GB):
    what the command came to hold beyond all looks was taken from what the last of them saw.
    """
    reading = case.facts.death.reading
    if not isinstance(reading, Known):
        return reading
    least, last, most = (
        reading.value.least_available,
        reading.value.last_available,
        reading.value.most_rss,
    )
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


def _all_foreign(kernel: Fact[tuple[KernelKill, ...]], dead: Victim) -> bool:
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
    return (
        after.value - before.value if isinstance(before, Known) and isinstance(after, Known) else 0
    )


def _was_full(counter: KillCounter) -> bool:
    if not isinstance(counter.limit, Known):
        return False
    highest = max(value_or(counter.high_water, 0), value_or(counter.peak, 0))
    return highest >= _AT_LIMIT * counter.limit.value


def _limit(case: Case, dead: Victim) -> int | None:
    limits = (known(each.limit) for each in _where(case.facts.death.counters, dead))
    return next((each for each in limits if each is not None), None)


def _of_kernel(kill: KernelKill) -> Evidence:
    return Evidence("death.kernel_kills", kill.text, "", "the kernel's log")


def _of_counters(counters: Fact[tuple[KillCounter, ...]], dead: Victim) -> tuple[Evidence, ...]:
    found = []
    for each in _where(counters, dead):
        if _growth(each) > 0:
            limit = f", limit {size(each.limit.value)}" if isinstance(each.limit, Known) else ""
            mark = each.high_water
            high = f", high-water mark {size(mark.value)}" if isinstance(mark, Known) else ""
            found.append(Evidence("death.counters", f"oom_kill of {each.folder} grew by {_growth(each)}{limit}{high}", "no growth", "the kernel's counter"))  # fmt: skip
    return tuple(found)


def size(number: float) -> str:
    if abs(number) >= 1e9:
        return f"{number / 1e9:.1f} GB"
    return f"{number / 1e6:.0f} MB" if abs(number) >= 1e6 else f"{number / 1e3:.0f} kB"


def no_kill(case: Case) -> tuple[Evidence, ...]:
    """What speaks against a kill for lack of memory, for those who claim another."""
    end_of(case)
    known = [each for each in value_or(case.facts.death.counters, ()) if _is_known(each)]
    found = [
        Evidence(
            "death.counters", f"no out-of-memory kill in {each.folder}", "", "the kernel's counter"
        )
        for each in known
    ]
    kernel = case.facts.death.kernel_kills
    if isinstance(kernel, (Absent, Known)):
        found.append(
            Evidence(
                "death.kernel_kills",
                "the kernel's log names no such kill of it",
                "",
                "the kernel's log",
            )
        )
    return tuple(found)


_LEAKS = ("per-step", "per-epoch", "slope")
_ALMOST_FITS = 0.5  # of the limit: a buffer that would have taken less is not what filled it


@check("host-memory-leak", blocks=Ability.NOTHING, watched=True)
def leak(case: Case) -> Found | None:
    """Memory that is never given back grows steadily. A fill that dies before it levels looks the same: likely at most."""
    end_of(case)
    growth = case.need(case.facts.death.growth)
    if growth.kind not in _LEAKS or not isinstance(growth.per_unit, Known):
        return None
    if (
        isinstance(case.facts.death.fill, Known)
        or said(case.facts, "retracing-warning") is not None
    ):
        return None  # the text names what grows
    died, hidden = _died_for_memory(case), _may_be_filling(case)
    other = _OR_A_BUFFER if died and hidden else ""
    return Found(
        says("host-memory-leak", "found", rate=_rate(growth), size=size(growth.grew), left=_growth_left(growth, died=died), other=other),
        (*grown_line(case), _seen(growth)),
        (
            *first_fix(case),
            act("edit-program", "pipeline-once"),
            act("use-less-memory", "store-numbers-and-close-figures"),
        ),
        Confidence.LIKELY if died and not hidden else Confidence.POSSIBLE,
        _weight(case, died=died),
        explains=None if died else frozenset(),
        title=_grown(case, "and was never released") if known(case.facts.death.grown_line) else "",
    )  # fmt: skip


@check("retracing-memory-growth", blocks=Ability.NOTHING, watched=True)
def retracing(case: Case) -> Found | None:
    """TensorFlow warned of retracing, memory grew without end, and a lack of memory ended it."""
    end_of(case)
    told = said(case.facts, "retracing-warning")
    if told is None:
        case.need_outcome(case.facts.death.said)
        return None
    seen = case.need_outcome(case.facts.death.growth)
    if not _died_for_memory(case):
        return None
    if isinstance(seen, Absent):
        return _retraced_and_died(case, seen)
    growth = seen.value
    if growth.kind not in (*_LEAKS, "rising"):
        return None
    words = says("retracing-memory-growth", "found", rate=_rate(growth))
    return _retraced(words, (*grown_line(case), told.evidence, _seen(growth)), Confidence.LIKELY)


def _retraced_and_died(case: Case, unmeasured: Absent) -> Found | None:
    """It was too short to measure growth: the line during which memory grew tells, where it calls what is retraced; else a
    second warning makes it possible.
    """
    warned = list(each_said(case.facts, "retracing-warning"))
    seen = known(case.facts.death.grown_line)
    called = next(
        (each for each in warned if seen is not None and _calls(seen.text, each.told)), None
    )
    if called is not None:
        words = says("retracing-memory-growth", "called")
        return _retraced(words, (*grown_line(case), called.evidence), Confidence.LIKELY)
    if len(warned) < 2:
        return None
    evidence = (warned[0].evidence, Evidence("death.growth", unmeasured.reason))
    return _retraced(
        says("retracing-memory-growth", "retraced-and-died"), evidence, Confidence.POSSIBLE
    )


def _calls(line: str, warned: dict[str, str]) -> bool:
    """Whether the line calls the function that the warning is about."""
    function = warned.get("function", "").rpartition(".")[2]
    return bool(function) and re.search(rf"\b{re.escape(function)}\s*\(", line) is not None


def _retraced(words: str, evidence: tuple[Evidence, ...], confidence: Confidence) -> Found:
    fixes = act("edit-program", "pass-tensors-of-fixed-shape"), act("edit-program", "relax-shapes")
    return Found(words, evidence, fixes, confidence)


@check("shuffle-buffer-too-large", blocks=Ability.NOTHING, watched=True)
def shuffle_buffer(case: Case) -> Found | None:
    """It ran out of memory while a shuffle buffer was being filled."""
    end_of(case)
    if _is_hidden(case.facts.death.fill):
        return _unseen_buffer(case) if _died_for_memory(case) else None
    fill = case.need(case.facts.death.fill)
    if not _died_for_memory(case):
        return None
    limit = _growth_limit(case)
    needed = fill.per_element.value * fill.wanted if isinstance(fill.per_element, Known) else 0.0
    if needed and limit and needed < _ALMOST_FITS * limit:
        return None
    sure = bool(needed and limit and needed > limit)
    return Found(
        f"It was filling a shuffle buffer of {fill.wanted:,} elements and had got to {fill.filled:,} when memory ran out.{_arithmetic(fill, needed, limit)}",
        _fill_as_evidence(fill),
        _smaller(fill, limit),
        Confidence.CERTAIN if sure else Confidence.LIKELY,
    )


_OR_A_BUFFER = " A shuffle buffer that was being filled looks the same: TensorFlow's message about it was hidden."


def _is_hidden(fill: Fact[Fill]) -> bool:
    """TensorFlow does not show what it says of a shuffle buffer."""
    return isinstance(fill, Failed) and fill.kind == "hidden"


def _may_be_filling(case: Case) -> bool:
    """What TensorFlow says of a shuffle buffer was hidden, and no training step was told, before which it is filled."""
    growth = case.facts.death.growth
    unstepped = isinstance(growth, Known) and growth.value.kind in ("slope", "rising")
    return _is_hidden(case.facts.death.fill) and unstepped


def _unseen_buffer(case: Case) -> Found | None:
    """Memory grew from the start until none was left, and whether a buffer was being filled was hidden."""
    growth = case.facts.death.growth
    if (
        not isinstance(growth, Known)
        or not _may_be_filling(case)
        or said(case.facts, "retracing-warning")
    ):
        return None
    return Found(
        says("shuffle-buffer-too-large", "unseen-buffer"),
        (_seen(growth.value),),
        (act("set-variable", "show-shuffle-buffer-messages"), *_smaller_buffer("")),
        Confidence.POSSIBLE,
        title=says("shuffle-buffer-too-large", "unseen-buffer-title"),
    )


def _weight(case: Case, *, died: bool) -> Severity:
    """Of a leak: a risk where the program ended well; where something else ended it, worth knowing."""
    end = end_of(case)
    well = (end.how, end.status) == ("exit", 0)
    return Severity.ERROR if died else Severity.WARNING if well else Severity.INFO


def _died_for_memory(case: Case) -> bool:
    """Whether the kernel killed it for lack of memory, or an allocation failed. Where nobody can tell, it is not claimed."""
    if said(case.facts, "host-memory-exhausted") is not None:
        return True
    try:
        return killed_for_memory(case)
    except Inconclusive:
        return False


def _rate(growth: Growth) -> str:
    if isinstance(growth.per_unit, Known):
        return f"{size(growth.per_unit.value)} per {growth.unit}"
    return size(growth.grew)


def _growth_left(growth: Growth, *, died: bool) -> str:
    if died or not isinstance(growth.until_limit, Known) or not isinstance(growth.limit, Known):
        return ""
    return f" At that rate {growth.until_limit.value:,.0f} more {growth.unit}s fit below its limit of {size(growth.limit.value)}."


def _seen(growth: Growth) -> Evidence:
    over = f" over {growth.units:,} {growth.unit}s" if isinstance(growth.per_unit, Known) else ""
    return Evidence("death.growth", f"{_rate(growth)}{over} (anonymous memory and swap, what came back left out)", "a level after the start", "samples")  # fmt: skip


def _fill_as_evidence(fill: Fill) -> tuple[Evidence, ...]:
    line = Evidence("death.fill", f"Filling up shuffle buffer: {fill.filled:,} of {fill.wanted:,}", "the buffer is filled", "what the command wrote to stderr")  # fmt: skip
    if not isinstance(fill.per_element, Known):
        return (line,)
    each = Evidence("death.fill", f"{size(fill.per_element.value)} of memory per element", "", "samples at the time of that line")  # fmt: skip
    return (line, each)


def _arithmetic(fill: Fill, needed: float, limit: int) -> str:
    if not needed or not isinstance(fill.per_element, Known):
        return ""
    below = f"; the limit is {size(limit)}" if limit else ""
    return f" An element took {size(fill.per_element.value)}, so the whole buffer would need {size(needed)}{below}."


def _growth_limit(case: Case) -> int:
    """Bytes; 0 where none is known."""
    reading, total = known(case.facts.death.reading), value_or(case.facts.memory.ram_total, 0)
    return value_or(reading.cgroup_limit, total) if reading else total


def _smaller(fill: Fill, limit: int) -> tuple[Fix, ...]:
    room = ""
    if limit and isinstance(fill.per_element, Known) and fill.per_element.value > 0:
        room = f" At most about {int(0.5 * limit / fill.per_element.value):,} elements take half of the memory there is."
    return _smaller_buffer(room)


def _smaller_buffer(room: str) -> tuple[Fix, ...]:
    return (
        act("use-less-memory", "use-smaller-shuffle-buffer", room=room),
        act("use-less-memory", "shuffle-file-names"),
    )
