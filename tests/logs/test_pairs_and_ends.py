"""Causes that stand in two healthy lines, in a log's last sign, in a piece of an account, or in the message's own advice."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root

OPENED = "2021-10-26 10:45:21.1: I tensorflow/stream_executor/platform/default/dso_loader.cc:53] Successfully opened dynamic library {}"
OLD_DEVICE = "name: {} major: {} minor: {} memoryClockRate(GHz): 1.41"
DEVICE = "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1532] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 38000 MB memory:  -> device: 0, name: {}, pci bus id: 0000:17:00.0, compute capability: {}"
CUDNN_FAILED = "E tensorflow/stream_executor/dnn.cc:729] CUDNN_STATUS_EXECUTION_FAILED"
NO_HANDLE = "E tensorflow/stream_executor/cuda/cuda_blas.cc:226] failed to create cublas handle: CUBLAS_STATUS_NOT_INITIALIZED"
RUN_FAILED = "E tensorflow/stream_executor/cuda/cuda_blas.cc:429] failed to run cuBLAS routine: CUBLAS_STATUS_EXECUTION_FAILED"
NO_IMAGE = "F external/local_xla/xla/stream_executor/cuda/a.cc:1] CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available for execution on the device"
ANOTHER = "another cause"


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ([OPENED.format("libcudart.so.10.0"), OLD_DEVICE.format("A100", 8, 0), RUN_FAILED], "gpu-too-new-for-build"),
        ([OPENED.format("libcudart.so.10.1"), DEVICE.format("GeForce RTX 3090", "8.6"), CUDNN_FAILED], "gpu-too-new-for-build"),
        ([OPENED.format("cudart64_100.dll"), OLD_DEVICE.format("GeForce RTX 3070", 8, 6), NO_HANDLE], "gpu-too-new-for-build"),
        ([OPENED.format("libcudart.so.11.0"), DEVICE.format("NVIDIA H100", "9.0"), NO_HANDLE], "gpu-too-new-for-build"),
        (["2024-09-01 10:00:00.1: I external/local_xla/a.cc:1] b", DEVICE.format("RTX 5090", "12.0"), NO_IMAGE], "gpu-too-new-for-build"),
        ([OPENED.format("libcudart.so.10.0"), OLD_DEVICE.format("A100", 8, 0), "Epoch 1/9"], "ptx-jit-slow-start"),
        ([OPENED.format("libcudart.so.10.0"), OLD_DEVICE.format("Tesla T4", 7, 5), CUDNN_FAILED], ANOTHER),
        ([OPENED.format("libcudart.so.11.0"), DEVICE.format("RTX 4090", "8.9"), NO_HANDLE], ANOTHER),
        ([OPENED.format("libcudart.so.10.1"), DEVICE.format("Tesla V100", "7.0"), RUN_FAILED], ANOTHER),
    ],
)  # fmt: skip
def test_a_gpu_is_held_against_the_cuda_beside_it(lines: list[str], code: str) -> None:
    found = root(judged(log(lines)))
    assert found == code or (
        code == ANOTHER and found not in ("gpu-too-new-for-build", "ptx-jit-slow-start")
    )


def test_work_that_was_done_needs_no_newer_cuda() -> None:
    lines = [
        OPENED.format("libcudart.so.10.0"),
        OLD_DEVICE.format("A100", 8, 0),
        "Epoch 1/1",
        "10/10 [==============================] - 1s 9ms/step - loss: 0.3",
    ]
    assert root(judged(log(lines))) == "noise-only"


NO_GPU = "2024-03-01 11:15:14.01: E tensorflow/compiler/xla/stream_executor/cuda/cuda_driver.cc:268] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"


@pytest.mark.parametrize(
    ("lines", "stopped"),
    [
        ([NO_GPU, "Reading ['/content/train.tfrecord']", "^C"], True),
        (["2022 /kaggle/input/data.csv", "Epoch 3/9", " 12/100 [==>...] - ETA: 9s - loss: 0.2", "^C"], True),
        (["from google.colab import drive", "Saving checkpoint", "^C", ""], True),
        ([NO_GPU, "Reading ['/home/me/train.tfrecord']", "^C"], False),
        (["/content/train.py", "^C", "Saved."], False),
        (["/content/train.py", "Traceback (most recent call last):", '  File "/content/train.py", line 1, in <module>', "KeyboardInterrupt", "^C"], False),
    ],
)  # fmt: skip
def test_a_platform_that_stopped_the_cell(lines: list[str], stopped: bool) -> None:
    assert (root(judged(log(lines))) == "container-oom-killed") == stopped


@pytest.mark.parametrize(
    "line",
    [
        "2022-10-06 19:35:37.57: I external/org_tensorflow/tensorflow/core/common_runtime/bfc_allocator.cc:1066] InUse at 7f382d151200 of size 809728 next 61",
        "I tensorflow/core/common_runtime/bfc_allocator.cc:1083] Free  at 7f0a2c000000 of size 1048576 next 18446744073709551615",
        "I0000 00:00:1740763678.575642 2218885 bfc_allocator.cc:1167] InUse at 7f382d151200 of size 809728 next 3",
        "I external/local_tsl/tsl/framework/bfc_allocator.cc:1083] InUse at 7f382d151200 of size 256 by op UNUSED action_count 4 step 0 next 9",
        "I tensorflow/core/common_runtime/bfc_allocator.cc:1094] 5 Chunks of size 16777216 totalling 80.00MiB",
        "I tensorflow/core/common_runtime/bfc_allocator.cc:1101] Sum Total of in-use chunks: 9.31GiB",
    ],
)
def test_a_piece_of_the_allocators_account_is_a_full_gpu(line: str) -> None:
    assert root(judged(log([line, line]))) == "gpu-out-of-memory"


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        (["0a1b2c3d4e5f:35:39 [0] init.cc:255 NCCL WARN Cuda failure 'CUDA driver is a stub library'", "tensorflow.python.framework.errors_impl.UnknownError: 2 root error(s) found.", "  (0) Unknown: ncclCommInitRank failed: unhandled cuda error"], "driver-library-unreachable"),
        ([NO_GPU.replace("NO_DEVICE: no CUDA-capable device is detected", "SYSTEM_DRIVER_MISMATCH: system has unsupported display driver / cuda driver combination"), "InternalError: Graph execution error:"], "driver-versions-differ"),
        (["E cuda_dnn.cc:362] Loaded runtime CuDNN library: 8.0.5 but source was compiled with: 8.6.0.  CuDNN library needs to have matching major version and equal or higher minor version.", "tensorflow.python.framework.errors_impl.UnknownError: 3 root error(s) found."], "cudnn-version-mismatch"),
    ],
)  # fmt: skip
def test_an_exception_that_says_nothing_does_not_come_before_the_cause(
    lines: list[str], code: str
) -> None:
    assert root(judged(log(lines))) == code


CREATED = "2022-09-08 21:45:09.3: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1532] Created device /job:localhost/replica:0/task:0/device:GPU:{0} with 22299 MB memory:  -> device: {0}, name: NVIDIA A30, pci bus id: 0000:17:00.0, compute capability: 8.0"
LOADED = "2022-09-08 21:46:51.1: I tensorflow/stream_executor/cuda/cuda_dnn.cc:384] Loaded cuDNN version 8401"


def test_several_gpus_that_stand_still_are_not_called_healthy() -> None:
    waiting = judged(log([*(CREATED.format(each) for each in range(3)), LOADED, LOADED, LOADED]))
    assert "NCCL_P2P_DISABLE" in waiting.unfinished
    one = judged(log([CREATED.format(0), LOADED]))
    assert "NCCL" not in one.unfinished
    went_on = judged(
        log([CREATED.format(0), CREATED.format(1), LOADED, "Epoch 1/3", "10/10 - 1s - loss: 0.3"])
    )
    assert went_on.unfinished == ""


@pytest.mark.parametrize(
    "line",
    [
        "W0000 00:00:1740763678.575642 2218885 other.cc:9] Failed to warm up the cache; going on without",
        "2023-07-15 00:38:25.5: I tensorflow/core/x.cc:1] error counters are 3",
        "Could not load symbol cublasGetSmCountTarget from libcublas.so.11. Error: /usr/local/cuda/lib64/libcublas.so.11: undefined symbol: cublasGetSmCountTarget",
    ],
)
def test_a_warning_that_nobody_knows_is_no_failure(line: str) -> None:
    assert judged(log([CREATED.format(0), line])).verdict == "noise-only"
