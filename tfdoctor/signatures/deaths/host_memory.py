"""Memory of the machine: allocations that fail, buffers that fill it, /dev/shm."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, HINT, LIKELY, LOADER, LOG, NATIVE, POSSIBLE, Signature
from tfdoctor.signatures.sources import GLIBC, NCCL, SEVERAL_FILES, WHEELS

_exhausted = partial(Signature, code="host-memory-exhausted")
_shm = partial(
    Signature,
    code="shared-memory-too-small",
    speaker=NATIVE,
    rivals=("nccl-failed",),
    decided_by=("memory.shm_total", "memory.shm_free"),
)

SIGNATURES = (
    _exhausted(
        "memory-error",
        anchor="MemoryError",
        unless=("OutOfMemoryError",),
        speaker=EXCEPTION,
        samples=(
            "MemoryError",
            "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 9.31 GiB for an array with shape (50000, 50000) and data type float32",
            "MemoryError: Unable to allocate 9.31 GiB for an array with shape (50000, 50000) and data type float32",
        ),
        near=("Memory Error correction is on", "torch.OutOfMemoryError: CUDA out of memory"),
    ),
    _exhausted(
        "bad-alloc",
        anchor="std::bad_alloc",
        speaker=NATIVE,
        samples=("terminate called after throwing an instance of 'std::bad_alloc'", "  what():  std::bad_alloc"),
        near=("std::bad_cast",),
    ),
    _exhausted(
        "map-segment-memory",
        anchor="failed to map segment from shared object",
        form=r"(?:(?P<library>[^\s:]{1,400}): )?failed to map segment from shared object: Cannot allocate memory",
        speaker=LOADER,
        samples=("ImportError: /opt/env/lib/python3.10/site-packages/tensorflow/libtensorflow_cc.so.2: failed to map segment from shared object: Cannot allocate memory",),
        near=("ImportError: /tmp/x.so: failed to map segment from shared object: Operation not permitted",),  # words of a log, no file is made
        releases="glibc 2.4 and newer",
        sources=(GLIBC, SEVERAL_FILES),
    ),
    Signature(
        "map-segment-forbidden",
        "noexec-mount",
        "failed to map segment from shared object",
        form=r"(?:(?P<library>[^\s:]{1,400}): )?failed to map segment from shared object: (?:Operation not permitted|Permission denied)",
        speaker=LOADER,
        decided_by=("tensorflow.noexec_mount",),
        samples=("ImportError: /opt/x.so: failed to map segment from shared object: Operation not permitted",),
        near=("ImportError: /opt/x.so: failed to map segment from shared object: Cannot allocate memory",),
        releases="glibc 2.4 and newer",
        sources=(GLIBC, SEVERAL_FILES),
    ),
    _exhausted(
        "map-segment",
        anchor="failed to map segment from shared object",
        form=r"(?:(?P<library>[^\s:]{1,400}): )?failed to map segment from shared object",
        unless=("Operation not permitted", "Permission denied", "Cannot allocate memory"),
        speaker=LOADER,
        rivals=("noexec-mount",),
        decided_by=("tensorflow.noexec_mount", "memory.limit_address_space", "memory.ram_available"),
        sure=LIKELY,
        samples=("ImportError: /opt/env/lib/python3.10/site-packages/tensorflow/libtensorflow_cc.so.2: failed to map segment from shared object",),
        near=(
            "ImportError: libtensorflow_cc.so.2: cannot open shared object file: No such file or directory",
            "ImportError: /opt/x.so: failed to map segment from shared object: Operation not permitted",
        ),
        releases="glibc 2.4 and newer",
        sources=(GLIBC, SEVERAL_FILES),
    ),
    _exhausted(
        "allocator-cpu",
        anchor="by allocator ",
        form=r"by allocator (?:cpu|mklcpu)",
        speaker=EXCEPTION,
        samples=("ResourceExhaustedError: OOM when allocating tensor with shape[65536,65536] and type float on /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu [Op:MatMul]",),
        near=("ResourceExhaustedError: OOM when allocating tensor with shape[4096] on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",),
        releases="1.x to 2.21",
        sources=(WHEELS,),
    ),
    _exhausted(
        "allocator-cpu-ran-out",
        anchor="cpu) ran out of memory trying to allocate ",
        form=r"Allocator \((?:mkl)?cpu\) ran out of memory trying to allocate (?P<requested>[\d.]{1,20} ?[KMGTP]?i?B)",
        unless=("this is not a failure",),
        samples=("W tensorflow/tsl/framework/bfc_allocator.cc:485] Allocator (mklcpu) ran out of memory trying to allocate 9.31GiB (rounded to 10000000000)requested by op Fill",),
        near=("Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.00GiB (rounded to 2147483648)requested by op Conv2D",),
        releases="1.13 to 2.21",
        sources=(WHEELS,),
    ),
    _exhausted(
        "cannot-allocate",
        anchor="annot allocate memory",
        form=r"[Cc]annot allocate memory",
        unless=("in static TLS", "failed to map segment", "ibv_"),
        speaker=NATIVE,
        samples=("OSError: [Errno 12] Cannot allocate memory", "fork: Cannot allocate memory"),
        near=("OSError: libgomp.so.1: cannot allocate memory in static TLS block",),
    ),
    _exhausted(
        "pinned-refused",
        anchor="could not allocate pinned host memory",
        form=r"could not allocate pinned host memory(?: of size: (?P<size>\d{1,20}))?",
        speaker=LOG,
        sure=LIKELY,
        samples=(
            "2024-10-22 09:22:17.233584: W .\\tensorflow/core/common_runtime/device/device_host_allocator.h:46] could not allocate pinned host memory of size: 34359738368",
            "W ./tensorflow/core/common_runtime/gpu/gpu_host_allocator.h:44] could not allocate pinned host memory of size: 415990272",
        ),
        near=("allocated pinned host memory of size: 2304",),
        releases="1.x to 2.21",
        sources=("talmolab/sleap#2001 (2024-10)", "minimaxir/gpt-2-simple#232 (2020-09)", "Accenture/AIR#7 (2022-06)", "jina-ai/dalle-flow#57 (2022-06)"),
    ),
    _exhausted(
        "host-alloc-refused",
        anchor=" bytes on host: ",
        form=r"failed to alloc (?P<size>\d{1,20}) bytes on host: (?:RESOURCE_EXHAUSTED: )?(?:: )?(?P<error>CUDA_ERROR_OUT_OF_MEMORY)",
        speaker=LOG,
        sure=LIKELY,
        samples=("E tensorflow/stream_executor/cuda/cuda_driver.cc:802] failed to alloc 34359738368 bytes on host: CUDA_ERROR_OUT_OF_MEMORY: out of memory",),
        near=("failed to allocate 163.74M (171696128 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY", "failed to alloc 2304 bytes on host: CUDA_ERROR_UNKNOWN"),
        releases="1.x to 2.21",
        sources=("talmolab/sleap#2001 (2024-10)", "ColeMurray/age-gender-estimation-tutorial#6 (2019-05)"),
    ),
    _exhausted(
        "host-allocator-ran-out",
        anchor="_host_bfc",
        form=r"Allocator \((?:gpu|cuda)_host_bfc\) ran out of memory trying to allocate (?P<requested>[\d.]{1,20} ?[KMGTP]?i?B)|by allocator (?:gpu|cuda)_host_bfc",
        unless=("this is not a failure",),
        speaker=LOG,
        samples=(
            "W tensorflow/core/common_runtime/bfc_allocator.cc:277] Allocator (cuda_host_bfc) ran out of memory trying to allocate 4.00GiB (rounded to 4294967296)",
            "ResourceExhaustedError: OOM when allocating tensor with shape[1,2] and type float on /job:localhost/replica:0/task:0/device:CPU:0 by allocator gpu_host_bfc",
        ),
        near=("Allocator (GPU_0_bfc) ran out of memory trying to allocate 4.00GiB (rounded to 4294967296)", "allocator gpu_host_bfc grew"),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#11915 (2017-07)",),
    ),
    _exhausted(
        "mmap-12",
        anchor="mmap error: 12",
        speaker=NATIVE,
        samples=("mmap error: 12",),
        near=("mmap error: 1",),
    ),
    _shm(
        "dev-shm",
        anchor="/dev/shm",  # noqa: S108  # a name to look for, no file is made
        samples=(
            "NCCL WARN Error while creating shared memory segment /dev/shm/nccl-Ab12Cd (size 9637888)",
            "NCCL WARN Error: failed to extend /dev/shm/nccl-Ab12Cd to 33030532 bytes, error: No space left on device (28)",
        ),
        near=("shm is mounted",),
        releases="NCCL 2",
        sources=(NCCL,),
    ),
    _shm(
        "posix-fallocate",
        anchor="posix_fallocate",
        samples=("NCCL WARN Call to posix_fallocate failed : No space left on device",),
        near=("Call to fallocate failed",),
        releases="NCCL 2",
    ),
    _shm(
        "dataloader-shm",
        anchor="insufficient shared memory (shm)",
        samples=("ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",),
        near=("shared memory is sufficient",),
    ),
    Signature(
        "shuffle-filling",
        "shuffle-buffer-too-large",
        "Filling up shuffle buffer (this may take a while): ",
        form=r"Filling up shuffle buffer \(this may take a while\): (?P<step>\d{1,20}) of (?P<total>\d{1,20})",
        role=HINT,
        sure=POSSIBLE,
        decided_by=("memory.ram_available", "memory.cgroup_limit"),
        samples=("I tensorflow/core/kernels/data/shuffle_dataset_op.cc:450] ShuffleDatasetV3:6: Filling up shuffle buffer (this may take a while): 12345 of 50000", "I tensorflow/core/kernels/data/shuffle_dataset_op.cc:390] Filling up shuffle buffer (this may take a while): 127 of 1000"),
        near=("Shuffle buffer filled.",),
        releases="1.x to 2.21",
        sources=(WHEELS,),
    ),
)  # fmt: skip
