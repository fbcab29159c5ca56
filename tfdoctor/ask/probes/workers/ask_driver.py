"""Asks libcuda. Runs as `python -I -S -B ask_driver.py PARENT [--only] FOLDER…`; imports nothing of tfdoctor.

libcuda.so.1 is opened by its soname as every program does, then in the folders given; with --only in those
folders alone. Where there is none, NVML's library is looked for in the same way, so that a machine without a driver
needs no second child for it. No context is made. Each step is announced before it is taken (`messages.py` reads the lines); JSON
is written by hand, since importing `json` takes as long as everything else here. Python 3.7 syntax.
"""

from __future__ import annotations

import ctypes
import os
import sys

TYPE_CHECKING = False  # importing `typing` would double this program's start-up
if TYPE_CHECKING:
    from typing import Any

    from tfdoctor.ask.probes.workers.opening import load, places, write
    from tfdoctor.ask.probes.workers.preamble import prepare
else:  # this program runs by itself: its folder is on the path for these imports
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from opening import load, places, write
    from preamble import prepare

    del sys.path[0]

SONAME = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"
NVML = "nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1"
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76  # CUdevice_attribute, cuda.h


def look_for_nvml(folders: list[str], only: bool) -> None:
    """Says the loader's words, or that there is an NVML to be asked: that is another child's task."""
    for place in places(NVML, folders, only):
        write(at="loading " + place)
        try:
            ctypes.CDLL(place)
        except OSError as error:
            write(say="nvml-refused", place=place, error=str(error))
            continue
        write(say="nvml-opened", place=place)
        return
    write(say="no-nvml")


class Driver:
    """Calls by name; `failed` holds the call that did not answer 0."""

    def __init__(self, library: Any) -> None:
        self.library = library
        self.failed: tuple[str, int] | None = None

    def call(self, name: str, *arguments: Any) -> int:
        """0 or the code. -1: the library has no such function."""
        write(at=name)
        function = getattr(self.library, name, None)
        code = -1 if function is None else int(function(*arguments))
        if code:
            self.failed = (name, code)
        return code

    def error_name(self, code: int) -> bytes:
        function, name = getattr(self.library, "cuGetErrorName", None), ctypes.c_char_p()
        if function is None or function(code, ctypes.byref(name)) or not name.value:
            return b""
        return name.value or b""


def ask(driver: Driver) -> None:
    number = ctypes.c_int()
    code = driver.call("cuDriverGetVersion", ctypes.byref(number))
    write(say="cuda", code=code, version=number.value)
    code = driver.call("cuInit", 0)
    write(say="init", code=code, name=driver.error_name(code) if code > 0 else b"")
    if code:
        return
    code = driver.call("cuDeviceGetCount", ctypes.byref(number))
    write(say="count", code=code, count=number.value)
    for index in range(0 if code else number.value):
        driver.failed = None
        device = describe(driver, index)
        if driver.failed:
            write(say="device-failed", index=index, call=driver.failed[0], code=driver.failed[1])
        else:
            write(say="device", index=index, **device)


def describe(driver: Driver, index: int) -> dict[str, Any]:
    handle, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    memory, name, bus = (
        ctypes.c_size_t(),
        ctypes.create_string_buffer(256),
        ctypes.create_string_buffer(64),
    )
    steps = (
        ("cuDeviceGet", ctypes.byref(handle), index),
        ("cuDeviceGetName", name, 256, handle),
        ("cuDeviceGetAttribute", ctypes.byref(major), CAPABILITY_MAJOR, handle),
        ("cuDeviceGetAttribute", ctypes.byref(minor), CAPABILITY_MINOR, handle),
        ("cuDeviceTotalMem_v2", ctypes.byref(memory), handle),
        ("cuDeviceGetPCIBusId", bus, 64, handle),
    )
    for step in steps:
        if driver.call(*step):
            return {}
    return {
        "name": name.value,
        "capability": f"{major.value}.{minor.value}",
        "memory": memory.value,
        "bus": bus.value,
        "uuid": uuid(driver, handle, name.value),
    }


def uuid(driver: Driver, handle: Any, name: bytes) -> str:
    """As nvidia-smi writes it. cuDeviceGetUuid_v2 (CUDA 11.4) names the MIG slice, the older call the whole GPU."""
    whole, own = ctypes.create_string_buffer(16), ctypes.create_string_buffer(16)
    failed = driver.failed
    no_whole = driver.call("cuDeviceGetUuid", whole, handle)
    no_own = driver.call("cuDeviceGetUuid_v2", own, handle)
    driver.failed = failed  # a driver without the newer call is no fault
    if no_own and no_whole:
        return ""
    raw = (whole if no_own else own).raw
    slice_of_gpu = b"MIG " in name or (not no_own and not no_whole and own.raw != whole.raw)
    digits = raw.hex()
    parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
    return ("MIG-" if slice_of_gpu else "GPU-") + "-".join(parts)


def main(parent: str, *arguments: str) -> None:
    prepare(int(parent))
    only = arguments[:1] == ("--only",)
    folders = list(arguments[1:] if only else arguments)
    library = load(SONAME, "cuInit", folders, only)
    if library is None:
        write(say="no-libcuda")
        look_for_nvml(folders, only)
    else:
        ask(Driver(library))
    write(done=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
