"""Whether the CUDA libraries that are on this disk are where TensorFlow's process finds them, and finds them first."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, CantTell, Case, Found, NotApplicable, check
from tfdoctor.checks.libraries.lacks import (
    FOLLOWS,
    UNREACHABLE,
    Lack,
    effect,
    evidence_of,
    lacking,
    names,
    of_kind,
    severity_of,
)
from tfdoctor.checks.libraries.libraries import in_the_way, reinstall_libraries, version_of
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.values import Library
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.fixes.libraries import link_wheels
from tfdoctor.fixes.variables import list_gpus, path_without, search_here


@check(UNREACHABLE, prevents=Ability.GPU, explains=FOLLOWS)
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
    known = [each for each in case.matrix.defects(version_of(case)) if each.kind.startswith("runpath-")]
    damaged = [each for each in found if isinstance(each.library.path, Known)]
    return Found(
        (
            _too_late(damaged)
            if damaged
            else f"{names(found)} {'is' if len(found) == 1 else 'are'} on this machine in {', '.join(folders)}, but TensorFlow's search does not lead there."
        )
        + f" {effect(case, found)}"
        + (f" Known of TensorFlow {version_of(case)}: {known[0].text}." if known and not damaged else ""),
        (
            *map(evidence_of, damaged),
            *(
                Evidence(
                    "cuda_libraries.libraries",
                    f"{each.library.soname} is in {_best_folder(case, each.library)}",
                    "found by the loader",
                    known[0].source if known and not damaged else "",
                )
                for each in found
            ),
        ),
        _ways_past(case, found, folders, damaged),
        severity=severity_of(case, found),
    )


def _too_late(damaged: list[Lack]) -> str:
    """A copy that can't be opened stands before a further one."""
    where = ", ".join(
        dict.fromkeys(
            f"{each.library.path.value} (by {each.library.found_via})"
            for each in damaged
            if isinstance(each.library.path, Known)
        )
    )
    return f"The loader takes {where} first, which can't be opened; another copy of {names(damaged)} comes too late."


def _ways_past(
    case: Case, found: list[Lack], folders: tuple[str, ...], damaged: list[Lack]
) -> tuple[Fix, ...]:
    """Away with what stands before it; else the damaged file reinstalled; else the way to the other copy."""
    blocked = in_the_way(damaged)
    if blocked and len(damaged) == len(found):
        note = f"For this shell; then take {' and '.join(blocked)} out of the line that sets LD_LIBRARY_PATH. See that it helped: {list_gpus(case.facts)}"
        away = Fix(
            "Take the folder of the damaged file out of LD_LIBRARY_PATH",
            (path_without(case.facts, *blocked),),
            note,
        )
        return (away, *reinstall_libraries(case, damaged, ()))
    return (*reinstall_libraries(case, damaged, ()), *_ways_to_reach(case, found, folders))


def _beside_a_gpu(case: Case) -> Found | None:
    """Worth knowing on a machine without a GPU: this very environment, used beside one, would not find it."""
    try:
        lost = [each for each in lacking(case) if each.kind == UNREACHABLE and _is_own(case, each.library)]
    except (CantTell, NotApplicable):
        return None  # what no GPU asks for holds up no verdict
    if not lost:
        return None
    folders = tuple(dict.fromkeys(_best_folder(case, each.library) for each in lost))
    return Found(
        f"{names(lost)} {'is' if len(lost) == 1 else 'are'} in {', '.join(folders)}, where TensorFlow's search does not lead. "
        "That does nothing here, where there is no GPU. Where this environment is used beside one, TensorFlow would not show it.",
        tuple(
            Evidence(
                "cuda_libraries.libraries",
                f"{each.library.soname} is in {_best_folder(case, each.library)}",
                "found by the loader",
            )
            for each in lost
        ),
        _ways_to_reach(case, lost, folders),
        severity=Severity.INFO,
    )


def _is_own(case: Case, library: Library) -> bool:
    """Of the wheels of the examined environment: brought for TensorFlow, and not a toolkit elsewhere."""
    sites = case.facts.interpreter.site_packages
    return isinstance(sites, Known) and any(path.startswith(sites.value) for path in library.elsewhere)


def _ways_to_reach(case: Case, found: list[Lack], folders: tuple[str, ...]) -> tuple[Fix, ...]:
    """This shell first, then what serves notebooks and services, too."""
    now, *others = search_here(case.facts, folders)
    forgotten = any(each.kind == "runpath-incomplete" for each in case.matrix.defects(version_of(case)))
    files = tuple(f"{_best_folder(case, each.library)}/{each.library.soname}" for each in found)
    return (now, *(link_wheels(files) if forgotten else ()), *others)


def _best_folder(case: Case, library: Library) -> str:
    """The copy in the examined environment, which is of the versions that this TensorFlow asked for, else the first."""
    sites = case.facts.interpreter.site_packages
    copies = library.elsewhere or library.shadows
    own = [path for path in copies if isinstance(sites, Known) and path.startswith(sites.value)]
    return (own or copies)[0].rpartition("/")[0]
