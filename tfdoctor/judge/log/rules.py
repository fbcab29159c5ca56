"""Rules that cases of the knowledge ask: what a line tells only by a table or by another line."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.versions import CudnnRelease
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.companions import distribution, pin
from tfdoctor.judge.log.spans import own_minor, shown
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.knowledge.compiled import table
from tfdoctor.knowledge.messages.by_release import gone_since, times
from tfdoctor.knowledge.says import says

Values = Mapping[str, str]

_FOLDER = re.compile(r"(?:site|dist)-packages[\\/](\w{1,100})")
_LIST = "supported AMDGPU versions"
_RELATIVES = {"gfx103": ("gfx1030", "10.3.0"), "gfx110": ("gfx1100", "11.0.0")}
"""Generations whose GPUs run each other's code, with the member that ROCm's builds hold code for (ROCm/legacy-rocm-build#2353, 2023-08)."""
_GIVEN_UP = {"gfx803": "3.5", "gfx900": "4.5", "gfx906": "5.7"}
"""The last ROCm that AMD itself supported each with, by ROCm's release notes of 4.0, 4.5 and 6.0."""


def file_of_package(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The package, other than TensorFlow, in whose folder the file is that macOS' loader did not load."""
    behind = (each for each in told.named("asked-by-on-a-mac") if place(each) > place(saying))
    file = saying.told.get("file") or next((each.told["file"] for each in behind), "")
    found = _FOLDER.search(file or saying.told.get("library", ""))
    name = found[1].replace("_", "-") if found else ""
    return {"package": name} if name and name not in ("tensorflow", "tensorflow-core") else None


def conda_package(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """conda's package that brings the library, for one that conda's TensorFlow is linked with."""
    found = next(
        (name for stem, name in table("conda").items() if saying.told["library"].startswith(stem)),
        "",
    )
    return {"owned": found} if found else None


def nvidia_package(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """NVIDIA's package of pip that holds the library, for CUDA 11 or 12."""
    name, _, major = saying.told["library"].partition(".so.")
    package = table("nvidia").get(name)
    return {"package": package, "major": major} if package and major in ("11", "12") else None


def folder_of_library(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """NVIDIA's package of pip that holds the numbered file, its folder, and the CUDA that it is for."""
    name = table("nvidia").get(saying.told["library"].removesuffix(".so"), "")
    cuda = "11" if (own_minor(case.facts) or (2, 15)) < (2, 15) else "12"
    return {"folder": name.replace("-", "_"), "value": name, "cuda": cuda} if name else None


def cudnn_wanted(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The versions of cuDNN that a build can use, and Windows' file of them: the major that it was compiled with, not before its minor."""
    major, _, rest = saying.told["wanted"].partition(".")
    minor = rest.partition(".")[0]
    return (
        {"spec": f">={major}.{minor},<{int(major) + 1}", "file": f"cudnn64_{major}.dll"}
        if minor
        else None
    )


def other_tensorrt(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The TensorRT that is asked for, and another one that a folder on the loader's list is of."""
    for each in told.named("file-not-opened"):
        wanted = each.told.get("library", "").partition("libnvinfer.so.")[2].partition(".")[0]
        there = (
            each.text.partition("LD_LIBRARY_PATH")[2].partition("TensorRT-")[2].partition("/")[0]
        )
        if wanted and there[:1].isdigit() and there.partition(".")[0] != wanted:
            return {"wanted": wanted, "there": there}
    return None


def package_of_op(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The package that brings the operation, and its module."""
    found = next(
        (
            package
            for begins, package in table("ops").items()
            if saying.told["op"].startswith(begins)
        ),
        "",
    )
    return {"package": found, "module": found.replace("-", "_")} if found else None


def joined_architectures(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """ "gfx1030gfx1100" where the build's list holds the GPU's own architecture so: a comma is missing."""
    names = (
        each.strip(" .")
        for each in saying.text.partition(_LIST)[2].removeprefix(" are ").split(",")
    )
    own = saying.told["capability"]
    joined = next(
        (each for each in names if each != own and own in each and each.count("gfx") > 1), ""
    )
    return {"joined": joined} if joined else None


def relative_architecture(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The architecture of the same generation that the build holds code for, and its number for HSA_OVERRIDE_GFX_VERSION."""
    own = saying.told["capability"]
    name, number = _RELATIVES.get(own[:-1], ("", ""))
    held = bool(name) and name != own and name in saying.text.partition(_LIST)[2]
    return {"own": own, "called": name, "value": number} if held else None


def last_rocm(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The last ROCm for an architecture that AMD gave up."""
    own = saying.told["capability"]
    return {"own": own, "last": _GIVEN_UP[own]} if own in _GIVEN_UP else None


_COMES_WITH = {
    "nvidia-smi": ("command-not-started", "of-nvidia-smi"),
    "nvcc": ("command-not-started", "of-nvcc"),
    "python": ("command-not-started", "of-python"),
    "pip": ("command-not-started", "of-pip"),
}


def comes_with(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """What brings a program that the shell does not find, or how else it is called."""
    name = saying.told["process"].rpartition("/")[2].rstrip("0123456789.")
    return {"comes": says(*_COMES_WITH[name])} if name in _COMES_WITH else None


def rock_not_loaded(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """Whether rocminfo finds no module loaded, which means nothing in a container, where nobody can ask for modules."""
    boxed = isinstance(case.facts.host.container, Known)
    lacking = any("ROCk module is NOT loaded" in each.text for each in told.named("rocm-no-device"))
    return {} if lacking and not boxed else None


def rocblas_architecture(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The architecture that rocBLAS names, by itself or in the name of the file that it does not find."""
    arch = saying.told.get("value") or saying.told["file"].partition("_gfx")[2].partition(".")[0]
    if not arch:
        return None
    return {"arch": arch if arch.startswith("gfx") else f"gfx{arch}"}


def on_arm(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """Whether it is a Jetson board, or another machine with ARM that is not Apple's."""
    facts = case.facts
    arm = str(value_or(facts.host.machine, "")).lower() in ("aarch64", "arm64", "armv7l")
    of_linux = arm and value_or(facts.host.os, "linux") == "linux"
    return {} if of_linux or shown(facts).jetson or told.named("arm-board") else None


def one_refused_piece(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """Whether the driver refused a piece for the work, and not the pool of the start, which is large and asked for again in ever smaller sizes."""
    sizes = {int(each.told["size"]) for each in told.named("driver-refused-memory")}
    return {} if len(sizes) == 1 and max(sizes) < _POOL else None


_POOL = 4 << 30
"""Bytes. TensorFlow asks for a larger piece only at its start, when it reserves all that is free."""


def cudnn_numbers(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """7004 is 7.0.4."""
    return {
        name: str(CudnnRelease.from_integer(int(saying.told[name])))
        for name in ("version", "wanted")
    }


def lesser_gpu(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The GPU of that number where the log lists newer ones beside it, and the numbers of those."""
    devices = value_or(case.facts.driver.devices, ())
    own = next((each for each in devices if str(each.index) == saying.told["device"]), None)
    newer = [
        each
        for each in devices
        if own is not None and each.compute_capability > own.compute_capability
    ]
    if own is None or not newer:
        return None
    others = ",".join(str(each.index) for each in newer)
    return {"gpu": own.name, "capability": str(own.compute_capability), "value": others}


def package_of_library(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The package, other than TensorFlow, whose file asks for the library."""
    found = _FOLDER.search(saying.told.get("library", ""))
    name = distribution(saying) or (found[1].replace("_", "-") if found else "")
    return {"package": name, "value": name} if name and name not in ("tensorflow", "tensorflow-core") else None  # fmt: skip


_DRAWING = ("libGL.so.1", "libgthread-2.0.so.0", "libSM.so.6", "libXext.so.6", "libXrender.so.1")
"""What OpenCV's usual build wants for its windows."""
_IN_WORDS = {"PortAudio": "libportaudio2", "sndfile": "libsndfile1"}
"""Libraries that packages name without their file (sounddevice, soundfile), and Debian's packages of them (the same lists)."""


def library_owner(case: Case, told: Testimony, saying: Saying) -> Values:
    """Whose code asks for it, by the traceback."""
    return {"owner": told.package_at(saying) or "The program"}


def library_of_python(case: Case, told: Testimony, saying: Saying) -> Values:
    """The Python that it is of: "3.7" of libpython3.7m.so.1.0, in which m is how it was built."""
    feature = saying.told["library"].removeprefix("libpython3.").partition(".")[0].rstrip("dmu")
    return {**library_owner(case, told, saying), "feature": f"3.{feature}"}


def debian_package(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The package of the system that brings it."""
    package = table("debian").get(saying.told["library"])
    return {**library_owner(case, told, saying), "package": package} if package else None


def library_of_opencv(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """One for drawing, which OpenCV's usual build wants."""
    wanted = saying.told["library"] in _DRAWING and told.package_at(saying).startswith("opencv")
    return debian_package(case, told, saying) if wanted else None


def system_package(case: Case, told: Testimony, saying: Saying) -> Values:
    """That of a library that is named without its file."""
    return {**library_owner(case, told, saying), "own": _IN_WORDS[saying.told["library"]]}


_OF_TENSORFLOW = ("tensorflow", "tensorflow-core")
_BASES = (*_OF_TENSORFLOW, "keras", "tf-keras", "numpy", "protobuf", "six", "absl-py")
_STARTERS = (
    "ipython", "ipykernel", "spyder-kernels", "streamlit", "absl-py", "click", "typer", "fire", "flask", "werkzeug", "gunicorn", "uvicorn", "starlette", "fastapi", "gradio", "anyio", "django",
    "celery", "ray", "pytest", "pluggy", "joblib", "hydra", "traitlets", "tornado", "torch", "pydev", "debugpy",
)  # fmt: skip
"""They only start a program of one's own, or call it."""


def calling_package(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The package between the program and TensorFlow, Keras, NumPy or protobuf, in the traceback of this line."""
    last = told.raised_at(saying)
    through = reversed(last.through) if last is not None else ()
    found = next((each for each in through if each.lower() not in (*_BASES, *_STARTERS)), "")
    return {"package": found} if found else None


def called_by_tensorflow(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """Whether TensorFlow's own code is in the traceback of this line."""
    last = told.raised_at(saying)
    return {} if last is not None and any(each in _OF_TENSORFLOW for each in last.through) else None


def gone_from_python(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """What is asked of Python's library, the first Python without it and the last (3.N) with it, and whose code asks."""
    told_here = saying.told
    module, name = (
        told_here.get("module") or told_here["file"],
        told_here.get("symbol") or told_here.get("value", ""),
    )
    since = gone_since(module, name)
    if not since:
        return None
    what, last = f"{module}.{name}" if name else module, int(since.partition(".")[2]) - 1
    who = told.package_at(saying)
    own = who in (*_OF_TENSORFLOW, "keras")
    return {
        "what": what,
        "since": since,
        "value": str(last),
        "owner": who or "The program",
        "package": "" if own else who,
    }


def asker(case: Case, told: Testimony, saying: Saying) -> Values:
    """The package in whose code the exception arose or that called TensorFlow and Keras there, else the program."""
    found = calling_package(case, told, saying)
    return {"asker": found["package"] if found is not None else "The program"}


_PROBABILITY = {"1.13": "0.6", "1.14": "0.7", "1.15": "0.8"}
"""TensorFlow Probability for the last minors of TensorFlow 1 (its release notes)."""


def probability_of_minor(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The release of TensorFlow Probability that is made for the TensorFlow which is there."""
    here = ".".join(saying.told["version"].split(".")[:2])
    old = _PROBABILITY.get(here, "")
    made = f"tensorflow-probability=={old}.*" if old else pin("tensorflow-probability", here)
    spec = made if saying.told["asker"] == "TensorFlow Probability" else ""
    return {"spec": spec, "minor": here} if spec else None


_FOR_TRAINING = ("keras.losses", "keras.metrics", "keras.optimizers")
_OF_MODELS = ("keras.layers", "keras.initializers", "keras.activations", "keras.regularizers")


def keras_training_class(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """Keras' module that has the name in some release, of those that only a training needs."""
    return _of_keras(saying, _FOR_TRAINING)


def keras_class(case: Case, told: Testimony, saying: Saying) -> Values | None:
    """The same of those that a model consists of."""
    return _of_keras(saying, _OF_MODELS)


def _of_keras(saying: Saying, modules: tuple[str, ...]) -> Values | None:
    where = next((each for each in modules if times(each, saying.told["symbol"]) is not None), "")
    own = "'module': '" not in saying.text or "'module': 'keras" in saying.text
    return {"module": where} if where and own else None
