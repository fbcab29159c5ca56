"""The opt-in Keras callback under real TensorFlow: what it tells, and the batch that its figures name. GPUs are simulated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.driver.scenario import Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.unit.recorder.watched import Watched, watched
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.fixes.batch import largest_batch

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.real]

ROOT = Path(__file__).parents[2]
RAN = 64
MIB = 128
PROGRAM = """
import sys
sys.path.append({root!r})
before = set(sys.modules)
import tfdoctor.keras
ours = {{each for each in set(sys.modules) - before if each.startswith("tfdoctor")}}
assert ours == {{"tfdoctor", "tfdoctor.keras"}}, ours
import keras, numpy, tensorflow as tf
for gpu in tf.config.list_physical_devices("GPU"):
    tf.config.set_logical_device_configuration(gpu, [tf.config.LogicalDeviceConfiguration(memory_limit={limit})])
for batch in map(int, sys.argv[1:]):
    wide = [keras.layers.Dense(4), keras.layers.Dense(20000), *(keras.layers.Activation("tanh") for _ in range(8))]
    model = keras.Sequential([keras.Input((4,)), *wide, keras.layers.Dense(2)])
    model.compile("adam", "mse", jit_compile=False)
    x, y = numpy.zeros((batch * 2, 4), "float32"), numpy.zeros((batch * 2, 2), "float32")
    model.fit(x, y, batch_size=batch, epochs=2, verbose=0, callbacks=[tfdoctor.keras.Steps(batch_size=batch)])
    print("ran", batch, flush=True)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    script = tmp_path / "train.py"
    script.write_text(PROGRAM.format(root=str(ROOT), limit=MIB))
    return str(script)


def trained(folder: Path, python: Path, program: str, *batches: int) -> Watched:
    return watched(folder, str(python), program, *map(str, batches), options=("-v",))


def test_the_batch_that_is_named_runs_and_a_quarter_more_dies_on_a_simulated_gpu(
    tmp_path: Path, tensorflow_python: Path, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = SimulatedDriver(tmp_path / "driver", Scenario(), libraries=EVERYTHING)
    for name, value in driver.environment().items():
        monkeypatch.setenv(name, value)
    run = trained(tmp_path, tensorflow_python, program, RAN)
    assert (run.status, run.outcome) == (0, "success"), run.stderr
    training = from_json(run.report["facts"], Facts).death.training
    assert isinstance(training, Known), training
    assert (training.value.steps, training.value.epochs, training.value.error) == (4, 2, "")
    assert training.value.traces == Known(1, "tfdoctor.keras")
    found = largest_batch(training.value)
    assert isinstance(found, Known) and isinstance(found.value.batch, Known), found
    named = found.value.batch.value
    assert f"The largest batch that fits is {named:,}, where {RAN} ran".encode() in run.stderr

    larger = named * 5 // 4
    after = trained(tmp_path, tensorflow_python, program, named, larger)
    assert f"ran {named}".encode() in after.stdout and f"ran {larger}".encode() not in after.stdout
    assert (after.outcome, after.roots) == ("gpu-out-of-memory", ["gpu-out-of-memory"]), after.stderr
    advice = after.finding("gpu-out-of-memory")["fixes"][0]
    bound = re.fullmatch(rf"Use a batch of (\d+) at most, in place of {larger}", advice["title"])
    assert bound and named <= int(bound[1]) < larger and "An upper bound" in advice["note"], advice
