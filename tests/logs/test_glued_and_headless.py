"""Ends without their own line: behind a bar of progress, without the line above a stack, in an object's own end; and a driver that nobody asked for."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.knowledge.model import Severity
from tfdoctor.say.diagnosis_view import diagnosis_view

BARS = (
    "100/100 [==============================] - ETA: 0s - loss: 2.3416 - accuracy: 0.3065",
    "  12/100 [==>...........................] - ETA: 3s",
    "Extracting:  45%|████▌     | 45/100 [00:10<00:12,  4.41it/s]",
    "313/938 ━━━━━━━━━━━━━━━━━━━━ 7s 12ms/step",
)
ENDS = {
    "Killed": "host-oom-killed",
    "Killed: 9": "host-oom-killed",
    "zsh: killed     python train.py": "host-oom-killed",
    "bash: line 1:  4242 Killed                  python train.py": "host-oom-killed",
    "zsh: segmentation fault  python train.py": "native-crash",
    "[1]    4242 segmentation fault (core dumped)  python train.py": "native-crash",
    "Segmentation fault (core dumped)": "native-crash",
    "Aborted (core dumped)": "native-crash",
    "Illegal instruction (core dumped)": "cpu-instructions-missing",
}
NO_DRIVER = "2024-01-02 03:04:05.678901: E tensorflow/stream_executor/cuda/cuda_driver.cc:351] failed call to cuInit: UNKNOWN ERROR (303)"
NO_RUNTIME = "2024-01-02 03:04:05.578901: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found"
NO_NVCUDA = "2024-01-02 03:04:05.678901: W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'nvcuda.dll'; dlerror: nvcuda.dll not found"
STACK = (
    "Current thread 0x00007f0000044cd0 (most recent call first):",
    '  File "/home/user/env/lib/python3.9/site-packages/h5py/_hl/files.py", line 443 in close',
    '  File "train.py", line 12 in <module>',
)


@pytest.mark.parametrize("bar", BARS)
@pytest.mark.parametrize("end", ENDS)
def test_a_shell_speaks_right_behind_a_bar(bar: str, end: str) -> None:
    assert root(judged(log(["Epoch 1/3", bar + end]))) == ENDS[end]


@pytest.mark.parametrize(
    "words", ["3 tasks killed", "job-7 aborted? no: it/s is 4", "loss: 0.3 (run Killed2 is kept)"]
)
def test_words_beside_a_bar_are_no_end(words: str) -> None:
    assert judged(log([f"{BARS[0]} {words}"])).roots == ()


def test_a_stack_of_faulthandler_alone_names_the_package() -> None:
    found = judged(log(STACK)).roots[0].finding
    assert (found.code, "h5py" in found.title, "SIG" in found.explanation) == (
        "native-crash",
        True,
        False,
    )


def test_the_stacks_of_a_timer_are_no_crash() -> None:
    lines = ["Timeout (0:00:30)!", STACK[0].replace("Current thread", "Thread"), *STACK[1:]]
    assert judged(log(lines)).roots == ()


@pytest.mark.parametrize("place", ["tensorflow_core/python/data/ops/dataset_ops.py", "cv2/gapi.py"])
def test_what_an_object_raises_at_its_own_end_ends_nothing(place: str) -> None:
    lines = [
        "Traceback (most recent call last):",
        f'  File "/usr/lib/python3/dist-packages/{place}", line 9, in __del__',
    ]
    assert (
        judged(log([*lines, "AttributeError: 'NoneType' object has no attribute 'device'"])).roots
        == ()
    )


@pytest.mark.parametrize("lines", [[NO_DRIVER], [NO_RUNTIME, NO_NVCUDA, NO_DRIVER]])
def test_a_driver_that_nobody_asked_for_is_worth_knowing(lines: list[str]) -> None:
    told = judged(log(lines))
    assert (root(told), told.roots[0].finding.severity) == ("gpu-absent", Severity.WARNING)
    assert diagnosis_view(told).tone == "degraded"


def test_a_crash_follows_from_no_missing_library_of_cuda() -> None:
    told = judged(
        log([NO_RUNTIME, "Epoch 1/3", "Process finished with exit code -1073741819 (0xC0000005)"])
    )
    assert root(told) == "native-crash"


CAUGHT = (
    "Traceback (most recent call last):",
    '  File "/srv/app/run.py", line 20, in load',
    "    import pycuda.driver",
    "ModuleNotFoundError: No module named 'pycuda'",
)
EPOCH = "100/100 [==============================] - 5s 44ms/step - loss: 0.6931 - accuracy: 0.5120"


@pytest.mark.parametrize(
    "lines",
    [
        [
            "WARNING:app:no GPU delegate, using the CPU",
            *CAUGHT,
            "INFO:app:request 1 answered in 41 ms",
        ],
        [*CAUGHT, "Retrying (1/3) ...", EPOCH],
        [*CAUGHT, "Falling back to the CPU", "2024-01-01 10:00:00,000 [INFO] model loaded"],
    ],
)
def test_what_was_caught_and_survived_is_no_end(lines: list[str]) -> None:
    assert judged(log(lines)).roots == ()


@pytest.mark.parametrize(
    "lines",
    [
        [
            "WARNING:tensorflow:From a.py:1: f is deprecated",
            *CAUGHT,
            "INFO:app:request 1 answered in 41 ms",
        ],
        ["WARNING:app:no GPU delegate", *CAUGHT, "INFO:app:shutting down"],
        ["WARNING:app:no GPU delegate", *CAUGHT],
        [*CAUGHT, "Retrying (1/3) ...", *CAUGHT],
    ],
)
def test_an_error_with_nothing_told_after_it_is_the_end(lines: list[str]) -> None:
    assert judged(log(lines)).roots != ()


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("进程已结束，退出代码为 137 (interrupted by signal 9:SIGKILL)", "host-oom-killed"),
        ("进程已结束,退出代码137", "host-oom-killed"),
        ("Processus terminé (interrupted by signal 11:SIGSEGV)", "native-crash"),
        ("  Exception Code:\tc0000005", "native-crash"),
        (
            "RuntimeError: DataLoader worker (pid 156) is killed by signal: Killed.",
            "host-oom-killed",
        ),
        ("[1]+  Hangup                  python train.py", "killed-by-user"),
    ],
)
def test_ends_in_the_words_of_editors_and_systems(line: str, code: str) -> None:
    assert root(judged(log(["Epoch 1/3", line]))) == code


def test_a_worker_of_ray_that_asked_for_no_gpu_has_none() -> None:
    no_device = "E external/local_xla/xla/stream_executor/cuda/cuda_driver.cc:274] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
    told = judged(
        log(
            [
                f"(RolloutWorker pid=12) 2024-01-01 00:00:05.012345: {no_device}",
                "Trial PPO_1 completed.",
            ]
        )
    )
    assert (root(told), told.roots[0].finding.severity) == ("gpu-hidden", Severity.WARNING)
