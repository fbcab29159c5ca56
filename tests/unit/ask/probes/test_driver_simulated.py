"""What the driver probe makes of a driver's answers, its hangs and crashes; the driver is simulated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.driver.scenario import Fault, Gpu, Scenario
from tests.driver.simulated import SimulatedDriver
from tfdoctor.ask.probes.driver import driver
from tfdoctor.ask.probes.driver.release import joined
from tfdoctor.ask.probes.request import Request
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Driver, Facts, Nvml
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import Library
from tfdoctor.facts.versions import CudaRelease, DriverRelease, LibraryRelease


def asked(
    simulated: SimulatedDriver, *, limit_s: float = 10.0, root: Path = Path("/"), **variables: str
) -> Driver:
    environ = simulated.environment({"PATH": "/usr/bin:/bin", **variables})
    return driver.ask(
        Request(system=System(root=root, environ=environ), child_limit_s=limit_s), Facts()
    )


def library_of(group: Driver) -> Library:
    assert isinstance(group.library, Known)
    return group.library.value


def test_a_healthy_simulated_driver_tells_everything(tmp_path: Path) -> None:
    group = asked(
        SimulatedDriver(
            tmp_path, Scenario(gpus=(Gpu(), Gpu(name="NVIDIA H200", compute_capability="9.0")))
        )
    )
    assert group.init_code == Known(0, "cuInit")
    assert group.init_name == Known("CUDA_SUCCESS", "cuInit")
    assert group.cuda_version == Known(CudaRelease("12.5"), "cuDriverGetVersion")
    assert isinstance(group.devices, Known)
    first, second = group.devices.value
    assert (first.name, str(first.compute_capability), first.memory_total) == (
        "NVIDIA L4",
        "8.9",
        23 << 30,
    )
    assert first.uuid == "GPU-5a1d0000-0000-4000-8000-000000000001"
    assert first.pci_bus_id.endswith("3B:00.0")
    assert (second.index, second.name, str(second.compute_capability)) == (1, "NVIDIA H200", "9.0")


def test_the_simulated_library_is_found_by_the_loader(tmp_path: Path) -> None:
    library = library_of(asked(SimulatedDriver(tmp_path, Scenario(driver_version="470.57.02"))))
    assert library.found_via == "LD_LIBRARY_PATH"
    assert library.path == Known(
        str(tmp_path / "libcuda.so.470.57.02"), f"loaded as {tmp_path}/libcuda.so.1"
    )
    assert isinstance(library.version, Known) and library.version.value == LibraryRelease(
        "470.57.02"
    )


def test_no_context_is_made_on_the_simulated_driver(tmp_path: Path) -> None:
    simulated = SimulatedDriver(tmp_path)
    environ = simulated.environment({"PATH": "/usr/bin:/bin"}, trace=True)
    driver.ask(Request(system=System(environ=environ)), Facts())
    assert "cuInit" in simulated.calls()
    assert not [
        name
        for name in simulated.calls()
        if "Ctx" in name or ("Mem" in name and "TotalMem" not in name)
    ]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (3, "CUDA_ERROR_NOT_INITIALIZED"),
        (34, "CUDA_ERROR_STUB_LIBRARY"),
        (802, "CUDA_ERROR_SYSTEM_NOT_READY"),
        (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"),
        (804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE"),
        (999, "CUDA_ERROR_UNKNOWN"),
    ],
)
def test_an_error_of_a_simulated_cuinit_is_news_not_a_failure(
    tmp_path: Path, code: int, name: str
) -> None:
    group = asked(SimulatedDriver(tmp_path, Scenario(faults=(Fault.error("cuInit", code),))))
    assert group.init_code == Known(code, "cuInit")
    assert group.init_name == Known(name, "cuInit")
    assert group.devices == Failed(f"cuInit answered {code} ({name})", "call-failed")
    assert isinstance(group.cuda_version, Known)


def test_no_device_of_a_simulated_driver_is_absence(tmp_path: Path) -> None:
    group = asked(SimulatedDriver(tmp_path, Scenario(faults=(Fault.error("cuInit", 100),))))
    assert group.init_code == Known(100, "cuInit")
    assert group.devices == Absent("cuInit answered 100 (CUDA_ERROR_NO_DEVICE)")


@pytest.mark.slow  # waits for a limit
def test_a_simulated_cuinit_that_hangs_is_named(tmp_path: Path) -> None:
    group = asked(SimulatedDriver(tmp_path, Scenario(faults=(Fault.hang("cuInit"),))), limit_s=1.0)
    assert group.init_code == Failed("cuInit did not return within 1 s", "timed-out")
    assert isinstance(group.library, Known) and isinstance(group.cuda_version, Known)


def test_a_simulated_cuinit_that_crashes_is_named(tmp_path: Path) -> None:
    group = asked(SimulatedDriver(tmp_path, Scenario(faults=(Fault.crash("cuInit"),))))
    assert group.init_code == Failed("cuInit died of SIGSEGV", "died")
    assert group.devices == Failed("cuInit died of SIGSEGV", "died")


def test_a_simulated_cuinit_that_ends_the_process_is_named(tmp_path: Path) -> None:
    group = asked(SimulatedDriver(tmp_path, Scenario(faults=(Fault.leave("cuInit", 0),))))
    assert group.init_code == Failed("cuInit ended the process with status 0", "ended")


def test_a_flood_of_a_simulated_driver_loses_nothing(tmp_path: Path) -> None:
    group = asked(SimulatedDriver(tmp_path, Scenario(faults=(Fault.flood("cuInit", 50),))))
    assert isinstance(group.devices, Known)


def test_a_failing_question_to_a_simulated_gpu_names_call_and_gpu(tmp_path: Path) -> None:
    group = asked(
        SimulatedDriver(tmp_path, Scenario(faults=(Fault.error("cuDeviceTotalMem_v2", 999),)))
    )
    assert group.devices == Failed(
        "cuDeviceTotalMem_v2 of GPU 0 answered 999 (CUDA_ERROR_UNKNOWN)", "call-failed"
    )


def test_hidden_simulated_gpus_are_hidden_from_the_probe_too(tmp_path: Path) -> None:
    group = asked(
        SimulatedDriver(tmp_path, Scenario(gpus=(Gpu(), Gpu()))), CUDA_VISIBLE_DEVICES="1"
    )
    assert isinstance(group.devices, Known) and len(group.devices.value) == 1
    assert isinstance(asked(SimulatedDriver(tmp_path), CUDA_VISIBLE_DEVICES="-1").devices, Absent)


def test_without_a_simulated_libcuda_all_is_absent(tmp_path: Path) -> None:
    group = asked(SimulatedDriver(tmp_path, libraries=["libnvidia-ml"]))
    assert isinstance(group.library, Absent)
    assert {type(fact) for fact in (group.init_code, group.cuda_version, group.devices)} == {Absent}


@pytest.mark.parametrize("content", [b"", b"no library", b"\x7fELF\x01\x01\x01" + bytes(200)])
def test_a_broken_simulated_libcuda_failed_with_the_loaders_words(
    tmp_path: Path, content: bytes
) -> None:
    simulated = SimulatedDriver(tmp_path, libraries=["libnvidia-ml"])
    (tmp_path / "libcuda.so.1").write_bytes(content)
    group = asked(simulated)
    assert isinstance(group.library, Failed) and "libcuda.so.1" in group.library.error
    assert isinstance(group.init_code, Failed)


def test_a_truncated_simulated_libcuda_kills_only_the_child(tmp_path: Path) -> None:
    simulated = SimulatedDriver(tmp_path)
    library = (tmp_path / "libcuda.so.1").resolve()
    library.write_bytes(library.read_bytes()[: library.stat().st_size // 3])
    group = asked(simulated)
    assert isinstance(group.library, Failed)
    assert isinstance(group.init_code, Failed)


def test_below_another_root_a_simulated_libcuda_counts_by_ld_library_path_alone(
    tmp_path: Path,
) -> None:
    simulated = SimulatedDriver(tmp_path / "lib")
    group = asked(simulated, root=tmp_path / "root")
    assert library_of(group).path == Known(
        str(tmp_path / "lib/libcuda.so.555.42.02"), f"loaded as {tmp_path}/lib/libcuda.so.1"
    )
    simulated.remove("libcuda")
    assert asked(simulated, root=tmp_path / "root").library == Absent(
        "libcuda.so.1: no folder of LD_LIBRARY_PATH has it"
    )


def test_the_release_is_nvmls_then_the_modules_then_the_files() -> None:
    library = Library(
        "libcuda.so.1", Known("/l", "t"), "default", Known(LibraryRelease("3.0"), "file")
    )
    known = Facts(
        nvml=Nvml(driver_version=Known(DriverRelease("1.0"), "nvml")),
        driver=Driver(
            module_version=Known(DriverRelease("2.0"), "module"), library=Known(library, "t")
        ),
    )
    assert joined(known).driver.version == Known(DriverRelease("1.0"), "nvml")
    without_nvml = Facts(driver=known.driver, nvml=Nvml(driver_version=Failed("hung", "missing")))
    assert joined(without_nvml).driver.version == Known(DriverRelease("2.0"), "module")
    of_file = Facts(driver=Driver(module_version=Absent("not loaded"), library=Known(library, "t")))
    assert joined(of_file).driver.version == Known(DriverRelease("3.0"), "file")


def test_a_release_that_could_not_be_found_out_is_not_absent() -> None:
    failed = Facts(
        driver=Driver(module_version=Failed("unreadable", "missing"), library=Absent("none"))
    )
    assert joined(failed).driver.version == Failed("unreadable", "missing")
    none = Facts(driver=Driver(module_version=Absent("none"), library=Absent("none")))
    assert isinstance(joined(none).driver.version, Absent)
