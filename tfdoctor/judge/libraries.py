"""CUDA's libraries, cuDNN, NCCL and the tools of XLA."""

from __future__ import annotations

import re

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, known, map_known, value_or
from tfdoctor.facts.smoke_values import OpenedLibrary
from tfdoctor.facts.values import ChangedWheel, Distribution, Library
from tfdoctor.facts.versions import ComputeCapability, CudaRelease, CudnnRelease
from tfdoctor.fix.commands import pip_install, pip_reinstall, pip_uninstall
from tfdoctor.fix.install import NEW_CUSOLVER, OLD_CUSOLVER, XLA_DIR, first_cudnn_without
from tfdoctor.fix.libraries import (
    again,
    bring_libraries,
    exact,
    link_wheels,
    search_wheel,
    searched_by_itself,
)
from tfdoctor.fix.packages import install_fix, sharing_an_environment
from tfdoctor.fix.variables import leave_out, search_here, without_entries
from tfdoctor.judge.engine.case import Ability, Case, Found, Inconclusive, NotApplicable, check
from tfdoctor.judge.engine.evidence import evidence, left_out
from tfdoctor.judge.questions.build import at_least, build_of
from tfdoctor.judge.questions.gpu import devices, need_gpu
from tfdoctor.judge.questions.stage_output import first_of
from tfdoctor.judge.smoke import failed_computations, result_of, told
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import quoted, setting
from tfdoctor.knowledge.matrix.model import Beside, Defect
from tfdoctor.knowledge.model import Confidence, Evidence, Fix, Severity
from tfdoctor.knowledge.says import says

CUDNN = "libcudnn.so."
MISSING, WRONG, MIXED = (
    "cuda-libraries-missing",
    "cuda-libraries-wrong-version",
    "cuda-libraries-mixed",
)
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

    @property
    def at(self) -> str:
        """Where the loader finds it and can't open it; "" where it does not find it."""
        return value_or(self.library.path, "")


def lacks(case: Case) -> tuple[Lack, ...]:
    """Every library that is needed and can't be opened.

    Raises NotApplicable for a build without CUDA or where no GPU is expected, Inconclusive where one is not known.
    """
    need_gpu(case)
    return lacking(case)


def lacking(case: Case) -> tuple[Lack, ...]:
    cuda = case.need(build_of(case).cuda)
    opened = tried_to_open(case)
    libraries = [
        _of_this_cuda(library, cuda.major)
        for library in case.need(case.facts.cuda_libraries.libraries)
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
    missing = [
        each for each in found if each.kind == MISSING and not each.library.soname.startswith(CUDNN)
    ]
    wrong = [each for each in found if each.kind == WRONG]
    if len(missing) <= len(wrong):
        return tuple(found)
    return tuple(replace(each, kind=MISSING) if each.kind == WRONG else each for each in found)


def tried_to_open(case: Case) -> dict[str, OpenedLibrary]:
    """What the libraries stage tried to open; {} where it did not run."""
    smoke = known(case.facts.smoke.libraries)
    return {each.soname: each for each in smoke.libraries} if smoke else {}


def _lack(library: Library, tried: OpenedLibrary | None) -> Lack | None:
    if tried is not None and tried.opened:
        return None
    deadly = tried is not None and isinstance(tried.path, Failed) and tried.path.kind == "died"
    if tried is not None and isinstance(tried.path, Failed) and not deadly:
        tried = None  # its turn did not come, or it hung: smoke-timeout speaks of that
    if isinstance(library.path, Known):
        why = tried.error if tried is not None else library.problem
        kind = MIXED if library.unfit else _of_damaged(library)
        return Lack(library, kind, why, deadly) if why else None
    if isinstance(library.path, Failed) and tried is None:
        raise Inconclusive(f"{library.soname}: {library.path.error}")
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
    row = known(build_of(case).row)
    return soname.startswith("libnccl.so") or bool(
        row and soname in value_or(row.sonames_optional, ())
    )


def severity_of(case: Case, found: list[Lack]) -> Severity | None:
    """Without a library that only several GPUs need, one GPU works."""
    if not all(optional(case, each.library.soname) for each in found):
        return None
    return _for_several_gpus(case)


def _for_several_gpus(case: Case) -> Severity:
    """Of what only programs on several GPUs miss."""
    return Severity.WARNING if len(value_or(case.facts.driver.devices, ())) > 1 else Severity.INFO


def _bring(case: Case, *missing: str) -> tuple[Fix, ...]:
    return bring_libraries(
        case.facts, case.matrix, build_of(case).row, missing, into=case.environment
    )


def _defects(case: Case, kind: str) -> list[Defect]:
    """What the matrix knows of this release: its defects whose kind begins so."""
    return [each for each in case.matrix.defects(version_of(case)) if each.kind.startswith(kind)]


_MOST_NAMED = 3


def names(found: list[Lack]) -> str:
    """The first ones; the evidence has all."""
    named = [each.library.soname for each in found]
    more = len(named) - _MOST_NAMED
    return ", ".join(named) if more < 2 else f"{', '.join(named[:_MOST_NAMED])} and {more} more"


def effect(case: Case, found: list[Lack]) -> str:
    if all(optional(case, each.library.soname) for each in found):
        return "Only programs that use several GPUs at once need it."
    if any(each.deadly for each in found):
        return "Loading such a file crashes the program, TensorFlow included: `Bus error` or `Segmentation fault`."
    return "TensorFlow runs on the CPU."


def evidence_of(found: list[Lack]) -> tuple[Evidence, ...]:
    """Those that are not found, in one line; each other one with its trouble."""
    nowhere = [
        each.library.soname for each in found if not each.why and not each.library.other_versions
    ]
    told = [f"not found: {', '.join(nowhere)}"] * bool(nowhere) + [
        f"{each.library.soname}: {each.why or 'not found, only ' + ', '.join(each.library.other_versions)}"
        for each in found
        if each.library.soname not in nowhere
    ]
    return tuple(
        Evidence("cuda_libraries.libraries", each, "opened", "what this build opens at run time")
        for each in told
    )


@check("cuda-libraries-missing", blocks=Ability.GPU)
def cuda_libraries_missing(case: Case) -> Found | None:
    """A library that this build opens is nowhere: not where the loader looks, not elsewhere, nor in another major; or the
    only copy can't be opened. What the libraries stage opened is there.
    """
    found = of_kind(case, MISSING)
    if not found or _image_is_to_blame(case, found):
        return None
    missing = tuple(each.library.soname for each in found)
    damaged = [each for each in found if each.at]
    gone = _gone(case, found)
    rest = tuple(
        name
        for name in missing
        if name not in {lost for losses in gone.values() for lost in losses}
    )
    return Found(
        (
            f"This TensorFlow loads {names(found)}; {names(damaged)} can't be opened. "
            if damaged
            else f"Missing: {names(found)}. "
        )
        + (
            f"{' and '.join(gone)} {'is' if len(gone) == 1 else 'are'} listed as installed, but the files are gone. "
            if gone
            else ""
        )
        + effect(case, found),
        (*evidence_of(found), _wheels_seen(case)),
        _past_the_damaged(
            case,
            damaged,
            (
                *reinstall_libraries(case, damaged, tuple(gone)),
                *(_bring(case, *rest) if rest else ()),
            ),
        ),
        severity=severity_of(case, found),
    )


def in_the_way(found: list[Lack]) -> tuple[str, ...]:
    """Folders by which LD_LIBRARY_PATH leads to a damaged library before any other copy."""
    by_path = [each.at for each in found if each.at and each.library.found_via == "LD_LIBRARY_PATH"]
    return tuple(dict.fromkeys(path.rpartition("/")[0] for path in by_path))


def _past_the_damaged(case: Case, damaged: list[Lack], fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """As long as LD_LIBRARY_PATH leads to the damaged file first, no installation helps."""
    folders = in_the_way(damaged)
    if not folders:
        return fixes
    line = without_entries(case.facts, "LD_LIBRARY_PATH", *folders)
    note = f"The last line takes {' and '.join(folders)}, where the damaged file comes first, out of LD_LIBRARY_PATH in this shell."
    return tuple(
        replace(each, commands=(*each.commands, line), note=f"{note} {each.note}") for each in fixes
    )


def _wheels_seen(case: Case) -> Evidence:
    seen = ", ".join(f"{each.name} {each.version}" for each in _wheels(case))
    return evidence(case, "cuda_libraries.wheels", observed=seen)


def _gone(case: Case, found: list[Lack]) -> dict[str, list[str]]:
    """Wheels ("nvidia-cudnn-cu12==9.3.0.75") that lack files which they list, with those of these libraries among them.

    So it is where wheels of another CUDA major were removed and took the shared files along; pip then still calls
    the requirement satisfied. {} where none of these libraries was lost so.
    """
    lacking = {
        f"{wheel.name}=={wheel.version}": [
            each.library.soname
            for each in found
            if any(path.endswith(f"/{each.library.soname}") for path in wheel.missing)
        ]
        for wheel in value_or(case.facts.cuda_libraries.changed_wheels, ())
        if wheel.missing
    }
    return lacking if any(lacking.values()) else {}


def reinstall_libraries(case: Case, damaged: list[Lack], gone: tuple[str, ...]) -> tuple[Fix, ...]:
    """A wheel whose file is damaged or gone: the wheel again, in its version."""
    broken = [
        f"{wheel.name}=={wheel.version}"
        for wheel in _wheels(case)
        if any(f"/nvidia/{_folder(wheel.name)}/" in each.at for each in damaged)
    ]
    specs = tuple(dict.fromkeys((*broken, *gone)))
    if not specs:
        return ()
    what = "damaged" if not gone else "lost" if not broken else "damaged and lost"
    return (again(case.facts, *specs, title=f"Reinstall the {what} files", note="Versions stay."),)


def _folder(wheel: str) -> str:
    """ "nvidia-cuda-runtime-cu12" is in nvidia/cuda_runtime."""
    return wheel.removeprefix("nvidia-").rpartition("-cu")[0].replace("-", "_")


@check("image-lacks-cuda-libraries", blocks=Ability.GPU)
def image_lacks_cuda_libraries(case: Case) -> Found | None:
    """As cuda-libraries-missing, in a container where other CUDA libraries are the system's own and TensorFlow is not of
    a virtual environment.
    """
    found = of_kind(case, MISSING)
    if not found or not _image_is_to_blame(case, found):
        return None
    told = _defects(case, "image-lacks-cudnn")
    return Found(
        f"The image brings CUDA of its own, but not {names(found)}. {effect(case, found)}"
        + (f" Known of this release: {told[0].text}." if told else ""),
        (*evidence_of(found), evidence(case, "host.container")),
        _bring(case, *(each.library.soname for each in found)),
        severity=severity_of(case, found),
    )


def version_of(case: Case) -> str:
    return value_or(case.facts.tensorflow.version, "")


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
    return own and bool(brought) and not any(each.at for each in found)


@check("cuda-libraries-wrong-version", blocks=Ability.GPU)
def cuda_libraries_wrongversion_of(case: Case) -> Found | None:
    """Only another major of a library is where the loader looks. CUDA 11.1 gave libcusolver another number within the
    same major. A stray one beside many that are missing is only worth knowing.
    """
    found = of_kind(case, WRONG)
    if not found:
        return _stray(case)
    cuda = case.need(build_of(case).cuda)
    if [each.library.soname for each in found] == [OLD_CUSOLVER] and cuda.major == 11:
        return _renumbered(case, found)
    return Found(
        says(
            "cuda-libraries-wrong-version",
            "other-major",
            cuda=cuda,
            names=names(found),
            effect=effect(case, found),
        ),
        tuple(
            Evidence(
                "cuda_libraries.libraries",
                f"found instead: {', '.join(each.library.other_versions)}",
                each.library.soname,
            )
            for each in found
        ),
        _bring(case, *(each.library.soname for each in lacks(case))),
        severity=severity_of(case, found),
    )


def _renumbered(case: Case, found: list[Lack]) -> Found:
    """CUDA 11.1 gave libcusolver another number within the same major, and TensorFlow 2.4 asks for the older one."""
    there = found[0].library.other_versions[0]
    folder, _, name = there.rpartition("/")
    return Found(
        says(
            "cuda-libraries-wrong-version",
            "renumbered",
            old_cusolver=OLD_CUSOLVER,
            new_cusolver=NEW_CUSOLVER,
            effect=effect(case, found),
        ),
        (
            Evidence(
                "cuda_libraries.libraries",
                f"found instead: {there}",
                OLD_CUSOLVER,
                "TensorFlow issues 43947 and 45263",
            ),
        ),
        (
            Fix(
                "Link the installed library to the expected name",
                (quoted("sudo", "ln", "-s", name, f"{folder}/{OLD_CUSOLVER}"),),
                "TensorFlow works with this link on CUDA 11.1 and 11.2.",
            ),
            *_bring(case, OLD_CUSOLVER),
        ),
        severity=severity_of(case, found),
    )


def _stray(case: Case) -> Found | None:
    """Worth knowing beside libraries that are missing: what is installed is of no use to this build."""
    found = [each for each in of_kind(case, MISSING) if each.library.other_versions]
    if not found:
        return None
    others = ", ".join(other for each in found for other in each.library.other_versions)
    return Found(
        says("cuda-libraries-wrong-version", "stray", others=others, names=names(found)),
        evidence_of(found),
        severity=Severity.INFO,
    )


@check(UNREACHABLE, blocks=Ability.GPU)
def cuda_libraries_unreachable(case: Case) -> Found | None:
    """A library that this build opens is on disk and the loader does not find it, or finds a damaged copy first. Without
    a GPU it is only worth knowing, and only of this environment's own wheels.
    """
    try:
        found = of_kind(case, UNREACHABLE)
    except NotApplicable:
        return _beside_a_gpu(case)
    if not found:
        return None
    folders = tuple(dict.fromkeys(_best_folder(case, each.library) for each in found))
    told = _defects(case, "runpath-")
    damaged = [each for each in found if each.at]
    return Found(
        (
            _too_late(damaged)
            if damaged
            else f"TensorFlow does not search the directory of {names(found)}."
        )
        + f" {effect(case, found)}",
        (
            *evidence_of(damaged),
            *_elsewhere(case, found, told[0].source if told and not damaged else ""),
        ),
        _ways_past(case, found, folders, damaged),
        severity=severity_of(case, found),
    )


def _elsewhere(case: Case, found: list[Lack], source: str = "") -> tuple[Evidence, ...]:
    return tuple(
        Evidence(
            "cuda_libraries.libraries",
            f"{each.library.soname} is in {_best_folder(case, each.library)}",
            "found by the loader",
            source,
        )
        for each in found
    )


def _too_late(damaged: list[Lack]) -> str:
    """A copy that can't be opened stands before a further one."""
    where = ", ".join(dict.fromkeys(f"{each.at} (by {each.library.found_via})" for each in damaged))
    return f"The loader takes {where} first, which can't be opened; another copy of {names(damaged)} comes too late."


def _ways_past(
    case: Case, found: list[Lack], folders: tuple[str, ...], damaged: list[Lack]
) -> tuple[Fix, ...]:
    """Away with what stands before it; else the damaged file reinstalled; else the way to the other copy."""
    blocked = in_the_way(damaged)
    if blocked and len(damaged) == len(found):
        note = f"Lasts for this shell. Also remove {' and '.join(blocked)} from the line that sets LD_LIBRARY_PATH."
        away = Fix(
            "Remove the damaged copy's directory from LD_LIBRARY_PATH",
            (without_entries(case.facts, "LD_LIBRARY_PATH", *blocked),),
            note,
        )
        return (away, *reinstall_libraries(case, damaged, ()))
    return (*reinstall_libraries(case, damaged, ()), *_ways_to_reach(case, found, folders))


def _beside_a_gpu(case: Case) -> Found | None:
    """Worth knowing on a machine without a GPU: this very environment, used beside one, would not find it."""
    try:
        lost = [
            each
            for each in lacking(case)
            if each.kind == UNREACHABLE and _is_own(case, each.library)
        ]
    except (Inconclusive, NotApplicable):
        return None  # what no GPU asks for holds up no verdict
    if not lost:
        return None
    folders = tuple(dict.fromkeys(_best_folder(case, each.library) for each in lost))
    return Found(
        f"{names(lost)} {'is' if len(lost) == 1 else 'are'} in {', '.join(folders)}, which TensorFlow does not search. "
        "That does nothing here, where there is no GPU. Where this environment is used beside one, TensorFlow would not show it.",
        _elsewhere(case, lost),
        _ways_to_reach(case, lost, folders),
        severity=Severity.INFO,
    )


def _is_own(case: Case, library: Library) -> bool:
    """Of the wheels of the examined environment: brought for TensorFlow, and not a toolkit elsewhere."""
    sites = case.facts.interpreter.site_packages
    return isinstance(sites, Known) and any(
        path.startswith(sites.value) for path in library.elsewhere
    )


def _ways_to_reach(case: Case, found: list[Lack], folders: tuple[str, ...]) -> tuple[Fix, ...]:
    """This shell first, then what serves notebooks and services, too."""
    now, *others = search_here(case.facts, folders)
    defects = _defects(case, "runpath-incomplete")
    cured = [each.detail.get("fixed_in", "") for each in defects]
    newer = (
        install_fix(
            case.facts,
            case.matrix,
            f"Update to TensorFlow {each}",
            f"{value_or(case.facts.tensorflow.distribution, 'tensorflow')}[and-cuda]=={each}",
        )
        for each in cured
        if each.replace(".", "").isdigit()
    )
    files = tuple(f"{_best_folder(case, each.library)}/{each.library.soname}" for each in found)
    return (now, *newer, *(link_wheels(files) if defects else ()), *others)


def _best_folder(case: Case, library: Library) -> str:
    """The copy in the examined environment, which is of the versions that this TensorFlow asked for, else the first."""
    sites = case.facts.interpreter.site_packages
    copies = library.elsewhere or library.shadows
    own = [path for path in copies if isinstance(sites, Known) and path.startswith(sites.value)]
    return (own or copies)[0].rpartition("/")[0]


_MAJORS = ("-cu11", "-cu12", "-cu13")
_SHOWN = 3
_FOR_SEVERAL_GPUS = "nvidia-nccl-"


@check(MIXED, blocks=Ability.GPU)
def cuda_libraries_mixed(case: Case) -> Found | None:
    """A library needs a symbol that another one, as it is found, does not have. Or a wheel's files have the sizes that RECORD
    of the same library's wheel for another CUDA major lists, in a folder from which this build opens a library. Of build files
    the matrix knows what an installer would make of them.
    """
    if case.policy.to_be_built:
        return _to_be_mixed(case)
    parts = value_or(case.facts.cuda_libraries.cudnn_parts, ())
    held = [
        *of_kind(case, MIXED),
        *(Lack(each, MIXED, each.problem) for each in parts if each.unfit),
    ]
    if held:
        return _of_two_releases(case, held)
    suffix = f"-cu{case.need(build_of(case).cuda).major}"
    wheels = {wheel.name for wheel in case.need(case.facts.cuda_libraries.wheels)}
    if not any(
        rival in wheels for name in wheels if name.endswith(suffix) for rival in _rivals(name)
    ):
        return None
    overwritten = [
        each
        for each in case.need(case.facts.cuda_libraries.changed_wheels)
        if each.name.endswith(suffix)
        and each.changed_by.partition(" ")[0] in _rivals(each.name)
        and _opened(case, each)
    ]
    return _mixed(case, overwritten) if overwritten else None


def _to_be_mixed(case: Case) -> Found | None:
    """Beside TensorFlow's own CUDA libraries the files ask for a framework that was seen to overwrite them, or for the wheel itself."""
    if not case.need(case.facts.tensorflow.requested_extra_cuda):
        return None
    version = str(case.need(case.facts.tensorflow.version))
    installed = {each.name: each.version for each in case.need(case.facts.packages.installed)}
    tried = [
        each
        for name in case.matrix.frameworks()
        for each in case.matrix.together(version, "and-cuda", name)
    ]
    mixed = [each for each in tried if each.outcome == "overwritten"]
    beside = [each for each in mixed if installed.get(each.framework) == each.release]
    shared = {name for each in mixed for name in each.packages}
    rivals = sorted(
        name
        for name in shared & installed.keys()
        if not name.endswith(f"-cu{case.need(build_of(case).cuda).major}")
    )
    if not beside and not rivals:
        return None
    names = [f"{each.framework} {each.release}" for each in beside] or [
        f"{name} {installed[name]}" for name in rivals
    ]
    own = ", ".join(beside[0].packages) if beside else ", ".join(sorted(shared))
    source = beside[0].source if beside else mixed[0].source
    return Found(
        says("cuda-libraries-mixed", "to-be-mixed", names=" and ".join(names), version=version),
        (
            Evidence(
                "packages.installed",
                ", ".join(names),
                f"no package that shares files with TensorFlow's ({own})",
                source,
            ),
        ),
        (_apart(beside, rivals),),
    )


def _apart(beside: list[Beside], rivals: list[str]) -> Fix:
    if not beside:
        note = "TensorFlow's extra brings the one that it needs. What asks for the other belongs into an environment of its own."
        return Fix(f"Leave out {' and '.join(rivals)}", note=note)
    command = quoted("tfdoctor", "plan", "--with", ",".join(each.framework for each in beside))
    note = "Type it on the machine where the program will run, or add --gpu and --driver. Or use an environment for each."
    return Fix("Find versions that share an environment", (command,), note)


def _of_two_releases(case: Case, held: list[Lack]) -> Found:
    """Each part is there, and they are of different releases."""
    unfit = held[0].library.unfit
    name = unfit.rpartition("/")[2]
    return Found(
        f"The loader takes {name} from {unfit.rpartition('/')[0]}, which lacks what {names(held)} needs of it. {effect(case, held)}",
        evidence_of(held),
        _ways_to_one_release(case, unfit),
        severity=severity_of(case, held),
        title=says("cuda-libraries-mixed", "of-two-releases-title", name=name, names=names(held)),
    )


def _ways_to_one_release(case: Case, unfit: str) -> tuple[Fix, ...]:
    """Away with a directory that comes first; else the newest of the wheel that brought it; else all of them again."""
    folder = unfit.rpartition("/")[0]
    if folder in value_or(case.facts.cuda_libraries.search_path, ()):
        return (leave_out(case.facts, "LD_LIBRARY_PATH", folder),)
    wheels = [each.name for each in _wheels(case)]
    owner = next((each for each in wheels if f"/nvidia/{_folder(each)}/lib" in folder), "")
    if not owner:
        return _bring(case)
    update = pip_install(case.facts, owner, options=("--upgrade",))
    return (Fix(f"Update {owner}", (update,)),)


def _rivals(name: str) -> list[str]:
    """The same library's wheels for the other CUDA majors; from 13 on most have no ending, and a folder of their own."""
    part = name.rpartition("-cu")[0]
    return [other for other in (part, *(part + major for major in _MAJORS)) if other != name]


def _opened(case: Case, wheel: ChangedWheel) -> bool:
    """Whether this build opens a library of the folder that was overwritten. Copies that come before it make that harmless."""
    if wheel.name.startswith(_FOR_SEVERAL_GPUS):
        return True
    libraries = case.need(case.facts.cuda_libraries.libraries)
    used = [
        each.path.value.rpartition("/")[0] for each in libraries if isinstance(each.path, Known)
    ]
    return any(
        folder.endswith("/" + path.rpartition("/")[0]) for folder in used for path in wheel.changed
    )


def _mixed(case: Case, overwritten: list[ChangedWheel]) -> Found:
    pairs = " and ".join(
        f"{each.changed_by} over {each.name} {each.version}" for each in overwritten
    )
    nccl_alone = all(each.name.startswith(_FOR_SEVERAL_GPUS) for each in overwritten)
    return Found(
        says("cuda-libraries-mixed", "mixed", pairs=pairs),
        tuple(
            Evidence(
                "cuda_libraries.changed_wheels",
                f"{_files(each)}: as in {each.changed_by}",
                f"as in {each.name} {each.version}",
                "sizes in RECORD of both",
            )
            for each in overwritten
        ),
        _ways_out(case, overwritten),
        severity=_for_several_gpus(case) if nccl_alone else None,
    )


def _files(wheel: ChangedWheel) -> str:
    more = len(wheel.changed) - _SHOWN
    shown = ", ".join(path.rpartition("/")[2] for path in wheel.changed[:_SHOWN])
    return f"{shown} and {more} more" if more > 0 else shown


def _ways_out(case: Case, overwritten: list[ChangedWheel]) -> tuple[Fix, ...]:
    needed = [f"{each.name}=={each.version}" for each in overwritten]
    rivals = list(dict.fromkeys(each.changed_by.partition(" ")[0] for each in overwritten))
    shared = sharing_an_environment(case.facts, case.matrix)
    return (
        *((shared,) if shared else ()),
        again(
            case.facts,
            *needed,
            title="Install the needed package last",
            note="Versions stay. It puts TensorFlow's files over the other's, whose framework may then fail in turn.",
        ),
        Fix(
            "Keep one CUDA version per environment",
            (pip_uninstall(case.facts, *rivals), pip_reinstall(case.facts, *needed)),
            f"Removing {' and '.join(rivals)} takes the shared files along, so TensorFlow's are reinstalled. What asked for it "
            "belongs into an environment of its own.",
        ),
    )


WHEEL = "nvidia-cudnn-cu"


def main_library(case: Case) -> Library:
    """cuDNN as this build opens it. Raises NotApplicable where it opens none or no GPU is expected."""
    need_gpu(case)
    case.need(build_of(case).cuda)
    for library in case.need(case.facts.cuda_libraries.libraries):
        if library.soname.startswith(CUDNN):
            return library
    raise NotApplicable("this build opens no cuDNN")


def loaded_version(case: Case, library: Library) -> Fact[CudnnRelease]:
    """Its own version call's answer where the libraries stage made it, else what its files say."""
    opened = tried_to_open(case).get(library.soname)
    version = opened.version if opened and isinstance(opened.version, Known) else library.version
    return map_known(version, lambda release: release.as_kind(CudnnRelease))


def release_of(case: Case) -> CudnnRelease:
    """The loaded cuDNN's release. Raises NotApplicable where none is loaded, Inconclusive where its version is unknown."""
    library = main_library(case)
    if isinstance(case.need_outcome(library.path), Absent):
        raise NotApplicable("no cuDNN is found; other codes speak of that")
    version = loaded_version(case, library)
    if not isinstance(version, Known):
        why = version.reason if isinstance(version, Absent) else version.error
        unasked = left_out(case.facts.smoke.libraries)
        hint = (
            "; the libraries stage, which did not run, asks the library itself" if unasked else ""
        )
        raise Inconclusive(f"the version of {library.soname}: {why}{hint}", not_live=unasked)
    return version.value


def _where(library: Library) -> str:
    return library.path.value if isinstance(library.path, Known) else library.soname


@check("cudnn-version-mismatch", blocks=Ability.GPU)
def cudnn_version_mismatch(case: Case) -> Found | None:
    """The version that cuDNN itself names where the libraries stage asked it, else that of its files, against the one the
    build was compiled with: the same major, and no older minor.
    """
    library = main_library(case)
    if any(
        each.library.soname == library.soname and each.kind == "cudnn-version-mismatch"
        for each in lacks(case)
    ):
        return _other_major(case, library)
    loaded = release_of(case)
    built = case.need(build_of(case).cudnn)
    if loaded.major == built.major and (loaded.minor >= built.minor or "." not in built.text):
        return None
    shadowed = f", instead of {', '.join(library.shadows)}" if library.shadows else ""
    return Found(
        says("cudnn-version-mismatch", "found", where=_where(library), shadowed=shadowed),
        (
            Evidence(
                "cuda_libraries.libraries",
                f"cuDNN {loaded} ({_where(library)}, by {library.found_via})",
                f">={built.major}.{built.minor},<{built.major + 1}",
            ),
            evidence(case, "tensorflow.build", observed=f"compiled with cuDNN {built}"),
        ),
        way_out(case, library, built),
        title=says("cudnn-version-mismatch", "found-title", loaded=loaded, built=built),
    )


def _other_major(case: Case, library: Library) -> Found:
    built = build_of(case).cudnn
    name = f"cuDNN {built.value}" if isinstance(built, Known) else library.soname
    return Found(
        says("cudnn-version-mismatch", "other-major", soname=library.soname),
        (
            Evidence(
                "cuda_libraries.libraries",
                f"found instead: {', '.join(library.other_versions)}",
                library.soname,
            ),
        ),
        (
            *(way_out(case, library, built.value) if isinstance(built, Known) else ()),
            *_bring(case, library.soname),
        ),
        title=says(
            "cudnn-version-mismatch",
            "other-major-title",
            name=name,
            other=" and ".join(library.other_versions),
        ),
    )


_FOLDER = "nvidia/cudnn/lib"


def way_out(case: Case, library: Library, floor: CudnnRelease, title: str = "") -> tuple[Fix, ...]:
    """A wheel helps only where the process loads it: not behind LD_LIBRARY_PATH, nor where TensorFlow does not look for it."""
    wheel = _the_right_wheel(case, floor, title)
    if library.found_via == "LD_LIBRARY_PATH" and not _holds_others(case, library):
        return _past_the_path(case, library, wheel)
    if library.found_via == "LD_LIBRARY_PATH" or not searched_by_itself(
        case.facts, case.matrix, _FOLDER
    ):
        line = search_wheel(case.facts, _FOLDER)
        return _followed(wheel, "The export lasts for this shell.", *line) if line else wheel
    return wheel


def _followed(wheel: tuple[Fix, ...], note: str, *lines: str) -> tuple[Fix, ...]:
    return tuple(
        replace(each, commands=(*each.commands, *lines), note=f"{note} {each.note}".rstrip())
        for each in wheel
    )


def _holds_others(case: Case, library: Library) -> bool:
    """Whether other libraries come from the same folder: to take it off the path would lose them (conda's lib)."""
    folder = _where(library).rpartition("/")[0]
    every = case.need(case.facts.cuda_libraries.libraries)
    return any(
        _where(each).rpartition("/")[0] == folder
        for each in every
        if each.soname != library.soname and isinstance(each.path, Known)
    )


def _past_the_path(case: Case, library: Library, wheel: tuple[Fix, ...]) -> tuple[Fix, ...]:
    """LD_LIBRARY_PATH comes before the wheel's folder: as long as it leads to the old copy, no installation helps."""
    command = without_entries(case.facts, "LD_LIBRARY_PATH", _where(library).rpartition("/")[0])
    note = (
        f"LD_LIBRARY_PATH leads to {_where(library)} before anything else. Lasts for this shell; then take that folder out of "
        "the line that sets LD_LIBRARY_PATH."
    )
    if library.shadows:
        return (Fix("Remove its directory from LD_LIBRARY_PATH", (command,), note), *wheel)
    own = (
        ()
        if searched_by_itself(case.facts, case.matrix, _FOLDER)
        else search_wheel(case.facts, _FOLDER)
    )
    return _followed(wheel, note, command, *own)


def _the_right_wheel(case: Case, floor: CudnnRelease, title: str = "") -> tuple[Fix, ...]:
    """The wheel of that release or a newer one of its major, as far as it serves the GPUs; () where none does both."""
    cuda = build_of(case).cuda
    top = _first_without_these_gpus(case)
    with_torch = any(each.name == "torch" for each in value_or(case.facts.packages.installed, ()))
    if not isinstance(cuda, Known) or floor.major < 8 or (top is not None and top <= floor):
        return ()
    bound = (
        f"{top.major}.{top.minor}"
        if top is not None and top.major == floor.major
        else f"{floor.major + 1}"
    )
    return (
        exact(
            case.facts,
            f"{WHEEL}{cuda.value.major}>={_numbers(floor)},<{bound}",
            title=title or f"Install cuDNN {floor.major}.{floor.minor} or newer",
            note="If PyTorch then complains, use two environments." if with_torch else "",
        ),
    )


def _numbers(floor: CudnnRelease) -> str:
    return (
        floor.text
        if floor.text.count(".") == 2 and not floor.text.endswith(".0")
        else f"{floor.major}.{floor.minor}"
    )


def _first_without_these_gpus(case: Case) -> CudnnRelease | None:
    try:
        oldest = min(each.capability for each in devices(case))
    except (Inconclusive, NotApplicable):
        return None
    return first_cudnn_without(oldest, case.matrix)


@check("cudnn-incomplete", blocks=Ability.GPU)
def cudnn_incomplete(case: Case) -> Found | None:
    """The main library is found, and one of the parts that it opens is not."""
    library = main_library(case)
    if isinstance(case.need_outcome(library.path), Absent):
        return None
    parts = case.need(case.facts.cuda_libraries.cudnn_parts)
    missing = [part for part in parts if isinstance(part.path, Absent)]
    if not missing:
        for part in parts:
            if isinstance(part.path, Failed):
                raise Inconclusive(f"{part.soname}: {part.path.error}")
        return None
    names = ", ".join(part.soname for part in missing)
    return Found(
        says("cudnn-incomplete", "found", names=names),
        (
            Evidence(
                "cuda_libraries.cudnn_parts",
                f"not found: {names}",
                "every part beside the main library",
            ),
            Evidence("cuda_libraries.libraries", _where(library)),
        ),
        _complete(case),
    )


def _complete(case: Case) -> tuple[Fix, ...]:
    found = [each for each in _wheels(case) if each.name.startswith(WHEEL)]
    if found:
        spec = f"{found[0].name}=={found[0].version}"
        return (
            again(case.facts, spec, title="Reinstall cuDNN's files", note="The version stays."),
        )
    return _bring(case, main_library(case).soname)


@check("cudnn-drops-gpu", blocks=Ability.GPU)
def cudnn_drops_gpu(case: Case) -> Found | None:
    """The GPU's compute capability is below the lowest that the matrix names for the loaded cuDNN. A warning where
    another GPU is served.
    """
    loaded = release_of(case)
    support = case.need(case.matrix.cudnn_support(loaded))
    lowest = case.need(support.lowest)
    every = devices(case)
    dropped = [each for each in every if each.capability < lowest]
    if not dropped:
        return None
    gpu = dropped[0]
    source = support.lowest.source if isinstance(support.lowest, Known) else ""
    return Found(
        says(
            "cudnn-drops-gpu",
            "found",
            loaded=loaded,
            lowest=lowest,
            gpu=gpu.name,
            capability=gpu.capability,
        ),
        (
            Evidence(
                "cuda_libraries.libraries",
                f"cuDNN {loaded}",
                f"a release with kernels for {gpu.capability}",
                source,
            ),
            evidence(case, gpu.path, observed=gpu.shown),
        ),
        _older_cudnn(case, gpu.capability),
        severity=Severity.WARNING if len(dropped) < len(every) else None,
    )


def _older_cudnn(case: Case, capability: ComputeCapability) -> tuple[Fix, ...]:
    limit = first_cudnn_without(capability, case.matrix)
    cuda = build_of(case).cuda
    if limit is None or not isinstance(cuda, Known):
        return ()
    return (
        exact(
            case.facts,
            f"{WHEEL}{cuda.value.major}<{limit.major}.{limit.minor}",
            title=f"Install the last cuDNN for compute capability {capability}",
            note="Keep the pin in your requirements, or the next install gets the newest again.",
        ),
    )


@check("cudnn-bug", blocks=Ability.NOTHING)
def cudnn_bug(case: Case) -> Found | None:
    """The loaded cuDNN is in the range of versions of a bug that the matrix lists."""
    loaded = release_of(case)
    support = case.need(case.matrix.cudnn_support(loaded))
    if not support.bugs:
        return None
    bug = support.bugs[0]
    fixed = CudnnRelease.parse(bug.fixed_in)
    ways = way_out(
        case, main_library(case), fixed, f"Install cuDNN {fixed} or newer of the same major"
    )
    none = (
        ""
        if ways
        else f" cuDNN {fixed}, which fixes it, has no kernels for this GPU: do without masks in such layers, or compute them on the CPU."
    )
    return Found(
        says("cudnn-bug", "found", loaded=loaded, bug=bug.text, none=none),
        (Evidence("cuda_libraries.libraries", f"cuDNN {loaded}", f">={bug.fixed_in}", bug.source),),
        ways,
        Confidence.LIKELY,
    )


NVJITLINK_SINCE = (2, 19)
"""From here on XLA takes nvJitLink before it looks for a ptxas (XLA, assemble_compilation_provider.cc, October 2024;
read 2026-11-20)."""


def _of_cuda(package: str, cuda: CudaRelease) -> str:
    """The package of that CUDA or a newer one of its major."""
    return f"{package}>={cuda.major}.{cuda.minor},<{cuda.major + 1}"


def _cuda_build(case: Case) -> CudaRelease:
    need_gpu(case)
    return case.need(build_of(case).cuda)


def _compiler_wheel(case: Case, cuda: CudaRelease) -> Fix:
    """nvidia-cuda-nvcc brings ptxas and libdevice to where TensorFlow 2.14 and newer look."""
    spec = _of_cuda(
        "nvidia-cuda-nvcc" if cuda.major >= 13 else f"nvidia-cuda-nvcc-cu{cuda.major}", cuda
    )
    note = "It adds ptxas and libdevice (about 40 MB) to this environment."
    fix = exact(case.facts, spec, title="Install NVIDIA's compiler in this environment", note=note)
    site = value_or(case.facts.interpreter.site_packages, ())
    if searched_by_itself(case.facts, case.matrix, "nvidia/cuda_nvcc") or not site:
        return fix
    line = setting({"XLA_FLAGS": f"{XLA_DIR}={site[0]}/nvidia/cuda_nvcc"})
    return replace(
        fix,
        commands=(*fix.commands, line),
        note=f"{note} This release does not look there by itself: keep the last line in a start file.",
    )


def _failed_with(case: Case, *wanted: str) -> str:
    """The stage's XLA computation failed with one of these texts."""
    smoke = known(case.facts.smoke.tensorflow)
    return first_of([each.error for each in failed_computations(smoke)], *wanted) if smoke else ""


def _by_stage(quoted_line: str) -> Evidence | None:
    return (
        Evidence("smoke.tensorflow", quoted_line[:300], "the XLA computation passes")
        if quoted_line
        else None
    )


_LIBDEVICE = ("libdevice-not-found", "libdevice-required", "libdevice-directory")


@check("libdevice-missing", blocks=Ability.GPU)
def libdevice_missing(case: Case) -> Found | None:
    """libdevice.10.bc is in none of the folders where XLA looks, or the stage's XLA computation says so: then it is an error."""
    cuda = _cuda_build(case)
    libdevice = case.need_outcome(case.facts.cuda_libraries.libdevice)
    quoted_line = _failed_with(
        case, *_LIBDEVICE, *(() if isinstance(libdevice, Known) else ("nothing-compiles",))
    )
    if isinstance(libdevice, Known) and not quoted_line:
        return None
    return Found(
        says("libdevice-missing", "found"),
        (
            evidence(case, "cuda_libraries.libdevice", "nvvm/libdevice/libdevice.10.bc"),
            _by_stage(quoted_line),
        ),
        (_toolkit_here(case), _compiler_wheel(case, cuda)),
        severity=Severity.ERROR if quoted_line else None,
    )


def _toolkit_here(case: Case) -> Fix | None:
    toolkits = value_or(case.facts.cuda_libraries.toolkits, ())
    if not toolkits:
        return None
    note = f"Lasts for this shell. The folder must hold nvvm/libdevice/libdevice.10.bc: ls {toolkits[0]}/nvvm/libdevice"
    return Fix(
        "Point XLA to the CUDA toolkit", (setting({"XLA_FLAGS": f"{XLA_DIR}={toolkits[0]}"}),), note
    )


@check("ptxas-missing", blocks=Ability.GPU)
def ptxas_missing(case: Case) -> Found | None:
    """ptxas is not where XLA looks, and for releases before 2.19, or without it, no nvJitLink either. The stage's words
    make it an error.
    """
    cuda = _cuda_build(case)
    quoted_line = _failed_with(case, "ptxas-missing")
    ptxas = case.need_outcome(case.facts.cuda_libraries.ptxas)
    if not quoted_line and (isinstance(ptxas, Known) or _links_without(case)):
        return None
    return Found(
        says("ptxas-missing", "found"),
        (
            evidence(case, "cuda_libraries.ptxas", "ptxas"),
            evidence(case, "cuda_libraries.nvjitlink"),
            _by_stage(quoted_line),
        ),
        (_compiler_wheel(case, cuda),),
        severity=Severity.ERROR if quoted_line else None,
    )


def _links_without(case: Case) -> bool:
    newer = at_least(case.facts.tensorflow.version, *NVJITLINK_SINCE)
    if isinstance(newer, Known) and not newer.value:
        return False
    return isinstance(case.need_outcome(case.facts.cuda_libraries.nvjitlink), Known)


@check("ptxas-too-old", blocks=Ability.GPU)
def ptxas_too_old(case: Case) -> Found | None:
    """The CUDA release of the assembler that XLA would take against the architectures that the matrix names for it.
    The stage's words make it an error.
    """
    cuda = _cuda_build(case)
    name, release = _assembler(case)
    architectures = _architectures(case, release)
    served = case.need(architectures)
    strange = [each for each in devices(case) if each.capability not in served]
    if not strange:
        return None
    gpu, newer = strange[0], _first_that_knows(case, strange[0].capability, cuda.major)
    return Found(
        says(
            "ptxas-too-old",
            "found",
            name=name,
            release=release,
            gpu=gpu.name,
            capability=gpu.capability,
            architecture=str(gpu.capability).replace(".", ""),
        ),
        (
            evidence(
                case,
                "cuda_libraries.ptxas",
                "one that knows the GPU",
                architectures.source if isinstance(architectures, Known) else "",
                observed=f"{name}, CUDA {release}",
            ),
            evidence(case, gpu.path, observed=gpu.shown),
        ),
        _newer_assembler(case, newer, name),
        severity=Severity.ERROR if _failed_with(case, "ptxas-too-old") else None,
    )


def _assembler(case: Case) -> tuple[str, CudaRelease]:
    """What XLA assembles with: nvJitLink where it takes that before any ptxas, else ptxas; and its CUDA release."""
    if _links_without(case) and not _failed_with(case, "ptxas-too-old"):
        own = next(
            (each for each in _wheels(case) if each.name.startswith("nvidia-nvjitlink")), None
        )
        release = _RELEASE.match(own.version) if own is not None else None
        if own is None or release is None:
            raise NotApplicable(
                "XLA takes nvJitLink, whose release the files do not tell, before any ptxas"
            )
        return f"nvJitLink of {own.name} {own.version}", CudaRelease(release[0])
    tool = case.need(case.facts.cuda_libraries.ptxas)
    if isinstance(tool.version, Absent):
        raise Inconclusive(f"ptxas: {tool.version.reason}")
    return tool.path, case.need(tool.version)


def _wheels(case: Case) -> tuple[Distribution, ...]:
    return value_or(case.facts.cuda_libraries.wheels, ())


_RELEASE = Expression(r"(?<!\d)\d+\.\d+(?:\.\d+)?", re.ASCII)


def _architectures(case: Case, release: CudaRelease) -> Fact[tuple[ComputeCapability, ...]]:
    for row in case.matrix.cuda_rows:
        if (row.version.major, row.version.minor) == (release.major, release.minor):
            return row.compute_capabilities
    return Failed(
        f"the matrix does not know which GPUs the ptxas of CUDA {release} knows",
        "unknown-to-matrix",
    )


def _first_that_knows(case: Case, gpu: ComputeCapability, major: int) -> CudaRelease | None:
    """Of the build's own CUDA major, of which its other libraries are."""
    rows = [each for each in case.matrix.cuda_rows if each.version.major == major]
    found = [
        each.version
        for each in rows
        if isinstance(each.compute_capabilities, Known) and gpu in each.compute_capabilities.value
    ]
    return found[0] if found else None


def _newer_assembler(case: Case, first: CudaRelease | None, name: str) -> tuple[Fix, ...]:
    if first is None:
        return ()
    package, tool = (
        ("nvidia-nvjitlink", "nvJitLink")
        if name.startswith("nvJitLink")
        else ("nvidia-cuda-nvcc", "ptxas")
    )
    spec = _of_cuda(f"{package}-cu{first.major}", first)
    note = f"XLA takes the first {tool} that it finds: an older one that comes before has to go from there."
    return (
        exact(case.facts, spec, title=f"Install the {tool} of CUDA {first} or newer", note=note),
    )


@check("cupti-unavailable", blocks=Ability.NOTHING)
def cupti_unavailable(case: Case) -> Found | None:
    """The loader finds no libcupti. Only worth knowing, for nothing but profiles needs it."""
    cuda = _cuda_build(case)
    if isinstance(case.need_outcome(case.facts.cuda_libraries.cupti), Known):
        return None
    spec = _of_cuda(f"nvidia-cuda-cupti-cu{cuda.major}", cuda)
    return Found(
        says("cupti-unavailable", "found"),
        (evidence(case, "cuda_libraries.cupti", "libcupti"),),
        (
            exact(
                case.facts,
                spec,
                title="Install CUPTI in this environment",
                note="It adds one package.",
            ),
        ),
        severity=Severity.INFO,
    )


_OF_NCCL = ("nccl-failed", "nccl-named", "nccl-call-named")
"""A reduction that fails names NCCL in one way or another."""


@check("nccl-failed", blocks=Ability.NOTHING)
def nccl_failed(case: Case) -> Found | None:
    """Only the computation over all GPUs failed in the TensorFlow stage, with NCCL's words."""
    smoke = result_of(case, case.facts.smoke.tensorflow)
    failed = failed_computations(smoke)
    said = [
        each
        for each in failed
        if each.name.startswith("collective") and first_of([each.error], *_OF_NCCL)
    ]
    if not said or len(said) != len(failed):
        return None
    return Found(
        says("nccl-failed", "found"),
        tuple(map(told, said)),
        (
            act("set-variable", "show-nccls-log"),
            act("set-variable", "disable-direct-gpu-transfers"),
        ),
    )
