"""Where the loader finds what this build of TensorFlow opens, judged by files alone."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from tfdoctor.ask.probes.libraries import cuda_tools
from tfdoctor.ask.probes.libraries.search import (
    Search,
    copies_elsewhere,
    search_of,
    toolkits,
    version_of,
)
from tfdoctor.ask.probes.python.installed import installed
from tfdoctor.ask.probes.python.tensorflow_files import version_of_files
from tfdoctor.ask.probes.request import Request
from tfdoctor.ask.probes.runner import attempt
from tfdoctor.ask.probes.tensorflow.build_info import cuda_config, needed_sonames, read_build
from tfdoctor.ask.probes.text_files import guarded
from tfdoctor.base.elf import NotElfError
from tfdoctor.base.expressions import Expression
from tfdoctor.base.loader import Copy, Loader, Place
from tfdoctor.base.records import names, replace
from tfdoctor.base.safe_open import head_of
from tfdoctor.facts.model import CudaLibraries, Facts
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.values import ChangedWheel, Distribution, Library

_PARTS = {  # what libcudnn opens itself (cuDNN API reference, "Sub-libraries"; 8 and 9, read 2026-11-20)
    "8": ("ops_infer", "ops_train", "cnn_infer", "cnn_train", "adv_infer", "adv_train"),
    "9": (
        "graph",
        "ops",
        "cnn",
        "adv",
        "heuristic",
        "engines_precompiled",
        "engines_runtime_compiled",
    ),
}


def ask(request: Request, facts: Facts) -> CudaLibraries:
    """Fills the group. Needs the groups `host` and `interpreter`."""
    found = installed(request, facts.interpreter)
    if not isinstance(found, Known):
        return CudaLibraries(**dict.fromkeys(names(CudaLibraries), found))
    folders, package = found.value.folders, found.value.package
    none = Absent("there is no TensorFlow whose libraries could be looked for")
    files = package.files if package else None
    wheels = tuple(
        item for item in found.value.inventory.installed.values() if item.name.startswith("nvidia-")
    )
    needed = _needed(files) if files else none
    ptxas = None
    if files is not None and not isinstance(needed, Absent):
        ptxas = cuda_tools.begin_ptxas(request, files)
    search: Fact[Search] = attempt(
        lambda: search_of(request, facts, folders, files, wheels) if files else none,
        "the loading library",
    )
    libraries: Fact[tuple[Library, ...]] = none
    if not isinstance(needed, Known):
        libraries = needed
    elif isinstance(search, Known):
        libraries = attempt(lambda: _libraries(search.value, needed.value), "the loader's search")
    else:
        libraries = search
    found_toolkits = attempt(lambda: tuple(toolkits(request.system)), "/usr/local and /opt")
    return CudaLibraries(
        needed=needed,
        libraries=libraries,
        runpath=_runpath(search),
        search_path=attempt(lambda: _search_path(request), "LD_LIBRARY_PATH"),
        wheels=Known(wheels, found.source)
        if wheels
        else Absent("no nvidia-* distribution is installed"),
        changed_wheels=guarded(lambda: changed_wheels(wheels), "RECORD of each nvidia-* wheel"),
        cudnn_parts=_cudnn_parts(search, libraries),
        toolkits=found_toolkits
        if not isinstance(found_toolkits, Known) or found_toolkits.value
        else Absent("no CUDA toolkit in /usr/local, /opt or /usr/lib"),
        **cuda_tools.ask_tools(request, files, search, needed),
        ptxas=needed if isinstance(needed, Absent) else ptxas.wait() if ptxas is not None else none,
    )


def _needed(files: Path) -> Fact[tuple[str, ...]]:
    version = version_of_files(files)
    known: Fact[str] = (
        Known(version, str(files))
        if version
        else Failed("the files do not say their version", "missing")
    )
    return needed_sonames(read_build(files), known, cuda_config(files))


def _runpath(search: Fact[Search]) -> Fact[tuple[str, ...]]:
    if not isinstance(search, Known):
        return search
    folders = tuple(
        place.folder for place in search.value.places if place.via in ("RUNPATH", "RPATH")
    )
    return (
        Known(folders, search.source)
        if folders
        else Absent(f"{search.source} has no search path of its own")
    )


def _search_path(request: Request) -> Fact[tuple[str, ...]]:
    text = request.system.environ.get("LD_LIBRARY_PATH", "")
    if not text:
        return Absent("LD_LIBRARY_PATH is not set")
    return Known(tuple(Loader(request.system, "").library_path), "LD_LIBRARY_PATH")


def _libraries(search: Search, needed: Iterable[str]) -> tuple[Library, ...]:
    found = {soname: search.loader.find(soname, search.places) for soname in needed}
    return tuple(_library(soname, copies, search, found) for soname, copies in found.items())


def _library(
    soname: str, copies: list[Copy], search: Search, loaded: dict[str, list[Copy]]
) -> Library:
    usable = [copy for copy in copies if not copy.foreign]
    others = search.loader.other_majors(soname, search.places)
    elsewhere = copies_elsewhere(
        search.loader, soname, search.elsewhere, [copy.path for copy in usable]
    )
    return replace(
        _found(soname, copies, search, loaded),
        elsewhere=tuple(elsewhere),
        other_versions=tuple(others),
    )


def _found(
    soname: str, copies: list[Copy], search: Search, loaded: dict[str, list[Copy]]
) -> Library:
    usable = [copy for copy in copies if not copy.foreign]
    if not usable:
        none = Absent(f"the loader finds no {soname}")
        return Library(soname, none, "", none, problem=copies[0].problem if copies else "")
    first = usable[0]
    problem, unfit = (first.problem, "") if first.problem else _missing_part(first, search, loaded)
    return Library(
        soname=soname,
        path=Known(first.path, first.via),
        found_via=first.via,
        version=version_of(first.path, soname, search.wheels),
        shadows=tuple(copy.path for copy in usable[1:]),
        problem=problem,
        unfit=unfit,
    )


def _missing_part(copy: Copy, search: Search, loaded: dict[str, list[Copy]]) -> tuple[str, str]:
    """Why a CUDA library that this one needs does not serve it, and its path where it is found; "" where all do.

    What TensorFlow opens before, by the same name, is taken from the process.
    """
    places = search.loader.places(copy.elf, os.path.dirname(copy.path))
    for name in copy.elf.needed if copy.elf is not None else ():
        if not name.startswith(("libcu", "libnv")) or name in ("libcuda.so.1", "libnvidia-ml.so.1"):
            continue
        copies = loaded.get(name) or search.loader.find(name, places)
        usable = [item for item in copies if not item.foreign]
        if not usable:
            return f"{copy.path} needs {name}, which the loader does not find", ""
        if symbol := _missing_symbol(search, copy.path, name, usable[0].path):
            return f"{copy.path} needs {symbol}, which {usable[0].path} does not have", usable[
                0
            ].path
    return "", ""


def _missing_symbol(search: Search, path: str, name: str, found: str) -> str:
    """The first symbol that a library asks `name` for and that the file found lacks; "" for none, and where that can't be read."""
    try:
        wanted, defined = search.symbols_of(path).wanted, search.symbols_of(found).defined
    except (NotElfError, OSError, ValueError):
        return ""
    return next(
        (symbol for library, symbol in wanted if library == name and symbol not in defined), ""
    )


def _cudnn_parts(
    search: Fact[Search], libraries: Fact[tuple[Library, ...]]
) -> Fact[tuple[Library, ...]]:
    """The parts of the cuDNN that is found, looked for as libcudnn would: beside itself, then as for all."""
    if not isinstance(libraries, Known) or not isinstance(search, Known):
        unread = Failed("the loading library could not be read", "unreadable")
        return libraries if not isinstance(libraries, Known) else unread
    main = next((item for item in libraries.value if item.soname.startswith("libcudnn.")), None)
    if main is None or not isinstance(main.path, Known):
        return Absent("the loader finds no cuDNN")
    major = main.soname.rpartition(".")[2]
    if major not in _PARTS:
        return Absent(f"cuDNN {major} is not known to have parts")
    folder = os.path.dirname(main.path.value)
    places = [
        Place(folder, "beside libcudnn"),
        Place(os.path.dirname(os.path.realpath(main.path.value)), "beside libcudnn"),
    ]
    places += search.value.places
    found = {
        name: search.value.loader.find(name, places)
        for name in (f"libcudnn_{part}.so.{major}" for part in _PARTS[major])
    }
    loaded = found | {
        item.soname: [Copy(item.path.value, "")]
        for item in libraries.value
        if isinstance(item.path, Known)
    }
    parts = tuple(_found(name, copies, search.value, loaded) for name, copies in found.items())
    return Known(parts, main.path.value)


_RECORD_LIMIT = 1 << 22  # bytes; the longest of CUDA 12.9's, nvcc's, has 40 KB
_SHOWN = 20
_LIBRARY = Expression(r"^([^,\n]*\.so(?:\.\d+)*),[^,\n]*,(\d{1,18})$", re.MULTILINE)


def changed_wheels(wheels: Iterable[Distribution]) -> Fact[tuple[ChangedWheel, ...]]:
    """Raises OSError where a RECORD is there and can't be read. Wheels without one (conda's, Debian's) are left out."""
    listed = {wheel: sizes for wheel in wheels if (sizes := _sizes(wheel))}
    found = tuple(changed for wheel in listed if (changed := _compared(wheel, listed)))
    return (
        Known(found, "RECORD of each nvidia-* wheel")
        if found
        else Absent("every library is of the size that its wheel's RECORD says")
    )


def _sizes(wheel: Distribution) -> dict[str, int]:
    """Path below site-packages and size in bytes of each shared library that the wheel brought."""
    try:
        record = head_of(os.path.join(wheel.folder, "RECORD"), _RECORD_LIMIT)
        text = record.decode("utf-8", "replace").replace("\r\n", "\n")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return {
        path: int(size) for path, size in _LIBRARY.findall(text) if not path.startswith(("/", ".."))
    }


def _compared(
    wheel: Distribution, listed: dict[Distribution, dict[str, int]]
) -> ChangedWheel | None:
    site = os.path.dirname(wheel.folder)
    missing, changed = [], {}
    for path, size in listed[wheel].items():
        try:
            present = os.stat(os.path.join(site, path)).st_size
        except (FileNotFoundError, NotADirectoryError):
            missing.append(path)
            continue
        if present != size:
            changed[path] = present
    if not missing and not changed:
        return None
    return ChangedWheel(
        wheel.name,
        wheel.version,
        tuple(missing[:_SHOWN]),
        tuple(changed)[:_SHOWN],
        _author(wheel, changed, listed),
    )


def _author(
    wheel: Distribution, changed: dict[str, int], listed: dict[Distribution, dict[str, int]]
) -> str:
    """The other wheel whose RECORD names most of the changed files in their present size."""
    site = os.path.dirname(wheel.folder)
    fits = {
        other: sum(sizes.get(path) == present for path, present in changed.items())
        for other, sizes in listed.items()
        if other is not wheel and os.path.dirname(other.folder) == site
    }
    best = max(fits, key=lambda other: fits[other], default=None)
    return f"{best.name} {best.version}" if best is not None and fits[best] else ""
