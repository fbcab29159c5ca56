"""Libraries and compilers of CUDA: NVIDIA's packages, an image, or another environment of a hosted notebook."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.unfound.images import image_fixes
from tfdoctor.checks.log.unfound.libraries import only_asked_for
from tfdoctor.checks.log.unfound.unlisted import JETSON
from tfdoctor.findings.model import Finding, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import replace


def compiler(finding: Finding, case: Case, told: Testimony, here: Setting) -> tuple[Fix, ...]:
    """ptxas and libdevice of the CUDA that the program was built with; a base or runtime image of CUDA has neither."""
    image = (
        Fix(
            "In a Dockerfile, start from the image of the same CUDA whose tag says devel: those with base or runtime hold no compiler",
            note="For instance FROM nvidia/cuda:11.2.2-devel-ubuntu20.04 in place of nvidia/cuda:11.2.2-base-ubuntu20.04.",
        ),
    )
    if here.has("windows") and not here.span.since(2, 11):
        return (_OF_WINDOWS,)
    if here.has("windows", "macos") or here.hosted:
        return ()
    python = interpreter(case.facts)
    folder = "$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')/nvidia/cuda_nvcc"
    if here.span.before(2, 4):
        old = Fix(
            "Install NVIDIA's compiler into the environment, and lead XLA to its folder, for this shell",
            (f"{python} -m pip install 'nvidia-cuda-nvcc-cu11>=11.7,<12'", f"export XLA_FLAGS=--xla_gpu_cuda_data_dir={folder}"),
            "This TensorFlow looks for it below the folder that XLA_FLAGS names and below /usr/local/cuda, not on PATH. What it compiles needs a driver of 450 or newer. With a whole toolkit on the machine: XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda.",
        )  # fmt: skip
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
_OF_CONDA = Fix(
    "Let conda bring NVIDIA's compiler into the activated environment, and lead XLA to it, for this shell",
    (
        "conda install --yes -c conda-forge cuda-nvcc",
        "export XLA_FLAGS=--xla_gpu_cuda_data_dir=$CONDA_PREFIX",
    ),
)
"""The page's own words for such an environment, which come first there."""
_OF_WINDOWS = Fix(
    "Tell XLA where the CUDA toolkit is, in the Command Prompt that starts the program, with your own release in the path",
    (r'set XLA_FLAGS=--xla_gpu_cuda_data_dir="C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA\v11.2"',),
    r"The folder has nvvm\libdevice in it. For a notebook set it in the prompt that starts Jupyter.",
)


def _of_any_release(python: str, folder: str) -> Fix:
    """Where nothing tells the release: the package, and the variable without which those before 2.14 do not look there."""
    return Fix(
        "Install NVIDIA's compiler, which brings libdevice, and tell XLA where it is, for this shell",
        (f"{python} -m pip install 'nvidia-cuda-nvcc-cu12>=12.5,<13'", f"export XLA_FLAGS=--xla_gpu_cuda_data_dir={folder}"),
        "TensorFlow 2.14 and newer find it without the second line. For TensorFlow up to 2.14 with a driver before 525 take 'nvidia-cuda-nvcc-cu11>=11.8,<12' in its place.",
    )  # fmt: skip


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
