"""What NVIDIA's wheels hold: the table, the questions to it, and its proof."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest

from tests.unit.matrix.wheels import Site
from tfdoctor.facts.outcome import Known
from tfdoctor.harvest.index import Index
from tfdoctor.harvest.nvidia_verify import verify_nvidia
from tfdoctor.matrix import load_bundled
from tfdoctor.matrix.nvidia import holding

MATRIX = load_bundled()


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
    assert [each.requirement for each in MATRIX.wheels_with(name)] == packages


def test_every_library_that_a_build_with_the_extra_opens_is_brought_by_a_package_of_the_extra() -> None:
    checked = False
    for release in MATRIX.releases("linux_x86_64", "tensorflow"):
        if isinstance(release.and_cuda, Known) and isinstance(release.sonames, Known):
            for soname in release.sonames.value:
                brought = {each.package for each in MATRIX.wheels_with(soname)}
                assert brought & set(release.and_cuda.value), (release.tensorflow, soname)
                checked = True
    assert checked


def test_only_what_is_looked_for_by_name_counts() -> None:
    found = holding(
        [
            "nvidia/__init__.py",
            "nvidia/cudnn/lib/libcudnn.so.9",
            "nvidia/cudnn/lib/libcudnn_ops.so.9",
            "nvidia/cudnn/include/cudnn.h",
        ]
    )
    assert found == ("nvidia/cudnn/lib", ["libcudnn.so.9"])


def served(*libraries: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for library in libraries:
            archive.writestr(f"nvidia/cudnn/lib/{library}", "x")
    return made.getvalue()


TABLE: dict[str, Any] = {
    "nvidia-cudnn-cu12": {
        "folder": "nvidia/cudnn/lib",
        "holds": {"8.9.0.1": ["libcudnn.so.8"], "9.0.0.1": ["libcudnn.so.9"]},
    }
}


def name(version: str) -> str:
    return f"nvidia_cudnn_cu12-{version}-py3-none-manylinux1_x86_64.whl"


def test_a_table_that_says_what_the_wheels_hold_has_no_difference(site: Site) -> None:
    site.wheels = {name("8.9.0.1"): served("libcudnn.so.8"), name("9.0.0.1"): served("libcudnn.so.9")}
    site.wheels[name("9.50.0.1")] = served("libcudnn.so.9", "libcudnn_new.so.9")
    assert verify_nvidia(Index(), TABLE) == (3, [])


def test_a_newer_wheel_that_holds_something_else_is_found(site: Site) -> None:
    site.wheels = {name("8.9.0.1"): served("libcudnn.so.8"), name("9.0.0.1"): served("libcudnn.so.9")}
    site.wheels[name("10.0.0.1")] = served("libcudnn.so.10")
    compared, differences = verify_nvidia(Index(), TABLE)
    assert compared == 3
    assert [each.row.release for each in differences] == ["10.0.0.1"]


def test_a_span_that_begins_with_no_wheel_is_found(site: Site) -> None:
    site.wheels = {name("9.0.0.1"): served("libcudnn.so.9")}
    _, differences = verify_nvidia(Index(), TABLE)
    assert [str(each) for each in differences] == [
        "nvidia-cudnn-cu12 8.9.0.1 on linux_x86_64: wheels: matrix has this version, published no wheel"
    ]
