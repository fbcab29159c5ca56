"""What a stage that died of a signal said last: told where it is an error, and kept from the title where it was survived."""

from __future__ import annotations

from tests.unit.judge.machines import base, changed, finding
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.facts.smoke_values import ChildEnd, TensorFlowSmoke

NO_STREAM = "E0000 00:00:1795386773.283183    1396 gpu_device.cc:425] Failed to create stream: INTERNAL: CUDA error: : CUDA_ERROR_UNKNOWN: unknown error"
NO_HALF = "E0000 00:00:1795386932.140723    3953 util.cc:131] oneDNN supports DT_HALF only on platforms with AVX-512. Falling back to the default Eigen-based implementation if present."
DEVICE = "I0000 00:00:1795386773.283045    1396 gpu_device.cc:2043] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 21760 MB memory"
FACTORY = "2024-05-01 09:00:00.123456: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:485] Unable to register cuFFT factory: Attempting to register factory for plugin cuFFT when one has already been registered"
"""The first three by TensorFlow 2.21.0 on the simulated driver, 2026-11-22; the last is noise of 2.16 to 2.18."""


def stage(end: ChildEnd, *log: str) -> TensorFlowSmoke:
    return TensorFlowSmoke(
        imported=Known("2.21.0", "tensorflow.__version__"),
        import_error=Absent("imported"),
        module_file=Absent("not asked"),
        import_s=Known(2.1, "clock"),
        gpus=Absent("not listed"),
        built_with_cuda=Known(True, "is_built_with_cuda"),
        computations=(),
        last_step="listing",
        end=end,
        log=log,
    )


def title_of(code: str, told: TensorFlowSmoke) -> str:
    return finding(
        changed(base(), smoke={"tensorflow": Known(told, "the TensorFlow stage")}), code
    ).title


def title_after(*log: str) -> str:
    return title_of("native-crash", stage(ChildEnd("signal", 11, ()), *log))


def test_the_last_line_is_told_where_it_is_an_error() -> None:
    told = "Failed to create stream: INTERNAL: CUDA error: : CUDA_ERROR_UNKNOWN: unknown error"
    assert (
        title_after(NO_HALF, DEVICE, NO_STREAM)
        == f"Python died of SIGSEGV at the step listing: {told}."
    )


def test_an_error_that_was_survived_is_not_called_the_reason() -> None:
    assert title_after(NO_STREAM, DEVICE) == "Python died of SIGSEGV at the step listing."


def test_noise_is_not_called_the_reason() -> None:
    assert title_after(DEVICE, FACTORY) == "Python died of SIGSEGV at the step listing."


def test_an_exception_between_two_steps_is_told() -> None:
    raised = "tensorflow.python.framework.errors_impl.InternalError: no stream for this device"
    title = title_of("smoke-tensorflow-failed", stage(ChildEnd("exit", 1, ("    f()", raised))))
    assert title == f"TensorFlow fails at listing: {raised}."


def test_a_last_line_that_is_no_exception_is_not_called_the_reason() -> None:
    title = title_of(
        "smoke-tensorflow-failed", stage(ChildEnd("exit", 1, ("note: something else",)))
    )
    assert title == "TensorFlow fails at listing."
