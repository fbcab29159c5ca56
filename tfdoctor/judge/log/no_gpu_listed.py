"""A log that only shows that TensorFlow lists no GPU: what is likely by its system, build and release."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.fix.install import environment_fix, install_commands
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, one_of, question
from tfdoctor.judge.log.gpus import built_with, of_another_maker
from tfdoctor.judge.log.images import fits, image_of_gpus, of_cpu_image, toolkit_told
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
from tfdoctor.knowledge.actions import act, is_one_of
from tfdoctor.knowledge.matrix.model import Release
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.pages import ways_out

# What makes one cause likelier than the others where TensorFlow only lists no GPU: a toolkit of another release, folders that a release

_CPU = "TensorFlow runs on the CPU."
_WRONG, _UNREACHABLE, _METAL = "cuda-libraries-wrong-version", "cuda-libraries-unreachable", "metal-plugin-missing"  # fmt: skip
_OF_METAL = (
    "On a Mac, TensorFlow uses the GPU only through Apple's plug-in tensorflow-metal, and "
    "this log does not show it."
)


def of_a_mac(facts: Facts, at: tuple[Place, ...]) -> Candidate | None:
    """None where the plug-in shows anywhere, for then something else keeps it away."""
    if shown(facts).metal:
        return None
    title = "This Mac's GPU needs the plug-in tensorflow-metal, which the log does not show."
    return one_of((_METAL,), "packages.installed", at, _OF_METAL, title)


def likelier(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """None where nothing in the log speaks for one of them."""
    return _of_another_toolkit(case, told, at) or _forgotten(case, told, at) or _in_the_terminal(case, at)


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
    words = f"CUDA {own} can be installed beside {named}. {_CPU}"
    title = f"{which} needs CUDA {own}, but the log shows CUDA {named}."
    return Candidate(_WRONG, Confidence.LIKELY, at, words, question((_WRONG, "cuda-libraries-missing"), "cuda_libraries.libraries"), title)  # fmt: skip


def _forgotten(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """NVIDIA's packages were installed with it, and this release does not look into all of their folders."""
    release = str(value_or(case.facts.tensorflow.version, ""))
    installed = told.named("extra-asked-for", "nvidia-wheel-there")
    if not installed or not forgotten_folders(case):
        return None
    words = f"NVIDIA's libraries are installed as pip packages; the next TensorFlow version searches all their directories. {_CPU}"
    title = f"TensorFlow {release} does not search all directories of NVIDIA's packages."
    return Candidate(_UNREACHABLE, Confidence.LIKELY, at, words, question((_UNREACHABLE, "cuda-libraries-missing"), "cuda_libraries.libraries"), title)  # fmt: skip


def _in_the_terminal(case: Case, at: tuple[Place, ...]) -> Candidate | None:
    """A notebook or an editor whose process was started without what the terminal's shell has."""
    around = shown(case.facts)
    if not (around.notebook or around.editor) or not around.terminal or around.service:
        return None
    words = f"Driver and libraries are fine, then: this process is another Python, or lacks the terminal's LD_LIBRARY_PATH. {_CPU}"
    title = "The GPU is found in the terminal; the notebook or editor uses another environment."
    return one_of((_UNREACHABLE, "wrong-interpreter"), "interpreter.active_with_tensorflow", at, words, title)


def likelier_fixes(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() for the code's own ways out."""
    if code == _METAL:
        release = case.facts.tensorflow.version
        return plugin_ways(case.facts, case.matrix, str(release.value)) if isinstance(release, Known) else ()
    if code != _UNREACHABLE:
        return ()
    if _forgotten(case, told, ()) is not None:
        return forgotten_folders(case)
    if _in_the_terminal(case, ()) is None:
        return ()
    return TO_THE_KERNEL if shown(case.facts).notebook else TO_THE_EDITOR


# A list of packages beside an empty list of GPUs: the build for processors, NVIDIA's packages that are not there, or those of another CUDA.

_CPU_ONLY, _BOTH, _MISSING, _PACKAGED_WRONG = "tensorflow-cpu-only", "tensorflow-mixed-distributions", "cuda-libraries-missing", "cuda-libraries-wrong-version"  # fmt: skip
_CUDNN = Expression(r"^nvidia-cudnn-cu(?P<cuda>1[123])$")
_SYSTEM = "cuda_libraries.libraries"


def packaged(case: Case, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """None where the log shows no list of packages, or one that fits."""
    listed = {each.name: each.version for each in value_or(case.facts.packages.installed, ())}
    named = shown(case.facts).cpu_package
    if named or "tensorflow-cpu" in listed:
        return _of_cpu(listed, named or f"tensorflow-cpu {listed['tensorflow-cpu']}", at)
    release = str(value_or(case.facts.tensorflow.version, ""))
    row = case.matrix.release(release) if release else None
    if not isinstance(row, Known):
        return None
    return _cudnn_of_another(case, told, row.value, at) or _without(case, told, listed, row.value, at)


def _of_cpu(listed: dict[str, str], named: str, at: tuple[Place, ...]) -> Candidate:
    if "tensorflow" in listed:
        words = (
            f"The list holds tensorflow {listed['tensorflow']} and {named}. Both write their files into the same folder, so what was installed last is what "
            f"runs, and tensorflow-cpu is built without CUDA. {_CPU}"
        )
        title = "tensorflow and tensorflow-cpu are installed together; the CPU build has replaced the other."
        return Candidate(_BOTH, Confidence.LIKELY, at, words, title=title)
    words = f"The log shows {named}, which is built without CUDA: it runs on the CPU."
    return Candidate(_CPU_ONLY, Confidence.CERTAIN, at, words, title=f"{named}, a build without CUDA, is installed.")  # fmt: skip


def _cudnn_of_another(case: Case, told: Testimony, row: Release, at: tuple[Place, ...]) -> Candidate | None:
    """The cuDNN of pip or conda has another major than the one that this release opens, or is for another CUDA."""
    if not isinstance(row.cudnn, Known) or not isinstance(row.cuda, Known):
        return None
    wanted, cuda = row.cudnn.value.major, row.cuda.value.major
    for _name, version, its_cuda in _cudnns(case, told):
        if version.partition(".")[0] == str(wanted) and its_cuda in ("", str(cuda)):
            return None
    found = next(iter(_cudnns(case, told)), None)
    if found is None:
        return None
    name, version, _ = found
    words = f"TensorFlow {row.tensorflow} opens cuDNN {wanted} for CUDA {cuda}, by its exact name, and the list shows {name} {version}. {_CPU}"
    title = f"TensorFlow {row.tensorflow} needs cuDNN {wanted} for CUDA {cuda}, but {name} {version} is installed."
    return one_of((_PACKAGED_WRONG, _MISSING), _SYSTEM, at, words, title)


def _cudnns(case: Case, told: Testimony) -> list[tuple[str, str, str]]:
    """Name, version and CUDA of each that is listed; conda's tells no CUDA by its name."""
    found = [
        (each.name, each.version, match["cuda"])
        for each in value_or(case.facts.packages.installed, ())
        if (match := _CUDNN.match(each.name))
    ]
    conda = [each.told for each in told.named("conda-cuda-package") if each.told["package"] == "cudnn"]
    return found + [("cudnn", each["version"], "") for each in conda]


def _without(
    case: Case, told: Testimony, listed: dict[str, str], row: Release, at: tuple[Place, ...]
) -> Candidate | None:
    """A whole list without a cuDNN, where nothing speaks for a toolkit of the system's."""
    there = toolkit_told(told) or told.named("cuda-file-there", "cuda-file-listed", "conda-cuda-package")
    linux = value_or(case.facts.host.os, "linux") == "linux" and not shown(case.facts).jetson
    if not listed or there or not linux or not isinstance(row.and_cuda, Known) or _cudnns(case, told):
        return None
    words = (
        f"The list holds tensorflow {row.tensorflow} and none of NVIDIA's packages (nvidia-cudnn-cu12 and its like). The wheel of TensorFlow opens CUDA's libraries and does not bring them; nvidia-smi shows "
        f"the driver alone. Where they are not installed for the whole system, they are missing. {_CPU}"
    )
    title = f"The package list shows tensorflow {row.tensorflow} without NVIDIA's CUDA libraries."
    return one_of((_MISSING, _PACKAGED_WRONG), _SYSTEM, at, words, title)


def packaged_fixes(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where no list of packages decided."""
    found = packaged(case, told, ())
    if found is None or found.code != code:
        return ()
    release = str(value_or(case.facts.tensorflow.version, ""))
    if code in (_CPU_ONLY, _BOTH):
        extra = "" if span(case, told).before(2, 14) else "[and-cuda]"
        version = f"=={release}" if release else ""
        return (fix_here(case.facts, "change-packages", "replace-cpu-build", extra=extra, version=version),)
    return forgotten_folders(case) or (act("change-packages", "cuda-libraries"),)


# A session of a hosted notebook whose machine has no GPU: it is chosen at the session's start, and nothing typed changes it.

CODE = "gpu-absent"
_NAMES = {"colab": "Colab", "kaggle": "Kaggle"}
_HOW = {
    "colab": 'In Colab: "Runtime", "Change runtime type", "Hardware accelerator": a GPU. Where none is offered, the quota of today is used up.',
    "kaggle": 'In the notebook\'s side panel: "Session options", "Accelerator": a GPU. The week\'s quota is shown there.',
}


def without_a_gpu(facts: Facts, places: tuple[Place, ...]) -> Candidate | None:
    """None elsewhere than on Colab and Kaggle."""
    service = _NAMES.get(shown(facts).service, "")
    if not service:
        return None
    words = (
        f"The machine that {service} gave to this session shows TensorFlow no NVIDIA GPU. {service} gives one only to sessions that ask for it, and a session "
        "keeps its machine. TensorFlow runs on the CPU."
    )
    return Candidate(CODE, Confidence.LIKELY, places, words, title=f"This {service} session has no GPU.")


def session_fixes(facts: Facts) -> tuple[Fix, ...]:
    """() elsewhere than on Colab and Kaggle."""
    service = shown(facts).service
    if service not in _HOW:
        return ()
    return (act("choose-session", "gpu", how=_HOW[service]), act("look", "gpu-listed"))


# A log that only shows that TensorFlow lists no GPU: what its system, its build and its release make likely.

_CREATED = ("gpu-created", "gpu-created-old", "pluggable-created")
_SILENT = "TensorFlow lists no GPU, and no line of this log says why."
_OF_WINDOWS = "TensorFlow 2.10 was the last with GPU support on Windows itself."
_OF_JETSON = (
    "pip's builds for ARM (aarch64) have no CUDA; NVIDIA has its own for Jetson boards, one for each JetPack."
)
_WITHOUT_CUDA = "The installed TensorFlow was built without CUDA."
_BY_CONDA = "conda's list shows it: TensorFlow's build is {build}, and conda names its builds with CUDA cuda… or gpu_…. One without it shows no GPU, whatever driver and libraries are there."
_UNDER_A_CUDA_NAME = "conda's list calls this build {build}, which is the name of one with CUDA, but TensorFlow says that it was built without: the same build again would change nothing."
_AS_IT_IS = "Your current environment is not changed."
_XLA_GPU = "The device XLA_GPU is listed, so the driver works. For the device GPU, TensorFlow needs CUDA's libraries, and it did not find all of them in the versions it was built with."
_NO_LIBCUDA = (
    "nvidia-smi works but shows no CUDA version: the driver's library for computing, libcuda, was not found."
)
_UNKNOWN = f"{_SILENT} Usually its CUDA libraries were not found, or the build has no CUDA."
_CUDA_BUILD = "Install conda-forge's CUDA build"
_IF_UNSEEN = "The variable in front says which CUDA the driver serves, for an image or a login node where conda sees none; write your driver's, or leave it out on the machine with the GPU."
_MAYBE_WINDOWS = "If this is Windows itself and not WSL2: TensorFlow has had no GPU build for it since 2.11."
_CODES = (
    "cuda-libraries-missing",
    "tensorflow-cpu-only",
    "cuda-libraries-unreachable",
    "gpu-hidden",
    "driver-missing",
)


def unlisted(case: Case, told: Testimony) -> Candidate | None:
    """None where the log tells of anything else, or of work that went on to its end."""
    facts, around = case.facts, shown(case.facts)
    line = around.no_gpu or around.cpu_build
    if not line or told.codes or _ended_otherwise(told, line) or told.named(*_CREATED, "keras-step"):
        return None
    at, releases, system = ((0, line),), span(case, told), value_or(facts.host.os, "linux")
    if system == "macos":
        return of_a_mac(facts, at)
    if (other := of_another_maker(facts, at)) is not None:
        return other
    if _on_windows(facts, told) and (around.cpu_build or releases.since(2, 11)):
        return Candidate("os-gpu-unsupported", Confidence.LIKELY, at, _OF_WINDOWS, title="TensorFlow has no GPU build for native Windows since 2.11.")  # fmt: skip
    if around.jetson and not releases.before(2, 4):
        return Candidate("os-gpu-unsupported", Confidence.LIKELY, at, _OF_JETSON, title="pip's TensorFlow for this Jetson is built without CUDA.")  # fmt: skip
    if around.cpu_build:
        named = _UNDER_A_CUDA_NAME if _promises_cuda(around.conda_build) else _BY_CONDA
        why = named.format(build=around.conda_build) if around.conda_build else _WITHOUT_CUDA
        return Candidate("tensorflow-cpu-only", Confidence.CERTAIN, at, why, title="The installed TensorFlow was built without CUDA.")  # fmt: skip
    if told.named("smi-without-cuda"):
        return Candidate("driver-library-unreachable", Confidence.LIKELY, at, _NO_LIBCUDA, title="nvidia-smi works, but the driver's compute library (libcuda) is not found.")  # fmt: skip
    if (found := _session(facts, told, at) or of_cpu_image(case, told, at) or packaged(case, told, at) or likelier(case, told, at)) is not None:  # fmt: skip
        return found
    if around.xla_gpu:
        return Candidate("cuda-libraries-missing", Confidence.LIKELY, at, _XLA_GPU, question((_CODES[0], "cuda-libraries-wrong-version"), "cuda_libraries.libraries"), "TensorFlow did not find all CUDA libraries that it needs for the GPU.")  # fmt: skip
    words = f"{_UNKNOWN} {_MAYBE_WINDOWS}" if releases.since(2, 11) and system != "windows" else _UNKNOWN
    return Candidate("cuda-libraries-missing", Confidence.POSSIBLE, at, words, question(_CODES, "cuda_libraries.libraries"), "TensorFlow lists no GPU: usually it did not find its CUDA libraries, or was built without CUDA.")  # fmt: skip


def _session(facts: Facts, told: Testimony, at: tuple[Place, ...]) -> Candidate | None:
    """A hosted notebook whose own TensorFlow finds no GPU has none; another TensorFlow may miss its libraries there."""
    another = any(" install " in each and ("tensorflow" in each or "tf-nightly" in each) for each in shown(facts).typed)  # fmt: skip
    if another:
        return None
    return None if told.named("smi-banner") else without_a_gpu(facts, at)


def _on_windows(facts: Facts, told: Testimony) -> bool:
    """Windows itself: by its paths and words, or by the driver model that nvidia-smi shows there alone."""
    if isinstance(facts.host.wsl, Known) or isinstance(facts.host.container, Known):
        return False
    return value_or(facts.host.os, "linux") == "windows" or bool(told.named("smi-of-windows"))


def _ended_otherwise(told: Testimony, line: int) -> bool:
    """An end that is not the very exception that there is no such device, or no GPU."""
    return told.ended_badly and not any(
        "available devices are [" in each.what or each.line == line for each in told.endings
    )


def unlisted_fixes(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() for the page's own."""
    found = unlisted(case, told)
    if found is None or found.code != code:
        return ()
    if fixes := image_of_gpus(code, case, told) or packaged_fixes(code, case, told) or likelier_fixes(code, case, told):  # fmt: skip
        return fixes
    if found.explanation == _OF_WINDOWS:
        return ()
    if found.explanation == _OF_JETSON:
        return JETSON[-1:]
    if _promises_cuda(shown(case.facts).conda_build) and code == "tensorflow-cpu-only":
        return _by_pip(case)
    if shown(case.facts).conda_build and code == "tensorflow-cpu-only":
        return tuple(
            replace(each, title=_CUDA_BUILD, note=_IF_UNSEEN)
            for each in ways_out(code)
            if is_one_of(each, "install-cuda-build-with-conda")
        )
    if found.explanation == _NO_LIBCUDA and isinstance(case.facts.host.container, Known):
        return tuple(
            each for each in ways_out(code) if is_one_of(each, "start-container-with-driver-capabilities")
        )
    if not found.explanation.startswith(_UNKNOWN):
        return ()
    if shown(case.facts).program == "dotnet":
        return (of_no_python(case.facts),)
    made = library_fixes(case, told) if isinstance(case.facts.tensorflow.version, Known) and span(case, told).before(2, 14) else ()  # fmt: skip
    return (
        *made,
        act("look", "check"),
        fix_here(case.facts, "look", "library-that-fails"),
    )  # fmt: skip


def _promises_cuda(build: str) -> bool:
    return build.startswith(("cuda", "gpu_"))


def _by_pip(case: Case) -> tuple[Fix, ...]:
    """The same version from the package index, in an environment of its own; () where the matrix has none with CUDA."""
    row = case.matrix.release(str(value_or(case.facts.tensorflow.version, "")))
    if not isinstance(row, Known) or not isinstance(row.value.cuda, Known):
        return ()
    commands = install_commands(row.value, machine_of(case.facts), case.matrix)
    return (
        environment_fix(
            f"Create an environment for TensorFlow {row.value.tensorflow} with CUDA", commands, _AS_IT_IS
        ),
    )


JETSON = (
    act("give-gpu", "use-nvidia-runtime-on-jetson"),
    act("install-software", "jetpack"),
    act("look", "jetpack"),
)  # fmt: skip
"""Wheels and packages of conda are made for other processors."""
