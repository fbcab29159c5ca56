"""`tfdoctor fix` where NVIDIA's wheels are lost or of two CUDA majors: real wheels, a simulated GPU, and the undo to the byte."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.real.command import by_shell, clone, doctor
from tests.real.environments import environment, install
from tests.real.test_mixed_libraries import CUDNN, CUDNN_13, CUDNN_OF_TORCH
from tests.unit.apps.repair.standin import picture

pytestmark = [pytest.mark.nightly, pytest.mark.real, pytest.mark.slow]
BROKEN = {
    "cuda-libraries-mixed": ((CUDNN, CUDNN_13), ""),
    "cuda-libraries-missing": ((CUDNN, CUDNN_13), "nvidia-cudnn-cu13"),
    "cudnn-too-old": ((CUDNN_OF_TORCH,), ""),
}
"""The code: what is installed in turn, and what is removed then."""


@pytest.mark.parametrize("code", BROKEN)
def test_it_is_fixed_and_undone_on_a_simulated_gpu(tmp_path: Path, code: str) -> None:
    python = clone(environment("tensorflow==2.21.0"), tmp_path / "environment")
    installed, removed = BROKEN[code]
    for each in installed:
        install(python, each, options=("--no-deps", "--reinstall"))
    if removed:
        by_shell(f"{python} -m pip uninstall --yes {removed}")
    others = [name for name in EVERYTHING if not name.startswith("libcudnn")]
    env = {
        **SimulatedDriver(tmp_path / "lib", libraries=others).environment(),
        "XDG_STATE_HOME": str(tmp_path / "state"), "UV_CACHE_DIR": os.environ.get("UV_CACHE_DIR", str(Path.home() / ".cache" / "uv")),
    }  # fmt: skip
    env = {name: value for name, value in env.items() if not name.startswith("PIP_")}
    before = picture(python.parent.parent)
    done = doctor("fix", code, "--python", python, "--yes", "--json", env=env, cwd=tmp_path, limit_s=900)
    entry = json.loads(done.stdout)
    assert (done.status, entry["state"]) == (0, "kept"), (done, entry)
    assert code in entry["before"]["codes"] and code not in entry["after"]["codes"]
    assert doctor("fix", "--undo", env=env, cwd=tmp_path).status == 0
    assert picture(python.parent.parent) == before
