"""What the files of a system tell about its NVIDIA driver. The driver probe joins this with what libcuda says."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from tfdoctor.ask.probes.host.container import container_kind
from tfdoctor.ask.probes.host.host import kernel
from tfdoctor.ask.probes.text_files import first_line, guarded, lines_of, not_live
from tfdoctor.base.expressions import Expression
from tfdoctor.base.gpu_files import DRIVER_VERSION, MODULE_VERSION
from tfdoctor.base.printable import encodable
from tfdoctor.base.safe_open import folder_names
from tfdoctor.base.sysroot import System
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.versions import DriverRelease, read_release

# "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 …" (proprietary)
# "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.14  Release Build  (…)" (open, from 515 on)
# The words around the number changed before and may again: what counts is the first release-like number of the line.
_RELEASE = Expression(r"(?<![\w.@-])(\d{2,4}\.\d{1,3}(?:\.\d{1,3})?)(?![\w.-])")
_MODULE = Expression(
    r"nvidia(?:-current|-tesla[\w-]*|-legacy[\w-]*|-\d{3}[\w-]*)?\.ko(?:\.(?:xz|zst|gz))?"
)
_MODULE_FOLDERS = (  # below /lib/modules/<kernel>: NVIDIA's installer, DKMS, kmod packages, Ubuntu's signed modules
    "updates",
    "extra",
    "weak-updates",
    "extramodules",
    "misc",
    "kernel/drivers/video",
    "kernel/drivers/char/drm",
    "kernel/nvidia*",
)
_MODULE_ROOTS = (
    "/lib/modules",
    "/usr/lib/modules",
    "/run/booted-system/kernel-modules/lib/modules",
)
_LIBRARY_FOLDERS = (
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu/tegra",
    "/usr/lib/aarch64-linux-gnu/nvidia",
    "/usr/lib64",
    "/usr/lib",
    "/lib/x86_64-linux-gnu",
    "/lib64",
    "/usr/lib/wsl/lib",
    "/usr/lib/wsl/drivers/*",
    "/usr/local/cuda*/compat",
    "/usr/local/cuda*/lib64/stubs",
    "/usr/local/cuda*/targets/*/lib/stubs",
    "/usr/local/nvidia/lib64",
    "/usr/local/nvidia/lib",
    "/run/nvidia/driver/usr/lib/x86_64-linux-gnu",
    "/run/nvidia/driver/usr/lib64",
    "/run/opengl-driver/lib",
)
_LIBRARY = Expression(r"libcuda\.so(?:\.\d+)*")
_FULL_NAME = Expression(r"libcuda\.so\.(\d{2,4}\.\d{2,3}(?:\.\d{1,3})?)")


def module_version(system: System) -> Fact[DriverRelease]:
    """The release of the loaded kernel module. Absent: no such module is loaded."""
    lines = lines_of(system, DRIVER_VERSION)
    if isinstance(lines, Known):
        text = _nvrm_line(lines.value)
        match = _RELEASE.search(text)
        return (
            read_release(DriverRelease, match[1], DRIVER_VERSION)
            if match
            else Failed(f"{DRIVER_VERSION} has no release number", "unreadable")
        )
    sysfs = first_line(system, MODULE_VERSION)
    if isinstance(sysfs, Known):
        match = _RELEASE.search(sysfs.value)
        return (
            read_release(DriverRelease, match[1], MODULE_VERSION)
            if match
            else Failed(f"{MODULE_VERSION} has no release number", "unreadable")
        )
    return _not_loaded(system, lines)


def _not_loaded(system: System, lines: Absent | Failed) -> Absent | Failed:
    """A machine without the file has no module; an image or a system without /proc can't tell."""
    if system.live and not system.exists("/proc/self"):
        return Failed("/proc is not there to tell which kernel modules are loaded", "missing")
    if (
        isinstance(lines, Failed)
        and lines.not_live
        and (system.list("/proc") or system.list("/sys"))
    ):
        return Absent(f"{DRIVER_VERSION} does not exist")
    return lines


def module_flavour(system: System) -> Fact[str]:
    """ "open" or "proprietary". Absent: no such module is loaded."""
    lines = lines_of(system, DRIVER_VERSION)
    if not isinstance(lines, Known):
        return _not_loaded(system, lines)
    text = _nvrm_line(lines.value).lower()
    if "nvidia" not in text:
        return Failed(f"{DRIVER_VERSION} has no line of NVIDIA's", "unreadable")
    return Known("open" if re.search(r"\bopen\b", text) else "proprietary", DRIVER_VERSION)


def _nvrm_line(lines: list[str]) -> str:
    """The line that speaks of the module; the others speak of the compiler."""
    return next((line.partition(":")[2] for line in lines if line.lstrip().startswith("NVRM")), "")


def module_on_disk(system: System) -> Fact[str]:
    """An nvidia.ko built for the running kernel, as a path inside the system. Absent: there is none.

    Failed where it can't be told: the kernel is not known, or this is a container, which shows no modules of the host.
    """
    release = kernel(system)
    if not isinstance(release, Known):
        return release
    homes = [
        f"{root}/{release.value}"
        for root in _MODULE_ROOTS
        if system.exists(f"{root}/{release.value}")
    ]
    for home in homes:
        for folder in _MODULE_FOLDERS:
            for found in _below(system, home, folder):
                return Known(found, home)
    if homes:
        return Absent(f"{homes[0]} has no nvidia.ko")
    if isinstance(guarded(lambda: container_kind(system), "container"), Known):
        return Failed(f"/lib/modules/{release.value} is not visible in this container", "hidden")
    return Absent(f"/lib/modules/{release.value} does not exist")


def _below(system: System, home: str, folder: str) -> Iterator[str]:
    for top in _expand(system, f"{home}/{folder}"):
        for path, folders, files in os.walk(system.path(top)):
            folders.sort()
            for name in sorted(files):
                if _MODULE.fullmatch(name):
                    yield encodable(f"{top}{path.removeprefix(str(system.path(top)))}/{name}")


def _expand(system: System, pattern: str) -> list[str]:
    """The folders that a name with stars stands for, in the system's own names."""
    known = ["/"]
    for part in PurePosixPath(pattern).parts[1:]:
        if "*" not in part:
            known = [str(PurePosixPath(folder) / part) for folder in known]
            continue
        known = [
            f"{folder}/{name}"
            for folder in known
            for name in folder_names(system.path(folder))
            if _fits(name, part)
        ]
    return [folder for folder in known if system.exists(folder)]


def _fits(name: str, pattern: str) -> bool:
    """Whether the name is the pattern with something, or nothing, in the place of each star."""
    first, *between, last = pattern.split("*")
    at, end = len(first), len(name) - len(last)
    if at > end or not (name.startswith(first) and name.endswith(last)):
        return False
    for part in between:
        found = name.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def other_libraries(system: System, found: str = "") -> Fact[tuple[str, ...]]:
    """Copies of libcuda besides the one that the loader finds (`found`, its path, or ""), as paths inside the system.

    Each real file once. In the loader's own folder only files named after another release count, for the short
    names there are the same driver (WSL has three copies of it side by side).
    """
    own = _real(system, found) if found else Path()
    copies: dict[Path, str] = {}
    places = [folder for pattern in _LIBRARY_FOLDERS for folder in _expand(system, pattern)]
    # Of two names the first stays.
    folders = {system.path(folder).resolve(): folder for folder in reversed(places)}
    for real_folder, folder in folders.items():
        for name in (
            name for name in folder_names(system.path(folder)) if _LIBRARY.fullmatch(name)
        ):
            try:
                real = _real(system, f"{folder}/{name}")
            except OSError:  # a link that leads to itself is no library
                continue
            if (
                real == own
                or (real_folder == own.parent and not _other_release(name, own))
                or not os.path.exists(real)
            ):
                continue
            copies.setdefault(real, _shown(system, real, f"{folder}/{name}"))
    if copies:
        return Known(
            tuple(sorted(set(copies.values()))), "the usual folders of the driver's library"
        )
    if not folders and not system.live:
        return not_live("no library folder is in the examined folder")
    return Absent("no further libcuda in the usual folders")


def _other_release(name: str, own: Path) -> bool:
    mine, theirs = _FULL_NAME.fullmatch(own.name), _FULL_NAME.fullmatch(name)
    return bool(mine and theirs and mine[1] != theirs[1])


def _real(system: System, name: str) -> Path:
    """The real file behind a name of the system; a path that is below the root already stays."""
    inside = not system.live and Path(name).is_relative_to(system.root)
    return (Path(name) if inside else system.path(name)).resolve()


def _shown(system: System, real: Path, name: str) -> str:
    """The real file's name inside the system."""
    root = system.root.resolve()
    if system.live or not real.is_relative_to(root):
        return encodable(str(real) if system.live else name)
    return encodable("/" + str(real.relative_to(root)))
