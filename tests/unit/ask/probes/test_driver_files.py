"""What files tell about an NVIDIA driver: its kernel module and the copies of its library."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.ask.probes.laid_out import Link, lay_out
from tfdoctor.ask.probes.driver.driver import CU_RESULTS
from tfdoctor.ask.probes.driver.driver_files import (
    module_flavour,
    module_on_disk,
    module_version,
    other_libraries,
)
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.versions import DriverRelease

VERSION = "/proc/driver/nvidia/version"
GCC = "GCC version:  gcc version 12.3.0 (Ubuntu 12.3.0-1ubuntu1~22.04)\n"
PROPRIETARY = (
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n"
    + GCC
)
OPEN = (
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.14  Release Build  "
    "(dvs-builder@U16-I3-A22-2-2)  Thu Feb 22 01:25:25 UTC 2024\n" + GCC
)
KERNEL = {"/proc/sys/kernel/osrelease": "6.1.0-18-amd64\n"}
MODULES = "/lib/modules/6.1.0-18-amd64"


@pytest.mark.parametrize(
    ("text", "release", "flavour"),
    [
        (PROPRIETARY, "535.104.05", "proprietary"),
        (OPEN, "550.54.14", "open"),
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  525.60.11  Release Build  (archlinux-builder@localhost)\n",
            "525.60.11",
            "open",
        ),
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  540.3.0  Release Build  (x@y)\n",
            "540.3.0",
            "open",
        ),
        (
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  390.157  Wed Oct 12 09:19:07 UTC 2022\n",
            "390.157",
            "proprietary",
        ),
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  555.58  Release Build  (portage@localhost)\n",
            "555.58",
            "open",
        ),
        (
            "NVRM version: NVIDIA UNIX Kernel Module for x86_64  610.43.02  Release Build  (builder@host-10.2.3)\n",
            "610.43.02",
            "proprietary",
        ),
        (GCC + OPEN, "550.54.14", "open"),  # whatever the order of the lines
    ],
)
def test_the_loaded_module(tmp_path: Path, text: str, release: str, flavour: str) -> None:
    system = lay_out(tmp_path, {VERSION: text})
    assert module_version(system) == Known(DriverRelease(release), VERSION)
    assert module_flavour(system) == Known(flavour, VERSION)


@pytest.mark.parametrize("text", ["", "NVRM version: unreadable\n", GCC])
def test_a_version_file_that_says_nothing_is_failed(tmp_path: Path, text: str) -> None:
    assert isinstance(module_version(lay_out(tmp_path, {VERSION: text})), Failed)


def test_sysfs_stands_in_for_a_hidden_proc(tmp_path: Path) -> None:
    system = lay_out(tmp_path, {"/sys/module/nvidia/version": "535.104.05\n"})
    assert module_version(system) == Known(
        DriverRelease("535.104.05"), "/sys/module/nvidia/version"
    )


def test_a_recorded_machine_without_the_file_has_no_module_loaded(tmp_path: Path) -> None:
    system = lay_out(tmp_path, {"/sys/bus/pci/devices/0000:3b:00.0/vendor": "0x10de\n"})
    assert isinstance(module_version(system), Absent)
    assert isinstance(module_flavour(system), Absent)


def test_an_image_can_not_tell_what_is_loaded(tmp_path: Path) -> None:
    fact = module_version(lay_out(tmp_path, {"/etc/os-release": "ID=debian\n"}))
    assert isinstance(fact, Failed)
    assert fact.not_live


@pytest.mark.parametrize(
    "name",
    [
        "kernel/drivers/video/nvidia.ko",  # NVIDIA's installer
        "updates/dkms/nvidia.ko.zst",  # DKMS on Ubuntu
        "updates/dkms/nvidia-current.ko.xz",  # Debian
        "extra/nvidia/nvidia.ko.xz",  # kmod packages of Fedora and RHEL
        "weak-updates/nvidia/nvidia.ko",
        "kernel/nvidia-535srv/nvidia.ko",  # Ubuntu's signed modules
        "extramodules/nvidia.ko.gz",
    ],
)
def test_the_module_for_this_kernel_on_disk(tmp_path: Path, name: str) -> None:
    assert module_on_disk(lay_out(tmp_path, KERNEL | {f"{MODULES}/{name}": ""})) == Known(
        f"{MODULES}/{name}", MODULES
    )


def test_the_folder_of_modules_behind_a_link(tmp_path: Path) -> None:
    files = KERNEL | {"/lib": Link("usr/lib"), f"/usr{MODULES}/updates/dkms/nvidia.ko": ""}
    assert module_on_disk(lay_out(tmp_path, files)) == Known(
        f"{MODULES}/updates/dkms/nvidia.ko", MODULES
    )


@pytest.mark.parametrize(
    "files",
    [
        {
            f"{MODULES}/updates/dkms/nvidia-uvm.ko": "",
            f"{MODULES}/kernel/drivers/video/fbdev/nvidia/nvidiafb.ko": "",
        },
        {
            "/lib/modules/5.10.0-9-amd64/updates/dkms/nvidia.ko": "",
            f"{MODULES}/": "",
        },  # of another kernel
        {},
    ],
)
def test_no_module_for_this_kernel(tmp_path: Path, files: dict[str, str]) -> None:
    assert isinstance(module_on_disk(lay_out(tmp_path, KERNEL | files)), Absent)


def test_a_container_shows_no_modules_of_its_host(tmp_path: Path) -> None:
    assert isinstance(module_on_disk(lay_out(tmp_path, KERNEL | {"/.dockerenv": ""})), Failed)


def test_an_unknown_kernel_is_failed(tmp_path: Path) -> None:
    assert isinstance(
        module_on_disk(lay_out(tmp_path, {f"{MODULES}/updates/nvidia.ko": ""})), Failed
    )


USUAL = "/usr/lib/x86_64-linux-gnu"
INSTALLED = {
    f"{USUAL}/libcuda.so": Link("libcuda.so.1"),
    f"{USUAL}/libcuda.so.1": Link("libcuda.so.535.104.05"),
    f"{USUAL}/libcuda.so.535.104.05": "",
}


def test_one_driver_has_no_further_copies(tmp_path: Path) -> None:
    assert isinstance(
        other_libraries(lay_out(tmp_path, INSTALLED), f"{USUAL}/libcuda.so.1"), Absent
    )


def test_all_copies_count_where_the_loader_finds_none(tmp_path: Path) -> None:
    fact = other_libraries(lay_out(tmp_path, INSTALLED))
    assert isinstance(fact, Known)
    assert fact.value == (f"{USUAL}/libcuda.so.535.104.05",)


def test_compat_stubs_and_another_release_are_further_copies(tmp_path: Path) -> None:
    files = INSTALLED | {
        f"{USUAL}/libcuda.so.470.57.02": "",  # came with the image, or stayed behind
        "/usr/local/cuda-12.4/compat/libcuda.so.1": Link("libcuda.so.550.54.15"),
        "/usr/local/cuda-12.4/compat/libcuda.so.550.54.15": "",
        "/usr/local/cuda": Link("cuda-12.4"),
        "/usr/local/cuda-12.4/lib64": Link("targets/x86_64-linux/lib"),
        "/usr/local/cuda-12.4/targets/x86_64-linux/lib/stubs/libcuda.so": "",
    }
    fact = other_libraries(lay_out(tmp_path, files), f"{USUAL}/libcuda.so.1")
    assert isinstance(fact, Known)
    assert fact.value == (
        "/usr/lib/x86_64-linux-gnu/libcuda.so.470.57.02",
        "/usr/local/cuda-12.4/compat/libcuda.so.550.54.15",
        "/usr/local/cuda-12.4/targets/x86_64-linux/lib/stubs/libcuda.so",
    )


def test_wsls_three_files_are_one_driver_and_a_linux_driver_beside_them_is_another(
    tmp_path: Path,
) -> None:
    wsl = {
        f"/usr/lib/wsl/lib/{name}": "" for name in ("libcuda.so", "libcuda.so.1", "libcuda.so.1.1")
    }
    system = lay_out(tmp_path, wsl | INSTALLED)
    fact = other_libraries(system, "/usr/lib/wsl/lib/libcuda.so.1")
    assert isinstance(fact, Known)
    assert fact.value == (f"{USUAL}/libcuda.so.535.104.05",)


def test_the_loaders_path_may_be_given_as_this_machine_sees_it(tmp_path: Path) -> None:
    system = lay_out(tmp_path, INSTALLED)
    assert isinstance(other_libraries(system, str(tmp_path) + f"{USUAL}/libcuda.so.1"), Absent)


def test_a_dangling_link_is_no_copy(tmp_path: Path) -> None:
    system = lay_out(tmp_path, {f"{USUAL}/libcuda.so.1": Link("libcuda.so.550.54.14")})
    assert isinstance(other_libraries(system), Absent)


def test_a_code_that_the_driver_does_not_name_has_the_name_of_cuda_h() -> None:
    table = (Path(__file__).parents[3] / "driver/src/cuda_errors.c").read_text()
    named = {int(code): name for code, name in re.findall(r'\{(\d+), "(\w+)"', table)}
    assert CU_RESULTS[100] == named[100] == "CUDA_ERROR_NO_DEVICE"
    assert {code: name for code, name in CU_RESULTS.items() if named.get(code, name) != name} == {}
