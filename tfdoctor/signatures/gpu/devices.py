"""GPUs that a build holds no code for, and contexts that an error made unusable."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, FACT, LIKELY, NATIVE, POSSIBLE, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES, WHEELS

_too_new = partial(Signature, code="gpu-too-new-for-build")
_BLACKWELL = (
    "tensorflow/tensorflow#99592 (2025-09)",
    "tensorflow/tensorflow#101746 (2025-10)",
    "tensorflow/tensorflow#89272 (2025-08)",
)
_BY_ARCHITECTURE = ("driver.devices", "tensorflow.build")


def _poisoned(
    name: str, error: str, words: str, *, sure: str = "certain", releases: str = "1.x to 2.21"
) -> tuple[Signature, ...]:
    """An error after which the process' context can't be used: by its name and by CUDA's sentence."""
    error_of = partial(
        Signature, code="cuda-context-poisoned", sure=sure, releases=releases, rivals=("gpu-hardware-fault", "cudnn-bug"),
        decided_by=("kernel_log.xids",), sources=(SEVERAL_FILES,),
    )  # fmt: skip
    return (
        error_of(
            f"{name}-name", anchor=error, form=rf"{error}\b", near=(f"{error}S_COUNT is 0",),
            samples=(f"E tensorflow/stream_executor/cuda/cuda_event.cc:29] Error polling for event status: failed to query event: {error}: {words}",),
        ),
        error_of(
            f"{name}-words", anchor=words, near=("no error was encountered",),
            samples=(f"InternalError: GPU sync failed: {words}",),
        ),
    )  # fmt: skip


SIGNATURES = (
    Signature(
        "capability-too-low",
        "compute-capability-too-low",
        "The minimum required Cuda capability is ",
        form=r"Ignoring visible gpu device \((?:device: \d{1,3}, name: (?P<gpu>[^,]{1,80}),)?.{0,120}? with C[uU][dD][aA] compute capability (?P<capability>\d{1,2}\.\d)\. The minimum required Cuda capability is (?P<wanted>\d{1,2}\.\d)",
        samples=(
            "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1717] Ignoring visible gpu device (device: 0, name: GeForce GTX 650, pci bus id: 0000:01:00.0, compute capability: 3.0) with Cuda compute capability 3.0. The minimum required Cuda capability is 3.5.",
        ),
        near=("Ignoring visible gpu device (device: 1, name: GeForce GT 710) with core count: 1. The minimum required count is 8.",),
        releases="1.x to 2.21",
        sources=(WHEELS,),
    ),
    Signature(
        "capability-left-out",
        "compute-capability-too-low",
        "Ignoring visible gpu device (",
        form=r"Ignoring visible gpu device \((?:device: \d{1,3}, name: (?P<gpu>[^,]{1,80}),)?.{0,120}? with C[uU][dD][aA] compute capability (?P<capability>\d{1,2}\.\d)",
        unless=("The minimum required Cuda capability is ",),
        samples=("Ignoring visible gpu device (device: 0, name: Tesla M60, pci bus id: 0000:00:1e.0, compute capability: 5.2) with Cuda compute capability 5.2.",),
        near=("Ignoring visible gpu device (device: 1, name: GeForce GT 710) with core count: 1. The minimum required count is 8.",),
        releases="1.x to 2.21, where the sentence was broken into lines",
        sources=("RedisAI/redis-inference-optimization#260 (2019-12)",),
    ),
    _too_new(
        "invalid-ptx",
        anchor="INVALID_PTX",
        samples=(
            "W tensorflow/compiler/mlir/tools/kernel_gen/tf_gpu_runtime_wrappers.cc:40] 'cuModuleLoadData(&module, data)' failed with 'CUDA_ERROR_INVALID_PTX'",
            "E external/local_xla/xla/stream_executor/cuda/cuda_driver.cc:1055] failed to load PTX text as a module: CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed",
        ),
        near=("CUDA_ERROR_UNSUPPORTED_PTX_VERSION: the provided PTX was compiled with an unsupported toolchain.",),
        rivals=("driver-too-old-for-ptx",),
        decided_by=("driver.version", *_BY_ARCHITECTURE),
        releases="2.5 to 2.21",
        sources=_BLACKWELL,
    ),
    _too_new(
        "invalid-handle",
        anchor="CUDA_ERROR_INVALID_HANDLE",
        form=r"'?cu(?:LaunchKernel|ModuleGetFunction)\w{0,10}\(.{0,200}?failed with 'CUDA_ERROR_INVALID_HANDLE'",
        sure=LIKELY,
        rivals=("driver-too-old-for-ptx", "compute-capability-too-low"),
        decided_by=_BY_ARCHITECTURE,
        samples=(
            "tensorflow.python.framework.errors_impl.InternalError: {{function_node __wrapped__Mul_device_/job:localhost/replica:0/task:0/device:GPU:0}} 'cuLaunchKernel(function, gridX, gridY, gridZ, blockX, blockY, blockZ, 0, reinterpret_cast<CUstream>(stream), params, nullptr)' failed with 'CUDA_ERROR_INVALID_HANDLE'",
            "W tensorflow/compiler/mlir/tools/kernel_gen/tf_gpu_runtime_wrappers.cc:40] 'cuModuleGetFunction(&function, module, kernel_name)' failed with 'CUDA_ERROR_INVALID_HANDLE'",
        ),
        near=("cuEventRecord failed with CUDA_ERROR_INVALID_HANDLE",),
        releases="2.15 to 2.21",
        sources=(*_BLACKWELL, "tensorflow/tensorflow#97387 (2025-07)"),
    ),
    _too_new(
        "llvm-ptx-version",
        anchor="does not support target",
        form=r"PTX version (?P<version>\d\.\d) does not support target '?(?P<capability>sm_\d{2,3}\w?)",
        samples=("LLVM ERROR: PTX version 8.5 does not support target 'sm_120'. Minimum required PTX version is 8.6.",),
        near=("the compiler does not support target x86",),
        sources=("tensorflow/tensorflow#111958 (2026-03)",),
    ),
    _too_new(
        "no-binary-for-gpu",
        anchor="NO_BINARY_FOR_GPU",
        rivals=("compute-capability-too-low",),
        decided_by=_BY_ARCHITECTURE,
        samples=("CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available for execution on the device",),
        near=("hipErrorNoBinaryForGpu: Unable to find code object for all current devices!",),
        releases="1.x to 2.21",
    ),
    _too_new(
        "no-kernel-image",
        anchor="no kernel image",
        rivals=("compute-capability-too-low",),
        decided_by=_BY_ARCHITECTURE,
        samples=("InternalError: CUDA runtime implicit initialization on GPU:0 failed. Status: no kernel image is available for execution on the device",),
        near=("no image is available for execution",),
        releases="1.x to 2.21",
        sources=("ikawrakow/ik_llama.cpp#514 (2025-06)",),
    ),
    _too_new(
        "device-image-invalid",
        anchor="device kernel image is invalid",
        rivals=("compute-capability-too-low",),
        decided_by=_BY_ARCHITECTURE,
        samples=("InternalError: Failed to load in-memory CUBIN: CUDA_ERROR_INVALID_IMAGE: device kernel image is invalid",),
        near=("the image is invalid",),
        releases="1.x to 2.21",
        sources=(WHEELS,),
    ),
    _too_new(
        "cubin-of-another-gpu",
        anchor="Failed to load in-memory CUBIN",
        form=r"Failed to load in-memory CUBIN(?: \(compiled for a different GPU\?\))?",
        rivals=("compute-capability-too-low", "cuda-context-poisoned", "gpu-out-of-memory"),
        decided_by=_BY_ARCHITECTURE,
        sure=LIKELY,
        samples=("INTERNAL: Failed to load in-memory CUBIN (compiled for a different GPU?).: CUDA_ERROR_INVALID_SOURCE: device kernel image is invalid",),
        near=("Failed to load in-memory data",),
        releases="2.4 to 2.21",
        sources=(WHEELS,),
    ),
    *(
        Signature(
            name, "driver-too-old-for-ptx", anchor,
            samples=("INTERNAL: failed to load PTX text as a module: CUDA_ERROR_UNSUPPORTED_PTX_VERSION: the provided PTX was compiled with an unsupported toolchain.",),
            near=("CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed",),
            releases="2.4 to 2.21", sources=(SEVERAL_FILES,),
        )
        for name, anchor in (
            ("unsupported-ptx-name", "UNSUPPORTED_PTX_VERSION"),
            ("unsupported-ptx-words", "the provided PTX was compiled with an unsupported toolchain"),
        )
    ),
    Signature(
        "no-cuda-binaries",
        "ptx-jit-slow-start",
        "was not built with CUDA kernel binaries",
        form=r"was not built with CUDA kernel binaries(?: compatible with compute capability (?P<capability>\d{1,2}\.\d\w?))?",
        rivals=("gpu-too-new-for-build", "driver-too-old-for-ptx"),
        decided_by=("driver.version", *_BY_ARCHITECTURE),
        samples=(
            "W tensorflow/core/common_runtime/gpu/gpu_device.cc:2433] TensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer.",
            "W0000 00:00:1753232013.685876   24341 gpu_device.cc:2431] TensorFlow was not built with CUDA kernel binaries compatible with compute capability 12.0a. CUDA kernels will be jit-compiled from PTX, which could take 30 minutes or longer.",
        ),
        near=("This TensorFlow binary is optimized to use available CPU instructions",),
        releases="2.6 to 2.21",
        sources=("tensorflow/tensorflow#97387 (2025-07)", "tensorflow/tensorflow#89272 (2025-08)", WHEELS),
    ),
    Signature(
        "hip-no-binary",
        "rocm-gpu-unsupported",
        "hipErrorNoBinaryForGpu",
        speaker=NATIVE,
        samples=('"hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"', "hipErrorNoBinaryForGpu: Couldn't find binary for current devices!"),
        near=("CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available for execution on the device",),
        releases="ROCm 3 and newer",
    ),
    Signature(
        "rocm-gpu-ignored",
        "rocm-gpu-unsupported",
        " with AMDGPU version : ",
        also=(" with AMDGPU ISA gfx",),
        form=r"Ignoring visible gpu device \((?:device: \d{1,3}, name: (?P<gpu>.{0,80}?), pci bus id)?.{0,160}? with AMDGPU (?:version : |ISA )(?P<capability>gfx\w{1,10})",
        samples=(
            "I tensorflow/core/common_runtime/gpu/gpu_device.cc:2250] Ignoring visible gpu device (device: 0, name: AMD Radeon RX 7600, pci bus id: 0000:03:00.0) with AMDGPU version : gfx1102. The supported AMDGPU versions are gfx1030, gfx1100, gfx900, gfx906, gfx908, gfx90a.",
            "Ignoring visible gpu device (device: 0, name: , pci bus id: 0000:03:00.0) with AMDGPU version : gfx1031. The supported AMDGPU versions are gfx1030, gfx900, gfx906, gfx908, gfx90a.",
            "Ignoring visible gpu device (device: 0, name: AMD A10-8700P Radeon R6, 10 Compute Cores 4C+6G, pci bus id: 0000:00:01.0) with AMDGPU ISA gfx801. The minimum required AMDGPU ISA is gfx803.",
        ),
        near=("created device with AMDGPU version : unknown",),
        releases="tensorflow-rocm 1.8 and newer, with ISA up to 2.4",
        sources=("ROCm/tensorflow-upstream#3169 (2025-12)", "ROCm/legacy-rocm-build#2353 (2023-08)", "ROCm/tensorflow-upstream#237 (2018-11)"),
    ),
    *_poisoned("illegal-address", "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"),
    Signature(
        "illegal-access-short",
        "cuda-context-poisoned",
        "llegal memory access",
        form=r"(?:CUDA|cuda|GPU|kernel)\b.{0,120}[Ii]llegal memory access",
        unless=("an illegal memory access was encountered",),
        samples=("RuntimeError: CUDA error 700: illegal memory access", "InternalError: CUDA error: Illegal memory access"),
        near=("the checker found no illegal memory access",),
        releases="all",
    ),
    *_poisoned("launch-failed", "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"),
    *_poisoned("misaligned-address", "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"),
    *_poisoned("launch-timeout", "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated", sure=LIKELY),
    Signature(
        "event-out-of-memory",
        "gpu-out-of-memory",
        "failed to query event: CUDA_ERROR_OUT_OF_MEMORY",
        samples=("E tensorflow/stream_executor/cuda/cuda_event.cc:49] Error polling for event status: failed to query event: CUDA_ERROR_OUT_OF_MEMORY",),
        near=("Error polling for event status: failed to query event: CUDA_ERROR_LAUNCH_FAILED",),
        sure=LIKELY,
        releases="1.x to 2.21",
        sources=("allenai/bilm-tf#244 (2021-10)",),
    ),
    Signature(
        "unexpected-event",
        "cuda-context-poisoned",
        "Unexpected Event status: ",
        form=r"Unexpected Event status: (?P<number>\d{1,4})",
        rivals=("gpu-hardware-fault",),
        decided_by=("kernel_log.xids",),
        samples=("F tensorflow/core/common_runtime/device/device_event_mgr.cc:221] Unexpected Event status: 1",),
        near=("The event's status is 1",),
        releases="1.x to 2.21",
        sources=(WHEELS,),
    ),
    Signature(
        "gpu-sync-failed",
        "cuda-context-poisoned",
        "GPU sync failed",
        speaker=EXCEPTION,
        rivals=("gpu-hardware-fault", "gpu-out-of-memory", "gpu-library-no-memory"),
        decided_by=("kernel_log.xids",),
        sure=POSSIBLE,
        samples=("tensorflow.python.framework.errors_impl.InternalError: GPU sync failed",),
        near=("sync failed",),
        releases="1.x to 2.21",
        sources=(WHEELS,),
    ),
    Signature(
        "rocm-device-unnamed",
        "rocm-gpu-unsupported",
        "Failed to get device name: ",
        form=r"Failed to get device name: (?P<error>HIP_ERROR_\w{3,40}|hipError\w{3,40})",
        speaker=EXCEPTION,
        sure=LIKELY,
        rivals=("driver-module-not-loaded",),
        decided_by=("driver.devices",),
        samples=("tensorflow.python.framework.errors_impl.InternalError: Failed to get device name: HIP_ERROR_InvalidValue",),
        near=("Failed to get device name: CUDA_ERROR_INVALID_DEVICE",),
        releases="tensorflow-rocm 2.4",
        sources=("ROCm/tensorflow-upstream#1372 (2021-06)",),
    ),
    Signature(
        "rocm-no-device",
        "gpu-device-permission",
        "HIP_ERROR_NoDevice",
        also=("HIP_ERROR_InvalidDevice", "ROCk module is NOT loaded"),
        form=r"(?P<function>hipInit|ROCM device count): (?P<error>HIP_ERROR_(?:NoDevice|InvalidDevice))|ROCk module is NOT loaded",
        rivals=("container-without-gpu", "driver-module-not-loaded", "gpu-absent"),
        decided_by=("host.container", "host.gpu_device_nodes"),
        sure=LIKELY,
        samples=(
            "E tensorflow/stream_executor/rocm/rocm_driver.cc:982] could not retrieve ROCM device count: HIP_ERROR_NoDevice",
            "E tensorflow/stream_executor/rocm/rocm_driver.cc:302] failed call to hipInit: HIP_ERROR_NoDevice",
            "E external/local_xla/xla/stream_executor/rocm/rocm_driver.cc:261] failed call to hipInit: HIP_ERROR_InvalidDevice",
            "ROCk module is NOT loaded, possibly no GPU devices",
        ),
        near=("ROCk module is loaded", "hipMalloc: HIP_ERROR_InvalidDevice"),
        releases="tensorflow-rocm 1.12 to 2.18",
        sources=("ROCm/tensorflow-upstream#1106 (2020-11)", "ROCm/ROCm#3071 (2024-04)"),
    ),
    *(
        Signature(
            name, "", anchor, form=form, role=FACT, samples=(sample,), near=(near,), sources=sources,
        )
        for name, anchor, form, sample, near, sources in (
            ("amd-gpu-radeon", "Radeon", r"(?:AMD|ATI|name: ).{0,80}?Radeon", "pciBusID: 0000:0b:00.0 name: AMD Radeon RX 6800     ROCm AMDGPU Arch: gfx1030", "the Radeon colour scheme", (SEVERAL_FILES,)),
            ("amd-gpu-vega", "Vega", r"name: (?:AMD )?Vega \w{1,12}|\[AMD/ATI\] Vega", "Created device /device:GPU:0 with 15089 MB memory:  -> device: 0, name: Vega 20, pci bus id: 0000:26:00.0", "import vega from altair", (SEVERAL_FILES,)),
            ("amd-gpu-instinct", "Instinct", r"(?:AMD|name: ).{0,40}?Instinct MI\d{2,3}", "device: 0, name: AMD Instinct MI210, pci bus id: 0000:63:00.0", "Instinct of the agent", (SEVERAL_FILES,)),
            ("amd-gpu-gfx", "gfx1", r"(?:\bAMDGPU (?:Arch|ISA): |\bName: {1,40}|\bname: )gfx1\w{2,4}", "  Name:                    gfx1030", "the file gfx10 was drawn", (SEVERAL_FILES,)),
            ("amd-gpu-gfx-9", "gfx9", r"(?:\bAMDGPU (?:Arch|ISA): |\bName: {1,40}|\bname: )gfx9\w{2,4}", "  Name:                    gfx906", "the file gfx9 was drawn", (SEVERAL_FILES,)),
        )
    ),
)  # fmt: skip
