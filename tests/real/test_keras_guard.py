"""`tfdoctor.keras.Guard` under real TensorFlow: warned, saved, killed by a real limit of memory, and gone on with."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.memory_group import memory_group

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.real]

ROOT = Path(__file__).parents[2]
LIMIT = 900 << 20
PROGRAM = """
import sys, time
sys.path.append({root!r})
import tfdoctor.keras, keras, numpy, tensorflow as tf
place, leaks = sys.argv[1], sys.argv[2] == "leaks"
keras.utils.set_random_seed(1)
x = numpy.random.RandomState(0).rand(2048, 20).astype("float32")
y = x.sum(1, keepdims=True) ** 2
model = keras.Sequential([keras.Input((20,)), keras.layers.Dense(64, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
def now(): return int(model.optimizer.iterations), float(((model(x) - y) ** 2).numpy().mean())
guard = tfdoctor.keras.Guard(place)
epoch = guard.restore(model)
print("begins", epoch, *now(), flush=True)
class Leak(keras.callbacks.Callback):
    held, newest = [], None
    def on_train_batch_end(self, batch, logs=None):
        if tf.train.latest_checkpoint(place) != self.newest:
            self.newest = tf.train.latest_checkpoint(place)
            print("saved", self.newest, *now(), flush=True)
        if leaks:
            self.held.append(b"x" * 400_000)
            time.sleep(0.05)
model.fit(x, y, batch_size=64, epochs=1000 if leaks else epoch + 2, initial_epoch=epoch, verbose=0, callbacks=[guard, Leak()])
"""


def test_a_training_that_is_killed_goes_on_where_it_was_saved(
    tmp_path: Path, tensorflow_python: Path
) -> None:
    """It grows by some 7 MB a second: a minute until it can be warned of, and then the kernel ends it."""
    program = tmp_path / "train.py"
    program.write_text(PROGRAM.format(root=str(ROOT)))
    words = (str(tensorflow_python), str(program), str(tmp_path / "kept"))
    with memory_group(LIMIT) as group:
        killed = subprocess.run(group.inside(*words, "leaks"), capture_output=True, text=True, timeout=400, check=False)  # fmt: skip
    assert killed.returncode == -9, killed.stderr
    assert "tfdoctor: memory grows by " in killed.stderr
    saved = re.findall(r"saved \S+/ckpt-(\d+) (\d+) (\S+)", killed.stdout)
    assert saved, killed.stdout
    again = subprocess.run(
        [*words, "well"], capture_output=True, text=True, timeout=200, check=False
    )
    assert again.returncode == 0, again.stderr
    begun = re.search(r"begins (\d+) (\d+) (\S+)", again.stdout)
    assert begun is not None and int(begun[1]) == int(begun[2]) // 32
    newest = saved[-1]
    assert begun[2] == newest[1] and float(begun[3]) == pytest.approx(float(newest[2]), rel=1e-5)
