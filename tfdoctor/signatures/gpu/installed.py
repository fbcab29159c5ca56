"""What a log shows of CUDA on its machine beside what TensorFlow says: files, packages, the release of a toolkit.

A library that a process did not find may be in a folder that the same text names. TensorFlow's own lines about what it
did not find are none of these.
"""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import FACT, TOOL, Signature

_fact = partial(Signature, code="", role=FACT, speaker=TOOL)
_LIBRARY = r"lib(?:cudart|cublas|cublasLt|cufft|curand|cusolver|cusparse|cudnn|nccl)\.so"
_STEMS = ("cudart", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusparse", "cudnn", "nccl")
_NOT_THERE = (
    "cannot open shared object", "dlerror", "Could not load", "Could not dlopen", "ndefined symbol", "not found", "No such file", "ln -s",
    "pened dynamic library", "symbol lookup", "ImportError", "OSError",
)  # fmt: skip
"""Such a line tells of a file that is not there, or of one that is to be made."""

SIGNATURES = (
    _fact(
        "cuda-file-there",
        anchor=f"/lib{_STEMS[0]}.so",
        also=tuple(f"/lib{each}.so" for each in _STEMS[1:]),
        form=rf"(?:^|[\s'\"`(>=:])(?P<file>(?:/[\w.+-]{{1,60}}){{1,12}})/(?P<library>{_LIBRARY}(?:\.\d{{1,4}}){{0,4}})\b",
        unless=_NOT_THERE,
        samples=(
            "/usr/local/cuda-11.2/targets/x86_64-linux/lib/libcudart.so.11.0",
            "lrwxrwxrwx 1 root root 17 Feb 14 2021 /usr/local/cuda/lib64/libcudnn.so.8 -> libcudnn.so.8.1.0",
        ),
        near=(
            "Could not load dynamic library 'libcudart.so.11.0'; dlerror: /usr/local/cuda/lib64/libcudart.so.11.0: file too short",
            "sudo ln -s /usr/lib/x86_64-linux-gnu/libcudnn.so.8.0.2 libcudnn.so.7",
        ),
        sources=("tensorflow/tensorflow#42199 (2020-08)",),
    ),
    _fact(
        "cuda-file-in-words",
        anchor=f"lib{_STEMS[0]}.so",
        also=tuple(f"lib{each}.so" for each in _STEMS[1:]),
        form=rf"(?P<library>{_LIBRARY}(?:\.\d{{1,4}}){{0,4}})['\"`]{{0,2}} (?:file )?(?:is|are|exists?|lies|does exist|can be found|was)\b[\w ,]{{0,30}}? (?:in|at|under|inside|within) (?:the )?(?:folder |directory |path )?['\"`]?(?P<file>(?:~|\$CONDA_PREFIX)?(?:/[\w.+-]{{1,60}}){{1,12}})",
        unless=_NOT_THERE,
        samples=('I found that "libcudart.so.11.0" is present in /opt/anaconda3/envs/tf/lib. But tensorflow is unable to find it.',),
        near=("libcudart.so.11.0 is not in /usr/lib: No such file or directory",),
        sources=("tensorflow/tensorflow#56413 (2022-06)",),
    ),
    _fact(
        "conda-cuda-package",
        anchor="cudatoolkit ",
        also=("cudnn ", "cuda-cudart "),
        form=r"\b(?P<package>cudatoolkit|cudnn|cuda-cudart) {2,40}(?P<version>\d{1,2}(?:\.\d{1,4}){1,4}) {1,40}[\w.]{3,40}(?: {1,20}[\w./:-]{1,80})?\s{0,9}$",
        samples=(
            "cudnn                     8.1.0.77             h90431f1_0    conda-forge",
            "cudatoolkit               11.2.2              hbe64b41_11    conda-forge",
        ),
        near=("conda install cudatoolkit 11.2", "cudnn 8.6"),
        sources=("tensorflow/tensorflow#60854 (2023-06)",),
    ),
    _fact(
        "nvidia-wheel-there",
        anchor="nvidia-",
        form=r"nvidia-(?P<package>cudnn|cuda-runtime|cublas|cufft|cusolver|cusparse|curand)-cu(?P<value>1[123])(?:-|==| {1,40})(?P<version>\d{1,2}(?:\.\d{1,4}){1,4})",
        unless=("Collecting ", "Downloading ", "Using cached", " requires ", "which is not installed", "pip install", "Uninstalling", "not found"),
        samples=(
            "Successfully installed nvidia-cublas-cu12-12.3.4.1 nvidia-cudnn-cu12-8.9.7.29 tensorflow-2.16.1",
            "nvidia-cudnn-cu11            8.6.0.163",
            "Requirement already satisfied: nvidia-cudnn-cu12==8.9.7.29 in ./venv/lib/python3.11/site-packages (from tensorflow)",
        ),
        near=("Collecting nvidia-cudnn-cu12==8.9.7.29 (from tensorflow[and-cuda])", "python -m pip install nvidia-cudnn-cu11==8.6.0.163"),
        sources=("tensorflow/tensorflow#65842 (2024-04)",),
    ),
    _fact(
        "toolkit-release",
        anchor="Cuda compilation tools, release ",
        also=("CUDA version", "CUDA Version", "CUDA/cuDNN version", "CUDA: ", "CUDA 1", "CUDA v1", "CUDA 9", "CUDA 8"),
        form=r"Cuda compilation tools, release (?P<version>\d{1,2}\.\d)|\bCUDA(?:(?:/cuDNN)? [Vv]ersion)?\s{0,3}[:=]\s{0,3}[`'\"]?(?:[Cc][Uu][Dd][Aa] (?:[Vv]ersion:? )?|v|V)?(?P<value>\d{1,2}\.\d{1,2})|\bCUDA v?(?P<wanted>\d{1,2}\.\d{1,2})(?:\.\d{1,4})?(?:\s{0,3}[,/]\s{0,3}[Cc][Uu][Dd][Nn][Nn]\b|\s{0,3}$)",
        unless=("NVIDIA-SMI", "built with", "compiled", "equire", "upport", "need"),
        samples=(
            "Cuda compilation tools, release 11.2, V11.2.152",
            "- CUDA/cuDNN version: cuda 10.1 /cuDNN 7.6.5",
            "CUDA 11.8, cudnn 8.6",
            "CUDA v11.2, cudnn-11.2-windows-x64-v8.1.0.77",
            "- CUDA/cuDNN version: `11.0 / v8.0.1`",
            "- CUDA/cuDNN version: CUDA Version: 10.1 ",
        ),
        near=("| NVIDIA-SMI 450.80.02    Driver Version: 450.80.02    CUDA Version: 11.0     |", "TensorFlow 2.10 is built with CUDA 11.2"),
        sources=("tensorflow/tensorflow#66750 (2024-04)", "tensorflow/tensorflow#44040 (2020-10)"),
    ),
    _fact(
        "toolkit-in-words",
        anchor="CUDA ",
        also=("/cuda-",),
        form=r"\binstalled (?:the )?(?:NVIDIA )?CUDA (?:[Tt]oolkit )?(?P<value>\d{1,2}\.\d|8|9|10)(?:\.?[\s,;)]|\.?$)|(?:^|[\s\"'`(])/(?:usr/local|opt)/cuda-(?P<wanted>\d{1,2}\.\d)(?:/lib64)?/?(?:[\s\"'`,;)]|\.?$)",
        unless=("LD_LIBRARY_PATH", "uninstalled", "not installed"),
        samples=(
            "I have a gtx 1080 and succesfully installed CUDA 10. I am having the following error.",
            "But /usr/local/cuda-9.0 is installed, and CUDA_HOME points to this path.",
        ),
        near=("export LD_LIBRARY_PATH=/usr/local/cuda-9.0/lib64", "/usr/local/cuda-11.2/lib64/libcufft.so.10"),
        sources=("tensorflow/tensorflow#22743 (2018-10)", "tensorflow/tensorflow#33359 (2019-10)"),
    ),
    _fact(
        "official-gpu-image",
        anchor="tensorflow/tensorflow:",
        form=r"\b(?P<value>tensorflow/tensorflow:[\w.]{0,20}-?gpu[\w.-]{0,20})",
        samples=("docker run --gpus all -it --rm tensorflow/tensorflow:2.15.0-gpu python3", "FROM tensorflow/tensorflow:latest-gpu-jupyter"),
        near=("docker run -it tensorflow/tensorflow:2.15.0 bash",),
        sources=("tensorflow/tensorflow#62412 (2023-11)",),
    ),
    _fact(
        "official-image",
        anchor="tensorflow/tensorflow",
        form=r"(?:\bFROM |\b(?:run|exec) .{0,200}?)\b(?P<value>tensorflow/tensorflow(?::[\w.-]{1,40})?)(?:\s|$)",
        samples=("docker run -it --rm tensorflow/tensorflow:2.15.0 python3", "FROM tensorflow/tensorflow", "docker run -p 8888:8888 tensorflow/tensorflow:latest-jupyter"),
        near=("FROM mytensorflow/tensorflow-serving", "see github.com/tensorflow/tensorflow for more"),
        sources=("ublue-os/hwe#230 (2024-04)",),
    ),
    _fact(
        "cuda-image-banner",
        anchor="CUDA Version ",
        form=r"CUDA Version (?P<version>\d{1,2}\.\d{1,2})\.\d{1,3}\s{0,9}$",
        samples=("CUDA Version 12.1.1", "CUDA Version 11.6.2"),
        near=("CUDA Version 10.1.243 is installed", "| NVIDIA-SMI 450.80.02    Driver Version: 450.80.02    CUDA Version: 11.0     |"),
        releases="the banner of nvidia/cuda since 2022, and version.txt of a toolkit up to 10.2",
        sources=("iot-salzburg/gpu-jupyter#117 (2023-06)",),
    ),
    _fact(
        "library-path-exported",
        anchor="LD_LIBRARY_PATH=",
        form=r"\bexport(?:ed)?[`'\" ]{1,4}LD_LIBRARY_PATH=[\"']?(?P<value>[^\s\"'`]{1,300})",
        samples=("export LD_LIBRARY_PATH=/usr/local/cuda-10.0/lib64:$LD_LIBRARY_PATH", "I have cuda 10.0 installed, and exported` LD_LIBRARY_PATH=/usr/local/cuda-10.0/lib64/`"),
        near=("LD_LIBRARY_PATH=/usr/local/cuda-10.0/lib64 python train.py",),
        sources=("horovod/horovod#1370 (2019-08)",),
    ),
    _fact(
        "cuda-image-tag",
        anchor="nvidia/cuda:",
        form=r"\b(?:FROM|run|exec) .{0,200}?\bnvidia/cuda:(?P<version>\d{1,2}\.\d{1,2})(?:\.\d{1,3})?(?P<value>-[\w.-]{1,60})?",
        unless=("nvidia-smi", "deviceQuery", "nvcc"),
        samples=("FROM nvidia/cuda:12.1.1-base-ubuntu22.04", "docker run --gpus all -it nvidia/cuda:11.8.0-runtime-ubuntu22.04 bash"),
        near=("docker run --rm --gpus all nvidia/cuda:11.0-base nvidia-smi",),
    ),
    _fact(
        "smi-without-cuda",
        anchor="CUDA Version: ",
        form=r"Driver Version: [\d.]{5,12}\s{1,9}CUDA Version: (?P<value>ERR!|N/A)",
        samples=("| NVIDIA-SMI 450.57       Driver Version: 450.57       CUDA Version: ERR!     |", "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: N/A      |"),
        near=("| NVIDIA-SMI 450.80.02    Driver Version: 450.80.02    CUDA Version: 11.0     |",),
        sources=("tensorflow/tensorflow#41976 (2020-08)",),
    ),
    _fact(
        "extra-asked-for",
        anchor="[and-cuda]",
        form=r"\b(?:pip3?|uv(?: pip)?) (?:install|add) .{0,80}?tensorflow\[and-cuda\](?:==(?P<version>\d{1,2}(?:\.\d{1,3}){2}))?",
        unless=("un pip", "un python", "ry pip", "try ", "lease", "hould", "ou can", "not found", "No matching"),
        samples=("pip install tensorflow[and-cuda]", "(tf) u@m:~$ python3 -m pip install 'tensorflow[and-cuda]==2.16.1'"),
        near=("Please run pip install tensorflow[and-cuda] to use the GPU", "zsh: no matches found: tensorflow[and-cuda]"),
        sources=("tensorflow/tensorflow#65842 (2024-04)",),
    ),
    _fact(
        "smi-of-windows",
        anchor="WDDM",
        form=r"\|\s{1,9}\d{1,2} .{5,60}\bWDDM\b",
        samples=("|   0  NVIDIA T1200 Laptop GPU      WDDM  |   00000000:01:00.0  On |                  N/A |",),
        near=("the driver model is WDDM",),
        sources=("NVlabs/sionna#792 (2025-03)",),
    ),
    _fact(
        "cuda-file-listed",
        anchor=f"lib{_STEMS[0]}.so",
        also=tuple(f"lib{each}.so" for each in _STEMS[1:]),
        form=rf"(?:\s|->\s{{0,3}})(?P<library>{_LIBRARY}(?:\.\d{{1,4}}){{1,4}})\s{{0,9}}$",
        unless=(*_NOT_THERE, "libraries", "import ", "ownload"),
        samples=("lrwxrwxrwx 1 root root        23 May  3 11:14 libcublas.so.10 -> libcublas.so.10.1.0.105",),
        near=("Could not load dynamic library 'libcublas.so.10.0'", "ImportError: libcublas.so.10.0"),
        sources=("tensorflow/tensorflow#26209 (2019-05)",),
    ),
)  # fmt: skip
