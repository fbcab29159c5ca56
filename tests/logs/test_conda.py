"""conda's answers where it finds no set of packages: the Python that it keeps, a file of another system, a package that is nowhere."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.findings.model import Finding

_TREE = "LibMambaUnsatisfiableError: Encountered problems while solving:"


def _found(*lines: str) -> Finding:
    return judged(log(lines)).roots[0].finding


def test_a_python_that_is_kept_and_has_no_build() -> None:
    found = _found(
        _TREE,
        "  - package cvnn-0.3.40-py_0 requires tensorflow >=2.0, but none of the providers can be installed",
        "├─ cvnn is installable and it requires",
        "│  └─ tensorflow >=2.0  with the potential options",
        "│     ├─ tensorflow [2.0.0|2.1.0] would require",
        "│     │  └─ python 3.10.* , which can be installed;",
        "└─ pin-1 is not installable because it requires",
        "   └─ python 3.11.* , which conflicts with any installable versions previously reported.",
    )
    assert (
        found.title
        == "conda has no build of tensorflow for Python 3.11, which this environment has: only for 3.10."
    )
    assert "python=3.10 cvnn" in found.fixes[0].commands[0]


def test_a_python_that_is_kept_and_is_not_what_excludes() -> None:
    found = _found(
        _TREE,
        "├─ pin-1 is installable and it requires",
        "│  └─ python 3.9.* , which can be installed;",
        "├─ spyder is installable with the potential options",
        "└─ tensorflow-gpu is not installable because there are no viable options",
        "   ├─ tensorflow-gpu 2.1.0 would require",
        "   │  └─ python 3.7.* , which conflicts with any installable versions previously reported;",
    )
    assert (found.code, found.title) == (
        "dependency-mismatch",
        "conda finds no tensorflow-gpu that fits beside what this environment already has (Python 3.9, spyder).",
    )
    assert "tensorflow-gpu" in found.fixes[0].commands[0]


@pytest.mark.parametrize(
    ("specs", "system"),
    [
        (("appnope=0.1.0", "libcxx=4.0.1"), "macOS"),
        (("python==3.7.9=h60c2a47_0", "vc==14.2=h21ff451_1", "setuptools==52.0.0=py37haa95532_0"), "Windows"),
        (("libgcc-ng==7.2.0=hdf63c60_3", "libstdcxx-ng==7.2.0=hdf63c60_3", "python==3.6.5=hc3d631a_2"), "Linux"),
        (("setuptools==52.0.0=py37h06a4308_0",), "Linux"),
    ],
)  # fmt: skip
def test_a_file_of_another_system(specs: tuple[str, ...], system: str) -> None:
    found = _found(
        "Solving environment: failed", "", "ResolvePackageNotFound: ", *(f"  - {each}" for each in specs)
    )
    assert found.title.startswith(f"The environment's file was exported on {system}")
    assert found.fixes[0].commands[-1] == "conda env create --file environment-here.yml"


def test_builds_that_are_gone() -> None:
    found = _found("ResolvePackageNotFound:", "  - zlib==1.2.11=ha838bed_2")
    assert (
        found.title
        == "The environment's file names exact builds: they do not exist for this system, or no longer (zlib)."
    )


def test_a_package_that_is_nowhere_is_no_conflict() -> None:
    found = _found("ResolvePackageNotFound:", "  - cudnn", "  - cudatoolkit=11.2")
    assert found.title == "cudnn, cudatoolkit are not in conda's channels for this system."
    assert "conda search" in found.fixes[0].commands[0]


def test_a_list_of_something_else_is_not_read() -> None:
    found = _found(
        "UnsatisfiableError: The following specifications were found to be in conflict:", "  - libcxx=4.0.1"
    )
    assert "exported" not in found.title


@pytest.mark.parametrize(
    ("spec", "own", "title", "first"),
    [
        ("  - tensorflow==1.13.1 -> python[version='>=2.7,<2.8.0a0|>=3.7,<3.8.0a0|>=3.6,<3.7.0a0']", "python=3.8.5", "tensorflow 1.13.1 for Python 3.8, which this environment has: only for 3.6 to 3.7.", 'python=3.7 "tensorflow==1.13.1"'),
        (" **- tensorflow-base -> python[version='3.6.*|3.7.*']**", "python=3.8**", "tensorflow for Python 3.8, which this environment has: only for 3.6 to 3.7.", 'python=3.7 "tensorflow"'),
    ],
)  # fmt: skip
def test_the_older_condas_list_of_pythons(spec: str, own: str, title: str, first: str) -> None:
    found = _found(
        "UnsatisfiableError: The following specifications were found",
        "to be incompatible with the existing python installation in your environment:",
        "",
        spec,
        "",
        f"Your python: {own}",
    )
    assert (found.code, found.title) == ("python-unsupported", f"conda has no build of {title}")
    assert first in found.fixes[0].commands[0]


def test_alpine_has_no_files_for_poetry_either() -> None:
    found = _found(
        "FROM python:3.10-alpine",
        "  Unable to find installation candidates for tensorflow-io-gcs-filesystem (0.26.0)",
    )
    assert found.title == "tensorflow-io-gcs-filesystem 0.26.0 has no file for Alpine Linux."
    assert "slim" in found.fixes[0].commands[0]
