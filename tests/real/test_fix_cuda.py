"""`tfdoctor fix` where NVIDIA's wheels are of two CUDA majors: real wheels, a simulated GPU, and the undo to the byte."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.real.command import clone, doctor
from tests.real.environments import environment, install
from tests.real.test_mixed_libraries import CUDNN, CUDNN_13
from tests.unit.apps.repair.standin import picture

pytestmark = [pytest.mark.nightly, pytest.mark.real, pytest.mark.slow]


def test_cudnn_for_13_over_the_one_for_12_is_fixed_and_undone_on_a_simulated_gpu(
    tmp_path: Path,
) -> None:
    python = clone(environment("tensorflow==2.21.0"), tmp_path / "environment")
    for each in (CUDNN, CUDNN_13):
        install(python, each, options=("--no-deps", "--reinstall"))
    others = [name for name in EVERYTHING if not name.startswith("libcudnn")]
    env = {
        **SimulatedDriver(tmp_path / "lib", libraries=others).environment(),
        "XDG_STATE_HOME": str(tmp_path / "state"), "UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv")),
    }  # fmt: skip
    env = {name: value for name, value in env.items() if not name.startswith("PIP_")}
    before = picture(python.parent.parent)
    words = ("fix", "cuda-libraries-mixed", "--python", python, "--yes", "--json")
    done = doctor(*words, env=env, cwd=tmp_path, limit_s=900)
    entry = json.loads(done.stdout)
    assert (done.status, entry["state"]) == (0, "kept"), (done, entry["reason"])
    assert "cuda-libraries-mixed" in entry["before"]["codes"]
    assert "cuda-libraries-mixed" not in entry["after"]["codes"]
    assert doctor("fix", "--undo", env=env, cwd=tmp_path).status == 0
    assert picture(python.parent.parent) == before
