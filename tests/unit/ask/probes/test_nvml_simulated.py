"""What the NVML probe makes of NVML's answers, one by one; NVML is simulated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.driver.scenario import Fault, Gpu, Mig, Process, Scenario
from tests.driver.simulated import SimulatedDriver
from tfdoctor.ask.probes.driver import driver, nvml
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.workers.opening import as_json
from tfdoctor.base.records import names
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts, Nvml
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import NvmlDevice

OTHER = Gpu(uuid="GPU-5a1d0000-0000-4000-8000-000000000002", pci="00000000:AF:00.0")


def asked(folder: Path, *gpus: Gpu, faults: tuple[Fault, ...] = (), limit_s: float = 10.0) -> Nvml:
    simulated = SimulatedDriver(folder, Scenario(gpus=gpus or (Gpu(),), faults=faults))
    environ = simulated.environment({"PATH": "/usr/bin:/bin"})
    request = Request(system=System(environ=environ), child_limit_s=limit_s)
    # Its child says that there is a libcuda, so NVML is asked in one of its own.
    driver.ask(request, Facts())
    return nvml.ask(request, Facts())


def devices_of(group: Nvml) -> tuple[NvmlDevice, ...]:
    assert isinstance(group.devices, Known)
    return group.devices.value


def value(fact: object) -> object:
    assert isinstance(fact, Known), fact
    return fact.value


# Beyond it the child writes U+FFFD.
_TEXTS = st.text(st.characters(max_codepoint=0xFFFC, exclude_categories=["Cs"]))
_SAID = st.recursive(
    st.booleans() | st.integers() | _TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(_TEXTS, inner),
)


@given(_SAID)
def test_what_the_child_says_is_json_in_ascii(said: object) -> None:
    line = as_json(said)
    assert line.isascii()
    assert json.loads(line) == said


def test_a_healthy_simulated_nvml_tells_everything(tmp_path: Path) -> None:
    group = asked(
        tmp_path, Gpu(memory_used=1 << 30, temperature=50, utilization_gpu=7, remapped_corrected=1)
    )
    assert (value(group.init_code), value(group.init_name)) == (0, "NVML_SUCCESS")
    assert (str(value(group.driver_version)), str(value(group.cuda_version))) == (
        "555.42.02",
        "12.5",
    )
    (gpu,) = devices_of(group)
    assert (gpu.name, gpu.uuid, gpu.lost) == (
        "NVIDIA L4",
        "GPU-5a1d0000-0000-4000-8000-000000000001",
        False,
    )
    assert str(value(gpu.compute_capability)) == "8.9"
    assert value(gpu.memory_total) == 23 << 30
    assert value(gpu.memory_used) == 1 << 30
    assert value(gpu.memory_free) == 22 << 30
    assert value(gpu.compute_mode) == "default"
    assert value(gpu.ecc_uncorrected_volatile) == 0
    assert value(gpu.remapped_rows) == "remapped"
    assert (value(gpu.temperature), value(gpu.utilization)) == (50, 7)
    assert value(gpu.pci_bus_id) == "00000000:3B:00.0"
    assert isinstance(gpu.processes, Absent)
    assert isinstance(gpu.vgpu_license, Absent)


def test_what_a_simulated_gpu_does_not_have_is_absent(tmp_path: Path) -> None:
    (gpu,) = devices_of(asked(tmp_path, Gpu(ecc_supported=False, remapped_supported=False)))
    not_supported = Absent("not supported by this GPU")
    assert gpu.mig_enabled == not_supported
    assert gpu.ecc_uncorrected_volatile == not_supported
    assert gpu.remapped_rows == not_supported
    assert gpu.retired_pages_pending == not_supported


def test_a_sick_simulated_gpu_is_described(tmp_path: Path) -> None:
    sick = Gpu(ecc_uncorrected_aggregate=3, remapped_failed=True, clock_reasons=0x44, compute_mode=3,
               retired_single=1, retired_pending=True)  # fmt: skip
    (gpu,) = devices_of(asked(tmp_path, sick))
    assert value(gpu.ecc_uncorrected_aggregate) == 3
    assert value(gpu.remapped_rows) == "failure"
    assert value(gpu.clock_event_reasons) == ("sw-power-cap", "hw-thermal-slowdown")
    assert value(gpu.compute_mode) == "exclusive-process"
    assert value(gpu.retired_pages_pending) is True


def test_simulated_processes_are_named_without_their_arguments(tmp_path: Path) -> None:
    holder = Gpu(processes=(Process(4_000_001, 5 << 30, "/opt/py/bin/python3 train.py --token=secret"),
                            Process(4_000_002, -1, "other")))  # fmt: skip
    (gpu,) = devices_of(asked(tmp_path, holder))
    first, second = gpu.processes.value if isinstance(gpu.processes, Known) else ()
    assert (first.pid, first.name, value(first.memory)) == (4_000_001, "python3", 5 << 30)
    assert isinstance(second.memory, Absent)


def test_simulated_mig_slices_are_listed(tmp_path: Path) -> None:
    uuid = "MIG-5a1d0000-0000-4000-8000-0000000000aa"
    (gpu,) = devices_of(asked(tmp_path, Gpu(mig_mode=1, mig=(Mig(uuid),))))
    assert value(gpu.mig_enabled) is True
    assert value(gpu.mig_instances) == (uuid,)
    (off,) = devices_of(asked(tmp_path, Gpu(mig_mode=0)))
    assert value(off.mig_enabled) is False
    assert isinstance(off.mig_instances, Absent)


def test_a_simulated_virtual_gpu_without_a_licence_is_seen(tmp_path: Path) -> None:
    (gpu,) = devices_of(asked(tmp_path, Gpu(virtualization=2, license_supported=True)))
    assert value(gpu.vgpu_license) == "unlicensed"
    (paid,) = devices_of(
        asked(tmp_path, Gpu(virtualization=2, license_supported=True, licensed=True))
    )
    assert value(paid.vgpu_license) == "licensed"


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (4, "NVML_ERROR_NO_PERMISSION"),
        (15, "NVML_ERROR_GPU_IS_LOST"),
        (18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH"),
        (999, "NVML_ERROR_UNKNOWN"),
    ],
)
def test_an_error_of_a_simulated_nvmlinit_is_news(tmp_path: Path, code: int, name: str) -> None:
    group = asked(tmp_path, faults=(Fault.error("nvmlInit*", code),))
    assert (value(group.init_code), value(group.init_name)) == (code, name)
    assert group.devices == Failed(f"nvmlInit answered {code} ({name})", "call-failed")
    assert isinstance(group.library, Known)


def test_a_simulated_driver_that_is_not_loaded_has_no_devices(tmp_path: Path) -> None:
    group = asked(tmp_path, faults=(Fault.error("nvmlInit*", 9),))
    assert value(group.init_name) == "NVML_ERROR_DRIVER_NOT_LOADED"
    assert isinstance(group.devices, Absent)
    assert isinstance(group.driver_version, Absent)


def test_a_simulated_value_that_fails_loses_no_other(tmp_path: Path) -> None:
    (gpu,) = devices_of(asked(tmp_path, faults=(Fault.error("nvmlDeviceGetTemperature", 999),)))
    assert isinstance(gpu.temperature, Failed) and "NVML_ERROR_UNKNOWN" in gpu.temperature.error
    assert value(gpu.utilization) == 0


def test_a_lost_simulated_gpu_is_lost_and_its_neighbour_is_not(tmp_path: Path) -> None:
    lost, well = devices_of(asked(tmp_path, Gpu(lost=True), OTHER))
    assert (lost.lost, well.lost) == (True, False)
    assert isinstance(lost.memory_total, Failed)
    assert value(well.temperature) == 41


@pytest.mark.slow  # waits for a limit
def test_a_simulated_gpu_that_hangs_hides_neither_its_values_nor_its_neighbour(
    tmp_path: Path,
) -> None:
    fault = Fault.hang("nvmlDeviceGetTemperature").at(1)
    group = asked(tmp_path, Gpu(), OTHER, faults=(fault,), limit_s=4.0)
    hung, well = devices_of(group)
    assert value(hung.memory_total) == 23 << 30
    assert isinstance(hung.temperature, Failed)
    assert hung.temperature.error.startswith(
        "nvmlDeviceGetTemperature of GPU 0 did not return within "
    )
    assert well.uuid == OTHER.uuid


def test_a_simulated_gpu_whose_call_crashes_loses_only_what_came_after(tmp_path: Path) -> None:
    hung, well = devices_of(
        asked(tmp_path, Gpu(), OTHER, faults=(Fault.crash("nvmlDeviceGetTemperature").at(1),))
    )
    assert hung.temperature == Failed("nvmlDeviceGetTemperature of GPU 0 died of SIGSEGV", "died")
    assert value(hung.memory_total) == 23 << 30
    assert (hung.lost, well.lost, well.name) == (False, False, "NVIDIA L4")


@pytest.mark.slow  # waits for a limit
def test_a_simulated_nvmlinit_that_hangs_is_named(tmp_path: Path) -> None:
    group = asked(tmp_path, faults=(Fault.hang("nvmlInit*"),), limit_s=2.0)
    assert group.init_code == Failed("nvmlInit did not return within 1 s", "timed-out")
    assert isinstance(group.library, Known)


def test_without_a_simulated_nvml_all_is_absent(tmp_path: Path) -> None:
    simulated = SimulatedDriver(tmp_path, libraries=["libcuda"])
    group = nvml.ask(
        Request(system=System(environ=simulated.environment({"PATH": "/bin"}))), Facts()
    )
    assert {type(getattr(group, name)) for name in names(group)} == {Absent}


def test_a_broken_simulated_nvml_failed_with_the_loaders_words(tmp_path: Path) -> None:
    simulated = SimulatedDriver(tmp_path, libraries=["libcuda"])
    (tmp_path / "libnvidia-ml.so.1").write_bytes(b"no library")
    group = nvml.ask(
        Request(system=System(environ=simulated.environment({"PATH": "/bin"}))), Facts()
    )
    assert isinstance(group.library, Failed) and "libnvidia-ml.so.1" in group.library.error
