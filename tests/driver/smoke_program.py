"""A small CUDA program without any package: runs a PTX kernel through whatever libcuda.so.1 the loader finds.

Started as `python smoke_program.py [n] [block] [ptx file]`; prints one JSON object: `results` (each call and its answer) and,
where the kernel ran, `wrong` (how many elements differ from a*b+a) and the free memory before and after.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any

PTX = b"""
.version 6.0
.target sm_30
.address_size 64
.visible .entry tfdoctor_smoke(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 pn)
{
    .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<11>;
    ld.param.u64 %rd1, [pa];
    ld.param.u64 %rd2, [pb];
    ld.param.u64 %rd3, [pc];
    ld.param.u32 %r2, [pn];
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ntid.x;
    mov.u32 %r5, %tid.x;
    mad.lo.s32 %r1, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r1, %r2;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd4, %rd1;
    mul.wide.u32 %rd5, %r1, 4;
    add.s64 %rd6, %rd4, %rd5;
    cvta.to.global.u64 %rd7, %rd2;
    add.s64 %rd8, %rd7, %rd5;
    ld.global.f32 %f1, [%rd6];
    ld.global.f32 %f2, [%rd8];
    fma.rn.f32 %f3, %f1, %f2, %f1;
    cvta.to.global.u64 %rd9, %rd3;
    add.s64 %rd10, %rd9, %rd5;
    st.global.f32 [%rd10], %f3;
DONE:
    ret;
}
"""


class Cuda:
    """Calls by name; keeps each answer; the first that is not 0 ends the program's work."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")
        self.results: dict[str, int] = {}

    def __call__(self, function: str, *arguments: Any) -> None:
        self.results[function] = getattr(self.library, function)(*arguments)
        if self.results[function]:
            raise SystemExit(function)


def free_memory(cuda: Cuda) -> int:
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    cuda("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    return free.value


def run(cuda: Cuda, n: int, block: int, ptx: bytes) -> dict[str, Any]:
    device, context, module, kernel = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    cuda("cuInit", 0)
    cuda("cuDeviceGet", ctypes.byref(device), 0)
    cuda("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    cuda("cuCtxSetCurrent", context)
    cuda("cuModuleLoadDataEx", ctypes.byref(module), ptx, 0, None, None)
    cuda("cuModuleGetFunction", ctypes.byref(kernel), module, b"tfdoctor_smoke")
    before = free_memory(cuda)
    floats = ctypes.c_float * n
    host = [floats(*range(n)), floats(*(0.5 for _ in range(n))), floats()]
    pointers = [ctypes.c_uint64() for _ in host]
    for pointer, values in zip(pointers, host):  # noqa: B905  # runs on Python 3.7 too
        cuda("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(4 * n))
        cuda("cuMemcpyHtoD_v2", pointer, values, ctypes.c_size_t(4 * n))
    after = free_memory(cuda)
    arguments = [*pointers, ctypes.c_uint(n)]
    addresses = (ctypes.c_void_p * 4)(*(ctypes.addressof(one) for one in arguments))
    cuda("cuLaunchKernel", kernel, (n + block - 1) // block, 1, 1, block, 1, 1, 0, None, addresses, None)
    cuda("cuCtxSynchronize")
    cuda("cuMemcpyDtoH_v2", host[2], pointers[2], ctypes.c_size_t(4 * n))
    wrong = sum(host[2][i] != host[0][i] * host[1][i] + host[0][i] for i in range(n))
    return {"wrong": wrong, "free_before": before, "free_after": after}


def main() -> None:
    cuda = Cuda()
    n, block = (int(text) for text in (sys.argv[1:3] or ["1000", "256"]))
    ptx = Path(sys.argv[3]).read_bytes() if len(sys.argv) > 3 else PTX
    try:
        figures = run(cuda, n, block, ptx)
    except SystemExit as stop:
        figures = {"stopped_at": stop.code}
    sys.stdout.write(json.dumps({"results": cuda.results, **figures}) + "\n")


if __name__ == "__main__":
    main()
