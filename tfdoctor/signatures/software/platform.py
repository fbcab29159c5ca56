"""The system under TensorFlow: C and C++ library, the loader's tables, the processor."""

from __future__ import annotations

from tfdoctor.signatures.signature import LIKELY, LOADER, NATIVE, SHELL, Signature
from tfdoctor.signatures.sources import GLIBC, SEVERAL_FILES, WHEELS

SIGNATURES = (
    Signature(
        "glibc-version",
        "glibc-too-old",
        "GLIBC_2.",
        also=("GLIBC_ABI_",),
        form=r"(?:(?P<file>[^\s:]{1,400}): )?version [`'‘\"]?GLIBC_(?:(?P<wanted>2\.\d{1,3}(?:\.\d{1,3})?)|ABI_\w{1,20})['’\"]? not found(?: \(required by (?P<library>[^)\s]{1,400})\)?)?",
        speaker=LOADER,
        samples=(
            "ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.27' not found (required by /opt/env/lib/python3.10/site-packages/tensorflow/libtensorflow_cc.so.2)",
            "python: /lib64/libm.so.6: version `GLIBC_2.29' not found (required by /opt/app/libtensorflow_framework.so.2)",
            "ImportError: /lib/arm-linux-gnueabihf/libm.so.6: version 'GLIBC_2.29' not found (required by /home/pi/x.so)",
            "/opt/tool/lib/libc.so.6: version `GLIBC_ABI_DT_RELR' not found (required by /.singularity.d/libs/libGLX.so.0)",
        ),
        near=(
            "ImportError: /lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by x.so)",
            "checking for version `GLIBC_2.27' ... found",
        ),
        releases="glibc 2",
        sources=(GLIBC, SEVERAL_FILES, "apptainer/apptainer#2421 (2024-08)", "apptainer/apptainer#3041 (2025-07)"),
    ),
    Signature(
        "musl-loader",
        "glibc-too-old",
        "Error loading shared library ld-linux",
        speaker=LOADER,
        samples=(
            "Error loading shared library ld-linux-x86-64.so.2: No such file or directory (needed by /opt/env/lib/python3.11/site-packages/tensorflow/libtensorflow_framework.so.2)",
        ),
        near=("OSError: libc.musl-x86_64.so.1: cannot open shared object file: No such file or directory",),
        releases="Alpine Linux",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "musl-relocation",
        "glibc-too-old",
        ": symbol not found",
        form=r"Error relocating (?P<file>[^\s:]{1,400}): (?P<symbol>\w{1,200}): symbol not found",
        speaker=LOADER,
        samples=(
            "Error relocating /opt/env/lib/python3.11/site-packages/tensorflow/libtensorflow_framework.so.2: __memcpy_chk: symbol not found",
        ),
        near=("dyld: symbol not found in flat namespace",),
        releases="Alpine Linux",
    ),
    Signature(
        "glibcxx-version",
        "libstdcxx-too-old",
        "GLIBCXX_3.4",
        form=r"(?:(?P<file>[^\s:]{1,400}): )?version [`'‘\"]?(?P<wanted>GLIBCXX_3\.4[\d.]{0,12}?)['’\"]? not found(?: \(required by (?P<library>[^)\n]{1,400})\))?",
        speaker=LOADER,
        samples=(
            "ImportError: /opt/env/bin/../lib/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /opt/env/lib/python3.10/site-packages/scipy/_lib/_ccallback_c.so)",
        ),
        near=("ImportError: /lib64/libc.so.6: version `GLIBC_2.27' not found (required by x.so)",),
        releases="GCC 5 to 14",
        sources=(GLIBC, SEVERAL_FILES),
    ),
    Signature(
        "cxxabi-version",
        "libstdcxx-too-old",
        "version `CXXABI_1.3",
        form=r"(?:(?P<file>[^\s:]{1,400}): )?version `(?P<wanted>CXXABI_1\.3[\d.]{0,12})' not found(?: \(required by (?P<library>[^)\n]{1,400})\))?",
        speaker=LOADER,
        samples=(
            "OSError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `CXXABI_1.3.11' not found (required by ops.so)",
        ),
        near=("strings libstdc++.so.6 | grep 'version `CXXABI_1.3.11' is there",),
        releases="GCC 5 to 14",
        sources=(GLIBC, SEVERAL_FILES),
    ),
    Signature(
        "static-tls",
        "static-tls-exhausted",
        "cannot allocate memory in static TLS block",
        form=r"(?:(?P<library>[^\s:]{1,400}): )?cannot allocate memory in static TLS block",
        speaker=LOADER,
        samples=(
            "ImportError: /usr/lib/aarch64-linux-gnu/libgomp.so.1: cannot allocate memory in static TLS block",
            "OSError: /opt/env/lib/python3.8/site-packages/scikit_learn.libs/libgomp-d22c30c5.so.1.0.0: cannot allocate memory in static TLS block",
        ),
        near=("OSError: [Errno 12] Cannot allocate memory",),
        releases="glibc 2",
        sources=("keras-team/keras-tuner#317 (2020-06)", "dmlc/xgboost#8488 (2022-11)", "FederatedAI/FATE#4790 (2023-04)", GLIBC),
    ),
    Signature(
        "cpu-feature-guard-fatal",
        "foreign-architecture",
        "instructions, but these aren't available",
        form=r"compiled to use (?P<flag>[\w. ]{1,80}) instructions, but these aren't available",
        samples=(
            "2021-11-03 12:00:00.000000: F tensorflow/core/platform/cpu_feature_guard.cc:37] The TensorFlow library was compiled to use AVX instructions, but these aren't available on your machine.",
        ),
        near=(
            "I tensorflow/core/platform/cpu_feature_guard.cc:193] This TensorFlow binary is optimized to use available CPU instructions in performance-critical operations.",
        ),
        rivals=("cpu-instructions-missing",),
        decided_by=("host.machine", "interpreter.machine", "host.cpu_flags"),
        releases="1.6 to 2.21",
        sources=(WHEELS, SEVERAL_FILES),
    ),
    Signature(
        "qemu-signal",
        "foreign-architecture",
        "qemu: uncaught target signal",
        form=r"qemu: uncaught target signal (?P<signal>\d{1,2})",
        speaker=NATIVE,
        samples=(
            "qemu: uncaught target signal 6 (Aborted) - core dumped",
            "qemu: uncaught target signal 4 (Illegal instruction) - core dumped",
        ),
        near=("qemu: unsupported syscall: 335",),
        releases="qemu-user",
        sources=(SEVERAL_FILES,),
    ),
    Signature(
        "exec-format",
        "foreign-architecture",
        "xec format error",
        form=r"[Ee]xec format error",
        speaker=SHELL,
        sure=LIKELY,
        rivals=("command-not-started",),
        decided_by=("interpreter.machine",),
        near=("the exec format is unknown",),
        sources=(SEVERAL_FILES,),
        samples=("exec /usr/local/bin/python: exec format error", "standard_init_linux.go:228: exec user process caused: exec format error", "bash: ./python: cannot execute binary file: Exec format error", "OSError: [Errno 8] Exec format error: '/opt/env/bin/python'"),
    ),
)  # fmt: skip
