"""A log is called fine only where nothing in it says that something failed, or something worked after it."""

from __future__ import annotations

import pytest

from tests.logs.healthy import RELEASES, healthy
from tests.logs.judged import judged, log
from tfdoctor.report.diagnosis import NOISE_ONLY, UNRECOGNISED

_STEP = "100/100 [==============================] - 4s 40ms/step - loss: 0.2912 - accuracy: 0.9152"
_CREATED = "2022-09-08 21:45:09.3: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1532] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 22299 MB memory:  -> device: 0, name: NVIDIA A30, pci bus id: 0000:17:00.0, compute capability: 8.0"
_UNKNOWN = (
    "Mode collapse detected, aborting.",
    "no progress: aborting the run",
    "validation loss is 0.3, but saving it FAILED",
    "Failed to open the frobnicator",
    "the frobnicator refused the plan",
    "fault in sector 7 of the frobnicator",
    "frobnicate: cannot go deeper",
    "frobnicate: aborted",
    "3 failed, 12 passed in 8.31s",
    "ptxas exited with non-zero error code 65280",
    "CUDNN_STATUS_NOT_INITIALIZED",
    "CUDA driver version is insufficient",
    "No module named frobnicator",
    "the worker exited unexpectedly",
    "checksum mismatch in shard 3",
    "| ERR!  30C    P8    ERR! / 250W |      1MiB / 11178MiB |      0%      Default |",
    "[1]+  Exit 3                  ./frobnicate",
    "1 process returned a non-zero exit code.",
    "Frobnicating halted: overflow",
    "✗ POSSIBLE CAUSE  The frobnicator does not spin.",
    "  ❌ frobnicate the input",
    "your GPU isn't usable",
    "[ 3212.1] nfs: server tower not responding, still trying",
    "[ 3212.1] frobnicate invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
    "[ 3212.1] __vm_enough_memory: pid: 4242, comm: frobnicate, no enough memory for the allocation",
    "[   12.1] nvidia: disagrees about version of symbol module_layout",
    "[   12.1] Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7",
    "[   12.1] pci 0000:01:00.0: BAR 1: no space for [mem size 0x400000000 64bit pref]",
    "unsupported frobnicator",
    "AVX2 instructions are not available on this frobnicator",
    "Ignoring visible frobnicator (device: 0)",
    "2023-07-15 00:38:25.5: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1717] Ignoring visible frobnicator (device: 0)",
    "2023-07-15 00:38:25.5: W tensorflow/core/something_new.cc:12] Could not determine the frobnication, not found in the cache.",
    "W0000 00:00:1740763678.575642 2218885 other.cc:9] Failed to determine the frobnication",
)
_FINE = (
    "[1]+  Done                    python prepare.py",
    "✓ frobnicate the input",
    "the frobnicator is responding; exit status 0",
    "0 errors, 0 warnings",
    "Ran 12 checks: passed: 12, failed: 0",
    "12 passed, 0 failed in 8.31s",
    "tests: 9, failures=0, errors=0",
    '{"step": 3, "error": null}',
    "step 10 error: 0.0312 lr: 1e-3",
    "Minibatch error: 90.6%",
    "reprojection error is 0.53 px",
    "training with mean squared error and mean_absolute_error",
    "word error rate 12.5%",
    "finished without any errors",
    "no known faults",
    "cudnnCreate returned CUDNN_STATUS_SUCCESS",
    "NCCL_TIMEOUT=1800 MY_ERROR: 0",
    "error counters are 3",
    "tool test --no-errors --fail-fast --out ./results",
    "wrote /var/log/error.log and reports/failed_cases.csv",
    "Minor (reclaiming a frame) page faults: 20341",
    "BackupAndRestore is on for fault tolerance",
    "restart policy: on failure",
    'INFO:     10.0.0.1:5000 - "GET / HTTP/1.1" 404 Not Found',
    "W0000 00:00:1740763678.575642 2218885 other.cc:9] Failed to warm up the cache; going on without",
)


@pytest.mark.parametrize("line", _UNKNOWN)
def test_a_line_that_tells_of_a_failure_nobody_knows_is_shown(line: str) -> None:
    found = judged(log(["Loading the data", line]))
    assert (found.verdict, [each.text for each in found.suspects]) == (UNRECOGNISED, [line])


@pytest.mark.parametrize("line", _UNKNOWN[:9])
def test_it_is_shown_after_work_too(line: str) -> None:
    assert judged(log([_STEP, line])).verdict == UNRECOGNISED


@pytest.mark.parametrize(
    "line",
    [
        "Epoch 3/10 failed to start the worker",
        "step 1/2 failed to start the worker",
        "Step 5: loss 0.3, failed to write the summary",
        "loss: 0.3 - error: could not save",
        f"{_STEP} FATAL: the results could not be stored",
    ],
)
def test_what_fails_beside_a_line_of_progress_is_not_called_fine(line: str) -> None:
    found = judged(log([_STEP, line]))
    assert (found.verdict, [each.text for each in found.suspects]) == (UNRECOGNISED, [line])


@pytest.mark.parametrize(
    "line",
    [
        f"{_STEP} - error: 0.1 - val_error: 0.2",
        "Epoch 3: error: 0.12, loss: 0.3",
        "Step 5: loss 0.3, errors: 0",
    ],
)
def test_a_metric_that_is_called_an_error_is_none(line: str) -> None:
    assert judged(log(["Epoch 1/2", line])).verdict == NOISE_ONLY


@pytest.mark.parametrize("number", [5_000, 9_000, 70_000])
@pytest.mark.parametrize(
    "line", ["error: the input {}", "Failed to open {}", "ValueError: {}", "cannot convert {}"]
)
def test_a_failure_in_a_long_line_is_not_called_fine(line: str, number: int) -> None:
    found = judged(log(["start", line.format("1.0 " * (number // 4))]))
    assert found.verdict == UNRECOGNISED


@pytest.mark.parametrize("number", [5_000, 9_000, 70_000])
@pytest.mark.parametrize(
    "end", ["ValueError: can't convert {}", "RuntimeError: {}", "InvalidArgumentError: {}"]
)
def test_a_long_message_keeps_its_traceback(end: str, number: int) -> None:
    lines = [
        "Traceback (most recent call last):",
        '  File "a.py", line 7, in <module>',
        "    x",
        end,
    ]
    found = judged("\n".join(lines).format("1.0, " * (number // 5)) + "\n")
    assert [each.code for each in found.roots] == ["python-exception"]
    assert "a.py, line 7" in found.roots[0].title


_DONE = ["Epoch 1/2", _STEP, "Epoch 2/2", _STEP]
_AFTER_THE_END = [
    "FATAL: the results could not be stored",
    "ERROR: job failed with status 1",
    "[9.9] BUG: unable to handle page fault for address: ffffffffc0",
    "thread 'main' panicked at src/main.rs:2:5:",
    "systemd[1]: train.service: A process of this unit has been killed by the OOM killer.",
    "==123==ERROR: AddressSanitizer: heap-use-after-free on address 0x60",
    "INFO: task python3:1234 blocked for more than 120 seconds.",
    "[9.9] rcu: INFO: rcu_sched self-detected stall on CPU",
    "[9.9] watchdog: soft lockup - CPU#3 stuck for 22s!",
    "client_loop: send disconnect: Broken pipe",
    "tee: standard output: Broken pipe",
    "events.js: write EPIPE",
]


@pytest.mark.parametrize("line", _AFTER_THE_END)
def test_what_fails_behind_the_last_epoch_is_not_called_fine(line: str) -> None:
    found = judged(log([*_DONE, line]))
    assert (found.verdict, [each.text for each in found.suspects]) == (UNRECOGNISED, [line])


def test_what_is_only_refused_behind_the_last_epoch_is_no_failure() -> None:
    assert judged(log([*_DONE, "Could not remove the cache"])).verdict == NOISE_ONLY


@pytest.mark.parametrize("line", _UNKNOWN)
def test_work_after_it_says_that_it_stopped_nothing(line: str) -> None:
    assert judged(log([line, "Epoch 2/2", _STEP])).verdict == NOISE_ONLY


@pytest.mark.parametrize("line", _UNKNOWN[-3:])
def test_a_warning_of_tensorflow_is_no_failure_where_something_worked_after_it(line: str) -> None:
    assert judged(log([line, _CREATED])).verdict == NOISE_ONLY


@pytest.mark.parametrize("line", _FINE)
def test_what_only_looks_like_a_failure_is_none(line: str) -> None:
    found = judged(log(["Loading the data", line]))
    assert (found.verdict, found.suspects) == (NOISE_ONLY, ())


@pytest.mark.parametrize("release", RELEASES)
def test_a_healthy_log_stays_fine_where_it_is_cut(release: str) -> None:
    for lines in (8, 40):
        assert judged(log(healthy(release, lines))).suspects == ()
