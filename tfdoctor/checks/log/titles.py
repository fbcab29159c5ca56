"""What is the case where a certain text stands, in words for a title: a code's own title has to name all that it covers."""

from __future__ import annotations

from tfdoctor.checks.log.amd.words import TITLES_OF_AMD
from tfdoctor.checks.log.gpus.plugins import TITLES_OF_PLUGINS
from tfdoctor.checks.log.own.keras_2 import TITLES_OF_KERAS_2
from tfdoctor.checks.log.own.tensorflow_1 import TITLES_OF_TENSORFLOW_1
from tfdoctor.checks.log.ways.memory_told import TITLES_OF_MEMORY
from tfdoctor.checks.log.ways.workers import TITLES_OF_WORKERS

_NO_TOOLKIT = (
    "Docker has no NVIDIA Container Toolkit, or is not set up to use it: no container can get a GPU here."
)
_SLURM_MEMORY = "A process of the Slurm job was killed: the job had used up the memory that it asked for."
_KILLED = "The program was killed from outside (SIGKILL), mostly because the machine's memory ran out."
_KILLED_IN_CONTAINER = (
    "The program was killed from outside (SIGKILL), mostly at its container's limit of memory."
)
_ILLEGAL_ADDRESS = (
    "A CUDA kernel used memory that is not its own; after that, whatever uses the GPU in this process fails."
)
_LAUNCH_FAILED = "A CUDA kernel crashed; after that, whatever uses the GPU in this process fails."
_LAUNCH_TIMEOUT = "A CUDA kernel ran longer than the display's watchdog allows; after that, whatever uses the GPU in this process fails."
_NO_WHEEL = "pip finds no TensorFlow for this Python, or none of the release that it was asked for."
_DAMAGED = "A library of TensorFlow is damaged: it was not written to its end, or was changed."
_OLD_RUNTIME = "The installed protobuf is older than the code that was generated for it."
_OF_AN_OLDER_PYTHON = (
    "A package imports a name that this Python no longer has: it is too old for this Python."
)
_PINNED = (
    "The machine's memory, not the GPU's, had no room for what was to be passed to the GPU (pinned memory)."
)
_NO_ROOM = "The machine's memory, not the GPU's, had no room for a tensor that TensorFlow asked for."
_NO_ROOM_FOR_ARRAY = "The machine's memory had no room for what the program asked for at once (MemoryError)."
_PEER_CLOSED = (
    "Another process of the job closed the connection: it ended or was killed; this log only reports it."
)
_LOCKED = "The HDF5 file can't be locked: another process has it open, or its file system has no locks."
_CUDNN = "cuDNN failed while it computed on the GPU."

_CUBLAS = "cuBLAS failed while it computed on the GPU."
_KERNEL = "The notebook's kernel died; Jupyter keeps no exit status, so these lines do not hold why."
_VS_CODE = "The notebook's kernel died; VS Code's lines do not hold why."

_HANDLE = "cuDNN could not be set up on the GPU: mostly no memory is left for it, because TensorFlow itself has reserved all."
_HANDLE_OF_BLAS = _HANDLE.replace("cuDNN", "cuBLAS")
_NCCL = "NCCL, by which the GPUs exchange their results, failed"

OF_A_TEXT = {
    **TITLES_OF_KERAS_2,
    **TITLES_OF_TENSORFLOW_1,
    "device-without-kernel": "The program puts an operation on a device that can't compute it.",
    "channels-first-on-a-processor": "The model needs what TensorFlow computes on a GPU alone (channels first, grouped convolutions), and runs on the processor.",
    **TITLES_OF_AMD,
    "package-globbed": "zsh took the name of a package for a pattern of file names, and did not start the command.",
    "colab-no-backend": "Colab has no GPU to give to this session.",
    **TITLES_OF_PLUGINS,
    "cudnn-handle": _HANDLE,
    "cublas-handle": _HANDLE_OF_BLAS,
    "cublas-may-be-memory": _HANDLE_OF_BLAS,
    "convolution-without-cudnn": "cuDNN did not start, and the line that says why is not here; mostly no GPU memory was left for it.",
    "executor-without-dnn": "cuDNN did not start, and the line that says why is not here; mostly no GPU memory was left for it.",
    "executor-without-blas": "cuBLAS did not start, and the line that says why is not here; mostly no GPU memory was left for it.",
    "no-cudnn-algorithm": "XLA found no algorithm of cuDNN for a convolution; mostly this cuDNN is too old for this TensorFlow.",
    "rocm-no-device": "ROCm shows this process no AMD GPU.",
    "nccl-system-error": f"{_NCCL} in a call to the system, and does not say in which.",
    "nccl-cuda-error": f"{_NCCL} with an error of CUDA, and does not say with which.",
    "nccl-async": f"{_NCCL} while it worked, and ended the exchange.",
    "nccl-warn": f"{_NCCL}; its own warning says with what.",
    "nccl-no-kernel": "This TensorFlow holds no NCCL, which the distribution strategy asks for: builds for Windows have none.",
    "cublas-run-failed": _CUBLAS,
    "cusolver-handle": _HANDLE.replace("cuDNN", "cuSolver"),
    "cusolver-failed": _CUBLAS.replace("cuBLAS", "cuSolver"),
    "cudnn-launch-failed": _CUDNN,
    "kernel-not-compiled-at-run": "A kernel could not be compiled for this GPU while the program ran, and the line that says why is not here.",
    "windows-zlibwapi": "Windows finds no zlibwapi.dll, which this cuDNN needs, and the process ends at the first convolution.",
    "gemm-launch-failed": _CUBLAS,
    "ptxas-refused": "XLA refuses to work with the ptxas that it found, because that version has a bug.",
    "toolkit-rpc": "The host's NVIDIA driver did not answer the container toolkit, so no container with a GPU starts.",
    "docker-no-device-driver": _NO_TOOLKIT,
    "docker-unknown-runtime": _NO_TOOLKIT,
    "docker-invalid-runtime": _NO_TOOLKIT,
    "toolkit-program-missing": _NO_TOOLKIT,
    "toolkit-cgroups": "The NVIDIA container library is too old for this system's cgroups (version 2), so no container with a GPU starts.",
    "toolkit-file-exists": "The image holds files of an NVIDIA driver, in the place where the host's have to go.",
    "toolkit-ldcache": "The NVIDIA Container Toolkit could not run the host's ldconfig, so no container with a GPU starts.",
    "container-program-missing": "The container could not be started: its image has no such program.",
    "launch-configuration": "TensorFlow aborted: it was to start a computation on the GPU with a size that CUDA does not take, mostly of an empty tensor.",
    "driver-attribute-unknown": "TensorFlow aborted: the NVIDIA driver does not know a property of the GPU that this TensorFlow asks for, so the driver is too old for it.",
    "devices-busy": "The GPU is there, and CUDA may not use it: it is taken for one program alone, or it is a virtual GPU without a licence.",
    "device-unavailable-words": "The GPU is there, and CUDA may not use it: it is taken for one program alone, or it is a virtual GPU without a licence.",
    "driver-query-failed": "The NVIDIA driver could not tell TensorFlow a property of the GPU.",
    "docker-no-permission": "The container could not be started: this user may not talk to Docker's daemon.",
    "wsl-without-adapter": "Windows hands no NVIDIA GPU to WSL: its driver is missing there, or too old.",
    "nccl-duplicate-gpu": "Two processes of the job work on the same GPU, which NCCL does not allow.",
    "docker-port-taken": "The container could not be started: another program has the port.",
    "gunicorn-worker-timeout": "gunicorn ended workers that did not answer within its timeout.",
    "device-plugin-without-nvml": "NVIDIA's device plug-in for Kubernetes finds no NVIDIA driver in its container (no NVIDIA runtime), so it offers no GPU.",
    "kubernetes-insufficient-gpu": "No node of the Kubernetes cluster has a free GPU that it may give to this pod.",
    "kubernetes-crash-loop": "The container ends again and again, and these lines do not say why.",
    "hip-invalid-function": "This ROCm holds no code for the AMD GPU.",
    "cdi-unresolvable": "The container engine knows no GPU by the name that was asked for: its CDI file is missing or old.",
    "toolkit-without-nvml": "The NVIDIA Container Toolkit finds no NVIDIA driver in the system in which Docker runs (libnvidia-ml.so.1).",
    "toolkit-reads-no-requirement": "The host's NVIDIA container library is too old to read what this image asks for (invalid expression).",
    "apptainer-no-driver-files": "Apptainer was asked for the GPU and finds no NVIDIA driver on the host.",
    "slurm-oom": _SLURM_MEMORY,
    "slurm-oom-old": _SLURM_MEMORY,
    "slurm-state-memory": _SLURM_MEMORY,
    "slurm-state-time": "Slurm ended the job: its time limit was reached.",
    "srun-oom": _SLURM_MEMORY,
    "slurm-memory-limit": "Slurm ended the job: it used more memory than it asked for.",
    "slurm-time-limit": "Slurm ended the job: its time limit was reached.",
    "slurm-node-failed": "Slurm ended the job: a node that it ran on failed.",
    "kernel-killed-process": "The kernel killed the process because memory ran out.",
    "slurm-cancelled": "Somebody cancelled the Slurm job, or its launcher ended it.",
    "slurm-preempted": "Slurm ended the job to make room for another one (preemption).",
    "kubernetes-evicted": "Kubernetes evicted the pod: its node ran low on a resource, mostly memory or disk.",
    "connection-lost-alone": "The connection to another process or machine broke off; this line does not say why.",
    "other-incarnation": "Another process of the job was started again in the middle of the work: the one before it had ended.",
    "session-recreated": "The session lost another worker or a parameter server, and TensorFlow tries again.",
    "grpc-reset": _PEER_CLOSED,
    "kubernetes-eviction": "Kubernetes evicted the pod: its node ran low on a resource.",
    "platform-time-limit": "The service ended the job: it reached the service's limit of time.",
    "no-version-satisfies": _NO_WHEEL,
    "no-matching-distribution": _NO_WHEEL,
    "uv-no-matching-abi": "uv finds no wheel of this TensorFlow for this Python.",
    "no-space": "The disk is full.",
    "disk-quota": "The disk quota is used up.",
    "dnn-null": "cuDNN could not be opened or set up, and XLA's own line that says why is not in this log.",
    "dnn-implementation": "cuDNN could not be opened or set up, and TensorFlow's own line that says why is not in this log.",
    "dnn-not-found": "TensorFlow had no cuDNN that works when a convolution began, and its own line that says why is not in this log.",
    "dnn-not-in-executor": "TensorFlow had no cuDNN that works when a convolution began, and its own line that says why is not in this log.",
    "xla-no-compiler": "XLA was asked to compile, and this build of TensorFlow has no compiler for the device.",
    "nccl-ib-memory": "NCCL could not set up InfiniBand: mostly the limit of locked memory is too small.",
    "session-waits": "The task waits for another task of its cluster, which does not answer.",
    "allocator-cpu": _NO_ROOM,
    "allocator-cpu-ran-out": _NO_ROOM,
    "array-not-allocated": _NO_ROOM_FOR_ARRAY,
    "bad-alloc": "The machine's memory had no room for what compiled code asked for (std::bad_alloc).",
    "memory-error": _NO_ROOM_FOR_ARRAY,
    "pinned-refused": _PINNED,
    "host-alloc-refused": _PINNED,
    "host-allocator-ran-out": _PINNED,
    "grpc-connection-lost": _PEER_CLOSED,
    "hdf5-lock-synchronously": _LOCKED,
    "illegal-access-short": _ILLEGAL_ADDRESS,
    "grpc-peer-closed": _PEER_CLOSED,
    "grpc-socket-closed": _PEER_CLOSED,
    "cudnn-execution-failed": _CUDNN,
    "cudnn-rnn-failed": _CUDNN,
    "cudnn-internal-error": _CUDNN,
    "hdf5-lock": _LOCKED,
    "illegal-address-name": _ILLEGAL_ADDRESS,
    "illegal-address-words": _ILLEGAL_ADDRESS,
    "launch-failed-name": _LAUNCH_FAILED,
    "launch-failed-words": _LAUNCH_FAILED,
    "launch-timeout-name": _LAUNCH_TIMEOUT,
    "launch-timeout-words": _LAUNCH_TIMEOUT,
    "allocator-no-statistics": "TF_GPU_ALLOCATOR chooses an allocator without statistics, and this TensorFlow (2.5 or older) asks for them.",
    "dll-procedure-missing": "Windows found a DLL of another release: a function that is asked for is not in it (error 127).",
    "dataloader-shm": "/dev/shm is too small for the worker processes.",  # noqa: S108  # named, not used
    "dev-shm": "/dev/shm is too small for what its processes or GPUs share there.",  # noqa: S108  # as above
    "posix-fallocate": "/dev/shm is too small for NCCL.",  # noqa: S108  # as above
    "fallen-off-bus": "The GPU has fallen off the bus: the machine can't reach it any more.",
    "gpu-is-lost": "The driver has lost the GPU: it does not answer any more.",
    "ecc-name": "The GPU's memory has an error that can't be corrected (ECC).",
    "ecc-words": "The GPU's memory has an error that can't be corrected (ECC).",
    "reset-required": "The GPU has to be reset.",
    "needs-reset-words": "The GPU has to be reset.",
    "cupti-not-opened": "The profiler's library, CUPTI, is not found.",
    "cupti-not-loaded": "The profiler's library, CUPTI, can't be loaded.",
    "cupti-privileges": "The profiler may not read the GPU's counters.",
    "protobuf-descriptors": "Code that an old protobuf generated meets protobuf 4 or newer, which refuses it.",
    "protobuf-gencode": _OLD_RUNTIME,
    "protobuf-runtime-version": _OLD_RUNTIME,
    "devices-after-start": "The GPUs were configured after TensorFlow had started.",
    "parallelism-after-start": "The number of threads was set after TensorFlow had started.",
    "growth-differs": "Memory growth was set for one GPU and not for another.",
    "not-licensed-name": "The virtual GPU has no licence.",
    "not-licensed-words": "The virtual GPU has no licence.",
    "gridd-license": "The virtual GPU gets no licence from its server.",
    "model-of-newer-keras": "The model file was saved by TensorFlow 2.3 or newer, and an older one reads it here.",
    "model-of-newer-input": "The model file was saved by TensorFlow 2, and an older one reads it here.",
    "model-of-keras-2": "A layer of Keras 3 was given a setting that only Keras 2 has: the model file, or the code, is of Keras 2.",
    "model-of-keras-2-modules": "The model file was saved by Keras 2, and Keras 3 reads it here.",
    "model-of-keras-3-modules": "The model file was saved by Keras 3, and Keras 2 reads it here.",
    "keras-of-compat": "Keras 2 is asked for, and TensorFlow brings Keras 3 since 2.16.",
    "numpy-before-1-16": "The installed NumPy is older than the one that a compiled part asks for.",
    "typing-extensions-name": "The installed typing_extensions is older than what asks for it.",
    "tf-keras-absent": "tf-keras, which is Keras 2, is asked for and is not installed.",
    "keras-without-files": "The installed keras is only half there: its folder has no __init__.py.",
    "model-of-newer-keras-3": "The model file was saved by a newer Keras 3 than the one that reads it here.",
    "keras-tensor-in-function": "A function of TensorFlow was given a symbolic tensor of Keras 3: the code was written for Keras 2.",
    "protobuf-create-key": "The installed protobuf is older than the code that uses it, which was generated with 3.12 or newer.",
    "python-of-32-bit": "This Python is a 32-bit one, and TensorFlow has 64-bit files alone.",
    "tensorflow-protobuf-symbol": "TensorFlow's compiled part meets another protobuf than the one that it was made with.",
    "uv-conclusion": "uv finds no set of releases that fits together; its first reasons are not in this log.",
    "uv-no-solution": "uv finds no set of releases that fits together.",
    "poetry-no-solution": "poetry finds no set of releases that fits together.",
    "pip-no-resolution": "What pip was asked to install together does not fit together.",
    "argspec-gone": _OF_AN_OLDER_PYTHON,
    "formatargspec-gone": _OF_AN_OLDER_PYTHON,
    "keras-needs-package": "Keras needs a package that is not installed.",
    "library-too-short": _DAMAGED,
    "library-no-elf": _DAMAGED,
    "library-unread": _DAMAGED,
    "library-not-aligned": _DAMAGED,
    "library-not-aligned-old": _DAMAGED,
    "library-without-segments": _DAMAGED,
    "library-without-dynamic": _DAMAGED,
    "tensorflow-source-folder": "TensorFlow's source folder is imported in place of an installed TensorFlow.",
    "tensorflow-lacks-attribute": "What was imported as tensorflow lacks names that every TensorFlow has.",
    "python-externally-managed": "pip may not install into the system's own Python.",
    "package-removed": "The package tensorflow-gpu was given up: its last version refuses to be installed.",
    "stub-library-name": "The libcuda that is found is a stub, made for linking alone.",
    "stub-library-words": "The libcuda that is found is a stub, made for linking alone.",
    "exec-format": "The program is made for another processor than this machine's.",
    "extra-globbed": "The shell took the brackets of tensorflow[and-cuda] for a pattern, so pip was not started.",
    "unified-memory-refused": "The driver gives this program no unified memory, from which it takes all that it needs on the GPU.",
    "extra-not-provided": "This release of TensorFlow has no addition [and-cuda], so no CUDA package was installed.",
    "shell-killed": _KILLED,
    "shell-killed-de": _KILLED,
    "shell-killed-fr": _KILLED,
    "shell-killed-zh": _KILLED,
    "shell-killed-es": _KILLED,
    "kernel-appears-dead": _KERNEL,
    "kernel-restarter": _KERNEL,
    "kernel-restarted-by-itself": _KERNEL,
    "kernel-dead-error": _KERNEL,
    "kernel-has-died": _KERNEL,
    "kernel-died-restarting": _KERNEL,
    "kernel-died-of-console": _KERNEL,
    "kernel-session-crashed": _KERNEL,
    "kernel-died-executing": _KERNEL,
    "pip-file-in-use": "pip could not replace a file: a program that runs uses it, or this user may not write there.",
    "spawned-without-main": "A new process read the whole program again and started new processes itself: the program's main part is not kept apart.",
    "metal-refused": "Apple's Metal ended the program: it can't compute what it was handed for the GPU.",
    "plugin-stopped": "A plug-in that brings TensorFlow its device (DirectML's, for instance) ended the program.",
    "oom-killed-status": "The container was killed at its limit of memory (OOMKilled).",
    "kernel-crashed-cell": _VS_CODE,
    "kernel-future-cancelled": _VS_CODE,
    "kernel-is-dead": _VS_CODE,
    "kernel-process-died": _VS_CODE,
    "shape-overflow": "TensorFlow aborted: a tensor of an impossible size was asked for.",
    "event-out-of-memory": "The GPU's memory was used up while it computed.",
    "cudnn-alloc-failed": "cuDNN got no GPU memory for its work.",
    **TITLES_OF_MEMORY,
    **TITLES_OF_WORKERS,
}
"""By the signature's name."""
OF_A_KILL = {"host-oom-killed": _KILLED, "container-oom-killed": _KILLED_IN_CONTAINER}
"""Of an end that only tells that it was one."""
