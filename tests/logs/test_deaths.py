"""Deaths that have a line of their own, or none: copies that macOS ends, memory that grows, widths, other languages, boards."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.apps.cli.diagnose_command import exit_status
from tfdoctor.knowledge.model import Confidence, Finding
from tfdoctor.say.diagnosis_view import diagnosis_view

_RECEIVED = "[2019-03-24 10:00:00,000: INFO/MainProcess] Received task: tasks.predict[0383dc0b-0c17-413f-a360-b1e4301b35ba]"
_IN_THE_WORKER = "[2019-03-24 10:00:00,123: WARNING/ForkPoolWorker-2] Using TensorFlow backend."
_SUCCEEDED = "[2019-03-24 10:00:09,123: INFO/ForkPoolWorker-2] Task tasks.predict[0383dc0b-0c17-413f-a360-b1e4301b35ba] succeeded in 9.1s: 3"
_SMALL = "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 1.50 MiB for an array with shape (512, 384) and data type float64"
_HUGE = "MemoryError: Unable to allocate 12.5 GiB for an array with shape (87000, 227, 227, 3) and data type uint8"
_FAST_FAIL = "Process finished with exit code -1073740791 (0xC0000409)"
_ON_A_GPU = "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1510] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 5966 MB memory:  -> device: 0, name: NVIDIA GeForce GTX 1080, pci bus id: 0000:01:00.0, compute capability: 6.1"
_FULL = "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[{}] and type {} on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:Cast]"


def found(*lines: str) -> Finding:
    return judged(log(lines)).roots[0].finding


def test_celery_that_got_a_task_and_fell_silent_mostly_waits_behind_its_fork() -> None:
    silent = found(_RECEIVED, _IN_THE_WORKER)
    assert (silent.code, silent.confidence) == ("stalled", Confidence.POSSIBLE)
    assert "--pool=solo" in silent.fixes[0].commands[0]
    assert root(judged(log((_RECEIVED, _IN_THE_WORKER, _SUCCEEDED)))) == "noise-only"
    assert root(judged(log((_RECEIVED,)))) == "noise-only"


def test_a_bare_fast_fail_accuses_nobody_and_behind_a_gpu_it_is_mostly_cudnn() -> None:
    assert found(_FAST_FAIL).code == "native-crash"
    assert found("Python subprocess exited with code 3221226505").code == "native-crash"
    assert found(_ON_A_GPU, "Epoch 1/10", _FAST_FAIL).code == "windows-cudnn-dll-missing"


@pytest.mark.parametrize(
    ("lines", "code", "types"),
    [
        (("FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",), "host-memory-exhausted", ""),
        (("Error: cannot allocate vector of size 3.2 Gb",), "host-memory-exhausted", ""),
        (("Error: /srv/node_modules/@tensorflow/tfjs-node/lib/napi-v8/tfjs_binding.node: wrong ELF class: ELFCLASS64",), "foreign-architecture", "npm"),
        (("ImportError: /srv/lib/python3.7/site-packages/tensorflow/python/_pywrap_tensorflow_internal.so: wrong ELF class: ELFCLASS64",), "foreign-architecture", "venv"),
        (("OSError: /usr/lib/i386-linux-gnu/libcuda.so.1: wrong ELF class: ELFCLASS32",), "foreign-architecture", "LD_LIBRARY_PATH"),
        (("pi@raspberrypi:~ $ python3 -c 'import tensorflow'", "Illegal instruction"), "native-crash", "faulthandler"),
    ],
)  # fmt: skip
def test_other_languages_and_boards_get_their_own_commands(
    lines: tuple[str, ...], code: str, types: str
) -> None:
    assert found(*lines).code == code
    assert types in " ".join(found(*lines).fixes[0].commands)


def test_a_missing_gpu_that_nobody_asked_for_is_a_root_and_ends_with_its_status() -> None:
    """Whoever wants the GPU reads it from the exit status; that nothing failed is said in words."""
    nothing_failed = judged(
        log(("W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory", "Epoch 1/5"))
    )  # fmt: skip
    assert [each.finding.code for each in nothing_failed.roots]
    assert exit_status(nothing_failed) == 1
    assert diagnosis_view(nothing_failed).tone == "degraded"


@pytest.mark.parametrize(
    "lines",
    [
        ("Model saved to model.h5", "Epoch 2/10", "Segmentation fault (core dumped)"),
        ("Model saved to model.h5", *("evaluating",) * 6, "Segmentation fault (core dumped)"),
        ("Model saved to model.h5", "Illegal instruction (core dumped)"),
    ],
)
def test_a_crash_in_later_work_is_none_behind_it(lines: tuple[str, ...]) -> None:
    assert "right after it said" not in found(*lines).title
