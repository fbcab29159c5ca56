"""A fatal line is why a process ended, wherever a server tells of the end."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, log

_FATAL = {
    "statusor": "2024-05-01 10:02:38.123456: F tensorflow/compiler/xla/statusor.cc:34] Attempting to fetch value instead of handling error INTERNAL: no CUDA devices found",
    "tensor": "2024-05-01 10:02:38.123456: F tensorflow/core/framework/tensor.cc:733] Check failed: 1 == NumElements() (1 vs. 0)Must have a one element tensor",
    "absl": "F0000 00:00:1795319133.524861   26252 tensor.cc:844] Check failed: dtype() == expected_dtype (9 vs. 3) int32 expected, got int64",
    "fork": "2022-09-27 13:45:15.709933: F tensorflow/stream_executor/cuda/cuda_driver.cc:146] Failed setting context: CUDA_ERROR_NOT_INITIALIZED: initialization error",
    "llvm": "LLVM ERROR: out of memory",
    "assertion": "python: /tmp/llvm/include/llvm/Support/Casting.h:566: Assertion `detail::isPresent(Val)' failed.",
}  # fmt: skip
_RESTART = (
    "[W 2024-05-01 10:02:40.123 ServerApp] AsyncIOLoopKernelRestarter: restarting kernel (1/5), keep random ports",
    "[I 10:02:40.123 NotebookApp] KernelRestarter: restarting kernel (1/5), new random ports",
    "KernelRestarter: restarting kernel (1/5)",
    "The kernel appears to have died. It will restart automatically.",
)
_WORKER = (
    "[2023-01-01 10:00:01 +0000] [1] [WARNING] Worker with pid 12 was terminated due to signal 6",
    "billiard.exceptions.WorkerLostError: Worker exited prematurely: signal 6 (SIGABRT) Job: 0.",
    "INFO exited: app (terminated by SIGABRT (core dumped); not expected)",
    "srun: error: n17: task 0: Aborted (core dumped)",
)


@pytest.mark.parametrize("restart", _RESTART)
@pytest.mark.parametrize("name", _FATAL)
def test_a_fatal_line_is_why_a_kernel_died_in_either_order(name: str, restart: str) -> None:
    older = "2024-05-01 10:02:36.123456: I tensorflow/core/platform/cpu_feature_guard.cc:193] This TensorFlow binary is optimized with oneAPI"
    for lines in ((older, _FATAL[name], restart), (restart, _FATAL[name], older)):
        found = judged(log(lines))
        assert [each.finding.code for each in found.roots] != ["jupyter-kernel-died"]
        assert found.roots[0].lines[0].text == _FATAL[name]


@pytest.mark.parametrize(
    "line", ["Intel MKL FATAL ERROR: Cannot load libmkl_avx2.so.", "frobnicator: fatal: it burned"]
)
def test_a_line_that_nobody_knows_is_not_denied(line: str) -> None:
    found = judged(log([_RESTART[1], line]))
    assert [each.text for each in found.suspects] == [line]
    assert "reason" not in found.roots[0].finding.title
