"""The TensorFlow stage with the real TensorFlow: on the CPU, and on simulated GPUs."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

import psutil
import pytest

from tests.driver.scenario import Fault, Gpu, Scenario
from tests.driver.simulated import DRIVER, EVERYTHING, SimulatedDriver
from tests.real.environments import site_packages
from tests.waiting import until
from tfdoctor.ask.probes.driver import driver
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.smoke.ladder import Ladder, run
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import CudaLibraries, Driver, Facts, Interpreter, Smoke, TensorFlow
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.smoke_values import Stage, TensorFlowSmoke

pytestmark = [pytest.mark.real, pytest.mark.slow]

ON_EACH_DEVICE = {
    "matmul-float32",
    "matmul-float16",
    "matmul-bfloat16",
    "elementwise",
    "conv2d",
    "xla",
}
NEEDED = (
    "libcudart.so.12", "libcublas.so.12", "libcublasLt.so.12", "libcufft.so.11", "libcusolver.so.11",
    "libcusparse.so.12", "libcudnn.so.9",
)  # fmt: skip
NO_DRIVER = Driver(library=Absent("none"), init_code=Absent("none"), devices=Absent("none"))
LIMIT_S = 110.0


def request_with(**variables: str) -> Request:
    return Request(system=System(environ={"PATH": os.environ["PATH"], **variables}))


def facts_of(python: Path, asked: Driver = NO_DRIVER) -> Facts:
    return Facts(
        interpreter=Interpreter(executable=Known(str(python), "t")),
        tensorflow=TensorFlow(location=Known(str(site_packages(python) / "tensorflow"), "t")),
        driver=asked,
        cuda_libraries=CudaLibraries(needed=Known(NEEDED, "t"), runpath=Known((), "t")),
    )


def known(smoke: Smoke) -> TensorFlowSmoke:
    assert isinstance(smoke.tensorflow, Known), smoke.tensorflow
    return smoke.tensorflow.value


def test_a_healthy_tensorflow_computes_right_on_the_cpu(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    request = request_with(HOME=str(tmp_path))
    smoke, stages = run(
        request, facts_of(tensorflow_python), smoke="auto", deadline=time.monotonic() + LIMIT_S
    )
    shown = known(smoke)
    assert [stage.status for stage in stages] == ["skipped", "skipped", "passed"], stages
    assert {item.name for item in shown.computations} == ON_EACH_DEVICE | {"keras"}
    assert {(item.device, item.status) for item in shown.computations} == {("CPU:0", "passed")}
    assert isinstance(shown.imported, Known) and shown.imported.value.startswith("2.")
    assert isinstance(shown.gpus, Absent)
    assert (shown.end.how, shown.end.status) == ("exit", 0)
    assert isinstance(shown.end.peak_rss, Known) and 200 << 20 < shown.end.peak_rss.value < 2 << 30


@pytest.mark.nightly
def test_it_writes_nothing_into_home_working_folder_or_environment(
    tensorflow_python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = site_packages(tensorflow_python)
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    monkeypatch.chdir(here)
    before = [
        path.stat().st_mtime_ns
        for path in (package, package / "tensorflow", package / "keras", package / "numpy")
    ]
    bytecode = len(list((package / "tensorflow").glob("**/__pycache__")))
    run(
        request_with(HOME=str(home)),
        facts_of(tensorflow_python),
        smoke="auto",
        deadline=time.monotonic() + LIMIT_S,
    )
    after = [
        path.stat().st_mtime_ns
        for path in (package, package / "tensorflow", package / "keras", package / "numpy")
    ]
    assert (list(home.iterdir()), list(here.iterdir())) == ([], [])
    assert before == after
    assert len(list((package / "tensorflow").glob("**/__pycache__"))) == bytecode


@pytest.mark.nightly
def test_the_import_runs_while_the_probes_do(tensorflow_python: Path) -> None:
    facts = facts_of(tensorflow_python)
    ladder = Ladder(request_with(), "auto", time.monotonic() + LIMIT_S)
    try:
        ladder.update("interpreter", facts)
        until(is_imported)
        _, stages = ladder.run(facts)
    finally:
        ladder.end()
    assert stages[2].status == "passed"


def is_imported() -> bool:
    """Whether a child of ours has loaded TensorFlow's library."""
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if any("libtensorflow_framework" in each.path for each in child.memory_maps()):
                return True
    return False


def simulated(
    folder: Path, scenario: Scenario | None = None, libraries: tuple[str, ...] = EVERYTHING
) -> SimulatedDriver:
    return SimulatedDriver(folder / "lib", scenario, libraries=libraries)


def on(
    driver_: SimulatedDriver, python: Path, *, smoke: str = "auto", limit_s: float = LIMIT_S
) -> tuple[Smoke, tuple[Stage, ...]]:
    request = request_with(**{"LD_LIBRARY_PATH": "", **driver_.environment({})})
    facts = facts_of(python, driver.ask(request, Facts()))
    return run(request, facts, smoke=smoke, deadline=time.monotonic() + limit_s)


def test_the_whole_ladder_on_a_simulated_gpu(tensorflow_python: Path, tmp_path: Path) -> None:
    """Sums and XLA's kernels are not computed by the simulation: their numbers are rightly called wrong."""
    smoke, stages = on(simulated(tmp_path), tensorflow_python)
    assert [stage.status for stage in stages[:2]] == ["passed", "passed"], stages
    shown = known(smoke)
    assert shown.gpus == Known(("GPU:0",), "list_physical_devices")
    status = {item.name: item.status for item in shown.computations}
    assert set(status) == ON_EACH_DEVICE | {"keras"}
    assert {item.device for item in shown.computations} == {"GPU:0"}
    assert {
        status[name] for name in ("matmul-float32", "matmul-float16", "matmul-bfloat16", "conv2d")
    } == {"passed"}
    assert status["elementwise"] == "wrong" and stages[2].status == "failed"
    assert (shown.end.how, shown.end.status) == ("exit", 0)


def test_two_simulated_gpus_are_both_tried_and_the_collective_too(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    second = Gpu(uuid="GPU-5a1d0000-0000-4000-8000-000000000002", pci="00000000:AF:00.0")
    smoke, _ = on(simulated(tmp_path, Scenario(gpus=(Gpu(), second))), tensorflow_python)
    shown = known(smoke)
    for device in ("GPU:0", "GPU:1"):
        assert {item.name for item in shown.computations if item.device == device} >= ON_EACH_DEVICE
    assert [item.name for item in shown.computations][-1] == "collective"
    assert shown.computations[-1].device == "GPU:0+GPU:1"


@pytest.mark.nightly
def test_wrong_products_of_a_simulated_gpu_are_seen(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    smoke, stages = on(simulated(tmp_path, Scenario(wrong_matmul=True)), tensorflow_python)
    wrong = {item.name for item in known(smoke).computations if item.status == "wrong"}
    assert wrong >= {"matmul-float32", "matmul-float16", "matmul-bfloat16"}, known(
        smoke
    ).computations
    assert stages[2].status == "failed"


def test_a_tensorflow_that_shows_no_gpu_failed_where_the_simulated_driver_works(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    """2.21 needs NVML and says nothing where it is missing."""
    libraries = tuple(name for name in EVERYTHING if name != "libnvidia-ml")
    smoke, stages = on(simulated(tmp_path, libraries=libraries), tensorflow_python)
    shown = known(smoke)
    assert isinstance(shown.gpus, Absent)
    assert {item.device for item in shown.computations} == {"CPU:0"}
    assert stages[2].status == "failed"
    assert "shows no GPU" in stages[2].detail["error"]


def test_missing_simulated_libraries_stop_the_ladder_unless_tensorflow_is_demanded(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    driver_ = simulated(tmp_path, libraries=DRIVER)
    smoke, stages = on(driver_, tensorflow_python)
    assert [stage.status for stage in stages] == ["passed", "failed", "skipped"]
    assert smoke.tensorflow == Failed("skipped: the libraries stage failed", "skipped")
    demanded, stages = on(driver_, tensorflow_python, smoke="tf")
    assert isinstance(known(demanded).gpus, Absent)
    assert any(
        "Could not load dynamic library 'libcudart.so.12'" in line or "libcudart" in line
        for line in known(demanded).log
    )


def test_a_crash_inside_a_computation_on_a_simulated_gpu_names_it(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    faults = (Fault.crash("cudnnBackendExecute", signal.SIGABRT),)
    smoke, stages = on(simulated(tmp_path, Scenario(faults=faults)), tensorflow_python)
    shown = known(smoke)
    assert (shown.end.how, shown.end.status) == ("signal", signal.SIGABRT)
    last = shown.computations[-1]
    assert (last.name, last.device, last.status) == ("conv2d", "GPU:0", "failed")
    assert last.error == stages[2].detail["error"] == "conv2d on GPU:0 died of SIGABRT"


@pytest.mark.nightly  # waits for its limit, which has to leave time for the import
def test_a_hang_inside_a_computation_on_a_simulated_gpu_names_it(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    faults = (Fault.hang("cudnnBackendExecute"),)
    smoke, _ = on(simulated(tmp_path, Scenario(faults=faults)), tensorflow_python, limit_s=25.0)
    shown = known(smoke)
    assert shown.end.how == "timeout"
    assert shown.last_step == "conv2d on GPU:0"
    assert shown.computations[0].status == "passed"
