"""`plan` and `check` agree: a fixed sample of GPU x driver x Python, asked of both."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from functools import cache
from itertools import product

import pytest

from tests.scenarios.releases import of_release
from tests.unit.judge.machines import BASES, bundled, changed
from tfdoctor.base.records import replace
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.values import Library, PciGpu
from tfdoctor.facts.versions import (
    ComputeCapability,
    CudaRelease,
    DriverRelease,
    GlibcRelease,
    LibraryRelease,
    PythonRelease,
)
from tfdoctor.fix.machine import Machine
from tfdoctor.fix.plan import Plan, plan
from tfdoctor.judge.engine.case import Case, Policy
from tfdoctor.judge.judge import judge
from tfdoctor.knowledge.model import Severity

GPUS = {
    "Tesla K80": ("3.7", "102d"), "GeForce GTX 750 Ti": ("5.0", "1380"), "Tesla M60": ("5.2", "13f2"),
    "Tesla P100-PCIE-16GB": ("6.0", "15f8"), "NVIDIA GeForce GTX 1080 Ti": ("6.1", "1b06"), "Tesla V100-SXM2-16GB": ("7.0", "1db1"),
    "Tesla T4": ("7.5", "1eb8"), "NVIDIA GeForce RTX 2080 Ti": ("7.5", "1e07"), "NVIDIA A100-SXM4-40GB": ("8.0", "20b0"),
    "NVIDIA A30": ("8.0", "20b7"), "NVIDIA GeForce RTX 3090": ("8.6", "2204"), "NVIDIA A10": ("8.6", "2236"),
    "NVIDIA GeForce RTX 4090": ("8.9", "2684"), "NVIDIA L40S": ("8.9", "26b9"), "NVIDIA GeForce RTX 4060": ("8.9", "2882"),
    "NVIDIA H100 PCIe": ("9.0", "2331"), "NVIDIA H100 80GB HBM3": ("9.0", "2330"), "NVIDIA H200": ("9.0", "2335"),
    "NVIDIA B200": ("10.0", "2901"), "NVIDIA B300 SXM6 AC": ("10.3", "3182"), "NVIDIA GeForce RTX 5090": ("12.0", "2b85"),
    "NVIDIA GeForce RTX 5060 Ti": ("12.0", "2d04"), "NVIDIA RTX PRO 6000 Blackwell Workstation Edition": ("12.0", "2bb1"),
}  # fmt: skip
"""By the name that nvidia-smi prints: compute capability and PCI device ID, typed from NVIDIA's lists."""
DRIVERS = (
    "418.39", "440.33.01", "450.36.06", "450.80.02", "455.23.04", "460.27.03", "460.32.03", "465.19.01", "470.57.02", "470.256.02",
    "495.44", "510.39.01", "515.43.04", "515.86.01", "520.56.06", "525.53", "525.60.13", "525.85.12", "525.147.05", "530.30.02",
    "530.41.03", "535.54.03", "535.129.03", "545.23.06", "550.40.07", "550.54.14", "550.163.01", "555.42.02", "560.35.05", "565.77",
    "570.26", "570.86.16", "570.148.08", "570.181", "575.51.03", "575.64.05", "580.65.06", "580.82.07", "580.126.09", "590.44.01",
    "595.45.04", "610.43.02", "615.71.09", "620.70.06",
)  # fmt: skip
PYTHONS = ("3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
OF_THE_MACHINE = {
    "driver-too-old",
    "driver-lacks-gpu",
    "driver-too-old-for-ptx",
    "compute-capability-too-low",
    "gpu-too-new-for-build",
}
ASKED = (
    *OF_THE_MACHINE, "python-unsupported", "glibc-too-old", "driver-missing", "driver-module-not-loaded", "driver-library-unreachable",
    "gpu-absent", "os-gpu-unsupported", "tensorflow-cpu-only", "ptx-jit-slow-start", "gpu-hidden", "driver-versions-differ",
)  # fmt: skip
CELLS = random.Random(33).sample(list(product(GPUS, DRIVERS, PYTHONS)), 5000)


@cache
def planned(gpu: str, driver: str, python: str) -> Plan:
    machine = Machine(
        "linux_x86_64",
        Known(PythonRelease(python), "test"),
        Known(GlibcRelease("2.35"), "test"),
        Known(DriverRelease(driver), "test"),
        Known((ComputeCapability(GPUS[gpu][0]),), "test"),
        models=(gpu,),
    )
    return plan(machine, bundled())


@cache
def with_release(version: str, python: str) -> Facts:
    """The base machine with the wheel of that version for that Python."""
    document = of_release(json.loads((BASES / "gpu.json").read_text("utf-8")), version)
    text = re.sub(r"\bcp3\d+\b", f"cp{python.replace('.', '')}", json.dumps(document))
    return from_json(json.loads(text), Facts)


def offered(driver: DriverRelease) -> CudaRelease:
    """The newest CUDA of a driver, as it says itself."""
    rows = [row.version for row in bundled().cuda_rows if row.driver_for_ptx["linux"] <= driver]
    return rows[-1]


def facts_of(gpu: str, driver: str, python: str, version: str) -> Facts:
    """The machine with that TensorFlow. A driver shows the GPUs that it serves, and answers "no device" without any."""
    facts, release, (capability, device_id) = (
        with_release(version, python),
        DriverRelease(driver),
        GPUS[gpu],
    )
    cc, cuda = ComputeCapability(capability), Known(offered(release), "cuDriverGetVersion")
    loaded = Known(release, "/proc/driver/nvidia/version")
    devices, listed = facts.driver.devices, facts.nvml.devices
    assert isinstance(devices, Known)
    assert isinstance(listed, Known)
    on_bus = PciGpu("0000:3b:00.0", "nvidia", device_id, Known("nvidia", "/sys"))
    shown = served(gpu, release)
    flavour = "proprietary" if cc < ComputeCapability("7.5") else "open"
    return changed(
        facts,
        host={"gpus_on_bus": Known((on_bus,), "/sys")},
        interpreter={"version": Known(PythonRelease(f"{python}.4"), "sys.version")},
        driver={
            "version": loaded, "module_version": loaded, "cuda_version": cuda, "module_flavour": Known(flavour, "/proc"),
            "library": libcuda(facts, driver),
            "init_code": Known(0 if shown else 100, "cuInit"),
            "devices": Known((replace(devices.value[0], name=gpu, compute_capability=cc),), "cuDeviceGet")
            if shown else Absent("cuInit answered 100"),
        },
        nvml={
            "driver_version": loaded, "cuda_version": cuda,
            "devices": Known((replace(listed.value[0], name=gpu, compute_capability=Known(cc, "NVML")),), "NVML")
            if shown else Absent("NVML knows no GPU"),
        },
    )  # fmt: skip


def libcuda(facts: Facts, driver: str) -> Known[Library]:
    assert isinstance(facts.driver.library, Known)
    path = f"/usr/lib/x86_64-linux-gnu/libcuda.so.{driver}"
    library = replace(
        facts.driver.library.value,
        path=Known(path, "loaded"),
        version=Known(LibraryRelease(driver), path),
    )
    return Known(library, "dlopen")


FIRST = {
    "3": "0", "5": "0", "6": "0", "7.0": "0", "7.5": "410.48", "8.0": "450.36.06", "8.6": "455.23.04", "8.9": "520.56.06", "9.0": "525.53",
    "10.0": "570.86.15", "10.3": "580.82.07", "12.0": "570.86.16",
}  # fmt: skip
LAST = {"3": 470, "5": 580, "6": 580, "7.0": 580}


def served(gpu: str, driver: DriverRelease) -> bool:
    capability = GPUS[gpu][0]
    key = capability if capability in FIRST else capability.partition(".")[0]
    return driver >= DriverRelease(FIRST[key]) and driver.major <= LAST.get(key, 999)


@cache
def errors(gpu: str, driver: str, python: str, version: str) -> frozenset[str]:
    found = judge(Case(facts_of(gpu, driver, python, version), bundled(), Policy())).findings
    return frozenset(
        each.code for each in found if each.severity is Severity.ERROR and each.code in ASKED
    )


@pytest.mark.slow  # 150 machines
@pytest.mark.parametrize(
    "cells", [CELLS[:150], pytest.param(CELLS, marks=pytest.mark.nightly)], ids=["150", "5000"]
)
def test_check_finds_no_error_in_what_plan_calls_best_and_one_in_what_it_excludes(
    cells: list[tuple[str, str, str]],
) -> None:
    seen: Counter[str] = Counter()
    chance = random.Random(34)
    for gpu, driver, python in cells:
        made = planned(gpu, driver, python)
        if made.options:
            best = made.options[0].release.tensorflow
            assert errors(gpu, driver, python, best) == frozenset(), (gpu, driver, python, best)
            seen["best" if made.options[0].best else "offered"] += 1
        for_gpu = [item for item in made.excluded if item.because[0].code in OF_THE_MACHINE]
        if for_gpu:
            item = chance.choice(for_gpu)
            version = item.release.tensorflow
            assert errors(gpu, driver, python, version) & OF_THE_MACHINE, (
                gpu,
                driver,
                python,
                version,
            )
            seen[item.because[0].code] += 1
    assert set(seen) == {"best", "offered", *OF_THE_MACHINE}
