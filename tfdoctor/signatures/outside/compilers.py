"""What NVIDIA's compiler of the CUDA toolkit, and a build that looks for that toolkit, say where they stop."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import LIKELY, TOOL, Signature

_built = partial(Signature, code="python-exception", speaker=TOOL, sure=LIKELY)

SIGNATURES = (
    _built(
        "nvcc-architecture",
        anchor="nvcc fatal",
        form=r"nvcc fatal\s{1,6}: {1,3}(?:Unsupported gpu architecture|Value) '(?P<value>(?:sm|compute)_(?P<capability>\d{2,3})[af]?)'(?: is not defined for option '(?:gpu-architecture|gpu-code|arch)')?",
        samples=(
            "nvcc fatal   : Unsupported gpu architecture 'compute_35'",
            "nvcc fatal : Value 'sm_86' is not defined for option 'gpu-architecture'",
            "nvcc fatal   : Unsupported gpu architecture 'compute_101'",
        ),
        near=("nvcc fatal   : Cannot find compiler 'cl.exe' in PATH", "ptxas fatal   : Value 'sm_86' is not defined for option 'gpu-name'"),
        releases="nvcc of CUDA 8 to 13",
        sources=("jeffheaton/docker-stylegan2-ada#1 (2021-06)", "tensorflow/tensorflow#32354 (2019-09)"),
    ),
    _built(
        "nvcc-host-compiler",
        anchor="Cannot find compiler 'cl.exe' in PATH",
        also=("Could not find MSVC/GCC/CLANG installation on this computer", "-- unsupported GNU version! gcc versions later than ", "-- unsupported Microsoft Visual Studio version!"),
        form=r"Cannot find compiler '(?P<process>cl\.exe)' in PATH|Could not find (?P<value>MSVC)/GCC/CLANG installation on this computer|unsupported GNU version! gcc versions later than (?P<version>\d{1,2})|unsupported (?P<package>Microsoft Visual Studio) version!",
        samples=(
            "nvcc fatal   : Cannot find compiler 'cl.exe' in PATH",
            "RuntimeError: Could not find MSVC/GCC/CLANG installation on this computer. Check compiler_bindir_search_path list in \"C:\\stylegan2\\dnnlib\\tflib\\custom_ops.py\".",
            "/usr/local/cuda/include/crt/host_config.h:129:2: error: #error -- unsupported GNU version! gcc versions later than 7 are not supported!",
            "host_config.h(166): fatal error C1189: #error:  -- unsupported Microsoft Visual Studio version! Only the versions between 2017 and 2022 (inclusive) are supported!",
        ),
        near=("gcc versions later than 7 work", "the compiler cl.exe is in PATH"),
        releases="nvcc of CUDA 9 to 13; StyleGAN's own search on Windows",
        sources=("RameenAbdal/StyleFlow#74 (2021-03)", "CUDA's crt/host_config.h, of CUDA 10 to 12 (2026-11)"),
    ),
    _built(
        "toolkit-not-where-looked",
        anchor="Could not find any ",
        form=r"Could not find any (?P<file>cuda\.h|cudnn\.h|cudnn_version\.h|nccl\.h|cublas_api\.h|NvInfer\.h|lib(?:cudart|cublas|cudnn|cufft|curand|cusolver|cusparse|cupti|nvinfer)\.so[\w.*']{0,20}) matching version '(?P<wanted>[\d.]{0,12})' in any subdirectory",
        samples=(
            "Could not find any cuda.h matching version '' in any subdirectory",
            "Could not find any cudnn.h matching version '8' in any subdirectory:",
        ),
        near=("Could not find any file", "Could not find any cuda.h"),
        releases="TensorFlow's ./configure, 1.14 to 2.17 (third_party/gpus/find_cuda_config.py)",
        sources=("tensorflow/tensorflow#60178 (2023-03)",),
    ),
)  # fmt: skip
