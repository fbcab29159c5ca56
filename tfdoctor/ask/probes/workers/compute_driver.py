"""Runs one kernel on every visible GPU by the driver API alone. Runs as:

    python -I -S -B compute_driver.py PARENT LIBCUDA FIRST_GPU

The kernel is our own PTX for the oldest architecture that any driver still compiles, so that the driver's compiler,
the memory, the launch and the arithmetic are all tried without any other library. Its inputs are chosen so that
a*b+a is a number that float32 holds exactly: the result must be equal to the last bit, on every GPU.

A GPU that answers an error is given up and the next one is tried. Each call is announced before it is made.
"""

from __future__ import annotations

import array
import ctypes
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tfdoctor.ask.probes.workers.preamble import prepare, write
else:  # this program runs by itself: its folder is on the path for this one import
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    from preamble import prepare, write

    del sys.path[0]

# 37: the last block is not full, so the kernel's own bound is tried, too.
COUNT, BLOCK = (
    16_384 + 37,
    256,
)
BYTES = COUNT * 4

PTX = b"""
.version 6.0
.target sm_30
.address_size 64

// c[i] = fma(a[i], b[i], a[i]) for i < n
.visible .entry tfdoctor_smoke(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
    .reg .pred  %beyond;
    .reg .b32   %count, %i, %block, %size;
    .reg .b64   %from_a, %from_b, %to_c, %offset;
    .reg .f32   %x, %y, %z;

    ld.param.u32    %count, [n];
    mov.u32         %block, %ctaid.x;
    mov.u32         %size, %ntid.x;
    mov.u32         %i, %tid.x;
    mad.lo.u32      %i, %block, %size, %i;
    setp.ge.u32     %beyond, %i, %count;
    @%beyond bra    DONE;

    ld.param.u64    %from_a, [a];
    ld.param.u64    %from_b, [b];
    ld.param.u64    %to_c, [c];
    cvta.to.global.u64 %from_a, %from_a;
    cvta.to.global.u64 %from_b, %from_b;
    cvta.to.global.u64 %to_c, %to_c;
    mul.wide.u32    %offset, %i, 4;
    add.s64         %from_a, %from_a, %offset;
    add.s64         %from_b, %from_b, %offset;
    add.s64         %to_c, %to_c, %offset;
    ld.global.f32   %x, [%from_a];
    ld.global.f32   %y, [%from_b];
    fma.rn.f32      %z, %x, %y, %x;
    st.global.f32   [%to_c], %z;
DONE:
    ret;
}
"""
KERNEL = b"tfdoctor_smoke"
JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES = 5, 6  # CUjit_option, cuda.h 12.9
LOG_BYTES = 4096
NVML = "nvml.dll" if os.name == "nt" else "libnvidia-ml.so.1"
LOOKS, LOOK_S = 10, 0.05  # at the link's speed, which rises when work begins


class Refused(Exception):  # noqa: N818  # an answer of the driver, not an error of ours
    """A call that answered something else than 0."""

    def __init__(self, step: str, code: int, message: str) -> None:
        super().__init__(message)
        self.step, self.code, self.message = step, code, message


def inputs() -> tuple[array.array[float], array.array[float], array.array[float]]:
    """a of 12 bits in steps of 2^-8, b of 11 bits in steps of 2^-6: a*b+a then needs 24 bits, which float32 has."""
    a = array.array("f", ((i * 2_654_435_761 >> 7) % 4096 / 256.0 for i in range(COUNT)))
    b = array.array("f", ((i * 40_503 >> 3) % 2048 / 64.0 for i in range(COUNT)))
    return a, b, array.array("f", (x * y + x for x, y in zip(a, b, strict=True)))


def address(values: array.array[float]) -> ctypes.c_void_p:
    return ctypes.c_void_p(values.buffer_info()[0])


class Driver:
    def __init__(self, library: Any) -> None:
        self.library = library
        self.log = ctypes.create_string_buffer(LOG_BYTES)

    def call(self, name: str, *arguments: Any) -> None:
        """Makes a call. Raises Refused with the code's name and the JIT compiler's log."""
        write(at=name)
        function = getattr(self.library, name, None)
        if function is None:
            raise Refused(name, -1, "this libcuda has no such function")
        code = int(function(*arguments))
        if code:
            log = self.log.value.decode("utf-8", "replace").strip()
            raise Refused(name, code, self.name_of(code) + (f": {log}" if log else ""))

    def name_of(self, code: int) -> str:
        name, namer = ctypes.c_char_p(), getattr(self.library, "cuGetErrorName", None)
        if namer is None or namer(code, ctypes.byref(name)) or not name.value:
            return f"CUDA error {code}"
        return name.value.decode("ascii", "replace")

    def load(self) -> ctypes.c_void_p:
        """Compiles and loads the module."""
        module, options = ctypes.c_void_p(), (ctypes.c_int * 2)(JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES)
        values = (ctypes.c_void_p * 2)(ctypes.addressof(self.log), LOG_BYTES)
        text = ctypes.c_char_p(PTX)
        self.call(
            "cuModuleLoadDataEx",
            ctypes.byref(module),
            text,
            2,
            ctypes.byref(options),
            ctypes.byref(values),
        )
        return module

    def allocate(self) -> ctypes.c_uint64:
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(BYTES))
        return pointer


def run(driver: Driver, index: int, times: dict[str, float]) -> array.array[float]:
    """The kernel's result on one GPU. Raises Refused. `times` gets the seconds of each part that was reached."""
    device, context, function = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    begun = time.perf_counter()
    driver.call("cuDeviceGet", ctypes.byref(device), index)
    driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    driver.call("cuCtxSetCurrent", context)
    times["context_s"] = time.perf_counter() - begun
    begun = time.perf_counter()
    module = driver.load()
    driver.call("cuModuleGetFunction", ctypes.byref(function), module, KERNEL)
    times["load_s"] = time.perf_counter() - begun
    begun = time.perf_counter()
    result = launch(driver, function)
    times["run_s"] = time.perf_counter() - begun
    look_at_link(driver, index, device, function)
    driver.call("cuModuleUnload", module)
    driver.call("cuCtxSetCurrent", None)
    driver.call("cuDevicePrimaryCtxRelease_v2", device)
    return result


def launch(driver: Driver, function: ctypes.c_void_p) -> array.array[float]:
    a, b, _ = inputs()
    result = array.array("f", [float("nan")]) * COUNT
    pointers = [driver.allocate() for _ in range(3)]
    for pointer, values in zip(pointers, (a, b, result), strict=True):
        driver.call("cuMemcpyHtoD_v2", pointer, address(values), ctypes.c_size_t(BYTES))
    arguments = [*pointers, ctypes.c_uint32(COUNT)]
    table = (ctypes.c_void_p * 4)(*[ctypes.addressof(argument) for argument in arguments])
    blocks = (COUNT + BLOCK - 1) // BLOCK
    driver.call("cuLaunchKernel", function, blocks, 1, 1, BLOCK, 1, 1, 0, None, table, None)
    driver.call("cuCtxSynchronize")
    driver.call("cuMemcpyDtoH_v2", address(result), pointers[2], ctypes.c_size_t(BYTES))
    for pointer in pointers:
        driver.call("cuMemFree_v2", pointer)
    return result


def look_at_link(
    driver: Driver, index: int, device: ctypes.c_int, function: ctypes.c_void_p
) -> None:
    """Says the PCIe link's generation while this GPU works, and the highest that it can have; nothing where NVML is silent."""
    try:
        nvml = ctypes.CDLL(NVML)
        name = ctypes.create_string_buffer(32)
        driver.call("cuDeviceGetPCIBusId", name, len(name), device)
    except (OSError, Refused):
        return
    handle, now, most = ctypes.c_void_p(), ctypes.c_uint(), ctypes.c_uint()

    def answers(call: str, *arguments: Any) -> bool:
        write(at=call)
        function = getattr(nvml, call, None)
        return function is not None and int(function(*arguments)) == 0

    if not (
        answers("nvmlInit_v2")
        and answers("nvmlDeviceGetHandleByPciBusId_v2", name, ctypes.byref(handle))
        and answers("nvmlDeviceGetMaxPcieLinkGeneration", handle, ctypes.byref(most))
    ):
        return
    for _ in range(LOOKS):
        if not answers("nvmlDeviceGetCurrPcieLinkGeneration", handle, ctypes.byref(now)):
            return
        if now.value >= most.value:
            break
        time.sleep(LOOK_S)
        launch(driver, function)
    write(say="link", index=index, generation=now.value, most=most.value)


def judge(result: array.array[float]) -> dict[str, Any]:
    """ "passed" or "wrong", with the largest difference relative to the largest value; null where it is no number."""
    expected = inputs()[2]
    if result == expected:
        return {"status": "passed", "max_error": 0.0, "message": ""}
    wrong = [abs(x - y) for x, y in zip(result, expected, strict=True) if x != y]
    worst = max(wrong) / max(expected)
    plain = all(difference < float("inf") for difference in wrong)
    message = f"{len(wrong)} of {COUNT} results differ from a*b+a"
    return {"status": "wrong", "max_error": worst if plain else None, "message": message}


def try_gpu(driver: Driver, index: int) -> None:
    write(say="gpu", index=index)
    times: dict[str, float] = {}
    driver.log.value = b""
    try:
        verdict = dict(judge(run(driver, index, times)), step="", code=0)
    except Refused as refused:
        verdict = {
            "status": "failed",
            "max_error": None,
            "step": refused.step,
            "code": refused.code,
        }
        verdict["message"] = refused.message
    write(say="result", index=index, **verdict, **times)


def main(parent: str, path: str, first: str) -> None:
    prepare(int(parent))
    write(at="loading libcuda")
    driver, count = Driver(ctypes.CDLL(path)), ctypes.c_int()
    try:
        driver.call("cuInit", 0)
        driver.call("cuDeviceGetCount", ctypes.byref(count))
    except Refused as refused:
        write(say="refused", step=refused.step, code=refused.code, message=refused.message)
    for index in range(int(first), count.value):
        try_gpu(driver, index)
    write(done=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
