"""Values that are none, sizes that nobody knows, data of unequal lengths, and NaN on several GPUs: what is said first, and to whom."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged
from tfdoctor.findings.model import Fix


def _raised(words: str, frame: str = 'File "train.py", line 7, in main') -> str:
    return f"Traceback (most recent call last):\n  {frame}\n    run()\n{words}\n"


def _first(log: str) -> tuple[str, Fix]:
    found = judged(log).roots[0].finding
    assert found.code == "python-exception"
    return found.title, found.fixes[0]


@pytest.mark.parametrize(
    ("words", "title", "first"),
    [
        ("ValueError: as_list() is not defined on an unknown TensorShape.", "no known size", "set_shape"),
        ("TypeError: Failed to convert elements of (None, -1) to Tensor. Consider casting elements to a supported type.", "no known size", "set_shape"),
        ("ValueError: None values not supported.", "None", "labels"),
        ("AttributeError: 'History' object has no attribute 'predict'", "as if it were the model", "history = model.fit"),
        ("TypeError: Object of type EagerTensor is not JSON serializable", "JSON", "float("),
        ("InvalidArgumentError: Default MaxPoolingOp only supports NHWC on device type CPU", "on a GPU alone", "list_physical_devices"),
        ("ValueError: A `Concatenate` layer requires inputs with matching shapes except for the concat axis. Got inputs shapes: [(None, 20, 20, 512), (None, 19, 19, 256)]", "different sizes", "multiples of 32"),
        ("InvalidArgumentError: Not enough time for target transition sequence (required: 25, available: 20)", "CTC", "time axis"),
        ("InvalidArgumentError: assertion failed: [predictions must be >= 0] [Condition x >= y did not hold]", "probabilities", "sigmoid"),
        ("ValueError: This model has not yet been built. Build the model first by calling `build()`.", "has no variables yet", "model(tf.zeros"),
        ("ValueError: setting an array element with a sequence. The requested array has an inhomogeneous shape after 1 dimensions.", "inhomogeneous", "pad_sequences"),
        ("ValueError: cannot reshape array of size 784 into shape (28,28,3)", "cannot reshape", "784"),
        ("StopIteration", "StopIteration", "while True"),
        ("KeyError: 'val_loss'", "val_loss", "validation_split"),
        ("ValueError: Empty training data.", "Empty training data", "not one sample"),
        ("ValueError: Argument `output` must have rank (ndim) `target.ndim - 1`. Received: target.shape=(None, 28, 28), output.shape=(None, 10)", "rank", "labels"),
    ],
)  # fmt: skip
def test_the_first_step_is_about_what_was_said(words: str, title: str, first: str) -> None:
    said, fix = _first(_raised(words))
    assert title in said
    assert first in " ".join((fix.title, *fix.commands, fix.note))


def test_the_tensorflow_of_2_0_is_told_the_same() -> None:
    """Its frames are in tensorflow_core, which has no filter of tracebacks to switch off."""
    words = "ValueError: setting an array element with a sequence."
    frame = 'File "/opt/env/lib/python3.7/site-packages/tensorflow_core/python/data/ops/dataset_ops.py", line 610, in generator_py_func'
    found = judged(_raised(words, frame)).roots[0].finding
    assert "one length" in found.fixes[0].title
    assert not any("traceback_filtering" in each.title + each.note for each in found.fixes)


_SEVERAL = "INFO:tensorflow:Using MirroredStrategy with devices ('/job:localhost/replica:0/task:0/device:GPU:0', '/job:localhost/replica:0/task:0/device:GPU:1')\n"
_STEPS = "Epoch 1/2\n469/469 [====] - 6s 5ms/step - loss: nan - accuracy: 0.09\nEpoch 2/2\n469/469 [====] - 2s 4ms/step - loss: nan - accuracy: 0.09\n"


def test_nan_on_several_gpus_is_asked_of_one_first() -> None:
    several, one = judged(_SEVERAL + _STEPS), judged(_STEPS)
    assert several.roots == one.roots == ()
    assert "CUDA_VISIBLE_DEVICES=0" in several.own_result
    assert "NCCL_P2P_DISABLE=1" in several.own_result
    assert "NCCL" not in one.own_result


def test_an_end_by_nan_on_several_gpus_as_well() -> None:
    words = _raised("RuntimeError: Model diverged with loss = NaN.")
    assert _first(_SEVERAL + words)[1].commands == ("export CUDA_VISIBLE_DEVICES=0",)
    assert "NaN and infinite" in _first(words)[1].title


def test_an_operation_without_a_kernel_for_the_gpu_is_told_elsewhere_than_on_macs_too() -> None:
    words = "NotFoundError: No registered 'RngReadAndSkip' OpKernel for 'GPU' devices compatible with node {{node RngReadAndSkip}}"
    title, fix = _first(_raised(words))
    assert "RngReadAndSkip" in title
    assert "soft_device_placement" in fix.note
