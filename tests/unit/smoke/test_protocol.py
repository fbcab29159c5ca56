"""From literal words of the ladder's programs to facts."""

from __future__ import annotations

import json

from tfdoctor.ask.probes.messages import ChildRun, Messages
from tfdoctor.ask.probes.smoke.results import (
    driver_smoke,
    libraries_smoke,
    log_of,
    tensorflow_smoke,
)
from tfdoctor.base.child import ChildResult
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.versions import LibraryRelease


def ended(how: str = "exit", status: int = 0, stderr: bytes = b"", peak: int = 0) -> ChildResult:
    return ChildResult(how, status, b"", stderr, 12.0, peak)


def words(*records: dict[str, object]) -> Messages:
    messages = Messages()
    for record in records:
        messages.take(b"\n@tfdoctor " + json.dumps(record).encode() + b"\n")
    return messages


PASSED = {"say": "result", "index": 0, "status": "passed", "max_error": 0.0, "step": "", "code": 0, "message": "",
          "context_s": 0.1, "load_s": 0.2, "run_s": 0.3}  # fmt: skip
REFUSED = {"say": "result", "index": 1, "status": "failed", "max_error": None, "step": "cuModuleLoadDataEx",
           "code": 222, "message": "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "context_s": 0.1}  # fmt: skip


def test_each_gpu_has_its_own_answer() -> None:
    messages = words(
        {"say": "gpu", "index": 0}, PASSED, {"say": "gpu", "index": 1}, REFUSED, {"done": 1}
    )
    smoke = driver_smoke([ChildRun(messages, ended())], 2)
    first, second = smoke.devices
    assert (first.status, first.step, first.max_error) == (
        "passed",
        "",
        Known(0.0, "compared with a*b+a"),
    )
    assert first.run_s == Known(0.3, "the driver stage")
    assert (second.status, second.step) == ("failed", "cuModuleLoadDataEx")
    assert second.code == Known(222, "cuModuleLoadDataEx")
    assert isinstance(second.max_error, Failed) and isinstance(second.run_s, Failed)
    assert (smoke.end.how, smoke.end.status) == ("exit", 0)


def test_a_hang_belongs_to_its_gpu_and_the_next_child_to_the_next() -> None:
    hung = ChildRun(
        words({"say": "gpu", "index": 0}, {"at": "cuCtxSynchronize"}), ended("timeout", -1)
    )
    well = ChildRun(words({"say": "gpu", "index": 1}, {**PASSED, "index": 1}, {"done": 1}), ended())
    smoke = driver_smoke([hung, well], 2)
    assert [item.status for item in smoke.devices] == ["failed", "passed"]
    assert smoke.devices[0].step == "cuCtxSynchronize"
    assert smoke.devices[0].code == Failed(
        "cuCtxSynchronize did not return within 12 s", "timed-out"
    )
    assert smoke.end.how == "timeout"


def test_gpus_that_were_not_reached_are_not_passed() -> None:
    hung = ChildRun(
        words({"say": "gpu", "index": 0}, {"at": "cuCtxSynchronize"}), ended("timeout", -1)
    )
    smoke = driver_smoke([hung], 3)
    assert [item.status for item in smoke.devices] == ["failed"] * 3
    assert "not tried" in smoke.devices[2].message


def test_a_driver_that_refuses_at_once_is_told_as_the_first_gpus_failure() -> None:
    refused = {"say": "refused", "step": "cuInit", "code": 999, "message": "CUDA_ERROR_UNKNOWN"}
    (device,) = driver_smoke([ChildRun(words(refused, {"done": 1}), ended())], 2).devices
    assert (device.step, device.code, device.message) == (
        "cuInit",
        Known(999, "cuInit"),
        "CUDA_ERROR_UNKNOWN",
    )


def test_a_library_is_opened_refused_or_killed_its_process() -> None:
    first = words(
        {"say": "library", "index": 0, "soname": "liba.so.1"}, {"say": "opened", "index": 0, "path": "/x/liba.so.1"},
        {"say": "library", "index": 1, "soname": "libb.so.1"}, {"say": "refused", "index": 1, "error": "libb.so.1: no"},
        {"say": "library", "index": 2, "soname": "libcudnn.so.9"}, {"say": "opened", "index": 2, "path": "/x/libcudnn.so.9"},
        {"say": "version", "index": 2, "version": "9.3.0"}, {"at": "cudnnCreate"},
    )  # fmt: skip
    second = words(
        {"say": "library", "index": 3, "soname": "libcublas.so.12"},
        {"say": "opened", "index": 3, "path": "/x/libcublas.so.12"},
        {"say": "version-failed", "index": 3, "error": "cublasGetProperty answered 7"},
        {
            "say": "handle",
            "index": 3,
            "answer": "cublasCreate_v2 answered 1 (CUBLAS_STATUS_NOT_INITIALIZED)",
        },
        {"done": 1},
    )
    runs = [ChildRun(first, ended("signal", 11)), ChildRun(second, ended())]
    smoke = libraries_smoke(runs, ("liba.so.1", "libb.so.1", "libcudnn.so.9", "libcublas.so.12"))
    a, b, cudnn, cublas = smoke.libraries
    assert (a.opened, a.path) == (True, Known("/x/liba.so.1", "dlinfo"))
    assert (b.opened, b.error, b.path) == (False, "libb.so.1: no", Absent("libb.so.1: no"))
    assert cudnn.version == Known(LibraryRelease("9.3.0"), "its own version call")
    assert cudnn.handle == Failed("cudnnCreate died of SIGSEGV", "died")
    assert cublas.version == Failed("cublasGetProperty answered 7", "call-failed")
    assert cublas.handle == Failed(
        "cublasCreate_v2 answered 1 (CUBLAS_STATUS_NOT_INITIALIZED)", "call-failed"
    )
    assert (smoke.end.how, smoke.end.status) == ("signal", 11)


IMPORTED = {
    "say": "imported",
    "version": "2.21.0",
    "file": "/s/tensorflow/__init__.py",
    "seconds": 2,
}
LISTED = {"say": "gpus", "names": ["GPU:0"], "built_with_cuda": True}
DONE = {"say": "computation", "name": "conv2d", "device": "GPU:0", "tolerance": 2e-3, "status": "passed",
        "max_error": 1e-4, "error": "", "first_s": 0.5, "steady_s": 0.01}  # fmt: skip


def test_a_whole_tensorflow_stage() -> None:
    smoke = tensorflow_smoke(
        words(IMPORTED, LISTED, {"at": "conv2d on GPU:0"}, DONE, {"done": 1}), ended(peak=5)
    )
    assert smoke.imported == Known("2.21.0", "import tensorflow")
    assert isinstance(smoke.import_error, Absent)
    assert smoke.gpus == Known(("GPU:0",), "list_physical_devices")
    assert [(item.name, item.status) for item in smoke.computations] == [("conv2d", "passed")]
    assert smoke.end.peak_rss == Known(5, "sampled")


def test_the_computation_at_which_it_died_is_named() -> None:
    smoke = tensorflow_smoke(
        words(IMPORTED, LISTED, DONE, {"at": "xla on GPU:0"}), ended("signal", 6)
    )
    last = smoke.computations[-1]
    assert (last.name, last.device, last.status) == ("xla", "GPU:0", "failed")
    assert last.error == "xla on GPU:0 died of SIGABRT"
    assert smoke.last_step == "xla on GPU:0"


def test_a_death_outside_of_a_computation_invents_none() -> None:
    smoke = tensorflow_smoke(words(IMPORTED, {"at": "listing the GPUs"}), ended("signal", 11))
    assert smoke.computations == ()
    assert smoke.gpus == Failed("listing the GPUs died of SIGSEGV", "died")


def test_an_import_that_failed_and_one_that_died() -> None:
    failed = tensorflow_smoke(
        words({"say": "import-error", "error": "ImportError: x"}, {"done": 1}), ended()
    )
    assert failed.import_error == Known("ImportError: x", "import tensorflow")
    assert failed.imported == Failed("ImportError: x", "raised")
    died = tensorflow_smoke(words({"at": "import tensorflow"}), ended("signal", 4))
    assert died.import_error == Failed("import tensorflow died of SIGILL", "died")
    assert died.imported == Failed("import tensorflow died of SIGILL", "died")


def test_a_result_that_is_no_number_has_no_error_size() -> None:
    wrong = {**DONE, "status": "wrong", "max_error": None, "error": "some results are no numbers"}
    (item,) = tensorflow_smoke(words(IMPORTED, LISTED, wrong, {"done": 1}), ended()).computations
    assert item.max_error == Failed("some results are no numbers", "unreadable")


def test_the_log_keeps_its_head_and_its_tail() -> None:
    log = log_of(b"\n".join(b"line %d" % number for number in range(5000)))
    assert (log[0], log[-1]) == ("line 0", "line 4999")
    assert "4750 lines left out" in log[150]
    assert len(log) == 251
    assert log_of(b"x" * 10_000)[0] == "x" * 500
