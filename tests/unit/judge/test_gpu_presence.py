"""What shows that a GPU is there, and when it is certain that there is none."""

from __future__ import annotations

import pytest

from tests.unit.judge.machines import base, bundled, changed, judged, roots
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import PciGpu
from tfdoctor.facts.versions import DriverRelease
from tfdoctor.judge.engine.case import Case, Inconclusive, NotApplicable, Policy
from tfdoctor.judge.questions.gpu import driver_os, need_gpu, nvidia_gpu

NONE = Absent("none")
AMD = PciGpu("0000:03:00.0", "amd", "740f", Known("amdgpu", "sysfs"))


def bare() -> Facts:
    """A machine that shows no GPU anywhere."""
    return changed(
        base(),
        host={"gpus_on_bus": NONE, "gpu_device_nodes": NONE, "uvm_node": NONE},
        driver=dict.fromkeys(
            ("module_version", "library", "init_code", "devices", "version", "cuda_version"), NONE
        ),
        nvml=dict.fromkeys(
            ("library", "init_code", "devices", "driver_version", "cuda_version"), NONE
        ),
    )


def test_certainly_none() -> None:
    assert isinstance(nvidia_gpu(bare()), Absent)


@pytest.mark.parametrize(
    "facts",
    [
        changed(bare(), host={"gpus_on_bus": base().host.gpus_on_bus}),
        changed(bare(), host={"gpu_device_nodes": Known(("/dev/nvidia0",), "/dev")}),
        changed(bare(), driver={"module_version": Known(DriverRelease("550.163.01"), "/proc")}),
        changed(bare(), driver={"init_code": Known(0, "cuInit"), "devices": base().driver.devices}),
        changed(
            bare(), driver={"init_code": Known(803, "cuInit"), "devices": Failed("803", "missing")}
        ),
        changed(bare(), nvml={"devices": base().nvml.devices}),
    ],
)
def test_any_single_sign_is_enough(facts: Facts) -> None:
    assert isinstance(nvidia_gpu(facts), Known)


@pytest.mark.parametrize("number", [34, 100])
def test_answers_that_need_no_gpu_are_no_sign(number: int) -> None:
    facts = changed(
        bare(), driver={"library": base().driver.library, "init_code": Known(number, "cuInit")}
    )
    assert isinstance(nvidia_gpu(facts), Absent)


def test_control_node_and_dxg_alone_are_no_gpu() -> None:
    assert isinstance(
        nvidia_gpu(changed(bare(), host={"gpu_device_nodes": Known(("/dev/nvidiactl",), "/dev")})),
        Absent,
    )
    assert isinstance(
        nvidia_gpu(changed(bare(), host={"gpu_device_nodes": Known(("/dev/dxg",), "/dev")})), Absent
    )


@pytest.mark.parametrize(
    "facts",
    [
        changed(bare(), host={"gpus_on_bus": Failed("/sys is not mounted here", "missing")}),
        changed(bare(), host={"gpu_device_nodes": Failed("/dev: Permission denied", "refused")}),
        changed(
            bare(),
            driver={
                "library": base().driver.library,
                "init_code": Failed("cuInit did not return within 10 s", "timed-out"),
            },
        ),
    ],
)
def test_what_could_not_be_looked_at_leaves_it_open(facts: Facts) -> None:
    assert isinstance(nvidia_gpu(facts), Failed)
    with pytest.raises(Inconclusive):
        need_gpu(Case(facts, bundled()))


def test_unpacked_image_is_judged_where_a_gpu_is_required() -> None:
    facts = changed(
        bare(), host={"gpus_on_bus": Failed("not-live: an unpacked system", "not-live")}
    )
    assert need_gpu(Case(facts, bundled(), Policy(require_gpu=True))) == "a GPU is required"


def test_machine_without_a_gpu_needs_none() -> None:
    with pytest.raises(NotApplicable):
        need_gpu(Case(bare(), bundled()))


def test_amd_gpu_is_none_for_a_cuda_build() -> None:
    facts = changed(bare(), host={"gpus_on_bus": Known((AMD,), "/sys/bus/pci/devices")})
    assert "gpu-absent" in [each.code for each in judged(facts).findings]
    assert roots(facts) == []


def test_wsl_counts_drivers_as_windows_does() -> None:
    assert driver_os(base()) == "linux"
    assert driver_os(changed(base(), host={"wsl": Known(2, "/proc/version")})) == "windows"
