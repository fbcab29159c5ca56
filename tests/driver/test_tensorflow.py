"""Real TensorFlow on the simulated driver: it lists the GPU, computes what is computed for real, and fails as told.

What these prove is what TensorFlow does with a driver's answers, never what a real driver answers.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.driver.scenario import GIB, MIB, Fault, Gpu, Process, Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.real]

LIST = """
import json, tensorflow as tf
names = [gpu.name for gpu in tf.config.list_physical_devices("GPU")]
a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
print(json.dumps({"gpus": names, "product": tf.matmul(a, a).numpy().tolist(), "device": a.device}))
"""

PRODUCTS = """
import json, numpy as np, tensorflow as tf
random, worst = np.random.default_rng(0), {}
for kind in ("float64", "float32", "float16", "bfloat16"):
    for turn_a, turn_b in ((False, False), (False, True), (True, False), (True, True)):
        a = random.standard_normal((3, 17, 7) if turn_a else (3, 7, 17))
        b = random.standard_normal((3, 5, 17) if turn_b else (3, 17, 5))
        with tf.device("CPU"):
            left, right = tf.cast(a, kind), tf.cast(b, kind)
            wanted = tf.matmul(tf.cast(left, "float64"), tf.cast(right, "float64"), turn_a, turn_b).numpy()
        with tf.device("GPU"):
            got = tf.matmul(left, right, turn_a, turn_b)
        assert got.device.endswith("GPU:0")
        with tf.device("CPU"):
            difference = np.abs(tf.cast(got, "float64").numpy() - wanted).max()
        worst[kind] = max(worst.get(kind, 0.0), float(difference))
image, weights = (random.standard_normal(shape).astype("float32") for shape in ((2, 9, 8, 3), (3, 3, 3, 4)))
with tf.device("CPU"):
    wanted = tf.nn.conv2d(image, weights, 1, "SAME").numpy()
got = tf.nn.conv2d(tf.constant(image), tf.constant(weights), 1, "SAME")
worst["convolution"] = float(np.abs(got.numpy() - wanted).max())
print(json.dumps(worst))
"""

FIT = """
import json, numpy as np, tensorflow as tf
model = tf.keras.Sequential([tf.keras.layers.Input((8,)), tf.keras.layers.Dense(4, "relu"), tf.keras.layers.Dense(1)])
model.compile("adam", "mse")
history = model.fit(np.ones((64, 8), "float32"), np.ones((64, 1), "float32"), epochs=2, verbose=0).history

@tf.function(jit_compile=True)
def compiled(x):
    return tf.matmul(x, x) + 1.0

print(json.dumps({"epochs": len(history["loss"]), "shape": compiled(tf.ones((4, 4))).shape.as_list()}))
"""

CONVOLUTION = """
import tensorflow as tf
tf.nn.conv2d(tf.ones((1, 4, 4, 1)), tf.ones((3, 3, 1, 1)), 1, "VALID").numpy()
"""


def run(python: Path, driver: SimulatedDriver, program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(python), "-c", program],
        env=driver.environment(),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr[-3000:]
    parsed: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return parsed


def test_simulated_gpu_is_listed_and_multiplies(tensorflow_python: Path, tmp_path: Path) -> None:
    done = run(tensorflow_python, SimulatedDriver(tmp_path, libraries=EVERYTHING), LIST)
    assert answer(done) == {
        "gpus": ["/physical_device:GPU:0"],
        "product": [[7.0, 10.0], [15.0, 22.0]],
        "device": "/job:localhost/replica:0/task:0/device:GPU:0",
    }
    assert "Created device" in done.stderr
    assert "name: NVIDIA L4" in done.stderr


def test_simulated_products_and_convolutions_are_right(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    worst = answer(
        run(tensorflow_python, SimulatedDriver(tmp_path, libraries=EVERYTHING), PRODUCTS)
    )
    bounds = {
        "float64": 1e-12,
        "float32": 1e-5,
        "float16": 2e-2,
        "bfloat16": 2e-1,
        "convolution": 1e-4,
    }
    assert {kind: worst[kind] < bound for kind, bound in bounds.items()} == dict.fromkeys(
        bounds, True
    ), worst


def test_simulated_training_and_xla_run_through(tensorflow_python: Path, tmp_path: Path) -> None:
    done = run(tensorflow_python, SimulatedDriver(tmp_path, libraries=EVERYTHING), FIT)
    assert answer(done) == {"epochs": 2, "shape": [4, 4]}


def test_simulated_wrong_product_reaches_the_user(tensorflow_python: Path, tmp_path: Path) -> None:
    driver = SimulatedDriver(tmp_path, Scenario(wrong_matmul=True), libraries=EVERYTHING)
    assert answer(run(tensorflow_python, driver, LIST))["product"] == [[7.0, 10.0], [15.0, 23.0]]


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        (Scenario(faults=(Fault.error("cuInit", 803),)), "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        (Scenario(faults=(Fault.error("nvmlInit*", 18),)), ""),
        (Scenario(gpus=(Gpu(lost=True),)), "CUDA_ERROR_NO_DEVICE"),
    ],
)
def test_simulated_driver_without_a_gpu_for_tensorflow(
    tensorflow_python: Path, tmp_path: Path, scenario: Scenario, words: str
) -> None:
    done = run(tensorflow_python, SimulatedDriver(tmp_path, scenario, libraries=EVERYTHING), LIST)
    assert answer(done)["gpus"] == []
    assert words in done.stderr


def test_simulated_cudnn_that_is_too_old_fails_at_the_first_convolution(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    driver = SimulatedDriver(tmp_path, Scenario(cudnn_version=90100), libraries=EVERYTHING)
    done = run(tensorflow_python, driver, CONVOLUTION)
    assert done.returncode == 1
    assert "Loaded runtime CuDNN library: 9.1.0 but source was compiled with: 9.3.0" in done.stderr


def test_simulated_cudnn_of_another_major_is_none(tensorflow_python: Path, tmp_path: Path) -> None:
    driver = SimulatedDriver(tmp_path, libraries=EVERYTHING, sonames={"libcudnn": "libcudnn.so.8"})
    done = run(tensorflow_python, driver, LIST)
    assert answer(done)["gpus"] == []
    assert "Cannot dlopen some GPU libraries" in done.stderr


def test_simulated_busy_gpu_stops_tensorflow(tensorflow_python: Path, tmp_path: Path) -> None:
    gpu = Gpu(compute_mode=3, processes=(Process(4242, GIB, "somebody"),))
    done = run(
        tensorflow_python,
        SimulatedDriver(tmp_path, Scenario(gpus=(gpu,)), libraries=EVERYTHING),
        LIST,
    )
    assert done.returncode == 1
    assert "busy or unavailable" in done.stderr


def test_simulated_full_gpu_leaves_little(tensorflow_python: Path, tmp_path: Path) -> None:
    scenario = Scenario(gpus=(Gpu(memory_used=23 * GIB - 300 * MIB),))
    done = run(tensorflow_python, SimulatedDriver(tmp_path, scenario, libraries=EVERYTHING), LIST)
    assert (
        "Created device /job:localhost/replica:0/task:0/device:GPU:0 with 44 MB memory"
        in done.stderr
    )


def test_simulated_broken_context_reaches_the_op(tensorflow_python: Path, tmp_path: Path) -> None:
    scenario = Scenario(faults=(Fault.error("cuLaunchKernel", 700, sticky=True),))
    program = "import tensorflow as tf; a = tf.constant([1.0]); print((a + a).numpy())"
    done = run(
        tensorflow_python, SimulatedDriver(tmp_path, scenario, libraries=EVERYTHING), program
    )
    assert done.returncode == 1
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in done.stderr
