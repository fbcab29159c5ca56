"""What lint says of requirements, beside what uv makes of them on the package index: docs/accuracy.md has this table. Needs the network."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.fixes.resolver import UV
from tfdoctor.ask.builds.files import read
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.wheels.index import index_address
from tfdoctor.report.lint import lint

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.usefixtures("reachable_index"),
]

REFUSED = """
3.12 python-unsupported    tensorflow==2.15.0
3.11 python-unsupported    tensorflow==2.10.0 numpy<2
3.14 python-unsupported    tensorflow==2.20.0
3.12 python-unsupported    tensorflow-gpu
3.12 keras-mismatch        tensorflow==2.21.0 keras==2.15.0
3.12 keras-mismatch        tensorflow==2.18.0 tf-keras==2.16.0
3.12 protobuf-incompatible tensorflow==2.21.0 protobuf==4.25.3
3.12 numpy-abi-mismatch    tensorflow==2.20.0 numpy==1.24.4
3.11 numpy-abi-mismatch    tensorflow==2.15.1 numpy==2.0.0
"""
TAKEN = """
3.10 numpy-abi-mismatch  tensorflow==2.10.0 protobuf<3.20       | numpy==2 tensorflow==2.10.0
3.12 tensorflow-missing  tensorflow-cuda13==0.0.1rc1            | tensorflow-cuda13==0.0.1rc1
3.12 and-cuda-extra-lost tensorflow[cuda12]==2.21.0             | tensorflow==2.21.0
3.11 keras-legacy-needed tensorflow==2.16.1 tensorflow-addons==0.23.0 | keras==3
"""
"""Behind the line what is among the packages that uv takes: none of NVIDIA's, and of the second row that one alone."""
SILENT = """
3.9  tensorflow==2.10.0 protobuf<3.20 scipy==1.7.3      | numpy==1.
3.11 tensorflow==2.14.1 protobuf<4.25 pandas==2.1.4     | numpy==1.
3.12 tensorflow==2.18.1 transformers==4.48.2 tf-keras   | tf-keras==2.18
"""
"""What looks like a fault and is none."""


def taken(python: str, packages: list[str]) -> list[str] | None:
    """As "name==version"; None where the resolver refuses."""
    words = [
        str(UV),
        "pip",
        "compile",
        "--no-config",
        "--quiet",
        "--no-header",
        "--no-annotate",
        "--only-binary",
        ":all:",
    ]
    words += ["--default-index", index_address(), "--python-version", python, "--python-platform", "x86_64-manylinux_2_28", "-"]  # fmt: skip
    environ = {name: value for name, value in os.environ.items() if not name.startswith("UV_") or name == "UV_CACHE_DIR"}  # fmt: skip
    ran = subprocess.run(words, input="\n".join(packages), env=environ, capture_output=True, text=True, check=False)  # fmt: skip
    assert ran.returncode == 0 or "No solution found" in ran.stderr, ran.stderr
    return ran.stdout.splitlines() if ran.returncode == 0 else None


def codes(folder: Path, python: str, packages: list[str]) -> set[str]:
    (folder / "requirements.txt").write_text("\n".join(packages), encoding="utf-8")
    return {each.code for each in lint(read([str(folder)]), load_bundled(), python=python).findings}


@pytest.mark.parametrize("row", REFUSED.strip().splitlines())
def test_what_lint_finds_the_resolver_refuses(row: str, tmp_path: Path) -> None:
    python, code, *packages = row.split()
    assert code in codes(tmp_path, python, packages)
    assert taken(python, packages) is None


@pytest.mark.parametrize("row", TAKEN.strip().splitlines())
def test_what_lint_finds_and_the_resolver_takes_is_what_lint_says_of_it(
    row: str, tmp_path: Path
) -> None:
    asked, _, among = row.partition("|")
    python, code, *packages = asked.split()
    assert code in codes(tmp_path, python, packages)
    found = taken(python, packages)
    assert found is not None
    assert all(any(each.startswith(one) for each in found) for one in among.split()), found
    assert not any(each.startswith("nvidia-") for each in found)
    assert code != "tensorflow-missing" or len(found) == 1


@pytest.mark.parametrize("row", SILENT.strip().splitlines())
def test_of_what_lint_is_silent_about_the_resolver_takes_what_works(
    row: str, tmp_path: Path
) -> None:
    asked, _, among = row.partition("|")
    python, *packages = asked.split()
    assert codes(tmp_path, python, packages) == set()
    found = taken(python, packages)
    assert found is not None
    assert any(each.startswith(among.strip()) for each in found), found


def test_there_is_no_wheel_for_musl(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(
        "FROM python:3.12-alpine\nRUN pip install tensorflow==2.21.0\n"
    )
    assert {each.code for each in lint(read([str(tmp_path)]), load_bundled()).findings} == {
        "glibc-too-old"
    }
    words = [str(UV), "pip", "compile", "--no-config", "--quiet", "--only-binary", ":all:", "--python-version", "3.12", "--python-platform", "x86_64-unknown-linux-musl", "-"]  # fmt: skip
    ran = subprocess.run(
        words, input="tensorflow==2.21.0", capture_output=True, text=True, check=False
    )
    assert "No solution found" in ran.stderr, ran.stderr
