"""The processor: architecture of the kernel, model, instruction sets, count, and the hypervisor above it."""

from __future__ import annotations

import os
import sys

from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.probes.text_files import first_line, lines_of, not_live, pairs, plain
from tfdoctor.system.child import run_child
from tfdoctor.system.sysroot import System

CPUINFO = "/proc/cpuinfo"
_LOADERS = {  # the loader that the ABI of each architecture prescribes (System V psABI, Arm AAELF64; musl's ldso)
    "/lib64/ld-linux-x86-64.so.2": "x86_64",
    "/lib/ld-linux-aarch64.so.1": "aarch64",
    "/lib/ld-musl-x86_64.so.1": "x86_64",
    "/lib/ld-musl-aarch64.so.1": "aarch64",
}
_HYPERVISORS = (  # what stands in DMI's vendor and product (systemd's src/basic/virt.c, read 2026-11), most telling first
    ("kvm", "KVM"),
    ("openstack", "KVM"),
    ("rhev", "KVM"),
    ("qemu", "QEMU"),
    ("amazon ec2", "Amazon EC2"),
    ("google compute engine", "Google Compute Engine"),
    ("alibaba cloud", "Alibaba Cloud"),
    ("vmware", "VMware"),
    ("vmw", "VMware"),
    ("innotek gmbh", "VirtualBox"),
    ("virtualbox", "VirtualBox"),
    ("microsoft corporation virtual machine", "Hyper-V"),
    ("parallels", "Parallels"),
    ("bhyve", "bhyve"),
    ("xen", "Xen"),
    ("apple virtualization", "Apple Virtualization"),
)


def cpuinfo(system: System) -> Fact[dict[str, str]]:
    """The keys of /proc/cpuinfo with the values of its first processor, keys in lower case."""
    lines = lines_of(system, CPUINFO)
    if not isinstance(lines, Known):
        return (
            Failed(lines.reason, "missing") if isinstance(lines, Absent) else lines
        )  # every processor has flags
    found = {key.lower(): value for key, value in pairs(lines.value).items()}
    return Known(found, CPUINFO) if found else Failed(f"{CPUINFO} is empty", "missing")


def own_machine() -> str:
    """What the running kernel says, as `platform.machine` would: "x86_64", "AMD64"; "" where it says nothing."""
    if hasattr(os, "uname"):
        return os.uname().machine
    import platform

    return platform.machine()


def machine(system: System, info: Fact[dict[str, str]]) -> Fact[str]:
    """The kernel's architecture ("x86_64", "aarch64"), which an emulated program does not see in uname.

    First /proc/sys/kernel/arch (Linux 6.1), then the form of /proc/cpuinfo, then uname, or below a root the loader.
    """
    arch = first_line(system, "/proc/sys/kernel/arch")
    if isinstance(arch, Known):
        return arch
    if isinstance(info, Known) and (shown := _machine_of_cpuinfo(info.value)):
        return Known(shown, CPUINFO)
    if system.live:
        name = own_machine().lower()
        return (
            Known("x86_64" if name == "amd64" else name, "uname")
            if name
            else Failed("uname names no machine", "missing")
        )
    for loader, name in _LOADERS.items():
        if system.exists(loader):
            return Known(name, loader)
    return not_live("neither /proc/cpuinfo nor a known loader is in the examined folder")


def _running_machine() -> Fact[str]:
    name = own_machine().lower()
    if sys.platform == "darwin" and name == "x86_64" and translated_by_rosetta():
        return Known("arm64", "sysctl.proc_translated")
    return (
        Known("x86_64" if name == "amd64" else name, "uname")
        if name
        else Failed("uname names no machine", "missing")
    )


def translated_by_rosetta() -> bool:
    """Whether this process is an x86 program on an Apple processor (Apple, "About the Rosetta translation environment")."""
    return run_child(["sysctl", "-n", "sysctl.proc_translated"], timeout_s=1.0).stdout.strip() == b"1"


def _machine_of_cpuinfo(info: dict[str, str]) -> str:
    """ARM kernels and x86 kernels write different keys. VirtualApple is Rosetta on an Apple machine."""
    if "cpu implementer" in info or info.get("vendor_id") == "VirtualApple":
        return "aarch64" if info.get("cpu architecture", "8") in ("8", "AArch64") else ""
    flags = info.get("flags", "").split()
    return "x86_64" if "lm" in flags else ""  # lm: long mode, the 64-bit one


def cpu_model(info: Fact[dict[str, str]]) -> Fact[str]:
    """The model's name; on ARM kernels that write none, implementer and part number."""
    if not isinstance(info, Known):
        return info
    keys = info.value
    if name := plain(keys.get("model name", "") or keys.get("hardware", "")):
        return Known(name, CPUINFO)
    if "cpu implementer" in keys:
        return Known(
            plain(f"ARM implementer {keys['cpu implementer']} part {keys.get('cpu part', '?')}"), CPUINFO
        )
    return Failed(f"{CPUINFO} names no model", "missing")


def cpu_flags(info: Fact[dict[str, str]]) -> Fact[tuple[str, ...]]:
    """The instruction sets: "flags" of x86, "Features" of ARM, in lower case."""
    if not isinstance(info, Known):
        return info
    text = info.value.get("flags") or info.value.get("features")
    return (
        Known(tuple(plain(text).lower().split()), CPUINFO)
        if text
        else Failed(f"{CPUINFO} lists no flags", "missing")
    )


def cpu_count(system: System) -> Fact[int]:
    """CPUs that this process may use; below a root those that /proc/cpuinfo lists."""
    if not system.live:
        lines = lines_of(system, CPUINFO)
        if not isinstance(lines, Known):
            return lines
        count = sum(1 for line in lines.value if line.split(":")[0].strip() == "processor")
        return Known(count, CPUINFO) if count else Failed(f"{CPUINFO} lists no processor", "missing")
    if hasattr(os, "sched_getaffinity"):
        return Known(len(os.sched_getaffinity(0)), "sched_getaffinity")
    count = os.cpu_count() or 0
    return (
        Known(count, "os.cpu_count")
        if count
        else Failed("the system does not tell its number of CPUs", "missing")
    )


def hypervisor(system: System, info: Fact[dict[str, str]], wsl: Fact[int]) -> Fact[str]:
    """Who runs this virtual machine, by DMI, the device tree, Xen's own folder or the CPU. Absent on bare metal."""
    if isinstance(wsl, Known) and wsl.value == 2:
        return Known("Hyper-V", "WSL 2 runs on Hyper-V")
    dmi = _dmi(system)
    text = " ".join(dmi).lower()
    if text.startswith("amazon ec2") and text.endswith("metal"):  # product "g4dn.metal": no hypervisor
        return Absent(f"the machine is a {dmi[-1]} of Amazon EC2, which is bare metal")
    for name, source in ((text, "/sys/class/dmi/id"), *_other_places(system, info)):
        for mark, known in _HYPERVISORS:
            if mark in name:
                return Known(known, source)
    return _by_flag(info, bool(dmi))


def _by_flag(info: Fact[dict[str, str]], dmi_says_nothing_of_one: bool) -> Fact[str]:
    flags = info.value.get("flags", "").split() if isinstance(info, Known) else []
    if "hypervisor" in flags:
        return Known("unknown hypervisor", f"{CPUINFO}: flag hypervisor")
    if flags:
        return Absent(f"{CPUINFO} has no flag hypervisor")
    if dmi_says_nothing_of_one:
        return Absent("/sys/class/dmi/id names a maker of real machines")
    return (
        info if isinstance(info, Failed) else Failed("neither DMI nor CPU flags are there to tell", "missing")
    )


def _dmi(system: System) -> list[str]:
    """Vendor and product of the machine, as the firmware says."""
    lines = [first_line(system, f"/sys/class/dmi/id/{name}") for name in ("sys_vendor", "product_name")]
    return [line.value.strip() for line in lines if isinstance(line, Known)]


def _other_places(system: System, info: Fact[dict[str, str]]) -> list[tuple[str, str]]:
    """Further texts that may name a hypervisor, each with its source."""
    names = ("/sys/hypervisor/type", "/proc/device-tree/hypervisor/compatible")
    lines = [(first_line(system, name), name) for name in names]
    places = [(line.value.lower(), name) for line, name in lines if isinstance(line, Known)]
    if isinstance(info, Known):
        places.append((info.value.get("model name", "").lower(), CPUINFO))
    return places
