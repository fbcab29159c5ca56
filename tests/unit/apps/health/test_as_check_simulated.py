"""The health check is 0 exactly where `check --smoke none` is: without a state, with one, with a stale one, with none to write."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Gpu, Mig, Process, Scenario
from tests.driver.simulated import SimulatedDriver
from tests.unit.ask.probes.fake_environments import (
    TENSORFLOW_FILES,
    add_distribution,
    make_venv,
    site_of,
)

from .machine import REPOSITORY, Said, run

pytestmark = pytest.mark.slow  # each starts the program six times
ON_CPU = {
    name: text.replace("'is_cuda_build', True", "'is_cuda_build', False")
    for name, text in TENSORFLOW_FILES.items()
}
MACHINES: dict[str, tuple[Scenario | None, dict[str, str]]] = {
    "no driver": (None, {}),
    "no driver, no GPU wanted": (None, {"TFDOCTOR_REQUIRE_GPU": "0"}),
    "no driver, a GPU wanted": (None, {"TFDOCTOR_REQUIRE_GPU": "1"}),
    "a GPU": (Scenario(), {}),
    "a GPU that is hidden": (Scenario(faults=(Fault.error("cuInit", 100),)), {"CUDA_VISIBLE_DEVICES": "-1"}),
    "cuInit fails": (Scenario(faults=(Fault.error("cuInit", 999),)), {}),
    "the driver was replaced": (Scenario(faults=(Fault.error("nvmlInit*", 18), Fault.error("cuInit", 803))), {}),
    "a finding that is ignored": (Scenario(), {"TFDOCTOR_IGNORE": "tensorflow-cpu-only"}),
    "compute mode forbids": (Scenario(gpus=(Gpu(compute_mode=2),)), {"TFDOCTOR_IGNORE": "tensorflow-cpu-only"}),
}  # fmt: skip


class Host:
    """This machine with an environment of its own; `command` is either command on it."""

    def __init__(self, folder: Path, scenario: Scenario | None, variables: dict[str, str]) -> None:
        self.venv, self.home = make_venv(folder / "venv"), folder / "home"
        add_distribution(site_of(self.venv), "tensorflow-cpu", "2.21.0", ON_CPU)
        self.home.mkdir()
        base = {"PATH": os.environ["PATH"], "HOME": str(self.home), "PYTHONPATH": str(REPOSITORY)}
        base |= {
            "XDG_RUNTIME_DIR": str(folder),
            "TMPDIR": str(folder),
            "TFDOCTOR_PYTHON": str(self.venv),
            **variables,
        }
        self.driver = SimulatedDriver(folder / "driver")
        if scenario is not None:
            self.driver.write(scenario)
        self.environment = self.driver.environment(base) if scenario is not None else base

    def command(self, *words: str) -> Said:
        return run([sys.executable, "-m", "tfdoctor", *words], self.environment, timeout=60)

    def agrees(self, *options: str) -> Said:
        """The health check, whose status must be that of the examination."""
        said = self.command("healthcheck", "--timeout", "30", "-v", *options)
        expected = self.command("check", "--smoke", "none").status
        assert said.status == (0 if expected == 0 else 1), (expected, said.output)
        return said


@pytest.mark.parametrize("name", MACHINES)
def test_one_verdict_simulated(name: str, tmp_path: Path) -> None:
    host = Host(tmp_path, *MACHINES[name])
    assert "examined now" in host.agrees().output, "without a state"
    assert " s ago" in host.agrees().output, "with one"
    add_distribution(site_of(host.venv), "numpy", "0.1")
    assert "examined now" in host.agrees().output, "with one of another environment"
    nowhere = host.agrees("--state", "/proc/nowhere/state.json")
    assert "examined now" in nowhere.output and "not kept" in nowhere.output


NVML_CALLS = (
    "nvmlInit*", "nvmlSystemGetDriverVersion", "nvmlSystemGetCudaDriverVersion*", "nvmlDeviceGetCount*", "nvmlDeviceGetHandleByIndex*",
    "nvmlDeviceGetName", "nvmlDeviceGetUUID", "nvmlDeviceGetPciInfo*", "nvmlDeviceGetCudaComputeCapability", "nvmlDeviceGetMemoryInfo*",
    "nvmlDeviceGetComputeMode", "nvmlDeviceGetMigMode", "nvmlDeviceGetTotalEccErrors", "nvmlDeviceGetRetiredPagesPendingStatus",
    "nvmlDeviceGetRemappedRows", "nvmlDeviceGetCurrentClocks*Reasons", "nvmlDeviceGetTemperature", "nvmlDeviceGetUtilizationRates",
    "nvmlDeviceGetCurrPcieLinkWidth", "nvmlDeviceGetMaxPcieLinkWidth", "nvmlDeviceGetVirtualizationMode", "nvmlDeviceGetComputeRunningProcesses*", "nvmlDeviceGetGraphicsRunningProcesses*",
)  # fmt: skip
COUNTERS = (
    "nvmlDeviceGetTotalEccErrors",
    "nvmlDeviceGetRetiredPagesPendingStatus",
    "nvmlDeviceGetRemappedRows",
)
CUDA_BUILD = {"TFDOCTOR_IGNORE": "tensorflow-cpu-only"}


@pytest.mark.parametrize("call", NVML_CALLS)
def test_one_refused_call_simulated(call: str, tmp_path: Path) -> None:
    """Both say the same of it, and neither says of a GPU that answers that it does not."""
    host = Host(tmp_path, Scenario(faults=(Fault.error(call, 999),)), CUDA_BUILD)
    said = host.agrees()
    if call in COUNTERS:
        assert said.status == 1
        assert "a hardware counter can't be read (NVML 999)" in said.output
    assert ("does not answer" in said.output) == (call == "nvmlDeviceGetHandleByIndex*")


BUSY = Gpu(processes=(Process(4242, 512 << 20, "python"),))
SLICED = Gpu(mig_mode=1, mig=(Mig("MIG-5a1d0000-0000-5000-8000-000000000001"),))
VIRTUAL = Gpu(virtualization=2, license_supported=True, licensed=True)
ASKED_OF_SOME = {
    "nvmlSystemGetProcessName": BUSY, "nvmlDeviceGetComputeRunningProcesses*": BUSY, "nvmlDeviceGetMaxMigDeviceCount": SLICED,
    "nvmlDeviceGetMigDeviceHandleByIndex": SLICED, "nvmlDeviceGetGridLicensableFeatures*": VIRTUAL,
}  # fmt: skip


@pytest.mark.parametrize("call", ASKED_OF_SOME)
def test_one_refused_call_that_only_some_gpus_are_asked_simulated(
    call: str, tmp_path: Path
) -> None:
    """A GPU that somebody uses, one cut into slices, a virtual one."""
    said = Host(
        tmp_path,
        Scenario(gpus=(ASKED_OF_SOME[call],), faults=(Fault.error(call, 999),)),
        CUDA_BUILD,
    ).agrees()
    assert "does not answer" not in said.output


@pytest.mark.parametrize("code", [4, 15])
@pytest.mark.parametrize(
    "call", ["nvmlDeviceGetRemappedRows", "nvmlDeviceGetMemoryInfo*", "nvmlDeviceGetUUID"]
)
def test_no_permission_and_a_lost_gpu_are_the_same_for_both_simulated(
    call: str, code: int, tmp_path: Path
) -> None:
    """NVML_ERROR_NO_PERMISSION, NVML_ERROR_GPU_IS_LOST."""
    said = Host(tmp_path, Scenario(faults=(Fault.error(call, code),)), CUDA_BUILD).agrees()
    assert ("is lost" in said.output) == (code == 15)


def test_a_narrow_link_is_no_fault_for_either_simulated(tmp_path: Path) -> None:
    host = Host(tmp_path, Scenario(gpus=(Gpu(link_width=4),)), CUDA_BUILD)
    assert host.agrees().status == 0
    assert "GPU 0's PCIe link uses 4 of 16 lanes" in host.command("check", "--smoke", "none").output


def test_a_slow_link_is_told_by_the_gpu_test_alone_simulated(tmp_path: Path) -> None:
    """An idle GPU lowers its link's generation. The GPU test runs beside a build with CUDA alone."""
    host = Host(tmp_path, Scenario(gpus=(Gpu(link_generation=1),)), {})
    add_distribution(site_of(host.venv), "tensorflow", "2.21.0", TENSORFLOW_FILES)
    assert "generation 1 of 4" in host.command("check", "--smoke", "driver").output
    assert "PCIe" not in host.command("check", "--smoke", "none").output


def test_row_remap_that_failed_is_a_fault_for_both_simulated(tmp_path: Path) -> None:
    said = Host(tmp_path, Scenario(gpus=(Gpu(remapped_failed=True),)), CUDA_BUILD).agrees()
    assert said.status == 1
    assert "no spare memory is left" in said.output


def test_what_was_repaired_is_healthy_at_once_simulated(tmp_path: Path) -> None:
    host = Host(tmp_path, None, {})
    metadata = site_of(host.venv) / "tensorflow_cpu-2.21.0.dist-info/METADATA"
    whole = metadata.read_text()
    metadata.write_text(whole.replace("\n\n", "\nRequires-Dist: numpy>=1\n\n", 1))
    assert host.agrees().status == 1
    metadata.write_text(whole)
    assert host.agrees().status == 0
