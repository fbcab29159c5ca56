"""Libraries that TensorFlow opens when they are first needed, and that are missing or of another release then."""

from __future__ import annotations

from tfdoctor.signatures.signature import FACT, LIKELY, LOADER, LOG, PYTHON, Signature

SIGNATURES = (
    Signature(
        "stub-symbol-not-found",
        "cuda-libraries-missing",
        " symbol not found",
        form=r"(?P<module>nvinfer|nvinfer_plugin|cudnn|cublas|cublasLt|cufft|cusolver|cusparse|curand|cupti)_stub\.cc:\d{1,5}\] (?P<symbol>\w{3,60}) symbol not found",
        speaker=LOG,
        sure=LIKELY,
        rivals=("cuda-libraries-wrong-version",),
        decided_by=("cuda_libraries.libraries",),
        samples=(
            "F tensorflow/compiler/tf2tensorrt/stub/nvinfer_stub.cc:49] getInferLibVersion symbol not found.",
            "F tensorflow/stream_executor/cuda/cublas_stub.cc:56] cublasCreate_v2 symbol not found.",
        ),
        near=("undefined symbol not found in the table",),
        releases="2.0 to 2.21",
        sources=("tensorflow/tensorflow#52196 (2021-09)",),
    ),
    Signature(
        "tensorrt-needs",
        "",
        "'libnvinfer",
        form=r"Could not load dynamic library 'libnvinfer[\w.]{0,30}'; dlerror: (?P<file>lib(?:cud|cub|nvr|nvj|cuf|cur|cus|myelin)[\w.+-]{1,40}): cannot open",
        role=FACT,
        speaker=LOADER,
        samples=("W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libnvinfer.so.7'; dlerror: libnvrtc.so.11.1: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/cuda/lib64",),
        near=("Could not load dynamic library 'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot open shared object file",),
        releases="2.4 to 2.21",
        sources=("tensorflow/tensorflow#52196 (2021-09)",),
    ),
    *(
        Signature(
            name, "cuda-libraries-wrong-version", anchor, form=form, speaker=PYTHON, sure=LIKELY, samples=(sample,),
            near=("Linked TensorRT version: 8.4.3",), releases="1.7 to 2.17", sources=sources,
        )
        for name, anchor, form, sample, sources in (
            ("tensorrt-mismatch", "TensorRT mismatch. ", r"TensorRT mismatch\. Compiled against version (?P<wanted>\d{1,2}(?:\.\d{1,2}){1,3}), but loaded (?P<version>\d{1,2}(?:\.\d{1,2}){1,3})", "WARNING:tensorflow:TensorRT mismatch. Compiled against version 5.0.2, but loaded 5.1.2. Things may not work", ("tensorflow/tensorrt#85 (2019-06)", "NVIDIA-AI-IOT/tf_trt_models#53 (2019-06)", "tensorflow/models#5061 (2018-08)")),
            ("tensorrt-linked-other", " but linked TensorFlow against TensorRT ", r"Loaded TensorRT (?P<version>\d{1,2}(?:\.\d{1,2}){1,3}) but linked TensorFlow against TensorRT (?P<wanted>\d{1,2}(?:\.\d{1,2}){1,3})", "ERROR:tensorflow:Loaded TensorRT 7.1.3 but linked TensorFlow against TensorRT 8.0.0. A few requirements must be met:", ()),
        )
    ),
    Signature(
        "check-of-cuda",
        "driver-missing",
        "Check failed: CUDA_SUCCESS == cu",
        form=r"Check failed: CUDA_SUCCESS == (?P<function>cu\w{4,60})\(.{0,300}?\(0 vs\. (?P<number>\d{1,4})\)",
        speaker=LOG,
        sure=LIKELY,
        samples=("F tensorflow/stream_executor/cuda/cuda_driver.cc:404] Check failed: CUDA_SUCCESS == cuDevicePrimaryCtxGetState(device, &former_primary_context_flags, &former_primary_context_is_active) (0 vs. 303)",),
        near=("Check failed: CUDA_SUCCESS != result (0 vs. 3)",),
        releases="1.15 to 2.10",
        sources=("deezer/spleeter#302 (2020-03)",),
    ),
)  # fmt: skip
