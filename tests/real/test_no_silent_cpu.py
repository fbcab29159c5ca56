"""A program that computes on the CPU beside a GPU, under real TensorFlow: told, or ended, or left alone. GPUs are simulated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.driver.scenario import Scenario
from tests.driver.simulated import DRIVER, EVERYTHING, SimulatedDriver
from tests.unit.ask.recorder.watched import Watched, watched

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.real]

PROGRAM = """
import os, sys, time
if "hides" in sys.argv: os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import tensorflow as tf
if "configures" in sys.argv: tf.config.set_visible_devices([], "GPU")
held, end = tf.ones((300, 300)), time.monotonic() + float(sys.argv[1])
while time.monotonic() < end: held = tf.tanh(held @ held * 0.01)
"""
TOLD = b"tfdoctor: TensorFlow computed on the CPU"


@pytest.fixture(params=["with CUDA", "the driver alone"])
def libraries(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether TensorFlow finds all that it needs for the GPU that is there."""
    whole: bool = request.param == "with CUDA"
    driver = SimulatedDriver(tmp_path / "driver", Scenario(), libraries=EVERYTHING if whole else DRIVER)
    for name, value in driver.environment().items():
        monkeypatch.setenv(name, value)
    return whole


def ran(folder: Path, python: Path, *words: str, options: tuple[str, ...] = ()) -> Watched:
    program = folder / "train.py"
    program.write_text(PROGRAM)
    return watched(folder, str(python), str(program), *words, options=options)


def test_it_is_told_where_cuda_is_missing_on_a_simulated_gpu(
    libraries: bool, tmp_path: Path, tensorflow_python: Path
) -> None:
    run = ran(tmp_path, tensorflow_python, "3")
    assert (run.status, run.outcome, TOLD in run.stderr) == (0, "success", not libraries), run.stderr
    assert ("cuda-libraries-missing" in run.roots) == (not libraries)


@pytest.mark.parametrize("how", ["hides", "configures"])
@pytest.mark.parametrize("libraries", ["with CUDA"], indirect=True)
def test_who_chose_the_cpu_is_left_alone_on_a_simulated_gpu(
    how: str, libraries: bool, tmp_path: Path, tensorflow_python: Path
) -> None:
    run = ran(tmp_path, tensorflow_python, "3", how)
    assert libraries and (run.status, TOLD in run.stderr) == (0, False), run.stderr


@pytest.mark.parametrize("level", ["0", "3"])
def test_it_is_ended_where_a_gpu_is_required_on_a_simulated_gpu(
    level: str, libraries: bool, tmp_path: Path, tensorflow_python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", level)
    run = ran(tmp_path, tensorflow_python, "5" if libraries else "60", options=("--require-gpu",))
    if libraries:
        assert (run.status, run.outcome) == (0, "success"), run.stderr
    else:
        assert (run.status, run.outcome) == (1, "cuda-libraries-missing"), run.stderr
        assert run.report["timeline"]["samples"][-1]["t"] < 40
