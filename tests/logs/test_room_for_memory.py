"""What gives a program room, by what the log tells: the tensor's size, the container, pip, the layer."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log

OOM = "ResourceExhaustedError: OOM when allocating tensor with shape[{}] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"
CREATED = "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1532] Created device /job:localhost/replica:0/task:0/device:GPU:0 with {} MB memory:  -> device: 0, name: Tesla T4, pci bus id: 0000:00:1e.0, compute capability: 7.5"


def first(*lines: str) -> str:
    fix = judged(log(lines)).roots[0].finding.fixes[0]
    return f"{fix.title} {' '.join(fix.commands)} {fix.note}"


def test_a_small_sample_is_halved() -> None:
    assert "try 16" in first(OOM.format("32,64,256,256"))


@pytest.mark.parametrize(
    ("shape", "of_a_layer"),
    [("1000000,64", True), ("1100000,63", False), ("4096,16384", True), ("4096,16385", False), ("11,11,256,256", False)],
)  # fmt: skip
def test_a_matrix_is_a_layers_by_its_sides(shape: str, of_a_layer: bool) -> None:
    title = judged(OOM.format(shape)).roots[0].finding.title
    assert ("by their shape" in title) is of_a_layer


@pytest.mark.parametrize(
    ("shape", "to_blame"), [("4096,15625", True), ("4096,15624", False), ("3,3,512,1024", False)]
)
def test_only_a_layer_of_a_quarter_of_a_gigabyte_is_to_blame_by_itself(
    shape: str, to_blame: bool
) -> None:
    assert first(OOM.format(shape)).startswith("Make the layer smaller") is to_blame


def test_a_matrix_of_a_layer_is_no_batch() -> None:
    assert "layer" in first(
        "ResourceExhaustedError: OOM when allocating tensor with shape[131072,2048]"
    )


def test_a_container_is_given_more() -> None:
    assert "docker update --memory" in first(
        "/usr/bin/tf_serving_entrypoint.sh: line 3:     6 Killed                  tensorflow_model_server"
    )


def test_pip_that_is_killed_goes_without_its_cache() -> None:
    assert "--no-cache-dir" in first("Collecting tensorflow", "Killed")


def test_a_pod_is_given_more_by_its_own_means() -> None:
    assert "docker update" not in first("command terminated with exit code 137")


@pytest.mark.parametrize(("size", "told"), [("499999999", False), ("500000000", True)])
def test_half_a_gigabyte_in_one_piece_explains_a_kill(size: str, told: bool) -> None:
    lines = (f"W tensorflow/tsl/framework/cpu_allocator_impl.cc:82] Allocation of {size} exceeds 10% of free system memory.", "Killed")  # fmt: skip
    assert ("0.5 GB in one piece" in judged(log(lines)).roots[0].finding.title) is told


@pytest.mark.parametrize(
    ("free", "total", "code"),
    [
        ((1 << 30) - 1, 2 << 30, "gpu-library-no-memory"),
        ((4 << 30) - 1, 8 << 30, "gpu-library-no-memory"),
    ],
)
def test_a_handle_that_fails_beside_free_memory_lacks_something_else(
    free: int, total: int, code: str
) -> None:
    lines = (
        "2024-05-20 20:06:28.373077: E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:439] Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR",
        f"2024-05-20 20:06:28.373132: E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:443] Memory usage: {free} bytes free, {total} bytes total.",
    )
    assert judged(log(lines)).roots[0].finding.code == code


RAN_OUT = "W tensorflow/tsl/framework/bfc_allocator.cc:485] Allocator (GPU_0_bfc) ran out of memory trying to allocate 4.00GiB (rounded to 4294967296)requested by op Mul"
ASYNC = "E tensorflow/core/common_runtime/gpu/gpu_cudamallocasync_allocator.cc:288] gpu_async_0 cuMemAllocAsync failed to allocate 4294967296 bytes: CUDA error: out of memory (CUDA_ERROR_OUT_OF_MEMORY)"
IN_USE = "I tensorflow/tsl/framework/bfc_allocator.cc:1083] InUse at 7f0000000000 of size 1073741824 next 2"
POOL = "I tensorflow/tsl/framework/bfc_allocator.cc:1103] total_region_allocated_bytes_: {} memory_limit_: 22420652032 available bytes: 0 curr_region_allocation_bytes_: 44841304064"
RAISED = OOM.format("32768,32768")


def stats(in_use: int) -> str:
    return f"I tensorflow/tsl/framework/bfc_allocator.cc:1107] Stats: \nLimit:             22420652032\nInUse:             {in_use}\nMaxInUse:          22420652032\nNumAllocs:         30"


@pytest.mark.parametrize(
    ("lines", "code", "sure"),
    [
        ((RAN_OUT, stats(10 << 30), RAISED), "gpu-memory-fragmented", "likely"),
        (
            (RAN_OUT, POOL.format(22420652032), stats(10 << 30), RAISED),
            "gpu-memory-fragmented",
            "likely",
        ),
        ((RAN_OUT, IN_USE, stats(10 << 30), RAISED), "gpu-memory-fragmented", "likely"),
        ((RAN_OUT, POOL.format(11 << 30), stats(10 << 30), RAISED), "gpu-memory-held", "certain"),
        ((ASYNC, stats(10 << 30)), "gpu-memory-held", "certain"),
        ((RAN_OUT, stats(22420652032 - (4 << 30)), RAISED), "gpu-out-of-memory", "certain"),
        ((RAN_OUT, stats(22420652031 - (4 << 30)), RAISED), "gpu-memory-fragmented", "likely"),
        ((ASYNC, stats(22420652032 - (4 << 30))), "gpu-out-of-memory", "certain"),
    ],
)
def test_more_free_memory_than_was_asked_for_is_not_too_big(
    lines: tuple[str, ...], code: str, sure: str
) -> None:
    finding = judged(log(lines)).roots[0].finding
    assert (finding.code, finding.confidence.value) == (code, sure)


ALMOST_NOTHING = CREATED.format(246)
SMI = "| NVIDIA-SMI 535.104.05   Driver Version: 535.104.05   CUDA Version: 12.2     |\n|   0  Tesla T4            Off  | 00000000:00:1E.0 Off |                    0 |\n| N/A   40C    P8    10W /  70W |  {}MiB / 15360MiB |      0%      Default |"


@pytest.mark.parametrize(
    "lines",
    [
        (ALMOST_NOTHING,),
        (ALMOST_NOTHING, "InternalError: Failed copying input tensor from CPU:0 to GPU:0 in order to run _EagerConst: Dst tensor is not initialized."),
        (ALMOST_NOTHING, "InternalError: Autotuning failed for HLO: %gemm_fusion_dot.3 = f32[64,64]{1,0} fusion(%p0) with error: NOT_FOUND: No valid config found!"),
        (SMI.format("9000"), CREATED.format(6000), RAISED),
    ],
)  # fmt: skip
def test_a_gpu_of_which_tensorflow_got_little_is_held(lines: tuple[str, ...]) -> None:
    assert judged(log(lines)).roots[0].finding.code == "gpu-memory-held"


@pytest.mark.parametrize(
    "lines",
    [
        (ALMOST_NOTHING, "Epoch 1/5", "100/100 [=====] - 1s 5ms/step - loss: 0.5"),
        (ALMOST_NOTHING, "ModuleNotFoundError: No module named 'cv2'"),
        (SMI.format("900"), CREATED.format(13000)),
        (CREATED.format(13000), RAISED),
    ],
)
def test_a_program_that_works_or_lacks_something_else_is_not_short_of_memory(
    lines: tuple[str, ...],
) -> None:
    assert "gpu-memory-held" not in [each.finding.code for each in judged(log(lines)).roots]


def test_xla_that_finds_no_algorithm_had_no_memory_to_try_them() -> None:
    line = "InternalError: Autotuning failed for HLO: %{} with error: NOT_FOUND: No valid config found! [Op:__inference_multi_step_on_iterator_9]"
    finding = (
        judged(line.format("gemm_fusion_dot.3 = f32[64,64]{1,0} fusion(%p0)")).roots[0].finding
    )
    assert (finding.code, finding.confidence.value) == ("gpu-out-of-memory", "likely")
    convolution = line.format(
        'cudnn-conv.6 = (f32[128,16]) custom-call(%p), custom_call_target="__cudnn$convForward"'
    )
    assert judged(convolution).roots[0].finding.code == "cudnn-version-mismatch"
