"""ptxas, libdevice, nvJitLink and CUPTI, looked for in the places and the order in which XLA looks.

The order is that of XLA's subprocess_compilation.cc (FindCudaExecutable) and tsl's cuda_root_path.cc
(CandidateCudaRoots), read 2026-11-20. Neither looks at CUDA_HOME.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tfdoctor.ask.probes.libraries.search import Search
from tfdoctor.ask.probes.python.ownership import runs_as
from tfdoctor.ask.probes.request import Ahead, Request
from tfdoctor.ask.probes.runner import attempt
from tfdoctor.ask.probes.tensorflow.build_info import cuda_config, defined
from tfdoctor.ask.probes.text_files import not_live
from tfdoctor.base.child import run_child
from tfdoctor.base.expressions import Expression
from tfdoctor.base.loader import Place
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.values import Tool
from tfdoctor.facts.versions import CudaRelease, read_release

_DEFAULT_DATA_DIR = "./cuda_sdk_lib"  # xla_gpu_cuda_data_dir's default (debug_options_flags.cc)
_LIBDEVICE = "nvvm/libdevice/libdevice.10.bc"
_TOO_OLD = CudaRelease("11.8")  # kMinimumSupportedPtxAsVersion; XLA passes over an older one
_BUGGY = (CudaRelease("12.3.103"),)  # kBuggyPtxAsVersions
_RELEASE = Expression(r"\bV(\d+\.\d+(?:\.\d+)?)\b")
_MEMORY_BOUND = 256 << 20  # bytes


def begin_ptxas(request: Request, files: Path) -> Ahead[Fact[Tool]]:
    """The fact ptxas. Its program is asked for its version while the libraries are being looked for."""
    return Ahead(
        lambda: attempt(lambda: _ptxas(request, list(cuda_roots(request, files))), "ptxas"), "ptxas"
    )


def ask_tools(
    request: Request, files: Path | None, search: Fact[Search], needed: Fact[tuple[str, ...]]
) -> dict[str, Any]:
    """The facts libdevice, nvjitlink and cupti; Absent for a build without CUDA."""
    if files is None or isinstance(needed, Absent):
        return dict.fromkeys(("libdevice", "nvjitlink", "cupti"), needed)
    roots = list(cuda_roots(request, files))
    return {
        "libdevice": attempt(lambda: _libdevice(request, roots), "libdevice"),
        "nvjitlink": attempt(lambda: _nvjitlink(search, needed), "nvJitLink"),
        "cupti": attempt(lambda: _cupti(search, cuda_config(files)), "CUPTI"),
    }


def cuda_roots(request: Request, files: Path) -> Iterator[Path]:
    """CandidateCudaRoots, the preferred one first. Paths of this machine."""
    yield _working_folder(request) / data_dir(request.system.environ.get("XLA_FLAGS", ""))
    built_with = defined_path(cuda_config(files))
    for name in (built_with, "/usr/local/cuda", "/opt/cuda"):
        if name:
            yield request.system.path(name)
    for part in (
        "../nvidia/cuda_nvcc",
        "../../nvidia/cuda_nvcc",
        "cuda",
        "../../../..",
        "../../../../..",
    ):
        yield Path(os.path.normpath(files / part))


def defined_path(config: str) -> str:
    """The toolkit's folder that the build was made with ("/usr/local/cuda-12.2"); "" in newer builds."""
    found = re.search(r'#define[ \t]+TF_CUDA_TOOLKIT_PATH[ \t]+"([^"]*)"', config)
    return found[1] if found else ""


def data_dir(flags: str) -> str:
    """--xla_gpu_cuda_data_dir of XLA_FLAGS; the last one counts."""
    try:
        words = shlex.split(flags)
    except ValueError:
        words = flags.split()
    given = [
        word.partition("=")[2] for word in words if word.startswith("--xla_gpu_cuda_data_dir=")
    ]
    return given[-1] if given else _DEFAULT_DATA_DIR


def _working_folder(request: Request) -> Path:
    try:
        return Path.cwd() if request.system.live else request.system.root
    except OSError:
        return Path("/nonexistent")  # the working folder was removed: nothing is in it


def _ptxas(request: Request, roots: list[Path]) -> Fact[Tool]:
    """The first that answers with a version that XLA accepts; the preferred root, then PATH, then the other roots."""
    first, *others = [root / "bin" / "ptxas" for root in roots]
    refused: list[str] = []
    for path in dict.fromkeys(map(str, (first, *request.system.programs("ptxas"), *others))):
        if not os.path.isfile(path):
            continue
        version = _version(path, request)
        if why := _refusal(version):
            refused.append(f"{path} ({why})")
            continue
        return Known(Tool(path, version), "the places where XLA looks")
    return Absent(
        "no ptxas where XLA looks" + (f"; it passes over {', '.join(refused)}" if refused else "")
    )


def _refusal(version: Fact[CudaRelease]) -> str:
    if isinstance(version, Failed):
        return "" if version.not_live else version.error
    if not isinstance(version, Known):
        return ""
    if version.value in _BUGGY:
        return f"{version.value} miscompiles"
    return f"{version.value} is older than {_TOO_OLD}" if version.value < _TOO_OLD else ""


def _version(path: str, request: Request) -> Fact[CudaRelease]:
    """By `ptxas --version`: "Cuda compilation tools, release 12.9, V12.9.86"."""
    if not request.system.live:
        return not_live("programs in the examined folder are never run")
    if path.startswith(f"{_working_folder(request) / _DEFAULT_DATA_DIR}{os.sep}"):
        return Failed(
            f"{path} is not run: whoever fills the working folder would run as this user", "refused"
        )
    result = run_child(
        [path, "--version"],
        timeout_s=request.child_limit_s,
        env=dict(request.system.environ),
        memory_bound=_MEMORY_BOUND,
        owner=runs_as(request),
    )
    found = _RELEASE.search(result.stdout.decode("utf-8", "replace"))
    if result.ok and found:
        return read_release(CudaRelease, found[1], f"{path} --version")
    words = f"{path} --version {result.describe()}" + ("" if found else " and said no version")
    return Failed(words, "unreadable" if result.ok else result.kind)


def _libdevice(request: Request, roots: list[Path]) -> Fact[str]:
    """The first root that has nvvm/libdevice; then the working folder itself."""
    for root in roots:
        if os.path.isfile(root / _LIBDEVICE):
            return Known(str(root / _LIBDEVICE), "the places where XLA looks")
    here = _working_folder(request) / "libdevice.10.bc"
    if os.path.isfile(here):
        return Known(str(here), "the working folder")
    return Absent("no libdevice.10.bc where XLA looks")


def _nvjitlink(search: Fact[Search], needed: Fact[tuple[str, ...]]) -> Fact[str]:
    """Where cuSPARSE, cuFFT or cuSOLVER would find it, which need it from CUDA 12 on."""
    if not isinstance(search, Known):
        return search
    if not isinstance(needed, Known):
        return needed
    major = next(
        (
            name.split(".so.")[1].split(".")[0]
            for name in needed.value
            if name.startswith("libcudart")
        ),
        "",
    )
    if not major.isdigit() or int(major) < 12:
        return Absent("there is no nvJitLink before CUDA 12")
    places = list(search.value.places)
    for name in needed.value:
        if name.startswith(("libcusparse", "libcusolver", "libcufft")):
            copies = search.value.loader.find(name, search.value.places)
            places += [
                Place(
                    os.path.normpath(f"{os.path.dirname(copy.path)}/../../nvjitlink/lib"), "RUNPATH"
                )
                for copy in copies
            ]
            places += [
                Place(os.path.dirname(os.path.realpath(copy.path)), "RUNPATH") for copy in copies
            ]
    return _first(search, f"libnvJitLink.so.{major}", places)


def _cupti(search: Fact[Search], config: str) -> Fact[str]:
    """The profiler's library, by the name that the build opens: "libcupti.so.12", or with the minor before CUDA 12."""
    if not isinstance(search, Known):
        return search
    version = defined(config, "TF_CUPTI_VERSION") or defined(config, "TF_CUDA_VERSION")
    if not version:
        return Failed(
            "cuda_config.h is missing, so the name of CUPTI's library is not known", "missing"
        )
    major = version.split(".")[0]
    return _first(
        search, f"libcupti.so.{major if int(major) >= 12 else version}", search.value.places
    )


def _first(search: Known[Search], soname: str, places: list[Place]) -> Fact[str]:
    usable = [copy for copy in search.value.loader.find(soname, places) if not copy.problem]
    return (
        Known(usable[0].path, usable[0].via) if usable else Absent(f"the loader finds no {soname}")
    )
