"""A base's machine with another release of TensorFlow, as the bundled matrix describes it.

What pip would install beside it: of each package the base's version where this release takes it, else the oldest that
it takes. Where the release has no [and-cuda] extra, its CUDA libraries are those of a toolkit below /usr/local.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from packaging.markers import Marker
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.model import Release, Requirement
from tfdoctor.knowledge.matrix.query import Matrix

Document = dict[str, Any]
OWN, PYTHON = "tensorflow", "3.11"
SITE = "/srv/app/venv/lib/python{}/site-packages"
_FOLDERS = {"cudart": "cuda_runtime", "cublasLt": "cublas"}
_WITH_PKG_RESOURCES = "80.9.0"
_CUDNN = {"7": "7.6.5", "8": "8.9.7"}
"""The last release of each major, in which the bugs that the matrix lists are fixed."""
_CUDNN_8 = [f"cudnn_{part}_{kind}" for part in ("ops", "cnn", "adv") for kind in ("infer", "train")]
_CUDNN_9 = ["cudnn_ops", "cudnn_cnn", "cudnn_adv", "cudnn_graph", "cudnn_engines_precompiled", "cudnn_heuristic"]  # fmt: skip


@cache
def matrix() -> Matrix:
    return load_bundled()


def of_release(base: Mapping[str, Any], version: str) -> Document:
    """The base's facts under that release on Linux. Raises KeyError where the matrix does not know it."""
    found = matrix().release(version)
    if not isinstance(found, Known):
        raise KeyError(f"release: the matrix does not know TensorFlow {version}")
    release = found.value
    python = _python(release)
    document: Document = json.loads(
        json.dumps(base)
        .replace(f"python{PYTHON}", f"python{python}")
        .replace(f"cp{PYTHON.replace('.', '')}", f"cp{python.replace('.', '')}")
        .replace(_version_of(base), version)
    )
    if python != PYTHON:
        document["interpreter.version"] = known(f"{python}.9")
    with_gpu = base["cuda_libraries.wheels"]["status"] == "known"
    wanted = _requirements(release, python)
    cuda = _versions(base, value_or(release.and_cuda, {}), python) if with_gpu else {}
    own = _versions(base, wanted, python) | {OWN: version}
    if "tensorboard" in own:
        own["setuptools"] = _WITH_PKG_RESOURCES  # for tensorboard before 2.21
    rest = {
        name: text
        for name, text in installed(base).items()
        if name in ("pip", "setuptools", "requests")
    }
    document["packages.installed"] = known(_distributions(rest | own | cuda, python))
    document["packages.requirements"] = known(
        [
            *_stated(wanted, own, "", python),
            *_stated(value_or(release.and_cuda, {}), cuda, "and-cuda", python),
        ]
    )
    document["tensorflow.build"]["value"].update(_build(release))
    return document | (
        _libraries(release, cuda, python) if with_gpu else _no_libraries(release, document)
    )


def known(value: Any) -> Document:
    return {"status": "known", "value": value, "from": "the release's base"}


def _version_of(base: Mapping[str, Any]) -> str:
    return str(base["tensorflow.version"]["value"])


def _python(release: Release) -> str:
    """The base's where this release has a wheel for it, else the newest that it has one for."""
    pythons = [each.feature for each in value_or(release.python, ())]
    return PYTHON if PYTHON in pythons else pythons[-1]


def installed(base: Mapping[str, Any]) -> dict[str, str]:
    return {each["name"]: each["version"] for each in base["packages.installed"]["value"]}


def _requirements(release: Release, python: str) -> dict[str, tuple[Requirement, ...]]:
    """As on Linux on x86_64; numpy, protobuf and keras within what the release was seen to work with."""
    stated = dict(release.requires.value) if isinstance(release.requires, Known) else {}
    for name, bound in matrix().runtime_bounds(release.tensorflow).items():
        if name in stated and isinstance(bound, Known):
            stated[name] = (*stated[name], Requirement(bound.value, "extra == 'seen'"))
    return {name: each for name, each in stated.items() if _of_here(each, python)}


def _of_here(requirements: Iterable[Requirement], python: str) -> list[str]:
    """The specifiers that hold on this system, in sum."""
    here = {"python_version": python, "platform_system": "Linux", "platform_machine": "x86_64", "sys_platform": "linux"}  # fmt: skip
    return [
        each.spec
        for each in requirements
        if not each.marker or Marker(each.marker).evaluate({**here, "extra": "seen"})
    ]


def _versions(
    base: Mapping[str, Any], wanted: Mapping[str, tuple[Requirement, ...]], python: str
) -> dict[str, str]:
    before = installed(base)
    return {
        name: _fitting(before.get(name, ""), _of_here(each, python))
        for name, each in wanted.items()
    }


def _fitting(before: str, specifiers: list[str]) -> str:
    """The version that the base has, if it fits, else the oldest that is named."""
    wanted = SpecifierSet(",".join(each for each in specifiers if each))
    if before and before in wanted:
        return before
    floors = [each.version for each in wanted if each.operator in ("==", ">=", "~=")]
    return max(floors, key=Version, default="1.0")


def _distributions(versions: Mapping[str, str], python: str) -> list[Document]:
    return [
        {
            "name": name, "version": version, "installer": "pip", "in_user_site": False,
            "folder": f"{SITE.format(python)}/{name.replace('-', '_')}-{version}.dist-info",
        }
        for name, version in sorted(versions.items())
    ]  # fmt: skip


def _stated(
    wanted: Mapping[str, tuple[Requirement, ...]],
    versions: Mapping[str, str],
    extra: str,
    python: str,
) -> list[Document]:
    """The metadata's own words; what the matrix adds from running the wheels is not among them."""
    lines = []
    for name, requirements in wanted.items():
        own = ",".join(
            _of_here([each for each in requirements if "seen" not in each.marker], python)
        )
        held = versions.get(name)
        lines.append(
            {
                "name": name, "specifier": own, "extra": extra, "satisfied": held is not None,
                "installed": known(held) if held else {"status": "absent", "reason": "not installed"},
            }
        )  # fmt: skip
    return lines


def requirements_followed(document: Document) -> Document:
    """The requirements of the metadata as they stand with the packages that are installed now."""
    versions = installed(document)

    def stated(each: Document) -> Document:
        held = versions.get(each["name"])
        if held is None:
            return {
                **each,
                "installed": {"status": "absent", "reason": "not installed"},
                "satisfied": False,
            }
        return {**each, "installed": known(held), "satisfied": held in SpecifierSet(each["specifier"], prereleases=True)}  # fmt: skip

    lines = [stated(each) for each in document["packages.requirements"]["value"]]
    return {**document, "packages.requirements": known(lines)}


def _build(release: Release) -> Document:
    """What build_info.py and the headers say."""

    def text(fact: Any) -> Document:
        return (
            known(str(fact.value))
            if isinstance(fact, Known)
            else {"status": "absent", "reason": "none"}
        )

    return {
        "cuda": text(release.cuda), "cudnn": text(release.cudnn), "nccl": text(release.nccl),
        "sass": [str(each) for each in value_or(release.sass, ())],
        "ptx": [str(each) for each in value_or(release.ptx, ())],
    }  # fmt: skip


def _no_libraries(release: Release, document: Document) -> Document:
    """A base without CUDA's wheels: what is opened is not found."""
    lost = {"status": "absent", "reason": "the loader does not find it"}
    sonames = _sonames(release)
    return {
        "cuda_libraries.needed": known(sonames),
        "cuda_libraries.libraries": known([_library(each, lost, lost, "") for each in sonames]),
        "cuda_libraries.cudnn_parts": {"status": "absent", "reason": "no cuDNN"},
    }


def _libraries(release: Release, wheels: Mapping[str, str], python: str) -> Document:
    """Each library where it belongs: in its wheel's folder, or in the toolkit's."""
    sonames = _sonames(release)
    cuda = str(release.cuda.value) if isinstance(release.cuda, Known) else ""
    site = f"{SITE.format(python)}/nvidia"
    toolkit = f"/usr/local/cuda-{'.'.join(cuda.split('.')[:2])}"
    major = next((each.rpartition(".")[2] for each in sonames if each.startswith("libcudnn.")), "")
    parts = [f"lib{each}.so.{major}" for each in {"8": _CUDNN_8, "9": _CUDNN_9}.get(major, [])]

    def place(soname: str) -> Document:
        kind = re.split(r"[._]", soname.removeprefix("lib"))[0]
        folder = _FOLDERS.get(kind, kind)
        wheel = next(
            (name for name in wheels if name.startswith(f"nvidia-{folder.replace('_', '-')}-cu")),
            "",
        )
        if not wheel:
            own = _CUDNN.get(major, "") if kind == "cudnn" else cuda
            return _library(soname, known(f"{toolkit}/lib64/{soname}"), known(own), "ld.so.cache")
        digits = 3 if kind == "cudnn" else 4
        version = ".".join(wheels[wheel].split(".")[:digits])
        return _library(soname, known(f"{site}/{folder}/lib/{soname}"), known(version), "RUNPATH")

    folders = sorted({each["path"]["value"].rpartition("/")[0] for each in map(place, sonames)})
    return {
        "cuda_libraries.needed": known(sonames),
        "cuda_libraries.libraries": known([place(each) for each in sonames]),
        "cuda_libraries.cudnn_parts": known([place(each) for each in parts]) if parts else {"status": "absent", "reason": "cuDNN before 8 is one library"},
        "cuda_libraries.runpath": known(folders) if wheels else {"status": "absent", "reason": "no RUNPATH to wheels"},
        "cuda_libraries.wheels": known(_distributions(wheels, python)) if wheels else {"status": "absent", "reason": "no nvidia-* distribution"},
        "tensorflow.requested_extra_cuda": known(True) if wheels else {"status": "absent", "reason": "nothing shows that the extra was asked for"},
        **_tools(wheels, cuda, f"{site}/cuda_nvcc" if wheels else toolkit, f"{site}/cuda_cupti/lib" if wheels else f"{toolkit}/lib64", site),
        "cuda_libraries.toolkits": {"status": "absent", "reason": "no /usr/local/cuda*"} if wheels else known([toolkit]),
    }  # fmt: skip


def _tools(wheels: Mapping[str, str], cuda: str, compiler: str, cupti: str, site: str) -> Document:
    version = next(
        (each for name, each in wheels.items() if name.startswith("nvidia-cuda-nvcc")), cuda
    )
    major = cuda.partition(".")[0]
    linker = any(name.startswith("nvidia-nvjitlink") for name in wheels)
    return {
        "cuda_libraries.ptxas": known({"path": f"{compiler}/bin/ptxas", "version": known(version)}),
        "cuda_libraries.libdevice": known(f"{compiler}/nvvm/libdevice/libdevice.10.bc"),
        "cuda_libraries.nvjitlink": known(f"{site}/nvjitlink/lib/libnvJitLink.so.{major}") if linker else {"status": "absent", "reason": "no nvjitlink where it is looked for"},
        "cuda_libraries.cupti": known(f"{cupti}/libcupti.so.{cuda if major == '11' else major}"),
    }  # fmt: skip


def _sonames(release: Release) -> list[str]:
    return list(release.sonames.value) if isinstance(release.sonames, Known) else []


def _library(soname: str, path: Document, version: Document, found_via: str) -> Document:
    return {
        "soname": soname, "path": path, "found_via": found_via, "version": version,
        "elsewhere": [], "other_versions": [], "shadows": [], "problem": "",
    }  # fmt: skip
