"""The driver stage on simulated GPUs: our own kernel, its numbers, and each way in which it can fail."""

from __future__ import annotations

import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Gpu, Scenario
from tests.driver.simulated import SimulatedDriver
from tfdoctor.ask.probes.driver import driver
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.smoke.ladder import run_driver_stage
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known, value_or
from tfdoctor.facts.smoke_values import DriverSmoke, Stage

TWO = (Gpu(), Gpu(uuid="GPU-5a1d0000-0000-4000-8000-000000000002", pci="00000000:AF:00.0"))


def climbed(
    folder: Path, scenario: Scenario, *, limit_s: float = 20.0
) -> tuple[DriverSmoke, Stage]:
    simulated = SimulatedDriver(folder, replace(scenario, faults=()))
    request = Request(system=System(environ=simulated.environment({"PATH": "/usr/bin:/bin"})))
    facts = Facts(driver=driver.ask(request, Facts()))
    simulated.write(scenario)
    fact, stage = run_driver_stage(request, facts, time.monotonic() + limit_s)
    assert isinstance(fact, Known)
    return fact.value, stage


def test_the_kernel_runs_right_on_each_simulated_gpu(tmp_path: Path) -> None:
    smoke, stage = climbed(tmp_path, Scenario(gpus=TWO))
    assert stage.status == "passed"
    assert [item.status for item in smoke.devices] == ["passed", "passed"]
    assert all(item.max_error == Known(0.0, "compared with a*b+a") for item in smoke.devices)
    assert all(isinstance(time_s, Known) and time_s.value > 0 for item in smoke.devices
               for time_s in (item.context_s, item.load_s, item.run_s))  # fmt: skip


def test_the_link_of_each_gpu_is_read_while_the_test_runs_simulated(tmp_path: Path) -> None:
    slow = replace(TWO[1], link_generation=1)
    smoke, _ = climbed(tmp_path, Scenario(gpus=(TWO[0], slow)))
    links = [
        (value_or(each.link_generation, 0), value_or(each.link_generation_max, 0))
        for each in smoke.devices
    ]
    assert links == [(4, 4), (1, 4)]


@pytest.mark.parametrize(
    "call",
    ["nvmlInit_v2", "nvmlDeviceGetHandleByPciBusId_v2", "nvmlDeviceGetCurrPcieLinkGeneration"],
)
def test_a_link_that_nvml_does_not_tell_of_fails_no_test_simulated(
    call: str, tmp_path: Path
) -> None:
    smoke, stage = climbed(tmp_path, Scenario(faults=(Fault.error(call, 999),)))
    assert stage.status == "passed"
    assert [isinstance(each.link_generation, Absent) for each in smoke.devices] == [True]


def test_wrong_numbers_of_a_simulated_gpu_are_seen(tmp_path: Path) -> None:
    smoke, stage = climbed(tmp_path, Scenario(wrong_kernel=True))
    (gpu,) = smoke.devices
    assert (gpu.status, stage.status) == ("wrong", "failed")
    assert "differ from a*b+a" in gpu.message
    assert isinstance(gpu.max_error, Known) and gpu.max_error.value > 0


@pytest.mark.parametrize(
    ("step", "code", "name"),
    [
        ("cuDevicePrimaryCtxRetain", 2, "CUDA_ERROR_OUT_OF_MEMORY"),
        ("cuDevicePrimaryCtxRetain", 46, "CUDA_ERROR_DEVICE_UNAVAILABLE"),
        ("cuModuleLoadDataEx", 222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
        ("cuMemAlloc_v2", 2, "CUDA_ERROR_OUT_OF_MEMORY"),
        ("cuLaunchKernel", 719, "CUDA_ERROR_LAUNCH_FAILED"),
        ("cuCtxSynchronize", 700, "CUDA_ERROR_ILLEGAL_ADDRESS"),
        ("cuMemcpyDtoH_v2", 214, "CUDA_ERROR_ECC_UNCORRECTABLE"),
    ],
)
def test_a_refusing_simulated_call_is_named_with_its_code(
    tmp_path: Path, step: str, code: int, name: str
) -> None:
    smoke, stage = climbed(tmp_path, Scenario(faults=(Fault.error(step, code),)))
    (gpu,) = smoke.devices
    assert (gpu.status, gpu.step, gpu.code) == ("failed", step, Known(code, step))
    assert gpu.message.startswith(name)
    assert stage.status == "failed" and step in stage.detail["error"]


def test_after_a_refusal_the_next_simulated_gpu_is_tried(tmp_path: Path) -> None:
    smoke, _ = climbed(
        tmp_path, Scenario(gpus=TWO, faults=(Fault.error("cuLaunchKernel", 719).at(1),))
    )
    assert [item.status for item in smoke.devices] == ["failed", "passed"]


@pytest.mark.slow  # waits for a limit
def test_a_simulated_gpu_that_hangs_does_not_hide_the_next(tmp_path: Path) -> None:
    faults = (Fault.hang("cuDeviceGet").at(1), Fault.hang("cuDeviceGet").at(2))
    smoke, _ = climbed(tmp_path, Scenario(gpus=TWO, faults=faults), limit_s=3.0)
    assert [item.step for item in smoke.devices] == ["cuDeviceGet", "cuDeviceGet"]
    assert smoke.devices[0].code == Failed("cuDeviceGet did not return within 2 s", "timed-out")
    assert smoke.end.how == "timeout"


@pytest.mark.slow  # waits for a limit
def test_a_simulated_kernel_that_does_not_end_is_named(tmp_path: Path) -> None:
    smoke, stage = climbed(
        tmp_path, Scenario(faults=(Fault.hang("cuCtxSynchronize"),)), limit_s=1.0
    )
    (gpu,) = smoke.devices
    assert (gpu.status, gpu.step, smoke.end.how) == ("failed", "cuCtxSynchronize", "timeout")
    assert "did not return" in stage.detail["error"]


def test_a_simulated_crash_is_named_and_the_next_gpu_is_tried(tmp_path: Path) -> None:
    smoke, _ = climbed(
        tmp_path, Scenario(gpus=TWO, faults=(Fault.crash("cuModuleLoadDataEx", signal.SIGBUS),))
    )
    assert [item.message for item in smoke.devices] == ["cuModuleLoadDataEx died of SIGBUS"] * 2
    assert (smoke.end.how, smoke.end.status) == ("signal", signal.SIGBUS)


def test_a_simulated_driver_that_no_longer_starts_is_told(tmp_path: Path) -> None:
    smoke, _ = climbed(tmp_path, Scenario(faults=(Fault.error("cuInit", 999),)))
    assert (smoke.devices[0].step, smoke.devices[0].code) == ("cuInit", Known(999, "cuInit"))


def test_the_simulated_gpu_is_given_back(tmp_path: Path) -> None:
    simulated = SimulatedDriver(tmp_path)
    environ = simulated.environment({"PATH": "/usr/bin:/bin"}, trace=True)
    request = Request(system=System(environ=environ))
    run_driver_stage(request, Facts(driver=driver.ask(request, Facts())), time.monotonic() + 20)
    calls = simulated.calls()
    assert calls.count("cuMemAlloc_v2") == calls.count("cuMemFree_v2") == 3
    assert (
        calls.count("cuDevicePrimaryCtxRetain") == calls.count("cuDevicePrimaryCtxRelease_v2") == 1
    )
