"""The opt-in Keras callback under real TensorFlow: what it tells, and the batch that its figures name. GPUs are simulated."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.driver.scenario import Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.unit.ask.recorder.watched import Watched, watched
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.fix.batch import largest_batch

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.real]

ROOT = Path(__file__).parents[2]
RAN, MIB = 64, 128
NETWORKS = {
    "wide": (64, "D(4), D(20000), *tanh(4), D(2)"),
    "one": (64, "D(100000), D(2)"),
    "narrowing": (64, "D(40000), D(4), D(10000), *tanh(2), D(4), D(2500), D(2)"),
    "deep": (16, "*[each for _ in range(4) for each in (D(1000), *tanh(2), D(8))], D(2)"),
    "weights": (64, "D(40), D(20000), D(40), D(2)"),
}
"""Memory limit in MiB, and layers: D is Dense, tanh(n) are n activations. Of the last one a step is mostly weights."""
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
D = keras.layers.Dense
tanh = lambda count: [keras.layers.Activation("tanh") for _ in range(count)]
for batch in map(int, sys.argv[1:]):
    model = keras.Sequential([keras.Input((4,)), {layers}])
    model.compile("adam", "mse", jit_compile={xla})
    x, y = numpy.zeros((batch * 2, 4), "float32"), numpy.zeros((batch * 2, 2), "float32")
    model.fit(x, y, batch_size=batch, epochs=2, verbose=0, callbacks=[tfdoctor.keras.Steps(batch_size=batch)])
    print("ran", batch, flush=True)
"""


@pytest.fixture
def gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = SimulatedDriver(tmp_path / "driver", Scenario(), libraries=EVERYTHING)
    for name, value in driver.environment().items():
        monkeypatch.setenv(name, value)


def program(folder: Path, limit: int, layers: str, *, xla: bool = False) -> str:
    script = folder / "train.py"
    script.write_text(PROGRAM.format(root=str(ROOT), limit=limit, layers=layers, xla=xla))
    return str(script)


def trained(folder: Path, python: Path, program: str, *batches: int) -> Watched:
    return watched(folder, str(python), program, *map(str, batches), options=("-v",), limit_s=600)


def largest(run: Watched) -> tuple[int, bool]:
    """The batch that is named, and whether more may fit."""
    assert (run.status, run.outcome) == (0, "success"), run.stderr
    training = from_json(run.report["facts"], Facts).death.training
    assert isinstance(training, Known), training
    assert (training.value.steps, training.value.epochs, training.value.error) == (4, 2, "")
    assert training.value.traces == Known(1, "tfdoctor.keras")
    found = largest_batch(training.value)
    assert isinstance(found, Known) and isinstance(found.value.batch, Known), found
    return found.value.batch.value, found.value.least


@pytest.mark.usefixtures("gpu")
def test_a_batch_that_dies_is_told_an_upper_bound_on_a_simulated_gpu(
    tmp_path: Path, tensorflow_python: Path
) -> None:
    script = program(tmp_path, MIB, "D(4), D(20000), *tanh(8), D(2)")
    run = trained(tmp_path, tensorflow_python, script, RAN)
    named, least = largest(run)
    assert (
        not least
        and f"The largest batch that fits is about {named:,} ({RAN} ran)".encode() in run.stderr
    )
    larger = named * 5 // 4
    after = trained(tmp_path, tensorflow_python, script, larger)
    assert (after.outcome, after.roots) == ("gpu-out-of-memory", ["gpu-out-of-memory"]), (
        after.stderr
    )
    advice = after.finding("gpu-out-of-memory")["fixes"][0]
    bound = re.fullmatch(rf"Lower the batch size to ([\d,]+) \(from {larger:,}\)", advice["title"])
    assert (
        bound
        and named <= int(bound[1].replace(",", "")) < larger
        and "An upper bound" in advice["note"]
    ), advice


@pytest.mark.usefixtures("gpu")
@pytest.mark.parametrize("network", NETWORKS)
def test_the_named_batch_runs_and_a_third_more_does_not_on_a_simulated_gpu(
    network: str, tmp_path: Path, tensorflow_python: Path
) -> None:
    """From a first run at an eighth, a half and all of the largest batch. Prints rows for docs/results/before.md."""
    script = program(tmp_path, *NETWORKS[network])
    ran, least = largest(trained(tmp_path, tensorflow_python, script, 8))
    while least:  # mostly weights: each answer is a lower bound, and a first run for the next
        more, least = largest(trained(tmp_path, tensorflow_python, script, ran))
        if more == ran:
            break
        ran = more
    for first in (ran // 8, ran // 2, ran):
        named, at_least = largest(trained(tmp_path, tensorflow_python, script, first))
        sys.stdout.write(f"\n| {network} | {first:,} | {'at least ' * at_least}{named:,} |")
        assert named >= first
        assert f"ran {named}".encode() in trained(tmp_path, tensorflow_python, script, named).stdout
        larger = trained(tmp_path, tensorflow_python, script, named * 4 // 3)
        assert at_least or larger.outcome in ("gpu-out-of-memory", "gpu-memory-fragmented"), (
            named,
            larger.outcome,
        )


@pytest.mark.usefixtures("gpu")
def test_under_xla_the_batch_that_ran_is_named_on_a_simulated_gpu(
    tmp_path: Path, tensorflow_python: Path
) -> None:
    run = trained(
        tmp_path,
        tensorflow_python,
        program(tmp_path, 192, "D(4), D(20000), *tanh(4), D(2)", xla=True),
        RAN,
    )
    assert largest(run) == (RAN, True)
    assert f"A batch of at least {RAN} fits.".encode() in run.stderr
