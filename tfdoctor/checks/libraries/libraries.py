"""Whether the CUDA libraries that this build opens are where its process finds them: one code for each library.

What the libraries stage opened is there, whatever the files say. A library that is on disk but out of the loader's
reach is unreachable; one of which only another major is in reach is of the wrong version (cuDNN has a code of its
own for that; `libraries_wrong_version.py`); what is nowhere is missing.
"""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.engine.evidence import evidence
from tfdoctor.checks.libraries.lacks import (
    FOLLOWS,
    IMAGES,
    MISSING,
    Lack,
    effect,
    evidence_of,
    names,
    of_kind,
    severity_of,
)
from tfdoctor.checks.questions.build import build_of
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Evidence, Fix
from tfdoctor.fixes.libraries import again, bring_libraries
from tfdoctor.fixes.variables import list_gpus, path_without
from tfdoctor.light.records import replace


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
