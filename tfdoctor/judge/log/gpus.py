"""GPUs that are too old, too new, held, hidden or left out, and their drivers, cuDNN and XLA."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, known, value_or
from tfdoctor.facts.values import CudaDevice
from tfdoctor.facts.versions import ComputeCapability, CudaRelease
from tfdoctor.fix.driver import install_driver
from tfdoctor.fix.libraries import on_cpu, release_that_fits
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_line, question
from tfdoctor.judge.log.memory import dumps_of_gpus
from tfdoctor.judge.log.spans import cuda_of, minor, rows, runs_on, runtimes, shown, span
from tfdoctor.judge.log.testimony import Place, Testimony, place
from tfdoctor.judge.log.words import fix_here, title_of_text, words_of
from tfdoctor.judge.questions.driver_codes import cuda_meaning
from tfdoctor.judge.questions.gpu import driver_os
from tfdoctor.judge.questions.versions_match import pair
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.matrix.model import CudaSupport
from tfdoctor.knowledge.model import Confidence, Finding, Fix

# The GPUs of a log: those that TensorFlow or the driver describe, else the one that somebody names.


def gpus(case: Case) -> tuple[CudaDevice, ...]:
    """() where the log names none, or several of different generations in words alone."""
    devices = case.facts.driver.devices
    if isinstance(devices, Known):
        return devices.value
    found = []
    for name in shown(case.facts).cards:
        capability = case.matrix.gpu(name)
        if isinstance(capability, Known):
            found.append(CudaDevice(0, name, capability.value, 0, "", ""))
    return tuple(found[:1]) if len({each.compute_capability.major for each in found}) == 1 else ()


# The cuDNN that was loaded beside the one that a build was compiled with: TensorFlow's own line names both.

_NAMES = ("cudnn-loaded-other", "cudnn-loaded-other-old")
_OLD = Expression(r"(?P<major>\d)(?P<minor>\d)(?P<patch>\d{2})")
"""7004 is 7.0.4: a thousand for the major, a hundred for the minor (cudnn.h, CUDNN_VERSION before cuDNN 9)."""


def loaded_other(facts: Facts, saying: Saying) -> Candidate | None:
    """None for any other saying."""
    loaded, compiled = versions(saying)
    if not loaded or not compiled:
        return None
    who = "JAX" if shown(facts).jax else "TensorFlow"
    newer = _numbers(loaded)[:2] > _numbers(compiled)[:2]
    title = f"cuDNN {loaded} is loaded, but this {who} was compiled with {compiled}."
    rule = "the same major and minor version" if saying.name == _NAMES[1] else "the same major version in the same or a newer minor"  # fmt: skip
    words = f"This {who} works with {rule} of the cuDNN it was compiled with, {compiled}. The one found first is {loaded}, which is too {'new' if newer else 'old'}. {who} lists the GPU, and the first convolution or recurrent layer fails."
    return Candidate("cudnn-version-mismatch", Confidence(saying.sure), (place(saying),), words, title=title)


def versions(saying: Saying) -> tuple[str, str]:
    """(loaded, compiled with), each as 8.6.0; "" for what the line does not name."""
    if saying.name not in _NAMES:
        return "", ""
    return _plain(saying.told.get("version", "")), _plain(saying.told.get("wanted", ""))


def _plain(number: str) -> str:
    number = number.rstrip(".")
    if found := _OLD.fullmatch(number):
        return f"{found['major']}.{found['minor']}.{int(found['patch'])}"
    return number


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in version.split(".") if each.isdigit())


# The driver that a log shows beside the CUDA that its TensorFlow was built with: libraries help only a driver that runs them.

_RUNTIME = Expression(r"cudart(?:\.so\.|64_)(?P<major>\d\d)")
_OF_2_15 = ("external/local_xla/", "external/local_tsl/")
"""Paths of sources that TensorFlow's log names since 2.15, the first release for CUDA 12 alone (recordings of 2.14 and 2.15)."""


def built_with(case: Case, told: Testimony) -> CudaRelease | None:
    """The CUDA of this TensorFlow, by its release, by the runtime that it opens, or by the sources that it names; at least its
    major's first release. None where the log does not tell.
    """
    version = case.facts.tensorflow.version
    if isinstance(version, Known):
        row = case.matrix.release(str(version.value))
        if isinstance(row, Known) and isinstance(row.value.cuda, Known):
            return row.value.cuda.value
    named = [
        *value_or(case.facts.log.opened, ()),
        *(each.told.get("library", "") for each in told.of("cuda-libraries-missing")),
    ]
    majors = [int(found["major"]) for each in named if (found := _RUNTIME.search(each))]
    newer = any(path in each.text for each in told.of("cuda-libraries-missing") for path in _OF_2_15)
    major = majors[0] if majors else 12 if newer else 0
    major = min(major, 19) if major < 20 else 0  # cudart64_101 is 10.1
    known = [row.version for row in case.matrix.cuda_rows() if row.version.major == major]
    return min(known) if known else None


_ATTRIBUTE = "driver-attribute-unknown"


def driver_behind(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """Instead of libraries that are missing: a driver that could not run them. None where it is new enough or not told."""
    if unknown := told.named(_ATTRIBUTE):  # the program ended by it, with CUDA's libraries or without
        return Candidate("driver-too-old", Confidence.LIKELY, (place(unknown[0]), place(saying)), words_of(_ATTRIBUTE), title=title_of_text(_ATTRIBUTE))  # fmt: skip
    driver = case.facts.driver.version
    cuda = built_with(case, told) if isinstance(driver, Known) else None
    if cuda is None or not isinstance(driver, Known):
        return None
    floor = case.matrix.driver_floor(cuda, driver_os(case.facts))
    if not isinstance(floor, Known) or driver.value >= floor.value:
        return None
    offered = case.facts.nvml.cuda_version
    up_to = f" It offers CUDA {offered.value} at most." if isinstance(offered, Known) else ""
    words = f"This TensorFlow is built with CUDA {cuda.major}, which needs driver {floor.value} or newer; the log shows driver {driver.value}.{up_to} The CUDA libraries that the log misses would not help with this driver."
    title = f"Driver {driver.value} is too old for CUDA {cuda.major}, which this TensorFlow uses."
    return Candidate("driver-too-old", Confidence.LIKELY, (place(saying),), words, title=title)


def driver_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the page's own do."""
    driver = case.facts.driver.version
    cuda = built_with(case, told)
    if cuda is None or not isinstance(driver, Known):
        return ()
    floor = case.matrix.driver_floor(cuda, driver_os(case.facts))
    newer = install_driver(case.facts, case.matrix, known(floor))
    fitting = release_that_fits(case.facts, case.matrix, "this driver runs")
    return (newer, *fitting, on_cpu())


def of_the_image(finding: Finding, facts: Facts) -> Finding:
    """The finding with both releases, and in the words of a container that has a driver library of its own."""
    found = pair(facts)
    if finding.code != "driver-versions-differ" or found is None or found[0] == found[1]:
        return finding
    title = f"The loaded NVIDIA module is {found[0]}, but programs load the driver's library {found[1]}: they must match."
    return replace(finding, title=title)


_CHECK = "check-of-cuda"
_CHECK_TITLE = "TensorFlow aborted: the driver call {function} returned {number} ({why})."
_UNLOADED = 303
_UNLOADED_TITLE = "TensorFlow aborted: the NVIDIA driver is missing or not found (error 303)."
_UNLOADED_WORDS = "A part of this CUDA build needs the driver even without a GPU; other versions only print a message and run on the CPU. Without an NVIDIA GPU, the CPU build has no such part. With one, the driver is missing."


def checked(facts: Facts, saying: Saying) -> Candidate | None:
    """A check of TensorFlow's on an answer of the driver; None for any other text."""
    if saying.name != _CHECK:
        return None
    number = int(saying.told["number"])
    if number == _UNLOADED:
        return Candidate("driver-missing", Confidence.LIKELY, (place(saying),), _UNLOADED_WORDS, title=_UNLOADED_TITLE)  # fmt: skip
    code, why = cuda_meaning(number, facts)
    code = "check-failed" if CODES[code].family == "smoke" else code  # no row of the table fits
    title = _CHECK_TITLE.format(function=saying.told["function"], number=number, why=why)
    return Candidate(code, Confidence.LIKELY, (place(saying),), title=title)


# A GPU of a newer generation than the CUDA beside it: two lines that look healthy, and together are the cause.

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
    words = f"{device.name} has compute capability {device.compute_capability}, for which this build has no kernels. It is not too new: builds leave out different older generations, so another version may support it."
    title = f"This TensorFlow has no kernels for the GPU (compute capability {device.compute_capability})."
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
    words = "This build has no kernels for the GPU, which is newer than the build or older than its oldest generation; the log does not name it. TensorFlow lists the GPU, and the first operation fails. Custom builds support fewer generations than TensorFlow's own packages."
    title = "This build has no kernels for the GPU: it is too new or too old; the log does not show which."
    if _is_before_ampere(case, told):
        words = f"{words} {_AMPERE}"
        title = f"This TensorFlow (for CUDA {cuda_of(span(case, told)) or 10}) has no kernels for the GPU: usually the GPU is newer, such as an RTX 30 or later."
    opened = question((saying.code, *saying.rivals), "driver.devices")
    return of_line(saying, words, title, sure=Confidence.LIKELY, opened=opened)


def _is_before_ampere(case: Case, told: Testimony) -> bool:
    """TensorFlow up to 2.3 comes with CUDA 10.1 or older (the matrix), and the log names that."""
    return span(case, told).before(2, 4) and span(case, told).newest < (2, 4)


_AMPERE = "CUDA 10 does not support Ampere and newer (A100, RTX 30, RTX 40); TensorFlow 2.4 is the first for CUDA 11."


WHICH_GPU = (
    act("plan", "plan-for-this-gpu"),
    act("choose-image", "other"),
    act("edit-program", "rebuild-tensorflow-for-gpu"),
)


_VOLTA = ComputeCapability("7.0")
"""The newest generation of the first TensorFlow builds for CUDA 9."""


def _known(row: CudaSupport) -> tuple[ComputeCapability, ...]:
    return value_or(row.compute_capabilities, ())


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
    words = f"{gpu} needs CUDA {found.first} or newer, but this program uses CUDA {found.cuda}, whose newest supported generation is {found.highest}. cuBLAS and cuDNN have no kernels for it and fail; TensorFlow's own kernels are compiled by the driver at the first start, for many minutes."
    named = "" if _COMPUTE in found.device.name else f" ({found.device.name})"
    title = f"The GPU{named} is too new for CUDA {found.cuda}, which this program uses."
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


_TENSORFLOW_1 = act("choose-image", "use-nvidias-tensorflow-1-15-container")
"""github.com/NVIDIA/tensorflow/releases (23.03, read 2026-11-23); the driver by NVIDIA's release notes of 23.01; that it takes this fault away: qqwweee/keras-yolo3#332 (2024-03)."""


_NEWEST_PTX = (2, 21)
"""The first release whose PTX can be compiled for all GPUs that the matrix knows; what fails there is XLA's own compiler (TensorFlow issue 111958)."""


def newer_cuda_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the pair is not the cause, for the page's."""
    found = newer_than_cuda(case, told)
    if found is None and span(case, told).since(*_NEWEST_PTX):
        return (act("edit-program", "turn-off-xla-for-new-gpu"), act("set-variable", "run-on-cpu"))
    if found is None:
        unnamed = not gpus(case) and told.named(*_of_no_direction(case))
        first = (act("plan", "plan-for-new-gpu"),) if _is_before_ampere(case, told) else ()
        return (*(first or WHICH_GPU[:1]), *WHICH_GPU[1:], on_cpu()) if unnamed else ()
    fitting = [
        row.tensorflow
        for row in rows(case)
        if isinstance(row.cuda, Known)
        and row.cuda.value >= found.first
        and "rc" not in row.tensorflow
        and runs_on(row, case.facts)
    ]
    name = found.device.name
    image = act("choose-image", "use-build-of-newer-cuda", first=found.first, called=name)
    old = span(case, told).before(2, 3)
    if span(case, told).before(2, 0):
        return (_TENSORFLOW_1, image, on_cpu())
    if not fitting:
        return (image, on_cpu())
    newer = fix_here(
        case.facts,
        "change-packages",
        "use-tensorflow-of-newer-cuda",
        oldest=fitting[-1],
        newest=fitting[0],
        cuda=found.first,
    )
    return (image, newer, on_cpu()) if old else (newer, image, on_cpu())


# A GPU of which TensorFlow got next to nothing at its start: what fails for lack of memory afterwards only follows.

_NEXT_TO_NOTHING = 1100
"""MB. A GPU of generation 5.0 or newer has 2 GB at least, of which TensorFlow takes more than this where nobody else holds any."""
_GENERATION = 5
_FOLLOWS = ("gpu-library-no-memory", "gpu-out-of-memory", "gpu-dataset-on-device", "gpu-memory-fragmented")


def held_at_start(facts: Facts, told: Testimony) -> Candidate | None:
    """None where the program worked or something else failed, where the allocator's own accounts are told, and on boards that share theirs."""
    lacked = bool(told.of(*_FOLLOWS) or told.named("driver-refused-memory"))
    if not lacked and (told.codes or told.endings or told.ended_well or told.named("keras-step", "epoch")):
        return None
    small = starved(facts, told)
    if not small or shown(facts).jetson or dumps_of_gpus(facts):
        return None
    size, gpu = small[-1].told["size"], small[-1].told["gpu"]
    words = f"At its start TensorFlow takes nearly all free GPU memory, but got only {size} of this {gpu}. Other processes used the rest: a notebook kernel, an earlier run, another worker, another user. A limit that the program sets looks the same."
    title = f"TensorFlow got only {size} of the {gpu} at its start: others use the rest, or the program sets a limit."
    opened = question(("gpu-memory-held", "gpu-preallocation-clash"), "nvml.devices")
    return Candidate("gpu-memory-held", Confidence.LIKELY, (place(small[-1]),), words, opened, title)


def starved(facts: Facts, told: Testimony) -> tuple[Saying, ...]:
    """The lines of TensorFlow that tell of a GPU with next to no room, or with less than half of what nvidia-smi shows it to have."""
    sizes = (each.memory_total for each in value_or(facts.nvml.devices, ()))
    half = max((value_or(each, 0) for each in sizes), default=0) >> 21
    return tuple(each for each in told.named("gpu-created", "gpu-created-old") if _is_small(each, half))


def _is_small(created: Saying, half: int) -> bool:
    """`half` of the GPU's memory in MB; 0 where the log does not tell."""
    megabytes, generation = (
        created.told["size"].partition(" ")[0],
        created.told.get("capability", "").partition(".")[0],
    )
    least = max(_NEXT_TO_NOTHING, half)
    return generation.isdigit() and int(generation) >= _GENERATION and int(megabytes) < least


# GPUs that XLA, TensorFlow's compiler, can't set up: one that is too old for it, or one that gave it no context.

_ONE, _ALL = "xla-device-refused", "xla-no-device"
_LOWEST = ComputeCapability("3.5")
"""The lowest that XLA takes (compiler/xla/service/platform_util.cc, kMinCudaComputeCapabilityMajor and Minor, TensorFlow 1.12 to 2.4)."""
_SETS_UP = "TensorFlow 1.14 to 2.3 start XLA, their compiler, on every visible GPU, and one that XLA rejects ends the program at its start."
_UNKNOWN = " XLA rejects GPUs below compute capability 3.5, and those where it gets no context: another process uses its memory or has exclusive use, or a MIG slice is missing. These lines do not show which."

_FULL_TITLE = "The GPU has too little free memory to start: others use it, or it is very small."
_FULL = "A program needs a context of some hundred MB on the GPU, and the driver refused it for lack of memory. Other processes use nearly all of it, or the GPU is small and also drives a display. XLA's later messages are consequences."


def refused_by_xla(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """None for any other text."""
    if saying.name not in (_ONE, _ALL):
        return None
    at = (place(saying),)
    if old := _too_old(case, saying):
        words = f"{_SETS_UP} {old.name} is GPU {old.index}, and has compute capability {old.compute_capability}; XLA takes none below {_LOWEST}."
        title = (
            f"GPU {old.index} ({old.name}) is too old for XLA, which TensorFlow starts on every visible GPU."
        )
        return Candidate("compute-capability-too-low", Confidence.CERTAIN, at, words, title=title)
    if smaller := _smaller(case, saying):
        words = f"{_SETS_UP} GPU {smaller.index} is {smaller.name} (compute capability {smaller.compute_capability}), which TensorFlow itself leaves out beside larger ones where it has fewer than eight multiprocessors; XLA counts it all the same."
        title = f"GPU {smaller.index} ({smaller.name}) is too small or too old and stops XLA at the start."
        return Candidate("compute-capability-too-low", Confidence.LIKELY, at, words, title=title)
    if full := told.named("context-without-memory"):
        return Candidate("gpu-memory-held", Confidence.LIKELY, (place(full[0]),), _FULL, question(("gpu-memory-held", "gpu-out-of-memory"), "nvml.devices"), _FULL_TITLE)  # fmt: skip
    opened = question(("compute-capability-too-low", "gpu-memory-held", "gpu-busy-exclusive", "mig-misused"), "nvml.devices")  # fmt: skip
    which = f"GPU {saying.told['device']}" if "device" in saying.told else "any GPU of this process"
    title = f"XLA, TensorFlow's compiler, could not start {which}: it is too old, or others use it."
    return Candidate(saying.code, Confidence(saying.sure), at, f"{_SETS_UP}{_UNKNOWN}", opened, title)


def _too_old(case: Case, saying: Saying) -> CudaDevice | None:
    """The GPU of that number, where the log lists it and it is too old; of all, the first."""
    devices = value_or(case.facts.driver.devices, ())
    old = [each for each in devices if each.compute_capability < _LOWEST]
    number = saying.told.get("device", "")
    if number:
        return next((each for each in old if str(each.index) == number), None)
    return old[0] if old and len(old) == len(devices) else None


def _smaller(case: Case, saying: Saying) -> CudaDevice | None:
    """The GPU of that number, where the log lists newer ones beside it."""
    devices = value_or(case.facts.driver.devices, ())
    own = next((each for each in devices if str(each.index) == saying.told.get("device", "")), None)
    if own is None or all(each.compute_capability <= own.compute_capability for each in devices):
        return None
    return own


def left_out_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Without the GPU that XLA does not take; () where none was refused."""
    refused = told.named(_ONE, _ALL)
    if not refused:
        return ()
    devices = value_or(case.facts.driver.devices, ())
    number = refused[0].told.get("device", "")
    others = [str(each.index) for each in devices if str(each.index) != number and each.compute_capability >= _LOWEST]  # fmt: skip
    look = act("look", "gpu-memory")
    cpu = act("set-variable", "run-on-cpu")
    if others and number:
        keep = act("set-variable", "use-other-gpus", value=",".join(others))
        return (keep, cpu)
    if any(_too_old(case, each) for each in refused):
        return (cpu,)
    one = act("set-variable", "try-each-gpu-in-turn")
    return (look, cpu, one)


# A GPU of Intel's or AMD's, and a TensorFlow that is built for NVIDIA's CUDA.

CODE = "gpu-absent"


def of_another_maker(facts: Facts, at: tuple[Place, ...]) -> Candidate | None:
    """None where the log names no GPU of Intel's or AMD's, or one of NVIDIA's beside it."""
    name = shown(facts).other_gpu
    if not name or value_or(facts.host.os, "linux") == "macos":
        return None
    words = f"The log shows {name} and no NVIDIA GPU. TensorFlow's own builds support only NVIDIA GPUs, so driver, CUDA, and cuDNN do not help. It runs on the CPU."
    title = f"The log shows {name}, but TensorFlow's own builds support only NVIDIA GPUs."
    return Candidate(CODE, Confidence.LIKELY, at, words, title=title)


# A GPU that a program asks for by its number, an operation that only a GPU has, and AMD's GPUs under another one's name.

_BY_NUMBER = ("ordinal-out-of-range", "visible-list-out-of-range", "ordinal-invalid")
_COUNTED = "CUDA numbers a process's visible GPUs from 0. CUDA_VISIBLE_DEVICES, a scheduler, or a container decides which are visible: with one visible GPU the only number is 0."
_XLA = (
    " XLA, TensorFlow's compiler, counts all GPUs, also those hidden by set_visible_devices and those too old for TensorFlow. "
    "CUDA_VISIBLE_DEVICES hides them from both."
)
_TITLE = "The program selects a GPU number that does not exist in this process."
OF_RAY = (act("give-gpu", "ray"), act("look", "ray-gpus"))


def by_number(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None for any other text, and where MIG, which has numbers of its own, shows."""
    if saying.name not in _BY_NUMBER or _has_mig(facts):
        return None
    words = f"{_COUNTED}{_XLA}" if saying.name == "ordinal-out-of-range" else _COUNTED
    numbered = next((each for each in told.named(*_BY_NUMBER) if each.told.get("device")), None)
    title = _TITLE if numbered is None else _numbered(numbered)
    return Candidate("gpu-hidden", Confidence(saying.sure), (place(saying),), words, question(("gpu-hidden", "mig-misused"), "environment.variables"), title)  # fmt: skip


def _numbered(saying: Saying) -> str:
    many = int(saying.told.get("number") or int(saying.told.get("limit", "0")) + 1)
    seen = "one GPU" if many == 1 else f"{many} GPUs" if many else "no GPU"
    return f"The program asks for GPU {saying.told['device']}, but the process sees {seen}, counted from 0."


def _has_mig(facts: Facts) -> bool:
    devices = facts.nvml.devices
    return isinstance(devices, Known) and any("MIG" in str(each) for each in devices.value)


def number_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where no GPU was asked for by a wrong number."""
    if not told.named(*_BY_NUMBER):
        return ()
    return (
        act("set-variable", "select-existing-gpus"),
        act("edit-program", "give-each-mpi-process-own-gpu"),
        act("edit-program", "gpu-number"),
    )


_FORM_OF_GPUS = "TensorFlow supports {op} in this form only on GPUs (convolutions in the layout NCHW, for instance), and this process has no GPU: the message lists the devices. Usually TensorFlow did not find the CUDA libraries, or is a build without CUDA; no line here says why."
_FORM_OF_GPUS_TITLE = "The program uses {op} in a form that only GPUs support, but TensorFlow has no GPU."


def without_a_gpu_for_it(told: Testimony) -> Candidate | None:
    """An operation that has kernels for GPUs, and none that fits for the devices that are there: processors."""
    said, no_gpu = told.named("op-without-kernel"), told.named("registered-devices-cpu")
    if not (said and no_gpu and told.named("kernel-of-gpus")) or told.named(
        "cuda-op-without-kernel", "nccl-no-kernel"
    ):
        return None
    op = said[-1].told["op"]
    opened = question(
        ("cuda-libraries-missing", "tensorflow-cpu-only", "gpu-hidden"), "cuda_libraries.libraries"
    )
    return Candidate("cuda-libraries-missing", Confidence.POSSIBLE, (place(said[-1]),), _FORM_OF_GPUS.format(op=op), opened, _FORM_OF_GPUS_TITLE.format(op=op))  # fmt: skip


def gpu_kernel_fixes(told: Testimony) -> tuple[Fix, ...]:
    """Why there is no GPU has to be found first: no release and no system is known that could be changed."""
    said = told.named("op-without-kernel", "cuda-op-without-kernel")
    others = [each for each in told.of("cuda-libraries-missing") if each.role == "cause"]
    if not said or others or not told.named("registered-devices-cpu"):
        return ()
    return (
        act("look", "gpu-listed"),
        act("look", "tensorflow-gpu-name"),
        act("edit-program", "use-layouts-and-layers-cpu-supports"),
    )


# Functions of a library that TensorFlow looked for when it needed them, and TensorRT of another release than the build's.

MISMATCHES = ("tensorrt-mismatch", "tensorrt-linked-other")


# CUDA in a container on a Jetson board: up to JetPack 4 it is no part of the image, NVIDIA's runtime brings it in from the board.

_CODE = "container-without-gpu"
_OF_THE_BOARD = Expression(
    r"^lib(?:(?:cudart|cublas|cufft|curand|cusolver|cusparse)\w{0,3}\.so\.10|cudnn\w{0,12}\.so\.[78]|nvinfer\w{0,10}\.so\.[5-8])\b"
)
"""Libraries of JetPack 4 (CUDA 10.0 and 10.2, cuDNN 7 and 8, TensorRT 5 to 8): mounted into l4t images by NVIDIA's runtime
(NVIDIA's page NVIDIA Container Runtime on Jetson, read 2026-11-23). Images for JetPack 5 and newer hold CUDA themselves."""
_BOARDS_TITLE = "This Jetson container does not find {library}: it was started without NVIDIA's runtime, or its image is for another JetPack."
_WORDS = "Up to JetPack 4 (L4T r32) Jetson images contain no CUDA: NVIDIA's runtime mounts CUDA, cuDNN, and TensorRT from the board's JetPack. Without that runtime, or if the board lacks them, nothing is found. An image for another JetPack needs other versions than the board has. TensorFlow then runs on the CPU, or can't be imported."


def on_a_board(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None elsewhere than in a container on such a board, and for a library that such an image holds itself."""
    library = saying.told.get("library", "")
    if not _boxed(facts, told) or not _OF_THE_BOARD.search(library):
        return None
    return Candidate(
        _CODE, Confidence.LIKELY, (place(saying),), _WORDS, title=_BOARDS_TITLE.format(library=library)
    )


def _boxed(facts: Facts, told: Testimony) -> bool:
    around = shown(facts)
    named = any("l4t-" in each.text or "docker" in each.text for each in told.sayings)
    return around.jetson and (isinstance(facts.host.container, Known) or around.compose or named)


def board_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() for any other place."""
    missing = (each for each in told.of("cuda-libraries-missing"))
    if code != _CODE or not any(on_a_board(facts, told, each) for each in missing):
        return ()
    compose, docker = (
        act("give-gpu", "recreate-service-with-nvidias-runtime"),
        act("give-gpu", "start-l4t-container-with-nvidia-runtime"),
    )
    return (compose if shown(facts).compose else docker, act("look", "l4t-vs-image"))


# A GPU that TensorFlow shares with PyTorch or JAX: one of them reserved the memory that the other asks for.

_NAME = "torch-ran-out"
_CLASH, _HELD = "gpu-preallocation-clash", "gpu-memory-held"
_TOTAL = Expression(
    r"(?P<size>\d{1,9}(?:\.\d{1,6})?) (?P<unit>[KMGT]iB) total capacity|total capacity of (?P<size_2>\d{1,9}(?:\.\d{1,6})?) (?P<unit_2>[KMGT]iB)"
)
_OWN = Expression(
    r"(?P<size>\d{1,9}(?:\.\d{1,6})?) (?P<unit>bytes|[KMGT]iB) reserved in total by PyTorch|(?P<size_2>\d{1,9}(?:\.\d{1,6})?) (?P<unit_2>bytes|[KMGT]iB) (?:is )?allocated by PyTorch"
)
_UNITS = {"bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_A_PART = 4
"""A program that holds less than a quarter of the GPU did not fill it."""
_TENSORFLOW = ("gpu-created", "gpu-created-old")


_OF_CUDNN = ("dnn-not-found", "dnn-init-failed", "no-cudnn-algorithm")
_KNOWN_OTHERWISE = ("cudnn-incomplete", "cudnn-drops-gpu", "cuda-libraries-missing", "cuda-libraries-mixed", "gpu-too-new-for-build")  # fmt: skip
_JAX_TITLE = "cuDNN could not start for JAX, usually for lack of GPU memory."
_JAX_WORDS = "JAX reserves three quarters of the GPU's memory, and TensorFlow in the same process nearly all of it, even if only its datasets are used."


def without_cudnn_memory(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """The finding for a cuDNN that JAX could not set up; None where a line names another reason."""
    if saying.name not in _OF_CUDNN or not _is_of_jax(facts, told):
        return None
    opened = question((_CLASH, "cudnn-version-mismatch"), "nvml.devices")
    return Candidate(_CLASH, Confidence.LIKELY, (place(saying),), _JAX_WORDS, opened, _JAX_TITLE)


def _is_of_jax(facts: Facts, told: Testimony) -> bool:
    if not shown(facts).jax or told.of(*_KNOWN_OTHERWISE):
        return False
    return all(each.name in _OF_CUDNN for each in told.of("cudnn-version-mismatch"))


def of_shared_gpu(told: Testimony, saying: Saying) -> Candidate | None:
    """None where PyTorch itself holds the memory, and for other sayings."""
    total, own = _size(_TOTAL, saying.text), _size(_OWN, saying.text)
    if saying.name != _NAME or not total or own is None or own * _A_PART > total:
        return None
    of_tensorflow = bool(told.named(*_TENSORFLOW))
    who = "TensorFlow in the same program has" if of_tensorflow else "another program, or TensorFlow or JAX in this one, has"  # fmt: skip
    title = f"PyTorch uses {_shown(own)} of the GPU's {_shown(total)} and gets no more: {who} taken the rest."
    words = "TensorFlow reserves nearly all of a GPU's memory at its start, and JAX three quarters; what starts later finds the GPU full. A smaller batch does not help."
    code = _CLASH if of_tensorflow else _HELD
    opened = question((_HELD, _CLASH), "nvml.devices")
    return Candidate(code, Confidence.LIKELY, (place(saying),), words, None if of_tensorflow else opened, title)  # fmt: skip


def _size(form: Expression, text: str) -> float | None:
    """Bytes; None where the text does not tell."""
    found = form.search(text)
    if found is None:
        return None
    return float(found["size"] or found["size_2"]) * _UNITS[found["unit"] or found["unit_2"]]


def _shown(size: float) -> str:
    return f"{size / _UNITS['GiB']:.1f} GiB" if size >= _UNITS["GiB"] else f"{size / _UNITS['MiB']:.0f} MiB"


# A GPU that is older than all published builds: the libraries that are missed, too, would not help it.

_FIRST = ComputeCapability("3.5")
"""The lowest that TensorFlow's packages of pip have code for, from 1.0 to 2.x (its page "Install TensorFlow", GPU support, read 2026-11-23)."""


def too_old(case: Case, saying: Saying) -> Candidate | None:
    """None where a GPU of the log is new enough, or none is named."""
    devices = gpus(case)
    if not devices or max(each.compute_capability for each in devices) >= _FIRST:
        return None
    device = devices[0]
    words = f"{device.name} has compute capability {device.compute_capability}. pip's TensorFlow has never supported GPUs below {_FIRST}. It does not find the CUDA libraries, either, but they would not help. TensorFlow runs on the CPU."
    title = f"The GPU is too old for every TensorFlow (compute capability {device.compute_capability}, lowest {_FIRST})."
    return Candidate("compute-capability-too-low", Confidence.LIKELY, (place(saying),), words, title=title)


def old_gpu_fixes(case: Case) -> tuple[Fix, ...]:
    """() where the GPU is new enough for some release, or none is named."""
    devices = gpus(case)
    if not devices:
        return ()
    if max(each.compute_capability for each in devices) >= _FIRST:
        number = devices[0].compute_capability
        return (act("plan", "plan-for-capability", called=devices[0].name, number=number), on_cpu())
    build = act("edit-program", "build-tensorflow-for-old-gpu")
    return (on_cpu(), build)
