"""Around a bus error: frames in which a library is being opened, and words of programs that work as several processes."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

_LOADING = Expression(
    r"^(?:<module>|preload_check|load_dynamic|_load_library|load_library|create_module|__init__) "
)
"""Functions in which Python or TensorFlow opens a library: a file that was cut off dies there."""
_SEVERAL = Expression(
    r"(?i)horovod|\bnccl\b|mpirun|\[1,\d{1,4}\]|DataLoader|ForkPool|multiprocessing|\bray\b"
)


def is_loading(frame: str) -> bool:
    """Of a frame as an ending holds it, "function (file:line)"."""
    return bool(_LOADING.compiled.match(frame))


def names_several(text: str) -> bool:
    return bool(_SEVERAL.compiled.search(text))
