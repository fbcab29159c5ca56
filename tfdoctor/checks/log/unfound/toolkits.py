"""CUDA of the releases that are too old for wheels of NVIDIA's: a cluster's module, or conda's packages."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import cuda_of, shown, span
from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.checks.log.gpus.drivers import built_with
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.unfound.names import stem
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.light.expressions import Expression  # reads no log: names of modules
from tfdoctor.matrix.model import Release

_OF_CUDA = Expression(r"(?i)^[\w./+-]{0,40}cuda[\w./+-]{0,40}$")
_PYTHON = "3.7"
"""TensorFlow 1.13 to 2.3 all have wheels for it (files on the package index, 2026-11-20)."""


def module_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the log shows no module of CUDA being loaded, or nothing tells which CUDA is wanted."""
    loaded = [word for each in shown(case.facts).typed if _is_load(each) for word in each.split()[2:]]
    of_cuda = next((each for each in loaded if _OF_CUDA.search(each)), "")
    wanted = _wanted(case, told)
    if not of_cuda or not wanted or wanted in of_cuda:
        return ()
    name = of_cuda.partition("/")[0]
    return (fix("load-clusters-module-cuda-in-place", wanted=wanted, of_cuda=of_cuda, called=name),)


def _is_load(command: str) -> bool:
    return command.startswith(("module load", "module add", "ml load"))


def _wanted(case: Case, told: Testimony) -> str:
    cuda = built_with(case, told)
    of_span = cuda_of(span(case, told))
    if cuda is None or of_span:
        return of_span
    return f"{cuda.major}.{cuda.minor}" if isinstance(case.facts.tensorflow.version, Known) else str(cuda.major)  # fmt: skip


def of_conda(case: Case, told: Testimony, here: Setting) -> Fix | None:
    """An environment with the old CUDA; None inside of containers and hosted notebooks, and where the release is not named."""
    cuda, release = cuda_of(span(case, told)), str(value_or(case.facts.tensorflow.version, ""))
    if not release or cuda not in ("10.0", "10.1") or here.hosted or here.has("docker", "kubernetes", "apptainer", "serving", "node"):  # fmt: skip
        return None
    package = "tensorflow-gpu" if span(case, told).before(2, 1) else "tensorflow"
    name, lead = f"tensorflow-{release}", ('export LD_LIBRARY_PATH="$CONDA_PREFIX/lib"',)
    return Fix(
        f"Make a conda environment with CUDA {cuda} and cuDNN 7.6 for TensorFlow {release}",
        (
            f"conda create --yes --name {name} --channel conda-forge python={_PYTHON} cudatoolkit={cuda} cudnn=7.6",
            f"conda activate {name}",
            f'python -m pip install "{package}=={release}" "protobuf<3.21"',
            *(() if here.has("windows") else lead),
        ),
        "The commands leave the present environment and the system's own CUDA as they are.",
    )


def cudnn_of_conda(told: Testimony, row: Release) -> Fix | None:
    """Where conda lists the toolkit that fits, and cuDNN alone is missing: the one package."""
    lacking = {stem(each.told.get("library", "")) for each in told.of("cuda-libraries-missing") if each.told.get("library")}  # fmt: skip
    listed = {each.told["package"]: each.told["version"] for each in told.named("conda-cuda-package")}
    toolkit = listed.get("cudatoolkit", "").partition(".")[0]
    if lacking != {"cudnn"} or "cudnn" in listed or not isinstance(row.cuda, Known) or not isinstance(row.cudnn, Known):  # fmt: skip
        return None
    if toolkit != str(row.cuda.value.major):
        return None
    cudnn = row.cudnn.value
    return fix(
        "install-cudnn-beside-condas-toolkit-into",
        major=cudnn.major,
        minor=cudnn.minor,
        value=cudnn.major + 1,
    )


def into_this_environment(told: Testimony, row: Release, here: Setting) -> Fix | None:
    """The CUDA 11 of the release, put by conda into the environment that is active: what TensorFlow's own guide for 2.5 to 2.10 said, and what keeps
    the program that was installed there. None elsewhere, and where conda lists a toolkit already."""
    if not here.has("conda") or here.hosted or here.has("docker", "kubernetes", "apptainer", "serving", "node", "macos", "jetson"):  # fmt: skip
        return None
    if (
        told.named("conda-cuda-package")
        or not isinstance(row.cuda, Known)
        or not isinstance(row.cudnn, Known)
    ):
        return None
    cuda, cudnn = row.cuda.value, row.cudnn.value
    if cuda.major != _BY_CONDA:
        return None
    install = f'conda install --yes --channel conda-forge cudatoolkit={cuda.major}.{cuda.minor} "cudnn>={cudnn.major}.{cudnn.minor},<{cudnn.major + 1}"'
    if here.has("windows"):
        return Fix(f"Let conda bring CUDA {cuda.major}.{cuda.minor} and its cuDNN into the activated environment", (install,), "Nothing else of the environment is changed. Start the program from a prompt in which it is active: its folder Library\\bin is then on PATH.")  # fmt: skip
    return Fix(
        f"Let conda bring CUDA {cuda.major}.{cuda.minor} and its cuDNN into the activated environment, and lead the loader there, for this shell",
        (install, 'export LD_LIBRARY_PATH="$CONDA_PREFIX/lib"'),
        "Where `conda list` shows both already, the second line alone is what is missing.",
    )


_BY_CONDA = 11
"""The last major of CUDA that conda-forge packs as cudatoolkit."""
