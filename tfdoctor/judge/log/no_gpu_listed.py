"""A log that only shows that TensorFlow lists no GPU: what is likely by its system, build and release."""

from __future__ import annotations

from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.cases import situated
from tfdoctor.judge.log.gpus import built_with
from tfdoctor.judge.log.images import fits, of_cpu_image, toolkit_told
from tfdoctor.judge.log.libraries import OF_NO_PYTHON, forgotten_folders, library_fixes
from tfdoctor.judge.log.spans import cuda_of, shown, span
from tfdoctor.judge.log.testimony import Place, Testimony
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.model import Confidence, Fix

GPU_CREATED = ("gpu-created", "gpu-created-old", "pluggable-created")
_LIBRARIES = "cuda_libraries.libraries"


def unlisted(case: Case, told: Testimony) -> Candidate | None:
    """None where the log tells of anything else, or of work that went on to its end."""
    around = shown(case.facts)
    line = around.no_gpu or around.cpu_build
    if (
        not line
        or told.codes
        or _ended_otherwise(told, line)
        or told.named(*GPU_CREATED, "keras-step")
    ):
        return None
    at = ((0, line),)
    return (
        situated(case, told, "no-gpu-counted", at)
        or of_cpu_image(told, at)
        or _of_another_toolkit(case, told, at)
        or _forgotten(case, told, at)
        or _not_told(case, told, at)
    )


def _ended_otherwise(told: Testimony, line: int) -> bool:
    """An end that is not the exception that there is no such device, or no GPU."""
    return told.ended_badly and not any(
        "available devices are [" in each.what or each.line == line for each in told.endings
    )


def _of_another_toolkit(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """Up to 2.13 a TensorFlow uses the toolkit of its machine; later ones can bring their own libraries."""
    named, releases, cuda = toolkit_told(told), span(case, told), built_with(case, told)
    own = f"{cuda.major}.{cuda.minor}" if cuda is not None else cuda_of(releases)
    if not named or not own or not releases.before(2, 14):
        return None
    if named == own or (cuda is not None and fits(case, told, named)):
        return None
    release = value_or(case.facts.tensorflow.version, "")
    which = f"TensorFlow {release}" if release else "This TensorFlow"
    return of_page(
        "cuda-libraries-wrong-version", "other-toolkit", at, others=("cuda-libraries-missing",), fact=_LIBRARIES,
        values={"which": which, "own": own, "shown": named},
    )  # fmt: skip


def _forgotten(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """NVIDIA's packages were installed with it, and this release does not look into all of their folders."""
    fixes = forgotten_folders(case) if told.named("extra-asked-for", "nvidia-wheel-there") else ()
    if not fixes:
        return None
    release = value_or(case.facts.tensorflow.version, "")
    return of_page("cuda-libraries-unreachable", "forgotten", at, others=("cuda-libraries-missing",), fact=_LIBRARIES, fixes=fixes, values={"release": release})  # fmt: skip


def _not_told(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate:
    others: tuple[str, ...] = ("cuda-libraries-wrong-version",)
    if shown(case.facts).xla_gpu:
        return of_page("cuda-libraries-missing", "xla-gpu", at, others=others, fact=_LIBRARIES)
    others = ("tensorflow-cpu-only", "cuda-libraries-unreachable", "gpu-hidden", "driver-missing")
    look: tuple[Fix, ...] = (
        act("look", "check"),
        fix_here(case.facts, "look", "library-that-fails"),
    )
    if shown(case.facts).program == "dotnet":
        look = (OF_NO_PYTHON,)
    elif isinstance(case.facts.tensorflow.version, Known) and span(case, told).before(2, 14):
        look = (*library_fixes(case, told), *look)
    return of_page("cuda-libraries-missing", "unlisted", at, sure=Confidence.POSSIBLE, others=others, fact=_LIBRARIES, fixes=look)  # fmt: skip


JETSON = (
    act("give-gpu", "use-nvidia-runtime-on-jetson"),
    act("install-software", "jetpack"),
    act("look", "jetpack"),
)  # fmt: skip
"""Wheels and packages of conda are made for other processors."""
