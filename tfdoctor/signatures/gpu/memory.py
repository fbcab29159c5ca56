"""GPU memory: what did not fit, what the driver refused, what was held by others."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES, WHEELS

_full = partial(
    Signature,
    code="gpu-out-of-memory",
    rivals=("gpu-memory-fragmented", "gpu-memory-held", "gpu-dataset-on-device", "gpu-preallocation-clash"),
    decided_by=("nvml.devices",),
)
_held = partial(Signature, code="gpu-memory-held")

SIGNATURES = (
    _full(
        "bfc-ran-out",
        anchor=" ran out of memory trying to allocate ",
        form=r"Allocator \((?P<device>GPU_\d{1,3}_bfc|gpu_async_\d{1,3}|gpu\w{0,20})\) ran out of memory trying to allocate (?P<requested>[\d.]{1,20} ?[KMGTP]?i?B)(?: \(rounded to (?P<size>\d{1,20})\))?(?: ?requested by op (?P<op>[^\s]{1,200}))?",
        unless=("this is not a failure", "_host_bfc)"),
        samples=(
            "W tensorflow/core/common_runtime/bfc_allocator.cc:456] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.00GiB (rounded to 2147483648)requested by op model/conv2d/Conv2D",
            "W external/local_xla/xla/tsl/framework/bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 48.00GiB (rounded to 51539607552)requested by op AddV2",
            "W tensorflow/core/common_runtime/bfc_allocator.cc:243] Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.17GiB.  Current allocation summary follows.",
        ),
        near=(
            "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.32GiB with freed_by_count=0. The caller indicates that this is not a failure, but this may mean that there could be performance gains if more memory were available.",
            "Allocator (mklcpu) ran out of memory trying to allocate 9.31GiB (rounded to 10000000000)requested by op Fill",
            "Allocator (gpu_host_bfc) ran out of memory trying to allocate 4.00GiB (rounded to 4294967296)requested by op x",
        ),
        releases="1.x to 2.21",
        sources=(WHEELS,),
    ),
    _full(
        "oom-tensor-gpu",
        anchor="OOM when allocating tensor with shape",
        form=r"OOM when allocating tensor with shape ?\[(?P<requested>[\d,]{0,200})\](?: and type (?P<value>\w{1,20}))?(?: on (?P<device>\S{1,120}GPU:\d{1,3})| by allocator GPU_\d{1,3}_bfc)",
        speaker=EXCEPTION,
        samples=(
            "ResourceExhaustedError: OOM when allocating tensor with shape[25088,4096] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Mul]",
            "tensorflow.python.framework.errors_impl.ResourceExhaustedError: {{function_node __wrapped__AddV2_device_/job:localhost/replica:0/task:0/device:GPU:0}} OOM when allocating tensor with shape[65536,65536] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:AddV2] name:",
        ),
        near=("ResourceExhaustedError: OOM when allocating tensor with shape[65536,65536] and type float on /job:localhost/replica:0/task:0/device:CPU:0 by allocator cpu [Op:MatMul]",),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#17669 (2018-03)", "dBeker/Faster-RCNN-TensorFlow-Python3#16 (2018-06)", "tensorflow/tensor2tensor#782 (2018-05)", WHEELS),
    ),
    _full(
        "oom-xla",
        anchor="Out of memory while trying to allocate ",
        form=r"Out of memory while trying to allocate (?P<requested>[\d.]{1,20} ?(?:bytes|[KMGT]?i?B))",
        speaker=EXCEPTION,
        samples=("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes.", "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 48.00GiB."),
        near=("Out of memory: Killed process 4242 (python)",),
        releases="2.4 to 2.21",
        sources=(WHEELS,),
    ),
    _full(
        "oom-eager",
        anchor="failed to allocate memory",
        form=r"ResourceExhaustedError: (?:.{0,200})failed to allocate memory",
        speaker=EXCEPTION,
        rivals=("host-memory-exhausted", "gpu-memory-fragmented", "gpu-memory-held", "gpu-dataset-on-device"),
        sure=LIKELY,
        samples=("tensorflow.python.framework.errors_impl.ResourceExhaustedError: failed to allocate memory [Op:AddV2]",),
        near=("malloc failed to allocate memory for the cache",),
        releases="2.5 to 2.21",
        sources=(WHEELS,),
    ),
    _full(
        "cuda-malloc-async",
        anchor="cuMemAllocAsync failed to allocate ",
        form=r"cuMemAllocAsync failed to allocate (?P<requested>\d{1,20})",
        samples=("E tensorflow/core/common_runtime/gpu/gpu_cudamallocasync_allocator.cc:288] gpu_async_0 cuMemAllocAsync failed to allocate 4294967296 bytes: CUDA error: out of memory (CUDA_ERROR_OUT_OF_MEMORY)",),
        near=("cuMemAllocAsync is not supported",),
        releases="2.5 to 2.21",
        sources=(WHEELS,),
    ),
    Signature(
        "dst-tensor",
        "gpu-out-of-memory",
        "Dst tensor is not initialized",
        unless=("to run _EagerConst: Dst", "Op:_EagerConst"),
        speaker=EXCEPTION,
        rivals=("gpu-memory-held", "gpu-dataset-on-device"),
        decided_by=("nvml.devices",),
        sure=LIKELY,
        samples=("InternalError: Dst tensor is not initialized.", "tensorflow.python.framework.errors_impl.InternalError: Dst tensor is not initialized. [Op:IteratorGetNext]"),
        near=(
            "Tensor is not initialized yet",
            "InternalError: Failed copying input tensor from /job:localhost/replica:0/task:0/device:CPU:0 to /job:localhost/replica:0/task:0/device:GPU:0 in order to run _EagerConst: Dst tensor is not initialized.",
        ),
        releases="1.x to 2.21",
        sources=(WHEELS, "tensorflow/tensorflow#7025 (2017-01)", "tensorflow/models#9809 (2021-03)"),
    ),
    Signature(
        "dst-tensor-const",
        "gpu-dataset-on-device",
        "Dst tensor is not initialized",
        form=r"in order to run _EagerConst: Dst tensor is not initialized|Dst tensor is not initialized.{0,20}\[Op:_EagerConst\]",
        speaker=EXCEPTION,
        rivals=("gpu-out-of-memory", "gpu-memory-held"),
        sure=LIKELY,
        samples=("tensorflow.python.framework.errors_impl.InternalError: Failed copying input tensor from /job:localhost/replica:0/task:0/device:CPU:0 to /job:localhost/replica:0/task:0/device:GPU:0 in order to run _EagerConst: Dst tensor is not initialized.", "InternalError: Dst tensor is not initialized. [Op:_EagerConst]"),
        near=("InternalError: Dst tensor is not initialized. [Op:IteratorGetNext]",),
        releases="1.x to 2.21",
        sources=(WHEELS, "tensorflow/tensorflow#52086 (2021-09)"),
    ),
    Signature(
        "eager-const",
        "gpu-dataset-on-device",
        "requested by op _EagerConst",
        rivals=("gpu-out-of-memory",),
        sure=LIKELY,
        samples=("W tensorflow/core/common_runtime/bfc_allocator.cc:479] Allocator (GPU_0_bfc) ran out of memory trying to allocate 6.71GiB (rounded to 7200000000)requested by op _EagerConst",),
        near=("requested by op AddV2",),
        releases="2.5 to 2.21",
        sources=(SEVERAL_FILES,),
    ),
    _held(
        "context-refused",
        anchor=" failed. Status: out of memory",
        form=r"(?:cudaSetDevice\(\)|CUDA runtime implicit initialization) on GPU:(?P<device>\d{1,3}) failed\. Status: out of memory",
        speaker=EXCEPTION,
        samples=(
            "tensorflow.python.framework.errors_impl.InternalError: cudaSetDevice() on GPU:0 failed. Status: out of memory",
            "tensorflow.python.framework.errors_impl.InternalError: CUDA runtime implicit initialization on GPU:0 failed. Status: out of memory",
        ),
        near=("cudaSetDevice() on GPU:0 failed. Status: invalid device ordinal",),
        releases="1.9 to 2.21",
        sources=("junxnone/tio#189 (2018-11)", "bubbliiiing/seq2seq-keras#1 (2020-07)", WHEELS),
    ),
    _held(
        "context-without-memory",
        anchor="CUDA_ERROR_OUT_OF_MEMORY",
        form=r"cuDevicePrimaryCtxRetain: (?:CUDA error: )?(?P<error>CUDA_ERROR_OUT_OF_MEMORY)(?:: out of memory; total memory reported: (?P<total>\d{1,20}))?",
        samples=("InternalError: failed initializing StreamExecutor for CUDA device ordinal 0: Internal: failed call to cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY: out of memory; total memory reported: 11554848768",),
        near=("failed to allocate 163.74M (171696128 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY",),
        decided_by=("nvml.devices",),
        releases="1.x to 2.15",
        sources=(SEVERAL_FILES,),
    ),
    _held(
        "driver-refused-memory",
        anchor=" from device: ",
        form=r"failed to allocate (?P<requested>[\d.]{1,20} ?[KMGT]?i?B?) \((?P<size>\d{1,20}) bytes\) from device: (?:RESOURCE_EXHAUSTED: )?(?:: )?(?P<error>CUDA_ERROR_OUT_OF_MEMORY)",
        rivals=("gpu-out-of-memory", "gpu-preallocation-clash"),
        decided_by=("nvml.devices",),
        sure=LIKELY,
        samples=(
            "E tensorflow/stream_executor/cuda/cuda_driver.cc:932] failed to allocate 163.74M (171696128 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY",
            "I tensorflow/stream_executor/cuda/cuda_driver.cc:733] failed to allocate 7.41GiB (7957839872 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
        ),
        near=("copied 12 bytes from device: GPU:0",),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#2437 (2016-07)", WHEELS),
    ),
    Signature(
        "allocator-no-statistics",
        "environment-variable-refused",
        "No allocator statistics",
        form=r"(?:InternalError|INTERNAL|Internal)(?: error)?: No allocator statistics",
        speaker=EXCEPTION,
        samples=(
            "tensorflow.python.framework.errors_impl.InternalError: No allocator statistics",
            "Error in py_call_impl(callable, dots$args, dots$keywords) : InternalError: No allocator statistics",
        ),
        near=("I bfc_allocator.cc:1039] Stats: No allocator statistics were asked for",),
        releases="1.14 to 2.5",
        sources=("tensorflow/tensorflow#50669 (2021-07)", "tensorflow/tensorflow#48869 (2021-05)", "tensorflow/tensorflow#48545 (2021-07)", "tensorflow/tensorflow#30736 (2019-07)"),
    ),
)  # fmt: skip
