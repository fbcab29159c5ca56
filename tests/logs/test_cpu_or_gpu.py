"""A log of a program that ran on the CPU: a note where nobody wanted a GPU, a cause where somebody did; and short pastes."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log

NO_DRIVER = "2026-03-06 09:42:40.123: E external/local_xla/xla/stream_executor/cuda/cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)"
NO_RUNTIME = "2024-01-01 10:00:00.1: I external/local_tsl/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used."
WORK = "10/10 [==============================] - 1s 3ms/step - loss: 0.5"
EPOCH = ("Epoch 1/1", WORK)


@pytest.mark.parametrize("end", [EPOCH, ("Test accuracy: 0.98",), ("Process finished with exit code 0",)])
def test_work_that_went_on_without_a_driver_is_a_note(end: tuple[str, ...]) -> None:
    found = judged(log((NO_DRIVER, *end)))
    assert (found.verdict, [each.role.value for each in found.diagnoses]) == ("noise-only", ["note"])


@pytest.mark.parametrize(
    "wish",
    [
        "$ docker run --gpus all tf python train.py",
        "$ srun --gres=gpu:1 python train.py",
        "$ module load cuda/12.5",
        "CUDA_VISIBLE_DEVICES=0 python train.py",
        "$ CUDA_VISIBLE_DEVICES=1,2 python train.py",
        ">>> tf.config.list_physical_devices('GPU')\n[]",
        "Num GPUs Available:  0",
    ],
)
def test_a_gpu_that_was_wanted_is_missed(wish: str) -> None:
    assert judged(log((wish, NO_DRIVER, *EPOCH))).verdict == "cause-found"


@pytest.mark.parametrize(
    "hidden", ["CUDA_VISIBLE_DEVICES=-1 python train.py", "CUDA_VISIBLE_DEVICES= python train.py"]
)
def test_a_gpu_that_was_hidden_is_not_missed(hidden: str) -> None:
    assert judged(log((hidden, NO_DRIVER, *EPOCH))).verdict == "noise-only"


@pytest.mark.parametrize("beside", [(), (">>> tf.config.list_physical_devices('GPU')", "[]"), (NO_DRIVER,)])
def test_a_runtime_that_is_not_found_asks_first_whether_there_is_a_gpu(beside: tuple[str, ...]) -> None:
    found = next(
        each for each in judged(log((NO_RUNTIME, *beside))).diagnoses if each.code == "cuda-libraries-missing"
    )
    first, then = found.fixes[:2]
    assert first.commands == ("nvidia-smi -L",)
    assert any("pip install" in command for command in then.commands)


@pytest.mark.parametrize(
    "shown",
    [
        "my GPU is an NVIDIA GeForce RTX 3090",
        "| NVIDIA-SMI 580.65.06    Driver Version: 580.65.06    CUDA Version: 13.0     |",
    ],
)
def test_a_gpu_that_is_shown_is_not_asked_for_again(shown: str) -> None:
    (found,) = (
        each for each in judged(log((shown, NO_RUNTIME))).diagnoses if each.code == "cuda-libraries-missing"
    )
    assert all("nvidia-smi -L" not in fix.commands for fix in found.fixes)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (
            "tensorflow.python.framework.errors_impl.InternalError: cudaSetDevice() on GPU:0 failed. Status: out of memory",
            "gpu-memory-held",
        ),
        ("AttributeError: module 'ml_dtypes' has no attribute 'float8_e3m4'", "ml-dtypes-mismatch"),
        ("ModuleNotFoundError: No module named 'pkg_resources'", "setuptools-lacks-pkg-resources"),
    ],
)
def test_an_exception_without_its_traceback_ended_the_program(words: str, code: str) -> None:
    (found,) = (each for each in judged(log((words,))).diagnoses if each.code == code)
    assert (found.role.value, found.severity.value) == ("root", "error")
