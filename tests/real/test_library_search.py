"""Where TensorFlow's search for the real CUDA libraries leads: into a damaged copy, and past a folder that it forgets."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.driver.simulated import SimulatedDriver
from tests.real.command import check, fix_commands, typed
from tests.real.environments import site_packages

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.xdist_group("tensorflow-cuda"),
]

CUT_TO = 3_000_000  # bytes, of 280 MB


def test_a_damaged_library_first_on_the_path_of_a_simulated_gpu(
    tensorflow_cuda_python: Path, tmp_path: Path
) -> None:
    """As a copy to a full disk leaves it. The wheel's own, later in the search, is whole: nothing needs to be installed."""
    nvidia = site_packages(tensorflow_cuda_python) / "nvidia"
    (tmp_path / "old").mkdir()
    with (nvidia / "cufft" / "lib" / "libcufft.so.11").open("rb") as whole:
        (tmp_path / "old" / "libcufft.so.11").write_bytes(whole.read(CUT_TO))
    driver = SimulatedDriver(tmp_path / "lib")
    folders = [
        str(each) for each in (tmp_path / "old", nvidia / "cusolver" / "lib", tmp_path / "lib")
    ]
    env = {**driver.environment(), "LD_LIBRARY_PATH": ":".join(folders)}
    run = check(tensorflow_cuda_python, env=env)
    assert (run.report["verdict"], run.roots) == ("broken", ["cuda-libraries-unreachable"]), (
        run.report["smoke"],
        run.report["findings"],
    )
    assert str(tmp_path / "old") in run.finding("cuda-libraries-unreachable")["explanation"]
    after = typed(*fix_commands(run, "cuda-libraries-unreachable"), env=env)
    assert after["LD_LIBRARY_PATH"] == ":".join(folders[1:])
    again = check(tensorflow_cuda_python, "--smoke", "driver", env=after)
    assert (again.roots, "cuda-libraries-unreachable" in again.codes) == ([], False), again.report[
        "summary"
    ]


def test_the_folder_that_2_21_forgets_is_a_note_on_a_machine_without_a_gpu(
    tensorflow_cuda_python: Path,
) -> None:
    run = check(tensorflow_cuda_python)
    assert (run.roots, run.report["verdict"]) == ([], "healthy"), run.report["summary"]
    note = run.finding("cuda-libraries-unreachable")
    assert (note["role"], note["severity"]) == ("note", "info")
    assert "libcusolver.so.11" in note["explanation"]
    folder = str(site_packages(tensorflow_cuda_python) / "nvidia" / "cusolver" / "lib")
    env = typed(*fix_commands(run, "cuda-libraries-unreachable"), env=os.environ)
    assert env["LD_LIBRARY_PATH"] == folder
    assert (
        "cuda-libraries-unreachable"
        not in check(tensorflow_cuda_python, "--smoke", "none", env=env).codes
    )
