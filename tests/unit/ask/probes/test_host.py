"""The host, on laid-out machines and on this one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.ask.probes.laid_out import Link, lay_out
from tfdoctor.ask.probes.host.host import (
    ask,
    cpu_flags,
    cpu_model,
    cpuinfo,
    glibc,
    host_name,
    host_of,
    hypervisor,
    kernel,
    machine,
    os_name,
    os_release,
    package_manager,
    translated_by_rosetta,
    wsl,
)
from tfdoctor.ask.probes.request import Request
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known, value_or
from tfdoctor.facts.values import OsRelease
from tfdoctor.facts.versions import GlibcRelease

UBUNTU = 'PRETTY_NAME="Ubuntu 22.04.4 LTS"\nNAME="Ubuntu"\nVERSION_ID="22.04"\nID=ubuntu\nID_LIKE=debian\n'
X86 = (
    "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz\n"
    "flags\t\t: fpu lm sse4_2 avx avx2 fma\n\nprocessor\t: 1\nmodel name\t: other\nflags\t\t: fpu\n"
)
X86_GUEST = X86.replace("avx2 fma", "avx2 fma hypervisor")
ARM = (
    "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd aes SVE\nCPU implementer\t: 0x41\n"
    "CPU architecture: 8\nCPU part\t: 0xd40\n"
)
ROSETTA = "processor\t: 0\nvendor_id\t: VirtualApple\nmodel name\t: VirtualApple @ 2.50GHz\nflags\t\t: fpu lm sse4_2\n"


# --- operating system


def test_the_second_os_release_file_is_the_fallback(tmp_path: Path) -> None:
    system = lay_out(tmp_path, {"/usr/lib/os-release": UBUNTU})
    expected = OsRelease("ubuntu", "22.04", ("debian",), "Ubuntu 22.04.4 LTS")
    assert os_release(system) == Known(expected, "/usr/lib/os-release")


def test_etc_os_release_may_be_a_link_that_leads_to_the_systems_own_usr(tmp_path: Path) -> None:
    files = {"/etc/os-release": Link("/usr/lib/os-release"), "/usr/lib/os-release": "ID=arch\n"}
    assert os_release(lay_out(tmp_path, files)) == Known(
        OsRelease("arch", "", (), "arch"), "/etc/os-release"
    )


def test_an_os_release_without_id_is_failed(tmp_path: Path) -> None:
    assert isinstance(os_release(lay_out(tmp_path, {"/etc/os-release": "NAME=x\n"})), Failed)


@pytest.mark.parametrize(
    ("release", "manager"),
    [
        ("ID=ubuntu\nID_LIKE=debian", "apt"),
        ("ID=debian", "apt"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.3"', "dnf"),
        ('ID="centos"\nID_LIKE="rhel fedora"\nVERSION_ID="7"', "yum"),
        ('ID="amzn"\nID_LIKE="centos rhel fedora"\nVERSION_ID="2"', "yum"),
        ('ID="amzn"\nID_LIKE="fedora"\nVERSION_ID="2023"', "dnf"),
        ('ID="opensuse-leap"\nID_LIKE="suse opensuse"', "zypper"),
        ("ID=manjaro\nID_LIKE=arch", "pacman"),
        ("ID=alpine\nVERSION_ID=3.20.1", "apk"),
        ("ID=nixos", "nix"),
        ("ID=haiku", ""),
    ],
)
def test_the_package_manager_follows_from_the_distribution(
    tmp_path: Path, release: str, manager: str
) -> None:
    fact = package_manager(os_release(lay_out(tmp_path, {"/etc/os-release": release + "\n"})))
    assert fact == Known(manager, "/etc/os-release") if manager else isinstance(fact, Absent)


def test_the_system_is_named_by_the_platform_and_a_laid_out_one_is_linux(tmp_path: Path) -> None:
    for platform, name in {"linux": "linux", "darwin": "macos", "win32": "windows"}.items():
        assert os_name(System(), platform) == Known(name, "sys.platform")
    assert value_or(os_name(lay_out(tmp_path, {}), "win32"), "") == "linux"
    assert isinstance(os_name(System(), "sunos5"), Failed)


# --- C library


BANNER = "GNU C Library (Debian GLIBC {0}-9+deb12u10) stable release version {0}.\n"
X86_LIBC, ARM_LIBC, MUSL = "/lib/x86_64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libc.so.6", "/lib/ld-musl-x86_64.so.1"  # fmt: skip


@pytest.mark.parametrize(
    ("files", "release", "source"),
    [
        ({X86_LIBC: "\0\0" + BANNER.format("2.36") + "Copyright\0GLIBC_2.99\0"}, "2.36", X86_LIBC),
        ({"/lib": Link("usr/lib"), f"/usr{ARM_LIBC}": Link("libc-2.31.so"), "/usr/lib/aarch64-linux-gnu/libc-2.31.so": BANNER.format("2.31")}, "2.31", ARM_LIBC),
        ({MUSL: "", "/lib64/libc.so.6": BANNER.format("2.39")}, "2.39", "/lib64/libc.so.6"),
    ],
    ids=["its banner", "behind usrmerge's links", "beside musl"],
)  # fmt: skip
def test_glibc_is_read_from_its_banner(
    files: dict[str, str], release: str, source: str, tmp_path: Path
) -> None:
    assert glibc(lay_out(tmp_path, files)) == Known(GlibcRelease(release), source)


def test_without_a_banner_the_newest_symbol_version_counts(tmp_path: Path) -> None:
    fact = glibc(
        lay_out(
            tmp_path, {"/lib64/libc.so.6": "GLIBC_2.2.5\0GLIBC_2.9\0GLIBC_2.28\0GLIBC_PRIVATE\0"}
        )
    )
    assert isinstance(fact, Known)
    assert fact.value == GlibcRelease("2.28")


def test_where_glibc_can_not_be_read(tmp_path: Path) -> None:
    none, musl, rubbish = (
        glibc(lay_out(tmp_path / name, files))
        for name, files in {"none": {}, "musl": {MUSL: ""}, "rubbish": {"/lib64/libc.so.6": "GROUP ( x )"}}.items()
    )  # fmt: skip
    assert isinstance(none, Failed) and none.not_live
    assert musl == Absent(f"the C library is musl ({MUSL})")
    assert isinstance(rubbish, Failed)


# --- processor


def test_x86_flags_model_and_count(tmp_path: Path) -> None:
    host = host_of(lay_out(tmp_path, {"/proc/cpuinfo": X86}))
    assert host.cpu_flags == Known(("fpu", "lm", "sse4_2", "avx", "avx2", "fma"), "/proc/cpuinfo")
    assert host.cpu_model == Known("Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz", "/proc/cpuinfo")
    assert host.cpu_count == Known(2, "/proc/cpuinfo")
    assert host.machine == Known("x86_64", "/proc/cpuinfo")


def test_arm_features_are_lower_case_flags(tmp_path: Path) -> None:
    info = cpuinfo(lay_out(tmp_path, {"/proc/cpuinfo": ARM}))
    assert cpu_flags(info) == Known(("fp", "asimd", "aes", "sve"), "/proc/cpuinfo")
    assert cpu_model(info) == Known("ARM implementer 0x41 part 0xd40", "/proc/cpuinfo")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"/proc/cpuinfo": ARM}, "aarch64"),
        ({"/proc/cpuinfo": ROSETTA}, "aarch64"),
        (
            {"/proc/cpuinfo": X86, "/proc/sys/kernel/arch": "aarch64\n"},
            "aarch64",
        ),  # an emulator shows its own cpuinfo
        ({"/lib64/ld-linux-x86-64.so.2": ""}, "x86_64"),
        ({"/lib/ld-musl-aarch64.so.1": ""}, "aarch64"),
    ],
)
def test_the_machine_is_the_kernels_not_an_emulators(
    tmp_path: Path, files: dict[str, str], expected: str
) -> None:
    system = lay_out(tmp_path, files)
    fact = machine(system, cpuinfo(system))
    assert isinstance(fact, Known)
    assert fact.value == expected


@pytest.mark.parametrize(("answer", "translated"), [("1", True), ("0", False), ("", False)])
def test_macos_tells_whether_it_translates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, translated: bool
) -> None:
    (tmp_path / "sysctl").write_text(f"#!/bin/sh\necho {answer}\n")
    (tmp_path / "sysctl").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert translated_by_rosetta() is translated


def test_a_translated_program_on_macos_runs_on_an_arm_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A live system without /proc whose kernel says x86_64 to whom it translates."""

    class MacOS(System):
        @property
        def live(self) -> bool:
            return True

        def path(self, name: str) -> Path:
            return self.root / name.lstrip("/")

    (tmp_path / "sysctl").write_text("#!/bin/sh\necho 1\n")
    (tmp_path / "sysctl").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.platform", "darwin")
    system = MacOS(tmp_path)
    monkeypatch.setattr(
        os, "uname", lambda: os.uname_result(("Darwin", "mac", "23.0", "", "x86_64"))
    )
    assert machine(system, cpuinfo(system)) == Known("arm64", "sysctl.proc_translated")


DMI = "/sys/class/dmi/id"
MODEL = "Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({f"{DMI}/sys_vendor": "QEMU\n", f"{DMI}/product_name": "Standard PC (Q35)\n"}, "QEMU"),
        ({f"{DMI}/sys_vendor": "Red Hat\n", f"{DMI}/product_name": "KVM\n"}, "KVM"),
        ({f"{DMI}/sys_vendor": "VMware, Inc.\n"}, "VMware"),
        ({f"{DMI}/sys_vendor": "innotek GmbH\n", f"{DMI}/product_name": "VirtualBox\n"}, "VirtualBox"),
        ({f"{DMI}/sys_vendor": "Microsoft Corporation\n", f"{DMI}/product_name": "Virtual Machine\n"}, "Hyper-V"),
        ({f"{DMI}/sys_vendor": "Amazon EC2\n", f"{DMI}/product_name": "g5.xlarge\n"}, "Amazon EC2"),
        ({"/sys/hypervisor/type": "xen\n"}, "Xen"),
        ({"/proc/device-tree/hypervisor/compatible": "linux,kvm\0"}, "KVM"),
        ({"/proc/cpuinfo": X86.replace(MODEL, "QEMU Virtual CPU version 2.5+")}, "QEMU"),
        ({"/proc/cpuinfo": X86.replace(MODEL, "Common KVM processor")}, "KVM"),
        ({"/proc/cpuinfo": X86_GUEST}, "unknown hypervisor"),
    ],
)  # fmt: skip
def test_a_hypervisor_shows_itself(tmp_path: Path, files: dict[str, str], expected: str) -> None:
    system = lay_out(tmp_path, files)
    fact = hypervisor(system, cpuinfo(system), Absent("no WSL"))
    assert isinstance(fact, Known)
    assert fact.value == expected


@pytest.mark.parametrize(
    "files",
    [
        {"/proc/cpuinfo": X86},
        {"/proc/cpuinfo": ARM, "/sys/class/dmi/id/sys_vendor": "Supermicro\n"},
        {
            "/sys/class/dmi/id/sys_vendor": "Amazon EC2\n",
            "/sys/class/dmi/id/product_name": "g4dn.metal\n",
        },
        {
            "/sys/class/dmi/id/sys_vendor": "Microsoft Corporation\n",
            "/sys/class/dmi/id/product_name": "Surface Laptop\n",
        },
    ],
)
def test_bare_metal_has_no_hypervisor(tmp_path: Path, files: dict[str, str]) -> None:
    system = lay_out(tmp_path, files)
    assert isinstance(hypervisor(system, cpuinfo(system), Absent("no WSL")), Absent)


def test_an_arm_machine_without_dmi_can_not_tell_its_hypervisor(tmp_path: Path) -> None:
    system = lay_out(tmp_path, {"/proc/cpuinfo": ARM})
    assert isinstance(hypervisor(system, cpuinfo(system), Absent("no WSL")), Failed)


# --- WSL


@pytest.mark.parametrize(
    ("files", "version"),
    [
        ({"/proc/sys/kernel/osrelease": "4.4.0-19041-Microsoft\n"}, 1),
        ({"/proc/sys/kernel/osrelease": "5.15.153.1-microsoft-standard-WSL2\n"}, 2),
        (
            {
                "/proc/sys/kernel/osrelease": "6.6.9-custom\n",
                "/proc/sys/fs/binfmt_misc/WSLInterop": "enabled\n",
            },
            2,
        ),
        ({"/proc/sys/kernel/osrelease": "6.6.9-custom\n", "/run/WSL/": ""}, 2),
        (
            {
                "/proc/sys/kernel/osrelease": "6.6.9-custom\n",
                "/dev/dxg": "",
                "/usr/lib/wsl/lib/": "",
            },
            2,
        ),
    ],
)
def test_wsl_is_told_by_its_kernel_or_its_files(
    tmp_path: Path, files: dict[str, str], version: int
) -> None:
    system = lay_out(tmp_path, files)
    fact = wsl(system, kernel(system))
    assert isinstance(fact, Known)
    assert fact.value == version


@pytest.mark.parametrize("release", ["5.15.0-1041-azure", "6.1.0-18-amd64"])
def test_other_kernels_are_no_wsl(tmp_path: Path, release: str) -> None:
    system = lay_out(tmp_path, {"/proc/sys/kernel/osrelease": release + "\n", "/dev/dxg": ""})
    assert isinstance(wsl(system, kernel(system)), Absent)


def test_wsl_runs_on_hyper_v(tmp_path: Path) -> None:
    host = host_of(
        lay_out(
            tmp_path,
            {"/proc/sys/kernel/osrelease": "5.15.1-microsoft-standard-WSL2\n", "/dev/dxg": ""},
        )
    )
    assert host.hypervisor == Known("Hyper-V", "WSL 2 runs on Hyper-V")
    assert host.gpu_device_nodes == Known(("/dev/dxg",), "/dev")


def test_an_empty_tree_never_raises_and_never_claims_a_gpu(tmp_path: Path) -> None:
    host = ask(Request(lay_out(tmp_path, {})), Facts())
    for fact in (
        host.kernel,
        host.cpu_flags,
        host.cpu_count,
        host.gpus_on_bus,
        host.machine,
        host.user_is_root,
    ):
        assert isinstance(fact, Failed)
        assert fact.not_live


@pytest.mark.skipif(
    os.name != "posix" or not Path("/proc/self").exists(), reason="needs a Linux machine"
)
def test_the_live_machine_is_consistent_with_what_python_says() -> None:
    host = ask(Request(), Facts())
    assert isinstance(host.kernel, Known)
    assert host.kernel.value == os.uname().release
    assert isinstance(host.machine, Known)
    assert host.machine.value == os.uname().machine
    assert host.user_is_root == Known(os.geteuid() == 0, "geteuid")
    assert host.cpu_count == Known(len(os.sched_getaffinity(0)), "sched_getaffinity")
    assert isinstance(host.cpu_model, Known)


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_on_other_systems_the_probe_answers(platform: str) -> None:
    host = host_of(System(), platform)
    assert isinstance(host.container, Absent)
    assert not isinstance(host.gpus_on_bus, Absent)


def test_the_name_below_a_root_is_that_of_its_file(tmp_path: Path) -> None:
    assert host_name(lay_out(tmp_path, {"/etc/hostname": "3f2a91c0b7de\n"})) == Known(
        "3f2a91c0b7de", "/etc/hostname"
    )
    assert isinstance(
        host_name(lay_out(tmp_path / "none", {"/etc/os-release": UBUNTU})), Absent | Failed
    )


def test_the_name_of_this_machine_is_the_kernels() -> None:
    assert value_or(host_name(System()), "") == os.uname().nodename
