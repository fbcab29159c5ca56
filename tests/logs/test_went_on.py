"""What frightens and was followed by work, by success, or by another try raises no alarm; what nothing followed still does."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log
from tfdoctor.report.diagnosis import CAUSE_FOUND, NOISE_ONLY, UNRECOGNISED

_STEPS = (
    "Epoch 3/10",
    "100/100 [==============================] - 4s 40ms/step - loss: 0.2912 - accuracy: 0.9152",
    "Epoch 4/10",
    " 37/100 [==========>...................] - ETA: 2s - loss: 0.2711 - accuracy: 0.9252",
)
_NO_DEVICE = "2022-06-01 10:00:00.000000: E tensorflow/stream_executor/cuda/cuda_driver.cc:271] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"
_FRIGHTENS = (
    "wandb: ERROR Can't save model in the h5py format. The model will be saved as an W&B Artifact in the 'tf' format.",
    "E0000 00:00:1730451600.100000    4242 fork_posix.cc:75] Other threads are currently calling into gRPC, skipping fork() handlers",
    "WARNING: There was an error initializing an OpenFabrics device.",
    "E0101 10:00:00.000000000   1 oauth2_credentials.cc:236] oauth_fetch: UNKNOWN:C-ares status is not ARES_SUCCESS",
    "ERROR:tensorflow:==================================",
    "pip install pydot failed; You must install pydot for plot_model to work.",
)
_BY_THEMSELVES = (
    "WARNING:urllib3.connectionpool:Retrying (Retry(total=2, connect=None)) after connection broken by 'NewConnectionError(': Failed to establish a new connection')': /v1",
    "/opt/env/lib/python3.8/site-packages/sklearn/base.py:334: UserWarning: Trying to unpickle estimator. This might lead to breaking code or invalid results.",
    'INFO:     10.0.0.1:5000 - "GET / HTTP/1.1" 404 Not Found',
    "[W 10:00:05.123 NotebookApp] 404 GET /nbextensions/widgets/notebook/js/extension.js (127.0.0.1) 4.21ms",
    "Solving environment: failed with initial frozen solve. Retrying with flexible solve.",
    "    + FullyQualifiedErrorId : NativeCommandError",
)
_WORKED = {
    "pytest": (_NO_DEVICE, "=========== 40 passed, 1 xfailed, 3 warnings in 61.20s (0:01:01) ==========="),  # a sample of pytest's summary; no test is expected to fail
    "xfail": ("E       ValueError: bad shape", "tests/test_a.py:8: ValueError", "======== 12 passed, 1 xfailed in 8.31s ========="),  # a sample of pytest's, too
    "unittest": (_NO_DEVICE, "Ran 27 tests in 35.120s", "OK (skipped=1)"),
    "service": ("[2022-12-26 09:31:02,000: ERROR/MainProcess] consumer: Cannot connect to redis://redis:6379//: Connection refused..", "Trying again in 2.00 seconds... (1/100)"),
    "wheel": ("  ERROR: Command errored out with exit status 1:", "  ERROR: Failed building wheel for x", "Successfully installed x-0.3.6 tensorflow-2.3.1"),
    "conda": ("Solving environment: failed with repodata from current_repodata.json, will retry with next repodata source.", "Executing transaction: done"),
    "pod": ("Warning  FailedScheduling  2m  default-scheduler  0/3 nodes are available: 3 Insufficient memory.", "Normal  Scheduled  90s  default-scheduler  Successfully assigned ml/trainer-0 to node2"),
    "tool": ("[23:28:14 - Predict] Setting tensorflow threads to 32.", _NO_DEVICE, "[23:28:15 - Predict] Processing 1 long region(s) with batching."),
    "info": (_NO_DEVICE, "2021-06-04 15:45:42 INFO     tool.validation  - The 'version' key is missing in the file."),
}  # fmt: skip
_STOPPED = (
    "^CTraceback (most recent call last):",
    '  File "train.py", line 3, in <module>',
    "    model.fit(x)",
    "KeyboardInterrupt",
)


@pytest.mark.parametrize("line", _FRIGHTENS)
def test_steps_that_follow_say_that_it_stopped_nothing(line: str) -> None:
    diagnosis = judged(log((line, *_STEPS)))
    assert (diagnosis.verdict, diagnosis.suspects) == (NOISE_ONLY, ())


@pytest.mark.parametrize("line", _FRIGHTENS)
def test_where_nothing_follows_the_line_is_shown(line: str) -> None:
    assert judged(log((*_STEPS, line))).verdict == UNRECOGNISED or line.startswith("WARNING")


@pytest.mark.parametrize("line", _BY_THEMSELVES)
def test_these_say_by_themselves_that_the_program_goes_on(line: str) -> None:
    assert judged(log((line,))).verdict == NOISE_ONLY


@pytest.mark.parametrize("name", _WORKED)
def test_what_worked_has_no_cause(name: str) -> None:
    assert judged(log(_WORKED[name])).verdict == NOISE_ONLY


@pytest.mark.parametrize(
    "line",
    [
        "======== 1 failed, 40 passed in 61.20s =========",
        "ERROR: retrying failed, the number of tries is exceeded",
        "ERROR: the file could not be read. Please try again.",
    ],
)
def test_who_gave_up_is_shown(line: str) -> None:
    assert judged(log((line,))).verdict != NOISE_ONLY


def test_a_gpu_that_was_asked_for_is_missed_whatever_goes_on() -> None:
    asked = "$ docker run --gpus all image python train.py"
    assert judged(log((asked, *_WORKED["tool"]))).verdict == CAUSE_FOUND


def test_who_stops_a_training_by_hand_is_told_that_and_no_more() -> None:
    for lines in ((*_STEPS, *_STOPPED), (*_STEPS, *_STOPPED[:2])):
        diagnosis = judged(log(lines))
        assert diagnosis.verdict == NOISE_ONLY
        assert [each.finding.code for each in diagnosis.diagnoses] == ["killed-by-user"]


def test_a_caret_at_the_end_leaves_open_who_stopped_it() -> None:
    lines = ("INFO:tensorflow:Starting Queues.", "I0905 12:46:24.592570 140623126210304 supervisor.py:1099] global_step/sec: 0", "^C")  # fmt: skip
    assert "Ctrl-C" in judged(log(lines)).unfinished
    assert not judged(
        log((" * Running on http://127.0.0.1:5000/ (Press CTRL+C to quit)", "^C"))
    ).unfinished


def test_a_toolkit_on_the_path_was_installed_for_a_gpu() -> None:
    missing = "W tensorflow/stream_executor/platform/default/dso_loader.cc:64] Could not load dynamic library 'libcuda.so.1'; dlerror: libcuda.so.1: cannot open shared object file: No such file or directory; LD_LIBRARY_PATH: {}"
    told = "[23:28:15 - Predict] Processing 1 long region(s) with batching."
    assert judged(log((missing.format("/usr/local/cuda/lib64"), told))).verdict == CAUSE_FOUND
    assert judged(log((missing.format("/opt/lib"), told))).verdict == NOISE_ONLY


_RAISED = (
    "Traceback (most recent call last):",
    '  File "train.py", line 3, in load',
    "    raise ValueError(name)",
    "ValueError: bad",
)
_WHOLE = (
    "Epoch 1/2",
    "10/10 [==============================] - 1s 2ms/step - loss: 0.2912",
    "Epoch 2/2",
    "10/10 [==============================] - 1s 2ms/step - loss: 0.2711",
)


@pytest.mark.parametrize(
    "lines",
    [
        (*_RAISED, *_WHOLE),
        ("ERROR:root:no cache", *_RAISED, *_WHOLE, "Training finished."),
        (*_WHOLE[:2], *_RAISED, *_WHOLE[2:]),
        (*_RAISED, *_RAISED, *_WHOLE),
    ],
)
def test_an_exception_before_all_of_the_work_was_caught_and_is_a_note(
    lines: tuple[str, ...],
) -> None:
    found = judged(log(lines))
    assert (found.verdict, [each.code for each in found.diagnoses]) == (
        NOISE_ONLY,
        ["python-exception"],
    )


@pytest.mark.parametrize(
    "lines",
    [
        (*_WHOLE, *_RAISED),
        (*_RAISED, *_WHOLE[:3], " 3/10 [====>.....] - ETA: 2s - loss: 0.2711"),
        (*_RAISED, *_WHOLE[:2]),
        (*(f"[1,0]<stderr>:{line}" for line in _RAISED), *(f"[1,1]<stdout>:{line}" for line in _WHOLE)),
        (*_RAISED, *_WHOLE, "Killed"),
        (*_RAISED, *_WHOLE, "Process exited with status 3"),
    ],
)  # fmt: skip
def test_an_exception_that_may_have_ended_something_is_none(lines: tuple[str, ...]) -> None:
    assert judged(log(lines)).verdict != NOISE_ONLY
