"""What a library of CUDA that a process did not find means: asked for by no number, there and out of reach, of another release, or not told.

A log tells that this process did not find it. That it is nowhere on the machine, no log can tell.
"""

from __future__ import annotations

import re  # reads no log: the library at the start of a loader's error

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import cuda_of, runtimes, span
from tfdoctor.checks.log.brought.boards import on_a_board
from tfdoctor.checks.log.brought.linked import LINKED, linked_with
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.gpus.drivers import built_with
from tfdoctor.checks.log.kinds.mixed import mixed
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.unfound.cuda_images import cuda_image, of_cuda_image
from tfdoctor.checks.log.unfound.elsewhere import (
    asked_for,
    elsewhere,
    fits,
    other_numbers,
    toolkit_on_the_path,
    toolkit_told,
)
from tfdoctor.checks.log.unfound.images import of_official_image
from tfdoctor.checks.log.unfound.names import TOOLKIT, in_a_sentence, stem
from tfdoctor.checks.log.unfound.old_gpus import too_old
from tfdoctor.checks.log.unfound.plain_names import without_its_number
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.versions import CudaRelease
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence

_RIVALS = ("cuda-libraries-wrong-version", "cuda-libraries-unreachable", "image-lacks-cuda-libraries")
_BRINGS = "For the GPU, TensorFlow opens NVIDIA's libraries when it starts: the CUDA runtime, cuBLAS, cuFFT, cuSOLVER, cuSPARSE and cuDNN. They are no part of TensorFlow's own package."
_OPEN = "The log does not tell whether it is nowhere on this machine, there under another number, or in a folder where the loader does not look."
_OPEN_EACH = _OPEN.replace("it is nowhere", "they are nowhere")
_CPU = "TensorFlow then shows no GPU and computes on the processor."
_RUNTIME_NAMES = ("cudart-not-found", "runtime-stub")


def of_library(case: Case, told: Testimony, saying: Saying) -> Candidate:
    """A saying that a library of CUDA was not opened, weighed by all that the log shows."""
    library, other = saying.told.get("library", ""), _named_in(saying.text.partition("dlerror: ")[2])
    if library and other and stem(other) != stem(library):
        return mixed(case.facts, saying, library, other)
    return (
        too_old(case, saying)
        or without_its_number(told, saying)
        or on_a_board(case.facts, told, saying)
        or _neighbours_there(case, told, saying)
        or _out_of_reach(case, told, saying)
        or of_official_image(case, told, saying)
        or _of_cuda_image(case, told, saying)
        or _of_another_number(told, saying)
        or _of_another_toolkit(case, told, saying)
        or _not_found(case, told, saying)
    )


def missing(told: Testimony) -> tuple[str, ...]:
    """The names that were asked for and not found, each once."""
    named = (each.told.get("library", "") for each in told.of("cuda-libraries-missing"))
    return tuple(dict.fromkeys(each for each in named if each))


def _neighbours_there(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """A part of a toolkit whose other parts were opened: that toolkit has it under another number."""
    library = saying.told.get("library", "")
    lacking = {stem(each) for each in missing(told)} & set(TOOLKIT)
    opened = {stem(each) for each in value_or(case.facts.log.opened, ())} & set(TOOLKIT)
    if _renumbered(case, told):
        opened = set(TOOLKIT)
    if stem(library) not in TOOLKIT or not lacking or not opened - lacking - {"cudart"}:
        return None
    words = f"{library} was not found while its neighbours of CUDA were: the CUDA that is installed has it under another version.{_NUMBERED.get(library, '')}"
    opened_question = question(
        ("cuda-libraries-wrong-version", "cuda-libraries-missing"), "cuda_libraries.libraries"
    )
    return Candidate(
        "cuda-libraries-wrong-version", Confidence.LIKELY, (place(saying),), words, opened_question,
        f"This process found no {library}, and other libraries of CUDA it found.",
    )  # fmt: skip


def _renumbered(case: Case, told: Testimony) -> bool:
    """cuSOLVER alone is missing, whose number changed within CUDA 11: the log names a toolkit that has the other one, or tells of no other library.

    From 2.6 on only those that are not found are told, each in a line of its own, before the word about all of them.
    """
    asked = [each for each in missing(told) if stem(each) in TOOLKIT]
    if len(asked) != 1 or asked[0] not in _NUMBERED:
        return False
    toolkit = toolkit_told(told) or toolkit_on_the_path(told)
    has = (
        ""
        if not toolkit.startswith("11.")
        else "libcusolver.so.10"
        if toolkit == "11.0"
        else "libcusolver.so.11"
    )
    if has:
        return asked != [has]
    return bool(told.named("gpu-libraries-not-opened")) and span(case, told).since(2, 6)


_NUMBERED = {
    "libcusolver.so.11": " CUDA 11.0 has libcusolver.so.10; the number 11 came with CUDA 11.1.",
    "libcusolver.so.10": " CUDA 10 and 11.0 have it; from CUDA 11.1 on it is libcusolver.so.11.",
}
"""TensorFlow 2.4, built with CUDA 11.0, opens .so.10, and 2.5, built with 11.2, .so.11 (the matrix' sonames, 2026-11-20); 11.1: probes/tensorflow/build_info.py."""


def _out_of_reach(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    found = elsewhere(case, told, missing(told))
    if found is None:
        return None
    words = f"This process did not find {_what(told)}, and {found.words}. The loader looks into the folders of LD_LIBRARY_PATH, into those that TensorFlow's own files name and into the system's list; PATH is for programs alone. {_CPU}"
    title = f"{_start(told)} did not find {_what(told)}; {found.words}."
    opened = question(("cuda-libraries-unreachable", "cuda-libraries-missing"), "cuda_libraries.libraries")
    return Candidate("cuda-libraries-unreachable", Confidence.LIKELY, (place(saying),), words, opened, title)


def _of_cuda_image(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    image, cuda = cuda_image(told), built_with(case, told)
    if image is None:
        return None
    own = _own_cuda(case, told, cuda)
    fitting = fits(case, told, image.version) if cuda else own == image.version
    return of_cuda_image(told, saying, missing(told), own, fits=fitting)


def _of_another_number(told: Testimony, saying: Saying) -> Candidate | None:
    """The log lists a file of that library, and none that answers to the name that was asked for."""
    shown = other_numbers(told, missing(told))
    if not shown:
        return None
    wanted = next(each for each in missing(told) if stem(each) == stem(shown[0]))
    words = f"The log lists {in_a_sentence(shown)}. This process asks for {wanted}, by exactly this name: a file with another number is of another release, and a link of that name would only hide it. {_CPU}"
    title = f"{_start(told)} asks for {wanted}, and the log shows {shown[0]}."
    opened = question(("cuda-libraries-wrong-version", "cuda-libraries-missing"), "cuda_libraries.libraries")
    return Candidate(
        "cuda-libraries-wrong-version", Confidence.LIKELY, (place(saying),), words, opened, title
    )


def _of_another_toolkit(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """The log names a toolkit, and it is of another CUDA than this TensorFlow's."""
    shown, cuda = toolkit_told(told) or toolkit_on_the_path(told), built_with(case, told)
    of_toolkit = any(stem(each) in TOOLKIT for each in missing(told)) or not missing(told)
    own = _own_cuda(case, told, cuda)
    of_toolkit = of_toolkit or shown.partition(".")[0] != own.partition(".")[0]  # a cuDNN is for one CUDA
    if (
        _asked_for_it(told, shown)
        or not shown
        or not own
        or not of_toolkit
        or (fits(case, told, shown) if cuda else own == shown)
    ):
        return None
    words = f"The log names CUDA {shown}. This TensorFlow opens the libraries of CUDA {own}, by their exact names, and a toolkit of another release does not hold them. Both can be installed side by side. {_CPU}"
    title = f"This TensorFlow opens the libraries of CUDA {own}, and the log names CUDA {shown}."
    opened = question(("cuda-libraries-wrong-version", "cuda-libraries-missing"), "cuda_libraries.libraries")
    return Candidate(
        "cuda-libraries-wrong-version", Confidence.LIKELY, (place(saying),), words, opened, title
    )


def _asked_for_it(told: Testimony, shown: str) -> bool:
    """The runtime that was asked for is that toolkit's own, whatever this release opens elsewhere: NVIDIA's build for a Jetson, or somebody's."""
    number = shown.replace(".", "")
    return bool(shown) and any(
        each in (f"libcudart.so.{shown}", f"cudart64_{number}.dll") for each in missing(told)
    )


def _own_cuda(case: Case, told: Testimony, cuda: CudaRelease | None) -> str:
    """ "11", or "9.0" of a CUDA that the matrix has no row for; "" where nothing tells."""
    if cuda is None:
        return asked_for(case, told) or cuda_of(span(case, told))
    asked = next((minor for number, minor in runtimes(case, told) if number == cuda.major), cuda.minor)
    return f"{cuda.major}.{asked}" if cuda.major < 11 else str(cuda.major)


def _not_found(case: Case, told: Testimony, saying: Saying) -> Candidate:
    """No more than that this process did not find it."""
    sure = Confidence(saying.sure)
    sure = Confidence.LIKELY if sure is Confidence.CERTAIN else sure
    one = len(missing(told)) == 1 or (not missing(told) and told.named(*_RUNTIME_NAMES))
    unnamed = "" if missing(told) or one else " Its message does not name them."
    without = (
        ""
        if _gpu_shown(case, told) or told.endings or linked_with(told)
        else " In a machine without an NVIDIA GPU nothing is missing."
    )
    words = f"{_BRINGS} This process did not find {_what(told)}.{unnamed} {_OPEN if one else _OPEN_EACH} {LINKED if linked_with(told) else _CPU}{without}"
    opened = question((saying.code, *_RIVALS), "cuda_libraries.libraries")
    title = f"{_start(told)} did not find {_what(told)}."
    if only_asked_for(case.facts, told):
        title = f"{title[:-1]}, which is needed only where an NVIDIA GPU is to be used."
    return Candidate(saying.code, sure, (place(saying),), words, opened, title)


def only_asked_for(facts: Facts, told: Testimony) -> bool:
    """All that the log tells is that the runtime was looked for at the start, and TensorFlow's own word that this may mean nothing:
    no GPU, no list of GPUs, no failure, no notebook whose kernel lacks what a terminal has."""
    noise = {each.name for each in value_or(facts.log.noise, ())}
    said = _MAY_MEAN_NOTHING in noise
    around = facts.log.surroundings
    wanted = isinstance(around, Known) and bool(around.value.no_gpu or around.value.own_gpu or around.value.cards or _asked(around.value.typed) or around.value.notebook or around.value.node)  # fmt: skip
    found = (facts.nvml.devices, facts.driver.devices, facts.host.gpus_on_bus)
    shown = bool(told.named("gpu-libraries-not-opened", "smi-banner", "toolkit-release")) or any(isinstance(each, Known) for each in found) or bool(noise & _OF_A_GPU)  # fmt: skip
    runtime = {stem(each) for each in missing(told)} == {"cudart"}
    return (
        said
        and runtime
        and not (wanted or shown or told.endings)
        and set(told.codes) == {"cuda-libraries-missing"}
    )


_MAY_MEAN_NOTHING = "cudart-without-gpu"
_OF_A_GPU = {"numa-negative", "numa-unread"}
"""What TensorFlow says of the place of a GPU on the bus: the driver answered and showed one."""


def _asked(typed: tuple[str, ...]) -> bool:
    """A command that is about more than starting a container, which without --gpus was never to have one."""
    return any(not each.startswith(("docker run", "podman run")) or "gpu" in each for each in typed)


def _gpu_shown(case: Case, told: Testimony) -> bool:
    """TensorFlow speaks of libraries for GPUs only where the driver showed it one."""
    driver, nvml = case.facts.driver, case.facts.nvml
    return bool(told.named("gpu-libraries-not-opened", "smi-banner")) or any(
        isinstance(each, Known) for each in (driver.devices, nvml.devices)
    )


def _start(told: Testimony) -> str:
    return (
        "TensorFlow"
        if any(
            "tensorflow" in each.text or "gpu_device.cc" in each.text or "cudart_stub" in each.text
            for each in told.of("cuda-libraries-missing")
        )
        else "This process"
    )


def _what(told: Testimony) -> str:
    """ "libcudnn.so.8, a library of CUDA" or, where no name is told, what kind it is."""
    named = missing(told)
    if len(named) == 1:
        return named[0]
    if named:
        return f"{len(named)} of the CUDA libraries that it opens: {in_a_sentence(named)}"
    if told.named(*_RUNTIME_NAMES):
        return "the CUDA runtime library (libcudart)"
    return "all of the CUDA libraries that it opens"


def _named_in(error: str) -> str:
    found = re.match(r"\s*([\w.+-]{4,80}\.(?:so|dll)[\w.]{0,20})", error)
    return found[1] if found else ""


NOTHING_TO_DO = (
    fix("where-no-nvidia-gpu-or-none"),
)  # fmt: skip
