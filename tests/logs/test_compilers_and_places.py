"""Operations that are placed where no device of theirs is."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root


def _first(*lines: str) -> tuple[str, str, str]:
    """The root's code, its title, and the first commands."""
    roots = judged(log(lines)).roots
    assert roots, lines
    found = roots[0].finding
    return found.code, found.title, " && ".join(found.fixes[0].commands) if found.fixes else ""


@pytest.mark.parametrize(
    "head", ["", "Error: ", "tensorflow.python.framework.errors_impl.InvalidArgumentError: "]
)
@pytest.mark.parametrize("op", ["DepthToSpace", "Conv2D", "MaxPool"])
def test_a_layout_that_only_gpus_compute(head: str, op: str) -> None:
    code, title, command = _first(
        f"{head}No OpKernel was registered to support Op '{op}' used by node {op} (defined at model.py:33)  with these attrs: [data_format=\"NCHW\"]",
        "Registered devices: [CPU, XLA_CPU]",
        "Registered kernels:",
        "  device='GPU'; T in [DT_FLOAT]",
        "  device='CPU'; T in [DT_FLOAT]; data_format in [\"NHWC\"]",
    )
    assert code == "cuda-libraries-missing" and op in title
    assert command == "nvidia-smi -L"


def test_an_op_that_a_gpu_beside_it_lacks_is_not_for_lack_of_one() -> None:
    lines = (
        "InvalidArgumentError: No OpKernel was registered to support Op 'Unique' with these attrs.  Registered devices: [CPU, GPU], Registered kernels:",
        "  device='CPU'; T in [DT_FLOAT]",
    )
    assert root(judged(log(lines))) == "python-exception"


@pytest.mark.parametrize("task", ["worker", "chief", "ps"])
def test_devices_of_another_job(task: str) -> None:
    line = f"InvalidArgumentError: Cannot assign a device for operation x: {{{{node x}}}} was explicitly assigned to /job:localhost/replica:0/task:0/device:GPU:0 but available devices are [ /job:{task}/replica:0/task:0/device:CPU:0 ]. Make sure the device specification refers to a valid device."
    code, title, _ = _first(line)
    assert code == "device-configured-too-late" and "strategy" in title


def test_a_task_that_the_session_does_not_know() -> None:
    line = "InvalidArgumentError (see above for traceback): Cannot assign a device for operation 'save/RestoreV2': Operation was explicitly assigned to /job:ps/task:0/device:CPU:0 but available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ]"
    code, title, _ = _first(line)
    assert code == "device-configured-too-late" and "server" in title


_GROUP = (
    "Colocation members, user-requested devices, and framework assigned devices, if any:",
    "  conv/weights/Initializer/zeros (Fill) ",
    "  conv/weights (VariableV2) /device:GPU:0",
    "  conv/weights/Assign (Assign) /device:GPU:0",
)


@pytest.mark.parametrize("prefix", ["", "> ", "detector_1  | "])
def test_a_group_that_finds_no_gpu_at_all(prefix: str) -> None:
    lines = ("VariableV2: CPU XLA_CPU ", "Fill: CPU XLA_CPU ", "Assign: CPU ", *_GROUP)
    assert root(judged(log([f"{prefix}{each}" for each in lines]))) == "cuda-libraries-missing"


def test_a_group_with_a_gpu_is_no_complaint() -> None:
    """The placer lists it as well where one operation alone has no version for the GPU, and goes on."""
    lines = ("VariableV2: GPU CPU ", "Unique: CPU ", "Assign: GPU CPU ", *_GROUP)
    assert root(judged(log(lines))) == "noise-only" or not judged(log(lines)).roots


@pytest.mark.parametrize("line", ["GPUs: None detected.", "GPU: none", "GPUs: none found"])
def test_a_program_that_lists_no_gpu(line: str) -> None:
    assert root(judged(log(["Running in CPU-only mode.", line]))) == "cuda-libraries-missing"


@pytest.mark.parametrize("file", ["tensorflow", "tensorflow_core"])
def test_a_tensorflow_that_is_linked_with_the_driver(file: str) -> None:
    code, _, command = _first(
        "Traceback (most recent call last):",
        f'  File "/opt/py/lib/python3.6/site-packages/{file}/python/pywrap_tensorflow.py", line 58, in <module>',
        "    from tensorflow.python.pywrap_tensorflow_internal import *",
        "ImportError: libcuda.so.1: cannot open shared object file: No such file or directory",
    )
    assert code == "driver-missing" and command.startswith("nvidia-smi")


@pytest.mark.parametrize(
    ("shape", "large"), [("1,12,12,3", True), ("1,300,400,128", True), ("5,64,4890,4890", True), ("1,11,11,512", False), ("2,300,400,128", False), ("1,1000", False)]
)  # fmt: skip
def test_a_picture_that_does_not_fit_by_itself_is_no_batch_to_halve(
    shape: str, large: bool
) -> None:
    line = f"ResourceExhaustedError: OOM when allocating tensor with shape[{shape}] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"
    found = judged(log([line])).roots[0].finding
    assert found.code == "gpu-out-of-memory"
    assert (found.fixes[0].title == "Make the samples smaller") is large


_IN_CONDA = '  File "/home/user/miniforge3/envs/pose/lib/python3.10/site-packages/jax/_src/xla_bridge.py", line 885, in backends'
_OTHER_CUDNN = "E1027 15:10:59.012564 3266428 cuda_dnn.cc:456] Loaded runtime CuDNN library: {there} but source was compiled with: {wanted}.  CuDNN library needs to have matching major version and equal or higher minor version."


def test_the_cudnn_of_a_jax() -> None:
    code, title, _ = _first("Traceback (most recent call last):", _IN_CONDA, _OTHER_CUDNN.format(there="9.1.0", wanted="9.8.0"))  # fmt: skip
    assert code == "cudnn-version-mismatch" and "JAX" in title


@pytest.mark.parametrize(("number", "code"), [("303", "driver-missing"), ("100", "check-failed")])
def test_a_check_of_the_drivers_answer(number: str, code: str) -> None:
    line = f"2020-03-25 10:00:00.0: F tensorflow/stream_executor/cuda/cuda_driver.cc:404] Check failed: CUDA_SUCCESS == cuDevicePrimaryCtxGetState(device, &flags, &active) (0 vs. {number})"
    assert _first(line)[0] == code


def test_a_variable_reaches_a_notebook_by_its_first_cell() -> None:
    lines = (
        "UnknownError                              Traceback (most recent call last)",
        "<ipython-input-7-7e3f40db92d4> in <module>",
        "----> 1 model.fit(x, y)",
        "UnknownError: Failed to get convolution algorithm. This is probably because cuDNN failed to initialize, so try looking to see if a warning log message was printed above.",
    )
    assert _first(*lines)[2] == "%env TF_FORCE_GPU_ALLOW_GROWTH=true"
