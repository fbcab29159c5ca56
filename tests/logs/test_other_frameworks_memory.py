"""GPU memory that JAX or PyTorch ran out of: their words and settings, not TensorFlow's."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.knowledge.model import Finding

JAX_FRAME = '  File "/env/lib/python3.10/site-packages/jax/_src/interpreters/pxla.py", line 1145, in compile_or_get_cached'
TORCH_FRAME = '  File "/env/lib/python3.10/site-packages/torch/nn/modules/module.py", line 1194, in _call_impl'
RAISED = "Traceback (most recent call last):"
OF_TENSORFLOW = ("model.fit", ".batch(", "tf.keras", "model and batch size", "mixed_float16")


def _found(*lines: str) -> Finding:
    found: Finding = judged(log(lines)).roots[0].finding
    return found


def _said(found: Finding) -> str:
    fixes = "".join(f"{fix.title}{fix.commands}{fix.note}" for fix in found.fixes)
    return f"{found.title}{found.explanation}{fixes}"


@pytest.mark.parametrize(
    "line",
    [
        "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to load in-memory CUBIN: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
        "jax.errors.JaxRuntimeError: INTERNAL: Failed to load in-memory CUBIN (compiled for a different GPU?).: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
        "jaxlib._jax.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8589934592 bytes.",
        "RuntimeError: Resource exhausted: Failed to allocate request for 3.25GiB (3488555008B) on device ordinal 0",
    ],
)  # fmt: skip
def test_jax_gets_its_own_setting(line: str) -> None:
    said = _said(_found(RAISED, JAX_FRAME, line))
    assert "JAX" in _found(RAISED, JAX_FRAME, line).title
    assert "XLA_PYTHON_CLIENT_PREALLOCATE=false" in said
    assert "set_visible_devices([]" in said
    assert [each for each in OF_TENSORFLOW if each in said] == []


def test_code_of_jax_that_finds_no_memory_is_first_what_was_reserved() -> None:
    found = _found(RAISED, JAX_FRAME, "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to load in-memory CUBIN: CUDA_ERROR_OUT_OF_MEMORY: out of memory")  # fmt: skip
    assert found.code == "gpu-preallocation-clash"
    assert found.severity.value == "error"
    assert "PREALLOCATE=false" in str(found.fixes[0].commands)


def test_the_same_of_tensorflow_is_not_told_of_jax() -> None:
    found = _found(RAISED, '  File "a.py", line 3, in <module>', "tensorflow.python.framework.errors_impl.InternalError: Failed to load in-memory CUBIN: CUDA_ERROR_OUT_OF_MEMORY: out of memory")  # fmt: skip
    assert found.code == "gpu-out-of-memory"
    assert "JAX" not in _said(found)


@pytest.mark.parametrize(
    "line",
    [
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 15.78 GiB total capacity; 14.10 GiB already allocated; 1.2 GiB free; 14.2 GiB reserved in total by PyTorch)",
        "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.79 GiB total capacity; 5.33 GiB already allocated; 12.06 MiB free; 5.50 GiB reserved in total by PyTorch)",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.57 GiB of which 1.10 GiB is free.",
    ],
)  # fmt: skip
def test_pytorch_is_not_told_of_model_fit(line: str) -> None:
    found = _found(RAISED, TORCH_FRAME, line)
    assert "PyTorch" in found.title
    assert "DataLoader" in found.fixes[0].note
    assert [each for each in OF_TENSORFLOW if each in _said(found)] == []


def test_a_library_above_jax_is_jax() -> None:
    frame = '  File "/env/lib/python3.10/site-packages/flax/core/scope.py", line 11, in f'
    found = _found(RAISED, frame, "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 20029400304 bytes.")  # fmt: skip
    assert (found.code, "JAX" in found.title) == ("gpu-out-of-memory", True)
    assert [each for each in OF_TENSORFLOW if each in _said(found)] == []


@pytest.mark.parametrize(
    "line",
    [
        "xgboost.core.XGBoostError: [10:00:00] ../src/c_api/../common/device_helpers.cuh:428: Memory allocation error on worker 0: std::bad_alloc: cudaErrorMemoryAllocation: out of memory",
        "MemoryError: std::bad_alloc: out_of_memory: CUDA error at: /opt/env/include/rmm/mr/device/cuda_memory_resource.hpp",
        "terminate called after throwing an instance of 'thrust::system::detail::bad_alloc'\n  what():  std::bad_alloc: cudaErrorMemoryAllocation: out of memory",
    ],
)  # fmt: skip
def test_gpu_memory_that_is_told_as_bad_alloc_is_no_host_memory(line: str) -> None:
    found = _found(RAISED, line)
    assert found.code == "gpu-out-of-memory"
    assert "host memory ran out" not in _said(found)
    assert [each for each in OF_TENSORFLOW if each in _said(found)] == []


def test_a_bad_alloc_without_a_gpu_is_host_memory() -> None:
    assert _found("terminate called after throwing an instance of 'std::bad_alloc'", "  what():  std::bad_alloc").code == "host-memory-exhausted"  # fmt: skip


CREATED = "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1639] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 18021 MB memory:  -> device: 0, name: NVIDIA RTX A4500, pci bus id: 0000:4b:00.0, compute capability: 8.6"
OF_OTHERS = (
    ("numba", "numba.cuda.cudadrv.driver.CudaAPIError: [2] Call to cuMemAlloc results in CUDA_ERROR_OUT_OF_MEMORY"),
    ("numba", "numba.cuda.cudadrv.driver.CudaAPIError: [2] Call to cuDevicePrimaryCtxRetain results in CUDA_ERROR_OUT_OF_MEMORY"),
    ("mxnet", "mxnet.base.MXNetError: [11:18:15] src/storage/./pooled_storage_manager.h:157: cudaMalloc failed: out of memory"),
    ("PaddlePaddle", "Out of memory error on GPU 0. Cannot allocate 98.000244MB memory on GPU 0, 6.000000GB memory has been allocated and available memory is only 0.000000B."),
    ("ONNX Runtime", "onnxruntime.capi.onnxruntime_pybind11_state.RuntimeException: [ONNXRuntimeError] : 6 : RUNTIME_EXCEPTION : Non-zero status code returned while running Conv node. Name:'c' Status Message: /onnxruntime_src/onnxruntime/core/framework/bfc_arena.cc:376 void* onnxruntime::BFCArena::AllocateRawInternal(size_t, bool) Failed to allocate memory for requested buffer of size 8388608000"),
    ("onnxruntime", "onnxruntime::CudaCall CUDA failure 2: out of memory ; GPU=0 ; hostname=box ; expr=cudaMalloc((void**)&p, size);"),
    ("CuPy", "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 512 bytes (allocated so far: 0 bytes)."),
    ("RAPIDS", "MemoryError: std::bad_alloc: out_of_memory: RMM failure at:/opt/rmm/mr/device/pool_memory_resource.hpp:193: Maximum pool size exceeded"),
    ("pycuda", "pycuda._driver.MemoryError: cuMemAlloc failed: out of memory"),
    ("CatBoost", "(NCudaLib::TOutOfMemoryError) catboost/cuda/cuda_lib/memory_pool/stack_like_memory_pool.h:303: Error: Out of memory. Requested 8880 MB; Free 5902.061425 MB"),
    ("faiss", "RuntimeError: Error in void* faiss::gpu::StandardGpuResourcesImpl::allocMemory(const faiss::gpu::AllocRequest&): alloc fail type FlatData dev 0 size 2764800000 bytes (cudaMalloc error out of memory [2])"),
    ("A package's compiled CUDA code", "[TensorRT] ERROR: ../rtSafe/safeRuntime.cpp (25) - Cuda Error in allocate: 2 (out of memory)"),
    ("A package's compiled CUDA code", "cv2.error: OpenCV(4.5.5) /opencv/modules/core/src/cuda/gpu_mat.cu:116: error: (-217:Gpu API call) out of memory in function 'allocate'"),
    ("A package's compiled CUDA code", "F0304 14:26:21.611594  4889 syncedmem.cpp:71] Check failed: error == cudaSuccess (2 vs. 0)  out of memory"),
    ("A package's compiled CUDA code", "RuntimeError: cuda runtime error (2) : out of memory at /pytorch/aten/src/THC/generic/THCStorage.cu:58"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "line"), OF_OTHERS)
def test_the_framework_that_found_no_memory_is_named(name: str, line: str) -> None:
    found = _found(line)
    assert found.code == "gpu-out-of-memory"
    assert found.title == f"{name}{' (RMM)' if name == 'RAPIDS' else ''} found no free GPU memory."
    assert [each for each in OF_TENSORFLOW if each in _said(found)] == []


@pytest.mark.parametrize(("name", "line"), OF_OTHERS)
def test_beside_tensorflows_gpu_it_is_what_tensorflow_reserved(name: str, line: str) -> None:
    found = _found(CREATED, line)
    assert found.code == "gpu-preallocation-clash"
    assert found.title.startswith(name)
    assert "TF_FORCE_GPU_ALLOW_GROWTH" in str(found.fixes[0].commands)


@pytest.mark.parametrize(
    "line",
    [
        "F tensorflow/core/util/gpu_launch_config.h:129] Check failed: err == cudaSuccess (invalid argument vs. no error)",
        "src/a.cc:116:9: error: no member named 'allocate'",
        "MemoryError: Unable to allocate 9.31 GiB for an array with shape (50000, 50000) and data type float32",
    ],
)
def test_other_failures_are_no_gpu_memory(line: str) -> None:
    assert _found(line).code not in ("gpu-out-of-memory", "gpu-preallocation-clash")
