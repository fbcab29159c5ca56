"""A GPU of a newer generation than the CUDA beside it: two lines that look healthy, and together are the cause.

A CUDA release holds code for the generations that it knows. For a later one the driver compiles TensorFlow's own kernels at
the first use, which takes many minutes; cuBLAS and cuDNN of that CUDA have nothing that could be compiled, and fail.
"""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import cuda_of, minor, rows, runs_on, runtimes, shown, span
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.gpus.cards import gpus
from tfdoctor.checks.log.testimony import Place, Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.values import CudaDevice
from tfdoctor.facts.versions import ComputeCapability, CudaRelease
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.fixes.commands import interpreter
from tfdoctor.fixes.libraries import on_cpu
from tfdoctor.light.records import record
from tfdoctor.matrix.model import CudaSupport

_FAILED = (
    "cuda-context-poisoned",
    "gpu-library-no-memory",
    "gpu-too-new-for-build",
    "ptxas-too-old",
    "cudnn-drops-gpu",
    "native-crash",
    "check-failed",
)
"""What a library that has nothing for the GPU ends in."""
_WORKED = ("keras-step",)


@record
class Pair:
    """A GPU and the newest CUDA that the program can have; `highest` is the newest generation that this CUDA knows."""

    device: CudaDevice
    cuda: CudaRelease
    highest: ComputeCapability
    first: CudaRelease
    """The first CUDA that knows the GPU's generation."""


def newer_than_cuda(case: Case, told: Testimony) -> Pair | None:
    """None where they fit, or where the log does not show both."""
    devices = gpus(case)
    cuda = _newest_cuda(case, told) if devices else None
    if cuda is None:
        return None
    highest = max(
        (each for row in case.matrix.cuda_rows() if row.version == cuda for each in _known(row)), default=None
    )
    for device in devices:
        knowing = [
            row.version
            for row in case.matrix.cuda_rows()
            if any(each.major == device.compute_capability.major for each in _known(row))
        ]
        if highest is not None and device.compute_capability.major > highest.major and knowing:
            return Pair(device, cuda, highest, min(knowing))
    return None


def not_newer(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """A build without code for the GPU, where the GPU is of a generation that each TensorFlow for CUDA 9 and newer is later than.

    2.3.0 and 2.3.1, for instance, leave out 5.0, which the releases before and after them hold. Where no GPU is named, which of the two it is stays open.
    """
    devices = gpus(case)
    if not devices:
        return _newer_or_older(case, told, saying) if saying.name in _of_no_direction(case) else None
    if max(each.compute_capability for each in devices) >= _VOLTA:
        return None
    device = devices[0]
    words = (
        f"{device.name} has compute capability {device.compute_capability}, and this build holds no code that runs on it. It is not too new: builds "
        "leave out some older generations, and not all leave out the same ones, so another release may hold it."
    )
    title = f"This build of TensorFlow holds no code for the GPU's generation (compute capability {device.compute_capability})."
    return Candidate("compute-capability-too-low", Confidence.LIKELY, (place(saying),), words, title=title)


_BLACKWELL = "2025-01"
"""The month of the first GPUs for which TensorFlow's packages end in an invalid handle (TensorFlow issue 89272)."""
_OF_NO_DIRECTION = ("no-binary-for-gpu", "no-kernel-image", "device-image-invalid", "cubin-of-another-gpu")
"""They say that there is no code for the GPU, and not on which side of the build's generations it is."""


def _of_no_direction(case: Case) -> tuple[str, ...]:
    """Since there is Blackwell, an invalid handle is mostly its sign; before, it said no more than the others."""
    written = shown(case.facts).written
    return (*_OF_NO_DIRECTION, "invalid-handle") if "" < written < _BLACKWELL else _OF_NO_DIRECTION


def _newer_or_older(case: Case, told: Testimony, saying: Saying) -> Candidate:
    words = (
        "A build holds code for some generations of GPUs, and this one holds none that this GPU runs. The GPU is newer than the build, or older than the oldest "
        "generation in it; the log does not name it. TensorFlow lists the GPU, and the first work on it fails. Builds of one's own and those of other programs "
        "hold fewer generations than TensorFlow's own packages."
    )
    title = "This build holds no code that this GPU runs: the GPU is newer than the build, or older; the log does not tell which."
    if _is_before_ampere(case, told):
        words = f"{words} {_AMPERE}"
        title = f"This TensorFlow holds no code that the GPU runs, and it is one for CUDA {cuda_of(span(case, told)) or 10}: mostly the GPU is newer, as an RTX 30 and all later ones are."
    opened = question((saying.code, *saying.rivals), "driver.devices")
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, opened, title)


def _is_before_ampere(case: Case, told: Testimony) -> bool:
    """TensorFlow up to 2.3 comes with CUDA 10.1 or older (the matrix), and the log names that."""
    return span(case, told).before(2, 4) and span(case, told).newest < (2, 4)


_AMPERE = "CUDA 10 does not know the generations from Ampere on (A100, RTX 30, RTX 40 and newer); TensorFlow 2.4 is the first for CUDA 11."
_FOR_AMPERE = fix("see-gpu-for-rtx-30-or")


WHICH_GPU = (
    fix("see-gpu-and-tensorflow-holds-code"),
    fix("where-tensorflow-came-with-image-cluster"),
    fix("where-you-built-tensorflow-yourself-build"),
)


_VOLTA = ComputeCapability("7.0")
"""The newest generation of the first TensorFlow builds for CUDA 9."""


def _known(row: CudaSupport) -> tuple[ComputeCapability, ...]:
    return row.compute_capabilities.value if isinstance(row.compute_capabilities, Known) else ()


def _newest_cuda(case: Case, told: Testimony) -> CudaRelease | None:
    """By the runtime that was opened, of its major the newest that the releases have which can have written the log."""
    built = _of_releases(case, told)
    named = runtimes(case, told)
    if not named and not built and span(case, told).before(2, 4):
        return next(cuda for last, cuda in _BEFORE_2_4 if span(case, told).newest <= last)
    if not named:
        return max(built, default=None)
    major, own = named[0]
    fitting = [
        row.version
        for row in case.matrix.cuda_rows()
        if row.version.major == major and (major > 10 or row.version.minor == own)
    ]
    of_builds = [each for each in built if each.major == major and (major > 10 or each.minor == own)]
    return max(of_builds or fitting or [each for each in built if each.major == major], default=None)


_BEFORE_2_4 = (((2, 0), CudaRelease("10.0")), ((2, 3), CudaRelease("10.1")))
"""The newest CUDA that packages up to that release were built with (TensorFlow's tested build configurations, read 2026-11-23)."""


def _of_releases(case: Case, told: Testimony) -> list[CudaRelease]:
    """Of the published wheels that can be meant; none where nothing tells."""
    releases = span(case, told)
    if not releases.before(99, 0):
        return []
    own = [(row, number) for row in rows(case) if (number := minor(row.tensorflow)) is not None]
    return [
        row.cuda.value
        for row, number in own
        if isinstance(row.cuda, Known) and releases.oldest <= number <= releases.newest
    ]


def failed_on_a_newer(case: Case, told: Testimony) -> Candidate | None:
    """The pair as the cause of what failed on the GPU, or of a start that takes minutes; None where neither is told."""
    found = newer_than_cuda(case, told)
    if found is None or told.ended_well:
        return None
    failed = told.of(*_FAILED)
    if told.named(*_WORKED) or (not failed and not _tells_without_failure(case, told)):
        return None  # a published build's own code is judged by the facts, and work that was done by itself
    gpu = _with_capability(found.device)
    words = (
        f"{gpu} is of a generation that CUDA {found.first} was the first to know, and this program runs with CUDA {found.cuda}, whose newest is "
        f"{found.highest}. cuBLAS and cuDNN of this CUDA hold nothing for it and fail at their first work; what TensorFlow itself brings is "
        "compiled by the driver at the first start, for many minutes."
    )
    named = "" if _COMPUTE in found.device.name else f" ({found.device.name})"
    title = f"The GPU{named} is newer than CUDA {found.cuda}, with which this program runs."
    places = tuple(map(place, failed)) or _shown_at(case)
    certain = told.of(*(each for each in _FAILED if each != "ptxas-too-old")) and runtimes(case, told)
    sure = Confidence.CERTAIN if certain else Confidence.LIKELY
    code = "gpu-too-new-for-build" if failed else "ptx-jit-slow-start"
    return Candidate(code, sure, places, words, title=title)


def _tells_without_failure(case: Case, told: Testimony) -> bool:
    """Whether the pair alone is worth telling: TensorFlow shows both itself, or it stands still behind a library of that CUDA."""
    if isinstance(case.facts.driver.devices, Known):
        return not isinstance(case.facts.tensorflow.version, Known)
    return isinstance(case.facts.log.open_end, Known) and bool(runtimes(case, told)) and not told.ended_badly


_COMPUTE = "compute capability"


def _with_capability(device: CudaDevice) -> str:
    """Its name, which is no more than its capability where the log tells no other."""
    if _COMPUTE in device.name:
        return f"A GPU of {_COMPUTE} {device.compute_capability}"
    return f"{device.name} ({_COMPUTE} {device.compute_capability})"


def _shown_at(case: Case) -> tuple[Place, ...]:
    source = case.facts.driver.devices.source if isinstance(case.facts.driver.devices, Known) else ""
    number = source.rpartition("line ")[2]
    return ((0, int(number)),) if number.isdecimal() else ()


_TENSORFLOW_1 = fix("run-program-in-nvidias-own-tensorflow")
"""github.com/NVIDIA/tensorflow/releases (23.03, read 2026-11-23); the driver by NVIDIA's release notes of 23.01; that it takes this fault away: qqwweee/keras-yolo3#332 (2024-03)."""


_NEWEST_PTX = (2, 21)
"""The first release whose PTX can be compiled for all GPUs that the matrix knows; what fails there is XLA's own compiler (TensorFlow issue 111958)."""
_WITHOUT_XLA = fix("compile-nothing-by-xla-compiler-in")


def _is_another_way(fix: Fix) -> bool:
    return "jit_compile" not in fix.note and not any("pip install" in line for line in fix.commands)


def newer_cuda_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the pair is not the cause, for the page's."""
    found = newer_than_cuda(case, told)
    if found is None and span(case, told).since(*_NEWEST_PTX):
        return (_WITHOUT_XLA, *(each for each in ways_out("gpu-too-new-for-build") if _is_another_way(each)))
    if found is None:
        unnamed = not gpus(case) and told.named(*_of_no_direction(case))
        first = (_FOR_AMPERE,) if _is_before_ampere(case, told) else ()
        return (*(first or WHICH_GPU[:1]), *WHICH_GPU[1:], on_cpu(case.facts)) if unnamed else ()
    fitting = [
        row.tensorflow
        for row in rows(case)
        if isinstance(row.cuda, Known)
        and row.cuda.value >= found.first
        and "rc" not in row.tensorflow
        and runs_on(row, case.facts)
    ]
    name = found.device.name
    image = fix("take-image-or-build-whose-cuda", first=found.first, called=name)
    old = span(case, told).before(2, 3)
    if span(case, told).before(2, 0):
        return (_TENSORFLOW_1, image, on_cpu(case.facts))
    if not fitting:
        return (image, on_cpu(case.facts))
    title = f"Use a TensorFlow that is built with CUDA {found.first} or newer: {fitting[-1]} to {fitting[0]}"
    spec = f"tensorflow[and-cuda]=={fitting[0]}"
    newer = Fix(
        title, (f"{interpreter(case.facts)} -m pip install '{spec}'",), "Best in an environment of its own."
    )
    return (image, newer, on_cpu(case.facts)) if old else (newer, image, on_cpu(case.facts))
