"""The operating system's name, its kernel, its C library, its package manager, and whether it is WSL."""

from __future__ import annotations

import os
import re
import sys

from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, kind_of_error
from tfdoctor.facts.values import OsRelease
from tfdoctor.facts.versions import GlibcRelease, read_release
from tfdoctor.probes.text_files import first_line, lines_of, not_live, pairs, plain
from tfdoctor.system.safe_open import head_of
from tfdoctor.system.sysroot import System

OSRELEASE = "/proc/sys/kernel/osrelease"
_OS_RELEASE_FILES = ("/etc/os-release", "/usr/lib/os-release")  # os-release(5): the second is the fallback
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


def wsl(system: System, release: Fact[str]) -> Fact[int]:
    """1 or 2; Absent outside the Windows Subsystem for Linux.

    The kernels of Microsoft say it in their release ("4.4.0-19041-Microsoft" is WSL 1, "…-microsoft-standard-WSL2"
    is 2). A kernel of the user's own does not; then what WSL puts into its virtual machine does.
    """
    if isinstance(release, Known) and "microsoft" in release.value.lower():
        old = release.value.endswith("-Microsoft") and "WSL2" not in release.value
        return Known(1 if old else 2, release.source)
    marks = ["/proc/sys/fs/binfmt_misc/WSLInterop", "/proc/sys/fs/binfmt_misc/WSLInterop-late", "/run/WSL"]
    if system.exists("/dev/dxg") and system.exists("/usr/lib/wsl/lib"):
        marks.append("/dev/dxg")  # alone it may be another guest of Hyper-V with a shared GPU
    for mark in marks:
        if system.exists(mark):
            return Known(2, mark)
    if isinstance(release, Known):
        return Absent(f"the kernel {release.value} is not Microsoft's and there is no /run/WSL")
    return (
        release if isinstance(release, Failed) else Absent("this system has no Linux kernel of Microsoft's")
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
    for name in _names(system, "/lib"):
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


def _names(system: System, folder: str) -> list[str]:
    try:
        return system.list(folder)
    except OSError:
        return []
