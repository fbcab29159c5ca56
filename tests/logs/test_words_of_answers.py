"""What stands around a cause: how sure it is, what makes sure of it, and what works."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.say.diagnosis_view import diagnosis_view
from tfdoctor.say.terminal import Page, render_text

LOADED = "I tensorflow/stream_executor/cuda/cuda_dnn.cc:384] Loaded cuDNN version 8700"
ENDED = "Process finished with exit code -1073740791 (0xC0000409)"
CREATED = "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1929] Created device /job:localhost/replica:0/task:0/device:GPU:{0} with 22000 MB memory:  -> device: {0}, name: NVIDIA GeForce RTX 3090, pci bus id: 0000:0{0}:00.0, compute capability: 8.6"
STEP = "10/10 [==============================] - 1s 3ms/step - loss: 0.3"


def words(*lines: str) -> str:
    return " ".join(render_text(diagnosis_view(judged(log(lines))), Page(200)).split())


def test_one_possible_cause_is_one_and_has_one_fix_first() -> None:
    told = words(LOADED, ENDED)
    assert "POSSIBLE CAUSE Windows ended" in told
    assert "Fix Find out whether this is the cause tfdoctor check --smoke none" in told
    assert "If so: Check which cuDNN DLLs Windows finds" in told and "Fix:" not in told
    assert "diagnose 0.log" in told and "LOG" not in told


@pytest.mark.parametrize(
    ("gpus", "told"),
    [
        (0, "The log shows no failure."),
        (1, "The log shows no failure. TensorFlow uses the GPU (NVIDIA GeForce RTX 3090)."),
        (2, "The log shows no failure. TensorFlow uses 2 GPUs (NVIDIA GeForce RTX 3090)."),
    ],
)
def test_a_healthy_log_tells_which_gpu_is_used(gpus: int, told: str) -> None:
    lines = [CREATED.format(each) for each in range(gpus)]
    assert diagnosis_view(judged(log([*lines, *lines, "Epoch 1/1", STEP]))).headline == told


def test_what_a_log_stopped_by_hand_shows_is_said_plainly() -> None:
    told = diagnosis_view(judged(log(["Epoch 1/10", "^C"]))).headline
    assert told.startswith(
        "The log ends with Ctrl-C, before any step (line 2), and shows no failure."
    )
