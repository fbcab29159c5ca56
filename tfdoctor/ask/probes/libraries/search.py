"""One search for CUDA libraries: the loader, TensorFlow's own library that opens them, and where else copies are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from tfdoctor.ask.probes.request import Request
from tfdoctor.base.elf import Elf, NotElfError, Symbols, read_elf, read_symbols
from tfdoctor.base.expressions import Expression
from tfdoctor.base.loader import Loader, Place, loading_library
from tfdoctor.base.records import field, record
from tfdoctor.base.safe_open import folder_names, head_of, head_text
from tfdoctor.base.sysroot import System
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Fact, Failed, Known, value_or
from tfdoctor.facts.values import Distribution
from tfdoctor.facts.versions import LibraryRelease, read_release


@record
class Search:
    """What one search needs: the loader, the folders of TensorFlow's own library, and where else copies may be. `symbols` are
    those of files that were read for it.
    """

    loader: Loader
    places: list[Place]
    elsewhere: list[str]
    wheels: tuple[Distribution, ...]
    symbols: dict[str, Symbols] = field(default_factory=dict)

    def symbols_of(self, path: str) -> Symbols:
        """Read once: cuDNN's parts ask each other. Raises as read_symbols does."""
        if path not in self.symbols:
            self.symbols[path] = read_symbols(path)
        return self.symbols[path]


def search_of(
    request: Request,
    facts: Facts,
    folders: tuple[str, ...],
    files: Path,
    wheels: tuple[Distribution, ...],
) -> Fact[Search]:
    path = loading_library(files)
    if path is None:
        return Failed(
            f"{files} has no libtensorflow_framework.so, which would open the CUDA libraries",
            "missing",
        )
    try:
        caller = read_elf(str(path))
    except NotElfError as error:
        return Failed(str(error), "unreadable")
    executable = value_or(facts.interpreter.executable, "")
    flags: tuple[str, ...] = value_or(facts.host.cpu_flags, ())
    loader = Loader(
        request.system,
        caller.machine,
        frozenset(flags),
        _program(executable),
        os.path.dirname(os.path.realpath(executable)),
    )
    elsewhere = folders_elsewhere(request.system, folders, value_or(facts.interpreter.prefix, ""))
    return Known(
        Search(loader, loader.places(caller, str(path.parent)), elsewhere, wheels), str(path)
    )


def _program(executable: str) -> Elf | None:
    """The interpreter's own headers: conda's has an RPATH, which counts for all that it loads."""
    try:
        return read_elf(os.path.realpath(executable))
    except (NotElfError, OSError, ValueError):
        return None  # a script or a wrapper has no search path of its own


_TOOLKIT = Expression(r"cuda(-[\d.]+)?")
_TOOLKIT_LIBRARIES = ("lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib")
_OTHER_FOLDERS = (
    "/usr/lib/cuda/lib64",
    "/usr/lib/nvidia-cuda-toolkit/lib64",
    "/opt/conda/lib",
    "/usr/local/lib",
    "/usr/local/lib64",
)
_FULL_VERSION = Expression(r"\.so\.(\d+(?:\.\d+)+)$")


def toolkits(system: System) -> list[str]:
    """CUDA toolkits as NVIDIA's installers and distributions place them, by name; links to one another once."""
    found: dict[str, str] = {}
    for parent in ("/usr/local", "/opt", "/opt/nvidia", "/usr/lib"):
        for name in system.list(parent):
            path = system.path(f"{parent}/{name}")
            if _TOOLKIT.fullmatch(name) and any(
                os.path.isdir(path / part) for part in ("lib64", "bin", "nvvm")
            ):
                found.setdefault(os.path.realpath(path), str(path))
    return list(found.values())


def folders_elsewhere(system: System, site_folders: Iterable[str], prefix: str) -> list[str]:
    """Folders that usually hold CUDA libraries, whether or not a loader looks there."""
    found: list[str] = []
    for site in site_folders:
        found += _wheel_folders(site)
    environments = [
        prefix,
        system.environ.get("CONDA_PREFIX", ""),
        system.environ.get("VIRTUAL_ENV", ""),
    ]
    for environment in filter(None, environments):
        found += [f"{environment}/lib", f"{environment}/targets/x86_64-linux/lib"]
        found += [folder for site in _sites_of(environment) for folder in _wheel_folders(site)]
    found += [f"{toolkit}/{part}" for toolkit in toolkits(system) for part in _TOOLKIT_LIBRARIES]
    found += [str(system.path(name)) for name in _OTHER_FOLDERS]
    return list(dict.fromkeys(found))


def _sites_of(environment: str) -> list[str]:
    lib = Path(environment) / "lib"
    names = [name for name in folder_names(lib) if name.startswith("python3")]
    return [str(path) for name in names if os.path.exists(path := lib / name / "site-packages")]


def _wheel_folders(site: str) -> list[str]:
    """nvidia/*/lib of NVIDIA's wheels, and what other frameworks bring along."""
    parts = folder_names(os.path.join(site, "nvidia"))
    return [f"{site}/nvidia/{part}/lib" for part in parts] + [
        f"{site}/torch/lib",
        f"{site}/tensorrt_libs",
    ]


def copies_elsewhere(
    loader: Loader, soname: str, folders: Iterable[str], known: Iterable[str]
) -> list[str]:
    """Files of this soname in `folders`, apart from the `known` ones; also libX.so.12.5.3 whose link is missing."""
    seen = {os.path.realpath(path) for path in known}
    found: list[str] = []
    for folder in folders:
        for name in loader.names_in(folder):
            path = os.path.join(folder, name)
            if (name == soname or name.startswith(f"{soname}.")) and os.path.realpath(
                path
            ) not in seen:
                seen.add(os.path.realpath(path))
                found.append(path)
    return found


def version_of(path: str, soname: str, wheels: Iterable[Distribution]) -> Fact[LibraryRelease]:
    """By cuDNN's header beside it, the real file's name, or the wheel that it came with."""
    if soname.startswith("libcudnn") and (version := _cudnn_by_header(path)):
        return read_release(LibraryRelease, version, "cudnn_version.h beside the library")
    real = os.path.realpath(path)
    found = _FULL_VERSION.search(real)
    if found and found[1] != soname.partition(".so.")[2]:
        return read_release(LibraryRelease, found[1], real)
    owner = _owning_wheel(path, wheels)
    if owner is not None:
        return read_release(LibraryRelease, owner.version, owner.folder)
    return Failed(f"{path}: neither its name nor anything beside it tells its version", "missing")


def _cudnn_by_header(path: str) -> str:
    """Headers are in ../include of a wheel or toolkit; a distribution's own are not beside the library."""
    include = os.path.join(os.path.dirname(os.path.dirname(path)), "include")
    if include in ("/usr/include", "/include"):
        return ""
    for name in ("cudnn_version.h", "cudnn_version_v9.h", "cudnn_version_v8.h"):
        text = head_text(os.path.join(include, name), 65536)
        numbers = dict(
            re.findall(r"#define[ \t]+(CUDNN_(?:MAJOR|MINOR|PATCHLEVEL))[ \t]+(\d+)", text)
        )
        if len(numbers) == 3:
            return (
                f"{numbers['CUDNN_MAJOR']}.{numbers['CUDNN_MINOR']}.{numbers['CUDNN_PATCHLEVEL']}"
            )
    return ""


def _owning_wheel(path: str, wheels: Iterable[Distribution]) -> Distribution | None:
    """The wheel whose RECORD has this file with its present size: cu11 and cu12 wheels share their folders."""
    for wheel in wheels:
        site = os.path.dirname(wheel.folder)
        if not path.startswith(site + os.sep):
            continue
        try:
            record = head_of(os.path.join(wheel.folder, "RECORD"), 1 << 20)
            text = record.decode("utf-8", "replace").replace("\r\n", "\n")
            size = os.stat(path).st_size
        except OSError:
            continue
        if re.search(
            rf"^{re.escape(os.path.relpath(path, site))},[^,\n]*,{size}$", text, re.MULTILINE
        ):
            return wheel
    return None
