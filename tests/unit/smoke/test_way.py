"""Which stages there are to run, by literal facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfdoctor.ask.probes.smoke.ladder import driver_refuses, no_interpreter, on_the_cpu
from tfdoctor.base.records import replace
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Driver, Facts, Host, Interpreter, TensorFlow
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import CudaDevice, Library, PciGpu, TensorFlowBuild
from tfdoctor.facts.versions import ComputeCapability, LibraryRelease

LIBRARY = Known(
    Library("libcuda.so.1", Known("/l", "t"), "default", Known(LibraryRelease("555.42.02"), "t")),
    "t",
)
DEVICE = CudaDevice(0, "NVIDIA L4", ComputeCapability("8.9"), 23 << 30, "GPU-1", "0000:3B:00.0")
GPU = PciGpu("0000:3b:00.0", "nvidia", "27b8", Known("nvidia", "t"))
HARDWARE = Host(gpus_on_bus=Known((GPU,), "t"), gpu_device_nodes=Absent("none"))
NO_HARDWARE = Host(gpus_on_bus=Absent("none"), gpu_device_nodes=Absent("none"))
NAKED = System(environ={})


def answering(code: int, name: str = "CUDA_ERROR_X") -> Driver:
    devices = (
        Absent("cuInit answered 100")
        if code == 100
        else Failed(f"cuInit answered {code}", "call-failed")
    )
    return Driver(
        library=LIBRARY, init_code=Known(code, "t"), init_name=Known(name, "t"), devices=devices
    )


WELL = Driver(
    library=LIBRARY,
    init_code=Known(0, "t"),
    init_name=Known("OK", "t"),
    devices=Known((DEVICE,), "t"),
)


def test_a_working_gpu_is_tried() -> None:
    facts = Facts(host=HARDWARE, driver=WELL)
    assert (on_the_cpu(facts, NAKED), driver_refuses(facts)) == ("", "")


def test_what_is_seen_to_work_counts_whatever_the_bus_shows() -> None:
    facts = Facts(host=NO_HARDWARE, driver=WELL)
    assert (on_the_cpu(facts, NAKED), driver_refuses(facts)) == ("", "")


def test_a_cpu_build_is_tried_on_the_cpu() -> None:
    build = TensorFlowBuild(Absent("cpu"), Absent("cpu"), Absent("cpu"), Absent("cpu"), (), (), ())
    facts = Facts(host=HARDWARE, driver=WELL, tensorflow=TensorFlow(build=Known(build, "t")))
    assert "without CUDA" in on_the_cpu(facts, NAKED)


def test_a_machine_without_libcuda_is_tried_on_the_cpu() -> None:
    driver = Driver(library=Absent("none"), init_code=Absent("none"), devices=Absent("none"))
    assert "no NVIDIA driver library" in on_the_cpu(Facts(host=HARDWARE, driver=driver), NAKED)


@pytest.mark.parametrize("code", [34, 100])
def test_a_driver_without_a_gpu_is_tried_on_the_cpu(code: int) -> None:
    assert "no NVIDIA GPU" in on_the_cpu(Facts(host=NO_HARDWARE, driver=answering(code)), NAKED)


@pytest.mark.parametrize("code", [3, 802, 803, 804, 999])
def test_an_error_of_the_driver_is_one_even_where_no_gpu_is_seen(code: int) -> None:
    facts = Facts(host=NO_HARDWARE, driver=answering(code))
    assert on_the_cpu(facts, NAKED) == ""
    assert f"cuInit answered {code}" in driver_refuses(facts)


def test_hidden_gpus_are_left_alone() -> None:
    hidden = System(environ={"CUDA_VISIBLE_DEVICES": "-1"})
    assert "CUDA_VISIBLE_DEVICES" in on_the_cpu(Facts(host=HARDWARE, driver=answering(100)), hidden)


def test_a_variable_does_not_excuse_a_broken_driver() -> None:
    facts, system = (
        Facts(host=HARDWARE, driver=answering(999)),
        System(environ={"CUDA_VISIBLE_DEVICES": "0"}),
    )
    assert on_the_cpu(facts, system) == ""
    assert driver_refuses(facts) == "cuInit answered 999 (CUDA_ERROR_X)"


@pytest.mark.parametrize("code", [3, 34, 100, 802, 803, 804])
def test_a_gpu_whose_driver_does_not_start_fails_the_stage(code: int) -> None:
    facts = Facts(host=HARDWARE, driver=answering(code))
    assert on_the_cpu(facts, NAKED) == ""
    assert f"cuInit answered {code}" in driver_refuses(facts)


def test_a_cuinit_that_hangs_fails_the_stage_even_where_no_gpu_is_seen() -> None:
    facts = Facts(
        host=NO_HARDWARE,
        driver=Driver(library=LIBRARY, init_code=Failed("cuInit died of SIGSEGV", "died")),
    )
    assert on_the_cpu(facts, NAKED) == ""
    assert driver_refuses(facts) == "the driver does not start: cuInit died of SIGSEGV"


def test_a_library_that_can_not_be_opened_fails_the_stage() -> None:
    facts = Facts(
        driver=Driver(
            library=Failed("file too short", "missing"),
            init_code=Failed("file too short", "missing"),
        )
    )
    assert driver_refuses(facts) == "libcuda can't be loaded: file too short"


def test_a_driver_that_shows_no_gpu_fails_the_stage_where_there_is_one() -> None:
    facts = Facts(
        host=HARDWARE, driver=replace(WELL, devices=Absent("the driver shows this process no GPU"))
    )
    assert on_the_cpu(facts, NAKED) == ""
    assert "no GPU" in driver_refuses(facts)


def test_an_interpreter_below_the_sysroot_is_never_run(tmp_path: Path) -> None:
    system = System(root=tmp_path, environ={})
    below = Facts(interpreter=Interpreter(executable=Known(f"{tmp_path}/usr/bin/python3", "t")))
    assert "never run" in no_interpreter(below, system)
    outside = Facts(interpreter=Interpreter(executable=Known("/usr/bin/python3", "t")))
    assert no_interpreter(outside, system) == ""
    assert "no interpreter" in no_interpreter(
        Facts(interpreter=Interpreter(executable=Absent("none"))), system
    )
    assert "not known" in no_interpreter(Facts(), system)
