"""Opens the CUDA libraries as TensorFlow's own code would. Runs in the examined interpreter:

    python -I -S -B open_libraries.py '{"sonames": […], "runpath": […], "first": 0, "handles": true, "scratch": "…", "parent": 1}'

Where glibc looks for a library depends on who asks: LD_LIBRARY_PATH first, then the RUNPATH of the *asking* object,
then the loader's cache, then the default folders (ld.so(8)). ctypes asks from a place with another RUNPATH. So this
program writes, for each library, an object of a few hundred bytes that holds no code, needs (DT_NEEDED) that one
library and has TensorFlow's RUNPATH, and opens it: the loader then searches exactly as for TensorFlow, and what the
library itself needs is searched by its own RUNPATH, as there. (Putting TensorFlow's folders at the end of
LD_LIBRARY_PATH would find as much, but also what those libraries need and would not find in TensorFlow's process.)
All are opened in one process in TensorFlow's order, for a library that is open serves later ones, too.

Each step is announced before it is taken. Python 3.7 syntax.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tfdoctor.ask.probes.workers.preamble import prepare, write
else:  # this program runs by itself: its folder is on the path for this one import
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from preamble import prepare, write

    del sys.path[0]

RTLD_DI_LINKMAP = 2  # dlinfo(3)
NOT_SUPPORTED = (
    "this interpreter's kind of program (not ELF, 64 bits, little endian) is not supported"
)


def asking_object(soname: str, runpath: list[str], like: bytes) -> bytes:
    """A shared object without code that needs `soname` and has this RUNPATH. `like`: the head of this machine's ELF.

    Layout after the System V ABI, "Object Files" and "Dynamic Linking". Raises ValueError for another kind of ELF.
    """
    if like[:6] != b"\x7fELF\x02\x01":
        raise ValueError(NOT_SUPPORTED)
    machine, flags = struct.unpack_from("<H", like, 18)[0], struct.unpack_from("<I", like, 48)[0]
    path = ":".join(runpath).encode()
    strings = b"\0" + soname.encode() + b"\0" + path + b"\0"
    strings += bytes(-len(strings) % 8)
    at_strings = 64 + 3 * 56
    at_symbols = at_strings + len(strings)
    at_hash = at_symbols + 24  # one empty symbol
    at_dynamic = at_hash + 16
    tags = [(1, 1)]  # DT_NEEDED, an offset into the strings
    if path:
        tags.append((29, 2 + len(soname.encode())))  # DT_RUNPATH
    tags += [(4, at_hash), (5, at_strings), (6, at_symbols), (10, len(strings)), (11, 24), (0, 0)]
    dynamic = b"".join(struct.pack("<qQ", *tag) for tag in tags)
    end = at_dynamic + len(dynamic)
    head = like[:16] + struct.pack(
        "<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, flags, 64, 56, 3, 64, 0, 0
    )
    segments = (
        (
            1,
            6,
            0,
            end,
            0x10000,
        ),  # PT_LOAD, readable and writable: the loader writes into the dynamic section
        (2, 6, at_dynamic, len(dynamic), 8),  # PT_DYNAMIC
        (0x6474E551, 6, 0, 0, 16),  # PT_GNU_STACK: no executable stack
    )
    table = b"".join(
        struct.pack("<IIQQQQQQ", kind, how, at, at, at, size, size, step)
        for kind, how, at, size, step in segments
    )
    return head + table + strings + bytes(24) + struct.pack("<IIII", 1, 1, 0, 0) + dynamic


def library_path(library: Any) -> str:
    """The file behind an open library (dlinfo(3))."""

    class LinkMap(ctypes.Structure):
        _fields_ = (("address", ctypes.c_void_p), ("name", ctypes.c_char_p))

    found = ctypes.POINTER(LinkMap)()
    dlinfo = ctypes.CDLL(None).dlinfo
    if dlinfo(ctypes.c_void_p(library._handle), RTLD_DI_LINKMAP, ctypes.byref(found)) or not found:
        return ""
    return os.fsdecode(found.contents.name or b"")


def number(function: Any) -> int:
    """What a function writes through a pointer to an int. Raises OSError where it answers a status."""
    value = ctypes.c_int()
    status = function(ctypes.byref(value))
    if status:
        raise OSError(f"{function.__name__} answered {status}")
    return value.value


def dotted(packed: int, major: int, minor: int) -> str:
    """12050 with 1000 and 10 is "12.5.0"."""
    return f"{packed // major}.{packed % major // minor}.{packed % minor}"


def of_property(name: str, library: Any) -> str:
    """cublasGetProperty and its like: libraryPropertyType 0, 1, 2 of library_types.h."""
    function, parts = getattr(library, name), []
    for which in (0, 1, 2):
        value = ctypes.c_int()
        status = function(which, ctypes.byref(value))
        if status:
            raise OSError(f"{name} answered {status}")
        parts.append(str(value.value))
    return ".".join(parts)


def of_runtime(library: Any) -> str:
    packed = number(library.cudaRuntimeGetVersion)
    return f"{packed // 1000}.{packed % 1000 // 10}"


def of_both(packed: int) -> str:
    """By the old and the new way to pack a version."""
    return dotted(packed, 10_000, 100) if packed >= 10_000 else dotted(packed, 1000, 100)


def of_cudnn(library: Any) -> str:
    """8907 is 8.9.7, 90300 is 9.3.0 (cudnn_version.h of both majors)."""
    library.cudnnGetVersion.restype = ctypes.c_size_t
    return of_both(int(library.cudnnGetVersion()))


def of_cublaslt(library: Any) -> str:
    """120904 is 12.9.4; up to 11.x 11500 was 11.5.0 (cublasLt.h)."""
    library.cublasLtGetVersion.restype = ctypes.c_size_t
    packed = int(library.cublasLtGetVersion())
    return dotted(packed, 10_000, 100) if packed >= 100_000 else dotted(packed, 1000, 100)


def of_nccl(library: Any) -> str:
    """22005 is 2.20.5; before 2.9 2804 was 2.8.4 (nccl.h, NCCL_VERSION)."""
    return of_both(number(library.ncclGetVersion))


VERSIONS: dict[str, Any] = {
    "libcudart": of_runtime,
    "libcudnn": of_cudnn,
    "libcublas": lambda library: of_property("cublasGetProperty", library),
    "libcublasLt": of_cublaslt,
    "libcufft": lambda library: of_property("cufftGetProperty", library),
    "libcusolver": lambda library: of_property("cusolverGetProperty", library),
    "libcusparse": lambda library: of_property("cusparseGetProperty", library),
    "libcurand": lambda library: of_property("curandGetProperty", library),
    "libnccl": of_nccl,
}

RUNTIME_CODES = {
    2: "cudaErrorMemoryAllocation", 3: "cudaErrorInitializationError", 34: "cudaErrorStubLibrary",
    35: "cudaErrorInsufficientDriver", 46: "cudaErrorDevicesUnavailable", 100: "cudaErrorNoDevice",
    101: "cudaErrorInvalidDevice", 802: "cudaErrorSystemNotReady", 803: "cudaErrorSystemDriverMismatch",
    804: "cudaErrorCompatNotSupportedOnDevice", 999: "cudaErrorUnknown",
}  # fmt: skip
"""cudaError_t, driver_types.h of CUDA 12.9 (June 2025)."""
CUBLAS_CODES = {
    1: "CUBLAS_STATUS_NOT_INITIALIZED", 3: "CUBLAS_STATUS_ALLOC_FAILED", 7: "CUBLAS_STATUS_INVALID_VALUE",
    8: "CUBLAS_STATUS_ARCH_MISMATCH", 13: "CUBLAS_STATUS_EXECUTION_FAILED", 14: "CUBLAS_STATUS_INTERNAL_ERROR",
    15: "CUBLAS_STATUS_NOT_SUPPORTED",
}  # fmt: skip
"""cublasStatus_t, cublas_api.h of CUDA 12.9 (June 2025). cublasGetStatusName came only with CUDA 11.4."""


def answered(call: str, status: int, name: str) -> str:
    return f"{call} answered {status} ({name or 'a status without a name'})"


def start_runtime(library: Any) -> str:
    """Has the runtime make its context on the first GPU, in which the other libraries then make their handles."""
    status = library.cudaFree(None)
    return answered("cudaFree", status, RUNTIME_CODES.get(status, "")) if status else "created"


def make_cublas(library: Any) -> str:
    made = ctypes.c_void_p()
    status = library.cublasCreate_v2(ctypes.byref(made))
    if status:
        return answered("cublasCreate_v2", status, CUBLAS_CODES.get(status, ""))
    library.cublasDestroy_v2(made)
    return "created"


def make_cudnn(library: Any) -> str:
    """cuDNN names its own codes, which it renumbered in 9."""
    made = ctypes.c_void_p()
    status = library.cudnnCreate(ctypes.byref(made))
    if status:
        library.cudnnGetErrorString.restype = ctypes.c_char_p
        return answered(
            "cudnnCreate",
            status,
            (library.cudnnGetErrorString(status) or b"").decode("ascii", "replace"),
        )
    library.cudnnDestroy(made)
    return "created"


HANDLES: dict[str, Any] = {
    "libcudart": ("the start of the CUDA runtime", start_runtime),
    "libcublas": ("cublasCreate_v2", make_cublas),
    "libcudnn": ("cudnnCreate", make_cudnn),
}


def examine(index: int, soname: str, order: dict[str, Any], like: bytes) -> None:
    write(say="library", index=index, soname=soname)
    stem = soname.split(".so")[0]
    write(at=f"opening {soname}")
    try:
        asker = os.path.join(order["scratch"], f"asks-for-{soname}")
        with open(asker, "wb") as file:
            file.write(asking_object(soname, order["runpath"], like))
        ctypes.CDLL(asker)
        library = ctypes.CDLL(soname, mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except (OSError, ValueError) as error:
        write(say="refused", index=index, error=str(error))
        return
    write(say="opened", index=index, path=library_path(library))
    if stem in VERSIONS:
        write(at=f"the version call of {soname}")
        try:
            write(say="version", index=index, version=VERSIONS[stem](library))
        except (OSError, AttributeError) as error:
            write(say="version-failed", index=index, error=str(error))
    if stem in HANDLES and order["handles"]:
        call, make = HANDLES[stem]
        write(at=call)
        try:
            write(say="handle", index=index, answer=make(library))
        except AttributeError as error:
            write(say="handle", index=index, answer=str(error))


def main(order: dict[str, Any]) -> None:
    prepare(order["parent"], direct=False)
    with open("/proc/self/exe", "rb") as file:
        like = file.read(64)
    for index, soname in enumerate(order["sonames"]):
        if index >= order["first"]:
            examine(index, soname, order, like)
    write(done=1)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
