"""The libraries stage on simulated CUDA libraries: what opens, from where, which version, and who crashed."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Scenario
from tests.driver.simulated import DRIVER, EVERYTHING, SimulatedDriver
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.smoke.ladder import run_libraries_stage
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import CudaLibraries, Facts, Interpreter
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.smoke_values import LibrariesSmoke, OpenedLibrary, Stage

NEEDED = (
    "libcudart.so.12", "libcublas.so.12", "libcublasLt.so.12", "libcufft.so.11", "libcusolver.so.11",
    "libcusparse.so.12", "libcudnn.so.9",
)  # fmt: skip


def opened(
    simulated: SimulatedDriver,
    scratch: Path,
    *,
    runpath: tuple[str, ...] = (),
    limit_s: float = 30.0,
) -> tuple[dict[str, OpenedLibrary], LibrariesSmoke, Stage]:
    scratch.mkdir(exist_ok=True)
    environ = simulated.environment({"PATH": os.environ["PATH"]})
    facts = Facts(
        interpreter=Interpreter(executable=Known(sys.executable, "t")),
        cuda_libraries=CudaLibraries(runpath=Known(runpath, "t")),
    )
    request = Request(system=System(environ=environ))
    fact, stage = run_libraries_stage(request, facts, scratch, NEEDED, time.monotonic() + limit_s)
    assert isinstance(fact, Known)
    return {item.soname: item for item in fact.value.libraries}, fact.value, stage


def test_all_simulated_libraries_open_and_tell_their_versions(tmp_path: Path) -> None:
    simulated = SimulatedDriver(tmp_path / "lib", libraries=EVERYTHING)
    found, smoke, stage = opened(simulated, tmp_path / "scratch")
    assert stage.status == "passed", stage.detail
    versions = {
        name: str(item.version.value)
        for name, item in found.items()
        if isinstance(item.version, Known)
    }
    assert versions == {
        "libcudart.so.12": "12.5", "libcublas.so.12": "12.5.3", "libcublasLt.so.12": "12.5.3",
        "libcufft.so.11": "11.2.3", "libcusolver.so.11": "11.6.3", "libcusparse.so.12": "12.5.1",
        "libcudnn.so.9": "9.3.0",
    }  # fmt: skip
    assert found["libcudnn.so.9"].path == Known(str(tmp_path / "lib/libcudnn.so.9"), "dlinfo")
    assert found["libcudnn.so.9"].handle == Known("created", "its create call")
    assert found["libcublas.so.12"].handle == Known("created", "its create call")
    assert isinstance(found["libcufft.so.11"].handle, Absent)
    assert smoke.end.how == "exit"


def test_a_missing_simulated_library_has_the_loaders_words(tmp_path: Path) -> None:
    simulated = SimulatedDriver(
        tmp_path / "lib", libraries=[name for name in EVERYTHING if name != "libcusolver"]
    )
    found, _, stage = opened(simulated, tmp_path / "scratch")
    missing = found["libcusolver.so.11"]
    assert not missing.opened
    assert (
        missing.error
        == "libcusolver.so.11: cannot open shared object file: No such file or directory"
    )
    assert found["libcusparse.so.12"].opened
    assert stage.status == "failed" and "libcusolver" in stage.detail["error"]


def test_simulated_libraries_are_found_by_tensorflows_runpath(tmp_path: Path) -> None:
    simulated = SimulatedDriver(tmp_path / "lib", libraries=EVERYTHING)
    wheel = tmp_path / "nvidia/cudnn/lib"
    wheel.mkdir(parents=True)
    shutil.move(tmp_path / "lib/libcudnn.so.9", wheel)
    found, _, _ = opened(simulated, tmp_path / "scratch")
    assert not found["libcudnn.so.9"].opened
    found, _, stage = opened(simulated, tmp_path / "scratch", runpath=("/nowhere", str(wheel)))
    assert found["libcudnn.so.9"].path == Known(str(wheel / "libcudnn.so.9"), "dlinfo")
    assert stage.status == "passed", stage.detail


def test_ld_library_path_wins_over_the_runpath_with_simulated_libraries(tmp_path: Path) -> None:
    simulated = SimulatedDriver(tmp_path / "lib", libraries=EVERYTHING)
    other = simulated.lay("libcudnn", tmp_path / "wheel")
    found, _, _ = opened(simulated, tmp_path / "scratch", runpath=(str(other.parent),))
    assert found["libcudnn.so.9"].path == Known(str(tmp_path / "lib/libcudnn.so.9"), "dlinfo")


def test_a_broken_simulated_library_is_named_by_the_loader(tmp_path: Path) -> None:
    simulated = SimulatedDriver(tmp_path / "lib", libraries=EVERYTHING)
    (tmp_path / "lib/libcufft.so.11").write_bytes(b"")
    found, _, _ = opened(simulated, tmp_path / "scratch")
    assert "file too short" in found["libcufft.so.11"].error


def test_a_simulated_handle_that_is_refused_has_the_status_name(tmp_path: Path) -> None:
    faults = (Fault.error("cudnnCreate", 1001), Fault.error("cublasCreate_v2", 3))
    simulated = SimulatedDriver(tmp_path / "lib", Scenario(faults=faults), libraries=EVERYTHING)
    found, _, stage = opened(simulated, tmp_path / "scratch")
    assert found["libcublas.so.12"].handle == Failed(
        "cublasCreate_v2 answered 3 (CUBLAS_STATUS_ALLOC_FAILED)", "call-failed"
    )
    handle = found["libcudnn.so.9"].handle
    assert isinstance(handle, Failed) and "CUDNN_STATUS_NOT_INITIALIZED" in handle.error
    assert stage.status == "failed"


def test_a_simulated_library_that_crashes_is_named_and_the_others_are_tried(tmp_path: Path) -> None:
    simulated = SimulatedDriver(
        tmp_path / "lib", Scenario(faults=(Fault.crash("cublasCreate_v2"),)), libraries=EVERYTHING
    )
    found, smoke, _ = opened(simulated, tmp_path / "scratch")
    assert found["libcublas.so.12"].opened
    assert found["libcublas.so.12"].handle == Failed("cublasCreate_v2 died of SIGSEGV", "died")
    assert found["libcusparse.so.12"].opened and found["libcudnn.so.9"].opened
    assert (smoke.end.how, smoke.end.status) == ("signal", 11)


@pytest.mark.slow  # waits for a limit
def test_a_simulated_library_that_hangs_is_named(tmp_path: Path) -> None:
    simulated = SimulatedDriver(
        tmp_path / "lib", Scenario(faults=(Fault.hang("cudnnCreate"),)), libraries=EVERYTHING
    )
    found, smoke, _ = opened(simulated, tmp_path / "scratch", limit_s=3.0)
    handle = found["libcudnn.so.9"].handle
    assert isinstance(handle, Failed) and handle.error.startswith("cudnnCreate did not return")
    assert found["libcublas.so.12"].handle == Known("created", "its create call")
    assert smoke.end.how == "timeout"


def test_without_simulated_libraries_none_opens(tmp_path: Path) -> None:
    simulated = SimulatedDriver(tmp_path / "lib", libraries=DRIVER)
    found, _, stage = opened(simulated, tmp_path / "scratch")
    assert not any(item.opened for item in found.values())
    assert stage.detail["errors"] == len(NEEDED)
