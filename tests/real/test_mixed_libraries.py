"""NVIDIA's wheels for two CUDA majors in one environment, as torch or JAX beside TensorFlow bring them.

The wheels are the real ones. The GPU is simulated, and so are the other CUDA libraries, which saves 2 GB of wheels.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.real.command import Run, by_shell, check, clone, fix_commands
from tests.real.environments import EVERY_REPAIR, environment, install, site_packages

pytestmark = [pytest.mark.nightly, pytest.mark.real, pytest.mark.slow]

CUDNN = "nvidia-cudnn-cu12==9.28.0.42"
CUDNN_13 = "nvidia-cudnn-cu13==9.28.0.42"
"""The same version for CUDA 13, and so the same libcudnn.so.9: only the parts beside it differ."""
CUDNN_OF_TORCH = "nvidia-cudnn-cu12==9.1.0.70"
"""What torch 2.5.1 and 2.6.0 require (Requires-Dist of their wheels for Linux, read 2026-11-20)."""


@pytest.fixture
def python(tmp_path: Path) -> Path:
    made = clone(environment("tensorflow==2.21.0"), tmp_path / "environment")
    install(made, CUDNN, options=("--no-deps",))
    return made


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    """A GPU and all CUDA libraries but cuDNN."""
    others = [name for name in EVERYTHING if not name.startswith("libcudnn")]
    return SimulatedDriver(tmp_path / "lib", libraries=others).environment()


def ask(python: Path, env: dict[str, str]) -> Run:
    """As far as the driver stage: no real cuDNN starts on a simulated driver."""
    return check(python, "--smoke", "driver", env=env)


def faults(run: Run) -> list[str]:
    """A machine may have no CUDA toolkit, and these environments have no nvcc."""
    return [code for code in run.roots if code != "libdevice-missing"]


def test_cudnn_for_13_over_the_one_for_12_on_a_simulated_gpu(
    python: Path, env: dict[str, str]
) -> None:
    assert faults(ask(python, env)) == []
    for nth in (0, 1) if EVERY_REPAIR else (0,):
        install(python, CUDNN_13, options=("--no-deps", "--reinstall"))
        run = ask(python, env)
        assert (run.report["verdict"], faults(run)) == ("broken", ["cuda-libraries-mixed"]), (
            run.report["summary"]
        )
        told = run.finding("cuda-libraries-mixed")["explanation"]
        assert "nvidia-cudnn-cu13 9.28.0.42 over nvidia-cudnn-cu12 9.28.0.42" in told
        by_shell(*fix_commands(run, "cuda-libraries-mixed", nth=nth), env=env)
        after = ask(python, env)
        assert (faults(after), "cuda-libraries-mixed" in after.codes) == ([], False), after.report[
            "summary"
        ]


def test_removing_the_one_for_13_takes_the_files_along_on_a_simulated_gpu(
    python: Path, env: dict[str, str]
) -> None:
    """pip then calls TensorFlow's requirement satisfied and would install nothing."""
    install(python, CUDNN_13, options=("--no-deps",))
    by_shell(f"{python} -m pip uninstall --yes nvidia-cudnn-cu13")
    assert not (site_packages(python) / "nvidia" / "cudnn" / "lib" / "libcudnn.so.9").exists()
    run = ask(python, env)
    assert (run.report["verdict"], faults(run)) == ("broken", ["cuda-libraries-missing"]), (
        run.report["summary"]
    )
    assert f"{CUDNN} is listed as installed" in run.finding("cuda-libraries-missing")["explanation"]
    by_shell(*fix_commands(run, "cuda-libraries-missing"), env=env)
    after = ask(python, env)
    assert (faults(after), "cuda-libraries-missing" in after.codes) == ([], False), after.report[
        "summary"
    ]


def test_the_older_cudnn_that_torch_asks_for_on_a_simulated_gpu(
    python: Path, env: dict[str, str]
) -> None:
    """torch 2.5 and 2.6 pin it, and pip then takes the newer one of TensorFlow's away."""
    install(python, CUDNN_OF_TORCH, options=("--no-deps",))
    run = ask(python, env)
    assert (run.report["verdict"], faults(run)) == ("broken", ["cudnn-version-mismatch"]), (
        run.report["summary"]
    )
    assert "9.1.0" in run.finding("cudnn-version-mismatch")["title"]
    if not EVERY_REPAIR:  # it downloads the cuDNN of the other two tests once more
        return
    by_shell(*fix_commands(run, "cudnn-version-mismatch"), env=env)
    after = ask(python, env)
    assert (faults(after), "cudnn-version-mismatch" in after.codes) == ([], False), after.report[
        "summary"
    ]
