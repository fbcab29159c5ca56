"""The numbers of the tables as their makers publish them, so that a slip in a table can't go unnoticed.

NVML's are pynvml's own; the driver's are CUresult and cudaError_t (NVIDIA, CUDA driver and runtime API, read 2026-11-20).
"""

from __future__ import annotations

import pynvml
import pytest

from tfdoctor.base.cgroup import UNLIMITED_V1
from tfdoctor.knowledge import driver_errors
from tfdoctor.knowledge.driver_errors import CU_ANSWERS, NVML_ANSWERS
from tfdoctor.knowledge.memory_needs import MIB, OWN_NEED, SHM_FULL
from tfdoctor.knowledge.xids import HARDWARE_XIDS, WEAR_XIDS

NOT_INITIALIZED, STUB, NO_DEVICE, INVALID_DEVICE, OPERATING_SYSTEM, UNKNOWN = (
    3,
    34,
    100,
    101,
    304,
    999,
)
MISMATCH, COMPAT_NOT_SUPPORTED = 803, 804


def rows(table: tuple[driver_errors.Row, ...]) -> dict[tuple[str, str], set[int]]:
    """By circumstance and code, the answers that mean it."""
    found: dict[tuple[str, str], set[int]] = {}
    for numbers, circumstance, code, _ in table:
        found.setdefault((circumstance, code), set()).update(numbers)
    return found


def test_what_a_machine_without_a_gpu_answers() -> None:
    assert (driver_errors.SUCCESS, driver_errors.STUB_LIBRARY, driver_errors.NO_DEVICE) == (
        0,
        STUB,
        NO_DEVICE,
    )
    assert set(driver_errors.SAY_NOTHING_OF_A_GPU) == {STUB, NO_DEVICE}
    assert set(driver_errors.NO_DEVICE_CODES) == {NO_DEVICE, INVALID_DEVICE}
    assert set(driver_errors.AMBIGUOUS) == {NO_DEVICE, MISMATCH, COMPAT_NOT_SUPPORTED, UNKNOWN}


@pytest.mark.parametrize(
    ("circumstance", "code", "answers"),
    [
        (driver_errors.ALWAYS, "gpu-hardware-fault", {214, 220, 226}),
        (driver_errors.ALWAYS, "vgpu-unlicensed", {102}),
        (driver_errors.ALWAYS, "gpu-busy-exclusive", {46}),
        (driver_errors.ALWAYS, "fabric-manager-not-running", {802}),
        (driver_errors.ALWAYS, "driver-library-unreachable", {STUB}),
        (driver_errors.ALWAYS, "driver-too-old", {35, 36}),
        (driver_errors.ALWAYS, "driver-versions-differ", {MISMATCH}),
        (driver_errors.ALWAYS, "forward-compat-unsupported", {COMPAT_NOT_SUPPORTED}),
        (driver_errors.ALWAYS, "uvm-broken", {UNKNOWN}),
        (driver_errors.WSL_BOX, "wsl-container-toolkit-old", {500}),
        (driver_errors.BOXED, "container-without-gpu", {STUB}),
        (
            driver_errors.UNSUPPORTED,
            "driver-lacks-gpu",
            {NOT_INITIALIZED, NO_DEVICE, INVALID_DEVICE, OPERATING_SYSTEM, UNKNOWN},
        ),
        (
            driver_errors.NOT_LOADED,
            "driver-module-not-loaded",
            {NOT_INITIALIZED, NO_DEVICE, OPERATING_SYSTEM, UNKNOWN},
        ),
        (
            driver_errors.LOST,
            "gpu-hardware-fault",
            {NOT_INITIALIZED, NO_DEVICE, INVALID_DEVICE, OPERATING_SYSTEM, UNKNOWN},
        ),
        (
            driver_errors.TAKEN_AWAY,
            "container-lost-gpu",
            {NOT_INITIALIZED, NO_DEVICE, INVALID_DEVICE, OPERATING_SYSTEM, UNKNOWN},
        ),
        (
            driver_errors.FORBIDDEN,
            "gpu-device-permission",
            {NOT_INITIALIZED, NO_DEVICE, INVALID_DEVICE, OPERATING_SYSTEM, UNKNOWN},
        ),
    ],
)
def test_answers_of_the_driver(circumstance: str, code: str, answers: set[int]) -> None:
    assert rows(CU_ANSWERS)[circumstance, code] == answers


def test_numbers_of_nvml() -> None:
    assert driver_errors.NVML_NO_PERMISSION == pynvml.NVML_ERROR_NO_PERMISSION
    assert driver_errors.NVML_NOT_LOADED == pynvml.NVML_ERROR_DRIVER_NOT_LOADED
    assert driver_errors.NVML_GPU_IS_LOST == pynvml.NVML_ERROR_GPU_IS_LOST
    assert driver_errors.NVML_RESET_REQUIRED == pynvml.NVML_ERROR_RESET_REQUIRED
    assert driver_errors.NVML_VERSIONS_DIFFER == pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH
    assert driver_errors.NVML_UNKNOWN == pynvml.NVML_ERROR_UNKNOWN


def test_answers_of_nvml() -> None:
    told = rows(NVML_ANSWERS)
    assert told[driver_errors.ALWAYS, "gpu-hardware-fault"] == {
        pynvml.NVML_ERROR_INSUFFICIENT_POWER,
        pynvml.NVML_ERROR_IRQ_ISSUE,
        pynvml.NVML_ERROR_GPU_IS_LOST,
        pynvml.NVML_ERROR_RESET_REQUIRED,
    }
    assert told[driver_errors.ALWAYS, "nvml-unusable"] == {
        pynvml.NVML_ERROR_NO_PERMISSION,
        pynvml.NVML_ERROR_DRIVER_NOT_LOADED,
        pynvml.NVML_ERROR_LIBRARY_NOT_FOUND,
    }


def test_xids_of_the_hardware() -> None:
    """NVIDIA's catalogue asks for a reset, a restart or its support after these."""
    assert set(HARDWARE_XIDS) == {38, 48, 61, 62, 64, 74, 79, 95, 119, 120, 140, 143}
    assert set(WEAR_XIDS) == {63, 92, 94}


def test_bounds() -> None:
    assert OWN_NEED == 235_929_600  # TensorFlow's MinSystemMemory: 225 MiB
    assert SHM_FULL == MIB == 1_048_576
    assert UNLIMITED_V1 == 1_152_921_504_606_846_976
    assert UNLIMITED_V1 < 0x7FFF_FFFF_FFFF_F000, "what the kernel writes where there is no limit"
