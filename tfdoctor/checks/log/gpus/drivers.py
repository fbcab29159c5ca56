"""The driver that a log shows beside the CUDA that its TensorFlow was built with: libraries help only a driver that runs them."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.own_words import title_of_text, words_of
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.questions.driver_codes import cuda_meaning
from tfdoctor.checks.questions.gpu import driver_os
from tfdoctor.checks.questions.versions_match import pair
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.facts.versions import ComputeCapability, CudaRelease, DriverRelease
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Finding, Fix
from tfdoctor.fixes.driver import install_driver
from tfdoctor.fixes.install import install_commands
from tfdoctor.fixes.libraries import on_cpu, release_that_fits
from tfdoctor.fixes.machine import machine_from_facts
from tfdoctor.light.expressions import Expression  # reads no log: names of libraries
from tfdoctor.light.records import replace

_SOME_GPU = ComputeCapability("5.0")
_RUNTIME = Expression(r"cudart(?:\.so\.|64_)(?P<major>\d\d)")
_OF_2_15 = ("external/local_xla/", "external/local_tsl/")
"""Paths of sources that TensorFlow's log names since 2.15, the first release for CUDA 12 alone (recordings of 2.14 and 2.15)."""
_LAST_OF_KEPLER = range(470, 480)
"""The last branch of the driver for Kepler cards; on Windows it counts up to 47x (NVIDIA, legacy GPUs; read 2026-11-22)."""


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
    words = (
        f"This TensorFlow is built with CUDA {cuda.major}, which needs driver {floor.value} or newer; the log shows driver {driver.value}.{up_to} "
        "That TensorFlow does not find CUDA's libraries is told in the log, too; they would not help this driver."
    )
    title = (
        f"The driver {driver.value} is too old for CUDA {cuda.major}, which this TensorFlow is built with."
    )
    return Candidate("driver-too-old", Confidence.LIKELY, (place(saying),), words, title=title)


def driver_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the page's own do."""
    driver = case.facts.driver.version
    cuda = built_with(case, told)
    if cuda is None or not isinstance(driver, Known):
        return ()
    floor = case.matrix.driver_floor(cuda, driver_os(case.facts))
    newer = install_driver(case.facts, case.matrix, floor.value if isinstance(floor, Known) else None)
    fitting = release_that_fits(case.facts, case.matrix, "this driver runs") or _fitting(case, driver.value)
    return (newer, *fitting, on_cpu(case.facts))


def _fitting(case: Case, driver: DriverRelease) -> tuple[Fix, ...]:
    """The newest release whose CUDA this driver runs, where the log does not name the GPU."""
    for row in case.matrix.releases():
        floor = (
            case.matrix.driver_floor(row.cuda.value, driver_os(case.facts))
            if isinstance(row.cuda, Known)
            else None
        )
        if isinstance(floor, Known) and driver >= floor.value:
            machine = replace(
                machine_from_facts(case.facts),
                gpus=Known((_SOME_GPU,), "the log shows one"),
                python=Absent("any Python will do"),
            )
            kepler = " Branch 470 is the last for Kepler cards (GeForce 600 and 700), which get no newer driver." if driver.major in _LAST_OF_KEPLER else ""  # fmt: skip
            title = f"Where the card gets no newer driver, use TensorFlow {row.tensorflow}, the newest whose CUDA this driver runs"
            return (
                Fix(
                    title,
                    install_commands(row, machine, case.matrix),
                    f"In an environment of its own.{kepler}",
                ),
            )
    return ()


def of_an_image(facts: Facts) -> bool:
    """A container whose driver library is newer than the host's module: mostly the image brings the library itself."""
    found = pair(facts)
    return (
        isinstance(facts.host.container, Known) and found is not None and found[1].numbers > found[0].numbers
    )


def of_the_image(finding: Finding, facts: Facts) -> Finding:
    """The finding with both releases, and in the words of a container that has a driver library of its own."""
    found = pair(facts)
    if finding.code != "driver-versions-differ" or found is None or found[0] == found[1]:
        return finding
    if not of_an_image(facts):
        title = f"The kernel runs NVIDIA driver {found[0]}, and programs open the driver's library {found[1]}: they have to be the same."
        return replace(finding, title=title)
    words = (
        f"The host's kernel runs driver {found[0]}, and the program in the container opened libcuda {found[1]}, which is newer. Two things look so: "
        "the image brings a driver library of its own, as images with a newer CUDA do (forward compatibility, for data-center GPUs alone), or the "
        "host's driver was updated and the host not rebooted since. What nvidia-smi says on the host tells which."
    )
    title = f"The container opens the driver's library {found[1]}, and the host runs driver {found[0]}."
    return replace(finding, title=title, explanation=words)


def image_driver_fixes(facts: Facts) -> tuple[Fix, ...]:
    """() where the library is not the container's own."""
    found = pair(facts)
    if found is None or not of_an_image(facts):
        return ()
    wanted, module = found[1], found[0]
    return (
        fix("start-container-with-hosts-library-before"),
        fix("update-driver-on-host-to-or", wanted=wanted, module=module),
        fix("or-take-image-whose-cuda-hosts"),
    )


_IMAGE = "toolkit-requirement"
_IMAGE_TITLE = (
    "The container image asks for a driver that serves CUDA {cuda}, and the host's driver is older."
)
_IMAGE_WORDS = (
    "The image was built with CUDA {cuda} and says so to the NVIDIA Container Toolkit, which asks the host's driver before it starts the container: that one serves only an older CUDA. {brand}"
    "An image can't bring a driver of its own; the program was not started."
)
_BRAND = "The part that the message names (brand = tesla) is an exception for data centre cards with certain drivers, and it does not hold here. "


def of_image(told: Testimony, saying: Saying) -> Candidate | None:
    """None where the container toolkit refused no image, or nothing names the CUDA that it asks for."""
    if saying.name != _IMAGE:
        return None
    asked = [each.told["wanted"] for each in told.named("image-requires-cuda")]
    if saying.told["library"] == "cuda":
        asked.insert(0, saying.told["wanted"].lstrip("<>=! "))
    if not asked:
        return None
    words = _IMAGE_WORDS.format(cuda=asked[0], brand="" if saying.told["library"] == "cuda" else _BRAND)
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=_IMAGE_TITLE.format(cuda=asked[0]))  # fmt: skip


_CHECK = "check-of-cuda"
_CHECK_TITLE = "TensorFlow aborted: the driver answered {function} with {number} ({why})."
_UNLOADED = 303
_UNLOADED_TITLE = "TensorFlow aborted: NVIDIA's driver library can't be loaded here (the answer 303), so this machine has no NVIDIA driver, or TensorFlow does not find it."
_UNLOADED_WORDS = (
    "This TensorFlow is built for CUDA, and one of its parts asks the driver although there is none; others of its releases only say so and compute on the processor. On a machine without an NVIDIA GPU the build for the "
    "processor has no such part. On one with such a GPU the driver is what is missing."
)
UNLOADED_FIXES = (
    fix("without-nvidia-gpu-take-build-for"),
    fix("with-nvidia-gpu-see-whether-driver"),
)  # fmt: skip


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


def checked_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where no check failed for lack of the driver's library."""
    said = [each for each in told.named(_CHECK) if int(each.told["number"]) == _UNLOADED]
    return UNLOADED_FIXES if said and code == "driver-missing" else ()
