"""Limits of a process and the ways it ends by itself."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import (
    CERTAIN,
    EXCEPTION,
    LIKELY,
    LOG,
    NATIVE,
    POSSIBLE,
    PYTHON,
    SHELL,
    Signature,
)
from tfdoctor.signatures.sources import SEVERAL_FILES, THREE_WHEELS, WHEELS

_late = partial(Signature, code="device-configured-too-late", speaker=EXCEPTION)
_aborted = partial(Signature, code="check-failed")
_DATED = tuple(f"F{month:02}{tens}" for month in range(1, 13) for tens in range(4))
"""How a fatal line of absl's begins once it knows the time: F, the month, the day."""
_crash = partial(Signature, code="native-crash", speaker=SHELL, sure=POSSIBLE)

_OTHER_ANSWERS = ("CUDA_ERROR_ILLEGAL", "CUDA_ERROR_LAUNCH", "CUDA_ERROR_MISALIGNED", "CUDA_ERROR_ECC", "CUDA_ERROR_OUT_OF_MEMORY", "CUDA_ERROR_UNKNOWN", "CUDA_ERROR_ASSERT", "CUDA_ERROR_HARDWARE")  # fmt: skip
"""What the driver says where a context can't be set because the GPU failed before, and not because of a fork."""
SIGNATURES = (
    *(
        _late(name, anchor=anchor, samples=(sample,), near=("The device was modified",), releases="2.0 to 2.21", sources=(WHEELS, SEVERAL_FILES))
        for name, anchor, sample in (
            ("devices-after-start", "devices cannot be modified after being initialized", "RuntimeError: Physical devices cannot be modified after being initialized"),
            ("parallelism-after-start", "parallelism cannot be modified after initialization", "RuntimeError: Intra op parallelism cannot be modified after initialization."),
            ("collectives-after-start", "Collective ops must be configured at program startup", "RuntimeError: Collective ops must be configured at program startup"),
            ("growth-differs", "Memory growth cannot differ between GPU devices", "ValueError: Memory growth cannot differ between GPU devices"),
        )
    ),
    *(
        Signature(
            name, "fork-after-init", anchor, samples=(sample,), near=("The context was set",), releases=releases, unless=_OTHER_ANSWERS,
            sources=sources, rivals=rivals, sure=sure,
        )
        for name, anchor, sample, releases, sources, rivals, sure in (
            ("not-initialized", "CUDA_ERROR_NOT_INITIALIZED", "F tensorflow/stream_executor/cuda/cuda_driver.cc:146] Failed setting context: CUDA_ERROR_NOT_INITIALIZED: initialization error", "1.x to 2.21", (), (), "certain"),
            ("failed-setting-context", "Failed setting context", "F tensorflow/compiler/xla/stream_executor/cuda/cuda_driver.cc:219] Failed setting context: CUDA_ERROR_NOT_INITIALIZED: initialization error", "1.x to 2.21", (WHEELS,), ("cuda-context-poisoned",), LIKELY),
        )
    ),
    Signature(
        "runtime-not-initialized", "fork-after-init", "Status: initialization error",
        form=r"cuda[A-Z]\w{2,40}\(\)(?: on GPU:\d{1,3})? failed\. Status: initialization error",
        samples=("tensorflow.python.framework.errors_impl.InternalError: cudaGetDevice() failed. Status: initialization error", "RuntimeError: cudaSetDevice() on GPU:0 failed. Status: initialization error"),
        near=("Status: initialization errors: 0",),
        releases="1.x to 2.21", sources=(), sure=LIKELY,
    ),
    _aborted(
        "check-failed-line",
        anchor="Check failed: ",
        form=r"Check failed: (?P<message>.{0,300})",
        samples=("F tensorflow/core/framework/tensor_shape.cc:45] Check failed: NDIMS == dims() (2 vs. 1)Asking for tensor of 2 dimensions from a tensor of 1 dimensions",),
        near=("Health check passed: all",),
        releases="all",
        sources=("stephen-v/tensorflow_alexnet_classify#4 (2019-01)", WHEELS),
    ),
    _aborted(
        "shape-overflow",
        anchor="tensor_shape.cc:",
        form=r"tensor_shape\.cc:\d{1,5}\] Check failed: (?P<message>(?:0 <= new_num_elements|size >= 0|size_? ?>= ?0|d >= 0|new_num_elements >= 0) \(-?\d{1,20} vs\. -?\d{1,20}\))",
        samples=(
            "F tensorflow/core/framework/tensor_shape.cc:405] Check failed: 0 <= new_num_elements (0 vs. -1)",
            "F tensorflow/core/framework/tensor_shape.cc:324] Check failed: size >= 0 (-1655719932 vs. 0)",
        ),
        near=("F tensorflow/core/framework/tensor_shape.cc:45] Check failed: NDIMS == dims() (2 vs. 1)Asking for tensor of 2 dimensions from a tensor of 1 dimensions",),
        releases="0.11 to 2.20",
        sources=("tensorflow/tensorflow#46699 (2021-01)", "fizyr/keras-retinanet#1308 (2020-03)", "tensorflow/tensorflow#6276 (2016-12)"),
    ),
    _aborted(
        "fatal-line",
        anchor=": F ",
        also=("F tensorflow/", "F external/", "F third_party/", "F xla/", "F tsl/", "F ./"),  # where the time was cut off
        form=r"(?:^|\W)F (?P<file>[^\s:\]]{1,200}\.cc):(?P<line>\d{1,6})\] (?P<message>.{1,400})",
        samples=(
            "2021-03-01 12:00:00.000000: F tensorflow/stream_executor/cuda/cuda_driver.cc:146] Failed setting context: CUDA_ERROR_NOT_INITIALIZED: initialization error",
        ),
        near=("PDF tensorflow/docs.cc:1] was written", "E tensorflow/core/util.cc:146] Failed"),
        releases="1.x to 2.18",
    ),
    _aborted(
        "fatal-line-absl",
        anchor="F0000 00:00:",
        also=_DATED,
        form=r"\bF\d{4} \d\d:\d\d:[\d.]{2,20} {1,9}\d{1,9} (?P<file>[^\s:\]]{1,200}\.cc):(?P<line>\d{1,6})\] (?P<message>.{1,400})",
        samples=(
            "F0000 00:00:1795319133.524861   26252 tensor.cc:844] Check failed: dtype() == expected_dtype (9 vs. 3) int32 expected, got int64",
            "F0621 23:40:04.690244 1244448 tensor.cc:844] Check failed: dtype() == expected_dtype (9 vs. 3) int32 expected, got int64",
        ),
        near=("E0000 00:00:1795319132.584074   26252 cuda_platform.cc:52] failed call to cuInit",),
        releases="2.17 to 2.21",
        sources=(SEVERAL_FILES,),
    ),
    *(
        _crash(
            name, anchor=anchor, form=form, rivals=rivals, decided_by=decided_by, code=code, samples=samples,
            near=("The core was dumped",), sources=(SEVERAL_FILES,),
        )
        for name, code, anchor, form, rivals, decided_by, samples in (
            ("shell-segfault", "native-crash", "egmentation fault", r"[Ss]egmentation fault", (), (), ("Segmentation fault (core dumped)", "zsh: segmentation fault  python train.py", "Fatal Python error: Segmentation fault")),
            ("shell-bus-error", "native-crash", "us error", r"\b[Bb]us error(?:$| \(core dumped\)|  )", ("shared-memory-too-small", "tensorflow-install-broken", "disk-full"), ("memory.shm_free", "tensorflow.record"), ("Bus error (core dumped)", "zsh: bus error  python train.py", "Fatal Python error: Bus error")),
            ("shell-aborted", "native-crash", "Aborted", r"(?:\bAborted \(core dumped\)|Fatal Python error: Aborted|^Aborted$)", (), (), ("Aborted (core dumped)", "Fatal Python error: Aborted")),
            ("illegal-instruction", "cpu-instructions-missing", "llegal instruction", r"[Ii]llegal (?:hardware )?instruction", ("native-crash", "foreign-architecture"), ("host.cpu_flags", "tensorflow.build"), ("Illegal instruction (core dumped)", "Fatal Python error: Illegal instruction")),
            ("illegal-hardware-instruction", "foreign-architecture", "illegal hardware instruction", "", ("cpu-instructions-missing", "native-crash"), ("host.machine", "interpreter.machine"), ("zsh: illegal hardware instruction  python train.py",)),
        )
    ),
    Signature(
        "shell-may-not-execute",
        "command-not-started",
        ": Permission denied",
        form=r"(?:^|\W)(?:ba|z|da|k|fi)?sh: (?:line \d{1,6}: )?(?P<file>[^\s:]{1,300}): Permission denied$",
        speaker=SHELL,
        sure=LIKELY,
        samples=("bash: ./train.py: Permission denied", "/bin/sh: /app/entrypoint.sh: Permission denied"),
        near=("PermissionError: [Errno 13] Permission denied: '/data'", "bash: cd: /root: Permission denied", "ssh: node: Permission denied (publickey)"),
    ),
    Signature(
        "bad-interpreter",
        "command-not-started",
        "bad interpreter: ",
        form=r"(?:(?P<process>[^\s:]{1,300}): )?(?:(?P<file>[^\s:]{1,300}): )?bad interpreter: (?P<message>No such file or directory|Permission denied|.{1,100})",
        speaker=SHELL,
        samples=("bash: ./train.py: /usr/bin/python: bad interpreter: No such file or directory", "zsh: /opt/env/bin/pip: bad interpreter: /opt/old/bin/python3: no such file or directory"),
        near=("the interpreter is bad",),
        sources=(SEVERAL_FILES,),
    ),
    *(
        Signature(
            name, "command-not-started", anchor, form=form, speaker=SHELL, sure=sure, samples=(sample,), near=(near,), releases=releases,
            sources=("run here (2026-11-22)",),
        )
        for name, anchor, form, sure, sample, near, releases in (
            ("interpreter-of-script-missing", ": cannot execute: required file not found", "", CERTAIN, "bash: line 1: ./t.py: cannot execute: required file not found", "the file: cannot execute", "bash 5.2 and newer"),
            ("program-of-path-missing", ": No such file or directory", r"(?:^|\W)(?:ba|z|da|k)?sh: (?:line \d{1,6}: )?(?P<file>[^\s:]{0,300}/[^\s:/]{1,200}): No such file or directory$", LIKELY, "bash: line 1: /opt/app/bin/train: No such file or directory", "bash: cd: /data: No such file or directory", "bash"),
        )
    ),
    Signature(
        "gunicorn-worker-timeout",
        "stalled",
        "WORKER TIMEOUT (pid:",
        speaker=PYTHON,
        sure=LIKELY,
        rivals=("fork-after-init", "host-oom-killed"),
        decided_by=("kernel_log.oom_kills",),
        samples=("[2026-11-22 04:00:01 +0000] [7] [CRITICAL] WORKER TIMEOUT (pid:42)",),
        near=("[INFO] Booting worker with pid: 42",),
        sources=("mlflow/mlflow#10855 (2024-01)", SEVERAL_FILES),
    ),
    Signature(
        "hdf5-lock",
        "file-locked",
        "unable to lock file",
        form=r"unable to lock file, errno = (?P<number>\d{1,4}), error message = ['\u2018](?P<message>[^'\u2019]{1,80})",
        speaker=NATIVE,
        samples=(
            "OSError: Unable to create file (unable to lock file, errno = 11, error message = 'Resource temporarily unavailable')",
            "BlockingIOError: [Errno 11] Unable to open file (unable to lock file, errno = 11, error message = 'Resource temporarily unavailable')",
            "OSError: Unable to open file (unable to lock file, errno = 37, error message = 'No locks available')",
            "    unable to lock file, errno = 35, error message = 'Resource temporarily unavailable'",
        ),
        near=("bash: fork: retry: Resource temporarily unavailable", "unable to lock file /var/lib/dpkg/lock"),
        releases="HDF5 1.10 and newer",
        sources=("ray-project/ray#27939 (2022)", "h5py/h5py#1101 (2022-08)", "PyTables/PyTables#888 (2021-03)", "STOmics/SAW#28 (2023-01)"),
    ),
    Signature(
        "hdf5-lock-synchronously",
        "file-locked",
        "nable to synchronously ",
        form=r"[Uu]nable to synchronously (?:open|create) file \(unable to lock file",
        speaker=NATIVE,
        samples=("BlockingIOError: [Errno 11] Unable to synchronously create file (unable to lock file, errno = 11, error message = 'Resource temporarily unavailable')",),
        near=("OSError: Unable to synchronously open file (truncated file: eof = 96)",),
        releases="HDF5 1.14",
    ),
    Signature(
        "no-temporary-folder",
        "temporary-folder-missing",
        "No usable temporary directory found in",
        speaker=EXCEPTION,
        samples=("FileNotFoundError: [Errno 2] No usable temporary directory found in ['/tmp', '/var/tmp', '/usr/tmp', '/']",),
        near=("the temporary directory was found in /tmp",),
        releases="Python 3.3 and newer",
        sources=(SEVERAL_FILES,),
    ),
    *(
        Signature(
            name, "environment-variable-refused", anchor, form=form, speaker=speaker, sure=sure, samples=samples, near=(near,),
            releases=releases, sources=(source,),
        )
        for name, anchor, form, speaker, sure, samples, near, releases, source in (
            ("unknown-flag", "in XLA_FLAGS: ", r"Unknown flags? in (?P<variable>XLA_FLAGS|TF_XLA_FLAGS): (?P<flag>.{1,300})", LOG, CERTAIN, ("F0000 00:00:1795319133.524861   26252 parse_flags_from_env.cc:234] Unknown flag in XLA_FLAGS: --xla_cpu_foo=1", "F external/org_tensorflow/tensorflow/compiler/xla/parse_flags_from_env.cc:226] Unknown flags in XLA_FLAGS: --xla_gpu_a=true --xla_gpu_b=1"), "the flags in XLA_FLAGS: were read", "2.4 to 2.21", SEVERAL_FILES),
            ("flag-not-interpreted", "Couldn't interpret value ", r"Couldn't interpret value (?P<value>\S{0,200}) for flag (?P<flag>\w{1,100})", LOG, LIKELY, ("E0000 00:00:1795319163.983504   26953 command_line_flags.cc:63] Couldn't interpret value abc for flag xla_gpu_autotune_level.",), "Couldn't interpret the file", "2.16 to 2.21", THREE_WHEELS),
            ("flag-file-not-opened", "to read flags for environment variable", r'Could not open file "(?P<file>[^"]{1,300})" to read flags for environment variable "(?P<variable>\w{1,60})"', LOG, CERTAIN, ('F external/local_xla/xla/parse_flags_from_env.cc:171] Could not open file "garbage" to read flags for environment variable "XLA_FLAGS".',), "the file to read flags for environment variable was read", "2.16 to 2.21", THREE_WHEELS),
            ("allocator-not-supported", "TF_GPU_ALLOCATOR=", r"(?P<variable>TF_GPU_ALLOCATOR)=(?P<value>\w{1,40}) isn't (?:currently )?supported", LOG, CERTAIN, ("F tensorflow/core/common_runtime/gpu/gpu_cudamallocasync_allocator.cc:118] TF_GPU_ALLOCATOR=cuda_malloc_async isn't currently supported on GPU id 0: Possible causes: device not supported, driver too old",), "If the cause is memory fragmentation maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation.", "2.16 to 2.21", THREE_WHEELS),
            ("hash-seed-refused", "PYTHONHASHSEED must be", r"(?P<variable>PYTHONHASHSEED) must be", PYTHON, CERTAIN, ('Fatal Python error: config_init_hash_seed: PYTHONHASHSEED must be "random" or an integer in range [0; 4294967295]',), "set PYTHONHASHSEED to 0", "Python 3.2 and newer", SEVERAL_FILES),
        )
    ),
    Signature(
        "broken-pipe",
        "output-closed",
        "Broken pipe",
        form=r"BrokenPipeError: \[Errno 32\] Broken pipe",
        speaker=EXCEPTION,
        sure=LIKELY,
        samples=("BrokenPipeError: [Errno 32] Broken pipe",),
        near=("rsync: Broken pipe",),
    ),
)  # fmt: skip
