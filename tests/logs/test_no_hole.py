"""No text that holds an unhandled error ends as "nothing wrong": what is not known is at least said to be a failure."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log, root
from tfdoctor.report.diagnosis import NOISE_ONLY

WORKED = ["Epoch 1/5", "100/100 [==============================] - 5s 8ms/step - loss: 0.7888"]
UNEXPLAINED = (
    "  (0) RESOURCE_EXHAUSTED:  Some words that nobody knows",
    "  (1) INTERNAL: something failed",
    "  (0) NOT_FOUND: Resource localhost/foo/N10tensorflow3VarE does not exist.",
    "  (0) Invalid argument: indices[0,0] = 1000 is not in [0, 1000)",
    "2 root error(s) found.",
    "2023-01-01 00:00:00.000000: W tensorflow/core/framework/op_kernel.cc:1745] OP_REQUIRES failed at foo.cc:1198 : INTERNAL: words",
    "2023-01-01 00:00:00.000000: E tensorflow/core/foo.cc:12] Something failed",
    "The kernel died. Error: something. View Jupyter log for further details.",
    "Kernel unexpectedly terminated",
    "python.exe has stopped working",
    "Uncaught exception: words",
    "Out of memory",
    "Error in py_call_impl(callable, call_args$unnamed, call_args$named) : ValueError: words",
    "Exception in thread Thread-5:",
    '  File "train.py", line 3, in <module>',
    "Failed to load the native TensorFlow runtime.",
    "train-job-0   0/1   CrashLoopBackOff   5   6m",
    "2024-03-11 10:11:12.000000: W tensorflow/core/framework/local_rendezvous.cc:404] Local rendezvous is aborting with status: INVALID_ARGUMENT: words",
    "内存不足",
)
"""Failures whose cause no text of the catalogue tells."""
NAMED = {
    "killed": "host-oom-killed",
    "./train.sh: 60: 11880 killed              python3 train.py": "host-oom-killed",
    "gcc: internal compiler error: Killed (program cc1plus)": "host-oom-killed",
    "RequestId: 1 Error: Runtime exited with error: signal: killed": "host-oom-killed",
    "Worker exited prematurely: signal 9 (SIGKILL)": "host-oom-killed",
    "[ERROR] Worker (pid:8) was sent SIGKILL! Perhaps out of memory?": "host-oom-killed",
    "['/opt/conda/bin/python3.9', '-u', '-m', 'trainer'] exits with return code = -9": "host-oom-killed",
    "tensorflow.python.framework.errors_impl.InvalidArgumentError:  Cannot batch tensors with different shapes": "python-exception",
    "/usr/bin/tf_serving_entrypoint.sh: line 3:     6 Killed                  tensorflow_model_server": "container-oom-killed",
    "The command '/bin/sh -c pip install tensorflow' returned a non-zero code: 137": "container-oom-killed",
    "This step is in Failed state with this message: OOMKilled": "container-oom-killed",
    "Your notebook tried to allocate more memory than is available. It has restarted.": "container-oom-killed",
    "Memory limit of 512 MiB exceeded with 530 MiB used. Consider increasing the memory limit": "container-oom-killed",
    "Error R15 (Memory quota vastly exceeded)": "container-oom-killed",
    "zsh: abort      python train.py": "native-crash",
    "Abort trap: 6": "native-crash",
    "Trace/breakpoint trap (core dumped)": "native-crash",
    "*** Error in `/usr/bin/python': free(): invalid pointer: 0x0000000001e16c50 ***": "native-crash",
    "double free or corruption (!prev)": "native-crash",
    "corrupted size vs. prev_size": "native-crash",
    "malloc(): corrupted top size": "native-crash",
    "*** stack smashing detected ***: terminated": "native-crash",
    "libc++abi: terminating with uncaught exception of type std::runtime_error: words": "native-crash",
    "*** SIGSEGV received at time=1 on cpu 3 ***": "native-crash",
    "#  SIGSEGV (0xb) at pc=0x00007f, pid=1, tid=2": "native-crash",
    "Windows fatal exception: access violation": "native-crash",
    " *** caught segfault ***": "native-crash",
    "zsh: IOT instruction  python t1.py": "native-crash",
    "2 weeks ago  Exited (137) 2 minutes ago  tf": "container-oom-killed",
    "State: OUT_OF_MEMORY (exit code 0)": "scheduler-killed",
    "State: TIMEOUT (exit code 0)": "scheduler-killed",
    "Kernel died, restarting": "jupyter-kernel-died",
    "WARNING:traitlets:kernel died: 6": "jupyter-kernel-died",
    "Error: Kernel is dead": "jupyter-kernel-died",
    "The kernel for Untitled.ipynb appears to have died. It will restart automatically.": "jupyter-kernel-died",
    "WARNING:root:kernel 1f2d3c4b-7d52-4a0d-9f0e-0123456789ab restarted": "jupyter-kernel-died",
    "12:03:15.325 [error] Disposing session as kernel process died ExitCode: undefined, Reason: ": "jupyter-kernel-died",
    "ResourceExhaustedError (see above for traceback): OOM when allocating tensor with shape[64,64]": "gpu-out-of-memory",
    "tensorflow.python.framework.errors_impl.UnavailableError: [_Derived_]Socket closed": "worker-lost",
    "  Profiling failure on CUDNN engine 0: UNKNOWN: CUDNN_STATUS_ALLOC_FAILED": "gpu-library-no-memory",
}
HARMLESS = (
    "[I 12:00:00.000 NotebookApp] Kernel restarted: 1f2d3c4b-7d52-4a0d-9f0e-0123456789ab",
    "2023-01-01 00:00:00.000000: W tensorflow/core/framework/op_kernel.cc:1745] OP_REQUIRES failed at iterator_ops.cc:2 : OUT_OF_RANGE: End of sequence",
    '            "OOMKilled": false,',
    "the corrupted image was skipped",
    "2024-03-11 10:11:12.000000: W tensorflow/core/framework/local_rendezvous.cc:404] Local rendezvous is aborting with status: OUT_OF_RANGE: End of sequence",
)


@pytest.mark.parametrize("line", UNEXPLAINED)
def test_a_failure_that_nobody_knows_is_still_one(line: str) -> None:
    assert judged(log([*WORKED, line])).verdict != NOISE_ONLY


@pytest.mark.parametrize("line", NAMED)
def test_an_end_is_known_in_each_of_its_forms(line: str) -> None:
    assert root(judged(log([*WORKED, line]))) == NAMED[line]


@pytest.mark.parametrize("line", HARMLESS)
def test_what_only_looks_like_an_end_is_none(line: str) -> None:
    assert judged(log([*WORKED, line])).verdict == NOISE_ONLY


def test_an_operation_that_failed_and_was_caught_is_no_failure() -> None:
    failed = "2023-01-01 00:00:00.000000: W tensorflow/core/framework/op_kernel.cc:1745] OP_REQUIRES failed at foo.cc:1198 : INTERNAL: words"
    assert judged(log([*WORKED, failed, "Epoch 2/5", *WORKED[1:]])).verdict == NOISE_ONLY


def test_a_healthy_training_has_no_result_of_its_own() -> None:
    assert judged(log(WORKED)).own_result == ""


def test_a_generator_that_failed_is_named_and_not_the_stop_that_followed() -> None:
    lines = [
        *WORKED,
        "Traceback (most recent call last):",
        '  File "train.py", line 71, in process_batch',
        "    img = imgs[symbol + j]",
        "IndexError: list index out of range",
        "",
        "Traceback (most recent call last):",
        '  File "train.py", line 180, in <module>',
        "    main()",
        "StopIteration",
    ]
    found = judged(log(lines)).roots[0].finding
    assert (
        found.title
        == "Not an environment problem: your program raised IndexError in train.py, line 71."
    )


def test_a_heap_that_was_overwritten_is_told() -> None:
    assert (
        "heap" in judged(log([*WORKED, "double free or corruption (!prev)"])).roots[0].finding.title
    )


@pytest.mark.parametrize(
    ("package", "words"), [("cv2", "opencv-python"), ("tensorflow", "CUDA_VISIBLE_DEVICES=-1")]
)
def test_a_crash_with_its_stack_names_what_was_at_work(package: str, words: str) -> None:
    lines = [
        "Fatal Python error: Segmentation fault",
        "",
        "Current thread 0x00007f0000000000 (most recent call first):",
        f'  File "/opt/env/lib/python3.10/site-packages/{package}/core.py", line 59 in run',
        '  File "train.py", line 30 in main',
    ]
    found = judged(log(lines)).roots[0].finding
    assert package in found.title
    assert words in " ".join(line for fix in found.fixes for line in fix.commands)
