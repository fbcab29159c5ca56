"""What the driver's answers mean: a table for cuInit and the driver stage, one for NVML.

A number alone decides little: 803, 804, "no device" and "unknown" can all mean that kernel module and library
are of different versions. So a table is read from the top, and the first row whose number and circumstance both
hold gives the code. A row is (numbers, circumstance, code, why); numbers () stand for every number. Whether a
circumstance holds is asked of the facts by `checks/questions/driver_codes.py`. Names and numbers: CUDA Driver API,
`CUresult` in cuda.h of CUDA 12.9; NVML API, `nvmlReturn_t` in nvml.h of CUDA 12.9 (read 2026-11-20).
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing `typing` takes as long as a health check
if TYPE_CHECKING:
    from typing import TypeAlias

    Row: TypeAlias = tuple[tuple[int, ...], str, str, str]

SUCCESS = 0
STUB_LIBRARY = 34
NO_DEVICE = 100
NO_DEVICE_CODES = (100, 101)
SAY_NOTHING_OF_A_GPU = (STUB_LIBRARY, NO_DEVICE)
"""Answers of cuInit that a machine without any GPU gives, too."""
AMBIGUOUS = (100, 803, 804, 999)
"""What one and the same difference of versions was seen to answer."""

NVML_NO_PERMISSION = 4
NVML_NOT_LOADED = 9
NVML_GPU_IS_LOST, NVML_RESET_REQUIRED = 15, 16
NVML_VERSIONS_DIFFER = 18
NVML_UNKNOWN = 999

UNNAMED = "smoke-driver-failed"
"""The code of an answer for which no cause is known."""

# Circumstances, by the names that the rows below give them.
ALWAYS = "always"
MIG_HIDES = "MIG leaves nothing visible"
VARIABLE_HIDES = "an environment variable leaves nothing visible"
NONE_GIVEN = "in a container or job, hardware on the bus, none handed in"
NO_GPU = "certainly no GPU"
COMPAT_LIBRARY = "libcuda comes from a cuda-compat folder"
VERSIONS_DIFFER = "kernel module and library are of known, different releases"
BOXED = "in a container or job"
UNSUPPORTED = "the driver's branch or kind leaves this GPU out"
NOT_LOADED = "hardware on the bus, kernel module not loaded"
LOST = "NVML or the kernel log says that a GPU is gone"
TAKEN_AWAY = "in a container, device nodes there, NVML answers 999"
FORBIDDEN = "the driver does not start, and NVML has no permission or this user may not open a node of the GPU"
WSL_BOX = "in a container on WSL"
UVM_MISSING = "GPU nodes there, /dev/nvidia-uvm not"

_HARDWARE = "gpu-hardware-fault"
_VERSIONS = "driver-versions-differ"

# One row a line: a table is read down its columns.
# fmt: off
CU_ANSWERS: tuple[Row, ...] = (
    ((214, 220, 226), ALWAYS, _HARDWARE, "the GPU reports an uncorrectable memory or NVLink error"),
    ((102,), ALWAYS, "vgpu-unlicensed", "the virtual GPU has no license"),
    ((46,), ALWAYS, "gpu-busy-exclusive", "the GPU is busy or its compute mode forbids this process"),
    ((802,), ALWAYS, "fabric-manager-not-running", "the NVSwitch fabric is not initialised"),
    (NO_DEVICE_CODES, MIG_HIDES, "mig-misused", "the MIG slices asked for do not exist"),
    (NO_DEVICE_CODES, VARIABLE_HIDES, "gpu-hidden", "an environment variable hides the GPUs"),
    (NO_DEVICE_CODES, NONE_GIVEN, "container-without-gpu", "no GPU was passed to this container or job"),
    (NO_DEVICE_CODES, NO_GPU, "gpu-absent", "there is no GPU"),
    ((), COMPAT_LIBRARY, "forward-compat-unsupported", "a cuda-compat libcuda was loaded and fails"),
    (AMBIGUOUS, VERSIONS_DIFFER, _VERSIONS, "kernel module and libcuda are of different versions"),
    ((STUB_LIBRARY,), BOXED, "container-without-gpu", "only a stub libcuda is in this container"),
    ((STUB_LIBRARY,), ALWAYS, "driver-library-unreachable", "the libcuda that was found is a stub for linking"),
    ((3, 100, 101, 304, 999), UNSUPPORTED, "driver-lacks-gpu", "the driver does not support the GPU"),
    ((3, 100, 304, 999), NOT_LOADED, "driver-module-not-loaded", "the kernel module is not loaded"),
    ((3, 100, 101, 304, 999), LOST, _HARDWARE, "a GPU is lost"),
    ((3, 100, 101, 304, 999), TAKEN_AWAY, "container-lost-gpu", "this container may no longer open its GPUs"),
    ((3, 100, 101, 304, 999), FORBIDDEN, "gpu-device-permission", "this user may not open the GPU's device files"),
    ((500,), WSL_BOX, "wsl-container-toolkit-old", "an old container toolkit on WSL2 hands in half a driver"),
    ((35, 36), ALWAYS, "driver-too-old", "the driver is older than the CUDA runtime needs"),
    ((803,), ALWAYS, _VERSIONS, "the driver says that its parts are of different versions"),
    ((804,), ALWAYS, "forward-compat-unsupported", "forward compatibility is not supported on this GPU"),
    ((999,), ALWAYS, "uvm-broken", "nvidia-uvm, the unified-memory module, is missing or lost its state"),
    ((), UVM_MISSING, "uvm-broken", "the device node of nvidia-uvm is missing"),
    ((), ALWAYS, UNNAMED, "no known cause fits this answer"),
)
"""cuInit's answers, and those of the driver stage's calls."""

NVML_ANSWERS: tuple[Row, ...] = (
    ((NVML_NOT_LOADED,), NONE_GIVEN, "container-without-gpu", "no GPU was passed to this container or job"),
    ((NVML_NOT_LOADED,), NOT_LOADED, "driver-module-not-loaded", "the kernel module is not loaded"),
    ((NVML_NO_PERMISSION,), FORBIDDEN, "gpu-device-permission", "this user may not open the GPU's device files"),
    ((NVML_NO_PERMISSION,), ALWAYS, "nvml-unusable", "NVML has no permission to talk to the driver"),
    ((8,), ALWAYS, _HARDWARE, "a GPU's power cable is not attached"),
    ((NVML_NOT_LOADED,), ALWAYS, "nvml-unusable", "NVML finds no running driver"),
    ((11,), ALWAYS, _HARDWARE, "the kernel has trouble with a GPU's interrupts"),
    ((12,), ALWAYS, "nvml-unusable", "NVML itself could not be loaded"),
    ((NVML_GPU_IS_LOST,), ALWAYS, _HARDWARE, "a GPU is lost: it has fallen off the bus or can't be reached"),
    ((NVML_RESET_REQUIRED,), ALWAYS, _HARDWARE, "a GPU has to be reset before it can be used"),
    ((NVML_VERSIONS_DIFFER,), ALWAYS, _VERSIONS, "the NVML library and the kernel module are of different versions"),
    ((), ALWAYS, "nvml-unusable", "no known cause fits this answer"),
)
"""nvmlInit's answers."""
# fmt: on
