"""The libraries stage with NVIDIA's real libraries from the [and-cuda] wheels; no GPU is needed to open them."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.real.environments import site_packages
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.smoke.ladder import run_libraries_stage
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import CudaLibraries, Facts, Interpreter
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.smoke_values import OpenedLibrary

pytestmark = [pytest.mark.nightly, pytest.mark.real, pytest.mark.slow]

NEEDED = (
    "libcudart.so.12", "libcublas.so.12", "libcublasLt.so.12", "libcufft.so.11", "libcusolver.so.11",
    "libcusparse.so.12", "libcudnn.so.9", "libnccl.so.2",
)  # fmt: skip
FOLDERS = ("nccl", "cublas", "cudnn", "cufft", "cusparse", "cuda_runtime")


def opened(python: Path, scratch: Path, folders: tuple[str, ...]) -> dict[str, OpenedLibrary]:
    runpath = tuple(str(site_packages(python) / "nvidia" / folder / "lib") for folder in folders)
    facts = Facts(
        interpreter=Interpreter(executable=Known(str(python), "t")),
        cuda_libraries=CudaLibraries(runpath=Known(runpath, "t")),
    )
    request = Request(system=System(environ={"PATH": os.environ["PATH"]}))
    fact, _ = run_libraries_stage(request, facts, scratch, NEEDED, time.monotonic() + 60)
    assert isinstance(fact, Known)
    return {item.soname: item for item in fact.value.libraries}


def test_the_real_libraries_open_and_tell_their_versions(
    tensorflow_cuda_python: Path, tmp_path: Path
) -> None:
    found = opened(tensorflow_cuda_python, tmp_path, (*FOLDERS, "cusolver"))
    assert {name for name, item in found.items() if not item.opened} == set(), found
    versions = {name: item.version for name, item in found.items()}
    assert all(isinstance(version, Known) for version in versions.values()), versions
    cudnn = versions["libcudnn.so.9"]
    assert isinstance(cudnn, Known) and cudnn.value.major == 9


def test_the_folder_that_the_runpath_of_2_21_lacks_is_missed(
    tensorflow_cuda_python: Path, tmp_path: Path
) -> None:
    found = opened(tensorflow_cuda_python, tmp_path, FOLDERS)
    assert [name for name, item in found.items() if not item.opened] == ["libcusolver.so.11"]
    assert "cannot open shared object file" in found["libcusolver.so.11"].error
