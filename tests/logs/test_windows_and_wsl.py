"""Exit statuses of Windows by their number, shells of WSL, and two processes of which one only follows."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root

_DIED = "Error 2024-01-01 10:00:00: Disposing session as kernel process died ExitCode: {status}, Reason:"
_CELL = "The Kernel crashed while executing code in the the current cell or a previous cell."


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ("3221225725", "stack"),
        ("-1073741571", "stack"),
        ("3221225477", "memory access"),
        ("3221226356", "heap"),
        ("-1073740940", "heap"),
        ("3221226505", "fast-fail"),
    ],
)
def test_a_status_of_windows_is_read_where_jupyter_tells_it(status: str, word: str) -> None:
    found = judged(log([_CELL, _DIED.format(status=status)])).roots[0].finding
    assert found.code == "native-crash" and word in found.title
    assert not any("dmesg" in line or "gdb" in line for fix in found.fixes for line in fix.commands)


@pytest.mark.parametrize(
    "line",
    ["Process finished with exit code -1073740940 (0xC0000374)", "error 0xc0000374 in python.exe"],
)
def test_the_same_in_hexadecimal(line: str) -> None:
    assert root(judged(log([line]))) == "native-crash"


def test_three_gibibytes_are_no_status() -> None:
    """0xC0000000 bytes, a common limit, has nearly the same digits."""
    assert judged(log(["I allocator limit: 3221225472 bytes, in use 3221225472"])).roots == ()


def test_a_kernel_without_a_status_stays_one() -> None:
    assert root(judged(log([_CELL]))) == "jupyter-kernel-died"


_LARGE = "W tensorflow/core/framework/cpu_allocator_impl.cc:82] Allocation of 155539800 exceeds 10% of free system memory."
_STEP = "10/10 [==============================] - 4s 2ms/step - loss: 0.2912"


def test_a_kernel_that_died_behind_large_pieces_is_looked_at_for_memory() -> None:
    found = judged(log([_LARGE, _CELL])).roots[0].finding
    assert "probably out of host memory" in found.title


def test_a_kernel_that_went_on_computing_is_not() -> None:
    assert "suspect" not in judged(log([_LARGE, _STEP, _CELL])).roots[0].finding.title


_NOT_ON_WINDOWS = "WARNING:tensorflow:TensorFlow GPU support is not available on native Windows for TensorFlow >= 2.11. Even if CUDA/cuDNN are installed, GPU will not be used. Please use WSL2 or the TensorFlow-DirectML plugin."


def test_tensorflow_s_own_warning_alone_is_the_reason() -> None:
    assert judged(_NOT_ON_WINDOWS).roots[0].finding.code == "os-gpu-unsupported"


def test_beside_work_on_the_processor_it_is_no_failure() -> None:
    assert (
        judged(log([_NOT_ON_WINDOWS, 'Model: "baseline"', "Epoch 1/3", _STEP])).verdict
        == "noise-only"
    )


_BLOCKED = "Failed to initialize NVML: GPU access blocked by the operating system"
_IN_WSL = "Linux host 5.15.153.1-microsoft-standard-WSL2 #1 SMP x86_64 GNU/Linux"
_IN_DOCKER = "$ docker run --rm --gpus all tensorflow/tensorflow:2.15.0-gpu nvidia-smi"


@pytest.mark.parametrize("lines", [(_IN_WSL, _BLOCKED), (_IN_DOCKER, _BLOCKED)])
def test_elsewhere_the_same_words_are_another_fault(lines: tuple[str, ...]) -> None:
    fixes = judged(log(lines)).roots[0].finding.fixes
    assert not any("no-cgroups" in command for each in fixes for command in each.commands)
