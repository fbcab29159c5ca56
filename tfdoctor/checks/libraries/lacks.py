"""Which of the CUDA libraries that this build opens its process does not find, and why."""

from __future__ import annotations

from tfdoctor.checks.engine.case import CantTell, Case
from tfdoctor.checks.questions.build import build_of
from tfdoctor.checks.questions.gpu import need_gpu
from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.facts.smoke_values import OpenedLibrary
from tfdoctor.facts.values import Library
from tfdoctor.findings.model import Evidence, Severity
from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import record, replace

FOLLOWS = (
    "smoke-tensorflow-failed",
    "cudnn-incomplete",
    "ptxas-missing",
    "libdevice-missing",
)
CUDNN = "libcudnn.so."
MISSING, WRONG = "cuda-libraries-missing", "cuda-libraries-wrong-version"
UNREACHABLE = "cuda-libraries-unreachable"
_CUDA_IN_PATH = Expression(r"/(?:nvidia/cu|cuda-)(\d+)[./]")
"""Folders that name their CUDA: NVIDIA's wheels from CUDA 13 on, and its toolkits ("nvidia/cu13/lib", "cuda-13.0")."""
IMAGES = ("docker", "podman", "kubernetes", "containerd", "apptainer", "singularity")


@record
class Lack:
    """One library that the process can't open. `kind` is the code that speaks of it; `why` the loader's words.

    `deadly`: whoever opens it dies of it.
    """

    library: Library
    kind: str
    why: str = ""
    deadly: bool = False


def lacks(case: Case) -> tuple[Lack, ...]:
    """Every library that is needed and can't be opened.

    Raises NotApplicable for a build without CUDA or where no GPU is expected, CantTell where one is not known.
    """
    need_gpu(case)
    return lacking(case)


def lacking(case: Case) -> tuple[Lack, ...]:
    cuda = case.need(build_of(case).cuda)
    opened = tried_to_open(case)
    libraries = [
        _of_this_cuda(library, cuda.major) for library in case.need(case.facts.cuda_libraries.libraries)
    ]
    found = [_lack(library, opened.get(library.soname)) for library in libraries]
    return _one_fault([each for each in found if each is not None])


def _of_this_cuda(library: Library, major: int) -> Library:
    """Without copies elsewhere for another CUDA: CUDA 13 has a libcusparse.so.12 and a libcurand.so.10, too."""
    own = tuple(
        path
        for path in library.elsewhere
        if (told := _CUDA_IN_PATH.search(path)) is None or int(told[1]) == major
    )
    return replace(library, elsewhere=own)


def _one_fault(found: list[Lack]) -> tuple[Lack, ...]:
    """A stray library of another major beside many that are nowhere does not make these of the wrong version."""
    missing = [each for each in found if each.kind == MISSING and not each.library.soname.startswith(CUDNN)]
    wrong = [each for each in found if each.kind == WRONG]
    if len(missing) <= len(wrong):
        return tuple(found)
    return tuple(replace(each, kind=MISSING) if each.kind == WRONG else each for each in found)


def tried_to_open(case: Case) -> dict[str, OpenedLibrary]:
    """What the libraries stage tried to open; {} where it was not climbed."""
    smoke = case.facts.smoke.libraries
    return {each.soname: each for each in smoke.value.libraries} if isinstance(smoke, Known) else {}


def _lack(library: Library, tried: OpenedLibrary | None) -> Lack | None:
    if tried is not None and tried.opened:
        return None
    deadly = tried is not None and isinstance(tried.path, Failed) and tried.path.kind == "died"
    if tried is not None and isinstance(tried.path, Failed) and not deadly:
        tried = None  # its turn did not come, or it hung: smoke-timeout speaks of that
    if isinstance(library.path, Known):
        why = tried.error if tried is not None else library.problem
        return Lack(library, _of_damaged(library), why, deadly) if why else None
    if isinstance(library.path, Failed) and tried is None:
        raise CantTell(f"{library.soname}: {library.path.error}")
    if library.elsewhere:
        return Lack(library, UNREACHABLE)
    if library.other_versions:
        cudnn = library.soname.startswith(CUDNN)
        return Lack(library, "cudnn-version-mismatch" if cudnn else WRONG)
    return Lack(library, MISSING, library.problem)


def _of_damaged(library: Library) -> str:
    """A library that the loader finds and can't open: a damaged file, or one that it needs itself is not found."""
    return UNREACHABLE if library.elsewhere or library.shadows else MISSING


def of_kind(case: Case, kind: str) -> list[Lack]:
    return [each for each in lacks(case) if each.kind == kind]


def optional(case: Case, soname: str) -> bool:
    """Opened at first use alone (NCCL: by programs on several GPUs)."""
    row = build_of(case).row
    named = row.value.sonames_optional if isinstance(row, Known) else row
    return soname.startswith("libnccl.so") or (isinstance(named, Known) and soname in named.value)


def severity_of(case: Case, found: list[Lack]) -> Severity | None:
    """Without a library that only several GPUs need, one GPU works."""
    if not all(optional(case, each.library.soname) for each in found):
        return None
    devices = case.facts.driver.devices
    several = isinstance(devices, Known) and len(devices.value) > 1
    return Severity.WARNING if several else Severity.INFO


def names(found: list[Lack]) -> str:
    return ", ".join(each.library.soname for each in found)


def effect(case: Case, found: list[Lack]) -> str:
    if all(optional(case, each.library.soname) for each in found):
        return "Only programs that use several GPUs at once need it."
    if any(each.deadly for each in found):
        return (
            "Whoever opens such a file dies of it, TensorFlow included: `Bus error` or `Segmentation fault`."
        )
    return "TensorFlow then says `Cannot dlopen some GPU libraries`, shows no GPU and computes on the CPU."


def evidence_of(each: Lack) -> Evidence:
    others = each.library.other_versions
    trouble = each.why or ("the loader does not find it" + (f", only {', '.join(others)}" if others else ""))
    return Evidence(
        "cuda_libraries.libraries",
        f"{each.library.soname}: {trouble}",
        "opened",
        "what this build opens at run time",
    )
