"""Environment variables whose value ends the program that reads them."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import LOG, Signature

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
)  # fmt: skip
