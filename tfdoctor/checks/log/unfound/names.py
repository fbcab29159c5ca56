"""File names of CUDA's libraries: the part that stays, the number, and how several are named in a sentence."""

from __future__ import annotations

from collections.abc import Iterable

from tfdoctor.light.expressions import Expression  # reads no log: names of libraries

_STEM = Expression(r"(?:lib)?(?P<stem>[A-Za-z]+?)(?:64)?[_.-]?(?:so\b|\d|dll)")
_MAJOR = Expression(r"(?:\.so\.|64_)(?P<major>\d{1,3})")
TOOLKIT = ("cudart", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusparse")
_MOST = 3


def stem(library: str) -> str:
    """ "libcudart.so.11.0" and "cudart64_110.dll" are both "cudart"."""
    found = _STEM.match(library)
    return found["stem"] if found else library


def major(library: str) -> str:
    """The number behind .so, which tells of the interface: "8" of libcudnn.so.8.1.0; "" for a name without one."""
    found = _MAJOR.search(library)
    return found["major"] if found else ""


def same(library: str, other: str) -> bool:
    """Whether `other` answers to the name `library` ("libcudnn.so.8" and "libcudnn.so.8.1.0")."""
    return stem(library) == stem(other) and major(other) in (major(library), "")


def in_a_sentence(libraries: Iterable[str]) -> str:
    every = tuple(libraries)
    shown = every if len(every) <= _MOST else every[: _MOST - 1]
    more = [f"{len(every) - len(shown)} more"] if len(every) > len(shown) else []
    words = [*shown, *more]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
