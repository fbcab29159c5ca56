"""A log that only shows that TensorFlow lists no GPU: what is likely by its system, build and release."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.fix.install import environment_fix, install_commands
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.gpus import built_with, of_another_maker
from tfdoctor.judge.log.images import fits, of_cpu_image, toolkit_told
from tfdoctor.judge.log.libraries import (
    TO_THE_EDITOR,
    TO_THE_KERNEL,
    forgotten_folders,
    library_fixes,
    of_no_python,
)
from tfdoctor.judge.log.spans import cuda_of, machine_of, shown, span
from tfdoctor.judge.log.testimony import Place, Testimony
from tfdoctor.judge.log.words import fix_here
from tfdoctor.judge.packages import plugin_ways
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.matrix.model import Release
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.says import says

_CREATED = ("gpu-created", "gpu-created-old", "pluggable-created")
_LIBRARIES = "cuda_libraries.libraries"
_CUDNN = Expression(r"^nvidia-cudnn-cu(?P<cuda>1[123])$")


def unlisted(case: Case, told: Testimony) -> Candidate | None:
    """None where the log tells of anything else, or of work that went on to its end."""
    around = shown(case.facts)
    line = around.no_gpu or around.cpu_build
    if not line or told.codes or _ended_otherwise(told, line) or told.named(*_CREATED, "keras-step"):
        return None
    at = ((0, line),)
    if value_or(case.facts.host.os, "") == "macos":
        return _of_a_mac(case, at)
    return (
        of_another_maker(case.facts, at)
        or _of_the_system(case, told, at)
        or _of_the_build(case, at)
        or _of_the_driver(case.facts, told, at)
        or _session(case.facts, told, at)
        or of_cpu_image(case, told, at)
        or _packaged(case, told, at)
        or _of_another_toolkit(case, told, at)
        or _forgotten(case, told, at)
        or _in_the_terminal(case.facts, at)
        or _not_told(case, told, at)
    )


def _ended_otherwise(told: Testimony, line: int) -> bool:
    """An end that is not the exception that there is no such device, or no GPU."""
    return told.ended_badly and not any(
        "available devices are [" in each.what or each.line == line for each in told.endings
    )


def _of_a_mac(case: Case, at: tuple[Place, ...]) -> Candidate | None:
    """None where the plug-in shows anywhere, for then something else keeps it away."""
    if shown(case.facts).metal:
        return None
    release = case.facts.tensorflow.version
    fixes = plugin_ways(case.facts, case.matrix, str(release.value)) if isinstance(release, Known) else ()
    return of_page("metal-plugin-missing", "log", at, fact="packages.installed", fixes=fixes)


def _of_the_system(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """Systems for which there is no build with CUDA. Windows itself: by its paths and words, or by the driver model that nvidia-smi shows there alone."""
    facts, releases = case.facts, span(case, told)
    in_linux = isinstance(facts.host.wsl, Known) or isinstance(facts.host.container, Known)
    windows = value_or(facts.host.os, "linux") == "windows" or bool(told.named("smi-of-windows"))
    if windows and not in_linux and (shown(facts).cpu_build or releases.since(2, 11)):
        return of_page("os-gpu-unsupported", "windows", at)
    if shown(facts).jetson and not releases.before(2, 4):
        return of_page("os-gpu-unsupported", "jetson", at, fixes=JETSON[-1:])
    return None


def _of_the_build(case: Case, at: tuple[Place, ...]) -> Candidate | None:
    """TensorFlow's own word that it was built without CUDA, which conda's list may contradict by the build's name."""
    if not shown(case.facts).cpu_build:
        return None
    build = shown(case.facts).conda_build
    by_conda = says("tensorflow-cpu-only", "by-conda", build=build) if build else ""
    fixes: tuple[Fix, ...] = ()
    if build:
        fixes = (act("change-packages", "install-cuda-build-with-conda"),)
    if build.startswith(("cuda", "gpu_")):
        by_conda = says("tensorflow-cpu-only", "promised", promised=build)
        fixes = _by_pip(case)
    return of_page("tensorflow-cpu-only", "said", at, sure=Confidence.CERTAIN, fixes=fixes, values={"by_conda": by_conda})  # fmt: skip


def _by_pip(case: Case) -> tuple[Fix, ...]:
    """The same version from the package index, in an environment of its own; () where the matrix has none with CUDA."""
    row = case.matrix.release(str(value_or(case.facts.tensorflow.version, "")))
    if not isinstance(row, Known) or not isinstance(row.value.cuda, Known):
        return ()
    commands = install_commands(row.value, machine_of(case.facts), case.matrix)
    title = f"Create an environment for TensorFlow {row.value.tensorflow} with CUDA"
    return (environment_fix(title, commands, "Your current environment is not changed."),)


def _of_the_driver(facts: Facts, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    if not told.named("smi-without-cuda"):
        return None
    boxed = isinstance(facts.host.container, Known)
    fixes = (act("give-gpu", "start-container-with-driver-capabilities"),) if boxed else ()
    return of_page("driver-library-unreachable", "without-cuda", at, fixes=fixes)


# A session of a hosted notebook whose machine has no GPU: it is chosen at the session's start, and nothing typed changes it.

_NAMES = {"colab": "Colab", "kaggle": "Kaggle"}
_HOW = {
    "colab": 'In Colab: "Runtime", "Change runtime type", "Hardware accelerator": a GPU. Where none is offered, the quota of today is used up.',
    "kaggle": 'In the notebook\'s side panel: "Session options", "Accelerator": a GPU. The week\'s quota is shown there.',
}


def without_a_gpu(facts: Facts, places: tuple[Place, ...]) -> Candidate | None:
    """None elsewhere than on Colab and Kaggle."""
    service = shown(facts).service
    if service not in _NAMES:
        return None
    fixes = (act("choose-session", "gpu", how=_HOW[service]), act("look", "gpu-listed"))
    return of_page("gpu-absent", "hosted", places, fixes=fixes, values={"service": _NAMES[service]})


def _session(facts: Facts, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """A hosted notebook whose own TensorFlow finds no GPU has none; another TensorFlow may miss its libraries there."""
    another = any(" install " in each and ("tensorflow" in each or "tf-nightly" in each) for each in shown(facts).typed)  # fmt: skip
    return None if another or told.named("smi-banner") else without_a_gpu(facts, at)


# A list of packages beside an empty list of GPUs: the build without CUDA, or a cuDNN of another release.


def _packaged(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """None where the log shows no list of packages, or one that fits."""
    listed = {each.name: each.version for each in value_or(case.facts.packages.installed, ())}
    release = str(value_or(case.facts.tensorflow.version, ""))
    named = shown(case.facts).cpu_package
    if not named and "tensorflow-cpu" not in listed:
        return _of_another_cudnn(case, told, listed, at)
    extra = "" if span(case, told).before(2, 14) else "[and-cuda]"
    version = f"=={release}" if release else ""
    fixes = (fix_here(case.facts, "change-packages", "replace-cpu-build", extra=extra, version=version),)
    if "tensorflow" in listed:
        return of_page("tensorflow-mixed-distributions", "beside-cpu", at, fixes=fixes)
    named = named or f"tensorflow-cpu {listed['tensorflow-cpu']}"
    return of_page(
        "tensorflow-cpu-only", "listed", at, sure=Confidence.CERTAIN, fixes=fixes, values={"named": named}
    )


def _of_another_cudnn(
    case: Case, told: Testimony, listed: dict[str, str], at: tuple[Place, ...]
) -> Candidate | None:
    """The cuDNN of pip or conda has another major than the one that this release opens, or is for another CUDA."""
    row = case.matrix.release(str(value_or(case.facts.tensorflow.version, "")))
    if not isinstance(row, Known) or not isinstance(row.value.cudnn, Known) or not isinstance(row.value.cuda, Known):  # fmt: skip
        return None
    wanted, cuda = row.value.cudnn.value.major, row.value.cuda.value.major
    of_pip = [(name, version, its["cuda"]) for name, version in listed.items() if (its := _CUDNN.match(name))]
    conda = [each.told for each in told.named("conda-cuda-package") if each.told["package"] == "cudnn"]
    found = of_pip + [("cudnn", each["version"], "") for each in conda]  # conda's tells no CUDA by its name
    if not found:
        return _without_libraries(case, told, row.value, at) if listed else None
    if any(version.partition(".")[0] == str(wanted) and of in ("", str(cuda)) for _, version, of in found):  # fmt: skip
        return None
    fixes = forgotten_folders(case) or (act("change-packages", "cuda-libraries"),)
    return of_page(
        "cuda-libraries-wrong-version", "other-cudnn", at, others=("cuda-libraries-missing",), fact=_LIBRARIES, fixes=fixes,
        values={"wanted": wanted, "cuda": cuda, "release": row.value.tensorflow, "name": found[0][0], "version": found[0][1]},
    )  # fmt: skip


def _without_libraries(case: Case, told: Testimony, row: Release, at: tuple[Place, ...]) -> Candidate | None:
    """A whole list without a cuDNN, where nothing speaks for a toolkit of the system's."""
    there = toolkit_told(told) or told.named("cuda-file-there", "cuda-file-listed", "conda-cuda-package")
    linux = value_or(case.facts.host.os, "linux") == "linux" and not shown(case.facts).jetson
    if there or not linux or not isinstance(row.and_cuda, Known):
        return None
    fixes = forgotten_folders(case) or (act("change-packages", "cuda-libraries"),)
    others = ("cuda-libraries-wrong-version",)
    return of_page("cuda-libraries-missing", "none-listed", at, others=others, fact=_LIBRARIES, fixes=fixes, values={"release": row.tensorflow})  # fmt: skip


# What makes one cause likelier than the others: a toolkit of another release, folders that a release forgets, a terminal that finds the GPU.


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


def _in_the_terminal(facts: Facts, at: tuple[Place, ...]) -> Candidate | None:
    """A notebook or an editor whose process was started without what the terminal's shell has."""
    around = shown(facts)
    if not (around.notebook or around.editor) or not around.terminal or around.service:
        return None
    fixes = TO_THE_KERNEL if around.notebook else TO_THE_EDITOR
    fact = "interpreter.active_with_tensorflow"
    return of_page("cuda-libraries-unreachable", "in-the-terminal", at, others=("wrong-interpreter",), fact=fact, fixes=fixes)  # fmt: skip


def _not_told(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate:
    others: tuple[str, ...] = ("cuda-libraries-wrong-version",)
    if shown(case.facts).xla_gpu:
        return of_page("cuda-libraries-missing", "xla-gpu", at, others=others, fact=_LIBRARIES)
    others = ("tensorflow-cpu-only", "cuda-libraries-unreachable", "gpu-hidden", "driver-missing")
    look: tuple[Fix, ...] = (act("look", "check"), fix_here(case.facts, "look", "library-that-fails"))
    if shown(case.facts).program == "dotnet":
        look = (of_no_python(case.facts),)
    elif isinstance(case.facts.tensorflow.version, Known) and span(case, told).before(2, 14):
        look = (*library_fixes(case, told), *look)
    return of_page("cuda-libraries-missing", "unlisted", at, sure=Confidence.POSSIBLE, others=others, fact=_LIBRARIES, fixes=look)  # fmt: skip


JETSON = (
    act("give-gpu", "use-nvidia-runtime-on-jetson"),
    act("install-software", "jetpack"),
    act("look", "jetpack"),
)  # fmt: skip
"""Wheels and packages of conda are made for other processors."""
