"""Whether a CUDA library of another major is where TensorFlow's own should (cuDNN has a code of its own for that)."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.libraries.lacks import (
    FOLLOWS,
    MISSING,
    WRONG,
    Lack,
    effect,
    evidence_of,
    lacks,
    names,
    of_kind,
    severity_of,
)
from tfdoctor.checks.questions.build import build_of
from tfdoctor.findings.model import Evidence, Fix, Severity
from tfdoctor.fixes.commands import quoted
from tfdoctor.fixes.install import NEW_CUSOLVER, OLD_CUSOLVER
from tfdoctor.fixes.libraries import bring_libraries
from tfdoctor.fixes.variables import list_gpus


@check("cuda-libraries-wrong-version", prevents=Ability.GPU, explains=(*FOLLOWS, "cuda-libraries-missing"))
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
        f"This TensorFlow was built with CUDA {cuda} and opens {names(found)}. What is installed is of another major release, "
        f"which can't take its place. {effect(case, found)} The `CUDA Version` of nvidia-smi is the driver's limit, not what is "
        "installed.",
        tuple(
            Evidence(
                "cuda_libraries.libraries",
                f"found instead: {', '.join(each.library.other_versions)}",
                each.library.soname,
            )
            for each in found
        ),
        bring_libraries(
            case.facts, case.matrix, build_of(case).row, tuple(each.library.soname for each in lacks(case))
        ),
        severity=severity_of(case, found),
    )


def _renumbered(case: Case, found: list[Lack]) -> Found:
    """CUDA 11.1 gave libcusolver another number within the same major, and TensorFlow 2.4 asks for the older one."""
    there = found[0].library.other_versions[0]
    folder, _, name = there.rpartition("/")
    return Found(
        f"This TensorFlow opens {OLD_CUSOLVER}, as CUDA 11.0 calls it. From CUDA 11.1 on the same library is {NEW_CUSOLVER}, and that is "
        f"what is here. {effect(case, found)}",
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
                "Give the library that is here the name that is asked for",
                (quoted("sudo", "ln", "-s", name, f"{folder}/{OLD_CUSOLVER}"),),
                f"It adds a link beside it; TensorFlow was seen to work so with CUDA 11.1 and 11.2. See that it helped: {list_gpus(case.facts)}",
            ),
            *bring_libraries(case.facts, case.matrix, build_of(case).row, (OLD_CUSOLVER,)),
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
        f"{others} is here, but it is of another major release than this TensorFlow opens and can't take the place of "
        f"{names(found)}.",
        tuple(map(evidence_of, found)),
        severity=Severity.INFO,
    )
