"""Whether the CUDA libraries that this build opens are where its process finds them: one code for each library.

What the libraries stage opened is there, whatever the files say. A library that is on disk but out of the loader's
reach is unreachable; one of which only another major is in reach is of the wrong version (cuDNN has a code of its
own for that; `libraries_wrong_version.py`); what is nowhere is missing.
"""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.questions.build import build_of
from tfdoctor.checks.questions.gpu import need_gpu
from tfdoctor.facts.outcome import Failed, Known
from tfdoctor.facts.values import Library, OpenedLibrary
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.fixes.libraries import again, bring_libraries
from tfdoctor.fixes.variables import list_gpus, path_without
from tfdoctor.light.expressions import Expression  # reads no log: a CUDA release inside a path
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


@check("cuda-libraries-missing", prevents=Ability.GPU, explains=FOLLOWS)
def cuda_libraries_missing(case: Case) -> Found | None:
    """A library that this build opens is nowhere: not where the loader looks, not elsewhere, nor in another major; or the
    only copy can't be opened. What the libraries stage opened is there.
    """
    found = of_kind(case, MISSING)
    if not found or _image_is_to_blame(case, found):
        return None
    missing = tuple(each.library.soname for each in found)
    damaged = [each for each in found if isinstance(each.library.path, Known)]
    gone = _gone(case, found)
    rest = tuple(
        name for name in missing if name not in {lost for losses in gone.values() for lost in losses}
    )
    return Found(
        f"This TensorFlow opens {names(found)}, "
        + (
            f"and {names(damaged)} can't be opened as it is here. "
            if damaged
            else "which is not on this machine. "
            if len(found) == 1
            else "which are not on this machine. "
        )
        + (
            f"{' and '.join(gone)} {'is' if len(gone) == 1 else 'are'} listed as installed, but the files are gone. "
            if gone
            else ""
        )
        + effect(case, found),
        (*map(evidence_of, found), _wheels_seen(case)),
        _past_the_damaged(
            case,
            damaged,
            (
                *reinstall_libraries(case, damaged, tuple(gone)),
                *(bring_libraries(case.facts, case.matrix, build_of(case).row, rest) if rest else ()),
            ),
        ),
        severity=severity_of(case, found),
    )


def in_the_way(found: list[Lack]) -> tuple[str, ...]:
    """Folders by which LD_LIBRARY_PATH leads to a damaged library before any other copy."""
    damaged = [
        each.library.path.value
        for each in found
        if isinstance(each.library.path, Known) and each.library.found_via == "LD_LIBRARY_PATH"
    ]
    return tuple(dict.fromkeys(path.rpartition("/")[0] for path in damaged))


def _past_the_damaged(case: Case, damaged: list[Lack], fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """As long as LD_LIBRARY_PATH leads to the damaged file first, no installation helps."""
    folders = in_the_way(damaged)
    if not folders:
        return fixes
    line = path_without(case.facts, *folders)
    note = f"The last line takes {' and '.join(folders)}, where the damaged file comes first, out of LD_LIBRARY_PATH in this shell."
    return tuple(replace(each, commands=(*each.commands, line), note=f"{note} {each.note}") for each in fixes)


def _wheels_seen(case: Case) -> Evidence:
    wheels = case.facts.cuda_libraries.wheels
    if not isinstance(wheels, Known):
        return evidence(case, "cuda_libraries.wheels")
    return evidence(
        case,
        "cuda_libraries.wheels",
        observed=", ".join(f"{each.name} {each.version}" for each in wheels.value),
    )


def _gone(case: Case, found: list[Lack]) -> dict[str, list[str]]:
    """Wheels ("nvidia-cudnn-cu12==9.3.0.75") that lack files which they list, with those of these libraries among them.

    So it is where wheels of another CUDA major were removed and took the shared files along; pip then still calls
    the requirement satisfied. {} where none of these libraries was lost so.
    """
    changed = case.facts.cuda_libraries.changed_wheels
    lacking = {
        f"{wheel.name}=={wheel.version}": [
            each.library.soname
            for each in found
            if any(path.endswith(f"/{each.library.soname}") for path in wheel.missing)
        ]
        for wheel in (changed.value if isinstance(changed, Known) else ())
        if wheel.missing
    }
    return lacking if any(lacking.values()) else {}


def reinstall_libraries(case: Case, damaged: list[Lack], gone: tuple[str, ...]) -> tuple[Fix, ...]:
    """A wheel whose file is damaged or gone: the wheel again, in its version."""
    wheels = case.facts.cuda_libraries.wheels
    paths = [each.library.path.value for each in damaged if isinstance(each.library.path, Known)]
    broken = [
        f"{wheel.name}=={wheel.version}"
        for wheel in (wheels.value if isinstance(wheels, Known) else ())
        if any(f"/nvidia/{_folder(wheel.name)}/" in path for path in paths)
    ]
    specs = tuple(dict.fromkeys((*broken, *gone)))
    if not specs:
        return ()
    what = "damaged" if not gone else "lost" if not broken else "damaged and lost"
    return (
        again(
            case.facts,
            *specs,
            title=f"Reinstall the {what} files",
            note=f"Versions stay. See that it helped: {list_gpus(case.facts)}",
        ),
    )


def _folder(wheel: str) -> str:
    """ "nvidia-cuda-runtime-cu12" is in nvidia/cuda_runtime."""
    return wheel.removeprefix("nvidia-").rpartition("-cu")[0].replace("-", "_")


@check("image-lacks-cuda-libraries", prevents=Ability.GPU, explains=FOLLOWS)
def image_lacks_cuda_libraries(case: Case) -> Found | None:
    """As cuda-libraries-missing, in a container where other CUDA libraries are the system's own and TensorFlow is not of
    a virtual environment.
    """
    found = of_kind(case, MISSING)
    if not found or not _image_is_to_blame(case, found):
        return None
    known = [each for each in case.matrix.defects(version_of(case)) if each.kind == "image-lacks-cudnn"]
    return Found(
        f"The image brings CUDA of its own, but not {names(found)}. {effect(case, found)}"
        + (f" Known of this release: {known[0].text}." if known else ""),
        (*map(evidence_of, found), evidence(case, "host.container")),
        bring_libraries(
            case.facts, case.matrix, build_of(case).row, tuple(each.library.soname for each in found)
        ),
        severity=severity_of(case, found),
    )


def version_of(case: Case) -> str:
    version = case.facts.tensorflow.version
    return version.value if isinstance(version, Known) else ""


def _image_is_to_blame(case: Case, found: list[Lack]) -> bool:
    """In an image whose other CUDA libraries are the system's own, for a TensorFlow that is the image's own, too."""
    container, kind = case.facts.host.container, case.facts.interpreter.environment
    if not isinstance(container, Known) or container.value not in IMAGES:
        return False
    own = not isinstance(kind, Known) or kind.value not in ("venv", "conda")
    brought = [
        each.path.value
        for each in case.need(case.facts.cuda_libraries.libraries)
        if isinstance(each.path, Known) and "/nvidia/" not in each.path.value
    ]
    return own and bool(brought) and not any(isinstance(each.library.path, Known) for each in found)
