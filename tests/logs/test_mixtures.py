"""Where two things meet that do not belong together: two processes, two builds, two runtimes, a driver and a newer CUDA."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, root

TIME = "2026-11-01 10:00:00.100000: "
CREATED = (
    TIME
    + "I tensorflow/core/common_runtime/gpu/gpu_device.cc:2022] Created device /job:localhost/replica:0/task:0/device:GPU:0 with {mb} MB memory:  -> device: 0, name: {name}, pci bus id: 0000:01:00.0, compute capability: {capability}\n"
)
A100 = CREATED.format(mb=36000, name="NVIDIA A100-SXM4-40GB", capability="8.0")
DNN = (
    TIME
    + "E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:466] Could not create cudnn handle: {}\n"
)
BLAS = (
    TIME
    + "E external/local_xla/xla/stream_executor/cuda/cuda_blas.cc:193] failed to create cublas handle: {}\n"
)
GUESS = (
    TIME
    + "E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:469] Possibly insufficient driver version: {}\n"
)
FAILED = 'Traceback (most recent call last):\n  File "t.py", line 5, in <module>\ntensorflow.python.framework.errors_impl.FailedPreconditionError: DNN library initialization failed. Look at the errors above for more details. [Op:Conv2D]\n'
SMI = "| NVIDIA-SMI {0}    Driver Version: {0}    CUDA Version: 11.4     |\n"


@pytest.mark.parametrize(
    ("version", "said", "code"),
    [
        ("2.15.0", A100 + DNN.format("CUDNN_STATUS_INTERNAL_ERROR") + GUESS.format("470.57.2"), "driver-too-old"),
        ("2.18.0", A100 + DNN.format("CUDNN_STATUS_NOT_INITIALIZED") + GUESS.format("450.191.1"), "driver-too-old"),
        ("2.16.1", SMI.format("470.57.02") + DNN.format("CUDNN_STATUS_ALLOC_FAILED"), "driver-too-old"),
        ("2.16.1", SMI.format("470.57.02") + BLAS.format("CUBLAS_STATUS_NOT_INITIALIZED"), "driver-too-old"),
        ("2.15.0", A100 + DNN.format("CUDNN_STATUS_INTERNAL_ERROR") + GUESS.format("535.104.5"), "gpu-library-no-memory"),
        ("2.12.0", A100 + DNN.format("CUDNN_STATUS_INTERNAL_ERROR") + GUESS.format("470.57.2"), "gpu-library-no-memory"),
        ("2.18.0", A100 + DNN.format("CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"), "gpu-library-no-memory"),
        ("2.18.0", A100 + DNN.format("CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED"), "host-memory-exhausted"),
        ("2.18.0", A100.replace("36000", "306") + DNN.format("CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED"), "gpu-memory-held"),
    ],
)  # fmt: skip
def test_why_a_library_of_cuda_got_no_handle(version: str, said: str, code: str) -> None:
    assert root(judged(f"TensorFlow version: {version}\n{said}{FAILED}")) == code


OUT_OF_MEMORY = "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 8.00 TiB for an array with shape (1099511627776,) and data type float64"


@pytest.mark.parametrize(
    "one, other", [("[0] ", "[1] "), ("[worker-0]: ", "[worker-1]: "), ("0: ", "1: ")]
)
def test_the_progress_of_one_process_excuses_no_other(one: str, other: str) -> None:
    """Intel's mpiexec -prepend-rank and concurrently, a launcher, srun --label."""
    steps = [f"{one}{step}/100 [==>...] - loss: 0.4" for step in (10, 50, 100)]
    raised = [
        "Traceback (most recent call last):",
        '  File "w.py", line 8, in <module>',
        OUT_OF_MEMORY,
    ]
    lines = [
        line for pair in zip([other + line for line in raised], steps, strict=True) for line in pair
    ]
    assert (
        root(judged("\n".join([f"{one}Epoch 1/1", *lines, f"{one}saved", ""])))
        == "host-memory-exhausted"
    )


def test_a_number_in_brackets_that_counts_names_no_process() -> None:
    lines = [f"[{number}] loaded shard {number}" for number in range(8)]
    assert (
        judged("\n".join([*lines, "ValueError: 7", ""])).diagnoses[0].lines[0].text
        == "ValueError: 7"
    )


ROWS = "{:<29}2.15.0\n{:<29}{}\n"


def test_two_distributions_that_break_nothing_are_no_cause() -> None:
    listed = ROWS.format("tensorflow", "tensorflow-gpu", "2.10.0")
    assert root(judged(listed + "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\nMemoryError\n")) == "host-memory-exhausted"  # fmt: skip


FRAMES = 'Traceback (most recent call last):\n  File "train.py", line 12, in <module>\n    model.fit(x, y)\n'


@pytest.mark.parametrize(
    "end",
    [
        "tensorflow.python.framework.errors_impl.ResourceExh",
        "tensorflow.python.fram",
        '  File "/opt/e/lib/python3.10/site-packages/keras/src/utils/traceback_utils.py", line 122, in error_handler\n    raise e.with_tra',
    ],
)
def test_a_traceback_that_is_cut_off_blames_nobody(end: str) -> None:
    told = judged(FRAMES + end)
    assert (told.verdict, told.roots) == ("unrecognised", ())
    assert "ends within a traceback" in told.unfinished
