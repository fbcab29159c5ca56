"""Names of environment variables that people misspell."""

from __future__ import annotations


def _plain(name: str) -> str:
    return name.upper().replace("_", "").rstrip("S")


_MISSPELT = {
    _plain(name): name
    for name in (
        "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "TF_FORCE_GPU_ALLOW_GROWTH", "TF_CPP_MIN_LOG_LEVEL",
        "TF_GPU_ALLOCATOR", "TF_ENABLE_ONEDNN_OPTS", "TF_USE_LEGACY_KERAS", "XLA_FLAGS", "KERAS_BACKEND", "LD_LIBRARY_PATH",
    )
}  # fmt: skip


def meant_by(name: str) -> str:
    """The variable whose name this is but for underscores, capitals and an S at the end; "" for any other."""
    meant = _MISSPELT.get(_plain(name), "")
    return meant if meant != name else ""
