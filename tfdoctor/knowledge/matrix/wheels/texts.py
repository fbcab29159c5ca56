"""What the texts inside one wheel say: METADATA, build_info.py and the headers of CUDA, cuDNN, NCCL and protobuf."""

from __future__ import annotations

import ast
import re
from typing import Any

from packaging.utils import canonicalize_name

from tfdoctor.knowledge.matrix.model import MatrixError

METADATA = re.compile(r"[^/]+\.dist-info/METADATA")
BUILD_INFO = re.compile(r"tensorflow/python/platform/build_info\.py")
CUDA_H = re.compile(
    r"tensorflow/include/(third_party/gpus|external/local_config_cuda/cuda)/cuda/cuda_config\.h"
)
CUDNN_H = re.compile(
    r"tensorflow/include/(third_party/gpus/cudnn|external/.*cudnn)/include/cudnn_version\.h"
)
NCCL_H = re.compile(r"tensorflow/include/external/(nccl_archive/src|cuda_nccl/include)/nccl\.h")
PROTOBUF_H = re.compile(r"tensorflow/include/google/protobuf/stubs/common\.h")
MEMBERS = (METADATA, BUILD_INFO, CUDA_H, CUDNN_H, NCCL_H, PROTOBUF_H)

_REQUIREMENT = re.compile(
    r"([A-Za-z0-9._-]+)(?![A-Za-z0-9._-])\s*(?!\s)(?:\[[^\]]*\]\s*(?!\s))?(?:\(([^;()]*)\)\s*|([^;()]*))(?:;(.*))?$"
)
_EXTRA = re.compile(r"""(?<!\s)\s*(?:\band\s+)?extra\s*==\s*['"]([^'"]+)['"](?:\s+and\b)?\s*""")
_ARCHITECTURE = re.compile(r"(sm|compute)_(\d+)(\d)[a-z]?$")
AND_CUDA = "and-cuda"
MOST_BUILD_INFO = 16 << 10
"""Characters; no release's has 3,000, and parsing takes a thousand times as much memory."""
STUBS = {
    "win_amd64": "tensorflow-intel",
    "linux_aarch64": "tensorflow-cpu-aws",
    "macosx_arm64": "tensorflow-macos",
}


def read_texts(texts: dict[str, str], filename: str, platform: str) -> dict[str, Any]:
    """The cells that the texts of one wheel tell, by field. What they do not tell is not there.

    `texts` is keyed by the patterns of MEMBERS. Raises MatrixError where METADATA is missing or is not one.
    """
    metadata = texts.get(METADATA.pattern)
    if metadata is None or not metadata.startswith("Metadata-Version:"):
        raise MatrixError(f"{filename} has no METADATA")
    found = _requirements(metadata, filename)
    build_info = texts.get(BUILD_INFO.pattern)
    if build_info is None:
        found["gpu"] = False
        found["stub_for"] = _pulled_in(found["requires"], platform)
        return found
    found["stub_for"] = ""
    found.update(_build(build_info, filename))
    if found["gpu"]:
        found.update(_headers(texts))
    protobuf = _define(texts.get(PROTOBUF_H.pattern, ""), "GOOGLE_PROTOBUF_VERSION")
    if protobuf.isdigit():
        found["gencode"] = protobuf_release(int(protobuf))
    return found


def _pulled_in(requires: dict[str, Any], platform: str) -> str:
    """A wheel without TensorFlow's files exists to pull in the distribution that has them."""
    pulled = STUBS.get(platform, "")
    return pulled if pulled in requires else ""


def _requirements(metadata: str, filename: str) -> dict[str, Any]:
    requires: dict[str, list[dict[str, str]]] = {}
    and_cuda: dict[str, list[dict[str, str]]] = {}
    for line in metadata.split("\n\n", 1)[0].splitlines():
        if not line.startswith("Requires-Dist:"):
            continue
        name, spec, marker, extra = parse_requirement(line.partition(":")[2].strip(), filename)
        if extra in ("", AND_CUDA):
            target = and_cuda if extra else requires
            target.setdefault(name, []).append(
                {"spec": spec, "marker": marker} if marker else {"spec": spec}
            )
    return {"requires": _plain(requires), "and_cuda": _plain(and_cuda), **_said(metadata)}


def _said(metadata: str) -> dict[str, str]:
    """What METADATA says beside the artefact's own truth: kept only where the two disagree."""
    head = metadata.split("\n\n", 1)[0]
    python = re.search(r"^Requires-Python: (.*)$", head, re.MULTILINE)
    cuda = re.findall(
        r"^Classifier: Environment :: GPU :: NVIDIA CUDA :: (?:[\d.]+ :: )?(\d+\.\d+)$",
        head,
        re.MULTILINE,
    )
    return {
        "requires_python": python[1].strip() if python else "",
        "cuda_classifier": cuda[-1] if cuda else "",
    }


def parse_requirement(text: str, filename: str) -> tuple[str, str, str, str]:
    """(normalised name, specifier as written, marker without the extra, extra) of a Requires-Dist value."""
    parts = _REQUIREMENT.match(text)
    if parts is None:
        raise MatrixError(f"{filename} has a requirement that can't be read: {text[:80]!r}")
    marker = (parts[4] or "").strip()
    extra = _EXTRA.search(marker)
    if extra:
        marker = marker[: extra.start()] + " " + marker[extra.end() :]
    return (
        canonicalize_name(parts[1]),
        (parts[2] or parts[3] or "").strip(),
        _bare(marker.strip()),
        extra[1] if extra else "",
    )


def _bare(marker: str) -> str:
    """Without the parentheses that only the extra made necessary."""
    whole = marker.startswith("(") and marker.endswith(")") and marker.find(")") == len(marker) - 1
    return marker[1:-1] if whole else marker


def _plain(stated: dict[str, list[dict[str, str]]]) -> dict[str, Any]:
    """One requirement without a marker is its specifier; else the list of them."""
    return {
        name: each[0]["spec"] if len(each) == 1 and "marker" not in each[0] else each
        for name, each in sorted(stated.items())
    }


def _build(text: str, filename: str) -> dict[str, Any]:
    info = build_info_of(text)
    if "is_cuda_build" not in info:
        raise MatrixError(f"{filename} has a build_info.py without is_cuda_build")
    found: dict[str, Any] = {"gpu": bool(info["is_cuda_build"])}
    stated = info.get("cuda_compute_capabilities")
    if found["gpu"] and stated:
        parts = [part for part in (_ARCHITECTURE.match(each) for each in stated) if part]
        found["sass"] = [f"{part[2]}.{part[3]}" for part in parts if part[1] == "sm"]
        found["ptx"] = [f"{part[2]}.{part[3]}" for part in parts if part[1] == "compute"]
    return found


def build_info_of(text: str) -> dict[str, Any]:
    """The dictionary `build_info` of build_info.py, read without running it."""
    if len(text) > MOST_BUILD_INFO:
        raise MatrixError(f"a build_info.py has {len(text)} characters, which no release's has")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise MatrixError(f"a build_info.py can't be read: {error}") from error
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "build_info":
            value = (
                node.value.args[0]
                if isinstance(node.value, ast.Call) and node.value.args
                else node.value
            )
            try:
                return dict(ast.literal_eval(value))
            except (ValueError, TypeError):
                return {}
    return {}


def _headers(texts: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    cuda_h, cudnn_h, nccl_h = (texts.get(each.pattern, "") for each in (CUDA_H, CUDNN_H, NCCL_H))
    cuda = _library_version(cuda_h, "TF_CUDA_VERSION", 1)
    cudnn = _numbers(cudnn_h, "CUDNN_MAJOR", "CUDNN_MINOR", "CUDNN_PATCHLEVEL")
    cudnn = cudnn or _library_version(cuda_h, "TF_CUDNN_VERSION", 0)
    nccl = _numbers(nccl_h, "NCCL_MAJOR", "NCCL_MINOR", "NCCL_PATCH")
    for name, value in (("cuda", cuda), ("cudnn", cudnn), ("nccl", nccl)):
        if value:
            found[name] = value
    return found


def _define(text: str, name: str) -> str:
    stated = re.search(rf'^[ \t]*#[ \t]*define[ \t]+{name}[ \t]+"?([\w.]+)"?', text, re.MULTILINE)
    return stated[1] if stated else ""


def _library_version(text: str, name: str, minor_digits: int) -> str:
    """ "11.2" as it stands; on Windows the header has the end of a DLL's name: "64_112" is 11.2, "64_8" is 8."""
    stated = _define(text, name)
    dll = re.fullmatch(rf"64_(\d+?)(\d{{{minor_digits}}})", stated)
    if dll:
        return f"{dll[1]}.{dll[2]}" if dll[2] else dll[1]
    return stated if re.fullmatch(r"[\d.]+", stated) else ""


def _numbers(text: str, *names: str) -> str:
    numbers = [_define(text, name) for name in names]
    return ".".join(numbers) if all(numbers) else ""


def protobuf_release(number: int) -> str:
    """5028003 is 5.28.3 (GOOGLE_PROTOBUF_VERSION: major, three digits of minor, three of patch)."""
    return f"{number // 1_000_000}.{number // 1000 % 1000}.{number % 1000}"
