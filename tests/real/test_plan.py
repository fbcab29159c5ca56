"""What `plan` prints, run unedited by a shell, gives an environment that `check` finds healthy (simulated driver)."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.driver.scenario import GIB, Gpu, Scenario
from tests.driver.simulated import DRIVER, SimulatedDriver
from tests.fixes.resolver import complaint
from tests.needs import OTHER_PYTHON
from tests.real.environments import interpreter

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slow,
    pytest.mark.real,
    pytest.mark.xdist_group("plan"),
]

INSTALL_LIMIT_S = 900
OWN = f"{sys.version_info.major}.{sys.version_info.minor}"


@dataclass(frozen=True)
class Wanted:
    """What the user types, and the simulated machine that is like it."""

    gpu: str
    driver: str
    python: str
    like: Gpu
    scenario_driver: tuple[str, int]


CASES = (
    Wanted(
        "V100", "535.104", "3.12",
        Gpu(name="Tesla V100-SXM2-16GB", compute_capability="7.0", memory_total=16 * GIB), ("535.104.05", 12020),
    ),
    Wanted(
        "GeForce RTX 3090", "470.57.02", "3.10",
        Gpu(name="NVIDIA GeForce RTX 3090", compute_capability="8.6", memory_total=24 * GIB), ("470.57.02", 11040),
    ),
    Wanted(
        "12.0", "580.95", OWN,
        Gpu(name="NVIDIA GeForce RTX 5090", compute_capability="12.0", memory_total=32 * GIB), ("580.95.05", 13000),
    ),
)  # fmt: skip
EVERY = os.environ.get("TFDOCTOR_PLANS") == "all"
"""`make plans`: each installs some gigabytes, for which a run of all tests has no time."""


def tfdoctor(*arguments: str, environ: dict[str, str] | None = None) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tfdoctor", *arguments],
        capture_output=True, text=True, timeout=120, env={**os.environ, **(environ or {})}, check=False,
    )  # fmt: skip
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def folder_of(python: str) -> Path:
    program = interpreter(python)
    return program.parent if program else pytest.skip(OTHER_PYTHON)


def run_unedited(commands: list[str], folder: Path, python: str) -> None:
    """As a person would paste them, in a folder of their own, with the Python found by its name."""
    environ = {**os.environ, "PATH": f"{folder_of(python)}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(commands)], cwd=folder, env=environ,
        capture_output=True, text=True, timeout=INSTALL_LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


def asked(wanted: Wanted) -> list[str]:
    return ["--gpu", wanted.gpu, "--driver", wanted.driver, "--python", wanted.python]


@pytest.mark.parametrize("wanted", CASES, ids=lambda wanted: wanted.gpu.replace(" ", "-"))
def test_what_the_best_option_installs_can_be_resolved(wanted: Wanted) -> None:
    commands: list[str] = tfdoctor("plan", *asked(wanted), "--json")["options"][0]["install"]
    lines = [
        each.partition(" -m pip install ")[2] for each in commands if " -m pip install " in each
    ]
    assert lines
    for line in lines:
        assert complaint((tuple(shlex.split(line)), wanted.python, "x86_64-manylinux_2_28")) == ""


def is_healthy_on_a_simulated_driver(wanted: Wanted, tmp_path: Path) -> None:
    best = tfdoctor("plan", *asked(wanted), "--json")["options"][0]
    version, cuda = wanted.scenario_driver
    driver = SimulatedDriver(
        tmp_path / "driver",
        Scenario(gpus=(wanted.like,), driver_version=version, cuda_version=cuda),
        libraries=DRIVER,
    )
    made = tmp_path / f"tensorflow-{best['tensorflow']}"
    try:
        run_unedited(best["install"], tmp_path, wanted.python)
        told = ["--python", str(made / "bin" / "python"), "--smoke", "none", "--json"]
        report = tfdoctor("check", *told, environ=driver.environment())
    finally:
        shutil.rmtree(made, ignore_errors=True)
    assert report["verdict"] == "healthy", report["summary"]


if EVERY:  # not skipped, for a skipped test has failed where all must work

    @pytest.mark.parametrize("wanted", CASES, ids=lambda wanted: wanted.gpu.replace(" ", "-"))
    def test_the_best_option_is_healthy_on_a_simulated_driver(
        wanted: Wanted, tmp_path: Path
    ) -> None:
        is_healthy_on_a_simulated_driver(wanted, tmp_path)


def test_the_requirements_file_installs_a_tensorflow_that_works(tmp_path: Path) -> None:
    """On the CPU: what differs with a GPU is resolved below."""
    words = ["plan", "--gpu", "none", "--python", OWN, "-o", str(tmp_path / "requirements.txt")]
    subprocess.run([sys.executable, "-m", "tfdoctor", *words], check=True, timeout=120)
    run_unedited(
        [f"python{OWN} -m venv made", "made/bin/python -m pip install -r requirements.txt"],
        tmp_path,
        OWN,
    )
    report = tfdoctor("check", "--python", str(tmp_path / "made"), "--json")
    assert report["verdict"] == "healthy", report["summary"]
    shutil.rmtree(tmp_path / "made")


def test_the_uv_project_syncs_to_a_tensorflow_that_works(tmp_path: Path) -> None:
    words = ["plan", "--gpu", "none", "--python", OWN, "-o", str(tmp_path / "pyproject.toml")]
    subprocess.run([sys.executable, "-m", "tfdoctor", *words], check=True, timeout=120)
    uv(tmp_path, OWN, "sync", "--quiet")
    report = tfdoctor("check", "--python", str(tmp_path / ".venv"), "--json")
    assert report["verdict"] == "healthy", report["summary"]
    shutil.rmtree(tmp_path / ".venv")


@pytest.mark.parametrize("wanted", CASES, ids=lambda wanted: wanted.gpu.replace(" ", "-"))
def test_the_uv_project_can_be_locked(wanted: Wanted, tmp_path: Path) -> None:
    words = ["plan", *asked(wanted), "-o", str(tmp_path / "pyproject.toml")]
    subprocess.run(
        [sys.executable, "-m", "tfdoctor", *words],
        check=True,
        timeout=120,
        stderr=subprocess.DEVNULL,
    )
    uv(tmp_path, wanted.python, "lock", "--quiet")
    assert "nvidia-cudnn-cu1" in (tmp_path / "uv.lock").read_text("utf-8")


def uv(folder: Path, python: str, *words: str) -> None:
    environ = {**os.environ, "PATH": f"{folder_of(python)}:{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-m", "uv", *words], cwd=folder, env=environ,
        capture_output=True, text=True, timeout=INSTALL_LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
