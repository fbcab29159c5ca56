"""Where CUDA's libraries come from: container images, toolkits, modules, conda's packages."""

from __future__ import annotations

from collections.abc import Iterable

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.base.units import enumerated
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.fix.install import environment_fix
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.gpus import built_with
from tfdoctor.judge.log.spans import cuda_of, runtimes, shown, span
from tfdoctor.judge.log.testimony import Place as Line
from tfdoctor.judge.log.testimony import Testimony
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.place import Place
from tfdoctor.knowledge.says import says

# CUDA libraries that are not found in a container: the image is what has to hold them, for what is installed in a container goes with it.


def of_cpu_image(told: Testimony, at: tuple[Line, ...]) -> Candidate | None:
    """TensorFlow's own image without "gpu" in its tag; None where one with it is named, too."""
    images = [each.told["value"] for each in told.named("official-image", "official-gpu-image")]
    if not images or any("gpu" in each or "devel" in each for each in images):
        return None
    name, _, tag = images[0].partition(":")
    gpu = tag.replace("jupyter", "gpu-jupyter") if "jupyter" in tag else f"{tag or 'latest'}-gpu"
    fixes = (act("choose-image", "use-gpu-image", other=f"{name}:{gpu}"),)
    return of_page("tensorflow-cpu-only", "cpu-image", at, fixes=fixes, values={"image": images[0]})


# File names of CUDA's libraries: the part that stays, the number, and how several are named in a sentence.

_STEM = Expression(r"(?:lib)?(?P<stem>[A-Za-z]+?)(?:64)?[_.-]?(?:so\b|\d|dll)")
_MAJOR = Expression(r"(?:\.so\.|64_)(?P<major>\d{1,3})")
TOOLKIT = ("cudart", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusparse")
_MOST = 3


def stem(library: str) -> str:
    """ "libcudart.so.11.0" and "cudart64_110.dll" are both "cudart"."""
    found = _STEM.match(library)
    return found["stem"] if found else library


def major(library: str) -> str:
    """The number behind .so, which tells of the interface: "8" of libcudnn.so.8.1.0; "" for a name without one."""
    found = _MAJOR.search(library)
    return found["major"] if found else ""


def same(library: str, other: str) -> bool:
    """Whether `other` answers to the name `library` ("libcudnn.so.8" and "libcudnn.so.8.1.0")."""
    return stem(library) == stem(other) and major(other) in (major(library), "")


def in_a_sentence(libraries: Iterable[str]) -> str:
    every = tuple(libraries)
    shown = every if len(every) <= _MOST else every[: _MOST - 1]
    more = [f"{len(every) - len(shown)} more"] if len(every) > len(shown) else []
    return enumerated((*shown, *more))


# Where a log shows the library that a process did not find: a file, a conda package, a wheel of NVIDIA's, a toolkit.

FILE, CONDA, WHEELS, TOOLKIT_FOLDER, TERMINAL, EXPORTED = (
    "file",
    "conda",
    "wheels",
    "toolkit",
    "terminal",
    "exported",
)
_OF_CONDA = Expression(r"/(?:envs/[\w.-]{1,60}|(?:ana|mini)conda\d?|(?:mamba|mini)forge\d?)/lib$")
_ON_THE_PATH = Expression(r"/(?:cuda|CUDA)[-/](?P<version>\d{1,2}\.\d)(?:[.-][\w.-]{1,80})?/")
"""NVIDIA's own folder, that of a cluster's module (cuda/10.1, CUDA/11.1.1-GCC-10.2.0), and Spack's (cuda-11.8.0-HASH)."""
_FOR_32_BITS = Expression(r"/cuda(?:-\d{1,2}\.\d)?/lib/?$")
"""NVIDIA's toolkit keeps the libraries of 64-bit programs in lib64, and has had no other for Linux since CUDA 7."""
_WHEEL = Expression(
    r"^nvidia-(?:cudnn|cuda-runtime|cublas|cufft|cusolver|cusparse|curand)-cu(?P<major>1[123])$"
)


@record
class Elsewhere:
    """`kind` as above; `folder` is what the loader has to be told, "" where the kind tells it; `words` say what the log shows of the library."""

    kind: str
    folder: str
    words: str


def elsewhere(case: Case, told: Testimony, libraries: tuple[str, ...]) -> Elsewhere | None:
    """The surest first: the file itself, then packages, then a toolkit of the right release that is not on the loader's path."""
    return (
        _file(told, libraries)
        or _conda(case, told, libraries)
        or _terminal(case, told)
        or _exported(told, libraries)
        or _wheels(case, told)
        or _toolkit(case, told, libraries)
    )


def _file(told: Testimony, libraries: tuple[str, ...]) -> Elsewhere | None:
    led = {folder for each in told.of("cuda-libraries-missing") for folder in _led_to(each.text)}
    for each in told.named("cuda-file-there", "cuda-file-in-words"):
        folder, library = each.told["file"].rstrip("."), each.told["library"]
        if folder in led:
            continue  # the loader did look there: a damaged file, or one that was put there later
        if not any(
            same(wanted, library) and f"{library}.".startswith(f"{wanted}.") for wanted in libraries
        ):
            continue
        kind = CONDA if _OF_CONDA.search(folder) else FILE
        return Elsewhere(
            kind, folder, says("cuda-libraries-unreachable", "in-folder", folder=folder)
        )
    return None


def _led_to(text: str) -> list[str]:
    """The folders of LD_LIBRARY_PATH, as TensorFlow's line ends with them."""
    return [each.rstrip("/ ") for each in text.partition("LD_LIBRARY_PATH: ")[2].split(":")]


def _terminal(case: Case, told: Testimony) -> Elsewhere | None:
    """A notebook or an editor whose process was started without the variable that a terminal has, by the words of who pasted it."""
    around = shown(case.facts)
    if not (around.notebook or around.editor) or not around.terminal or around.service:
        return None
    if any(_led_to(each.text) != [""] for each in told.of("cuda-libraries-missing")):
        return None
    return Elsewhere(
        TERMINAL,
        "",
        says("cuda-libraries-unreachable", "in-terminal"),
    )


def _exported(told: Testimony, libraries: tuple[str, ...]) -> Elsewhere | None:
    """The shell has the toolkit's folder on its path, and a process that a launcher started for it did not find what is there."""
    ranks = any(each.process for each in told.of("cuda-libraries-missing"))
    wanted = [each for each in libraries if stem(each) in TOOLKIT]
    if not ranks or not wanted:
        return None
    for value in (each.told["value"] for each in told.named("library-path-exported")):
        for folder in (each.rstrip("/") for each in value.split(":")):
            found = _ON_THE_PATH.search(f"{folder}/")
            if found and any(f"{each}.".partition(".so.")[2].startswith(f"{found['version']}.") for each in wanted):  # fmt: skip
                return Elsewhere(EXPORTED, folder, says("cuda-libraries-unreachable", "exported", folder=folder))  # fmt: skip
    return None


def _conda(case: Case, told: Testimony, libraries: tuple[str, ...]) -> Elsewhere | None:
    """A package of the right major for each library that is missing."""
    listed = _asked_of_conda(case) | {
        each.told["package"]: each.told["version"] for each in told.named("conda-cuda-package")
    }
    toolkit, cudnn = listed.get("cudatoolkit", ""), listed.get("cudnn", "")
    if not libraries or not all(_of_package(each, toolkit, cudnn) for each in libraries):
        return None
    shown = [
        f"{name} {version}"
        for name, version in (("cudatoolkit", toolkit), ("cudnn", cudnn))
        if version
    ]
    return Elsewhere(
        CONDA,
        "",
        says("cuda-libraries-unreachable", "of-conda", packages=" and ".join(shown)),
    )


def _asked_of_conda(case: Case) -> dict[str, str]:
    """What the paste shows installed: "conda install cudatoolkit=11.2 cudnn=8.1"."""
    words = (
        word.strip("'\"")
        for command in shown(case.facts).typed
        if command.startswith(("conda install", "mamba install", "conda create", "mamba create"))
        for word in command.split()
    )
    pairs = (word.partition("=") for word in words)
    found = {
        name: version.lstrip("=") for name, _, version in pairs if name in ("cudatoolkit", "cudnn")
    }
    return {name: version for name, version in found.items() if version[:1].isdigit()}


def _of_package(library: str, toolkit: str, cudnn: str) -> bool:
    """cudart is numbered as CUDA is; the other libraries of a toolkit count otherwise, and CUDA 11 has all of theirs."""
    if stem(library) == "cudnn":
        return bool(cudnn) and cudnn.partition(".")[0] == major(library)
    if stem(library) == "cudart":
        wanted = library.partition(".so.")[2]
        return bool(toolkit) and (
            toolkit.partition(".")[0] == "11" == major(library) or toolkit.startswith(wanted)
        )
    return stem(library) in TOOLKIT and toolkit.startswith("11.") and major(library) in ("10", "11")


def _wheels(case: Case, told: Testimony) -> Elsewhere | None:
    """NVIDIA's wheels for the CUDA of this TensorFlow: it does not look into all of their folders, or something else leads it away."""
    release = value_or(case.facts.tensorflow.version, "")
    defects = [each.kind for each in case.matrix.defects(release)] if release else []
    forgets = any(each.startswith("runpath-") for each in defects)
    cuda = built_with(case, told)
    said = [each.told["value"] for each in told.named("nvidia-wheel-there")]
    installed = value_or(case.facts.packages.installed, ())
    said += [found["major"] for each in installed if (found := _WHEEL.match(each.name))]
    if release and not forgets:
        return None  # this one looks by itself: why it found none, the log does not tell
    why = (
        says("cuda-libraries-unreachable", "release-forgets", release=release)
        if forgets
        else says("cuda-libraries-unreachable", "some-forget")
    )
    if cuda is not None and str(cuda.major) in said:
        return Elsewhere(
            WHEELS, "", says("cuda-libraries-unreachable", "wheels-there", cuda=cuda.major, why=why)
        )
    if told.named("extra-asked-for") and not span(case, told).before(2, 14):
        return Elsewhere(WHEELS, "", says("cuda-libraries-unreachable", "wheels-asked", why=why))
    return None


def _toolkit(case: Case, told: Testimony, libraries: tuple[str, ...]) -> Elsewhere | None:
    """A toolkit of the CUDA, where a library of it is missing and the loader's list names no folder of a toolkit."""
    cuda, shown = built_with(case, told), toolkit_told(told)
    unknown = cuda is None and asked_for(case, told) != shown
    if unknown or not shown or not any(stem(each) in TOOLKIT for each in libraries):
        return None
    led = {folder for each in told.of("cuda-libraries-missing") for folder in _led_to(each.text)}
    of_cuda = sorted(each for each in led if "/cuda" in each)
    astray = [each for each in of_cuda if _FOR_32_BITS.search(each)]
    if len(astray) < len(of_cuda) or not fits(case, told, shown) or value_or(case.facts.host.os, "linux") != "linux":  # fmt: skip
        return None
    if astray:
        right = f"{astray[0]}64"
        return Elsewhere(TOOLKIT_FOLDER, right, says("cuda-libraries-unreachable", "led-astray", astray=astray[0], right=right))  # fmt: skip
    return Elsewhere(
        TOOLKIT_FOLDER,
        f"/usr/local/cuda-{shown}/lib64",
        says("cuda-libraries-unreachable", "toolkit-named", cuda=shown),
    )


def toolkit_told(told: Testimony) -> str:
    """ "11.2"; nvcc's own word before what people write. "" where the log names none."""
    said = told.named("toolkit-release")
    by_nvcc = [each.told["version"] for each in said if "version" in each.told]
    by_people = [
        each.told.get("value") or each.told["wanted"] for each in said if "version" not in each.told
    ]
    in_words = [
        each.told.get("value") or each.told["wanted"] for each in told.named("toolkit-in-words")
    ]
    found = next(iter((*by_nvcc, *by_people, *in_words)), "")
    return found if "." in found or not found else f"{found}.0"


def asked_for(case: Case, told: Testimony) -> str:
    """The CUDA up to 10 that the names of missing libraries tell by themselves: "9.0" of libcublas.so.9.0; "" for none."""
    known = [(major, own) for major, own in runtimes(case, told) if major <= 10]
    return ".".join(str(each) for each in known[0]) if known else ""


def toolkit_on_the_path(told: Testimony) -> str:
    """The one toolkit whose folder the loader is led to ("10.0" of /usr/local/cuda-10.0/lib64); "" for none, or several."""
    led = [each.text.partition("LD_LIBRARY_PATH")[2] for each in told.of("cuda-libraries-missing")]
    found = {match["version"] for text in led for match in _ON_THE_PATH.finditer(text)}
    return found.pop() if len(found) == 1 else ""


def other_numbers(told: Testimony, libraries: tuple[str, ...]) -> tuple[str, ...]:
    """Files that the log lists of these libraries, where none of them answers to the name; () where one does."""
    listed = {each.told["library"] for each in told.named("cuda-file-listed", "cuda-file-there")}
    for wanted in libraries:
        alike = sorted(each for each in listed if stem(each) == stem(wanted) and major(each))
        if alike and not any(f"{each}.".startswith(f"{wanted}.") for each in alike):
            return tuple(alike)
    return ()


def fits(case: Case, told: Testimony, toolkit: str) -> bool:
    """Whether that toolkit's libraries bear the names that this TensorFlow asks for; CUDA 10 and older by the minor, too."""
    cuda = built_with(case, told)
    own, own_minor = (int(each) for each in toolkit.split("."))
    if cuda is None or cuda.major != own:
        return cuda is None
    asked = [minor for number, minor in runtimes(case, told) if number == own]
    exact = isinstance(case.facts.tensorflow.version, Known) or bool(asked)
    return own >= 11 or not exact or own_minor == (asked[0] if asked else cuda.minor)


_PYTHON = "3.7"
"""TensorFlow 1.13 to 2.3 all have wheels for it (files on the package index, 2026-11-20)."""


def of_conda(case: Case, told: Testimony, here: Place) -> Fix | None:
    """An environment with the old CUDA; None inside of containers and hosted notebooks, and where the release is not named."""
    cuda, release = cuda_of(span(case, told)), str(value_or(case.facts.tensorflow.version, ""))
    if not release or cuda not in ("10.0", "10.1") or here.hosted or here.has("docker", "kubernetes", "apptainer", "serving", "node"):  # fmt: skip
        return None
    package = "tensorflow-gpu" if span(case, told).before(2, 1) else "tensorflow"
    name, lead = f"tensorflow-{release}", ('export LD_LIBRARY_PATH="$CONDA_PREFIX/lib"',)
    return environment_fix(
        f"Create a conda environment for TensorFlow {release}",
        (
            f"conda create --yes --name {name} --channel conda-forge python={_PYTHON} cudatoolkit={cuda} cudnn=7.6",
            f"conda activate {name}",
            f'python -m pip install "{package}=={release}" "protobuf<3.21"',
            *(() if here.has("windows") else lead),
        ),
        "Your current environment is not changed.",
    )
