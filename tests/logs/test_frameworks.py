"""What PyTorch, CuPy and numba say of the GPU beside TensorFlow, and classes of Keras that another Keras saved."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged

_UNKNOWN = "CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after program start."


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (f"RuntimeError: {_UNKNOWN}", "uvm-broken", "nvidia-uvm"),
        ("RuntimeError: No CUDA GPUs are available", "gpu-hidden", "offers this process no GPU"),
        ("kernel: NVRM: Xid (PCI:0000:65:00): 31, pid=4242, name=python3, Ch 00000008", "cuda-context-poisoned", "Xid 31"),
        ("ImportError: /opt/libcusparse.so.12: undefined symbol: __nvJitLinkAddData_12_1, version libnvJitLink.so.12", "cuda-libraries-wrong-version", "libcusparse.so.12 needs __nvJitLinkAddData_12_1"),
        ("F cuda_driver.cc:153] Failed setting context: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered", "cuda-context-poisoned", "invalid memory"),
        ("ValueError: Unknown initializer: GlorotUniform", "keras-mismatch", "another Keras saved the file"),
        ("ValueError: Unknown layer: MyAttention", "python-exception", "MyAttention"),
    ],
)  # fmt: skip
def test_the_line_alone_is_enough(line: str, code: str, said: str) -> None:
    found = judged(f"{line}\n").roots[0].finding
    assert (found.code, said in found.title) == (code, True), found.title


def test_modules_are_not_taken_for_classes_of_like_names() -> None:
    found = (
        judged("ModuleNotFoundError: No module named 'keras.layers.normalization'\n")
        .roots[0]
        .finding
    )
    assert found.fixes[0].title == "Replace keras.layers.normalization with keras.layers"


_CONFLICTS = (
    "UnsatisfiableError: The following specifications were found to be incompatible with each other:\n\n"
    "Package python conflicts for:\n"
    "tensorflow -> python[version='3.10.*|3.5.*|3.6.*|3.7.*|3.8.*|3.9.*']\n"
    "python={}\n"
)


@pytest.mark.parametrize(
    ("asked", "said"),
    [("3.11", "no build of tensorflow for Python 3.11, which was asked for: only for 3.5 to 3.10"), ("3.9", "conda stopped: UnsatisfiableError")],
)  # fmt: skip
def test_condas_conflicts_tell_the_pythons_of_a_package(asked: str, said: str) -> None:
    assert said in judged(_CONFLICTS.format(asked)).roots[0].finding.title


_CREATED = "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1525] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 14648 MB memory:  -> device: 0, name: Tesla T4, pci bus id: 0000:00:1e.0, compute capability: 7.5\n"
_SHORT = "RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 14.76 GiB total capacity; 0 bytes already allocated; 15.75 MiB free; 0 bytes reserved in total by PyTorch)\n"


def test_pytorch_without_memory_beside_tensorflow_is_tensorflows_reservation() -> None:
    found = judged(_CREATED + _SHORT).roots[0].finding
    assert (found.code, "TensorFlow in the same program" in found.title) == (
        "gpu-preallocation-clash",
        True,
    )


def test_first_values_of_weights_have_no_batch() -> None:
    text = (
        r"~\env\lib\site-packages\keras\backend.py in random_uniform(self, shape, minval, maxval, dtype)"
        + "\n"
        "   1850     return tf.random.uniform(\n"
        "-> 1851         shape=shape, minval=minval, maxval=maxval, dtype=dtype, seed=self.seed)\n\n"
        "ResourceExhaustedError: failed to allocate memory [Op:AddV2]\n"
    )
    assert "before any batch" in judged(text).roots[0].finding.title


@pytest.mark.parametrize(
    "line",
    [
        "RuntimeError: CUDA out of memory. Tried to allocate 1.0 GiB (GPU 0; .. GiB total capacity; . bytes reserved in total by PyTorch)",
        "  '../..' exists but is not a virtual environment",
        'NotFoundError: /x"; touch y; "/site-packages/tensorflow/core/kernels/libk.so: undefined symbol: _ZNK10tensorflow8OpKernelE',
    ],
)
def test_what_a_hostile_text_names_reaches_no_shell_unquoted(line: str) -> None:
    for each in judged(f"{line}\n").roots:
        for command in (command for fix in each.finding.fixes for command in fix.commands):
            assert "unlink" not in command and not command.startswith('rm -r "/x"')
