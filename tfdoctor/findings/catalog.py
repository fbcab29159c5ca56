"""Every finding code: its family, its default severity and what it means in one sentence.

The one vocabulary of all commands. A code is never reused for another meaning, nor are two merged. `title` is
also the first line of the code's page in docs/codes/. A code that concerns the GPU alone is lowered to info
by `--no-require-gpu`. The order of the families is the order in which faults have to be fixed.
"""

from __future__ import annotations

from tfdoctor.findings.model import Severity
from tfdoctor.light.records import record

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

FAMILIES = ("platform", "packages", "driver", "devices", "libraries", "memory", "process", "smoke", "notes")


@record
class Code:
    """One entry of the vocabulary."""

    name: str
    family: str
    severity: Severity
    title: str
    gpu_only: bool = False


def _code(family: str, name: str, title: str, severity: Severity = ERROR, *, gpu_only: bool = False) -> Code:
    return Code(name, family, severity, title, gpu_only)


# A table is read down its columns, one code a line, so it is not reformatted.
# fmt: off
_ALL = (
    _code("platform", "python-unsupported", "This TensorFlow has no wheel for this Python (or none at all has)."),
    _code("platform", "os-gpu-unsupported", "TensorFlow has no GPU build for this system: native Windows after 2.10, Linux on aarch64, Intel macOS.", gpu_only=True),
    _code("platform", "glibc-too-old", "The wheel needs a newer glibc."),
    _code("platform", "libstdcxx-too-old", "An older libstdc++ is found first."),
    _code("platform", "static-tls-exhausted", "The loader's static TLS space is used up (not RAM)."),
    _code("platform", "cpu-instructions-missing", "The CPU (or the virtual CPU) lacks AVX, AVX2, FMA or AVX-512 that the build uses."),
    _code("platform", "foreign-architecture", "An x86 Python or image runs under emulation on ARM (Rosetta, qemu)."),
    _code("platform", "windows-runtime-missing", "Windows: a DLL that TensorFlow needs does not exist (Visual C++ runtime)."),
    _code("platform", "windows-dll-init-failed", "Windows: the DLL is found but its initialiser fails (CPU without AVX2, old VC++ runtime, another package's DLL first)."),
    _code("platform", "windows-cudnn-dll-missing", "Windows: cuDNN's helper DLL or zlibwapi.dll is missing and the process fast-fails at the first convolution."),
    _code("platform", "windows-file-blocked", "Windows: a policy (Smart App Control, App Control for Business, group policy) forbids to load a file of TensorFlow."),
    _code("platform", "windows-pagefile-too-small", "Windows has no more memory to promise: RAM and page file together are too small for what runs."),
    _code("platform", "windows-long-path", "pip stopped at a path over 260 characters."),
    _code("platform", "wsl-memory-limit", "The WSL2 VM has less memory than Windows shows.", WARNING),
    _code("platform", "wsl-driver-shadowed", "A Linux NVIDIA driver inside WSL2 shadows the one that Windows provides, or WSL's libcuda is not on the path.", gpu_only=True),
    _code("packages", "tensorflow-missing", "No TensorFlow in the examined environment."),
    _code("packages", "tensorflow-install-broken", "Files of the TensorFlow distribution are missing, truncated or changed."),
    _code("packages", "noexec-mount", "TensorFlow is on a mount that forbids to run code from it (noexec)."),
    _code("packages", "shared-library-missing", "A shared library that TensorFlow or a package of it is linked with is not found."),
    _code("packages", "tensorflow-cpu-only", "A GPU is present but this TensorFlow was built without CUDA.", gpu_only=True),
    _code("packages", "tensorflow-mixed-distributions", "Several distributions own the tensorflow package (tensorflow, -cpu, -gpu, -intel, tf-nightly)."),
    _code("packages", "tensorflow-shadowed", "A file or folder of the user's own shadows tensorflow or a standard module."),
    _code("packages", "wrong-interpreter", "Another interpreter runs than the one that has TensorFlow (kernelspec, PATH, IDE, inactive environment)."),
    _code("packages", "user-site-leak", "Packages of the user site (~/.local) leak into the environment.", WARNING),
    _code("packages", "pythonpath-leak", "PYTHONPATH puts packages before the environment's own that do not fit it.", WARNING),
    _code("packages", "numpy-abi-mismatch", "TensorFlow or another extension was compiled against another NumPy ABI."),
    _code("packages", "numpy-alias-removed", "Code uses NumPy names removed in 1.24."),
    _code("packages", "protobuf-incompatible", "Protobuf's runtime does not fit TensorFlow's generated code (runtime must be >= gencode; 4+ refuses code generated before 3.20)."),
    _code("packages", "protobuf-two-runtimes", "Two C++ protobuf (or abseil) runtimes meet in one process."),
    _code("packages", "keras-mismatch", "Keras, tf-keras and TensorFlow don't fit together."),
    _code("packages", "keras-backend-unusable", "Keras is told to use a backend that does not exist or is not installed."),
    _code("packages", "keras-legacy-needed", "The code needs Keras 2, this TensorFlow brings Keras 3.", WARNING),
    _code("packages", "setuptools-lacks-pkg-resources", "Setuptools 82 or newer has no pkg_resources, which the tensorboard command up to 2.20 and tensorflow_hub 0.16.1 import; TensorFlow itself is unaffected.", WARNING),
    _code("packages", "ml-dtypes-mismatch", "ml_dtypes does not fit TensorFlow or jaxlib.", WARNING),
    _code("packages", "hdf5-mismatch", "h5py runs on another HDF5 than it was built for."),
    _code("packages", "dependency-mismatch", "Another requirement of this TensorFlow's own metadata is not met (typing_extensions, wrapt, gast, absl, tensorboard, estimator …).", WARNING),
    _code("packages", "package-import-failed", "Another package that is imported with TensorFlow raises an error of its own."),
    _code("packages", "and-cuda-extra-lost", "The CUDA packages were asked for but not installed, or pip went back to another release to satisfy them.", gpu_only=True),
    _code("packages", "native-library-clash", "Another native package in the process (pyarrow, torch, scikit-learn, jax) clashes with TensorFlow's symbols."),
    _code("packages", "library-path-leak", "LD_LIBRARY_PATH puts another copy of a library before the one that belongs to TensorFlow."),
    _code("packages", "openmp-duplicate", "Two OpenMP runtimes in one process."),
    _code("packages", "metal-plugin-mismatch", "tensorflow-metal does not fit this TensorFlow or macOS.", gpu_only=True),
    _code("packages", "metal-plugin-missing", "This Mac's GPU is used only through the plug-in tensorflow-metal, which is not installed.", gpu_only=True),
    _code("packages", "custom-op-mismatch", "A custom op or plug-in was built for another TensorFlow."),
    _code("driver", "gpu-absent", "There is no supported GPU in this machine.", gpu_only=True),
    _code("driver", "driver-missing", "An NVIDIA GPU is present but libcuda is not installed.", gpu_only=True),
    _code("driver", "driver-library-unreachable", "The kernel driver is loaded but libcuda.so.1 is not on the loader's path, or only a stub is.", gpu_only=True),
    _code("driver", "driver-module-not-loaded", "User-space driver is installed but the kernel module is not loaded.", gpu_only=True),
    _code("driver", "driver-versions-differ", "The loaded kernel module and the user-space driver are of different versions.", gpu_only=True),
    _code("driver", "driver-lacks-gpu", "The driver does not support this GPU: its branch is too old or too new for it, or its kernel module is of the other kind (open, proprietary).", gpu_only=True),
    _code("driver", "driver-too-old", "The driver is older than this build's CUDA needs.", gpu_only=True),
    _code("driver", "driver-too-old-for-ptx", "The driver runs this CUDA's binaries but can't compile its PTX, which this GPU needs.", gpu_only=True),
    _code("driver", "driver-too-old-for-image", "The container image asks for a newer host driver.", gpu_only=True),
    _code("driver", "forward-compat-unsupported", "A cuda-compat libcuda is used on a GPU or driver where that is not allowed.", gpu_only=True),
    _code("driver", "gpu-device-permission", "The GPU's device files are there, and this user may not open them.", gpu_only=True),
    _code("driver", "uvm-broken", "nvidia-uvm is missing or lost its state (suspend, LXC, cgroup).", gpu_only=True),
    _code("driver", "nvml-unusable", "NVML can't be loaded or initialised; TensorFlow 2.21 then shows no GPU and says nothing.", gpu_only=True),
    _code("driver", "fabric-manager-not-running", "NVSwitch fabric is not initialised.", gpu_only=True),
    _code("driver", "container-without-gpu", "The container or job was started without a GPU.", gpu_only=True),
    _code("driver", "container-lost-gpu", "A running container lost its GPU (daemon-reload, cgroup change).", gpu_only=True),
    _code("driver", "wsl-container-toolkit-old", "WSL2 docker with a driver of 555 or newer and an old container toolkit.", gpu_only=True),
    _code("driver", "gpu-hidden", "An environment variable hides the GPUs.", gpu_only=True),
    _code("driver", "driver-unresponsive", "A driver call does not return, or crashes its caller.", gpu_only=True),
    _code("driver", "vgpu-unlicensed", "A virtual GPU without a licence, or a guest driver that does not fit.", WARNING, gpu_only=True),
    _code("libraries", "cuda-libraries-missing", "CUDA libraries that this build opens are not on this machine.", gpu_only=True),
    _code("libraries", "cuda-libraries-wrong-version", "A CUDA library of another major or soname is installed than this build opens.", gpu_only=True),
    _code("libraries", "cuda-libraries-unreachable", "The right libraries are on disk but this process can't find them (LD_LIBRARY_PATH, RUNPATH, ldconfig).", gpu_only=True),
    _code("libraries", "cuda-libraries-mixed", "Libraries of two CUDA majors are mixed (cu11 and cu12 wheels share folders; of CUDA 13, cuDNN does, while the runtime is in nvidia/cu13).", gpu_only=True),
    _code("libraries", "image-lacks-cuda-libraries", "The container image itself lacks libraries that its TensorFlow needs.", gpu_only=True),
    _code("libraries", "cudnn-version-mismatch", "The cuDNN that is loaded is of another major or an older minor than this build was compiled with.", gpu_only=True),
    _code("libraries", "cudnn-incomplete", "Only the main cuDNN library is found, not its parts.", gpu_only=True),
    _code("libraries", "cudnn-drops-gpu", "The installed cuDNN has no kernels for this GPU any more (9.11 and newer: none below 7.5).", gpu_only=True),
    _code("libraries", "cudnn-bug", "A known bug of this cuDNN version.", WARNING, gpu_only=True),
    _code("libraries", "ptxas-missing", "XLA finds no ptxas or nvJitLink.", WARNING, gpu_only=True),
    _code("libraries", "ptxas-too-old", "ptxas does not know this GPU.", WARNING, gpu_only=True),
    _code("libraries", "libdevice-missing", "XLA can't find nvvm/libdevice.", WARNING, gpu_only=True),
    _code("libraries", "cupti-unavailable", "The profiler's library is missing or lacks privileges.", WARNING, gpu_only=True),
    _code("libraries", "nccl-failed", "NCCL's transport fails (InfiniBand, memlock, P2P under IOMMU).", gpu_only=True),
    _code("devices", "compute-capability-too-low", "The GPU is older than every architecture in this build.", gpu_only=True),
    _code("devices", "gpu-too-new-for-build", "The GPU is newer than this build: no binary for it, and its PTX does not load.", gpu_only=True),
    _code("devices", "ptx-jit-slow-start", "No binary for this GPU: its kernels are compiled at first use; slow, not broken.", WARNING, gpu_only=True),
    _code("devices", "gpu-memory-held", "Another process holds the GPU's memory.", WARNING, gpu_only=True),
    _code("devices", "gpu-preallocation-clash", "Two frameworks or processes each reserve the whole GPU (TensorFlow, JAX).", WARNING, gpu_only=True),
    _code("devices", "gpu-busy-exclusive", "Compute mode forbids another process.", gpu_only=True),
    _code("devices", "mig-misused", "MIG is on and the process sees no usable slice, or wants several.", gpu_only=True),
    _code("devices", "gpu-hardware-fault", "The GPU reports a hardware or firmware fault.", gpu_only=True),
    _code("devices", "gpu-throttled", "The GPU is slowed by heat or power.", WARNING, gpu_only=True),
    _code("devices", "gpu-computes-wrong", "A smoke computation on the GPU runs but its numbers are wrong.", gpu_only=True),
    _code("devices", "rocm-gpu-unsupported", "The AMD GPU has no code objects in this ROCm build.", gpu_only=True),
    _code("memory", "gpu-out-of-memory", "Model and batch do not fit into the GPU's memory.", gpu_only=True),
    _code("memory", "gpu-memory-fragmented", "Enough GPU memory is free in sum but no block is large enough.", gpu_only=True),
    _code("memory", "gpu-dataset-on-device", "A whole NumPy dataset was copied to the GPU as a constant.", gpu_only=True),
    _code("memory", "gpu-library-no-memory", "cuDNN or cuBLAS can't get memory for its handle because the process itself reserved it all.", gpu_only=True),
    _code("memory", "host-oom-killed", "The kernel killed the process: the machine ran out of memory."),
    _code("memory", "container-oom-killed", "The process hit its container's or cgroup's memory limit."),
    _code("memory", "scheduler-killed", "The scheduler ended it (Slurm memory or time limit, Kubernetes eviction)."),
    _code("memory", "host-memory-exhausted", "An allocation in host memory failed and raised."),
    _code("memory", "host-memory-leak", "Host memory grows with every step or epoch."),
    _code("memory", "retracing-memory-growth", "tf.function retraces again and again and keeps every trace."),
    _code("memory", "shuffle-buffer-too-large", "The shuffle buffer does not fit into memory."),
    _code("memory", "memory-limit-too-small", "The container, cgroup, address space or machine has less memory than TensorFlow needs to start and work.", WARNING),
    _code("memory", "swap-thrashing", "The machine swaps instead of computing.", WARNING),
    _code("memory", "shared-memory-too-small", "/dev/shm is too small for NCCL or worker processes.", WARNING),  # noqa: S108  # a name in a sentence, no file is made
    _code("process", "fork-after-init", "The process forked after CUDA or TensorFlow had started."),
    _code("process", "device-configured-too-late", "Device settings were changed after TensorFlow had started, or differ between GPUs."),
    _code("process", "cuda-context-poisoned", "An earlier CUDA error (illegal address, launch failure) made the context unusable; the op named is often innocent."),
    _code("process", "file-descriptors-exhausted", "Too many open files."),
    _code("process", "threads-exhausted", "No more threads or processes may be created."),
    _code("process", "threads-forbidden", "The container's security profile forbids the call by which a newer glibc starts threads."),
    _code("process", "disk-full", "The disk or a quota is full."),
    _code("process", "file-locked", "A file is locked by another process, or its file system can't lock."),
    _code("process", "temporary-folder-missing", "No folder for temporary files can be written."),
    _code("process", "environment-variable-refused", "An environment variable has a value that TensorFlow, XLA, CUDA, Keras or Python refuses."),
    _code("process", "environment-variable-ignored", "An environment variable has a value that TensorFlow ignores.", INFO),
    _code("process", "native-crash", "A crash in native code whose cause has no code of its own."),
    _code("process", "check-failed", "TensorFlow aborted on an internal check."),
    _code("process", "killed-by-user", "Someone or something else killed the process.", INFO),
    _code("process", "stalled", "The process lives but makes no progress."),
    _code("process", "worker-lost", "Another worker of the job died or became unreachable; this one only reports it."),
    _code("process", "python-exception", "The program ended by an exception of its own."),
    _code("process", "other-program-failed", "Another framework or language reports the failure (PyTorch, JAX, Node.js, Java, R), not TensorFlow."),
    _code("process", "installer-stopped", "An installer (pip, conda, poetry, uv, …) stopped; its own message says why."),
    _code("process", "exited-nonzero", "The program chose to end with a status other than 0 (sys.exit, os._exit)."),
    _code("process", "command-not-started", "The command could not be started: not found (127) or not executable (126)."),
    _code("process", "output-closed", "The reader of its output went away (SIGPIPE).", INFO),
    _code("process", "jupyter-kernel-died", "A kernel died and Jupyter kept no exit status."),
    _code("process", "success", "It ended well.", INFO),
    _code("smoke", "smoke-driver-failed", "The driver can't run a trivial kernel, and no other code explains why.", gpu_only=True),
    _code("smoke", "smoke-tensorflow-failed", "TensorFlow can't run the smoke kernel, and no other code explains why."),
    _code("smoke", "smoke-timeout", "The smoke kernel did not end in time."),
    _code("notes", "noise", "A frightening line that means nothing.", INFO),
    _code("notes", "memory-growth-off", "TensorFlow will reserve the whole GPU at start; on a shared GPU set memory growth or a limit.", INFO, gpu_only=True),
    _code("notes", "retracing-warning", "tf.function retraces; a performance hint.", INFO),
    _code("notes", "unknown-release", "The matrix does not know this version; nothing is claimed about it.", INFO),
    _code("notes", "probe-failed", "A probe could not find out what it asked; what depends on it is undecided.", INFO),
)
# fmt: on

CODES: dict[str, Code] = {code.name: code for code in _ALL}


def code_of(name: str) -> Code:
    """The entry of a code. Raises KeyError for a name that is no code."""
    return CODES[name]
