"""A program that computes on the CPU beside a GPU, under real TensorFlow: told, or ended, or left alone. GPUs are simulated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Scenario
from tests.driver.simulated import DRIVER, EVERYTHING, SimulatedDriver
from tests.needs import PACKAGES
from tests.real.environments import CannotBuild, environment
from tests.real.fixtures import NEWEST
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
LOSES = """
import time, tensorflow as tf
def work(seconds):
    held, end = tf.ones((100, 100)), time.monotonic() + seconds
    while time.monotonic() < end: held = tf.tanh(held + held * 0.01)
try:
    work(60)
except tf.errors.OpError as error:
    print("goes on without", type(error).__name__, flush=True)
    with tf.device("/CPU:0"): work(3)
"""
LOST = b"tfdoctor: TensorFlow lost its GPU while the command worked"
TOLD = b"tfdoctor: TensorFlow computed on the CPU"


@pytest.fixture(params=["with CUDA", "the driver alone"])
def libraries(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> bool:
    """Whether TensorFlow finds all that it needs for the GPU that is there."""
    whole: bool = request.param == "with CUDA"
    driver = SimulatedDriver(
        tmp_path / "driver", Scenario(), libraries=EVERYTHING if whole else DRIVER
    )
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
    assert (run.status, run.outcome, TOLD in run.stderr) == (0, "success", not libraries), (
        run.stderr
    )
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
    level: str,
    libraries: bool,
    tmp_path: Path,
    tensorflow_python: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", level)
    run = ran(tmp_path, tensorflow_python, "5" if libraries else "60", options=("--require-gpu",))
    if libraries:
        assert (run.status, run.outcome) == (0, "success"), run.stderr
    else:
        assert (run.status, run.outcome) == (1, "cuda-libraries-missing"), run.stderr
        assert run.report["timeline"]["samples"][-1]["t"] < 40


def on_a_simulated_gpu(folder: Path, monkeypatch: pytest.MonkeyPatch, scenario: Scenario) -> None:
    driver = SimulatedDriver(folder / "driver", scenario, libraries=EVERYTHING)
    for name, value in driver.environment().items():
        monkeypatch.setenv(name, value)


def test_a_program_that_loses_its_gpu_midway_and_goes_on_is_told_on_a_simulated_gpu(
    tmp_path: Path, tensorflow_python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = Fault.error("cuLaunchKernel", 719, sticky=True).since(2000)
    on_a_simulated_gpu(tmp_path, monkeypatch, Scenario(faults=(fault,)))
    program = tmp_path / "train.py"
    program.write_text(LOSES)
    run = watched(tmp_path, str(tensorflow_python), str(program))
    assert b"goes on without InternalError" in run.stdout, run.stderr
    assert (run.status, run.outcome, LOST in run.stderr) == (0, "success", True), run.stderr
    assert "cuda-context-poisoned" in run.roots


def test_a_build_that_opens_no_gpu_library_is_told_on_a_simulated_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_a_simulated_gpu(tmp_path, monkeypatch, Scenario())
    try:
        python = environment(f"tensorflow-cpu=={NEWEST}")
    except CannotBuild:
        pytest.skip(PACKAGES)
    run = ran(tmp_path, python, "8")
    assert (run.status, run.outcome, TOLD in run.stderr) == (0, "success", True), run.stderr
    assert "tensorflow-cpu-only" in run.roots
