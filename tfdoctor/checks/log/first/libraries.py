"""Libraries and compilers of CUDA: NVIDIA's packages, an image, or another environment of a hosted notebook."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.unfound.images import image_fixes
from tfdoctor.checks.log.unfound.libraries import only_asked_for
from tfdoctor.checks.log.unfound.unlisted import JETSON
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Finding, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import replace


def compiler(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """ptxas and libdevice of the CUDA that the program was built with; a base or runtime image of CUDA has neither."""
    image = (fix("in-dockerfile-start-from-image-same"),)
    if here.has("windows") and not here.span.since(2, 11):
        return (_OF_WINDOWS,)
    if here.has("windows", "macos") or here.hosted:
        return ()
    python = interpreter(case.facts)
    folder = "$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')/nvidia/cuda_nvcc"
    if here.span.before(2, 4):
        old = fix("install-nvidias-compiler-into-environment-and", python=python, folder=folder)
        return (*image, old) if here.has("docker") else (old, *image)
    if not here.span.before(2, 15):
        told_of = any("libdevice" in each.text for each in told.of("libdevice-missing"))
        known = here.span.since(2, 14) or finding.code == "ptxas-missing" or not told_of
        if known and told_of and here.has("conda") and not here.has("docker"):
            return (_OF_CONDA,)
        return () if known else (_of_any_release(python, folder),)
    reach = (
        f"export PATH={folder}/bin:$PATH"
        if finding.code == "ptxas-missing"
        else f"export XLA_FLAGS=--xla_gpu_cuda_data_dir={folder}"
    )
    wheel = Fix(
        "Install NVIDIA's compiler of CUDA 11, which TensorFlow 2.4 to 2.14 are built for, and lead this shell to it",
        (f"{python} -m pip install 'nvidia-cuda-nvcc-cu11>=11.7,<12'", reach),
        "A program of these years looks for it on PATH and in /usr/local/cuda, not in the folders of pip's packages.",
    )
    if here.has("docker"):
        return (*image, wheel)
    return (replace(wheel, title=_FOR_JAX) if here.has("jax") else wheel, *image)


_FOR_JAX = "Install NVIDIA's compiler of CUDA 11 into the environment, and lead XLA to it, for this shell. With a JAX for CUDA 12, nvidia-cuda-nvcc-cu12 in its place"
_OF_CONDA = fix("let-conda-bring-nvidias-compiler-into")
"""The page's own words for such an environment, which come first there."""
_OF_WINDOWS = fix("tell-xla-where-cuda-toolkit-in")


def _of_any_release(python: str, folder: str) -> Fix:
    """Where nothing tells the release: the package, and the variable without which those before 2.14 do not look there."""
    return fix("install-nvidias-compiler-brings-libdevice-and", python=python, folder=folder)


def fresh(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """On a hosted machine the libraries are the platform's, and fit its own TensorFlow; an image is chosen by its tag."""
    if here.has("jetson"):
        return JETSON if here.has("docker", "kubernetes") else (*JETSON[1:], JETSON[0])
    if built_in := image_fixes(finding.fixes, case, here):
        return built_in
    if only_asked_for(case.facts, told) or here.span.since(2, 14):
        return ()
    if not here.span.before(2, 14) and not here.hosted:
        return ()
    if here.has("docker") and here.span.since(2, 4):
        major, own = here.span.newest
        title = (
            "In the Dockerfile, start from TensorFlow's own image of its release, which holds these libraries"
        )
        note = f"For instance FROM tensorflow/tensorflow:{major}.{own}.0-gpu; then nothing of TensorFlow has to be installed by pip. Without a Dockerfile, run that image."
        return (Fix(title, note=note),)
    if not here.hosted:
        return ()
    service = "Kaggle" if here.has("kaggle") else "Colab"
    how = (
        'In the notebook\'s side panel: "Session options", "Environment", the other of "Pin to original environment" and "Always use latest environment".'
        if service == "Kaggle"
        else 'In Colab: "Runtime", "Disconnect and delete runtime", then run the cells without the one that installs TensorFlow.'
    )
    return (
        Fix(
            f"Use another version of {service}'s environment: its libraries and its own TensorFlow are made for each other",
            note=how,
        ),
    )


def hosted_alone(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """Where a library is, a variable leads to it; but a notebook's process has started before any of its cells."""
    return fresh(finding, case, told, here) if here.hosted else ()
