"""The host: distribution, kernel, C library, processor, container, GPUs on the bus."""

from __future__ import annotations

import os
import re
import sys

from tfdoctor.ask.probes.host.container import container_kind, scheduler_job
from tfdoctor.ask.probes.host.gpu_hardware import (
    closed_nodes,
    device_nodes,
    gpus_on_bus,
    intel_gpu,
    uvm_node,
)
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.text_files import first_line, guarded, lines_of, not_live, pairs
from tfdoctor.base.child import run_child
from tfdoctor.base.printable import plain
from tfdoctor.base.safe_open import folder_names, head_of
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts, Host
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, kind_of_error
from tfdoctor.facts.values import OsRelease
from tfdoctor.facts.versions import GlibcRelease, read_release

OSRELEASE = "/proc/sys/kernel/osrelease"
# os-release(5): the second is the fallback.
_OS_RELEASE_FILES = (
    "/etc/os-release",
    "/usr/lib/os-release",
)
_SYSTEMS = {"linux": "linux", "darwin": "macos", "win32": "windows", "cygwin": "windows"}
_MANAGERS = (
    ("apt", ("debian", "ubuntu")),
    ("dnf", ("fedora", "rhel", "centos")),
    ("zypper", ("suse", "opensuse", "sles")),
    ("pacman", ("arch",)),
    ("apk", ("alpine",)),
    ("emerge", ("gentoo",)),
    ("nix", ("nixos",)),
)
_YUM = {("rhel", "7"), ("centos", "7"), ("amzn", "2"), ("ol", "7")}  # the last releases without dnf
_LIBC_FILES = (
    "/lib/x86_64-linux-gnu/libc.so.6",
    "/lib/aarch64-linux-gnu/libc.so.6",
    "/usr/lib/x86_64-linux-gnu/libc.so.6",
    "/usr/lib/aarch64-linux-gnu/libc.so.6",
    "/lib64/libc.so.6",
    "/usr/lib64/libc.so.6",
    "/usr/lib/libc.so.6",
    "/lib/libc.so.6",
)
_BANNER = re.compile(rb"GNU C Library [^\n]{0,200}?release version (\d{1,2}\.\d{1,3})")
_SYMBOL_VERSION = re.compile(rb"GLIBC_(\d{1,2}\.\d{1,3})\0")
_LIBC_BYTES = 16 << 20  # a libc.so.6 with its symbols has 2 to 13 MB


def os_name(system: System, platform: str = sys.platform) -> Fact[str]:
    """ "linux", "windows" or "macos". `platform` as sys.platform. Below a root only Linux systems are examined."""
    if not system.live:
        return Known("linux", "the root given, which is read as a Linux system")
    if platform in _SYSTEMS:
        return Known(_SYSTEMS[platform], "sys.platform")
    return Failed(f"the system {platform} is not one that tfdoctor knows", "unsupported")


def os_release(system: System) -> Fact[OsRelease]:
    """/etc/os-release or its fallback. Raises ValueError where it has no ID."""
    lines = lines_of(system, _OS_RELEASE_FILES[0])
    if not isinstance(lines, Known):
        lines = lines_of(system, _OS_RELEASE_FILES[1])
    if not isinstance(lines, Known):
        return lines
    values = {key: plain(value.strip("\"'")) for key, value in pairs(lines.value).items()}
    if not values.get("ID"):
        return Failed(f"{lines.source} has no ID", "missing")
    release = OsRelease(
        id=values["ID"].lower(),
        version=values.get("VERSION_ID", ""),
        like=tuple(values.get("ID_LIKE", "").lower().split()),
        pretty=values.get("PRETTY_NAME", "") or values["ID"],
    )
    return Known(release, lines.source)


def package_manager(distribution: Fact[OsRelease]) -> Fact[str]:
    """ "apt", "dnf", "yum", "zypper", "pacman", "apk", "emerge" or "nix", by the distribution and its relatives."""
    if not isinstance(distribution, Known):
        return distribution
    release = distribution.value
    if (release.id, release.version.split(".")[0]) in _YUM:
        return Known("yum", distribution.source)
    for name in (release.id, *release.like):
        for manager, family in _MANAGERS:
            if name in family or name.split("-")[0] in family:
                return Known(manager, distribution.source)
    return Absent(f"the package manager of {release.id} is not known to tfdoctor")


def kernel(system: System) -> Fact[str]:
    """The release of the running kernel, "6.1.0-18-amd64"."""
    line = first_line(system, OSRELEASE)
    if not isinstance(line, Known) and system.live and hasattr(os, "uname"):
        return Known(os.uname().release, "uname")
    return line


def host_name(system: System) -> Fact[str]:
    """By the kernel; below a root by the file that sets it at the start."""
    line = first_line(system, "/proc/sys/kernel/hostname" if system.live else "/etc/hostname")
    if isinstance(line, Known) or not system.live:
        return line
    if hasattr(os, "uname"):
        return Known(os.uname().nodename, "uname")
    name = system.environ.get("COMPUTERNAME", "")
    return Known(name, "COMPUTERNAME") if name else Absent("COMPUTERNAME is not set")


def wsl(system: System, release: Fact[str]) -> Fact[int]:
    """1 or 2; Absent outside the Windows Subsystem for Linux.

    The kernels of Microsoft say it in their release ("4.4.0-19041-Microsoft" is WSL 1, "…-microsoft-standard-WSL2"
    is 2). A kernel of the user's own does not; then what WSL puts into its virtual machine does.
    """
    if isinstance(release, Known) and "microsoft" in release.value.lower():
        old = release.value.endswith("-Microsoft") and "WSL2" not in release.value
        return Known(1 if old else 2, release.source)
    marks = [
        "/proc/sys/fs/binfmt_misc/WSLInterop",
        "/proc/sys/fs/binfmt_misc/WSLInterop-late",
        "/run/WSL",
    ]
    if system.exists("/dev/dxg") and system.exists("/usr/lib/wsl/lib"):
        marks.append("/dev/dxg")  # alone it may be another guest of Hyper-V with a shared GPU
    for mark in marks:
        if system.exists(mark):
            return Known(2, mark)
    if isinstance(release, Known):
        return Absent(f"the kernel {release.value} is not Microsoft's and there is no /run/WSL")
    return (
        release
        if isinstance(release, Failed)
        else Absent("this system has no Linux kernel of Microsoft's")
    )


def glibc(system: System) -> Fact[GlibcRelease]:
    """The version of the C library, "2.36". Absent where the system's C library is another (musl).

    A live system's own C library is asked; otherwise the banner in its file is read, or its newest symbol version.
    """
    if system.live and (version := _running_glibc()):
        return read_release(GlibcRelease, version, "confstr(_CS_GNU_LIBC_VERSION)")
    for name in _LIBC_FILES:
        if system.exists(name):
            return _glibc_of_file(system, name)
    for name in folder_names(system.path("/lib")):
        if name.startswith("ld-musl-"):
            return Absent(f"the C library is musl (/lib/{name})")
    if system.live:
        return Absent("there is no libc.so.6 where Linux systems have it")
    return not_live("no C library is in the examined folder")


def _running_glibc() -> str:
    """What glibc itself says; "" under another C library. Windows has no confstr, musl does not know the name."""
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
    except (AttributeError, ValueError, OSError):
        return ""
    return version if name == "glibc" else ""


def _glibc_of_file(system: System, name: str) -> Fact[GlibcRelease]:
    try:
        content = head_of(system.path(name), _LIBC_BYTES)
    except OSError as error:
        return Failed(f"{name}: {error.strerror}", kind_of_error(error))
    if banner := _BANNER.search(content):
        return read_release(GlibcRelease, banner[1].decode(), name)
    versions = [GlibcRelease(text.decode()) for text in set(_SYMBOL_VERSION.findall(content))]
    return (
        Known(max(versions), f"{name}, newest symbol version")
        if versions
        else Failed(f"{name} is no glibc", "unreadable")
    )


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
        # Every processor has flags.
        return Failed(lines.reason, "missing") if isinstance(lines, Absent) else lines
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
        return _running_machine()
    for loader, name in _LOADERS.items():
        if system.exists(loader):
            return Known(name, loader)
    return not_live("neither /proc/cpuinfo nor a known loader is in the examined folder")


def translated_by_rosetta() -> bool:
    """Whether this process is an x86 program on an Apple processor (Apple, "About the Rosetta translation environment")."""
    return (
        run_child(["sysctl", "-n", "sysctl.proc_translated"], timeout_s=1.0).stdout.strip() == b"1"
    )


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
            plain(f"ARM implementer {keys['cpu implementer']} part {keys.get('cpu part', '?')}"),
            CPUINFO,
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
        return (
            Known(count, CPUINFO) if count else Failed(f"{CPUINFO} lists no processor", "missing")
        )
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
    if text.startswith("amazon ec2") and text.endswith(
        "metal"
    ):  # product "g4dn.metal": no hypervisor
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
        info
        if isinstance(info, Failed)
        else Failed("neither DMI nor CPU flags are there to tell", "missing")
    )


def _dmi(system: System) -> list[str]:
    """Vendor and product of the machine, as the firmware says."""
    lines = [
        first_line(system, f"/sys/class/dmi/id/{name}") for name in ("sys_vendor", "product_name")
    ]
    return [line.value.strip() for line in lines if isinstance(line, Known)]


def _other_places(system: System, info: Fact[dict[str, str]]) -> list[tuple[str, str]]:
    """Further texts that may name a hypervisor, each with its source."""
    names = ("/sys/hypervisor/type", "/proc/device-tree/hypervisor/compatible")
    lines = [(first_line(system, name), name) for name in names]
    places = [(line.value.lower(), name) for line, name in lines if isinstance(line, Known)]
    if isinstance(info, Known):
        places.append((info.value.get("model name", "").lower(), CPUINFO))
    return places


def ask(request: Request, facts: Facts) -> Host:
    """Fills the group Host. Asks files and the C library alone, no program and no driver."""
    return host_of(request.system)


def host_of(system: System, platform: str = sys.platform) -> Host:
    """The host; `platform` as sys.platform."""
    os_fact = guarded(lambda: os_name(system, platform), "sys.platform")
    info = guarded(lambda: cpuinfo(system), "/proc/cpuinfo")
    release = guarded(lambda: kernel(system), "/proc/sys/kernel/osrelease")
    distribution = guarded(lambda: os_release(system), "/etc/os-release")
    architecture = guarded(lambda: machine(system, info), "/proc/cpuinfo")
    wsl_fact = guarded(lambda: wsl(system, release), "/proc/sys/kernel/osrelease")
    return Host(
        os=os_fact,
        name=guarded(lambda: host_name(system), "/proc/sys/kernel/hostname"),
        distribution=distribution,
        kernel=release,
        glibc=guarded(lambda: glibc(system), "the C library"),
        machine=architecture,
        cpu_model=guarded(lambda: cpu_model(info), "/proc/cpuinfo"),
        cpu_flags=guarded(lambda: cpu_flags(info), "/proc/cpuinfo"),
        cpu_count=guarded(lambda: cpu_count(system), "the number of CPUs"),
        hypervisor=guarded(lambda: hypervisor(system, info, wsl_fact), "/sys/class/dmi/id"),
        wsl=wsl_fact,
        intel_gpu=guarded(lambda: intel_gpu(system), "/sys/bus/pci/devices"),
        gpus_on_bus=guarded(
            lambda: gpus_on_bus(system, os_fact, architecture), "/sys/bus/pci/devices"
        ),
        gpu_device_nodes=guarded(lambda: device_nodes(system), "/dev"),
        uvm_node=guarded(lambda: uvm_node(system), "/dev"),
        closed_nodes=guarded(lambda: closed_nodes(system), "/dev"),
        container=guarded(lambda: _container(system, os_fact), "marks of a container"),
        scheduler=guarded(lambda: scheduler_job(system.environ), "environment variables"),
        package_manager=guarded(lambda: package_manager(distribution), "/etc/os-release"),
        user_is_root=guarded(lambda: user_is_root(system), "geteuid"),
    )


def _container(system: System, os_fact: Fact[str]) -> Fact[str]:
    if isinstance(os_fact, Known) and os_fact.value != "linux":
        return Absent(f"tfdoctor looks for containers on Linux alone, and this is {os_fact.value}")
    return container_kind(system)


def user_is_root(system: System) -> Fact[bool]:
    """Whether the doctor's user is root, who needs no sudo. Absent on Windows."""
    if not system.live:
        return not_live("an unpacked system has no user")
    if not hasattr(os, "geteuid"):
        return Absent("this system has no root user")
    return Known(os.geteuid() == 0, "geteuid")


def _running_machine() -> Fact[str]:
    name = own_machine().lower()
    if sys.platform == "darwin" and name == "x86_64" and translated_by_rosetta():
        return Known("arm64", "sysctl.proc_translated")
    if not name:
        return Failed("uname names no machine", "missing")
    return Known("x86_64" if name == "amd64" else name, "uname")
