"""What follows from what, for codes that show only in a program's output or in the way it ends.

A check declares its own (`explains=` at its decorator); these hold for every command that meets such a code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

HOW_IT_ENDED = frozenset(
    {"python-exception", "check-failed", "native-crash", "jupyter-kernel-died", "exited-nonzero", "worker-lost", "other-program-failed", "installer-stopped", "smoke-tensorflow-failed"}
)  # fmt: skip
"""They say how a program ended and not why: any cause explains them, also a warning and a rule of thumb."""

_KILLS = ("host-oom-killed", "container-oom-killed", "scheduler-killed")
_OUT_OF_GPU_MEMORY = ("gpu-out-of-memory", "gpu-library-no-memory", "gpu-dataset-on-device")

EDGES: Mapping[str, frozenset[str]] = {
    code: frozenset(effects)
    for code, effects in {
        "gpu-memory-held": (*_OUT_OF_GPU_MEMORY, "gpu-memory-fragmented"),
        "gpu-preallocation-clash": (*_OUT_OF_GPU_MEMORY, "gpu-memory-held"),
        "gpu-memory-fragmented": ("gpu-out-of-memory",),
        "gpu-dataset-on-device": ("gpu-out-of-memory",),
        "gpu-out-of-memory": ("cuda-context-poisoned", "gpu-library-no-memory"),
        "gpu-hardware-fault": ("cuda-context-poisoned", "nccl-failed", "worker-lost", "driver-unresponsive", "gpu-busy-exclusive"),
        "custom-op-mismatch": ("cuda-context-poisoned",),
        "cudnn-bug": ("cuda-context-poisoned",),
        "gpu-too-new-for-build": ("cuda-context-poisoned", "gpu-library-no-memory", "ptx-jit-slow-start", "ptxas-too-old"),
        "compute-capability-too-low": ("cuda-context-poisoned", "gpu-library-no-memory"),
        "driver-too-old-for-ptx": ("gpu-too-new-for-build", "cuda-context-poisoned", "ptx-jit-slow-start"),
        "driver-too-old": ("gpu-library-no-memory", "cuda-context-poisoned"),
        "driver-versions-differ": ("gpu-library-no-memory", "driver-module-not-loaded"),
        "cudnn-version-mismatch": ("gpu-library-no-memory", "cudnn-incomplete"),
        "cudnn-incomplete": ("gpu-library-no-memory", "cudnn-version-mismatch"),
        "cuda-libraries-missing": ("gpu-library-no-memory", "cudnn-version-mismatch"),
        "cuda-libraries-mixed": ("cuda-libraries-missing", "cuda-libraries-wrong-version"),
        "cuda-libraries-wrong-version": ("cuda-libraries-missing",),
        "cuda-libraries-unreachable": ("cuda-libraries-missing",),
        "wsl-driver-shadowed": ("cudnn-incomplete", "driver-library-unreachable"),
        "fork-after-init": ("cuda-context-poisoned", "stalled"),
        "cuda-context-poisoned": ("gpu-library-no-memory", "worker-lost", "nccl-failed"),
        "shared-memory-too-small": ("nccl-failed", "native-crash", "worker-lost"),
        "nccl-failed": ("worker-lost",),
        "shuffle-buffer-too-large": (*_KILLS, "host-memory-exhausted", "killed-by-user"),
        "host-memory-leak": (*_KILLS, "host-memory-exhausted", "killed-by-user"),
        "retracing-memory-growth": (*_KILLS, "host-memory-exhausted", "killed-by-user"),
        "wsl-memory-limit": ("host-oom-killed", "killed-by-user"),
        "container-oom-killed": ("host-oom-killed", "killed-by-user", "worker-lost"),
        "scheduler-killed": ("host-oom-killed", "container-oom-killed", "killed-by-user", "worker-lost"),
        "host-oom-killed": ("killed-by-user", "worker-lost", "container-oom-killed"),
        "killed-by-user": ("worker-lost",),
        "threads-exhausted": ("fork-after-init",),
        "windows-pagefile-too-small": ("windows-dll-init-failed", "windows-runtime-missing"),
        "windows-dll-init-failed": ("windows-runtime-missing", "tensorflow-install-broken"),
        "windows-runtime-missing": ("tensorflow-install-broken",),
        "windows-cudnn-dll-missing": ("cudnn-version-mismatch", "cuda-libraries-missing"),
        "cpu-instructions-missing": ("tensorflow-install-broken",),
        "numpy-abi-mismatch": ("tensorflow-install-broken", "dependency-mismatch"),
        "protobuf-incompatible": ("tensorflow-install-broken", "dependency-mismatch"),
        "windows-long-path": ("tensorflow-missing", "tensorflow-install-broken"),
        "python-unsupported": ("tensorflow-missing",),
        "python-exception": ("other-program-failed",),
        "other-program-failed": ("exited-nonzero", "jupyter-kernel-died", "worker-lost"),
        "installer-stopped": ("exited-nonzero", "python-exception"),
    }.items()
}  # fmt: skip


def with_edges(explains: Mapping[str, frozenset[str]], codes: Iterable[str]) -> dict[str, frozenset[str]]:
    """`explains` with what is declared here, for these codes."""
    none: frozenset[str] = frozenset()
    return {code: explains.get(code, none) | EDGES.get(code, none) for code in codes}
