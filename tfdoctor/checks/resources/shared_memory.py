"""Whether /dev/shm is large enough for what passes data through it: NCCL between GPUs, and worker processes."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.stage_output import words
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.memory_needs import MIB, SHM_FULL
from tfdoctor.findings.model import Confidence, Evidence, Fix, Severity

DOCKER_SHM = 64 * MIB
"""Docker's and Kubernetes' default size of /dev/shm."""
_NCCL_SHM = 256 * MIB
"""Docker's default is too small for NCCL; NVIDIA's own advice is 1 GB (NCCL user guide, troubleshooting, 2026-11)."""


@check("shared-memory-too-small", prevents=Ability.NOTHING, explains=("nccl-failed",))
def shared_memory(case: Case) -> Found | None:
    """The size of /dev/shm against what NCCL needs where there are several GPUs, else against Docker's default; or it is
    full. The stage's words make it an error.
    """
    if case.need(case.facts.host.os) != "linux":
        return None
    total = case.need_outcome(case.facts.memory.shm_total)
    free = case.facts.memory.shm_free
    size = total.value if isinstance(total, Known) else 0
    full = isinstance(free, Known) and free.value < SHM_FULL and size > 0
    several = _gpus(case.facts) > 1
    if not full and size >= (_NCCL_SHM if several else DOCKER_SHM + 1):
        return None
    harmful = several or full or size < DOCKER_SHM
    text = words(case.facts, "shared-memory-too-small")
    observed = (
        "not mounted" if isinstance(total, Absent) else f"{size // MIB} MiB" + (", full" if full else "")
    )
    harm = (
        "With several GPUs, NCCL passes data through /dev/shm and stops, or dies of SIGBUS, when it is full." if several
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
            *((text,) if text else ()),
        ),
        _larger_shm(case),
        Confidence.CERTAIN if text or full else Confidence.LIKELY,
        Severity.ERROR if text else Severity.WARNING if harmful else Severity.INFO,
    )


def _gpus(facts: Facts) -> int:
    return len(value_or(facts.driver.devices, ()))


def _larger_shm(case: Case) -> tuple[Fix, ...]:
    container = case.facts.host.container
    if isinstance(container, Known) and container.value == "kubernetes":
        return (fix("mount-emptydir-medium-memory-at-dev"),)
    if isinstance(container, Known):
        return (fix("start-container-with-larger-dev-shm"),)
    return (fix("make-dev-shm-larger"),)
