"""Arbitrary facts for property tests: every fact known, absent or failed, values of the types that the model states.

Text is drawn half from words that checks look for, so that their branches are reached, half from anywhere.
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Union, get_args, get_origin

from hypothesis import strategies as st

from tfdoctor.base.records import is_record, names, replace
from tfdoctor.facts.codec import hints as hints_of
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, AnyFact, Failed, Kind, Known
from tfdoctor.facts.versions import Release

WORDS = (
    "linux", "windows", "macos", "x86_64", "aarch64", "arm64", "i686", "riscv64", "tensorflow", "tensorflow-cpu", "tf-nightly",
    "2.21.0", "2.16.2", "2.9.1", "1.15.5", "2.22.0rc0", "2.17.0+nv25.1", "3.11.7", "3.14.0", "3.7", "0", "1.2.3.4.5", "not-a-version",
    ">=1.26,<2", "~=2.4", "==0.2.0", "!=0.5.0", "===broken", "<", "numpy", "protobuf", "keras", "tf-keras", "ml-dtypes", "setuptools",
    "tensorboard", "tensorflow-metal", "h5py", "pip", "conda", "venv", "system", "glibc 2.17", "glibc", "musl 1.2", "2.35", "8.6", "12.0",
    "550.54.15", "470.57.02", "12.5.1", "9.3.0", "libcudart.so.12", "libcudnn.so.9", "/usr/lib/wsl/lib/libcuda.so.1", "/dev/nvidia0",
    "cp311-cp311-manylinux_2_27_x86_64", "cp312-cp312-win_amd64", "py3-none-any", "avx", "avx2", "exit", "signal", "timeout",
    "memory-bound", "not-ended", "CPU:0", "GPU:0", "passed", "failed", "wrong", "matmul-float32", "nvidia", "amd", "docker", "kubernetes",
    "slurm", "MemoryError", "_ARRAY_API not found", "Check failed: x", "No module named 'tensorflow.compat'", "file too short",
    "version `GLIBC_2.27' not found", "PYTHONPATH", "working folder", "and-cuda", "", "--python", "default", "python3.11",
)  # fmt: skip
NAMES = (
    "TF_USE_LEGACY_KERAS",
    "CUDA_VISIBLE_DEVICES",
    "NVIDIA_VISIBLE_DEVICES",
    "LD_LIBRARY_PATH",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "XLA_FLAGS",
    "PATH",
)
texts = st.one_of(st.sampled_from(WORDS), st.text(max_size=12))
releases = st.one_of(
    st.sampled_from([word for word in WORDS if re.fullmatch(r"[0-9]+(\.[0-9]+)*", word)]),
    st.lists(st.integers(0, 999), min_size=1, max_size=5).map(
        lambda numbers: ".".join(map(str, numbers))
    ),
)
kinds = st.sampled_from(get_args(Kind))


def facts() -> st.SearchStrategy[Facts]:
    return record(Facts)


def disturbed(machines: Sequence[Callable[[], Facts]]) -> st.SearchStrategy[Facts]:
    """What one of these gives, with up to six facts replaced by arbitrary ones."""
    changes = st.lists(st.sampled_from(sorted(_OUTCOMES)), max_size=6, unique=True).flatmap(
        lambda paths: st.fixed_dictionaries({path: _OUTCOMES[path] for path in paths})
    )
    return st.builds(
        lambda machine, changed: _laid_over(machine(), changed),
        st.sampled_from(machines),
        changes,
    )


def _laid_over(machine: Facts, changed: dict[str, AnyFact]) -> Facts:
    for path, fact in changed.items():
        group, name = path.split(".")
        machine = replace(machine, **{group: replace(getattr(machine, group), **{name: fact})})
    return machine


@cache
def record(kind: Any) -> st.SearchStrategy[Any]:
    hints = hints_of(kind)
    return st.builds(kind, **{name: of(hints[name]) for name in names(kind)})


def of(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type of the model."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        known = next(option for option in get_args(hint) if get_origin(option) is Known)
        return outcome(of(get_args(known)[0]))
    if origin is tuple:
        return st.lists(of(get_args(hint)[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(st.sampled_from(NAMES), texts, max_size=3)
    if isinstance(hint, type) and issubclass(hint, Release):
        return releases.map(hint)
    return record(hint) if isinstance(hint, type) and is_record(hint) else plain(hint)


def plain(hint: type) -> st.SearchStrategy[Any]:
    if hint is bool:
        return st.booleans()
    if hint is int:
        return st.one_of(
            st.integers(-1, 12), st.integers(0, 1 << 40), st.sampled_from((34, 100, 803, 804, 999))
        )
    if hint is float:
        return st.floats(0, 1e6, allow_nan=False)
    return texts


def outcome(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(Known, values, st.just("hypothesis")),
        st.builds(Known, values, st.just("hypothesis")),
        st.builds(Absent, st.just("there is none")),
        st.builds(Failed, texts, kinds),
    )


_OUTCOMES = {
    f"{group}.{name}": of(hint)
    for group in names(Facts)
    for name, hint in hints_of(hints_of(Facts)[group]).items()
}
