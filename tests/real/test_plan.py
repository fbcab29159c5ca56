"""What `plan` prints, run unedited by a shell, gives an environment that `check` finds healthy (simulated driver)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.driver.scenario import GIB, Gpu, Scenario
from tests.driver.simulated import DRIVER, SimulatedDriver

pytestmark = [pytest.mark.slow, pytest.mark.real, pytest.mark.xdist_group("plan")]

V100 = Gpu(name="Tesla V100-SXM2-16GB", compute_capability="7.0", memory_total=16 * GIB)
INSTALL_LIMIT_S = 900
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


def tfdoctor(*arguments: str, environ: dict[str, str] | None = None) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tfdoctor", *arguments],
        capture_output=True, text=True, timeout=120, env={**os.environ, **(environ or {})}, check=False,
    )  # fmt: skip
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def run_unedited(commands: list[str], folder: Path) -> None:
    """As a person would paste them, in a folder of their own, with this Python found by its name."""
    path = f"{Path(sys.executable).resolve().parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(commands)], cwd=folder, env={**os.environ, "PATH": path},
        capture_output=True, text=True, timeout=INSTALL_LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def test_the_best_option_for_a_v100_is_healthy_on_a_simulated_driver(tmp_path: Path) -> None:
    made = tfdoctor("plan", "--gpu", "V100", "--driver", "535.104", "--python", PYTHON, "--json")
    best = made["options"][0]
    try:
        run_unedited(best["install"], tmp_path)
        driver = SimulatedDriver(
            tmp_path / "driver", Scenario(gpus=(V100,), driver_version="535.104.05", cuda_version=12020), libraries=DRIVER
        )
        python = tmp_path / f"tensorflow-{best['tensorflow']}" / "bin" / "python"
        report = tfdoctor(
            "check", "--python", str(python), "--smoke", "none", "--json", environ=driver.environment()
        )
    finally:
        shutil.rmtree(tmp_path / f"tensorflow-{best['tensorflow']}", ignore_errors=True)
    assert report["verdict"] == "healthy", report["summary"]
