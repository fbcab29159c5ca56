"""A log of a program that ran on the CPU: a note where nobody wanted a GPU, a cause where somebody did; and short pastes."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root

NO_DRIVER = "2026-03-06 09:42:40.123: E external/local_xla/xla/stream_executor/cuda/cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)"
NO_RUNTIME = "2024-01-01 10:00:00.1: I external/local_tsl/tsl/cuda/cudart_stub.cc:31] Could not find cuda drivers on your machine, GPU will not be used."
WORK = "10/10 [==============================] - 1s 3ms/step - loss: 0.5"
EPOCH = ("Epoch 1/1", WORK)


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


@pytest.mark.parametrize(
    "beside", [(), (">>> tf.config.list_physical_devices('GPU')", "[]"), (NO_DRIVER,)]
)
def test_a_runtime_that_is_not_found_asks_first_whether_there_is_a_gpu(
    beside: tuple[str, ...],
) -> None:
    found = next(
        each
        for each in judged(log((NO_RUNTIME, *beside))).diagnoses
        if each.code == "cuda-libraries-missing"
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
        each
        for each in judged(log((shown, NO_RUNTIME))).diagnoses
        if each.code == "cuda-libraries-missing"
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


NO_LIBCUDA = "E external/local_xla/xla/stream_executor/cuda/cuda_platform.cc:51] failed call to cuInit: INTERNAL: CUDA error: Failed call to cuInit: UNKNOWN ERROR (303)\n"
TRAINED = "Epoch 1/1\n100/100 ━━━━━━━━━━━━━━━━━━━━ 1s 2ms/step - loss: 0.5\n"


def test_a_tensor_above_the_complaint_is_no_end() -> None:
    assert root(judged("tf.Tensor(6.0, shape=(), dtype=float32)\n" + NO_LIBCUDA)) == "gpu-absent"


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ("--device cuda:0", True),
        ("--device=/GPU:0", True),
        ("--accelerator gpu --epochs 3", True),
        ("--gpu_ids 0,1", True),
        ("--use-cuda", True),
        ("--num_gpus=2", True),
        ("--device cpu", False),
        ("--gpu -1", False),
        ("--num-gpus 0", False),
        ("--no-cuda", False),
    ],
)
def test_a_gpu_that_a_command_names_is_wanted(options: str, wanted: bool) -> None:
    told = judged(f"$ python train.py {options}\n{NO_LIBCUDA}{TRAINED}")
    assert [each.code for each in told.roots] == (["gpu-absent"] if wanted else [])


@pytest.mark.parametrize(
    ("check", "code"),
    [
        (
            "F tensorflow/core/framework/tensor_shape.cc:186] Non-OK-status: InitDims(dim_sizes) status: INVALID_ARGUMENT: Expected shape dimensions to be non-negative, got -1",
            "check-failed",
        ),
        (
            "F tensorflow/compiler/tf2tensorrt/stub/nvinfer_stub.cc:49] getInferLibVersion symbol not found.",
            "cuda-libraries-missing",
        ),
    ],
)
def test_a_failed_check_is_the_cause_unless_it_speaks_of_the_gpu(check: str, code: str) -> None:
    skipped = "W tensorflow/core/common_runtime/gpu/gpu_device.cc:2251] Cannot dlopen some GPU libraries. Skipping registering GPU devices..."
    assert root(judged(log((skipped, check, "Aborted (core dumped)")))) == code
