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


@pytest.mark.parametrize("one, other", [("[0] ", "[1] "), ("[worker-0]: ", "[worker-1]: "), ("0: ", "1: ")])
def test_the_progress_of_one_process_excuses_no_other(one: str, other: str) -> None:
    """Intel's mpiexec -prepend-rank and concurrently, a launcher, srun --label."""
    steps = [f"{one}{step}/100 [==>...] - loss: 0.4" for step in (10, 50, 100)]
    raised = ["Traceback (most recent call last):", '  File "w.py", line 8, in <module>', OUT_OF_MEMORY]
    lines = [line for pair in zip([other + line for line in raised], steps, strict=True) for line in pair]
    assert root(judged("\n".join([f"{one}Epoch 1/1", *lines, f"{one}saved", ""]))) == "host-memory-exhausted"


def test_a_number_in_brackets_that_counts_names_no_process() -> None:
    lines = [f"[{number}] loaded shard {number}" for number in range(8)]
    assert judged("\n".join([*lines, "ValueError: 7", ""])).diagnoses[0].lines[0].text == "ValueError: 7"


BROKEN = "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\n    import tensorflow as tf\nModuleNotFoundError: No module named 'tensorflow.python.tf2'\n"
ROWS = "{:<29}2.15.0\n{:<29}{}\n"


@pytest.mark.parametrize(
    ("listed", "code"),
    [
        (ROWS.format("tensorflow", "tensorflow-gpu", "2.10.0"), "tensorflow-mixed-distributions"),
        (ROWS.format("tensorflow", "tf_nightly", "2.19.0.dev20241108"), "tensorflow-mixed-distributions"),
        ("tensorflow==2.15.0\ntensorflow-cpu==2.14.0\n", "tensorflow-mixed-distributions"),
        (ROWS.format("tensorflow", "tensorflow-intel", "2.15.0"), "tensorflow-install-broken"),
        (ROWS.format("tensorflow", "tensorflow-macos", "2.15.0"), "tensorflow-install-broken"),
        (ROWS.format("tensorflow", "tensorflow-estimator", "2.14.0"), "tensorflow-install-broken"),
    ],
)  # fmt: skip
def test_two_distributions_in_a_list(listed: str, code: str) -> None:
    """On Windows and on Macs the plain one of the same version owns no file."""
    assert root(judged(listed + BROKEN)) == code


def test_two_distributions_that_break_nothing_are_no_cause() -> None:
    listed = ROWS.format("tensorflow", "tensorflow-gpu", "2.10.0")
    assert root(judged(listed + "Traceback (most recent call last):\n  File \"t.py\", line 1, in <module>\nMemoryError\n")) == "host-memory-exhausted"  # fmt: skip


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("ImportError: /opt/e/lib/python3.10/site-packages/tensorflow/python/_pywrap_tfe.so: undefined symbol: TFE_Py_ExecuteCancelable", "tensorflow-install-broken"),
        ("TypeError: Couldn't build proto file into descriptor pool: duplicate symbol 'onnx.ModelProto'", "protobuf-two-runtimes"),
        ("TypeError: Couldn't build proto file into descriptor pool!\nInvalid proto descriptor for file \"tensorboard/compat/proto/summary.proto\":", "protobuf-two-runtimes"),
        ("ERROR: something wrong with flag 'log_dir' in file 'glog/src/logging.cc'.  One possibility: file 'glog/src/logging.cc' is being linked both statically and dynamically into this executable.", "native-library-clash"),
        ('F tensorflow/c/experimental/stream_executor/stream_executor.cc:808] Non-OK-status: RegisterPlatform(std::move(cplatform)) status: INTERNAL: platform is already registered with name: "METAL"', "metal-plugin-mismatch"),
    ],
)  # fmt: skip
def test_two_builds_in_one_process(line: str, code: str) -> None:
    assert root(judged(line + "\n")) == code


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


def test_what_stands_above_a_cut_traceback_is_its_cause() -> None:
    above = "W tensorflow/core/framework/op_kernel.cc:1839] OP_REQUIRES failed at conv_ops.cc:698 : RESOURCE_EXHAUSTED: OOM when allocating tensor with shape[64,512,112,112] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n"
    assert (
        root(judged(above + FRAMES + "tensorflow.python.framework.errors_impl.ResourceExh"))
        == "gpu-out-of-memory"
    )
