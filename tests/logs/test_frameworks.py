"""What PyTorch, CuPy and numba say of the GPU beside TensorFlow, and classes of Keras that another Keras saved."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged

_UNKNOWN = "CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after program start."


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("AssertionError: Torch not compiled with CUDA enabled", "dependency-mismatch", "built without CUDA"),
        (f"RuntimeError: {_UNKNOWN}", "uvm-broken", "nvidia-uvm"),
        ("RuntimeError: The NVIDIA driver on your system is too old (found version 11040).", "driver-too-old", "serves CUDA 11.4,"),
        ("RuntimeError: No CUDA GPUs are available", "gpu-hidden", "offers this process no GPU"),
        ("NVIDIA GeForce RTX 3090 with CUDA capability sm_86 is not compatible with the current PyTorch installation.", "gpu-too-new-for-build", "RTX 3090, sm_86"),
        ("kernel: NVRM: Xid (PCI:0000:65:00): 31, pid=4242, name=python3, Ch 00000008", "cuda-context-poisoned", "Xid 31"),
        ("ImportError: /opt/libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12", "cuda-libraries-wrong-version", "libcusparse.so.12 asks libnvJitLink.so.12"),
        ("F cuda_driver.cc:153] Failed setting context: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered", "cuda-context-poisoned", "not its own"),
        ("ValueError: Unknown layer: RandomFlip", "keras-mismatch", "came with TensorFlow 2.6"),
        ("ValueError: Unknown initializer: GlorotUniform", "keras-mismatch", "another Keras saved the file"),
        ("ValueError: Unknown layer: MyAttention", "python-exception", "MyAttention"),
        ("pydot.InvocationException: GraphViz's executables not found", "python-exception", "Graphviz is not installed"),
    ],
)  # fmt: skip
def test_the_line_alone_is_enough(line: str, code: str, said: str) -> None:
    found = judged(f"{line}\n").roots[0].finding
    assert (found.code, said in found.title) == (code, True), found.title


def test_who_demands_a_gpu_is_not_told_that_none_is_needed() -> None:
    found = judged("RuntimeError: Found no NVIDIA driver on your system. Please check it\n").roots[0].finding
    assert found.fixes[0].commands == ("nvidia-smi",)


def test_modules_are_not_taken_for_classes_of_like_names() -> None:
    found = judged("ModuleNotFoundError: No module named 'keras.layers.normalization'\n").roots[0].finding
    assert found.fixes[0].title == "Write keras.layers in place of keras.layers.normalization"
