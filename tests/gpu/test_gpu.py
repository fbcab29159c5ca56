"""Every answer about a GPU beside what nvidia-smi says of it.

Where nvidia-smi finds no GPU, the tests of the marker `gpu` are skipped and say so; the same statements are tried on the simulated
driver, except for what only a real one accounts for: memory that another process has.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.driver.scenario import GIB, MIB, Gpu, Scenario
from tests.driver.simulated import SimulatedDriver
from tests.needs import NVIDIA_GPU

ASKED = (
    "uuid",
    "name",
    "driver_version",
    "memory.total",
    "memory.used",
    "memory.free",
    "compute_cap",
    "compute_mode",
    "pci.bus_id",
)
HELD = 512 * MIB
NOISE = 64 * MIB
"""What a driver's own bookkeeping and programs that start and end between two looks may make of a difference."""
HOLD = """
import ctypes, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
def call(name, *given):
    if (code := getattr(cuda, name)(*given)):
        raise SystemExit(f"{name}: {code}")
device, context, memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_ulonglong()
call("cuInit", 0)
call("cuDeviceGet", ctypes.byref(device), 0)
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
call("cuCtxSetCurrent", context)
call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(int(sys.argv[1])))
print("held", flush=True)
time.sleep(float(sys.argv[2]))
"""  # fmt: skip


class Machine:
    """A machine with a GPU. `rows`: what nvidia-smi says of each GPU, by its own names."""

    def __init__(self, driver: SimulatedDriver | None) -> None:
        self.driver = driver
        self.environ = driver.environment() if driver else {**os.environ}
        self.environ.pop("CUDA_VISIBLE_DEVICES", None)

    def rows(self) -> list[dict[str, str]]:
        if self.driver:
            return [
                {
                    "uuid": each.uuid, "name": each.name, "driver_version": self.driver.scenario.driver_version,
                    "memory.total": str(each.memory_total // MIB), "memory.used": str(each.memory_used // MIB),
                    "memory.free": str((each.memory_total - each.memory_used) // MIB), "compute_cap": each.compute_capability,
                    "compute_mode": "Default", "pci.bus_id": each.pci,
                }
                for each in self.driver.scenario.gpus
            ]  # fmt: skip
        said = smi(f"--query-gpu={','.join(ASKED)}", "--format=csv,noheader,nounits")
        return [
            dict(zip(ASKED, (field.strip() for field in row), strict=True))
            for row in csv.reader(said.splitlines())
        ]

    def run(self, *words: str, **environ: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tfdoctor", *words], env=self.environ | environ, capture_output=True, text=True, timeout=240
        )  # fmt: skip

    def checked(self, *words: str, **environ: str) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(
            self.run("check", "--json", "--no-redact", *words, **environ).stdout
        )
        return document

    @contextmanager
    def holding(self, size: int, seconds: float = 60.0) -> Iterator[None]:
        """Another process has that much of the first GPU's memory."""
        if self.driver:
            before = self.driver.scenario
            first = before.gpus[0]
            self.driver.write(Scenario(gpus=(Gpu(memory_used=first.memory_used + size),)))
            yield
            self.driver.write(before)
            return
        program = [sys.executable, "-c", HOLD, str(size), str(seconds)]
        with subprocess.Popen(
            program, env=self.environ, stdout=subprocess.PIPE, text=True
        ) as holder:
            assert holder.stdout is not None
            try:
                assert holder.stdout.readline() == "held\n", (
                    "the GPU's memory is full, or it allows one process alone"
                )
                yield
            finally:
                holder.kill()


def smi(*words: str) -> str:
    return subprocess.run(
        ["nvidia-smi", *words], capture_output=True, text=True, check=True, timeout=60
    ).stdout


@pytest.fixture(
    params=[
        pytest.param("real", marks=pytest.mark.gpu),
        pytest.param("simulated", marks=pytest.mark.slow),
    ]
)
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Machine:
    return real() if request.param == "real" else Machine(SimulatedDriver(tmp_path / "driver"))


def real() -> Machine:
    if (
        shutil.which("nvidia-smi") is None
        or "GPU " not in subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout
    ):
        pytest.skip(NVIDIA_GPU)
    return Machine(None)


def value(document: dict[str, Any], path: str) -> Any:
    fact = document["facts"][path]
    assert fact["status"] == "known", (path, fact)
    return fact["value"]


def test_each_gpu_is_what_nvidia_smi_says(machine: Machine) -> None:
    document, rows = machine.checked("--smoke", "none"), machine.rows()
    devices = value(document, "nvml.devices")
    assert [(each["uuid"], each["name"]) for each in devices] == [
        (row["uuid"], row["name"]) for row in rows
    ]
    for device, row in zip(devices, rows, strict=True):
        assert abs(device["memory_total"]["value"] - int(row["memory.total"]) * MIB) <= MIB
        assert abs(device["memory_used"]["value"] - int(row["memory.used"]) * MIB) <= max(
            NOISE, int(row["memory.used"]) * MIB // 10
        )
        assert device["compute_capability"]["value"] == row["compute_cap"]
        assert (
            device["compute_mode"]["value"].split("-")[0]
            == row["compute_mode"].lower().split("_")[0]
        )
    assert value(document, "driver.version") == rows[0]["driver_version"]
    assert value(document, "driver.init_code") == 0
    assert {each["pci_bus_id"].lower()[-10:] for each in value(document, "driver.devices")} <= {row["pci.bus_id"].lower()[-10:] for row in rows}  # fmt: skip


def test_the_driver_computes_on_each_gpu(machine: Machine) -> None:
    document = machine.checked("--smoke", "driver")
    (driver,) = (each for each in document["smoke"]["stages"] if each["name"] == "driver")
    assert driver["status"] == "passed", driver
    assert all(each["status"] == "passed" for each in value(document, "smoke.driver")["devices"])


def test_health_of_a_gpu_that_is_there_and_of_one_that_is_hidden(machine: Machine) -> None:
    good = machine.run("healthcheck", "--node", "--require-gpu", "--gpus", str(len(machine.rows())))
    assert good.returncode == 0, good.stdout
    hidden = machine.run("healthcheck", "--require-gpu", "--json", CUDA_VISIBLE_DEVICES="-1")
    assert hidden.returncode == 1
    assert "gpu-hidden" in {each["code"] for each in json.loads(hidden.stdout)["points"]}


def test_health_where_another_process_has_the_memory(machine: Machine) -> None:
    free = min(int(row["memory.free"]) for row in machine.rows()) * MIB
    needed = str(free - HELD // 2)
    assert machine.run("healthcheck", "--node", "--min-free-vram", needed).returncode == 0
    with machine.holding(HELD):
        held = machine.run("healthcheck", "--node", "--min-free-vram", needed, "--json")
    assert held.returncode == 1
    assert [
        each["check"] for each in json.loads(held.stdout)["points"] if each["status"] == "fault"
    ] == ["vram"]


@pytest.mark.gpu
def test_a_run_sees_what_its_own_command_allocates(tmp_path: Path) -> None:
    """A simulated driver keeps each process' memory to itself, so that only a real one shows it."""
    machine, report = real(), tmp_path / "report.json"
    done = machine.run(
        "run",
        "--interval",
        "0.2",
        "--report",
        str(report),
        "--",
        sys.executable,
        "-c",
        HOLD,
        str(HELD),
        "5",
    )
    assert done.returncode == 0, done.stderr
    samples = json.loads(report.read_text())["timeline"]["samples"]
    used = [each["gpus"][0]["used_bytes"] for each in samples if each.get("gpus")]
    assert used, "NVML did not answer while the command ran"
    # the context comes beside it: a few hundred MiB, by GPU and driver
    assert HELD - NOISE <= max(used) - min(used) <= HELD + GIB
    own = [
        each["gpus"][0]["own_bytes"]
        for each in samples
        if each.get("gpus") and "own_bytes" in each["gpus"][0]
    ]
    # Left out where NVML's process numbers are another system's.
    assert not own or HELD <= max(own) <= HELD + GIB


@pytest.mark.gpu
def test_an_exclusive_gpu_that_is_taken() -> None:
    """Only where somebody has set it so: no test changes a GPU's settings."""
    machine = real()
    if machine.rows()[0]["compute_mode"] != "Exclusive_Process":
        pytest.skip(NVIDIA_GPU + " in exclusive mode")
    with machine.holding(MIB):
        codes = {each["code"] for each in machine.checked("--smoke", "driver")["findings"]}
    assert "gpu-busy-exclusive" in codes, codes


@pytest.mark.gpu
def test_the_verdict_on_an_installed_tensorflow() -> None:
    """Its own list of devices and tfdoctor's verdict agree."""
    machine = real()
    python = os.environ.get("TFDOCTOR_GPU_PYTHON") or shutil.which("python3") or sys.executable
    program = "import tensorflow as tf; print(len(tf.config.list_physical_devices('GPU')))"
    asked = subprocess.run(
        [python, "-c", program], env=machine.environ, capture_output=True, text=True, timeout=240
    )
    if "No module named 'tensorflow'" in asked.stderr:
        pytest.skip("needs TensorFlow: TFDOCTOR_GPU_PYTHON names a Python that has it")
    document = machine.checked("--python", python, "--require-gpu", "--timeout", "200")
    works = asked.returncode == 0 and int(asked.stdout.split()[-1]) == len(machine.rows())
    assert (document["verdict"] != "broken") is works, document["summary"]


@pytest.mark.gpu
def test_it_is_kept_for_the_tests_of_all_machines(tmp_path: Path) -> None:
    """A redacted report for tests/machines, in dist/gpu-machine."""
    machine = real()
    kept = Path(__file__).parents[2] / "dist" / "gpu-machine"
    kept.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    machine.run("check", "--smoke", "driver", "-o", str(kept / "report.json"))
    document = json.loads((kept / "report.json").read_text())
    assert value(document, "nvml.devices") and time.monotonic() - begun < 60
    assert not any(row["uuid"] in json.dumps(document) for row in machine.rows())
