"""Every threshold of the checks on each side: the last value that is a fault, and the first that is none (or less bad).

The numbers stand here as they are meant, so that a slip in the code can't move both.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tfdoctor.checks
from tests.scenarios import conftest
from tests.scenarios.overlay import laid_over
from tfdoctor.checks.engine.case import Case, Policy
from tfdoctor.checks.engine.judge import judge
from tfdoctor.facts.codec import facts_from_json

CHECKS = Path(tfdoctor.checks.__file__).parent
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
    "driver.devices[1]": {"uuid": "GPU-0f8e3b1c-0000-4000-8000-000000000001", "pci_bus_id": "0000:3c:00.0"},
    "nvml.devices[1]": {"uuid": "GPU-0f8e3b1c-0000-4000-8000-000000000001", "pci_bus_id": "00000000:3c:00.0"},
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
        python_that_holds(value) if step.path == JAX else value if isinstance(value, float) else int(value)
    )
    base = dict(conftest.base(step.base)) | {
        path: known(each) for path, each in (step.more or {}).items() if "[" not in path and not isinstance(each, dict)
    }  # fmt: skip
    changes = {path: each for path, each in (step.more or {}).items() if path not in base or "[" in path or isinstance(each, dict)}  # fmt: skip
    document = laid_over(base, changes)
    path = step.path
    changed = laid_over(document, {path: whole if "[" in path else known(whole)})
    policy = Policy(min_free_ram=step.free_ram, min_free_vram=step.free_vram)
    judgement = judge(Case(facts_from_json(changed), conftest.bundled(), policy))
    assert step.code not in [each.code for each in judgement.undecided]
    return next((each.severity.value for each in judgement.findings if each.code == step.code), QUIET)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: f"{step.constant}-{step.code}-{step.path}")
def test_each_side(step: Step) -> None:
    assert (answer(step, step.below), answer(step, step.above)) == step.answers


@pytest.mark.parametrize(("free", "confidence"), [(MB - 1, "certain"), (MB, "possible")])
def test_a_disk_that_is_full_is_certain_and_one_with_little_left_a_rule_of_thumb(
    free: int, confidence: str
) -> None:
    document = laid_over(conftest.base("gpu"), {"memory.tmp_free": known(free)})
    judgement = judge(Case(facts_from_json(document), conftest.bundled()))
    assert (
        next(each.confidence.value for each in judgement.findings if each.code == "disk-full") == confidence
    )


NO_LIMIT = {
    "LONGEST_PATH", "_BESIDE",  # Windows' own, and the name of a folder that conda unpacks into
    "_NOWHERE",  # the place of what no log says
    "_UNKNOWN_ERROR",  # one of CUDA's answers
    "_NO_WHOLE_GPU",  # tests/logs/test_kinds.py, both sides
    "_FIRST_THAT_FORBIDS", "_BOUND", "_NEWEST_PTX",  # releases
    "LONGEST", "_LONGEST", "_LONGEST_TITLE", "_SHOWN", "_SHOWN_AT_MOST", "_NAMED", "_MISSING_SHOWN", "_TITLE",  # how much of a text is shown
    "_SHORTEST_FLAG", "_SHORTEST_VALUE",  # tests/unit/checks of variables
    "BITS", "_SIGILL", "_SIGBUS", "_SIGKILL", "_CRASHES", "_METAL_CRASHES", "_NAMES", "_BY_HAND", "_ABORTED", "_WSL2", "NO_PERMISSION", "OUT_OF_MEMORY", "_PASSED_ON",  # names
    "MB", "MIB", "_GIB", "_PER_GIB", "_UNITS",  # units
    "_STEPS_ENOUGH", "_SMALL_PIECE", "_ROOM_FACTOR", "_LEAST_GIB",  # tests/logs/test_hosts.py, both sides
    "_WIDEST_KERNEL", "_OF_PICTURES",  # tests/logs/test_compilers_and_places.py, both sides; the dimensions of a batch of pictures
    "_BY_CONDA", "_OF_CUDA_12", "_UNLOADED",  # majors of CUDA and cuDNN, one of CUDA's answers
    "_FIRST_WITH_MAJOR_ALONE", "_CUDA_RELEASES",  # a release: cuBLAS of CUDA 10.1; releases that are typed for an architecture
    "_GOES_ON",  # lines of one message; tests/logs/test_own_kinds.py
    "_KNOWS_CYTHON_3",  # a release: PyYAML 6.0.1
    "_APART",  # lines between an import and its exception; tests/public/logs/h2-15-46
    "_NEAR", "_LONG",  # lines between a frame and the word behind it; how much of a text is shown
    "NVJITLINK_SINCE",  # ptxas-missing/old-release and /nvjitlink
    "_NEWEST_BRANCH",  # the newest that was read; tests/unit/checks/test_unsupported.py
    "_PROBABILITY_AHEAD", "_LAST_IN_STEP",  # tests/logs/test_ways_out.py
    "_API", "_FIRST_ABI", "_FIRST_FOR_NUMPY_2", "_NEEDS_PROTOBUF_5", "_UNKNOWN",  # releases; tests/logs/test_ranges.py
    "_LARGE_MATRIX", "_MOST_UNITS", "_LARGEST_KERNEL", "_CHANNELS", "_AT_ONCE", "_PICTURES", "_MANY", "_SMALL",  # tests/logs/test_room_for_memory.py, both sides
    "_SMALL_MB", "_WORTH_TELLING",  # tests/logs/test_room_for_memory.py, both sides
    "_A_PART", "_HALF", "_ENOUGH",  # tests/logs/test_room_for_memory.py, both sides
    "_TOOLKIT", "_LAST_TOOLKIT",  # a name and a release; tests/logs/test_room_for_memory.py
    "_NAMES_SHOWN",  # how much of a list is shown
    "_GB",  # a unit
    "_ROOM", "_TELLING",  # tests/logs/test_limits.py, both sides
    "_PUBLISHED", "_OF_RUNTIME", "_OF_CUDA_10", "_FIRST", "_LAST", "_NEWEST",  # releases; tests/logs/test_places.py
    "_KEPT_OLD_NAMES", "_LAST_FOR_ENDED", "_LAST_WITH_CORE", "_KERAS_3",  # releases; tests/logs/test_ranges.py and test_misfits.py
    "_SEVERAL",  # others that agree with the user; tests/logs/test_resolvers.py
    "_ON_THE_WAY", "_A_CHAIN",  # tests/logs/test_looked_for_in_vain.py, both sides
    "_MOST", "_FEW",  # how many ways out, or names, are shown
    "_STACK", "_WORDS",  # statuses of Windows, and their words
    "_NEXT_TO_NOTHING", "_GENERATION", "_LINES_BELOW", "_BANNER_LINES",  # tests/logs/test_clusters.py, both sides
    "_LARGEST_BATCH", "_LARGE_TENSOR", "_COLOURS", "_FAST_FAIL", "_BEHIND", "_ILLEGAL",  # tests/logs/test_deaths.py, both sides; a status
    "_POOL", "_AT_MOST",  # tests/logs/test_stops.py, both sides
    "_DEFAULT_CACHE",  # ptx-jit-slow-start: test_cache_smaller_than_the_drivers_own
}  # fmt: skip


IN_SEVERAL_FILES = {
    "MB": {"resources/process.py", "resources/memory.py"},
    "_CRASHES": {"log/stops/forked.py", "smoke/crashes.py"},
    "_LAST": {"log/around/releases.py", "log/fit/pins.py"},
    "_LITTLE": {"resources/process.py", "resources/wsl.py"},
    "_LONGEST": {"log/kinds/options.py", "questions/stage_output.py"},
    "_MOST": {"log/first/steps.py", "log/unfound/names.py", "log/own/said.py"},
    "_SHOWN": {"libraries/libraries_mixed.py", "questions/last_words.py", "installation/notes.py"},
    "_SMALL": {"log/first/memory.py", "log/stops/shuffles.py"},
    "_TELLING": {"log/companions.py", "log/fit/misfit.py"},
}
"""A name that stands in a line above is accounted for in these files alone."""


def constants() -> dict[str, set[str]]:
    """The numbers that the files of `checks/` name at their top, each with its files."""
    found: dict[str, set[str]] = {}
    for file in CHECKS.rglob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.Assign) or not _is_number(node.value):
                continue
            for name in (each for target in node.targets for each in ast.walk(target)):
                if isinstance(name, ast.Name):
                    found.setdefault(name.id, set()).add(str(file.relative_to(CHECKS)))
    return found


def _is_number(value: ast.expr) -> bool:
    numbers = [each for each in ast.walk(value) if isinstance(each, ast.Constant) and type(each.value) in (int, float)]  # fmt: skip
    return bool(numbers) and not any(isinstance(each, (ast.Call, ast.Subscript)) for each in ast.walk(value))


def test_every_number_in_the_checks_is_a_step_here_or_no_limit() -> None:
    """A new threshold gets a line above, with its two sides."""
    held = {step.constant for step in STEPS} | NO_LIMIT
    unheld = {name: files for name, files in constants().items() if name not in held}
    assert unheld == {}, (
        "tests/unit/checks/test_thresholds.py: a limit of ours gets a line in STEPS with its two sides, any other number one in NO_LIMIT"
    )


def test_a_number_is_not_taken_for_another_of_its_name() -> None:
    several = {name: files for name, files in constants().items() if len(files) > 1}
    assert several == IN_SEVERAL_FILES, (
        "tests/unit/checks/test_thresholds.py: give the number a name of its own, or hold it as well and add its file to IN_SEVERAL_FILES"
    )


@pytest.mark.parametrize(("size", "severity"), [(GIB - 1, "warning"), (GIB, "info")])
def test_cache_smaller_than_the_drivers_own(size: int, severity: str) -> None:
    """Then every start compiles again."""
    scenario = next(
        each for each in conftest.all_scenarios() if each.name == "ptx-jit-slow-start/rtx-5090-and-2.15"
    )
    changes = {"environment.variables": known({"CUDA_CACHE_MAXSIZE": str(size)})}
    judgement = judge(Case(facts_from_json(laid_over(scenario.document(), changes)), conftest.bundled()))
    found = next(each for each in judgement.findings if each.code == "ptx-jit-slow-start")
    assert found.severity.value == severity
