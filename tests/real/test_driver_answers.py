"""What the simulated driver and NVML answer, through the whole command: each answer with its own code."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.real.command import EXIT, Run, doctor

pytestmark = [
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.xdist_group("driver-answers"),
]

WITHOUT_NVML = tuple(name for name in EVERYTHING if name != "libnvidia-ml")
LIMIT_S = 20.0
MODULE = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}  Tue May 14 00:00:00 UTC 2024\n"


@dataclass(frozen=True)
class Answer:
    """One row: what fails, the one root that must be named, what its evidence must hold, and the machine."""

    fault: Fault | None
    code: str
    says: str = ""
    module: str = "555.42.02"
    uvm: bool = True
    libraries: tuple[str, ...] = EVERYTHING
    cuda_folder: str = "lib"
    container: bool = False
    limit_s: float = LIMIT_S


DRIVER_ANSWERS = {
    "3-not-initialized": Answer(Fault.error("cuInit", 3), "smoke-driver-failed", "3"),
    "34-stub": Answer(Fault.error("cu*", 34), "driver-library-unreachable", "34"),
    "34-stub-in-a-container": Answer(
        Fault.error("cu*", 34), "container-without-gpu", "34", container=True
    ),
    "100-no-device-with-hardware": Answer(Fault.error("cuInit", 100), "smoke-driver-failed", "100"),
    "802-fabric": Answer(Fault.error("cuInit", 802), "fabric-manager-not-running", "802"),
    "803-other-module": Answer(
        Fault.error("cuInit", 803), "driver-versions-differ", "535.129.03", module="535.129.03"
    ),
    "804-equal-versions-in-a-compat-folder": Answer(
        Fault.error("cuInit", 804),
        "forward-compat-unsupported",
        "804",
        cuda_folder="usr/local/cuda-12.5/compat",
    ),
    "804-with-versions-that-differ": Answer(
        Fault.error("cuInit", 804), "driver-versions-differ", "535.129.03", module="535.129.03"
    ),
    "999-without-uvm": Answer(Fault.error("cuInit", 999), "uvm-broken", "999", uvm=False),
    "999-unknown": Answer(Fault.error("cuInit", 999), "uvm-broken", "999"),
    "hang": Answer(Fault.hang("cuInit"), "driver-unresponsive", "cuInit"),
    "hang-that-ignores-signals": Answer(
        Fault.hang("cuInit", deaf=True), "driver-unresponsive", "cuInit"
    ),
    "crash": Answer(Fault.crash("cuInit", signal.SIGSEGV), "driver-unresponsive", "SIGSEGV"),
    "leaves": Answer(Fault.leave("cuInit", 0), "driver-unresponsive", "cuInit"),
    "kernel-launch-fails": Answer(Fault.error("cuLaunchKernel", 719), "smoke-driver-failed", "719"),
}
NVML_ANSWERS = {
    "4-no-permission": Answer(Fault.error("nvmlInit*", 4), "nvml-unusable", "4"),
    "9-driver-not-loaded": Answer(Fault.error("nvmlInit*", 9), "nvml-unusable", "9"),
    "15-gpu-is-lost": Answer(Fault.error("nvmlInit*", 15), "gpu-hardware-fault", "15"),
    "18-other-module": Answer(
        Fault.error("nvmlInit*", 18), "driver-versions-differ", "535.129.03", module="535.129.03"
    ),
    "18-alone": Answer(Fault.error("nvmlInit*", 18), "driver-versions-differ", "18"),
    "no-library": Answer(None, "nvml-unusable", "libnvidia-ml.so.1", libraries=WITHOUT_NVML),
    "hang": Answer(Fault.hang("nvmlInit*"), "driver-unresponsive", "nvmlInit", limit_s=8.0),
    "crash": Answer(Fault.crash("nvmlInit*", signal.SIGABRT), "driver-unresponsive", "SIGABRT"),
}


def machine(folder: Path, answer: Answer) -> tuple[Path, dict[str, str]]:
    """A laid-out machine with one GPU on its bus, and the environment that leads to the simulated driver."""
    device = folder / "sys/bus/pci/devices/0000:3b:00.0"
    files = {"vendor": "0x10de\n", "class": "0x030200\n", "device": "0x27b8\n"}
    device.mkdir(parents=True)
    for name, text in files.items():
        (device / name).write_text(text)
    for path, text in {
        "proc/driver/nvidia/version": MODULE.format(answer.module),
        "sys/module/nvidia/version": answer.module + "\n",
        "proc/sys/kernel/osrelease": "6.1.0-18-amd64\n",
        "proc/1/cgroup": "0::/\n",
        "etc/os-release": 'ID=debian\nVERSION_ID="12"\n',
        "dev/nvidia0": "", "dev/nvidiactl": "", **({"dev/nvidia-uvm": ""} if answer.uvm else {}),
        "usr/local/cuda/nvvm/libdevice/libdevice.10.bc": "", "usr/local/cuda/bin/ptxas": "",
        **({".dockerenv": ""} if answer.container else {}),
    }.items():  # fmt: skip
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / "usr/local/cuda/bin/ptxas").chmod(0o755)
    scenario = Scenario(faults=(answer.fault,) if answer.fault else ())
    driver = SimulatedDriver(folder / answer.cuda_folder, scenario, libraries=answer.libraries)
    return folder, driver.environment(dict(os.environ))


def check(folder: Path, answer: Answer, python: Path) -> Run:
    root, env = machine(folder, answer)
    options = (
        "--sysroot",
        root,
        "--smoke",
        "driver",
        "--json",
        "--no-redact",
        "--timeout",
        f"{answer.limit_s:g}",
    )
    run = doctor("check", "--python", python, *options, env=env, limit_s=LIMIT_S + 10)
    assert run.status == EXIT[run.report["verdict"]]
    return run


@pytest.mark.parametrize(
    "name",
    [  # a child waits ten seconds for what hangs, whether it heeds signals or not
        pytest.param(name, marks=pytest.mark.nightly if name == "hang" else ())
        for name in DRIVER_ANSWERS
    ],
)
def test_what_the_simulated_driver_answers(
    name: str, tensorflow_python: Path, tmp_path: Path
) -> None:
    the_one_root(DRIVER_ANSWERS[name], check(tmp_path, DRIVER_ANSWERS[name], tensorflow_python))


@pytest.mark.parametrize("name", NVML_ANSWERS)
def test_what_the_simulated_nvml_answers(
    name: str, tensorflow_python: Path, tmp_path: Path
) -> None:
    the_one_root(NVML_ANSWERS[name], check(tmp_path, NVML_ANSWERS[name], tensorflow_python))


def the_one_root(answer: Answer, run: Run) -> None:
    assert run.roots == [answer.code], run.report["summary"]
    assert (run.report["verdict"], run.status) == ("broken", 1)
    assert answer.says in json.dumps(run.finding(answer.code)["evidence"])
