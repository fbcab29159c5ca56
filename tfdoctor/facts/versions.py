"""Version numbers that look alike and must not be compared with each other.

A driver release (535.104.05), a CUDA release (12.5.1), a cuDNN release (9.3.0) and a compute capability (8.6)
are four kinds of number. Each is a class of its own: ordering works inside a kind; across kinds it raises.
"""

from __future__ import annotations

import re
from functools import lru_cache, total_ordering
from typing import ClassVar, TypeVar

from tfdoctor.base.records import record
from tfdoctor.facts.codec import InvalidValueError
from tfdoctor.facts.outcome import Fact, Failed, Known

V = TypeVar("V", bound="Release")
R = TypeVar("R", bound="Release")
_NUMBERS = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18}){0,15}")  # bounded: texts come from anywhere


class NoReleaseError(InvalidValueError):
    """A text that is no version of its kind; the message has the text."""


@lru_cache(maxsize=4096)  # the matrix compares the same few versions thousands of times
def _numbers(text: str) -> tuple[int, ...]:
    numbers = [int(part) for part in text.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


@total_ordering
@record(eq=False)
class Release:
    """Numbers separated by dots. Missing trailing numbers count as 0 when compared; `text` is kept as written."""

    text: str
    kind: ClassVar[str] = "release"

    def __post_init__(self) -> None:
        if not _NUMBERS.fullmatch(self.text):
            raise NoReleaseError(f"{self.text!r} isn't a {self.kind}")

    @classmethod
    def parse(cls: type[V], text: str) -> V:
        """Reads "12.5.1"; surrounding blanks are ignored. Raises NoReleaseError for anything else."""
        return cls(text.strip())

    def as_kind(self, kind: type[R]) -> R:
        """The same numbers as another kind, for whoever knows what has this version."""
        return kind(self.text)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers without trailing zeros, so that 12.0 equals 12."""
        return _numbers(self.text)

    @property
    def major(self) -> int:
        return self.numbers[0]

    @property
    def minor(self) -> int:
        return self.numbers[1] if len(self.numbers) > 1 else 0

    def _same_kind(self, other: object) -> Release:
        if type(other) is not type(self):
            raise TypeError(f"a {self.kind} can't be compared with {other!r}")
        return other

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.numbers == other.numbers

    def __lt__(self, other: object) -> bool:
        return self.numbers < self._same_kind(other).numbers

    def __hash__(self) -> int:
        return hash((self.kind, self.numbers))

    def __str__(self) -> str:
        return self.text


@record(eq=False)
class DriverRelease(Release):
    """An NVIDIA driver: "535.104.05" on Linux, "537.70" on Windows. nvidia-smi shows it as "Driver Version"."""

    kind: ClassVar[str] = "driver release"


@record(eq=False)
class CudaRelease(Release):
    """A CUDA toolkit: "12.5.1". nvidia-smi's "CUDA Version" is the newest that the driver offers, not an installed one."""

    kind: ClassVar[str] = "CUDA release"

    @classmethod
    def from_integer(cls, number: int) -> CudaRelease:
        """From the driver API's integer: 12050 is 12.5 (cuDriverGetVersion, CUDA Driver API reference)."""
        return cls(f"{number // 1000}.{number % 1000 // 10}")


@record(eq=False)
class CudnnRelease(Release):
    """A cuDNN library: "9.3.0"."""

    kind: ClassVar[str] = "cuDNN release"

    @classmethod
    def from_integer(cls, number: int) -> CudnnRelease:
        """From cudnnGetVersion(): 8907 is 8.9.7 up to major 8; 90300 is 9.3.0 from 9 on (cudnn_version.h)."""
        if number >= 10_000:
            return cls(f"{number // 10_000}.{number % 10_000 // 100}.{number % 100}")
        return cls(f"{number // 1000}.{number % 1000 // 100}.{number % 100}")


@record(eq=False)
class LibraryRelease(Release):
    """Any shared library: "12.9.1.4". What it counts depends on the library (`as_kind`)."""

    kind: ClassVar[str] = "library release"


@record(eq=False)
class ComputeCapability(Release):
    """A GPU's architecture: "8.6". A binary for X.y runs on X.z with z >= y and never on another major."""

    kind: ClassVar[str] = "compute capability"

    def runs_binary_for(self, built: ComputeCapability) -> bool:
        return self.major == built.major and self.minor >= built.minor


@record(eq=False)
class GlibcRelease(Release):
    """The C library of a Linux system: "2.36"."""

    kind: ClassVar[str] = "glibc release"


@record(eq=False)
class PtxRelease(Release):
    """The version of the PTX language ("8.5"), which a driver must know to compile it."""

    kind: ClassVar[str] = "PTX release"


@record(eq=False)
class PythonRelease(Release):
    """A Python interpreter: "3.11.7"."""

    kind: ClassVar[str] = "Python release"

    @property
    def feature(self) -> str:
        """ "3.11" for 3.11.7: the part that a wheel's tag speaks of."""
        return f"{self.major}.{self.minor}"


def read_release(kind: type[V], text: str, source: str) -> Fact[V]:
    """What a source writes as a version of this kind; Failed with the text where it is none."""
    try:
        return Known(kind.parse(text), source)
    except NoReleaseError as error:
        return Failed(f"{source}: {error}", "unreadable")
