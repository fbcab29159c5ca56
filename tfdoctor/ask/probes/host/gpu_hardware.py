"""GPUs as the bus and the device folder show them, without asking any driver.

Which count: NVIDIA's and AMD's display and 3D controllers, NVIDIA's Tegra (no PCI device) and, on macOS, Apple's.
TensorFlow has builds for these alone; a display chip of Matrox, ASPEED, virtio or a hypervisor computes nothing for it,
so such a chip is not listed. One of Intel's computes through a plug-in alone and is a fact of its own.
"""

from __future__ import annotations

import os
from pathlib import Path

from tfdoctor.ask.probes.text_files import first_line, guarded, not_live
from tfdoctor.base.expressions import Expression
from tfdoctor.base.gpu_files import (
    AMD_VENDOR,
    DEVICE_TREE,
    DRIVER_GPUS,
    GPU_CLASSES,
    INTEL_VENDOR,
    NVIDIA_VENDOR,
    PCI_DEVICES,
    PROC_PCI,
    TEGRA,
)
from tfdoctor.base.printable import encodable, plain
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.values import ClosedNode, PciGpu

_VENDORS = {NVIDIA_VENDOR: "nvidia", AMD_VENDOR: "amd"}
_TEGRA = Expression(TEGRA + r"\w*")
# /dev entries by which a process reaches a GPU: NVIDIA's driver, WSL's, Tegra's, AMD's
_NODES = Expression(r"nvidia\d+|nvidiactl|dxg|nvhost-gpu|kfd")
_OPENED = Expression(r"nvidia\d+|nvidiactl|nvidia-uvm|kfd")
UVM_NODE = "/dev/nvidia-uvm"


def gpus_on_bus(system: System, os: Fact[str], machine: Fact[str]) -> Fact[tuple[PciGpu, ...]]:
    """The GPUs that the hardware shows. Absent where every place was looked at and holds none."""
    if isinstance(os, Known) and os.value != "linux":
        return _without_pci_folder(os.value, machine)
    found = guarded(lambda: _on_pci(system), PCI_DEVICES)
    if isinstance(found, Known):
        return found
    for further, source in ((_named_by_driver, DRIVER_GPUS), (_tegra, DEVICE_TREE)):
        other = guarded(lambda ask=further: ask(system), source)  # type: ignore[misc]  # mypy can't type a default
        if isinstance(other, Known):
            return other
    if isinstance(found, Failed) and isinstance(
        none := guarded(lambda: _no_vendor(system), PROC_PCI), Absent
    ):
        return none
    return found


def _no_vendor(system: System) -> Fact[tuple[PciGpu, ...]]:
    """Without /sys: /proc/bus/pci/devices names vendors, not classes (proc(5)), so it can only tell that none is there."""
    vendors = {
        f"0x{line.split()[1][:4]}"
        for line in system.read(PROC_PCI).splitlines()
        if len(line.split()) > 1
    }
    if not vendors or vendors & _VENDORS.keys():
        return Failed(f"{PROC_PCI} names vendors and not what kind of device it is", "missing")
    return Absent(f"{PROC_PCI} names no device of a vendor that TensorFlow knows")


def _without_pci_folder(os: str, machine: Fact[str]) -> Fact[tuple[PciGpu, ...]]:
    if os == "macos" and isinstance(machine, Known) and machine.value == "arm64":
        gpu = PciGpu("integrated", "apple", "", Known("AGX", "part of macOS"))
        return Known((gpu,), "every Apple machine of this architecture has one")
    return Failed(f"tfdoctor can't look at the bus of a {os} system", "unsupported")


def _on_pci(system: System) -> Fact[tuple[PciGpu, ...]]:
    """Devices of the classes and vendors that count, by their files below /sys/bus/pci/devices."""
    if not system.exists(PCI_DEVICES):
        return _no_pci(system)
    addresses = system.list(PCI_DEVICES)
    found = [_pci_gpu(system, address) for address in addresses]
    gpus = tuple(gpu for gpu in found if isinstance(gpu, PciGpu))
    if gpus:
        return Known(gpus, PCI_DEVICES)
    failed = [item for item in found if isinstance(item, Failed)]
    return (
        failed[0]
        if failed
        else Absent(f"no GPU of a vendor that TensorFlow knows among {len(found)} PCI devices")
    )


def intel_gpu(system: System) -> Fact[str]:
    """The first display controller of Intel's: most laptops have one."""
    for address in system.list(PCI_DEVICES) if system.exists(PCI_DEVICES) else ():
        kind = first_line(system, f"{PCI_DEVICES}/{address}/class")
        vendor = first_line(system, f"{PCI_DEVICES}/{address}/vendor")
        display = isinstance(kind, Known) and kind.value[:6].lower() in GPU_CLASSES
        if display and isinstance(vendor, Known) and vendor.value.lower() == INTEL_VENDOR:
            return Known(encodable(address), PCI_DEVICES)
    return Absent("no display controller of Intel's among the PCI devices")


def _no_pci(system: System) -> Absent | Failed:
    """A system whose /sys is there but holds no PCI bus has none; one without /sys tells nothing."""
    if system.list("/sys/bus") or system.list("/sys/class"):
        return Absent("this system has no PCI bus (/sys/bus/pci)")
    return (
        Failed("/sys is not mounted here", "missing")
        if system.live
        else not_live("/sys is not in the examined folder")
    )


def _pci_gpu(system: System, address: str) -> PciGpu | Absent | Failed:
    folder = f"{PCI_DEVICES}/{address}"
    kind, vendor = first_line(system, f"{folder}/class"), first_line(system, f"{folder}/vendor")
    for line in (kind, vendor):
        if isinstance(line, Failed):
            return line
    if not isinstance(kind, Known) or not isinstance(vendor, Known):
        return Absent(f"the device {address} went away")
    if kind.value[:6].lower() not in GPU_CLASSES or vendor.value.lower() not in _VENDORS:
        return Absent("no GPU that counts")
    device = first_line(system, f"{folder}/device")
    return PciGpu(
        address=encodable(address),
        vendor=_VENDORS[vendor.value.lower()],
        device_id=device.value.lower().removeprefix("0x") if isinstance(device, Known) else "",
        driver=guarded(lambda: _bound_driver(system, folder), f"{folder}/driver"),
    )


def _bound_driver(system: System, folder: str) -> Fact[str]:
    """The link `driver` names the kernel driver; a recorded tree may hold `uevent` instead."""
    link = system.path(folder) / "driver"
    if link.is_symlink():
        return Known(plain(Path(os.readlink(link)).name), f"{folder}/driver")
    uevent = first_driver_line(system, f"{folder}/uevent")
    return (
        Known(uevent, f"{folder}/uevent") if uevent else Absent("no kernel driver is bound to it")
    )


def first_driver_line(system: System, name: str) -> str:
    """The value of DRIVER= in a uevent file, "" where it has none."""
    if not system.exists(name):
        return ""
    marked = [line for line in system.read(name).splitlines() if line.startswith("DRIVER=")]
    return plain(marked[0].partition("=")[2]) if marked else ""


def _named_by_driver(system: System) -> Fact[tuple[PciGpu, ...]]:
    """NVIDIA's kernel driver lists its GPUs in /proc, also where a container shows no /sys."""
    addresses = system.list(DRIVER_GPUS)
    driver = Known("nvidia", DRIVER_GPUS)
    gpus = tuple(PciGpu(encodable(address), "nvidia", "", driver) for address in addresses)
    return Known(gpus, DRIVER_GPUS) if gpus else Absent(f"{DRIVER_GPUS} lists none")


def _tegra(system: System) -> Fact[tuple[PciGpu, ...]]:
    """Tegra's GPU is part of the chip: the device tree names the chip ("nvidia,tegra234")."""
    if not system.exists(DEVICE_TREE):
        return Absent("there is no device tree")
    if match := _TEGRA.search(system.read(DEVICE_TREE)):
        gpu = PciGpu(
            "integrated",
            "nvidia",
            match[0],
            Failed("the chip's driver is not asked for", "unsupported"),
        )
        return Known((gpu,), DEVICE_TREE)
    return Absent("the device tree names no Tegra")


def device_nodes(system: System) -> Fact[tuple[str, ...]]:
    """The files in /dev by which a process reaches a GPU. A node counts by its existence."""
    nodes = tuple(f"/dev/{name}" for name in system.list("/dev") if _NODES.fullmatch(name))
    return Known(nodes, "/dev") if nodes else Absent("no GPU device in /dev")


def closed_nodes(system: System) -> Fact[tuple[ClosedNode, ...]]:
    """Nodes of GPUs that are there and that this user may not open for reading and writing, by access(2)."""
    if not system.live:
        return not_live("an unpacked system has no user")
    names = [f"/dev/{name}" for name in system.list("/dev") if _OPENED.fullmatch(name)]
    names += (
        [f"/dev/dri/{name}" for name in system.list("/dev/dri") if name.startswith("renderD")]
        if "/dev/kfd" in names
        else []
    )
    closed = tuple(
        ClosedNode(plain(name), _group(name))
        for name in names
        if not os.access(name, os.R_OK | os.W_OK)
    )
    return (
        Known(closed, "access(2)")
        if closed
        else Absent("this user may open every GPU device in /dev")
    )


def _group(name: str) -> str:
    """The group that owns the file; its number where no list has its name."""
    import grp  # a healthy machine never needs it, and Windows has none

    try:
        number = os.stat(name).st_gid
    except OSError:
        return ""
    try:
        return plain(grp.getgrgid(number).gr_name)
    except KeyError:
        return str(number)


def uvm_node(system: System) -> Fact[str]:
    """NVIDIA's unified memory device, without which cuInit fails with 999."""
    return (
        Known(UVM_NODE, "/dev") if system.exists(UVM_NODE) else Absent(f"{UVM_NODE} does not exist")
    )
