"""GPU memory that JAX or PyTorch ran out of: their words and settings, not TensorFlow's."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.knowledge.model import Finding

JAX_FRAME = '  File "/env/lib/python3.10/site-packages/jax/_src/interpreters/pxla.py", line 1145, in compile_or_get_cached'
TORCH_FRAME = (
    '  File "/env/lib/python3.10/site-packages/torch/nn/modules/module.py", line 1194, in _call_impl'
)
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
