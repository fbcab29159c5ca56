"""Each answer of a driver, asked by the real probes of a simulated driver, leads to its own code.

The rest of the machine is a healthy one with TensorFlow 2.21 (literal facts), on which neither the bus nor /proc
shows a GPU, as on the machine that runs this test.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Scenario
from tests.driver.simulated import DRIVER, SimulatedDriver
from tests.unit.checks.machines import base, changed, finding, roots
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.probes.driver import driver, nvml
from tfdoctor.probes.driver.release import joined
from tfdoctor.probes.request import Request
from tfdoctor.system.sysroot import System

NOTHING = {
    "gpus_on_bus": Absent("no GPU on the bus"),
    "gpu_device_nodes": Absent("no GPU device in /dev"),
    "uvm_node": Absent("/dev/nvidia-uvm does not exist"),
}


def facts_with(folder: Path, *faults: Fault, libraries: tuple[str, ...] = tuple(DRIVER)) -> Facts:
    """The healthy machine with what the probes hear from a simulated driver that has these faults."""
    simulated = SimulatedDriver(folder, Scenario(faults=faults), libraries=libraries)
    request = Request(system=System(environ=simulated.environment()), child_limit_s=2.0)
    facts = changed(base(), host=NOTHING, tensorflow={"version": Known("2.21.0", "METADATA")})
    groups = Facts(driver=driver.ask(request, Facts()), nvml=nvml.ask(request, Facts()))
    answered = changed(facts, driver=vars(groups.driver), nvml=vars(groups.nvml))
    return joined(answered)


def test_simulated_driver_in_order_is_healthy(tmp_path: Path) -> None:
    assert roots(facts_with(tmp_path)) == []


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (3, "smoke-driver-failed"),
        (34, "driver-library-unreachable"),
        (100, "smoke-driver-failed"),
        (802, "fabric-manager-not-running"),
        (803, "driver-versions-differ"),
        (804, "forward-compat-unsupported"),
        (999, "uvm-broken"),
    ],
)
def test_simulated_answer_of_cuinit(tmp_path: Path, number: int, code: str) -> None:
    facts = facts_with(tmp_path, Fault.error("cuInit", number))
    assert roots(facts) == [code]
    assert f"cuInit answers {number}" in finding(facts, code).evidence[0].observed


def test_simulated_driver_without_a_device_is_no_gpu_where_nvml_knows_none_either(tmp_path: Path) -> None:
    facts = facts_with(tmp_path, Fault.error("cuInit", 100), libraries=("libcuda",))
    assert roots(facts) == []
    assert finding(facts, "gpu-absent").severity.value == "info"


@pytest.mark.slow  # waits for a limit
@pytest.mark.parametrize(
    "fault", [Fault.hang("cuInit"), Fault.crash("cuInit", signal.SIGSEGV), Fault.hang("nvmlInit*")]
)
def test_simulated_hang_and_crash(tmp_path: Path, fault: Fault) -> None:
    assert roots(facts_with(tmp_path, fault)) == ["driver-unresponsive"]


@pytest.mark.parametrize(
    ("number", "code"),
    [(4, "nvml-unusable"), (9, "nvml-unusable"), (15, "gpu-hardware-fault"), (18, "driver-versions-differ")],
)
def test_simulated_answer_of_nvml(tmp_path: Path, number: int, code: str) -> None:
    facts = facts_with(tmp_path, Fault.error("nvmlInit*", number))
    assert roots(facts) == [code]
    assert f"nvmlInit answers {number}" in finding(facts, code).evidence[0].observed


def test_simulated_driver_without_nvml(tmp_path: Path) -> None:
    assert roots(facts_with(tmp_path, libraries=("libcuda",))) == ["nvml-unusable"]
