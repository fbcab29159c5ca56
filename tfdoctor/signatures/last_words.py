"""What a program says when it has to end, whoever wrote it: the sentence that a report must not lose."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, FACT, LOADER, LOG, NATIVE, Signature

_fact = partial(Signature, code="", role=FACT, speaker=NATIVE)

SIGNATURES = (
    _fact(
        "flag-value-refused",
        anchor="Couldn't interpret value ",
        form=r"Couldn't interpret value (?P<value>\S{0,200}) for flag (?P<flag>\w{1,100})",
        speaker=LOG,
        samples=("E0000 00:00:1795319163.983504   26953 command_line_flags.cc:63] Couldn't interpret value abc for flag xla_gpu_autotune_level.",),
        near=("Couldn't interpret the file",),
        releases="TensorFlow 2.21.0 with XLA_FLAGS=--xla_gpu_autotune_level=abc",
    ),
    _fact(
        "exception-what",
        anchor="what():",
        form=r"what\(\):\s{0,9}(?P<message>.{1,400})",
        samples=("  what():  basic_string::_M_construct null not valid",),
        near=("what (): no",),
    ),
    _fact(
        "llvm-error",
        anchor="LLVM ERROR: ",
        form=r"LLVM ERROR: (?P<message>.{1,400})",
        samples=("LLVM ERROR: PTX version 8.5 does not support target 'sm_120'. Minimum required PTX version is 8.6.",),
        near=("LLVM: ERROR of the pass",),
        sources=("tensorflow/tensorflow#111958 (2026-03)",),
    ),
    _fact(
        "fatal-python-error",
        anchor="Fatal Python error: ",
        form=r"Fatal Python error: (?P<message>.{1,400})",
        speaker=EXCEPTION,
        samples=(
            'Fatal Python error: config_init_hash_seed: PYTHONHASHSEED must be "random" or an integer in range [0; 4294967295]',
        ),
        near=(
            "Fatal error in launcher: Unable to create process",
            "Fatal Python error: Aborted",
            "Fatal Python error: Segmentation fault",
        ),
        unless=(
            "Fatal Python error: Aborted", "Fatal Python error: Segmentation fault", "Fatal Python error: Bus error",
            "Fatal Python error: Illegal instruction", "Fatal Python error: Floating-point exception",
        ),
        releases="Python 3.8 and newer; what faulthandler writes of a signal tells nothing but the signal",
    ),
    _fact(
        "library-not-loaded",
        anchor="Could not load library ",
        form=r"Could not load library (?P<library>\S{1,200}?)\. Error: (?P<message>.{1,400})",
        samples=(
            "Could not load library libcudnn_cnn_infer.so.8. Error: libcuda.so: cannot open shared object file: No such file or directory",
            "Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object file: No such file or directory",
        ),
        near=("Could not load dynamic library 'libcudart.so.11.0'; dlerror: libcudart.so.11.0: cannot open shared object file",),
        sources=("microsoft/WSL#8587 (2022-07-07)", "facebookresearch/nougat#105 (2023-09)", "tensorflow/hub#884 (2023-04)"),
    ),
    _fact(
        "symbol-lookup-error",
        anchor="symbol lookup error: ",
        form=r"symbol lookup error: (?P<message>.{1,400})",
        speaker=LOADER,
        samples=("python: symbol lookup error: /opt/env/lib/python3.10/site-packages/nvidia/cusparse/lib/libcusparse.so.12: undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12",),
        near=("symbol lookup took 1 ms",),
    ),
    _fact(
        "program-library-missing",
        anchor="error while loading shared libraries: ",
        form=r"error while loading shared libraries: (?P<library>[^\s:]{1,200}): (?P<message>.{1,300})",
        speaker=LOADER,
        samples=("/opt/env/bin/python3: error while loading shared libraries: libpython3.10.so.1.0: cannot open shared object file: No such file or directory",),
        near=("error while loading the shared folder",),
    ),
    _fact(
        "heap-corrupted",
        anchor="(): ",
        form=r"(?P<message>(?:free|malloc|realloc|munmap_chunk)\(\): (?:invalid|corrupted|unaligned|double free|mismatching|memory corruption)[^\n]{0,80})",
        samples=("free(): invalid pointer", "malloc(): unaligned tcache chunk detected", "munmap_chunk(): invalid pointer"),
        near=("free(): nothing to do",),
    ),
    _fact(
        "heap-damaged",
        anchor="corrupt",
        form=r"(?P<message>double free or corruption(?: \(\S{1,20}\))?|corrupted (?:size vs\. prev_size|double-linked list)[^\n]{0,40})",
        samples=("double free or corruption (!prev)", "corrupted size vs. prev_size", "corrupted double-linked list"),
        near=("the checkpoint is corrupted",),
    ),
    _fact(
        "assertion-failed",
        anchor="Assertion `",
        form=r"(?P<message>Assertion `.{1,300}?' failed)",
        samples=("python: ../nptl/pthread_mutex_lock.c:94: ___pthread_mutex_lock: Assertion `mutex->__data.__owner == 0' failed.",),
        near=("Assertion `x` holds",),
    ),
)  # fmt: skip
