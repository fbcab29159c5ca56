"""Environment variables whose value ends the program that reads them."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LOG, Signature

_RUN = "run with 2.21.0, each variable once with a value that nobody knows (2026-11-23)"
_refused = partial(Signature, code="environment-variable-refused", rivals=("check-failed",), speaker=LOG)

SIGNATURES = (
    _refused(
        "flags-unknown",
        anchor="nknown flag",
        form=r"Unknown flags? in (?P<variable>\w{1,40}): (?P<flag>--\S{1,200})",
        samples=(
            "2024-11-04 12:00:00.000000: F external/local_xla/xla/parse_flags_from_env.cc:226] Unknown flag in XLA_FLAGS: --xla_gpu_enable_x=true",
            "F0621 23:40:04.690244 1244448 parse_flags_from_env.cc:234] Unknown flags in XLA_FLAGS: --xla_gpu_no_such_flag=1",
            "F tensorflow/compiler/xla/parse_flags_from_env.cc:221] Unknown flags in TF_XLA_FLAGS: --tf_xla_force_host_platform_device_count=8",
        ),
        near=("FATAL Flags parsing error: Unknown command line flag 'model_dir'", "Unknown flag in config.ini: x"),
        releases="2.4 to 2.21",
        sources=("google-research/proteinfer#87 (2025-10)", "tensorflow/tensorflow#76717 (2024-09)", "run with 2.20.0 (2026-11-22)"),
    ),
    _refused(
        "flags-file",
        anchor="to read flags for environment variable ",
        form=r'Could not open file "(?P<value>[^"]{1,300})" to read flags for environment variable "(?P<variable>\w{1,40})"',
        samples=(
            '2026-11-22 11:29:56.222294: F external/local_xla/xla/parse_flags_from_env.cc:171] Could not open file "tf_xla_auto_jit=2" to read flags for environment variable "TF_XLA_FLAGS". (We assumed "tf_xla_auto_jit=2" was a file name because it did not start with a "--".)',
        ),
        near=("read flags for environment variable XLA_FLAGS",),
        releases="2.20",
        sources=("run with 2.20.0 (2026-11-22)",),
    ),
    _refused(
        "variable-not-parsed",
        anchor="ailed to parse the env-var ",
        form=r"FromEnvVar\(.{1,200}Failed to parse the env-var \$\{(?P<variable>\w{1,80})\} into (?P<wanted>\w{1,10}): (?P<value>[^\n]{0,80}?)\. Use the default",
        samples=(
            "F0000 00:00:1795410181.315622   13438 determinism.cc:36] Check failed: tsl::ReadBoolFromEnvVar(env_var_, false, &env_var_set) is OK (INVALID_ARGUMENT: Failed to parse the env-var ${TF_DETERMINISTIC_OPS} into bool: yes. Use the default value: 0) ",
            "2023-03-01 12:00:00.000000: F tensorflow/core/util/determinism.cc:36] Non-OK-status: tensorflow::ReadBoolFromEnvVar(env_var_, false, &env_var_set) status: INVALID_ARGUMENT: Failed to parse the env-var ${TF_DETERMINISTIC_OPS} into bool: on. Use the default value: 0",
        ),
        near=("E0000 00:00:1795409895.997484    8374 process_state.cc:83] GetCPUAllocator: Failed to parse the env-var ${TF_CPU_ALLOCATOR_USE_BFC} into bool: maybe. Use the default value: 0",),
        releases="2.21",
        sources=(_RUN,),
    ),
    _refused(
        "variable-unknown-option",
        anchor="Unknown option for environment variable ",
        form=r"Unknown option for environment variable (?P<variable>\w{1,60}) (?P<value>\S{0,80}) should be one of \{(?P<wanted>[^}\n]{1,200})\}",
        samples=("F0000 00:00:1795409970.321876    8809 cuda_context.cc:56] Unknown option for environment variable TF_CUDA_PLATFORM_GPU_DEVICE_SCHEDULE maybe should be one of {blocking_sync, spin, yield}",),
        near=("Unknown option for environment variable FOO",),
        releases="2.21",
        sources=(_RUN,),
    ),
    _refused(
        "host-memory-limit-not-parsed",
        anchor="ailed to parse the env-var ",
        form=r"Failed to parse the env-var \$\{(?P<variable>TF_GPU_HOST_MEM_LIMIT_IN_MB)\} into (?P<wanted>int64): (?P<value>[^\n]{0,80}?)\. Use the default",
        samples=("E0000 00:00:1795410694.752290   19755 gpu_process_state.cc:356] GetGpuHostAllocator: Failed to parse the env-var ${TF_GPU_HOST_MEM_LIMIT_IN_MB} into int64: maybe. Use the default value: 131072",),
        near=("E0000 00:00:1795409895.997484    8374 process_state.cc:83] GetCPUAllocator: Failed to parse the env-var ${TF_CPU_ALLOCATOR_USE_BFC} into bool: maybe. Use the default value: 0",),
        releases="2.21, which then has no pinned memory at all and ends with ResourceExhaustedError by gpu_host_bfc",
        sources=(_RUN,),
    ),
    _refused(
        "gpu-thread-mode",
        anchor="Invalid gpu_thread_mode: ",
        form=r"Invalid gpu_thread_mode: (?P<value>\S{1,60})",
        samples=("tensorflow.python.framework.errors_impl.InvalidArgumentError: Invalid gpu_thread_mode: maybe",),
        near=("gpu_thread_mode: gpu_private",),
        speaker=EXCEPTION,
        releases="2.21",
        sources=(_RUN,),
    ),
)  # fmt: skip
