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
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.cases import plain
from tfdoctor.judge.log.memory import dumps_of_gpus
from tfdoctor.judge.log.spans import cuda_of, minor, rows, runs_on, runtimes, shown, span
from tfdoctor.judge.log.testimony import Place, Testimony, place
from tfdoctor.judge.log.words import fix_here
from tfdoctor.judge.questions.gpu import driver_os
from tfdoctor.judge.questions.versions_match import pair
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.matrix.model import CudaSupport
from tfdoctor.knowledge.model import Confidence, Finding, Fix
from tfdoctor.knowledge.says import says

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
    newer = any(
        path in each.text for each in told.of("cuda-libraries-missing") for path in _OF_2_15
    )
    major = majors[0] if majors else 12 if newer else 0
    major = min(major, 19) if major < 20 else 0  # cudart64_101 is 10.1
    known = [row.version for row in case.matrix.cuda_rows if row.version.major == major]
    return min(known) if known else None


_ATTRIBUTE = "driver-attribute-unknown"


def driver_behind(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """Instead of libraries that are missing: a driver that could not run them. None where it is new enough or not told."""
    if unknown := told.named(
        _ATTRIBUTE
    ):  # the program ended by it, with CUDA's libraries or without
        return replace(plain(case.facts, unknown[0]), places=(place(unknown[0]), place(saying)))
    driver = case.facts.driver.version
    cuda = built_with(case, told) if isinstance(driver, Known) else None
    if cuda is None or not isinstance(driver, Known):
        return None
    floor = case.matrix.driver_floor(cuda, driver_os(case.facts))
    if not isinstance(floor, Known) or driver.value >= floor.value:
        return None
    return of_page("driver-too-old", "log", (place(saying),), values={"cuda": cuda.major, "floor": floor.value, "driver": driver.value})  # fmt: skip


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
    module, library = found
    title = says("driver-versions-differ", "of-the-log-title", module=module, library=library)
    return replace(finding, title=title)


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
        (each for row in case.matrix.cuda_rows if row.version == cuda for each in _known(row)),
        default=None,
    )
    for device in devices:
        knowing = [
            row.version
            for row in case.matrix.cuda_rows
            if any(each.major == device.compute_capability.major for each in _known(row))
        ]
        if highest is not None and device.compute_capability.major > highest.major and knowing:
            return Pair(device, cuda, highest, min(knowing))
    return None


def not_newer(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """A build without code for the GPU, where the GPU is of a generation that each TensorFlow for CUDA 9 and newer is later than.

    2.3.0 and 2.3.1, for instance, leave out 5.0, which the releases before and after them hold. Where no GPU is named, which of the two it is stays open.
    """
    devices, at = gpus(case), (place(saying),)
    if not devices and saying.name in _OF_NO_DIRECTION:
        others, fact = saying.rivals, "driver.devices"
        if _is_before_ampere(case, told):
            cuda = cuda_of(span(case, told)) or 10
            return of_page("gpu-too-new-for-build", "before-ampere", at, others=others, fact=fact, values={"cuda": cuda})  # fmt: skip
        return of_page("gpu-too-new-for-build", "either", at, others=others, fact=fact)
    if not devices or max(each.compute_capability for each in devices) >= _VOLTA:
        return None
    return of_page("compute-capability-too-low", "left-out", at, values={"gpu": devices[0].name, "capability": devices[0].compute_capability})  # fmt: skip


def _is_before_ampere(case: Case, told: Testimony) -> bool:
    """TensorFlow up to 2.3 comes with CUDA 10.1 or older (the matrix), and the log names that."""
    return span(case, told).newest < (2, 4)


_OF_NO_DIRECTION = (
    "no-binary-for-gpu",
    "no-kernel-image",
    "device-image-invalid",
    "cubin-of-another-gpu",
)
"""They say that there is no code for the GPU, and not on which side of the build's generations it is."""
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
        for row in case.matrix.cuda_rows
        if row.version.major == major and (major > 10 or row.version.minor == own)
    ]
    of_builds = [
        each for each in built if each.major == major and (major > 10 or each.minor == own)
    ]
    return max(
        of_builds or fitting or [each for each in built if each.major == major], default=None
    )


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
    words = says("gpu-too-new-for-build", "pair", gpu=gpu, first=found.first, cuda=found.cuda, highest=found.highest)  # fmt: skip
    title = says("gpu-too-new-for-build", "pair-title", gpu=gpu, cuda=found.cuda)
    places = tuple(map(place, failed)) or _shown_at(case)
    certain = told.of(*(each for each in _FAILED if each != "ptxas-too-old")) and runtimes(
        case, told
    )
    sure = Confidence.CERTAIN if certain else Confidence.LIKELY
    code = "gpu-too-new-for-build" if failed else "ptx-jit-slow-start"
    return Candidate(code, sure, places, words, title=title)


def _tells_without_failure(case: Case, told: Testimony) -> bool:
    """Whether the pair alone is worth telling: TensorFlow shows both itself, or it stands still behind a library of that CUDA."""
    if isinstance(case.facts.driver.devices, Known):
        return not isinstance(case.facts.tensorflow.version, Known)
    return (
        isinstance(case.facts.log.open_end, Known)
        and bool(runtimes(case, told))
        and not told.ended_badly
    )


_COMPUTE = "compute capability"


def _with_capability(device: CudaDevice) -> str:
    """Its name, which is no more than its capability where the log tells no other."""
    if _COMPUTE in device.name:
        return f"of {_COMPUTE} {device.compute_capability}"
    return f"{device.name} ({_COMPUTE} {device.compute_capability})"


def _shown_at(case: Case) -> tuple[Place, ...]:
    source = (
        case.facts.driver.devices.source if isinstance(case.facts.driver.devices, Known) else ""
    )
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
        if gpus(case) or not told.named(*_OF_NO_DIRECTION):
            return ()
        first = act("plan", "plan-for-new-gpu") if _is_before_ampere(case, told) else WHICH_GPU[0]
        return (first, *WHICH_GPU[1:], on_cpu())
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
_FOLLOWS = (
    "gpu-library-no-memory",
    "gpu-out-of-memory",
    "gpu-dataset-on-device",
    "gpu-memory-fragmented",
)


def held_at_start(facts: Facts, told: Testimony) -> Candidate | None:
    """None where the program worked or something else failed, where the allocator's own accounts are told, and on boards that share theirs."""
    lacked = bool(told.of(*_FOLLOWS) or told.named("driver-refused-memory"))
    if not lacked and (
        told.codes or told.endings or told.ended_well or told.named("keras-step", "epoch")
    ):
        return None
    small = starved(facts, told)
    if not small or shown(facts).jetson or dumps_of_gpus(facts):
        return None
    size, gpu = small[-1].told["size"], small[-1].told["gpu"]
    at, others = (place(small[-1]),), ("gpu-preallocation-clash",)
    return of_page("gpu-memory-held", "next-to-nothing", at, others=others, fact="nvml.devices", values={"size": size, "gpu": gpu})  # fmt: skip


def starved(facts: Facts, told: Testimony) -> tuple[Saying, ...]:
    """The lines of TensorFlow that tell of a GPU with next to no room, or with less than half of what nvidia-smi shows it to have."""
    sizes = (each.memory_total for each in value_or(facts.nvml.devices, ()))
    half = max((value_or(each, 0) for each in sizes), default=0) >> 21
    return tuple(
        each for each in told.named("gpu-created", "gpu-created-old") if _is_small(each, half)
    )


def _is_small(created: Saying, half: int) -> bool:
    """`half` of the GPU's memory in MB; 0 where the log does not tell."""
    megabytes, generation = (
        created.told["size"].partition(" ")[0],
        created.told.get("capability", "").partition(".")[0],
    )
    least = max(_NEXT_TO_NOTHING, half)
    return generation.isdigit() and int(generation) >= _GENERATION and int(megabytes) < least


# Functions of a library that TensorFlow looked for when it needed them, and TensorRT of another release than the build's.

MISMATCHES = ("tensorrt-mismatch", "tensorrt-linked-other")


# A GPU that is older than all published builds: the libraries that are missed, too, would not help it.

_FIRST = ComputeCapability("3.5")
"""The lowest that TensorFlow's packages of pip have code for, from 1.0 to 2.x (its page "Install TensorFlow", GPU support, read 2026-11-23)."""


def too_old(case: Case, saying: Saying) -> Candidate | None:
    """None where a GPU of the log is new enough, or none is named."""
    devices = gpus(case)
    if not devices or max(each.compute_capability for each in devices) >= _FIRST:
        return None
    return of_page(
        "compute-capability-too-low", "before-all", (place(saying),),
        values={"gpu": devices[0].name, "capability": devices[0].compute_capability, "lowest": _FIRST},
    )  # fmt: skip


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
