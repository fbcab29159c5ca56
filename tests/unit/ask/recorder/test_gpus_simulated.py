"""GPUs beside a command: what NVML tells of them, and that no hang of NVML reaches the command. NVML is simulated."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.driver.scenario import GIB, Fault, Gpu, Process, Scenario
from tests.driver.simulated import SimulatedDriver
from tests.unit.ask.recorder.watched import watched
from tests.waiting import until
from tfdoctor.ask.recorder.gpus import Gpus
from tfdoctor.ask.recorder.timeline import Sample

pytestmark = pytest.mark.slow  # runs of some seconds

LONG_AGO = 0.0


def looked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, scenario: Scenario, own: set[int]
) -> Sample:
    """The first answer, which may take a while to come."""
    for name, value in SimulatedDriver(folder, scenario).environment().items():
        monkeypatch.setenv(name, value)
    gpus = Gpus(LONG_AGO)
    try:
        return until(lambda: gpus.look(own))
    finally:
        gpus.end()


def test_own_and_others_memory_on_a_simulated_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = (Process(os.getpid(), 3 * GIB, "python"), Process(os.getppid(), 5 * GIB, "python"))
    scenario = Scenario(gpus=(Gpu(memory_used=8 * GIB, processes=held),))
    (gpu,) = looked(tmp_path, monkeypatch, scenario, {os.getpid()})["gpus"]
    assert (gpu["own_bytes"], gpu["others_bytes"], gpu["used_bytes"]) == (3 * GIB, 5 * GIB, 8 * GIB)
    assert gpu["total_bytes"] > 8 * GIB and 0 <= gpu["utilization"] <= 1


def test_numbers_of_another_system_on_a_simulated_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container: NVML tells the host's process numbers."""
    scenario = Scenario(
        gpus=(Gpu(memory_used=8 * GIB, processes=(Process((1 << 22) + 1, GIB, "x"),)),)
    )
    (gpu,) = looked(tmp_path, monkeypatch, scenario, {os.getpid()})["gpus"]
    assert gpu["used_bytes"] == 8 * GIB
    assert "own_bytes" not in gpu and "others_bytes" not in gpu


def test_a_run_beside_a_simulated_nvml_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = SimulatedDriver(tmp_path / "driver", Scenario(faults=(Fault.hang("nvmlDeviceGetMemoryInfo*", deaf=True),)))  # fmt: skip
    for name, value in driver.environment().items():
        monkeypatch.setenv(name, value)
    run = watched(
        tmp_path, sys.executable, "-c", "import time; time.sleep(1.5); raise SystemExit(3)"
    )
    assert (run.status, run.outcome) == (3, "exited-nonzero")
    assert all("gpus" not in each for each in run.report["timeline"]["samples"])


def test_a_run_beside_a_simulated_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = SimulatedDriver(tmp_path / "driver")
    for name, value in driver.environment(trace=True).items():
        monkeypatch.setenv(name, value)
    asked = f"[ $(grep -c nvmlDeviceGetMemoryInfo {driver.trace_file}) -gt 3 ]"  # by then the first answers were read
    run = watched(
        tmp_path,
        "sh",
        "-c",
        f"until {asked} 2>&-; do sleep 0.1; done",
        options=("--interval", "0.2"),
    )
    assert run.outcome == "success"
    assert any(each.get("gpus") for each in run.report["timeline"]["samples"])
