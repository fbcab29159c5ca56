"""cuDNN and cuBLAS: versions that differ, parts that lack, handles that can't be made."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, NATIVE, POSSIBLE, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES, WHEELS

_differs = partial(Signature, code="cudnn-version-mismatch")
_incomplete = partial(Signature, code="cudnn-incomplete", speaker=NATIVE)
_handle = partial(
    Signature,
    code="gpu-library-no-memory",
    rivals=(
        "cudnn-version-mismatch",
        "cudnn-incomplete",
        "cuda-libraries-missing",
        "gpu-memory-held",
        "driver-too-old",
    ),
    decided_by=("cuda_libraries.libraries", "nvml.devices", "driver.version"),
)
_failed = partial(
    Signature,
    code="cuda-context-poisoned",
    speaker=EXCEPTION,
    rivals=("gpu-out-of-memory", "gpu-library-no-memory", "cudnn-version-mismatch", "cudnn-bug"),
    decided_by=("nvml.devices", "cuda_libraries.libraries"),
    sure=POSSIBLE,
)
_DIFFERENT = ("cudnn-incomplete", "gpu-library-no-memory", "cuda-libraries-missing", "cudnn-drops-gpu")

SIGNATURES = (
    _differs(
        "cudnn-loaded-other",
        anchor="Loaded runtime CuDNN library: ",
        form=r"Loaded runtime CuDNN library: (?P<version>\d[\d.]{2,10}) but source was compiled with: (?P<wanted>\d[\d.]{2,10})",
        samples=(
            "E tensorflow/stream_executor/cuda/cuda_dnn.cc:362] Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.1.0.  CuDNN library needs to have matching major version and equal or higher minor version.",
            "E0000 00:00:1741242567.262839  263744 cuda_dnn.cc:522] Loaded runtime CuDNN library: 9.1.0 but source was compiled with: 9.3.0.  CuDNN library needs to have matching major version and equal or higher minor version.",
        ),
        near=("Loaded cuDNN version 8700",),
        releases="1.9 to 2.21",
        sources=("tensorflow/tensorflow#88708 (2025-03)", "googlecolab/colabtools#3086 (2022-09)", "google/automl#33 (2020-06)", WHEELS),
    ),
    _differs(
        "cudnn-loaded-other-old",
        anchor="but source was compiled with ",
        form=r"Loaded runtime CuDNN library: (?P<version>\d{4,5}) \(compatibility version \d{4,5}\) but source was compiled with (?P<wanted>\d{4,5})",
        samples=("E tensorflow/stream_executor/cuda/cuda_dnn.cc:378] Loaded runtime CuDNN library: 7201 (compatibility version 7200) but source was compiled with 7004 (compatibility version 7000).",),
        near=("the source was compiled with gcc",),
        releases="1.0 to 1.8",
        sources=("endernewton/tf-faster-rcnn#436 (2019-04)", "carpedm20/DCGAN-tensorflow#242 (2017-11)"),
    ),
    _differs(
        "cudnn-sublibraries-differ",
        anchor="VERSION_MISMATCH",
        form=r"(?P<error>CUDNN_STATUS_(?:SUBLIBRARY_)?VERSION_MISMATCH)",
        samples=("INTERNAL: CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH", "RuntimeError: cuDNN error: CUDNN_STATUS_VERSION_MISMATCH"),
        near=("CUBLAS_VERSION_MISMATCH",),
        rivals=("cudnn-incomplete",),
        decided_by=("cuda_libraries.cudnn_parts",),
        releases="cuDNN 7 to 9",
        sources=(WHEELS,),
    ),
    *(
        _differs(
            name, anchor=anchor, samples=(sample,), near=("The DNN is trained",), sure=POSSIBLE, rivals=_DIFFERENT,
            decided_by=("cuda_libraries.libraries", "cuda_libraries.cudnn_parts"), speaker=EXCEPTION, releases=releases,
            sources=sources,
        )
        for name, anchor, sample, releases, sources in (
            ("dnn-not-found", "DNN library is not found", "UNIMPLEMENTED:  DNN library is not found.", "2.4 to 2.15", ("edwardyehuang/CAR#1 (2022-05)", WHEELS)),
            ("dnn-init-failed", "DNN library initialization failed", "FAILED_PRECONDITION: DNN library initialization failed. Look at the errors above for more details.", "2.12 to 2.21", ("jax-ml/jax#16901 (2023-07)", WHEELS)),
            ("dnn-implementation", "Fail to find the dnn implementation", "Fail to find the dnn implementation.", "1.13 to 2.15", ("tensorflow/tensorflow#51081 (2021-07)", "BrikerMan/Kashgari#168 (2019-07)", "minimaxir/textgenrnn#239 (2021-10)")),
            ("dnn-not-in-executor", "No DNN in stream executor", "FailedPreconditionError: No DNN in stream executor. [Op:Conv2D]", "2.17 to 2.21", (WHEELS,)),
            ("dnn-null", "dnn != nullptr", "INTERNAL: RET_CHECK failure (external/org_tensorflow/tensorflow/compiler/xla/service/gpu/gpu_compiler.cc:627) dnn != nullptr", "XLA of 2.4 to 2.13", ("sokrypton/ColabFold#405 (2023-03)",)),
            ("dnn-not-supported", "Dnn is not supported", "INTERNAL: Dnn is not supported", "2.17 to 2.21", (WHEELS,)),
        )
    ),
    _differs(
        "no-cudnn-algorithm",
        anchor="Autotuner could not find any supported configs",
        also=("Autotuning failed for HLO", "Failed to determine best cudnn convolution algorithm"),
        form=r"(?:Autotuner could not find any supported configs|Autotuning failed for HLO).{0,600}?(?:%cudnn-|__cudnn\$)|Failed to determine best cudnn convolution algorithm",
        sure=LIKELY,
        rivals=("gpu-library-no-memory", "cudnn-incomplete", "cudnn-drops-gpu"),
        decided_by=("cuda_libraries.libraries", "nvml.devices"),
        samples=(
            'INTERNAL: Autotuner could not find any supported configs for HLO: %cudnn-conv-bias-activation.6 = (f32[128,16,12,12]{3,2,1,0}, u8[0]{0}) custom-call(%p), custom_call_target="__cudnn$convBiasActivationForward"',
            "UNKNOWN: Failed to determine best cudnn convolution algorithm: INTERNAL: All algorithms tried for %custom-call.1 failed.",
        ),
        near=("INTERNAL: Autotuner could not find any supported configs for HLO: %gemm_fusion_dot.3",),
        releases="XLA of 2.4 to 2.21",
        sources=("calad0i/HGQ2#14 (2026-05)", "googlecolab/colabtools#2656 (2022-03)"),
    ),
    _incomplete(
        "cudnn-part-not-loaded",
        anchor="Unable to load any of {",
        form=r"Unable to load any of \{(?P<library>libcudnn\w{1,40}\.so)",
        samples=("Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9, libcudnn_ops.so}",),
        near=("Unable to load any of the files",),
        releases="cuDNN 9",
        sources=(SEVERAL_FILES,),
    ),
    _incomplete(
        "cudnn-symbol-not-loaded",
        anchor="Cannot load symbol cudnn",
        form=r"Invalid handle\. Cannot load symbol (?P<symbol>cudnn\w{1,80})",
        samples=("Invalid handle. Cannot load symbol cudnnCreateTensorDescriptor", "Invalid handle. Cannot load symbol cudnnCreateConvolutionDescriptor"),
        near=("Cannot load symbol cublasCreate",),
        releases="cuDNN 9",
        sources=(SEVERAL_FILES,),
    ),
    _incomplete(
        "cudnn-part-not-opened",
        anchor="Could not load library libcudnn",
        form=r"Could not load library (?P<library>libcudnn\w{1,40}\.so\.\d{1,2})\. Error: (?P<message>.{1,300})",
        samples=(
            "Could not load library libcudnn_cnn_infer.so.8. Error: libnvrtc.so: cannot open shared object file: No such file or directory",
            "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object file: No such file or directory",
        ),
        near=("Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such file or directory",),
        unless=("Error: libcuda.so",),
        rivals=("cuda-libraries-missing", "cuda-libraries-unreachable"),
        decided_by=("cuda_libraries.cudnn_parts",),
        releases="cuDNN 8",
        sources=(SEVERAL_FILES,),
    ),
    _incomplete(
        "cudnn-sublibrary-loading",
        anchor="CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED",
        samples=("INTERNAL: CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED",),
        near=("CUDNN_STATUS_SUCCESS",),
        releases="cuDNN 9",
    ),
    Signature(
        "cudnn-arch-mismatch",
        "cudnn-drops-gpu",
        "ARCH_MISMATCH",
        form=r"(?P<error>CUDNN_STATUS_(?:NOT_SUPPORTED_)?ARCH_MISMATCH)",
        rivals=("compute-capability-too-low",),
        decided_by=("driver.devices", "cuda_libraries.libraries"),
        sure=LIKELY,
        samples=("E tensorflow/stream_executor/cuda/cuda_dnn.cc:371] Could not create cudnn handle: CUDNN_STATUS_ARCH_MISMATCH", "CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH"),
        near=("CUBLAS_STATUS_ARCH_MISMATCH",),
        releases="1.x to 2.21",
        sources=(WHEELS,),
    ),
    _handle(
        "cudnn-handle",
        anchor="ould not create cudnn handle",
        form=r"[Cc]ould not create cudnn handle: (?P<error>CUDNN_STATUS_(?:ALLOC_FAILED|INTERNAL_ERROR\w{0,40}|NOT_INITIALIZED))",
        sure=LIKELY,
        samples=(
            "E tensorflow/stream_executor/cuda/cuda_dnn.cc:319] Could not create cudnn handle: CUDNN_STATUS_ALLOC_FAILED",
            "E tensorflow/stream_executor/cuda/cuda_dnn.cc:455] could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED",
            "E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:447] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR",
        ),
        near=("Could not create cudnn handle: CUDNN_STATUS_ARCH_MISMATCH",),
        releases="1.x to 2.21",
        sources=("stephen-v/tensorflow_alexnet_classify#4 (2019-01)", "DeepLabCut/DeepLabCut#981 (2020-11)", "tensorflow/tensor2tensor#1127 (2018-10)", WHEELS),
    ),
    _handle(
        "cudnn-alloc-failed",
        anchor="CUDNN_STATUS_ALLOC_FAILED",
        unless=("create cudnn handle",),
        sure=LIKELY,
        rivals=("gpu-out-of-memory", "gpu-memory-held"),
        samples=(
            "  Profiling failure on CUDNN engine 0: UNKNOWN: CUDNN_STATUS_ALLOC_FAILED",
            "tensorflow.python.framework.errors_impl.InternalError: cuDNN launch failure : CUDNN_STATUS_ALLOC_FAILED",
        ),
        near=("E tensorflow/stream_executor/cuda/cuda_dnn.cc:319] Could not create cudnn handle: CUDNN_STATUS_ALLOC_FAILED",),
        releases="1.x to 2.21",
        sources=("rwth-i6/returnn#1457 (2023-11)",),
    ),
    _handle(
        "cudnn-handle-before",
        anchor="There was an error before creating cudnn handle",
        form=r"There was an error before creating cudnn handle(?: \((?P<number>\d{1,4})\))?: (?P<message>.{0,200})",
        rivals=("cuda-context-poisoned", "gpu-memory-held", "driver-too-old"),
        sure=POSSIBLE,
        samples=("E tensorflow/compiler/xla/stream_executor/cuda/cuda_dnn.cc:427] There was an error before creating cudnn handle (302): cudaErrorDeviceUninitialized",),
        near=("There was an error before",),
        releases="2.9 to 2.21",
        sources=(WHEELS,),
    ),
    _handle(
        "cublas-handle",
        anchor="ailed to create cublas handle",
        form=r"[Ff]ailed to create cublas handle: (?P<error>CUBLAS_STATUS_\w{1,40}|[\w ]{3,60})",
        sure=LIKELY,
        samples=(
            "E tensorflow/stream_executor/cuda/cuda_blas.cc:464] failed to create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED",
            "E tensorflow/stream_executor/cuda/cuda_blas.cc:226] failed to create cublas handle: cublas error",
            "failed to create cublas handle: CUBLAS_STATUS_ALLOC_FAILED",
        ),
        near=("cublas handle was created",),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#9489 (2017-12)", "tensorflow/tensorflow#3600 (2016-08)", "bourdakos1/capsule-networks#4 (2018-04)", WHEELS),
    ),
    _handle(
        "cublas-may-be-memory",
        anchor="Failure to initialize cublas may be due to OOM",
        sure=LIKELY,
        samples=("E tensorflow/stream_executor/cuda/cuda_blas.cc:229] Failure to initialize cublas may be due to OOM (cublas needs some free memory when you initialize it, and your deep-learning framework may have preallocated more than its fair share), or may be because this binary was not built with support for the GPU in your machine.",),
        near=("Failure to initialize the model",),
        releases="2.10 to 2.21",
        sources=(WHEELS,),
    ),
    _handle(
        "convolution-without-cudnn",
        anchor="This is probably because cuDNN failed to initialize",
        speaker=EXCEPTION,
        sure=LIKELY,
        samples=("tensorflow.python.framework.errors_impl.UnknownError: Failed to get convolution algorithm. This is probably because cuDNN failed to initialize, so try looking to see if a warning log message was printed above.",),
        near=("cuDNN was initialized",),
        releases="1.12 to 2.4",
        sources=("tensorflow/tensorflow#24828 (2020-02)", WHEELS),
    ),
    _handle(
        "no-algorithm-worked",
        anchor="No algorithm worked!",
        sure=LIKELY,
        samples=(
            "W tensorflow/core/framework/op_kernel.cc:1763] OP_REQUIRES failed at conv_ops.cc:1106 : Not found: No algorithm worked!",
            "tensorflow.python.framework.errors_impl.NotFoundError:  No algorithm worked!",
            "W tensorflow/core/framework/op_kernel.cc:1828] OP_REQUIRES failed at conv_ops_fused_impl.h:625 : NOT_FOUND: No algorithm worked!  Error messages:",
        ),
        near=("None of the algorithms provided by cuDNN frontend heuristics worked; trying fallback algorithms.",),
        releases="2.3 to 2.12 seen",
        sources=("tensorflow/tensorflow#45068 (2021-04)", "tensorflow/tensorflow#43174 (2022-03)", "tensorflow/tensorflow#60713 (2023-05)"),
    ),
    *(
        _handle(
            name, anchor=anchor, samples=(sample,), near=("support was built in",), sure=POSSIBLE, releases=releases,
            sources=sources,
        )
        for name, anchor, sample, releases, sources in (
            ("executor-without-dnn", "without DNN support", "W tensorflow/stream_executor/stream.cc:301] attempting to perform DNN operation using StreamExecutor without DNN support", "1.x to 2.15", ("tensorflow/tensorflow#2437 (2016-07)", WHEELS)),
            ("executor-without-blas", "without BLAS support", "W tensorflow/stream_executor/stream.cc:2130] attempting to perform BLAS operation using StreamExecutor without BLAS support", "1.x to 2.15", (WHEELS,)),
        )
    ),
    _failed(
        "cudnn-execution-failed",
        anchor="CUDNN_STATUS_EXECUTION_FAILED",
        form=r"(?P<error>CUDNN_STATUS_EXECUTION_FAILED(?:_\w{1,40})?)",
        samples=("E tensorflow/stream_executor/dnn.cc:729] CUDNN_STATUS_EXECUTION_FAILED",),
        near=("CUDNN_STATUS_NOT_INITIALIZED",),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#41993 (2020-08)", "tensorflow/tensorflow#33938 (2020-04)", "tensorflow/tensorflow#41630 (2020-07)", "HawkAaron/warp-transducer#61 (2021-06)"),
    ),
    _failed(
        "cudnn-internal-error",
        anchor="dnn.cc:",
        form=r"/dnn\.cc:\d{1,5}\] (?P<error>CUDNN_STATUS_(?:INTERNAL_ERROR|MAPPING_ERROR))\b",
        samples=("2020-01-16 10:26:44.374373: E tensorflow/stream_executor/dnn.cc:596] CUDNN_STATUS_INTERNAL_ERROR",),
        near=("E tensorflow/stream_executor/dnn.cc:596] CUDNN_STATUS_NOT_SUPPORTED", "E tensorflow/stream_executor/cuda/cuda_dnn.cc:455] could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR"),
        releases="1.x to 2.15",
        sources=("tensorflow/tensorflow#35950 (2020-01)",),
    ),
    _failed(
        "cudnn-rnn-failed",
        anchor="Failed to call ",
        form=r"Failed to call (?:ThenRnn(?:Forward|Backward)|DoRnn(?:Forward|Backward)Impl) with model config",
        samples=(
            "tensorflow.python.framework.errors_impl.InternalError: Failed to call ThenRnnForward with model config: [rnn_mode, rnn_input_mode, rnn_direction_mode]: 2, 0, 0 , [num_layers, input_size, num_units, dir_count, max_seq_length, batch_size, cell_num_units]: [1, 768, 768, 1, 29, 41, 768]",
            "InternalError: Failed to call DoRnnForwardImpl with model config: [rnn_mode, rnn_input_mode, rnn_direction_mode]: 2, 0, 0",
        ),
        near=("call ThenRnnForward", "Failed to call cuInit"),
        releases="1.13 to 2.21",
        sources=("mozilla/DeepSpeech#3088 (2020-06)", "tensorflow/tensorflow#39453 (2020-05)", "tensorflow/tensorflow#35950 (2020-01)"),
    ),
    _failed(
        "cublas-run-failed",
        anchor="ailed to run cuBLAS ",
        form=r"[Ff]ailed to run cuBLAS routine:? ?(?:cublas\w{1,60}: )?(?P<error>CUBLAS_STATUS_\w{1,40}|[\w ]{3,80})",
        samples=(
            "E tensorflow/stream_executor/cuda/cuda_blas.cc:428] failed to run cuBLAS routine: CUBLAS_STATUS_EXECUTION_FAILED",
            "2019-03-17 12:40:29.012057: E tensorflow/stream_executor/cuda/cuda_blas.cc:698] failed to run cuBLAS routine cublasSgemmEx: CUBLAS_STATUS_EXECUTION_FAILED",
        ),
        near=("the cuBLAS routine was run",),
        releases="1.x to 2.21",
        sources=("NVIDIA-AI-IOT/face-mask-detection#35 (2021-10)", WHEELS),
    ),
    _failed(
        "gemm-launch-failed",
        anchor="GEMM launch failed",
        form=r"(?:Blas )?(?:x?GEMM|GEMMBatched|GEMMStridedBatched|GEMV) launch failed",
        samples=("InternalError: Blas GEMM launch failed : a.shape=(32, 784), b.shape=(784, 512), m=32, n=512, k=784 [Op:MatMul]", "InternalError: Blas xGEMM launch failed : a.shape=[1,100,64], b.shape=[1,64,64] [Op:Einsum]"),
        near=("GEMM launched",),
        releases="1.x to 2.21",
        sources=(WHEELS,),
    ),
)  # fmt: skip
