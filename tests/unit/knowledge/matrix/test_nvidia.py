"""What NVIDIA's wheels hold: the table, and the questions to it."""

from __future__ import annotations

import pytest

from tfdoctor.facts.outcome import Known
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.model import NvidiaWheel

MATRIX = load_bundled()


def wheels_with(name: str) -> list[NvidiaWheel]:
    """The packages that bring a library (by soname) or a tool ("ptxas")."""
    return [
        each
        for each in MATRIX.nvidia_wheels
        if any(f"/{held}".endswith(f"/{name}") for held in each.holds)
    ]


@pytest.mark.parametrize(
    ("name", "packages"),
    [
        ("libcudnn.so.9", ["nvidia-cudnn-cu11>=9.0.0.312", "nvidia-cudnn-cu12>=9.0.0.312"]),
        (
            "libcudnn.so.8",
            ["nvidia-cudnn-cu11>=8.5.0.96,<9.0.0.312", "nvidia-cudnn-cu12>=8.8.0.121,<9.0.0.312"],
        ),
        ("libcublasLt.so.12", ["nvidia-cublas-cu12>=12.0.1.189"]),
        ("libcudart.so.11.0", ["nvidia-cuda-runtime-cu11>=11.7.99"]),
        ("ptxas", ["nvidia-cuda-nvcc-cu11>=11.7.99", "nvidia-cuda-nvcc-cu12>=12.0.76"]),
        ("libnosuch.so.1", []),
    ],
)
def test_which_packages_bring_a_library(name: str, packages: list[str]) -> None:
    assert [each.requirement for each in wheels_with(name)] == packages


def test_every_library_that_a_build_with_the_extra_opens_is_brought_by_a_package_of_the_extra() -> (
    None
):
    checked = False
    for release in MATRIX.releases("linux_x86_64", "tensorflow"):
        if isinstance(release.and_cuda, Known) and isinstance(release.sonames, Known):
            for soname in release.sonames.value:
                brought = {each.package for each in wheels_with(soname)}
                assert brought & set(release.and_cuda.value), (release.tensorflow, soname)
                checked = True
    assert checked
