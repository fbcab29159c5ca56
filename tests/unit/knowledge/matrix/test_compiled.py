"""The bundled JSON is the reviewed YAML, whole, and quick to load."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml

from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.knowledge.matrix.cells import Row
from tfdoctor.knowledge.matrix.load import BUNDLED, load_bundled
from tfdoctor.knowledge.matrix.query import Matrix

YAML = Path(__file__).parents[4] / "data" / "compat_matrix.yaml"


@pytest.fixture(scope="module")
def matrix() -> Matrix:
    return load_bundled()


def test_the_bundled_json_is_the_reviewed_yaml() -> None:
    """Where this fails: python -m tools.build.compile_matrix."""
    assert json.loads(BUNDLED.read_bytes()) == yaml.safe_load(YAML.read_text("utf-8"))


def test_loading_and_asking_imports_no_yaml_parser_and_no_network_library() -> None:
    program = (
        "import sys; from tfdoctor.knowledge.matrix.load import load_in_force; m = load_in_force(); m.release('2.21.0');"
        "print(sorted({'yaml', 'requests', 'packaging'} & set(sys.modules)))"
    )
    root = Path(__file__).parents[4]
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=root, check=True
    )
    assert answer.stdout.strip() == "[]"


def test_every_row_can_be_asked_for_and_cites_a_source_for_every_known_cell(matrix: Matrix) -> None:
    for row in matrix.rows:
        found = matrix.release(*row)
        assert isinstance(found, Known), row
        release = found.value
        assert (release.tensorflow, release.distribution, release.platform) == row
        for name in ("gpu", "python", "requires"):
            assert isinstance(getattr(release, name), Known), (row, name)
            assert release.sources[name].date
            assert release.sources[name].kind in ("artefact", "page")


def test_every_gpu_build_on_linux_has_all_that_decides_about_a_gpu(matrix: Matrix) -> None:
    decisive = (
        "cuda",
        "cudnn",
        "nccl",
        "sass",
        "ptx",
        "ptx_isa",
        "ptx_target",
        "sass_incomplete",
        "sonames",
        "glibc",
    )
    for release in matrix.releases("linux_x86_64", "tensorflow"):
        assert release.gpu == Known(True, str(release.sources["gpu"]))
        for name in decisive:
            assert isinstance(getattr(release, name), Known), (
                release.tensorflow,
                name,
                getattr(release, name),
            )


def test_builds_without_cuda_say_absent_and_never_unknown(matrix: Matrix) -> None:
    for release in matrix.releases("linux_aarch64", "tensorflow"):
        for name in ("cuda", "cudnn", "sass", "ptx_isa", "sonames"):
            assert isinstance(getattr(release, name), Absent), (release.tensorflow, name)


def test_gpu_builds_are_where_they_are_known_to_be(matrix: Matrix) -> None:
    gpu = Counter(
        row.platform
        for row in matrix.rows
        if row.distribution == "tensorflow" and matrix.release(*row).value.gpu.value  # type: ignore[union-attr]  # both are Known: held by the tests above
    )
    assert set(gpu) == {"linux_x86_64", "win_amd64"}
    windows = [
        row
        for row in matrix.rows
        if row.distribution == "tensorflow" and row.platform == "win_amd64"
    ]
    finals = [row.release for row in windows if _gpu(matrix, row) and "rc" not in row.release]
    newest = max(tuple(map(int, release.split(".")[:3])) for release in finals)
    assert newest == (2, 10, 1)


def _gpu(matrix: Matrix, row: Row) -> bool:
    found = matrix.release(*row)
    assert isinstance(found, Known)
    assert isinstance(found.value.gpu, Known)
    return found.value.gpu.value


def test_what_the_matrix_does_not_know_is_failed_and_says_so(matrix: Matrix) -> None:
    assert matrix.release("9.9.9") == Failed(
        "the matrix does not know tensorflow 9.9.9 on linux_x86_64", "unknown-to-matrix"
    )
    assert isinstance(matrix.release("2.17.0+nv25.01"), Failed)
    assert isinstance(matrix.release("2.21.0", "tensorflow", "macosx_x86_64"), Failed)
    assert isinstance(matrix.runtime_bounds("9.9.9")["numpy"], Failed)
    assert matrix.defects("9.9.9") == ()
    assert tuple(matrix.releases("freebsd_x86_64")) == ()
