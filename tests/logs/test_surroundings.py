"""What else a log tells changes what is to be typed."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.report.diagnosis import Diagnosis

_ILLEGAL = "E tensorflow/stream_executor/cuda/cuda_event.cc:29] Error polling for event status: failed to query event: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
_COMPILED = "I tensorflow/compiler/jit/xla_compilation_cache.cc:477] Compiled cluster using XLA!  This line is logged at most once for the lifetime of the process."
_RETRACING = "WARNING:tensorflow:5 out of the last 5 calls to <function f at 0x7f2a5c> triggered tf.function retracing. Tracing is expensive."
_CREATED = "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1525] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 10228 MB memory:  -> device: 0, name: NVIDIA GeForce RTX 3060, pci bus id: 0000:07:00.0, compute capability: 8.6"
_NO_DEVICE = "E tensorflow/stream_executor/cuda/cuda_driver.cc:271] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"


def _typed(diagnosis: Diagnosis) -> str:
    return "\n".join(line for fix in diagnosis.roots[0].finding.fixes for line in fix.commands)


def _code(diagnosis: Diagnosis) -> str:
    return diagnosis.roots[0].finding.code if diagnosis.roots else diagnosis.verdict


def test_no_command_of_linux_is_printed_for_windows() -> None:
    linux = _typed(judged(log([_ILLEGAL])))
    windows = _typed(judged(log([r"D:\train\model.py", _ILLEGAL])))
    assert "dmesg" in linux
    assert "tee " in linux
    assert not [word for word in ("dmesg", "grep", "tee ", "tail", "export") if word in windows]
    assert "set CUDA_LAUNCH_BLOCKING=1\npython PROGRAM.py > run.log 2>&1" in windows


@pytest.mark.parametrize(
    ("prompt", "first", "note"),
    [
        ("(tf) PS C:\\Users\\me> python model.py", "$env:CUDA_LAUNCH_BLOCKING = \"1\"", ""),
        ("(tf) C:\\Users\\me>python model.py", "set CUDA_LAUNCH_BLOCKING=1", ""),
        (r"D:\train\model.py", "set CUDA_LAUNCH_BLOCKING=1", "In PowerShell: $env:CUDA_LAUNCH_BLOCKING = \"1\""),
    ],
)  # fmt: skip
def test_the_prompt_tells_which_shell_of_windows_it_is(prompt: str, first: str, note: str) -> None:
    fixes = judged(log([prompt, _ILLEGAL])).roots[0].finding.fixes
    [rerun] = [each for each in fixes if first in each.commands]
    assert ("In PowerShell" in rerun.note, note in rerun.note) == (bool(note), True)


def test_what_is_typed_in_ubuntu_keeps_its_linux_lines_on_windows() -> None:
    windows = _typed(
        judged(log(["TensorFlow 2.15 on Windows 11", "And tf cannot recognize the gpu"]))
    )
    assert (
        "apt-get install --yes python3-venv\npython3 -m venv tensorflow-2.21.0\ntensorflow-2.21.0/bin/"
        in windows
    )


def test_xla_is_tried_without_where_it_had_compiled() -> None:
    assert "unset TF_XLA_FLAGS" in _typed(judged(log([_COMPILED, _ILLEGAL])))
    assert "unset TF_XLA_FLAGS" not in _typed(judged(log([_ILLEGAL])))


def test_retracing_explains_a_kill_and_is_noise_without() -> None:
    assert _code(judged(log([_RETRACING, _RETRACING, "Killed"]))) == "retracing-memory-growth"
    assert _code(judged(log([_RETRACING, "Killed"]))) == "host-oom-killed"
    assert _code(judged(log([_RETRACING, _RETRACING]))) == "noise-only"


def test_a_worker_of_ray_that_asked_for_no_gpu_is_no_fault() -> None:
    worker, learner = f"(Loop pid=7) {_NO_DEVICE}", f"(Learner pid=6) {_CREATED}"
    assert _code(judged(log([learner, worker]))) == "noise-only"
    alone = judged(log([worker]))
    assert _code(alone) == "gpu-hidden"
    assert "unset CUDA_VISIBLE_DEVICES" not in _typed(alone)
    failed = judged(
        log([learner, worker, "Traceback (most recent call last):", "RuntimeError: no GPU"])
    )
    assert failed.verdict == "cause-found"


def test_docker_is_not_named_to_a_pod() -> None:
    pod = judged(log(["    Last State:     Terminated", "      Reason:       OOMKilled"]))
    assert _code(pod) == "container-oom-killed"
    assert "docker" not in _typed(pod)
    assert "docker" in _typed(judged(log(['            "OOMKilled": true,'])))


def test_an_option_that_is_on_is_not_advised() -> None:
    assert "NCCL_DEBUG" in _typed(judged(log(["InternalError: NCCL: unhandled system error. Set NCCL_DEBUG=WARN for detail."])))  # fmt: skip
    told = judged(log(["n17:4242:4300 [0] net.cc:1 NCCL WARN Net : could not find an interface"]))
    assert "NCCL_DEBUG=INFO" not in _typed(told)
