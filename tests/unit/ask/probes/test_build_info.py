"""What TensorFlow was built with, what it covers and what asked for its extra, read from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.ask.probes.fake_environments import (
    CUDA_CONFIG,
    TENSORFLOW_FILES,
    add_distribution,
    add_tensorflow,
    facts_of,
    make_venv,
    request_for,
    site_of,
)
from tfdoctor.ask.probes.tensorflow import tensorflow
from tfdoctor.ask.probes.tensorflow.build_info import capabilities, read_build
from tfdoctor.facts.model import TensorFlow
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import TensorFlowBuild
from tfdoctor.facts.versions import ComputeCapability, CudaRelease, CudnnRelease


@pytest.fixture(autouse=True)
def _empty_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "working").mkdir()
    monkeypatch.chdir(tmp_path / "working")


def ask(*folders: Path) -> TensorFlow:
    return tensorflow.ask(request_for(), facts_of(*folders))


def build_of(folder: Path) -> TensorFlowBuild:
    build = read_build(folder)
    assert isinstance(build, Known), build
    return build.value


def test_the_headers_are_truer_than_build_info(tmp_path: Path) -> None:
    add_tensorflow(tmp_path)
    gpus = tmp_path / "tensorflow/include/third_party/gpus"
    (gpus / "cuda").mkdir(parents=True)
    (gpus / "cuda/cuda_config.h").write_text(CUDA_CONFIG.replace("12.5.1", "12.9.0"))
    (gpus / "cudnn/include").mkdir(parents=True)
    (gpus / "cudnn/include/cudnn_version.h").write_text(
        "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 3\n#define CUDNN_PATCHLEVEL 0\n"
    )
    build = build_of(tmp_path / "tensorflow")
    assert build.cuda == Known(CudaRelease("12.9.0"), "cuda_config.h")
    assert build.cudnn == Known(CudnnRelease("9.3.0"), "cudnn_version.h")
    assert list(map(str, build.sass)) == ["6.0", "8.9"]
    assert list(map(str, build.ptx)) == ["9.0"]
    assert isinstance(build.rocm, Absent)
    assert isinstance(build.nccl, Failed)


@pytest.mark.parametrize(
    ("text", "cuda", "cudnn"),
    [
        (
            "is_cuda_build = True\ncuda_version_number = '10.1'\ncudnn_version_number = '7'\n",
            "10.1",
            "7",
        ),
        (
            "build_info = {'is_cuda_build': True, 'cuda_version': '64_112', 'cudnn_version': '64_8'}\n",
            "11.2",
            None,
        ),
        ("is_cuda_build = False\nis_rocm_build = False\n", None, None),
    ],
)
def test_older_forms_of_build_info(
    tmp_path: Path, text: str, cuda: str | None, cudnn: str | None
) -> None:
    path = tmp_path / "python/platform/build_info.py"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    build = build_of(tmp_path)
    assert build.cuda == (
        Known(CudaRelease(cuda), "build_info.py")
        if cuda
        else Absent("built without CUDA (is_cuda_build is False)")
    )
    if cudnn:
        assert build.cudnn == Known(CudnnRelease(cudnn), "build_info.py")


@pytest.mark.parametrize(
    "content", [b"", b"raise SystemExit\n", b"def (\n", bytes(range(256)), b"(" * 5000]
)
def test_a_build_info_that_says_nothing_claims_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "python/platform/build_info.py"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    build = read_build(tmp_path)
    assert isinstance(build, Failed) or (
        isinstance(build, Known) and isinstance(build.value.cuda, Failed)
    )


def texts(found: tuple[tuple[ComputeCapability, ...], ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(str, each)) for each in found)


def test_capabilities() -> None:
    assert texts(capabilities(["sm_50", "sm_90a", "sm_100", "compute_120"])) == (
        ("5.0", "9.0", "10.0"),
        ("12.0",),
    )
    assert texts(capabilities(["3.5", "7.0"])) == (("3.5", "7.0"), ("3.5", "7.0"))
    assert texts(capabilities((), CUDA_CONFIG)) == (("6.0", "8.9"), ("9.0",))
    assert capabilities(None) == ((), ())


def test_the_cover_of_tensorflow_core(tmp_path: Path) -> None:
    files = {"tensorflow/__init__.py": "from tensorflow_core import *\n"}
    files |= {
        path.replace("tensorflow/", "tensorflow_core/", 1): text
        for path, text in TENSORFLOW_FILES.items()
    }
    add_distribution(tmp_path, "tensorflow", "2.21.0", files)
    group = ask(tmp_path)
    assert isinstance(group.build, Known)
    assert isinstance(group.build.value.cuda, Known)
    assert isinstance(group.version, Known)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "numpy\ntensorflow[and-cuda]==2.21.0\n"),
        ("pyproject.toml", '[project]\ndependencies = ["tensorflow[and-cuda]>=2.20"]\n'),
        ("uv.lock", 'dependencies = [\n    { name = "tensorflow", extra = ["and-cuda"] },\n]\n'),
        ("Pipfile", '[packages]\ntensorflow = {version = "*", extras = ["and-cuda"]}\n'),
    ],
)
def test_a_projects_file_shows_that_the_extra_was_asked_for(
    tmp_path: Path, name: str, text: str
) -> None:
    venv = make_venv(tmp_path / ".venv")
    add_tensorflow(site_of(venv))
    (tmp_path / name).write_text(text)
    group = tensorflow.ask(request_for(), facts_of(site_of(venv), prefix=venv))
    assert group.requested_extra_cuda == Known(True, str(tmp_path / name))


def test_nothing_shows_the_extra(tmp_path: Path) -> None:
    venv = make_venv(tmp_path / ".venv")
    add_tensorflow(site_of(venv))
    (tmp_path / "requirements.txt").write_text("tensorflow\nsomething[and-cuda]\n")
    group = tensorflow.ask(request_for(), facts_of(site_of(venv), prefix=venv))
    assert isinstance(group.requested_extra_cuda, Absent)


def test_an_installed_project_that_requires_the_extra_shows_it(tmp_path: Path) -> None:
    add_tensorflow(tmp_path)
    folder = add_distribution(
        tmp_path, "my-model", "1.0", metadata="Requires-Dist: tensorflow[and-cuda]>=2.20"
    )
    assert ask(tmp_path).requested_extra_cuda == Known(True, str(folder))


def test_plugins(tmp_path: Path) -> None:
    add_tensorflow(tmp_path)
    add_distribution(tmp_path, "tensorflow-metal", "1.2.0")
    (tmp_path / "tensorflow-plugins").mkdir()
    (tmp_path / "tensorflow-plugins" / "libmetal_plugin.dylib").touch()
    assert ask(tmp_path).plugins == Known(("tensorflow-metal", "libmetal_plugin.dylib"), "sys.path")
