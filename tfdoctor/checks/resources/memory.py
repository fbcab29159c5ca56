"""Whether there is memory enough to start and to work: of the machine, the container, the address space.

The sizes that TensorFlow needs were measured with 2.21.0 on two CPUs (2026-11-20): `import tensorflow` 593 MB
resident and 1.45 GB of addresses; after a matrix product and an XLA-compiled function 622 MB and 2.7 GB. A memory
cgroup is charged 180 to 200 MB for the import, because the library's file pages are shared or can be dropped.
"""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.abilities import abilities_seen
from tfdoctor.checks.questions.stage_output import FOLLOWS, failed_stage, words
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity

MB = 10**6
START_CHARGED = 200 * MB
WORK_RESIDENT = 622 * MB
START_ADDRESSES = 1450 * MB
WORK_ADDRESSES = 2700 * MB
MEASURED = "measured with TensorFlow 2.21.0 on 2 CPUs (2026-11-20)"

_SIGKILL = 9


@check(
    "memory-limit-too-small", prevents=Ability.NOTHING,
    explains=("host-memory-exhausted", "smoke-tensorflow-failed", "smoke-timeout", "native-crash", "check-failed", "swap-thrashing"),
)  # fmt: skip
def memory_limit(case: Case) -> Found | None:
    """Limits of the cgroup, of addresses and of the machine against what TensorFlow was measured to take; free memory
    against the policy's own minimum. What was seen to compute makes it worth knowing.
    """
    tight = [
        each for each in (_cgroup(case), _addresses(case), _machine(case), _policy(case)) if each is not None
    ]
    if not tight:
        _all_known(case)
        return None
    works = Ability.COMPUTE in abilities_seen(case.facts)
    worst = min((severity for _, severity in tight), key=lambda each: each.rank)
    if _died_of_memory(case.facts):
        worst = Severity.ERROR
    demanded = any(each.source == POLICY for each, _ in tight)
    severity = (Severity.WARNING if demanded else Severity.INFO) if works else worst
    return Found(
        "TensorFlow does not start, or is killed as soon as a program works with data." if not works
        else "TensorFlow works here, but little is left for data.",
        tuple(evidence for evidence, _ in tight),
        _raise(tight),
        severity=severity,
    )  # fmt: skip


POLICY = "the policy's minimum of free memory"
Tight = tuple[Evidence, Severity]


def _cgroup(case: Case) -> Tight | None:
    limit = case.facts.memory.cgroup_limit
    if not isinstance(limit, Known) or limit.value >= WORK_RESIDENT:
        return None
    severity = Severity.ERROR if limit.value < START_CHARGED else Severity.WARNING
    return Evidence(
        "memory.cgroup_limit", _size(limit.value), f">={_size(WORK_RESIDENT)}", MEASURED
    ), severity


def _addresses(case: Case) -> Tight | None:
    limit = case.facts.memory.limit_address_space
    if not isinstance(limit, Known):
        return None
    gpu = _gpu_addresses(case.facts)
    if gpu and limit.value < gpu:
        expected = (
            f">={_size(gpu)}, better unlimited: CUDA reserves addresses for all memory of machine and GPUs"
        )
        return Evidence(
            "memory.limit_address_space",
            _size(limit.value),
            expected,
            "NVIDIA, CUDA C programming guide, unified virtual addressing (2026-11)",
        ), Severity.WARNING
    if limit.value >= WORK_ADDRESSES:
        return None
    severity = Severity.ERROR if limit.value < START_ADDRESSES else Severity.WARNING
    return Evidence(
        "memory.limit_address_space", _size(limit.value), f">={_size(WORK_ADDRESSES)}", MEASURED
    ), severity


def _gpu_addresses(facts: Facts) -> int:
    """Bytes of addresses that CUDA takes at the least; 0 without a GPU."""
    devices = facts.driver.devices
    if not isinstance(devices, Known) or not devices.value:
        return 0
    return sum(each.memory_total for each in devices.value) + value_or(facts.memory.ram_total, 0)


def _machine(case: Case) -> Tight | None:
    total = case.facts.memory.ram_total
    if not isinstance(total, Known) or total.value >= WORK_RESIDENT:
        return None
    return Evidence(
        "memory.ram_total", _size(total.value), f">={_size(WORK_RESIDENT)}", MEASURED
    ), Severity.WARNING


def _policy(case: Case) -> Tight | None:
    demanded, free = case.policy.min_free_ram, free_memory(case.facts)
    if not demanded or not isinstance(free, Known) or free.value >= demanded:
        return None
    return Evidence(free.source, _size(free.value), f">={_size(demanded)}", POLICY), Severity.WARNING


def _all_known(case: Case) -> None:
    """Raises CantTell where a limit could not be read, for it may be the one that is too small."""
    memory = case.facts.memory
    for fact in (memory.cgroup_limit, memory.limit_address_space, memory.ram_total):
        case.need_outcome(fact)


def free_memory(facts: Facts) -> Known[int] | Failed:
    """What is left for this process: of the machine, or below the container's limit. `source` is the fact's path."""
    memory = facts.memory
    left = []
    if isinstance(memory.ram_available, Known):
        left.append(Known(memory.ram_available.value, "memory.ram_available"))
    if isinstance(memory.cgroup_limit, Known) and isinstance(memory.cgroup_used, Known):
        left.append(Known(max(memory.cgroup_limit.value - memory.cgroup_used.value, 0), "memory.cgroup_used"))
    if left:
        return min(left, key=lambda each: each.value)
    return (
        memory.ram_available
        if isinstance(memory.ram_available, Failed)
        else Failed("memory.ram_available: not told", "missing")
    )


def _raise(tight: list[Tight]) -> tuple[Fix, ...]:
    paths = {evidence.fact for evidence, _ in tight}
    fixes = []
    if "memory.limit_address_space" in paths:
        fixes.append(fix("lift-limit-on-addresses"))
    if "memory.cgroup_limit" in paths or "memory.cgroup_used" in paths:
        fixes.append(fix("raise-containers-or-jobs-memory-limit"))
    if not fixes:
        fixes.append(fix("use-machine-with-more-memory-or"))
    return tuple(fixes)


def _size(number: int) -> str:
    return f"{number / 10**9:.1f} GB" if number >= 10**9 else f"{number // MB} MB"


def _died_of_memory(facts: Facts) -> bool:
    stage = failed_stage(facts)
    if stage is None:
        return False
    killed = (
        stage.end.how == "signal"
        and stage.end.status == _SIGKILL
        and isinstance(facts.memory.cgroup_limit, Known)
    )
    return killed or stage.end.how == "memory-bound" or _out_of_memory(facts) is not None


def _out_of_memory(facts: Facts) -> Evidence | None:
    """What was said of memory that was not to be had. A mount that forbids code makes the loader say the same."""
    if isinstance(facts.tensorflow.noexec_mount, Known) and words(facts, "map-segment") is not None:
        return None
    return words(facts, "host-memory-exhausted")


@check(
    "host-memory-exhausted", prevents=Ability.NOTHING, explains=(*FOLLOWS, "smoke-timeout", "swap-thrashing")
)
def memory_exhausted(case: Case) -> Found | None:
    """The stage reached its bound of memory, its words tell of a failed allocation, or less is free than the import takes."""
    text, stage = _out_of_memory(case.facts), failed_stage(case.facts)
    if stage is not None and stage.end.how == "memory-bound":
        peak = f" of {_size(stage.end.peak_rss.value)}" if isinstance(stage.end.peak_rss, Known) else ""
        proof = Evidence(
            "smoke.tensorflow",
            f"was ended at the bound{peak}, still growing",
            f"about {_size(WORK_RESIDENT)}",
            MEASURED,
        )
        return Found(
            "The import or the small computations of the TensorFlow stage took far more memory than TensorFlow needs.",
            (proof,),
            (fix("look-for-what-imported-along-with"),),
        )
    if text is not None:
        return Found(
            "The machine or a limit did not give the memory that was asked for.",
            (text, *_limits(case.facts)),
            (fix("raise-limit-or-free-memory"),),
        )
    return _nearly_gone(case)


def _limits(facts: Facts) -> tuple[Evidence, ...]:
    free = free_memory(facts)
    return (Evidence(free.source, f"{_size(free.value)} left"),) if isinstance(free, Known) else ()


def _nearly_gone(case: Case) -> Found | None:
    free = free_memory(case.facts)
    if isinstance(free, Failed):
        case.cant_tell(
            case.facts.memory.ram_available if isinstance(case.facts.memory.ram_available, Failed) else free
        )
    swap = value_or(case.facts.memory.swap_free, 0) if free.source == "memory.ram_available" else 0
    if free.value + swap >= START_CHARGED:
        return None
    stage = failed_stage(case.facts)
    killed = stage is not None and stage.end.how == "signal" and stage.end.status == _SIGKILL
    works = Ability.COMPUTE in abilities_seen(case.facts)
    return Found(
        f"Only {_size(free.value)} of memory are left; importing TensorFlow alone takes about {_size(START_CHARGED)}.",
        (
            Evidence(free.source, f"{_size(free.value)} left", f">={_size(START_CHARGED)}", MEASURED),
            *(
                (Evidence("smoke.tensorflow", "was killed (SIGKILL)", "ends well", "the TensorFlow stage"),)
                if killed
                else ()
            ),
        ),
        (fix("end-what-else-uses-memory"),),
        Confidence.CERTAIN if killed else Confidence.LIKELY,
        Severity.ERROR if killed else Severity.INFO if works else Severity.WARNING,
    )
