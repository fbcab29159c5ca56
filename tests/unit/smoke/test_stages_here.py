"""The ladder's stages on this machine, without a GPU or TensorFlow: what they say of a driver and of libraries that are not there.

`test_driver_stage_simulated.py` and `test_libraries_stage_simulated.py` try what works.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from tests.unit.smoke.test_protocol import DONE, IMPORTED, LISTED, ended, words
from tests.unit.smoke.test_way import DEVICE, HARDWARE, WELL, answering
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.smoke.ladder import Ladder, _error, run, run_libraries_stage
from tfdoctor.ask.probes.smoke.results import tensorflow_smoke
from tfdoctor.base.records import replace
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import CudaLibraries, Driver, Facts, Interpreter, Smoke, TensorFlow
from tfdoctor.facts.outcome import Absent, Failed, Known, value_or
from tfdoctor.facts.smoke_values import ChildEnd, DriverSmoke
from tfdoctor.facts.values import Library

NO_FILE = "cannot open shared object file: No such file or directory"
HERE = Interpreter(executable=Known(sys.executable, "t"))


def request_for(folder: Path) -> Request:
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(folder)}
    return Request(system=System(environ=environ))


def driver_at(path: Path) -> Driver:
    """A driver that started, two GPUs, and then its library is gone."""
    library = Library("libcuda.so.1", Known(str(path), "t"), "default", Absent("t"))
    return replace(
        WELL,
        library=Known(library, "t"),
        devices=Known((DEVICE, replace(DEVICE, index=1)), "t"),
    )


def test_a_driver_stage_that_fails_keeps_the_others_from_being_tried(tmp_path: Path) -> None:
    facts = Facts(
        host=HARDWARE,
        driver=driver_at(tmp_path / "libcuda.so.1"),
        interpreter=HERE,
        tensorflow=TensorFlow(location=Known("/somewhere", "t")),
    )
    told: list[str] = []
    smoke, stages = run(
        request_for(tmp_path), facts, smoke="auto", deadline=time.monotonic() + 20,
        progress=lambda name, limit: told.append(f"{name} begins" if limit else name),
    )  # fmt: skip
    assert told == ["smoke: driver begins", "smoke: driver"]
    assert [each.status for each in stages] == ["failed", "skipped", "skipped"]
    assert f"{tmp_path}/libcuda.so.1: {NO_FILE}" in stages[0].detail["error"]
    assert isinstance(smoke.driver, Known)
    assert [each.status for each in smoke.driver.value.devices] == ["failed", "failed"]
    for each in (smoke.libraries, smoke.tensorflow):
        assert each == Failed("skipped: the driver stage failed", "skipped")


def test_libraries_are_opened_in_the_examined_interpreter(tmp_path: Path) -> None:
    facts = Facts(interpreter=HERE, cuda_libraries=CudaLibraries(runpath=Known((), "t")))
    (tmp_path / "scratch").mkdir()
    fact, stage = run_libraries_stage(
        request_for(tmp_path), facts, tmp_path / "scratch", ("libc.so.6", "libnone.so.9"),
        time.monotonic() + 20,
    )  # fmt: skip
    libc, none = fact.value.libraries if isinstance(fact, Known) else ()
    assert (libc.opened, none.opened) == (True, False)
    assert value_or(libc.path, "").endswith("/libc.so.6")
    assert (stage.status, stage.detail) == (
        "failed",
        {"error": f"libnone.so.9: libnone.so.9: {NO_FILE}", "errors": 1},
    )


def test_a_library_stage_whose_interpreter_can_not_be_started_has_failed(tmp_path: Path) -> None:
    gone = Interpreter(executable=Known(str(tmp_path / "python"), "t"))
    fact, stage = run_libraries_stage(
        request_for(tmp_path), Facts(interpreter=gone), tmp_path, ("libc.so.6",),
        time.monotonic() + 20,
    )  # fmt: skip
    assert isinstance(fact, Failed) and fact.kind == "not-started"
    assert fact.error.startswith("the program of the libraries stage could not be started")
    assert (stage.status, stage.detail["error"]) == ("failed", fact.error)


NEEDS = CudaLibraries(needed=Known(("libc.so.6",), "t"))


@pytest.mark.parametrize(
    ("facts", "smoke", "why"),
    [
        (Facts(host=HARDWARE, driver=answering(803)), "auto", "cuInit answered 803 (CUDA_ERROR_X)"),
        (Facts(host=HARDWARE, driver=WELL), "none", "--smoke none"),
        (Facts(host=HARDWARE, driver=replace(WELL, library=Absent("x"), devices=Absent("x"))), "auto", "there is no NVIDIA driver library on this machine"),
    ],
)  # fmt: skip
def test_why_the_libraries_are_not_opened(
    facts: Facts, smoke: str, why: str, tmp_path: Path
) -> None:
    facts = replace(facts, interpreter=HERE, cuda_libraries=NEEDS)
    done, _ = run(request_for(tmp_path), facts, smoke=smoke, deadline=time.monotonic() + 20)
    assert done.libraries == Failed(f"skipped: {why}", "skipped")


def test_no_folder_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither stage that writes can be tried, and each says so."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "none"))
    facts = Facts(
        interpreter=HERE, tensorflow=TensorFlow(location=Known("/somewhere", "t")),
        driver=Driver(library=Absent("none"), init_code=Absent("none"), devices=Absent("none")),
    )  # fmt: skip
    smoke, stages = run(request_for(tmp_path), facts, smoke="auto", deadline=time.monotonic() + 20)
    words = "no folder for temporary files: No such file or directory"
    assert smoke.tensorflow == Failed(words, "not-started")
    assert (stages[2].status, stages[2].detail) == ("failed", {"error": words})
    ladder = Ladder(request_for(tmp_path), "auto", time.monotonic() + 20)
    case = replace(facts, host=HARDWARE, driver=WELL, cuda_libraries=NEEDS)
    assert ladder._libraries(case)[0] == Failed(f"skipped: {words}", "skipped")
    assert ladder._libraries(replace(case, cuda_libraries=CudaLibraries(needed=Absent("it names none"))))[0] == Failed("skipped: it names none", "skipped")  # fmt: skip
    ladder.end()


RUNS_KERNELS = Smoke(driver=Known(DriverSmoke((), ChildEnd("exit", 0, ())), "t"))
SHOWS_NONE = {**LISTED, "names": []}
WRONG = {**DONE, "status": "wrong", "error": "2 results differ"}


@pytest.mark.parametrize(
    ("said", "smoke", "error"),
    [
        ((IMPORTED, LISTED, DONE, {"done": 1}), RUNS_KERNELS, ""),
        ((IMPORTED, SHOWS_NONE, {"done": 1}), Smoke(), ""),
        ((IMPORTED, SHOWS_NONE, {"done": 1}), RUNS_KERNELS, "TensorFlow shows no GPU though the driver runs kernels"),
        ((IMPORTED, LISTED, DONE, WRONG, {"done": 1}), RUNS_KERNELS, "conv2d on GPU:0: 2 results differ"),
        ((IMPORTED, LISTED, {"at": "xla on GPU:0"}), RUNS_KERNELS, "xla on GPU:0 ended the process with status 0"),
    ],
)  # fmt: skip
def test_why_the_tensorflow_stage_failed(
    said: tuple[dict[str, object], ...], smoke: Smoke, error: str
) -> None:
    messages = words(*said)
    shown = tensorflow_smoke(messages, ended())
    assert _error(shown, messages.complaint(ended()), Facts(smoke=smoke)) == error
