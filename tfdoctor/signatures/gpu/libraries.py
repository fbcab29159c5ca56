"""CUDA's libraries as the loader finds them: missing, of another version, mixed."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, LOADER, Signature
from tfdoctor.signatures.sources import GLIBC, SEVERAL_FILES, WHEELS

_missing = partial(
    Signature,
    code="cuda-libraries-missing",
    rivals=("cuda-libraries-wrong-version", "cuda-libraries-unreachable", "image-lacks-cuda-libraries"),
    decided_by=("cuda_libraries.libraries", "host.container"),
)
_STACK = r"(?:cudart|cublas|cublasLt|cufft|curand|cusolver|cusparse|cudnn|cudnn_graph|nvrtc|nvJitLink|nccl)"

SIGNATURES = (
    Signature(
        "jax-library-not-loaded",
        "cuda-libraries-unreachable",
        ". Is it installed?",
        form=r"Unable to load (?P<library>cu[A-Za-z]{3,12})\. Is it installed\?",
        speaker=EXCEPTION,
        rivals=("cuda-libraries-missing", "cuda-libraries-mixed"),
        decided_by=("cuda_libraries.libraries",),
        sure=LIKELY,
        samples=("RuntimeError: Unable to load cuSPARSE. Is it installed?",),
        near=("Unable to load the plug-in. Is it installed?",),
        releases="jax 0.4.31 and newer",
        sources=("jax-ml/jax#29843 (2025-07)",),
    ),
    _missing(
        "dso-not-loaded",
        anchor="Could not load dynamic library '",
        form=rf"Could not load dynamic library '(?P<library>(?:lib)?{_STACK}[\w.]{{0,40}})'; dlerror: (?P<file>[^\s:]{{1,300}}?)(?:: | not found)",
        samples=(
            "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcusolver.so.11'; dlerror: libcusolver.so.11: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: /usr/local/nvidia/lib64",
            "W tensorflow/stream_executor/platform/default/dso_loader.cc:60] Could not load dynamic library 'libcusolver.so.11'; dlerror: libnvJitLink.so.12: cannot open shared object file: No such file or directory",
            "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found",
        ),
        near=(
            "Could not load dynamic library 'libnvinfer.so.7'; dlerror: libnvinfer.so.7: cannot open shared object file: No such file or directory",
            "Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory",
        ),
        releases="1.14 to 2.21",
        sources=("JdeRobot/BehaviorMetrics#385 (2022-07)", "NVIDIA/tensorflow#110 (2024-06)", "thanh-guong/master-thesis#7 (2024-12)", WHEELS),
    ),
    _missing(
        "dso-not-loaded-cut",
        anchor="Could not load dynamic library '",
        form=rf"Could not load dynamic library '(?P<library>(?:lib)?{_STACK}[\w.]{{0,40}})'(?:[^;]|$)",
        sure=LIKELY,
        samples=(
            "Could not load dynamic library 'libcudart.so.11.0' ... No such file or directory",
            "Could not load dynamic library 'libcudnn.so.8'",
        ),
        near=(
            "Could not load dynamic library 'libnvinfer.so.7'",
            "Could not load dynamic library 'libcuda.so.1'",
        ),
        releases="as people shorten the line of 1.14 to 2.21",
        sources=(SEVERAL_FILES,),
    ),
    _missing(
        "dso-not-opened-early",
        anchor="Couldn't open CUDA library ",
        form=rf"Couldn't open CUDA library (?P<library>lib{_STACK}\.so(?:\.\d{{1,3}}){{0,3}})",
        samples=("I tensorflow/stream_executor/dso_loader.cc:105] Couldn't open CUDA library libcudnn.so. LD_LIBRARY_PATH: /usr/local/cuda/lib64",),
        near=("Couldn't open CUDA library libcuda.so.1. LD_LIBRARY_PATH: /usr/local/nvidia/lib64", "Couldn't open CUDA library libcupti.so.8.0. LD_LIBRARY_PATH: /usr/lib"),
        releases="0.8 to 1.3",
        sources=("Azure/acs-engine#385 (2017-03)", SEVERAL_FILES),
    ),
    _missing(
        "runtime-stub",
        anchor="cudaGetErrorString symbol not found",
        speaker=EXCEPTION,
        sure=LIKELY,
        samples=("tensorflow.python.framework.errors_impl.InternalError: cudaGetDevice() failed. Status: cudaGetErrorString symbol not found.",),
        near=("cudaGetDevice() failed. Status: out of memory",),
        releases="1.14 to 2.0 seen",
        sources=("tensorflow/tensorflow#32381 (2020-02)", "bmaltais/kohya_ss#602 (2023-04)", "jpcurbelo/human-body-reshape-DL-paper#4 (2024-06)"),
    ),
    _missing(
        "library-not-opened",
        anchor=": cannot open shared object file",
        form=rf"(?P<library>lib{_STACK}[\w]{{0,20}}\.so[\d.]{{0,12}}): cannot open shared object file",
        unless=("Error: libcudnn_", "dynamic library 'libnvinfer"),  # a part of a cuDNN that was found; TensorRT's own wish
        speaker=LOADER,
        samples=(
            "ImportError: libcublas.so.9.0: cannot open shared object file: No such file or directory",
            "OSError: libcudnn.so.8: cannot open shared object file: No such file or directory",
        ),
        near=(
            "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
            "Could not load dynamic library 'libnvinfer_plugin.so.7'; dlerror: libcublas.so.12: cannot open shared object file: No such file or directory",
        ),
        releases="all",
        sources=(GLIBC, "orpatashnik/StyleCLIP#20 (2021-07)", "JdeRobot/BehaviorMetrics#385 (2022-07)"),
    ),
    _missing(
        "gpu-libraries-not-opened",
        anchor="Cannot dlopen some GPU libraries",
        also=("Skipping registering GPU devices",),
        form=r"Cannot dlopen some GPU libraries|Skipping registering GPU devices",
        samples=(
            "Skipping registering GPU devices...",
            "W tensorflow/core/common_runtime/gpu/gpu_device.cc:1850] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU.",
            "W0000 00:00:1741242560.1 123 gpu_device.cc:2344] Cannot dlopen some GPU libraries. Please make sure the missing libraries mentioned above are installed properly if you would like to use GPU.",
        ),
        near=("Cannot dlopen some TensorRT libraries.", "registering GPU devices"),
        releases="1.15 to 2.21",
        sources=("tensorflow/tensorflow#34287 (2020-04)", "tensorflow/tensorflow#66987 (2024-05)", "JdeRobot/BehaviorMetrics#385 (2022-07)", WHEELS),
    ),
    _missing(
        "cudart-not-found",
        anchor="Could not find cuda drivers on your machine, GPU will not be used",
        samples=("I external/local_tsl/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used.", "I0000 00:00:1741242560.1 1 cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used."),
        near=("Could not find the driver",),
        sure=LIKELY,
        releases="2.12 to 2.21",
        sources=("tensorflow/tensorflow#62994 (2024-02)", WHEELS),
    ),
    _missing(
        "cuda-libraries-error",
        anchor="Error loading CUDA libraries. GPU will not be used",
        samples=("W external/local_xla/xla/tsl/cuda/cudart_stub.cc:32] Error loading CUDA libraries. GPU will not be used.",),
        near=("Error loading the model",),
        releases="2.13 to 2.21",
        sources=(WHEELS,),
    ),
    _missing(
        "dll-not-in-path",
        anchor="TensorFlow requires that this DLL be installed",
        form=r"Could not find '(?P<library>(?:cudart|cudnn|cublas|cufft|curand|cusolver|cusparse)\w{0,20}\.dll)'\. TensorFlow requires that this DLL be installed",
        speaker=EXCEPTION,
        samples=("ImportError: Could not find 'cudart64_100.dll'. TensorFlow requires that this DLL be installed in a directory that is named in your %PATH% environment variable.",),
        near=("ImportError: Could not find 'msvcp140.dll'. TensorFlow requires that this DLL be installed in a directory that is named in your %PATH% environment variable.",),
        releases="1.4 to 1.15, Windows",
    ),
    Signature(
        "symbol-of-newer-library",
        "cuda-libraries-wrong-version",
        " version lib",
        form=r"(?:(?P<asker>[^\s:]{1,400}): )?(?:undefined symbol:|symbol) (?P<symbol>\w{1,120}),? version (?P<library>lib(?:cu|nv|nccl)\w{1,40}\.so\.\d{1,3})",
        speaker=LOADER,
        rivals=("cuda-libraries-mixed", "library-path-leak"),
        decided_by=("cuda_libraries.libraries", "cuda_libraries.search_path"),
        samples=(
            "ImportError: /opt/env/lib/python3.10/site-packages/torch/lib/../../nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12",
            "OSError: /opt/env/lib/python3.12/site-packages/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkCreate_12_8, version libnvJitLink.so.12",
            "libcusolver.so.11: undefined symbol: cublasSetEnvironmentMode, version libcublas.so.11",
            "OSError: /opt/env/lib/python3.7/lib-dynload/../../libcublas.so.11: symbol free_gemm_select version libcublasLt.so.11 not defined in file libcublasLt.so.11 with link time reference",
        ),
        near=("ImportError: /opt/x/_ops.so: undefined symbol: _ZN3tsl8internal10LogMessageC1EPKcii",),
        releases="all",
        sources=("infiniflow/ragflow#4466 (2025-01)", "pytorch/pytorch#111469 (2023-10)", "pytorch/pytorch#134929 (2024-09)", "microsoft/onnxruntime#8594 (2021-08)", "hpcaitech/ColossalAI#4059 (2023-06)", GLIBC),
    ),
    Signature(
        "library-version-not-found",
        "cuda-libraries-wrong-version",
        "' not found (required by ",
        form=r"(?P<file>[^\s:]{1,400}): version `(?P<wanted>lib(?:cu|nv|nccl)\w{1,40}\.so\.\d{1,3})' not found \(required by (?P<asker>[^\s)]{1,400})\)",
        speaker=LOADER,
        rivals=("cuda-libraries-mixed",),
        decided_by=("cuda_libraries.libraries", "cuda_libraries.search_path"),
        samples=("ImportError: /usr/local/cuda/lib64/libcublasLt.so.11: version `libcublasLt.so.12' not found (required by /opt/env/lib/python3.10/site-packages/nvidia/cublas/lib/libcublas.so.12)",),
        near=("ImportError: /lib64/libc.so.6: version `GLIBC_2.27' not found (required by x.so)",),
        releases="all",
        sources=(GLIBC,),
    ),
    Signature(
        "cupti-not-opened",
        "cupti-unavailable",
        "libcupti",
        form=r"(?:Could not load dynamic library '(?P<library>libcupti[^'\s]{0,30})'|libcupti\.so[\d.]{0,10}: cannot open shared object file)",
        samples=("Could not load dynamic library 'libcupti.so.12'", "ImportError: libcupti.so.12: cannot open shared object file: No such file or directory", "W tensorflow/stream_executor/platform/default/dso_loader.cc:55] Could not load dynamic library 'libcupti.so.10.1'; dlerror: libcupti.so.10.1: cannot open shared object file: No such file or directory",),
        near=("Successfully opened dynamic library libcupti.so.10.1",),
        releases="1.14 to 2.21",
        sources=(GLIBC,),
    ),
    *(
        Signature(
            name, "cupti-unavailable", anchor, samples=(sample,), near=("CUPTI activity buffer flushed",),
            releases=releases, sources=sources,
        )
        for name, anchor, sample, releases, sources in (
            ("cupti-privileges", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "E tensorflow/core/profiler/internal/gpu/cupti_tracer.cc:1408] function cupti_interface_->Subscribe( &subscriber_, (CUpti_CallbackFunc)ApiCallback, this)failed with error CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "2.0 to 2.21", ()),
            ("cupti-not-loaded", "CUPTI could not be loaded or symbol could not be found", "E tensorflow/core/profiler/internal/gpu/cupti_tracer.cc:1666] function cupti_interface_->Subscribe( &subscriber_, (CUpti_CallbackFunc)ApiCallback, this)failed with error CUPTI could not be loaded or symbol could not be found.", "2.2 to 2.21", ()),
        )
    ),
)  # fmt: skip
