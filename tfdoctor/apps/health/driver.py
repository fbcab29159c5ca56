"""Asks NVML and libcuda, in a child: the few calls that tell whether the driver starts and its GPUs are there.

Each call is announced before it is made, so that one that hangs or crashes is known by name. Numbers and
structures: cuda.h and nvml.h of CUDA 12.9 (June 2025). By ctypes, since importing pynvml takes 50 ms (2026-11-28), more than
all else of a health check.
"""

from __future__ import annotations

import ctypes
import os

from tfdoctor.knowledge.memory_needs import OWN_NEED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from tfdoctor.apps.health.readings import Gpu
    from tfdoctor.base.forked import Send


CUDA, NVML = "libcuda.so.1", "libnvidia-ml.so.1"
NOT_SUPPORTED, NO_FUNCTION, GPU_IS_LOST, RESET_REQUIRED = 3, 13, 15, 16  # nvmlReturn_t
UNCORRECTED, VOLATILE = 1, 0  # nvmlMemoryErrorType_t, nvmlEccCounterType_t
NO_VALUE = 0xFFFFFFFFFFFFFFFF  # NVML_VALUE_NOT_AVAILABLE as an unsigned 64-bit number
MOST_PROCESSES = 64


class Memory(ctypes.Structure):
    _fields_ = (
        ("total", ctypes.c_ulonglong),
        ("free", ctypes.c_ulonglong),
        ("used", ctypes.c_ulonglong),
    )


class Process(ctypes.Structure):  # nvmlProcessInfo_t, the form of the calls _v2 and _v3
    _fields_ = (
        ("pid", ctypes.c_uint),
        ("used", ctypes.c_ulonglong),
        ("gpu_instance", ctypes.c_uint),
        ("compute_instance", ctypes.c_uint),
    )


def ask(send: Send, *, live: bool = True) -> None:
    """Says everything; `live` False (a sysroot): only what LD_LIBRARY_PATH names is opened."""
    nvml, error = _opened(NVML, send, live)
    send("nvml_error", error)
    if nvml is not None:
        Nvml(nvml, send).ask()
    cuda, error = _opened(CUDA, send, live)
    send("cuda_error", error)
    if cuda is not None:
        _ask_cuda(cuda, send)


def _opened(soname: str, send: Send, live: bool) -> tuple[Any, str]:
    """The library, or None and the loader's words; "absent" where it does not exist."""
    error = "absent"
    for place in _places(soname, live):
        if place != soname and not os.path.lexists(place):
            continue
        send("at", "loading " + place)
        try:
            library = ctypes.CDLL(place)
        except OSError as reason:
            if f"{soname}: cannot open shared object file: No such file" not in str(reason):
                error = str(reason)
            continue
        return library, ""
    return None, error


def _places(soname: str, live: bool) -> Iterator[str]:
    """The names to open it by, the loader's own way first."""
    if not live:
        yield from (
            f"{folder}/{soname}"
            for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":")
            if folder
        )
        return
    yield soname
    # Where the loader found none: mostly it does.
    from tfdoctor.base.gpu_files import (
        EXTRA_LIBRARY_FOLDERS,
    )

    yield from (f"{folder}/{soname}" for folder in EXTRA_LIBRARY_FOLDERS)


class Nvml:
    """`call` gives the code; -1 where this driver has no such function."""

    def __init__(self, library: Any, send: Send) -> None:
        self.library, self.send = library, send
        self.handles: dict[int, Any] = {}  # of the GPUs that gave one

    def call(self, name: str, *arguments: Any, of: str = "") -> int:
        self.send("at", name + of)
        function = getattr(self.library, name, None)
        return -1 if function is None else int(function(*arguments))

    def ask(self) -> None:
        """Says all of it."""
        code = self.call("nvmlInit_v2")
        self.send("nvml_code", code)
        if code:
            return
        version, count = ctypes.create_string_buffer(96), ctypes.c_uint()
        if not self.call("nvmlSystemGetDriverVersion", version, 96):
            self.send("version", version.value.decode("ascii", "replace"))
        code = self.call("nvmlDeviceGetCount_v2", ctypes.byref(count))
        self.send("nvml_count", -1 if code else count.value)
        for index in range(0 if code else count.value):
            gpu = self.gpu(index)
            if _little_free(gpu):
                self.send("at", "looking whose the memory is")
                attribute(gpu)
            self.send("gpus", gpu)

    def gpu(self, index: int) -> Gpu:
        found: Gpu = {"index": index, "lost": False, "refused": [], "unread": []}
        handle = ctypes.c_void_p()
        questions: list[Callable[[], int]] = [
            lambda: self.call(
                "nvmlDeviceGetHandleByIndex_v2", index, ctypes.byref(handle), of=f" of GPU {index}"
            ),
            lambda: self.texts(found, handle, index),
            lambda: self.memory(found, handle, index),
            lambda: self.mode(found, handle, index),
            lambda: self.errors(found, handle, index),
            lambda: self.worn(found, handle, index),
            lambda: self.owners(found, handle, index),
        ]
        for ask in questions:
            code = ask()
            if code in (GPU_IS_LOST, RESET_REQUIRED):
                found["lost"] = True
            if code and index not in self.handles:
                found["refused"].append(f"{code}")
            if code == GPU_IS_LOST or (code and index not in self.handles):
                break  # nothing else will be answered; one refused value says nothing of the others
        return found

    def texts(self, found: Gpu, handle: Any, index: int) -> int:
        self.handles[index], text = handle, ctypes.create_string_buffer(96)
        for key, name in (("name", "nvmlDeviceGetName"), ("uuid", "nvmlDeviceGetUUID")):
            code = self.call(name, handle, text, 96, of=f" of GPU {index}")
            if code in (GPU_IS_LOST, RESET_REQUIRED):
                return code
            if not code:
                found[key] = text.value.decode("utf-8", "replace")  # type: ignore[literal-required]  # both are keys of Gpu
        return 0

    def memory(self, found: Gpu, handle: Any, index: int) -> int:
        memory, major, minor = Memory(), ctypes.c_int(), ctypes.c_int()
        code = self.call(
            "nvmlDeviceGetMemoryInfo", handle, ctypes.byref(memory), of=f" of GPU {index}"
        )
        if code == NOT_SUPPORTED:  # integrated GPUs share the machine's memory
            return 0
        if code:  # then nothing is said of the memory
            return code
        found["total"] = memory.total
        if memory.free <= memory.total:  # else one of the two is wrong
            found["free"] = memory.free
        where = (handle, ctypes.byref(major), ctypes.byref(minor))
        if not self.call("nvmlDeviceGetCudaComputeCapability", *where, of=f" of GPU {index}"):
            found["major"] = major.value
        return code

    def errors(self, found: Gpu, handle: Any, index: int) -> int:
        count = ctypes.c_ulonglong()
        where = (handle, UNCORRECTED, VOLATILE, ctypes.byref(count))
        code = self.call("nvmlDeviceGetTotalEccErrors", *where, of=f" of GPU {index}")
        if not code:
            found["ecc"] = count.value
        return self.counted(found, code)

    def worn(self, found: Gpu, handle: Any, index: int) -> int:
        """Whether spare memory has run out; what waits for a reset is no fault, and has to be readable all the same."""
        pending, counts = ctypes.c_uint(), [ctypes.c_uint() for _ in range(4)]
        name = "nvmlDeviceGetRetiredPagesPendingStatus"
        code = self.counted(
            found, self.call(name, handle, ctypes.byref(pending), of=f" of GPU {index}")
        )
        where = (handle, *map(ctypes.byref, counts))
        rows = self.call("nvmlDeviceGetRemappedRows", *where, of=f" of GPU {index}")
        found["worn"] = not rows and counts[3].value != 0
        return self.counted(found, rows) or code

    def counted(self, found: Gpu, code: int) -> int:
        """The code of a counter that could not be read; 0 where it was read, or the GPU or this driver has none."""
        if code in (0, NOT_SUPPORTED, -1, NO_FUNCTION):
            return 0
        found["unread"].append(f"{code}")
        return code

    def mode(self, found: Gpu, handle: Any, index: int) -> int:
        mode, pending = ctypes.c_uint(), ctypes.c_uint()
        where = (handle, ctypes.byref(mode), ctypes.byref(pending))
        found["mig"] = (
            not self.call("nvmlDeviceGetMigMode", *where, of=f" of GPU {index}") and mode.value == 1
        )
        return 0  # older GPUs have no such mode

    def owners(self, found: Gpu, handle: Any, index: int) -> int:
        count, table = ctypes.c_uint(MOST_PROCESSES), (Process * MOST_PROCESSES)()
        for version in ("_v3", "_v2"):
            name = "nvmlDeviceGetComputeRunningProcesses" + version
            code = self.call(name, handle, ctypes.byref(count), table, of=f" of GPU {index}")
            if code != -1:
                break
        if not code:
            found["processes"] = [
                (each.pid, -1 if each.used == NO_VALUE else each.used)
                for each in table[: count.value]
            ]
        return 0  # who holds the memory is only asked to be fair to this user's own programs


def _ask_cuda(library: Any, send: Send) -> None:
    """Whether libcuda starts and how many GPUs it shows."""
    send(
        "hidden",
        os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1", "none", "NoDevFiles"),
    )
    send("at", "cuInit")
    code = int(library.cuInit(0))
    send("cuda_code", code)
    if code:
        name, namer = ctypes.c_char_p(), getattr(library, "cuGetErrorName", None)
        if namer is not None and not namer(code, ctypes.byref(name)) and name.value:
            send("cuda_name", name.value.decode("ascii", "replace"))
        return
    count = ctypes.c_int()
    send("at", "cuDeviceGetCount")
    code = int(library.cuDeviceGetCount(ctypes.byref(count)))
    send("cuda_count", -code if code else count.value)


INITIAL_PID_NAMESPACE = "pid:[4026531836]"  # PROC_PID_INIT_INO, include/linux/proc_ns.h


def _little_free(gpu: Gpu) -> bool:
    """Whether TensorFlow would make no device on this GPU."""
    return not gpu.get("mig") and bool(gpu.get("total")) and gpu.get("free", OWN_NEED) < OWN_NEED


def attribute(gpu: Gpu) -> None:
    """Fills `own` and `unclear`."""
    named = dict(gpu.get("processes", ()))
    mine = [pid for pid in named if _owner(pid) == os.geteuid()]
    gpu["own"] = sum(max(named[pid], 0) for pid in mine)
    gpu["unclear"] = ""
    if any(named[pid] < 0 for pid in mine):
        gpu["unclear"] = "the driver does not say how much this user's programs hold"
    elif not _driver_names_as_here() and any(pid not in mine for pid in _openers()):
        gpu["unclear"] = "the driver does not say in this container whose it is"


def _driver_names_as_here() -> bool:
    try:
        return os.readlink("/proc/self/ns/pid") == INITIAL_PID_NAMESPACE
    except OSError:
        return False


def _owner(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return -1


def _openers() -> list[int]:
    """This user's processes that have a GPU's device open, without this one."""
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:
        return [-1]  # nobody knows: then it is not clear
    return [pid for pid in pids if pid != os.getpid() and _opens(pid)]


def _opens(pid: int) -> bool:
    try:
        links = [os.readlink(f"/proc/{pid}/fd/{name}") for name in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return False
    return any(link.startswith(("/dev/nvidia", "/dev/dxg", "/dev/nvhost-")) for link in links)
