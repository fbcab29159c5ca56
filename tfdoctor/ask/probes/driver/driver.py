"""What the NVIDIA driver says through libcuda, and what its files say. libcuda is called in a child alone.

The child opens libcuda.so.1 as every program does, calls cuInit and asks what needs no context. A library that is
not there is Absent; one that can't be opened, that hangs or dies is Failed, with the name of the call.
"""

from __future__ import annotations

import os
from typing import Any

from tfdoctor.ask.probes.driver import driver_files
from tfdoctor.ask.probes.driver.libcuda import libcuda_child, library_from
from tfdoctor.ask.probes.messages import Messages, silence_or
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.runner import attempt
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Driver, Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, value_or
from tfdoctor.facts.values import CudaDevice, Library
from tfdoctor.facts.versions import ComputeCapability, CudaRelease
from tfdoctor.knowledge.driver_errors import NO_DEVICE

SONAME = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"

CU_RESULTS = {
    0: "CUDA_SUCCESS", 1: "CUDA_ERROR_INVALID_VALUE", 2: "CUDA_ERROR_OUT_OF_MEMORY",
    3: "CUDA_ERROR_NOT_INITIALIZED", 34: "CUDA_ERROR_STUB_LIBRARY", 46: "CUDA_ERROR_DEVICE_UNAVAILABLE",
    100: "CUDA_ERROR_NO_DEVICE", 101: "CUDA_ERROR_INVALID_DEVICE", 200: "CUDA_ERROR_INVALID_IMAGE",
    201: "CUDA_ERROR_INVALID_CONTEXT", 209: "CUDA_ERROR_NO_BINARY_FOR_GPU", 214: "CUDA_ERROR_ECC_UNCORRECTABLE",
    218: "CUDA_ERROR_INVALID_PTX", 221: "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
    222: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", 223: "CUDA_ERROR_JIT_COMPILATION_DISABLED",
    35: "cudaErrorInsufficientDriver", 304: "CUDA_ERROR_OPERATING_SYSTEM", 400: "CUDA_ERROR_INVALID_HANDLE", 500: "CUDA_ERROR_NOT_FOUND",
    700: "CUDA_ERROR_ILLEGAL_ADDRESS", 702: "CUDA_ERROR_LAUNCH_TIMEOUT", 719: "CUDA_ERROR_LAUNCH_FAILED",
    800: "CUDA_ERROR_NOT_PERMITTED", 801: "CUDA_ERROR_NOT_SUPPORTED", 802: "CUDA_ERROR_SYSTEM_NOT_READY",
    803: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", 804: "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
    999: "CUDA_ERROR_UNKNOWN",
}  # fmt: skip
"""CUresult of cuda.h 12.9 (June 2025), and 35 of cudaError_t, which reports of cuInit name, too.

For libraries that can't name their own codes, such as stubs."""

_NO_FUNCTION = -1  # the child's own code


def error_name(code: int, said: str = "") -> str:
    """The name of a CUresult: the driver's own word where it gave one."""
    if code == _NO_FUNCTION:
        return "the library has no such function"
    return said or CU_RESULTS.get(code, f"CUDA error {code}")


def ask(request: Request, facts: Facts) -> Driver:
    """The group `driver` without its `version`, of which others know, too: see `release.py`."""
    child = libcuda_child(request)
    silence = child.run(request)
    if child.messages.first("no-libcuda") is not None:
        silence = None  # what came after that concerns NVML
    return from_answers(request.system, child.messages, silence)


def from_answers(system: System, messages: Messages, silence: Failed | None) -> Driver:
    """The group `driver` from what a child said of libcuda, and from the system's files."""
    library = library_from(messages, silence, SONAME, system)
    return Driver(
        module_version=attempt(
            lambda: driver_files.module_version(system), "the kernel module's version"
        ),
        module_flavour=attempt(
            lambda: driver_files.module_flavour(system), "the kernel module's kind"
        ),
        module_on_disk=attempt(
            lambda: driver_files.module_on_disk(system), "the kernel module's file"
        ),
        other_libraries=attempt(
            lambda: driver_files.other_libraries(system, _path(library)), "other copies of libcuda"
        ),
        library=library,
        **_calls(messages, silence, library),
    )


def _path(library: Fact[Library]) -> str:
    return value_or(library.value.path, "") if isinstance(library, Known) else ""


def _calls(messages: Messages, silence: Failed | None, library: Fact[Library]) -> dict[str, Any]:
    """The facts that libcuda's functions answer."""
    names = ("init_code", "init_name", "cuda_version", "devices")
    if not isinstance(library, Known):
        return dict.fromkeys(names, library)
    silent = silence_or(silence, Failed("libcuda was not asked", "missing"))
    init = messages.first("init")
    if init is None or init["code"] == _NO_FUNCTION:
        silent = (
            silent if init is None else Failed("this libcuda has no function cuInit", "missing")
        )
        return {
            "init_code": silent,
            "init_name": silent,
            "cuda_version": _cuda(messages, silent),
            "devices": silent,
        }
    code, name = int(init["code"]), error_name(int(init["code"]), str(init["name"]))
    return {
        "init_code": Known(code, "cuInit"),
        "init_name": Known(name, "cuInit"),
        "cuda_version": _cuda(messages, silent),
        "devices": _devices(messages, silent) if code == 0 else _no_devices(code, name),
    }


def _cuda(messages: Messages, silent: Failed) -> Fact[CudaRelease]:
    said = messages.first("cuda")
    if said is None:
        return silent
    if said["code"] or said["version"] <= 0:
        words = f"cuDriverGetVersion answered {said['code']} ({error_name(said['code'])})"
        return Failed(words, "call-failed")
    return Known(CudaRelease.from_integer(said["version"]), "cuDriverGetVersion")


def _no_devices(code: int, name: str) -> Absent | Failed:
    words = f"cuInit answered {code} ({name})"
    return Absent(words) if code == NO_DEVICE else Failed(words, "call-failed")


def _devices(messages: Messages, silent: Failed) -> Fact[tuple[CudaDevice, ...]]:
    count = messages.first("count")
    if count is None:
        return silent
    if count["code"]:
        words = f"cuDeviceGetCount answered {count['code']} ({error_name(count['code'])})"
        return Failed(words, "call-failed")
    for bad in messages.said("device-failed"):
        words = f"{bad['call']} of GPU {bad['index']} answered {bad['code']} ({error_name(bad['code'])})"
        return Failed(words, "call-failed")
    devices = tuple(_device(item) for item in messages.said("device"))
    if len(devices) < count["count"]:
        return Failed(f"GPU {len(devices)}: {silent.error}", silent.kind)
    return (
        Known(devices, "cuDeviceGet…")
        if devices
        else Absent("the driver shows this process no GPU")
    )


def _device(said: dict[str, Any]) -> CudaDevice:
    return CudaDevice(
        index=said["index"],
        name=said["name"],
        compute_capability=ComputeCapability.parse(said["capability"]),
        memory_total=said["memory"],
        uuid=said["uuid"],
        pci_bus_id=said["bus"],
    )
