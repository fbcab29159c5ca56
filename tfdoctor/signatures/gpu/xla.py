"""What XLA compiles with: libdevice, ptxas, nvJitLink; and NCCL, through which GPUs talk."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, FACT, LIKELY, NATIVE, POSSIBLE, Signature
from tfdoctor.signatures.sources import NCCL, SEVERAL_FILES, WHEELS

_libdevice = partial(Signature, code="libdevice-missing")
_ptxas = partial(Signature, code="ptxas-missing")
_nccl = partial(Signature, code="nccl-failed", speaker=NATIVE)

SIGNATURES = (
    _libdevice(
        "libdevice-not-found",
        anchor="libdevice not found at ",
        form=r"libdevice not found at (?P<file>\S{1,300})",
        samples=("InternalError: libdevice not found at ./libdevice.10.bc [Op:__inference_one_step_on_data_1234]", "W tensorflow/core/framework/op_kernel.cc:1830] OP_REQUIRES failed at xla_ops.cc:362 : INTERNAL: libdevice not found at ./libdevice.10.bc"),
        near=("Found libdevice dir /usr/local/cuda/nvvm/libdevice",),
        releases="2.4 to 2.21",
        sources=("tensorflow/tensorflow#60790 (2023-06)", WHEELS),
    ),
    _libdevice(
        "libdevice-required",
        anchor="libdevice is required by this HLO module but was not found at ",
        samples=("W tensorflow/compiler/xla/service/gpu/llvm_gpu_backend/gpu_backend_lib.cc:274] libdevice is required by this HLO module but was not found at ./libdevice.10.bc",),
        near=("libdevice is required",),
        releases="2.4 to 2.21",
        sources=("tensorflow/tensorflow#60790 (2023-06)", WHEELS),
    ),
    _libdevice(
        "libdevice-directory",
        anchor="Can't find libdevice directory",
        sure=LIKELY,
        samples=("W external/local_xla/xla/service/gpu/nvptx_compiler.cc:765] Can't find libdevice directory ${CUDA_DIR}/nvvm/libdevice. This may result in compilation or runtime failures, if the program we try to run uses routines from libdevice.",),
        near=("Can't find the directory",),
        releases="2.4 to 2.21",
        sources=("tensorflow/tensorflow#56927 (2022-09)", "tensorflow/tensorflow#58681 (2023-01)", WHEELS),
    ),
    _libdevice(
        "nothing-compiles",
        anchor="Autotuner could not ",
        form=r"Autotuner could not (?:compile any|find any supported) configs",
        unless=("%cudnn-", "__cudnn$"),
        rivals=("ptxas-missing", "gpu-too-new-for-build"),
        decided_by=("cuda_libraries.libdevice", "cuda_libraries.ptxas"),
        sure=LIKELY,
        samples=("INTERNAL: Autotuner could not compile any configs for HLO: %fusion", "INTERNAL: Autotuner could not find any supported configs for HLO: %fusion"),
        near=("Autotuner found no better config",),
        releases="2.21",
        sources=(WHEELS,),
    ),
    _ptxas(
        "ptxas-binary",
        anchor="Can't find ptxas binary",
        samples=(
            "W external/local_xla/xla/service/gpu/nvptx_compiler.cc:698] Can't find ptxas binary in ${CUDA_DIR}/bin.  Will back to the GPU driver for PTX -> sass compilation.",
            "F tensorflow/compiler/xla/service/gpu/nvptx_compiler.cc:461] Can't find ptxas binary.  You can pass the flag --xla_gpu_unsafe_fallback_to_driver_on_ptxas_not_found to use the GPU driver for compiling ptx instead.",
        ),
        near=("ptxas found in /usr/local/cuda/bin",),
        releases="2.4 to 2.18",
        sources=(WHEELS,),
    ),
    _ptxas(
        "ptxas-version",
        anchor="Couldn't get ptxas",
        form=r"Couldn't get ptxas(?:/nvlink)? version",
        sure=LIKELY,
        samples=("W tensorflow/stream_executor/gpu/asm_compiler.cc:80] Couldn't get ptxas version string: INTERNAL: Couldn't invoke ptxas --version", "W tensorflow/compiler/xla/stream_executor/gpu/asm_compiler.cc:231] Couldn't get ptxas version : FAILED_PRECONDITION: Couldn't get ptxas/nvlink version string: INTERNAL: Couldn't invoke ptxas --version"),
        near=("ptxas: NVIDIA (R) Ptx optimizing assembler",),
        releases="2.5 to 2.21",
        sources=(WHEELS, SEVERAL_FILES),
    ),
    _ptxas(
        "ptxas-not-found",
        anchor="ptxas not found",
        samples=("INTERNAL: ptxas not found in $PATH or the CUDA data directory",),
        near=("ptxas found in /usr/local/cuda/bin",),
    ),
    _ptxas(
        "no-ptx-provider",
        anchor="No PTX compilation provider",
        samples=("INTERNAL: No PTX compilation provider is available. Neither ptxas/nvlink nor nvjtlink is available.",),
        near=("PTX compilation provider: ptxas",),
        releases="2.19 to 2.21",
        sources=(WHEELS,),
    ),
    Signature(
        "xla-no-compiler-for-metal",
        "metal-plugin-mismatch",
        "could not find registered ",
        form=r"could not find registered (?:compiler for platform (?P<device>METAL)|platform with id: 0x[0-9a-f]{4,16})",
        samples=(
            "tensorflow/core/framework/op_kernel.cc:1745] OP_REQUIRES failed at xla_ops.cc:296 : UNIMPLEMENTED: Could not find compiler for platform METAL: NOT_FOUND: could not find registered compiler for platform METAL -- check target linkage",
            "UnimplementedError: Could not find compiler for platform METAL: NOT_FOUND: could not find registered compiler for platform METAL -- check target linkage [Op:__inference___call___6113]",
            "W tensorflow/core/framework/op_kernel.cc:1830] OP_REQUIRES failed at xla_ops.cc:418 : NOT_FOUND: could not find registered platform with id: 0x1051fc880",
        ),
        near=(
            "NOT_FOUND: could not find registered compiler for platform CUDA -- check target linkage",
            "NOT_FOUND: could not find registered transfer manager for platform Host -- check target linkage",
        ),
        releases="tensorflow-metal 0.5 to 1.2",
        sources=("NVlabs/sionna#78 (2022-12)", "tensorflow/tensorflow#58988 (2023-03)", "tlkh/tf-metal-experiments#19 (2023-01)"),
    ),
    Signature(
        "xla-no-compiler",
        "python-exception",
        "find registered compiler for platform ",
        form=r"ould not find registered compiler for platform (?P<device>CUDA|ROCM|SYCL|Host|CPU|GPU|[a-z]{2,12})\b",
        speaker=EXCEPTION,
        unless=("Falling back to TF function call",),
        samples=(
            "W external/org_tensorflow/tensorflow/core/framework/op_kernel.cc:1828] OP_REQUIRES failed at xla_ops.cc:503 : UNIMPLEMENTED: Could not find compiler for platform CUDA: NOT_FOUND: could not find registered compiler for platform CUDA -- was support for that platform linked in?",
            "UnimplementedError: Could not find compiler for platform Host: NOT_FOUND: could not find registered compiler for platform Host -- check target linkage [Op:__inference_f_12]",
        ),
        near=("W tensorflow/compiler/jit/kernels/xla_ops.cc:436] Compilation failed:UNIMPLEMENTED: Could not find compiler for platform CUDA: NOT_FOUND: could not find registered compiler for platform CUDA -- check target linkage.  Falling back to TF function call.", "NOT_FOUND: could not find registered compiler for platform METAL -- check target linkage", "NOT_FOUND: could not find registered transfer manager for platform Host -- check target linkage"),
        releases="2.4 to 2.21, TensorFlow Serving",
        sources=("tensorflow/serving#2214 (2024-04)", "tensorflow/serving#2217 (2024-04)", "spack/spack#37473 (2023-05)", "conda-forge/tensorflow-feedstock#223 (2022-04)"),
    ),
    Signature(
        "ptxas-fatal",
        "ptxas-too-old",
        "ptxas fatal",
        also=("' is not defined for option 'gpu-name'",),
        form=r"ptxas fatal(?:\s{0,9}: Value '(?P<value>sm_\w{2,6})' is not defined)?|Value '(?P<capability>sm_\w{2,6})' is not defined for option 'gpu-name'",
        samples=("ptxas fatal   : Value 'sm_120' is not defined for option 'gpu-name'", "ptxas /tmp/tempfile-1 : error : Value 'sm_86' is not defined for option 'gpu-name'", "ptxas exited with non-zero error code 65280, output: ptxas fatal   : Value 'sm_90a' is not defined for option 'gpu-name'"),
        near=("ptxas info    : 0 bytes gmem",),
        releases="CUDA 8 to 13",
        sources=("gpustack/gpustack#4372 (2026-01)", "NVlabs/instant-ngp#747 (2024-02)", "utcs-scea/altis#19 (2022-05)"),
    ),
    Signature(
        "ptxas-refused",
        "ptxas-too-old",
        "has a bug that we think can affect XLA",
        form=r"ptxas (?P<version>\d{1,2}(?:\.\d{1,4}){1,2}) has a bug that we think can affect XLA",
        samples=(
            "F external/local_xla/xla/service/gpu/nvptx_compiler.cc:619] ptxas returned an error during compilation of ptx to sass: 'INTERNAL: ptxas 12.3.103 has a bug that we think can affect XLA. Please use a different version.'",
            "INTERNAL: ptxas 12.2.140 has a bug that we think can affect XLA. Please use a different version.",
        ),
        near=("ptxas 12.3.103 was found",),
        releases="2.15 to 2.21",
        sources=("tensorflow/tensorflow#68966 (2024-06)",),
    ),
    Signature(
        "ptxas-fallback",
        "ptxas-too-old",
        "ptxas too old. Falling back to the driver to compile",
        sure=LIKELY,
        samples=("W tensorflow/stream_executor/gpu/asm_compiler.cc:235] /usr/local/cuda/bin/ptxas ptxas too old. Falling back to the driver to compile.",),
        near=("The driver is too old",),
        releases="2.4 to 2.21",
        sources=(WHEELS,),
    ),
    _nccl(
        "nccl-ib-memory",
        anchor="Call to ibv_",
        form=r"NCCL WARN Call to (?P<function>ibv_(?:create_qp|create_cq|create_srq|reg_mr\w{0,20}|alloc_pd)) failed",
        samples=(
            "node-3:3778851:3779883 [4] ibvwrap.c:130 NCCL WARN Call to ibv_create_qp failed",
            "n17:4242:4300 [0] misc/ibvwrap.cc:252 NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory",
        ),
        near=("NCCL WARN Call to ibv_modify_qp failed with error Connection timed out", "NCCL INFO Call to ibv_create_qp"),
        releases="NCCL 2",
        sources=("NVIDIA/pyxis#60 (2021-08)", "NVIDIA/nccl#562 (2021)", NCCL),
    ),
    _nccl(
        "nccl-no-kernel",
        anchor="NcclAllReduce",
        also=("NcclBroadcast", "NcclReduce"),
        form=r"No OpKernel was registered to support Op '(?P<op>Nccl\w{3,30})'",
        speaker=EXCEPTION,
        samples=("tensorflow.python.framework.errors_impl.InvalidArgumentError: No OpKernel was registered to support Op 'NcclAllReduce' used by {{node NcclAllReduce}} with these attrs: [reduction=\"sum\", shared_name=\"c1\", T=DT_FLOAT, num_devices=2]",),
        near=("[[node Adam/NcclAllReduce (defined at train.py:160) ]]",),
        releases="2.0 to 2.10, Windows",
        sources=("tensorflow/tensorflow#44281 (2020-11)", "tensorflow/tensorflow#28430 (2019-05)", "tensorflow/tensorflow#33656 (2020-09)"),
    ),
    *(
        _nccl(
            name, anchor=anchor, form=form, unless=("No space left", "/dev/shm"), sure=sure, rivals=rivals,  # noqa: S108  # a name to look for
            decided_by=("memory.shm_total", "memory.limit_locked_memory"), samples=(sample,), near=(near,), sources=sources,
        )
        for name, anchor, form, sure, rivals, sample, near, sources in (
            ("nccl-system-error", "unhandled system error", r"unhandled system error", LIKELY, ("shared-memory-too-small",), "tensorflow.python.framework.errors_impl.InternalError: NCCL: unhandled system error. Set NCCL_DEBUG=WARN for detail.", "unhandled error in the system", (NCCL,)),
            ("nccl-cuda-error", "unhandled cuda error", r"unhandled cuda error", LIKELY, ("driver-too-old", "gpu-out-of-memory", "cuda-context-poisoned"), "InternalError: NCCL: unhandled cuda error", "unhandled error of CUDA", (NCCL,)),
            ("nccl-async", "due to async NCCL error: ", "", LIKELY, ("worker-lost",), "INTERNAL: Aborting communicator: 0x7f due to async NCCL error: unhandled system error", "NCCL runs asynchronously", (WHEELS,)),
            ("nccl-warn", "NCCL WARN ", r"NCCL WARN (?P<message>.{1,300})", LIKELY, ("shared-memory-too-small", "worker-lost"), "n17:4242:4300 [0] misc/ibvwrap.cc:252 NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory", "NCCL INFO Using network Socket", (NCCL,)),
        )
    ),
    *(
        Signature(
            name, "", anchor, role=FACT, speaker=NATIVE, samples=(sample,), near=("GPUs talk over PCIe",),
            unless=("No space left",), sources=(WHEELS,),
        )
        for name, anchor, sample in (
            ("nccl-named", "NCCL", "InternalError: NCCL operation AllReduce failed: internal error"),
            ("nccl-call-named", "nccl", "InternalError: ncclAllReduce failed: invalid usage"),
        )
    ),
    Signature(
        "xla-device-refused",
        "compute-capability-too-low",
        " not supported by XLA service",
        form=r"device CUDA:(?P<device>\d{1,3}) not supported by XLA service",
        speaker=EXCEPTION,
        sure=LIKELY,
        samples=("tensorflow.python.framework.errors_impl.InvalidArgumentError: device CUDA:2 not supported by XLA service",),
        near=("The op is not supported by XLA service",),
        releases="1.12 to 2.3",
        sources=("tensorflow/tensorflow#35672 (2020-01)", "IndicoDataSolutions/finetune#423 (2019-11)"),
    ),
    Signature(
        "xla-no-device",
        "compute-capability-too-low",
        "no supported devices found for platform",
        form=r"no supported devices found for platform (?:CUDA|GPU)",
        speaker=EXCEPTION,
        sure=POSSIBLE,
        samples=("F tensorflow/stream_executor/lib/statusor.cc:34] Attempting to fetch value instead of handling error Internal: no supported devices found for platform CUDA",),
        near=("no supported devices found for platform Host",),
        releases="1.12 to 2.8",
        sources=("tensorflow/tensorflow#57385 (2022-08)",),
    ),
)  # fmt: skip
