"""Every threshold of the checks on each side: the last value that is a fault, and the first that is none (or less bad).

The numbers stand here as they are meant, so that a slip in the code can't move both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.scenarios import conftest
from tests.scenarios.overlay import laid_over
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.judge.engine.case import Case, Policy
from tfdoctor.judge.judge import judge

MB, MIB, GIB = 10**6, 1 << 20, 1 << 30
QUIET = ""


def known(value: object) -> dict[str, object]:
    return {"status": "known", "value": value, "from": "the test"}


@dataclass(frozen=True)
class Step:
    """With `below` of the fact the code has the first answer, with `above` the second: a severity, or QUIET."""

    constant: str
    code: str
    path: str
    below: float
    above: float
    answers: tuple[str, str]
    more: Mapping[str, Any] | None = None
    base: str = "gpu"
    free_ram: int = 0
    free_vram: int = 0


SECOND = {
    "driver.devices[1]": {
        "uuid": "GPU-0f8e3b1c-0000-4000-8000-000000000001",
        "pci_bus_id": "0000:3c:00.0",
    },
    "nvml.devices[1]": {
        "uuid": "GPU-0f8e3b1c-0000-4000-8000-000000000001",
        "pci_bus_id": "00000000:3c:00.0",
    },
}
NO_SWAP = {"memory.swap_free": 0, "memory.cgroup_limit": {"status": "absent", "reason": "no limit"}}
FREE = "nvml.devices[0].memory_free"
TOTAL = 16106127360  # bytes of the base's GPU
JAX = "nvml.devices[0].processes"


def python_that_holds(share: float) -> list[dict[str, object]]:
    return [{"pid": 4242, "name": "python", "memory": known(round(share * TOTAL))}]


UNCOUNTED = {"death.counters": {"status": "failed", "error": "no memory cgroup can be seen"}}
KILLED_ELSEWHERE = {
    "death.counters": {"status": "known", "from": "the test", "value": []},
    "death.machine_kills": known(1),
    "death.kernel_kills": {"status": "failed", "error": "not permitted"},
}
HALF_FULL = {"death.fill": known({"filled": 4120, "wanted": 100000, "per_element": known(0.0)})}
FULL = {"memory.ram_available": 300 * MB, "memory.ram_total": 8 * GIB}
WAITING = {"memory.pressure_full_avg10": 40.0, "memory.ram_total": 8000 * MB}
STEPS = [
    Step("START_CHARGED", "memory-limit-too-small", "memory.cgroup_limit", 200 * MB - 1, 200 * MB, ("error", "warning")),
    Step("WORK_RESIDENT", "memory-limit-too-small", "memory.cgroup_limit", 622 * MB - 1, 622 * MB, ("warning", QUIET)),
    Step("WORK_RESIDENT", "memory-limit-too-small", "memory.ram_total", 622 * MB - 1, 622 * MB, ("warning", QUIET)),
    Step("START_ADDRESSES", "memory-limit-too-small", "memory.limit_address_space", 1450 * MB - 1, 1450 * MB, ("error", "warning"), base="cpu-unclimbed"),
    Step("WORK_ADDRESSES", "memory-limit-too-small", "memory.limit_address_space", 2700 * MB - 1, 2700 * MB, ("warning", QUIET), base="cpu-unclimbed"),
    Step("min_free_ram", "memory-limit-too-small", "memory.ram_available", 8 * GIB - 1, 8 * GIB, ("warning", QUIET), free_ram=8 * GIB),
    Step("START_CHARGED", "host-memory-exhausted", "memory.ram_available", 200 * MB - 1, 200 * MB, ("warning", QUIET), more=NO_SWAP),
    Step("_STALLED_PERCENT", "swap-thrashing", "memory.pressure_full_avg10", 9.99, 10.0, (QUIET, "warning"), more=FULL),
    Step("_PLENTY", "swap-thrashing", "memory.ram_available", 800 * MB - 1, 800 * MB, ("warning", QUIET), more=WAITING),
    Step("_SWAPPED_IN", "swap-thrashing", "memory.swap_in_per_s", 999.9, 1000.0, (QUIET, "warning")),
    Step("_NCCL_SHM", "shared-memory-too-small", "memory.shm_total", 256 * MIB - 1, 256 * MIB, ("warning", QUIET), more=SECOND),
    Step("DOCKER_SHM", "shared-memory-too-small", "memory.shm_total", 64 * MIB - 1, 64 * MIB, ("warning", "info")),
    Step("DOCKER_SHM", "shared-memory-too-small", "memory.shm_total", 64 * MIB, 64 * MIB + 1, ("info", QUIET)),
    Step("_FULL", "shared-memory-too-small", "memory.shm_free", MIB - 1, MIB, ("warning", QUIET)),
    Step("_FEW_FILES", "file-descriptors-exhausted", "memory.limit_open_files", 255, 256, ("warning", QUIET)),
    Step("_THREADS", "threads-exhausted", "memory.limit_processes", 17, 18, ("warning", QUIET), more={"host.cpu_count": 1}),
    Step("_THREADS_PER_CPU", "threads-exhausted", "memory.cgroup_pids_limit", 59, 60, ("warning", QUIET), more={"host.cpu_count": 8}),
    Step("_LITTLE", "disk-full", "memory.tmp_free", 100 * MB - 1, 100 * MB, ("warning", QUIET)),
    Step("_LITTLE", "disk-full", "memory.home_free", 100 * MB - 1, 100 * MB, ("warning", QUIET)),
    Step("_LITTLE", "wsl-memory-limit", "memory.ram_total", 4 * GIB - 1, 4 * GIB, ("warning", QUIET), more={"host.wsl": 2}),
    Step("OWN_NEED", "gpu-memory-held", FREE, 225 * MIB - 1, 225 * MIB, ("error", "warning")),
    Step("MUCH", "gpu-memory-held", FREE, TOTAL // 2 - 1, TOTAL // 2, ("warning", QUIET)),
    Step("min_free_vram", "gpu-memory-held", FREE, 15 * GIB - TOTAL // 8 - 1, 15 * GIB - TOTAL // 8, ("warning", QUIET), free_vram=15 * GIB - TOTAL // 8),
    Step("JAX_SHARE", "gpu-preallocation-clash", JAX, 0.719, 0.721, (QUIET, "warning")),
    Step("JAX_SHARE", "gpu-preallocation-clash", JAX, 0.779, 0.781, ("warning", QUIET)),
    Step("_AT_LIMIT", "container-oom-killed", "death.reading.most_cgroup", 1_900_000_000 - 1, 1_900_000_000, (QUIET, "error"), more=UNCOUNTED, base="watched"),
    Step("_ALMOST_FITS", "shuffle-buffer-too-large", "death.fill.per_element", 9_999.9, 10_000.0, (QUIET, "error"), more=HALF_FULL, base="watched"),
    Step("_NEARLY_NONE_BYTES", "host-oom-killed", "death.reading.least_available", 512 * MIB, 512 * MIB + 1, ("error", QUIET), more=KILLED_ELSEWHERE, base="watched"),
]  # fmt: skip


def answer(step: Step, value: float) -> str:
    """The severity of the code, or QUIET."""
    whole = (
        python_that_holds(value)
        if step.path == JAX
        else value
        if isinstance(value, float)
        else int(value)
    )
    base = dict(conftest.base(step.base)) | {
        path: known(each) for path, each in (step.more or {}).items() if "[" not in path and not isinstance(each, dict)
    }  # fmt: skip
    changes = {path: each for path, each in (step.more or {}).items() if path not in base or "[" in path or isinstance(each, dict)}  # fmt: skip
    document = laid_over(base, changes)
    path = step.path
    changed = laid_over(document, {path: whole if "[" in path else known(whole)})
    policy = Policy(min_free_ram=step.free_ram, min_free_vram=step.free_vram)
    judgement = judge(Case(from_json(changed, Facts), conftest.bundled(), policy))
    assert step.code not in [each.code for each in judgement.undecided]
    return next(
        (each.severity.value for each in judgement.findings if each.code == step.code), QUIET
    )


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step.constant}-{step.code}-{step.path}")
def test_each_side(step: Step) -> None:
    assert (answer(step, step.below), answer(step, step.above)) == step.answers


@pytest.mark.parametrize(("free", "confidence"), [(MB - 1, "certain"), (MB, "possible")])
def test_a_disk_that_is_full_is_certain_and_one_with_little_left_a_rule_of_thumb(
    free: int, confidence: str
) -> None:
    document = laid_over(conftest.base("gpu"), {"memory.tmp_free": known(free)})
    judgement = judge(Case(from_json(document, Facts), conftest.bundled()))
    assert (
        next(each.confidence.value for each in judgement.findings if each.code == "disk-full")
        == confidence
    )


@pytest.mark.parametrize(("size", "severity"), [(GIB - 1, "warning"), (GIB, "info")])
def test_cache_smaller_than_the_drivers_own(size: int, severity: str) -> None:
    """Then every start compiles again."""
    scenario = next(
        each
        for each in conftest.all_scenarios()
        if each.name == "ptx-jit-slow-start/rtx-5090-and-2.15"
    )
    changes = {"environment.variables": known({"CUDA_CACHE_MAXSIZE": str(size)})}
    judgement = judge(
        Case(from_json(laid_over(scenario.document(), changes), Facts), conftest.bundled())
    )
    found = next(each for each in judgement.findings if each.code == "ptx-jit-slow-start")
    assert found.severity.value == severity
