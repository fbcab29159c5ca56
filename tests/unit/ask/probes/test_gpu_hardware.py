"""GPUs and their device nodes, on laid-out machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.ask.probes.laid_out import Link, lay_out
from tfdoctor.ask.probes.host.gpu_hardware import (
    closed_nodes,
    device_nodes,
    gpus_on_bus,
    intel_gpu,
    uvm_node,
)
from tfdoctor.ask.probes.host.host import host_of
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.values import PciGpu

LINUX = Known("linux", "a test")
X86_MACHINE = Known("x86_64", "a test")


def pci(address: str, kind: str, vendor: str, device: str = "0x2236") -> dict[str, str]:
    folder = f"/sys/bus/pci/devices/{address}"
    return {
        f"{folder}/class": f"{kind}\n",
        f"{folder}/vendor": f"{vendor}\n",
        f"{folder}/device": f"{device}\n",
    }


DEVICES, REAL = "/sys/bus/pci/devices", "/sys/devices/pci0000:00/0000:3b:00.0"
ON_BUS: dict[str, tuple[dict[str, str], list[PciGpu]]] = {
    "NVIDIA's, beside its sound device, ASPEED's console and Intel's": (
        {
            **pci("0000:3b:00.0", "0x030200", "0x10de"), **pci("0000:3b:00.1", "0x040300", "0x10de"),
            **pci("0000:03:00.0", "0x030000", "0x1a03"), **pci("0000:00:02.0", "0x030000", "0x8086"),
            f"{DEVICES}/0000:3b:00.0/driver": Link("../../../../bus/pci/drivers/nvidia"),
        },
        [PciGpu("0000:3b:00.0", "nvidia", "2236", Known("nvidia", f"{DEVICES}/0000:3b:00.0/driver"))],
    ),
    "linked into the tree of /sys, as on real systems, and kept for a guest": (
        {
            f"{DEVICES}/0000:3b:00.0": Link("../../../devices/pci0000:00/0000:3b:00.0"), f"{REAL}/class": "0x030000\n",
            f"{REAL}/vendor": "0x10DE\n", f"{REAL}/device": "0x2684\n", f"{REAL}/driver": Link("../../../bus/pci/drivers/vfio-pci"),
        },
        [PciGpu("0000:3b:00.0", "nvidia", "2684", Known("vfio-pci", f"{DEVICES}/0000:3b:00.0/driver"))],
    ),
    "an accelerator of AMD's without a driver": (
        pci("0000:0c:00.0", "0x120000", "0x1002", "0x74a1"),
        [PciGpu("0000:0c:00.0", "amd", "74a1", Absent("no kernel driver is bound to it"))],
    ),
    "a tree that was recorded without links": (
        {**pci("0000:01:00.0", "0x030000", "0x10de"), f"{DEVICES}/0000:01:00.0/uevent": "DRIVER=nouveau\nPCI_CLASS=30000\n"},
        [PciGpu("0000:01:00.0", "nvidia", "2236", Known("nouveau", f"{DEVICES}/0000:01:00.0/uevent"))],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ON_BUS)
def test_a_gpu_on_the_bus(name: str, tmp_path: Path) -> None:
    files, gpus = ON_BUS[name]
    assert gpus_on_bus(lay_out(tmp_path, files), LINUX, X86_MACHINE) == Known(tuple(gpus), DEVICES)


@pytest.mark.parametrize("vendor", ["0x8086", "0x1af4", "0x102b", "0x1a03", "0x1234", "0x1414", ""])
def test_display_chips_that_compute_nothing_are_no_gpu(tmp_path: Path, vendor: str) -> None:
    # Without PCI.
    files = pci("0000:00:02.0", "0x030000", vendor) if vendor else {"/sys/class/net/lo/": ""}
    assert isinstance(gpus_on_bus(lay_out(tmp_path, files), LINUX, X86_MACHINE), Absent)


def test_an_image_without_sys_tells_nothing_of_gpus(tmp_path: Path) -> None:
    fact = gpus_on_bus(lay_out(tmp_path, {"/etc/os-release": "ID=ubuntu\n"}), LINUX, X86_MACHINE)
    assert isinstance(fact, Failed)
    assert fact.not_live


def test_the_drivers_own_list_stands_in_for_a_missing_sys(tmp_path: Path) -> None:
    files = {"/proc/driver/nvidia/gpus/0000:3b:00.0/information": "Model: \t\t NVIDIA A10G\n"}
    fact = gpus_on_bus(lay_out(tmp_path, files), LINUX, X86_MACHINE)
    assert isinstance(fact, Known)
    assert fact.value[0].address == "0000:3b:00.0"


def test_tegra_is_an_nvidia_gpu_without_pci(tmp_path: Path) -> None:
    files = {
        "/sys/bus/": "",
        "/proc/device-tree/compatible": "nvidia,p3737-0000+p3701-0005\0nvidia,tegra234\0",
    }
    fact = gpus_on_bus(lay_out(tmp_path, files), LINUX, Known("aarch64", "a test"))
    assert isinstance(fact, Known)
    assert (fact.value[0].vendor, fact.value[0].address, fact.value[0].device_id) == (
        "nvidia",
        "integrated",
        "nvidia,tegra234",
    )


@pytest.mark.parametrize(("machine_name", "known"), [("arm64", True), ("x86_64", False)])
def test_apples_gpu_comes_with_its_processor(machine_name: str, known: bool) -> None:
    fact = gpus_on_bus(System(), Known("macos", "a test"), Known(machine_name, "a test"))
    assert isinstance(fact, Known if known else Failed)


def test_device_nodes_count_by_their_existence(tmp_path: Path) -> None:
    names = "nvidia0 nvidia1 nvidiactl nvidia-modeset nvidia-uvm kfd null nvidia-caps/nvidia-cap1"
    system = lay_out(tmp_path, {f"/dev/{name}": "" for name in names.split()})
    assert device_nodes(system) == Known(
        ("/dev/kfd", "/dev/nvidia0", "/dev/nvidia1", "/dev/nvidiactl"), "/dev"
    )
    assert uvm_node(system) == Known("/dev/nvidia-uvm", "/dev")


def test_no_device_node_is_absent(tmp_path: Path) -> None:
    host = host_of(lay_out(tmp_path, {"/dev/null": ""}))
    assert isinstance(host.gpu_device_nodes, Absent)
    assert isinstance(host.uvm_node, Absent)


def test_an_unpacked_system_has_no_user_who_could_open_a_node(tmp_path: Path) -> None:
    lay_out(tmp_path, {"/dev/nvidia0": "", "/dev/nvidiactl": ""})
    assert isinstance(closed_nodes(System(tmp_path)), Failed)


@pytest.mark.parametrize(
    ("kind", "vendor", "found"),
    [
        ("0x030000", "0x8086", Known("0000:03:00.0", "/sys/bus/pci/devices")),
        ("0x038000", "0x8086", Known("0000:03:00.0", "/sys/bus/pci/devices")),
        ("0x060000", "0x8086", None),  # a bridge
        ("0x030000", "0x1a03", None),
    ],
)
def test_a_gpu_of_intels_is_a_fact_of_its_own(
    tmp_path: Path, kind: str, vendor: str, found: Known[str] | None
) -> None:
    system = lay_out(tmp_path, pci("0000:03:00.0", kind, vendor, "0x56a0"))
    fact = intel_gpu(system)
    assert fact == found if found is not None else isinstance(fact, Absent)
    assert isinstance(gpus_on_bus(system, LINUX, X86_MACHINE), Absent)
