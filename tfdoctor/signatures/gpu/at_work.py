"""cuDNN, cuSolver and compiled kernels that fail while a program computes, where the exception alone was pasted."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, POSSIBLE, Signature

_failed = partial(
    Signature,
    code="cuda-context-poisoned",
    speaker=EXCEPTION,
    rivals=("gpu-out-of-memory", "gpu-library-no-memory", "cudnn-version-mismatch", "cudnn-bug"),
    decided_by=("nvml.devices", "cuda_libraries.libraries"),
    sure=POSSIBLE,
)

SIGNATURES = (
    Signature(
        "cusolver-handle",
        "gpu-library-no-memory",
        "ailed to create cuSolverDN instance",
        also=("cusolverDnCreate(",),
        form=r"[Ff]ailed to create cuSolverDN instance|cusolverDnCreate\(.{0,80}(?:failed|CUSOLVER_STATUS_NOT_INITIALIZED|CUSOLVER_STATUS_ALLOC_FAILED)",
        speaker=EXCEPTION,
        rivals=("cuda-libraries-missing", "gpu-memory-held", "driver-too-old"),
        decided_by=("cuda_libraries.libraries", "nvml.devices", "driver.version"),
        sure=LIKELY,
        samples=("tensorflow.python.framework.errors_impl.InternalError: Failed to create cuSolverDN instance.",),
        near=("the cuSolverDN instance was created",),
        releases="1.x to 2.21",
    ),
    _failed(
        "cusolver-failed",
        anchor="CUSOLVER_STATUS_",
        also=("cuSolverDN call failed with status", "cuSolver call failed with status"),
        form=r"(?P<error>CUSOLVER_STATUS_(?:INTERNAL_ERROR|EXECUTION_FAILED|ALLOC_FAILED))|cuSolver(?:DN)? call failed with status ?=? ?(?P<number>\d{1,3})",
        samples=(
            "tensorflow.python.framework.errors_impl.InternalError: tensorflow/core/util/cuda_solvers.cc:803: cuSolverDN call failed with status =7 [Op:Svd]",
            "INTERNAL: cuSolver call status: CUSOLVER_STATUS_INTERNAL_ERROR",
        ),
        near=("CUSOLVER_STATUS_SUCCESS",),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#47661 (2021-03)",),
    ),
    _failed(
        "cudnn-launch-failed",
        anchor="cuDNN launch failure",
        also=("cuDNN Backward ", "cudnnFinalize Failed"),
        form=r"cuDNN launch failure ?: ?(?:input shape|CUDNN_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR|MAPPING_ERROR))|cuDNN Backward \w{1,12} function launch failure|cudnnFinalize Failed",
        samples=(
            "tensorflow.python.framework.errors_impl.InternalError: cuDNN launch failure : input shape ([32,64,28,28])",
            "InternalError: cuDNN Backward Data function launch failure : input shape([1,64,32,32]) filter shape([3,3,64,64])",
            "InternalError: cudnnException: CUDNN_BACKEND_OPERATION: cudnnFinalize Failed",
        ),
        near=("cuDNN launch failure is possible",),
        releases="1.x to 2.21",
    ),
    _failed(
        "kernel-not-compiled-at-run",
        anchor="JIT compilation failed.",
        form=r"(?:UnknownError|InternalError|UNKNOWN|INTERNAL):\s{0,2}(?:\{\{.{1,120}\}\} ?)?JIT compilation failed\.|(?:^|[\s\]:|>\ufeff])JIT compilation failed\.\s{0,4}$",
        unless=("PTX JIT",),
        code="libdevice-missing",
        rivals=("ptx-jit-slow-start", "gpu-too-new-for-build"),
        decided_by=("cuda_libraries.libraries", "nvml.devices"),
        sure=POSSIBLE,
        samples=("tensorflow.python.framework.errors_impl.UnknownError: JIT compilation failed. [Op:Rsqrt]", "OP_REQUIRES failed at xla_ops.cc:418 : INTERNAL: JIT compilation failed.", "JIT compilation failed."),
        near=("a PTX JIT compilation failed",),
        releases="2.5 to 2.21",
        sources=("tensorflow/tensorflow#57162 (2022-08)", "picobyte/stable-diffusion-webui-wd14-tagger#114 (2024-07)"),
    ),
)  # fmt: skip
