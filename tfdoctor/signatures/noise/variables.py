"""Lines about an environment variable whose value its reader passes over: the program goes on as if it were not set."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import LOG, NOISE, Signature

_RUN = "run with 2.21.0, each variable once with a value that nobody knows (2026-11-23)"
_noise = partial(Signature, code="noise", role=NOISE, speaker=LOG, sources=(_RUN,))

SIGNATURES = (
    _noise(
        "variable-passed-over",
        anchor="ailed to parse the env-var ",
        form=r"\] (?:\w{1,60}: ){0,2}Failed to parse the env-var \$\{(?P<variable>\w{1,80})\} into bool: ",
        samples=("E0000 00:00:1795409895.997484    8374 process_state.cc:83] GetCPUAllocator: Failed to parse the env-var ${TF_CPU_ALLOCATOR_USE_BFC} into bool: maybe. Use the default value: 0",),
        near=("F0000 00:00:1795410181.315622   13438 determinism.cc:36] Check failed: tsl::ReadBoolFromEnvVar(env_var_, false, &env_var_set) is OK (INVALID_ARGUMENT: Failed to parse the env-var ${TF_DETERMINISTIC_OPS} into bool: maybe. Use the default value: 0) ",),
        why="TensorFlow works as if the variable that is named were not set; 1, 0, true and false are taken.",
        releases="2.21",
    ),
    _noise(
        "variable-not-true-or-false",
        anchor="environment variable is set but could not be parsed: ",
        form=r"The (?P<variable>\w{1,80}) environment variable is set but could not be parsed: ",
        samples=(
            'E0000 00:00:1795410390.104851   15769 gpu_bfc_allocator.cc:76] The TF_ENABLE_GPU_GARBAGE_COLLECTION environment variable is set but could not be parsed: "maybe". Valid values are "true" or "false". Using the default value "true".',
            'E0000 00:00:1795410499.672741   16785 gpu_bfc_allocator.cc:55] The TF_FORCE_GPU_ALLOW_GROWTH environment variable is set but could not be parsed: "1". Valid values are "true" or "false". Using original config value of false.',
        ),
        near=("The file is set but could not be parsed: x",),
        why="TensorFlow works as if the variable that is named were not set; this one takes true and false alone, not 1 and 0.",
        releases="2.4 to 2.21",
    ),
    _noise(
        "variable-of-zendnn",
        anchor=" is not set to either '0', 'false', '1', or 'true'",
        form=r"(?P<variable>TF_\w{1,80}) is not set to either '0', 'false', '1', or 'true'",
        samples=("W0000 00:00:1795410480.287966   16693 port.cc:175] TF_ENABLE_ZENDNN_OPTS is not set to either '0', 'false', '1', or 'true'. Using the default setting: false",),
        near=("the option is not set to either '0', 'false', '1', or 'true'",),
        why="TensorFlow works as if the variable that is named were not set.",
        releases="2.21",
    ),
    _noise(
        "variable-not-a-number",
        anchor="Invalid value for env-var ",
        form=r"Invalid value for env-var (?P<variable>\w{1,80}): ",
        samples=("W0000 00:00:1795410058.242179   10550 fft_ops.cc:646] Invalid value for env-var TF_CUFFT_WORKSPACE_LIMIT_IN_MB: maybe",),
        near=("Invalid value for env-var",),
        why="TensorFlow works as if the variable that is named were not set; it takes a number.",
        releases="2.21",
    ),
)  # fmt: skip
