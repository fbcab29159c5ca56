"""CUDA libraries that are not found in a container: the image is what has to hold them, for what is installed in a container goes with it."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Place, Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix


def of_official_image(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """TensorFlow's own image for GPUs, named in the log: nothing that its user did is the cause. None for any other."""
    named = told.named("official-gpu-image")
    if not named or not isinstance(case.facts.host.container, Known):
        return None
    image = named[0].told["value"]
    words = (
        f"The log names TensorFlow's own image {image}. Such an image has to bring all CUDA libraries that its TensorFlow opens, and some releases of it do not: "
        "2.18.0 and newer lack cuDNN 9 (TensorFlow issue 81344). Nothing that you did in the container caused it."
    )
    title = f"The image {image} does not hold all CUDA libraries that its TensorFlow opens, or not where it looks."
    opened = question(
        ("image-lacks-cuda-libraries", "cuda-libraries-unreachable"), "cuda_libraries.libraries"
    )
    return Candidate("image-lacks-cuda-libraries", Confidence.LIKELY, (place(saying),), words, opened, title)


def image_fixes(fixes: tuple[Fix, ...], case: Case, here: Setting) -> tuple[Fix, ...]:
    """`fixes` are those of the finding. () outside of containers, and for releases without the addition [and-cuda].

    In a container that somebody started by hand, pip helps at once; a pod is started again by others.
    """
    if not here.has("docker", "kubernetes", "apptainer") or here.span.before(2, 14) or here.hosted:
        return ()
    release = str(value_or(case.facts.tensorflow.version, ""))
    wanted = f"tensorflow[and-cuda]=={release}" if release else "tensorflow[and-cuda]"
    what = "pod" if here.has("kubernetes") else "container"
    build = fix("build-libraries-into-image-with-one", what=what, wanted=wanted)
    if not here.has("docker"):
        return (build,)
    by_pip = next((each for each in fixes if any("pip install" in line for line in each.commands)), None)
    return (by_pip, build) if by_pip is not None else (build,)


def of_cpu_image(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """TensorFlow's own image without "gpu" in its tag; None where one with it is named, too."""
    image = _for_processors(told)
    if not image:
        return None
    words = (
        f"The container was started from {image}. Of TensorFlow's own images those whose tag says gpu are built with CUDA; this one is for processors, so no --gpus and no driver "
        "changes what it shows."
    )
    title = f"The image {image} holds a TensorFlow for processors; those for GPUs say gpu in their tag."
    return Candidate("tensorflow-cpu-only", Confidence.LIKELY, at, words, title=title)


def _for_processors(told: Testimony) -> str:
    images = [each.told["value"] for each in told.named("official-image", "official-gpu-image")]
    return "" if any("gpu" in each or "devel" in each for each in images) else next(iter(images), "")


def image_of_gpus(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where no image for processors is the cause."""
    found = of_cpu_image(case, told, ())
    if found is None or found.code != code:
        return ()
    image = _for_processors(told)
    name, _, tag = image.partition(":")
    other = (
        f"{name}:{tag or 'latest'}-gpu"
        if "jupyter" not in tag
        else f"{name}:{tag.replace('jupyter', 'gpu-jupyter')}"
    )
    return (fix("start-container-from-image-for-gpus", other=other),)
