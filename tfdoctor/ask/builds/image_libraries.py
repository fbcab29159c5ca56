"""Which CUDA libraries a base image brings, by its tag: the libraries that this TensorFlow opens are there, in another version, or not."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, value_or
from tfdoctor.facts.values import Library
from tfdoctor.facts.versions import CudaRelease
from tfdoctor.knowledge.matrix.model import Release
from tfdoctor.knowledge.matrix.query import Matrix

_FOLDER = "/usr/local/cuda/lib64"
_UNREAD = Failed("an image that was not opened", "not-asked")
_OLDEST_OF_ONE_KIND = 11
"""From CUDA 11 on the minor releases of a major have the same libraries, but for libcusolver between 11.0 and 11.1. 10.0 and 10.1
have none in common (release notes of CUDA 10.1 and 11.1)."""


def libraries(row: Release, image: Mapping[str, str], matrix: Matrix) -> Fact[tuple[Library, ...]]:
    """One for each library that TensorFlow opens. Failed where the image's are not known."""
    held = _held(image, matrix)
    if not isinstance(held, Known) or not isinstance(row.sonames, Known):
        return (
            held if isinstance(held, Failed) else Failed("its libraries are not known", "not-asked")
        )
    return Known(tuple(_library(soname, held.value) for soname in row.sonames.value), held.source)


def _library(soname: str, held: tuple[str, ...]) -> Library:
    """As the loader would find it in an image with these libraries."""
    if soname in held:
        return Library(
            soname, Known(f"{_FOLDER}/{soname}", "the base image"), "ld.so.cache", _UNREAD
        )
    stem = soname.partition(".so.")[0]
    others = tuple(f"{_FOLDER}/{each}" for each in held if each.partition(".so.")[0] == stem)
    return Library(
        soname, Absent("the base image does not bring it"), "", _UNREAD, other_versions=others
    )


def _held(image: Mapping[str, str], matrix: Matrix) -> Fact[tuple[str, ...]]:
    if "cuda" in image:
        return _of_nvidia(image, matrix)
    if "tensorflow" in image and image.get("gpu") == "yes":
        return _of_tensorflow(image["tensorflow"], matrix)
    return _UNREAD


def _of_nvidia(image: Mapping[str, str], matrix: Matrix) -> Fact[tuple[str, ...]]:
    cuda = CudaRelease(image["cuda"])
    rows = _of_one_kind(cuda, matrix)
    if not rows:
        return _UNREAD
    by_stem: dict[str, str] = {}
    for soname in (soname for row in rows for soname in value_or(row.sonames, ())):
        by_stem.setdefault(soname.partition(".so.")[0], soname)
    own = tuple(each for each in by_stem.values() if not each.startswith("libcudnn."))
    if image["flavor"] == "base":
        return Known(
            tuple(each for each in own if each.startswith("libcudart.")),
            "the tag of the base image",
        )
    if "cudnn" not in image:
        return Known(own, "the tag of the base image")
    return Known(
        (*own, f"libcudnn.so.{image['cudnn'] or _CUDNN_WITHOUT_NUMBER}"),
        "the tag of the base image",
    )


_CUDNN_WITHOUT_NUMBER = "9"
"""Tags say `-cudnn-` without a number since CUDA 12.4.1, and hold cuDNN 9 (NVIDIA's Dockerfiles: 9.1 to 9.7; 2026-11-29)."""


def _of_one_kind(cuda: CudaRelease, matrix: Matrix) -> list[Release]:
    """The releases whose CUDA has the same libraries: those of this minor first, or of the next one that is known."""
    rows = [
        each
        for each in matrix.releases()
        if isinstance(each.cuda, Known) and each.cuda.value.major == cuda.major
    ]
    if cuda.major < _OLDEST_OF_ONE_KIND:
        return [each for each in rows if value_or(each.cuda, cuda).minor == cuda.minor]
    return sorted(
        rows,
        key=lambda each: (
            value_or(each.cuda, cuda).minor < cuda.minor,
            value_or(each.cuda, cuda).minor,
        ),
    )


def _of_tensorflow(version: str, matrix: Matrix) -> Fact[tuple[str, ...]]:
    """The official image holds what its own release opens, but for a known defect."""
    row = matrix.release(version)
    if not isinstance(row, Known):
        return _UNREAD
    lacks = any(each.kind == "image-lacks-cudnn" for each in matrix.defects(version))
    own = value_or(row.value.sonames, ())
    return Known(
        tuple(each for each in own if not (lacks and each.startswith("libcudnn."))),
        "the tag of the base image",
    )
