"""Two signs of one fault, or of two: what is planted into the simulated driver beside what NVML tells of the same GPU."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.driver.scenario import GIB, Fault, Gpu, Process, Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.real.command import doctor
from tests.real.test_driver_answers import Answer, machine

HOLDER = Process(4242, 22 * GIB, "python")
HELD = Gpu(memory_used=22 * GIB, processes=(HOLDER,))
ERRORS_COUNTED = Gpu(ecc_uncorrected_volatile=3, ecc_uncorrected_aggregate=3)
NO_MEMORY = (2, "cuMemAlloc_v2"), (2, "cuDevicePrimaryCtxRetain")
ONE_FAULT = {
    **{f"held and no memory in {function}": (HELD, function, number, "gpu-memory-held") for number, function in NO_MEMORY},
    "errors counted and a copy that answers 214": (ERRORS_COUNTED, "cuMemcpyDtoH_v2", 214, "gpu-hardware-fault"),
    "errors counted and a launch that fails": (ERRORS_COUNTED, "cuLaunchKernel", 719, "gpu-hardware-fault"),
    "taken by another and refused": (replace(HELD, compute_mode=3, memory_used=0), "cuDevicePrimaryCtxRetain", 46, "gpu-busy-exclusive"),
    "lost and refused": (Gpu(lost=True), "cuInit", 999, "gpu-hardware-fault"),
}  # fmt: skip


def roots(folder: Path, python: Path, gpu: Gpu, function: str, number: int) -> list[str]:
    root, _ = machine(folder, Answer(None, ""))
    scenario = Scenario(gpus=(gpu,), faults=(Fault.error(function, number),))
    driver = SimulatedDriver(folder / "with-the-fault", scenario, libraries=EVERYTHING)
    options = ("--sysroot", root, "--smoke", "driver", "--json", "--no-redact", "--timeout", "60")
    return doctor(
        "check",
        "--python",
        python,
        *options,
        env=driver.environment(dict(os.environ)),
        limit_s=70.0,
    ).roots


@pytest.mark.parametrize("name", ONE_FAULT)
def test_two_signs_of_one_simulated_fault(
    name: str, tensorflow_python: Path, tmp_path: Path
) -> None:
    gpu, function, number, code = ONE_FAULT[name]
    assert roots(tmp_path, tensorflow_python, gpu, function, number) == [code]


def test_a_simulated_fault_beside_held_memory_is_named_first(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    found = roots(tmp_path, tensorflow_python, HELD, "cuLaunchKernel", 719)
    assert found == ["smoke-driver-failed", "gpu-memory-held"]
