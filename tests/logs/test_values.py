"""Values that are none, sizes that nobody knows, data of unequal lengths, and NaN on several GPUs: what is said first, and to whom."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logs.judged import judged
from tests.scenarios.conftest import bundled
from tfdoctor.ask.logs.read import opened_logs, read_streams
from tfdoctor.report.diagnosis import diagnose


def _raised(words: str, frame: str = 'File "train.py", line 7, in main') -> str:
    return f"Traceback (most recent call last):\n  {frame}\n    run()\n{words}\n"


@pytest.mark.parametrize(
    ("log", "code", "title", "first"),
    [
        (_raised("InternalError: Failed to create cuSolverDN instance."), "gpu-library-no-memory", "cuSolver", "ALLOW_GROWTH"),
        (_raised("InternalError: tensorflow/core/util/cuda_solvers.cc:803: cuSolverDN call failed with status =7 [Op:Svd]"), "cuda-context-poisoned", "cuSolver", "check_numerics"),
        (_raised("InternalError: cuDNN launch failure : input shape ([32,64,28,28])"), "cuda-context-poisoned", "cuDNN", "ALLOW_GROWTH"),
        (_raised("UnknownError: JIT compilation failed. [Op:Rsqrt]"), "libdevice-missing", "compiled", "libdevice|ptxas"),
        ("Epoch 1/5\nCould not locate zlibwapi.dll. Please make sure it is in your library path!\n", "windows-cudnn-dll-missing", "zlibwapi.dll", "64-bit"),
        ("Epoch 1/5\nabort: Initializing libguide.lib, but found libguide40.lib already initialized.\n", "openmp-duplicate", "OpenMP", "conda"),
        ("/var/spool/slurm/job7/slurm_script: line 31:  6521 Killed singularity exec --nv tf.sif python -u ./train.py\n", "host-oom-killed", "killed", "memory"),
        (_raised("PermissionError: [Errno 13] Permission denied: '-rf'"), "python-exception", "No permission", "ls -ld NAME"),
        (_raised("tensorflow.python.framework.errors_impl.PermissionDeniedError: /data/logs; Permission denied"), "python-exception", "No permission", "ls -ld /data/logs"),
        (_raised("tensorflow.python.framework.errors_impl.UnavailableError: failed to connect to all addresses"), "worker-lost", "", ""),
    ],
)  # fmt: skip
def test_what_fails_at_work(log: str, code: str, title: str, first: str) -> None:
    found = judged(log).roots[0].finding
    assert found.code == code
    assert title in f"{found.title} {found.explanation}"
    assert first in " ".join((found.fixes[0].title, *found.fixes[0].commands, found.fixes[0].note))


_ROWS = (
    "Aug 2, 2022, 3:14:17 PM\tWARNING\tWARNING:root:kernel 5f8c restarted",
    "Aug 2, 2022, 3:14:17 PM\tINFO\tKernelRestarter: restarting kernel (1/5), keep random ports",
    "Aug 2, 2022, 3:14:12 PM\tWARNING\t2022-08-02 09:44:12.000: F tensorflow/stream_executor/cuda/cuda_dnn.cc:1186] Check failed: cudnnSetTensorNdDescriptor(handle_.get(), 1) == CUDNN_STATUS_SUCCESS (3 vs. 0)",
    "Aug 2, 2022, 12:59:12 PM\tWARNING\t2022-08-02 07:29:12.000: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1532] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 13823 MB memory",
)


@pytest.mark.parametrize("rows", [_ROWS, tuple(reversed(_ROWS))])
def test_a_table_of_colab_means_the_same_from_both_ends(
    tmp_path: Path, rows: tuple[str, ...]
) -> None:
    path = tmp_path / "colab.txt"
    path.write_text("Timestamp\tLevel\tMessage\n" + "\n".join(rows) + "\n")
    facts, reads = read_streams(opened_logs([str(path)]))
    assert diagnose(facts, reads, bundled()).roots[0].finding.code == "check-failed"
    assert ("newest" in reads[0].file.note) == (rows is _ROWS)


def test_a_table_whose_times_rise_and_fall_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "colab.txt"
    path.write_text("\n".join((_ROWS[2], _ROWS[3], _ROWS[0])) + "\n")
    _, reads = read_streams(opened_logs([str(path)]))
    assert reads[0].file.note == ""


def test_the_message_that_says_itself_that_it_is_none_raises_no_alarm() -> None:
    line = "2023-01-01 10:00:00.000000: I tensorflow/core/common_runtime/executor.cc:1197] [/device:CPU:0] (DEBUG INFO) Executor start aborting (this does not indicate an error and you can ignore this message): INVALID_ARGUMENT: You must feed a value for placeholder tensor 'Placeholder/_0' with dtype int32\n"
    assert (
        judged(
            f"{line}Epoch 1/2\n10/10 [====] - 1s - loss: 0.2\nEpoch 2/2\n10/10 [====] - 1s - loss: 0.1\n"
        ).roots
        == ()
    )
