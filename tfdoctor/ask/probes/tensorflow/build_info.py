"""What a TensorFlow was built with, read from its own files: build_info.py (never imported) and the headers inside.

The headers are truer: build_info says only cuDNN's major, and 2.22.0rc0's has no cuda_version at all.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from tfdoctor.base.expressions import Expression
from tfdoctor.base.safe_open import head_text, whole_of
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, kind_of_error
from tfdoctor.facts.values import TensorFlowBuild
from tfdoctor.facts.versions import ComputeCapability, CudaRelease, CudnnRelease, read_release

BUILD_INFO = "python/platform/build_info.py"
_HEADERS = "include/third_party/gpus"  # from 2.15 on
# The second before.
_CONFIGS = (
    f"{_HEADERS}/cuda/cuda_config.h",
    "include/external/local_config_cuda/cuda/cuda/cuda_config.h",
)
_NCCL_HEADERS = (
    "include/external/cuda_nccl/include/nccl.h",
    "include/external/nccl_archive/src/nccl.h",
)
# Bytes; no release's has 3 kB, and parsing takes a thousand times as much memory.
_MOST_BUILD_INFO = 16 << 10
_MOST_HEADER = 256 << 10  # bytes read of a header; nccl.h says its version in the first kilobyte
_DEFINE = Expression(r'^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+"?([\w.]*)"?', re.MULTILINE)


def read_build(folder: Path, cpu_flags: tuple[str, ...] = ()) -> Fact[TensorFlowBuild]:
    """The build of the package in `folder`. Failed where build_info.py can't be read and no header tells of CUDA."""
    info = read_build_info(folder / BUILD_INFO)
    config = cuda_config(folder)
    if not isinstance(info, Known):
        if not config:
            return info
        info = Known({"is_cuda_build": bool(defined(config, "TF_CUDA_VERSION"))}, "cuda_config.h")
    said = info.value
    sass, ptx = capabilities(said.get("cuda_compute_capabilities", ()), config)
    build = TensorFlowBuild(
        cuda=_cuda(said, config, folder),
        cudnn=_cudnn(said, folder),
        nccl=_nccl(said, folder),
        rocm=_rocm(said),
        sass=sass,
        ptx=ptx,
        cpu_flags=cpu_flags,
    )
    return Known(
        build,
        f"{folder / BUILD_INFO} and the headers inside the package" if config else info.source,
    )


def read_build_info(path: Path) -> Fact[dict[str, Any]]:
    """The values of build_info.py: its module-level constants, and the entries of `build_info` (2.3 and newer)."""
    try:
        tree = ast.parse(whole_of(path, _MOST_BUILD_INFO))
    except FileNotFoundError:
        return Failed(f"{path} does not exist", "missing")
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Failed(
            f"{path} can't be read: {type(error).__name__}: {error}", kind_of_error(error)
        )
    found: dict[str, Any] = {}
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        value = _literal(node.value)
        found |= value if isinstance(value, dict) else {node.targets[0].id: value}
    return Known(found, str(path))


def _literal(node: ast.expr) -> Any:
    """A constant, or the dictionary inside `collections.OrderedDict(…)`; None for anything that is computed."""
    if isinstance(node, ast.Call) and len(node.args) == 1:
        node = node.args[0]
    try:
        value = ast.literal_eval(node)
        return dict(value) if isinstance(value, list) else value
    except (ValueError, TypeError):
        return None


def _text(path: Path) -> str:
    return head_text(path, _MOST_HEADER)


def cuda_config(folder: Path) -> str:
    """The text of the package's cuda_config.h, "" where it has none: CUDA's release and the version of each library."""
    return next((text for name in _CONFIGS if (text := _text(folder / name))), "")


def defined(text: str, name: str) -> str:
    """The value of `#define name …` in a header, without quotation marks; "" where there is none."""
    return next((each[2] for each in _DEFINE.finditer(text) if each[1] == name), "")


def _version(text: str, *names: str) -> str:
    """ "9.3.0" from three #defines; "" where the first is missing."""
    numbers = [defined(text, name) for name in names]
    return (
        ".".join(number for number in numbers if number.isdigit()) if numbers[0].isdigit() else ""
    )


def _not_cuda(said: dict[str, Any]) -> Absent | None:
    return (
        Absent("built without CUDA (is_cuda_build is False)")
        if said.get("is_cuda_build") is False
        else None
    )


def _cuda(said: dict[str, Any], config: str, folder: Path) -> Fact[CudaRelease]:
    if isinstance(none := _not_cuda(said), Absent):
        return none
    written = _release(defined(config, "TF_CUDA_VERSION"))
    if written and "." in written:
        return read_release(CudaRelease, written, "cuda_config.h")
    integer = defined(_text(folder / _HEADERS / "cuda" / "include" / "cuda.h"), "CUDA_VERSION")
    if integer.isdigit() and int(integer) >= 1000:
        return Known(CudaRelease.from_integer(int(integer)), "cuda.h")
    listed = _release(said.get("cuda_version") or said.get("cuda_version_number"))
    if listed or written:
        return read_release(
            CudaRelease, listed or written, "build_info.py" if listed else "cuda_config.h"
        )
    return Failed("neither build_info.py nor a header says the CUDA release", "missing")


def _cudnn(said: dict[str, Any], folder: Path) -> Fact[CudnnRelease]:
    if isinstance(none := _not_cuda(said), Absent):
        return none
    include = folder / _HEADERS / "cudnn" / "include"
    for header in (
        include / "cudnn_version.h",
        include / "cudnn.h",
        folder / _HEADERS / "cuda" / "include" / "cudnn.h",
    ):
        if version := _version(_text(header), "CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL"):
            return read_release(CudnnRelease, version, header.name)
    listed = _release(said.get("cudnn_version") or said.get("cudnn_version_number"))
    return (
        read_release(CudnnRelease, listed, "build_info.py")
        if listed
        else Failed("neither build_info.py nor a header says the cuDNN release", "missing")
    )


def _nccl(said: dict[str, Any], folder: Path) -> Fact[str]:
    if isinstance(none := _not_cuda(said), Absent):
        return none
    for name in _NCCL_HEADERS:
        if version := _version(_text(folder / name), "NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH"):
            return Known(version, name)
    return Failed("no header inside the package says the NCCL release", "missing")


def _rocm(said: dict[str, Any]) -> Fact[str]:
    if not said.get("is_rocm_build"):
        return Absent("built without ROCm (is_rocm_build is not True)")
    version = _release(said.get("rocm_version"))
    return (
        Known(version, "build_info.py")
        if version
        else Failed("build_info.py does not say the ROCm release", "missing")
    )


def _release(value: object) -> str:
    """The dotted number at the start of a value ("64_112" of Windows is 11.2); "" where there is none."""
    if not isinstance(value, str):
        return ""
    if windows := re.fullmatch(r"64_(\d+)(\d)", value):
        return f"{windows[1]}.{windows[2]}"
    found = re.match(r"\d+(?:\.\d+)*", value)
    return found[0] if found else ""


def capabilities(
    listed: object, config: str = ""
) -> tuple[tuple[ComputeCapability, ...], tuple[ComputeCapability, ...]]:
    """Binaries and PTX of a build: `sm_89` is a binary of 8.9; `compute_90` is PTX of 9.0, and a binary for a part
    of the kernels alone, so 9.0 is not among the binaries. A plain "9.0" means both (TensorFlow's configure.py).

    `config`: cuda_config.h, which lists the numbers without their kind: used where build_info has none; its highest
    is the one with PTX, as in every published wheel.
    """
    items = [str(item) for item in listed] if isinstance(listed, (list, tuple)) else []
    if not items and (found := re.search(r"TF_CUDA_COMPUTE_CAPABILITIES[ \t]+([\d, \t]+)", config)):
        numbers = sorted({int(number) for number in re.findall(r"\d+", found[1])})
        items = [f"sm_{number}" for number in numbers[:-1]] + [
            f"compute_{number}" for number in numbers[-1:]
        ]
    sass: list[ComputeCapability] = []
    ptx: list[ComputeCapability] = []
    for item in items:
        if code := re.fullmatch(r"(sm|compute)_(\d+)(\d)[af]?", item):
            (sass if code[1] == "sm" else ptx).append(ComputeCapability(f"{code[2]}.{code[3]}"))
        elif re.fullmatch(r"\d+\.\d", item):
            sass.append(ComputeCapability(item))
            ptx.append(ComputeCapability(item))
    return tuple(sass), tuple(ptx)


_DEFINES = {
    "cudart": "TF_CUDART_VERSION",
    "cublas": "TF_CUBLAS_VERSION",
    "cublasLt": "TF_CUBLAS_VERSION",
    "cufft": "TF_CUFFT_VERSION",
    "curand": "TF_CURAND_VERSION",
    "cusolver": "TF_CUSOLVER_VERSION",
    "cusparse": "TF_CUSPARSE_VERSION",
    "cudnn": "TF_CUDNN_VERSION",
}
_BY_CUDA: dict[int, dict[str, str]] = {  # CUDA release notes, component versions; read 2026-11-20
    10: dict.fromkeys(("cublas", "cufft", "curand", "cusolver", "cusparse"), "10"),
    11: {
        "cublas": "11",
        "cublasLt": "11",
        "cufft": "10",
        "curand": "10",
        "cusolver": "11",
        "cusparse": "11",
    },
    12: {
        "cublas": "12",
        "cublasLt": "12",
        "cufft": "11",
        "curand": "10",
        "cusolver": "11",
        "cusparse": "12",
    },
    13: {
        "cublas": "13",
        "cublasLt": "13",
        "cufft": "12",
        "curand": "10",
        "cusolver": "12",
        "cusparse": "12",
    },
}
_CUBLASLT_SINCE = (2, 4)  # its logs: "Successfully opened dynamic library libcublasLt.so.11"
_CURAND_UNTIL = (2, 13)  # 2.14 and newer no longer open it (seen with the dso_loader's own log)


def needed_sonames(
    build: Fact[TensorFlowBuild], version: Fact[str], config: str
) -> Fact[tuple[str, ...]]:
    """The sonames without which the build shows no GPU. `config`: cuda_config.h, "" where it is missing."""
    if not isinstance(build, Known):
        return build
    cuda = build.value.cuda
    if isinstance(cuda, Absent):
        return cuda
    return _named(
        config,
        version,
        _by_release(cuda.value, build.value.cudnn) if isinstance(cuda, Known) else {},
    )


def _named(config: str, version: Fact[str], derived: dict[str, str]) -> Fact[tuple[str, ...]]:
    written = {name: text for name, define in _DEFINES.items() if (text := defined(config, define))}
    whole = "cudart" in written
    versions = written if whole else derived
    missing = [name for name in ("cudart", "cublas", "cudnn") if name not in versions]
    if missing:
        words = (
            f"neither cuda_config.h nor the CUDA release tells the version of {', '.join(missing)}"
        )
        return Failed(words, "missing")
    release = _release_of(version)
    left_out = {"curand"} if release is None or release > _CURAND_UNTIL else set()
    left_out |= {"cublasLt"} if release is not None and release < _CUBLASLT_SINCE else set()
    names = (
        f"lib{name}.so.{versions[name]}"
        for name in _DEFINES
        if name in versions and name not in left_out
    )
    return Known(
        tuple(names),
        "cuda_config.h inside the package" if whole else "the build's CUDA and cuDNN releases",
    )


def _by_release(cuda: CudaRelease, cudnn: Fact[CudnnRelease]) -> dict[str, str]:
    """From CUDA's release alone. cudart carries "11.0" through all of CUDA 11, and major.minor before."""
    major = cuda.major
    if major not in _BY_CUDA:
        return {}
    runtime = str(major) if major >= 12 else "11.0" if major == 11 else f"{major}.{cuda.minor}"
    found = {"cudart": runtime, **_BY_CUDA[major]}
    if (major, cuda.minor) == (10, 0):
        found |= dict.fromkeys(_BY_CUDA[10], "10.0")
    if (major, cuda.minor) == (11, 0):
        found["cusolver"] = (
            "10"  # .so.11 since 11.1: TensorFlow 2.4, built with 11.0, opens libcusolver.so.10
        )
    if isinstance(cudnn, Known):
        found["cudnn"] = str(cudnn.value.major)
    return found


def _release_of(version: Fact[str]) -> tuple[int, int] | None:
    if not isinstance(version, Known):
        return None
    numbers = version.value.split(".")
    return (
        (int(numbers[0]), int(numbers[1]))
        if len(numbers) > 1 and numbers[0].isdigit() and numbers[1].isdigit()
        else None
    )
