"""What a log does not show is not claimed: a GPU, a batch, a data set, another process, a variable."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root

_NO_LIBCUDA = "2024-02-12 21:02:12.9: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory"
_IN_DOCKER = "I tensorflow/stream_executor/cuda/cuda_diagnostics.cc:156] kernel driver does not appear to be running on this host (4be0a2b9c1d2): /proc/driver/nvidia/version does not exist"
_NO_DEVICE = "E tensorflow/compiler/xla/stream_executor/cuda/cuda_driver.cc:268] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
_DST = "tensorflow.python.framework.errors_impl.InternalError: Failed copying input tensor from /job:localhost/replica:0/task:0/device:CPU:0 to /job:localhost/replica:0/task:0/device:GPU:0 in order to run _EagerConst: Dst tensor is not initialized."
_OPENS = "Traceback (most recent call last):"
_IN_KERAS = (
    '  File "/opt/env/lib/python3.10/site-packages/keras/src/{file}", line 70, in {function}'
)
_MINE = '  File "train.py", line 9, in <module>'


def test_a_container_whose_work_went_well_is_no_fault() -> None:
    assert judged(log([_NO_LIBCUDA, _IN_DOCKER, "Training completed."])).roots == ()


def test_no_gpu_is_claimed_for_a_container_that_shows_none() -> None:
    found = judged(log([_NO_LIBCUDA, _IN_DOCKER])).roots[0].finding
    assert found.code == "container-without-gpu" and "has an NVIDIA GPU" not in found.explanation


@pytest.mark.parametrize(
    "named",
    [
        "Created device /device:GPU:0 with 15089 MB memory:  -> device: 0, name: AMD Instinct MI100, pci bus id: 0000:26:00.0",
        "  Name:                    gfx906",
        "03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 21 [Radeon RX 6800 XT] [1002:73bf]",
    ],
)
def test_a_build_for_cuda_on_an_amd_gpu(named: str) -> None:
    assert root(judged(log([named, _NO_DEVICE]))) == "gpu-absent"


@pytest.mark.parametrize(
    "line",
    [
        "export CUDA_VISIBLE_DEVICES=-1",
        "$ CUDA_VISIBLE_DEVICES= python train.py",
        "CUDA_VISIBLE_DEVICES=7",
    ],
)
def test_a_variable_in_the_log_is_still_named(line: str) -> None:
    found = judged(log([line, _NO_DEVICE])).roots[0].finding
    assert (found.code, found.fixes[0].commands[:1]) == (
        "gpu-hidden",
        ("unset CUDA_VISIBLE_DEVICES",),
    )


def test_a_variable_that_names_the_first_gpu_hides_none() -> None:
    found = judged(log(["CUDA_VISIBLE_DEVICES=0 python train.py", _NO_DEVICE])).roots[0].finding
    assert "offers this process no GPU" in found.title


@pytest.mark.parametrize(
    ("file", "function", "code"),
    [
        ("legacy/saving/legacy_h5_format.py", "load_weights_from_hdf5_group", "gpu-out-of-memory"),
        ("engine/base_layer.py", "set_weights", "gpu-out-of-memory"),
        ("initializers/random_initializers.py", "__call__", "gpu-out-of-memory"),
        ("engine/training.py", "fit", "gpu-dataset-on-device"),
        ("engine/data_adapter.py", "_process_tensorlike", "gpu-dataset-on-device"),
    ],
)
def test_weights_are_no_dataset(file: str, function: str, code: str) -> None:
    frame = _IN_KERAS.format(file=file, function=function)
    assert root(judged(log([_OPENS, _MINE, frame, "    x = f(x)", _DST]))) == code


def test_weights_that_are_put_back_while_training_have_a_batch_beside_them() -> None:
    frames = [
        _IN_KERAS.format(file="engine/training.py", function="fit"),
        _IN_KERAS.format(file="engine/base_layer.py", function="set_weights"),
    ]
    found = judged(log([_OPENS, _MINE, *frames, "    x = f(x)", "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[3,3,512,1024] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Mul]"])).roots[0].finding  # fmt: skip
    assert "before any batch" not in found.title and "weights" not in found.title


_TABLE = (
    "| NVIDIA-SMI 460.39       Driver Version: 460.39       CUDA Version: 11.2     |",
    "|   0  GeForce RTX 3090    Off  | 00000000:01:00.0  On |                  N/A |",
    "|  0%   47C    P8    22W / 350W |  24243MiB / 24260MiB |      0%      Default |",
)
_CREATED = "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1532] Created device /job:localhost/replica:0/task:0/device:GPU:0 with {size} MB memory:  -> device: 0, name: GeForce RTX 3090, pci bus id: 0000:01:00.0, compute capability: 8.6"


def test_full_memory_beside_a_tensorflow_that_got_it_is_its_own() -> None:
    assert judged(log([*_TABLE, _CREATED.format(size=22294)])).roots == ()


def test_full_memory_of_which_it_got_none_is_held() -> None:
    refused = "tensorflow.python.framework.errors_impl.InternalError: cudaSetDevice() on GPU:0 failed. Status: out of memory"
    assert root(judged(log([*_TABLE, refused]))) == "gpu-memory-held"


def test_a_wrapper_of_an_error_with_another_cause_keeps_its_own() -> None:
    """Nothing in the chain is known, so the package that failed last is named."""
    package = '  File "/opt/env/lib/python3.10/site-packages/somepackage/__init__.py", line 15, in <module>'
    lines = [_OPENS, _MINE, "KeyError: 'a'", "", "During handling of the above exception, another exception occurred:", "", _OPENS, _MINE, package, "ImportError: somepackage needs its settings"]  # fmt: skip
    assert root(judged(log(lines))) == "package-import-failed"
