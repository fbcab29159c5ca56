"""Containers that do not start, or start without the GPU."""

from __future__ import annotations

from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.judge.log.candidate import Candidate, one_of
from tfdoctor.judge.log.spans import shown, shows_a_driver
from tfdoctor.judge.log.testimony import TESTS, Testimony, place
from tfdoctor.judge.log.wishes import wished
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.pages import ways_out

# Containers, and the pods of Kubernetes, that do not start or get no GPU: what their engines say, what it means and what helps.


_REFUSED_BY = {
    "toolkit-refused": ("container-without-gpu", "The NVIDIA Container Toolkit could not prepare the container: {message}."),
    "apptainer-refused": ("command-not-started", "Apptainer (Singularity) could not start the container: {message}."),
    "docker-refused": ("command-not-started", "Docker refused to start the container: {message}."),
}  # fmt: skip
"""The nearest to the cause first: Docker passes on what the toolkit says."""
_BEFORE_THE_PROGRAM = "The container was not started, so nothing of TensorFlow has run. The reason is what the message says last, before the word unknown."
_LONG = 200


def not_started(told: Testimony) -> Candidate | None:
    """A container that its engine refused, in words that no other signature knows."""
    if told.codes:
        return None
    for name, (code, title) in _REFUSED_BY.items():
        if said := told.named(name):
            message = said[0].told["message"].removesuffix(": unknown.").rstrip(" .")
            short = message if len(message) <= _LONG else f"… {message[-_LONG:]}"
            return Candidate(code, Confidence.LIKELY, tuple(map(place, said[:1])), _BEFORE_THE_PROGRAM, title=title.format(message=short))  # fmt: skip
    return None


# A process that gets no GPU: of a container, a pod or WSL, or one whose log shows only that the driver offered none.

NO_LIBCUDA = ("cuinit-303", "libcuda-not-opened", "nvcuda-not-found")
UTILITY = "driver-part-utility"
_APPTAINER = (act("give-gpu", "start-with-gpu"),)
_POD = (
    act("look", "pod-gpus"),
    act("look", "node-gpus"),
)  # fmt: skip
NODES = (
    act("look", "node-gpus-in-use"),
    act("look", "idle-pods"),
    act("give-gpu", "request-fewer-gpus-for-pod"),
)  # fmt: skip
"""For a pod that waits for lack of a GPU (Kubernetes documentation, "Schedule GPUs", read 2026-11-23)."""
_OF_ENGINE = {"apptainer": _APPTAINER, "singularity": _APPTAINER, "kubernetes": _POD, "containerd": _POD}


WITHOUT_A_GPU = (
    "container-without-gpu",
    "driver-module-not-loaded",
    "gpu-absent",
    "driver-missing",
    "cuda-libraries-missing",
)
"""What a container, and a machine whose image brings the driver, say where there is no GPU and none is wanted."""


def on_the_cpu(facts: Facts, told: Testimony, code: str) -> bool:
    """A process without a GPU whose work went well, and whose log names no GPU or CUDA that somebody wanted."""
    return _had_no_use(told, code) and unwanted(facts, told, code)


def title_on_the_cpu(facts: Facts, told: Testimony, code: str) -> str:
    """ "" where a driver was found, or the work did not go on without one."""
    ran = told.named(*NO_LIBCUDA) and on_the_cpu(facts, told, code)
    return "The program ran on the CPU: no GPU driver found." if ran else ""


def told_so_alone(facts: Facts, told: Testimony, code: str) -> bool:
    """No more than TensorFlow's own lines about a driver that is not there. It writes them on every machine without a GPU, and nothing shows that
    somebody wanted one or that the program failed."""
    without_a_driver = code in _TOLD_SO or (code == _CUDA and bool(told.named(*NO_LIBCUDA)))
    others = any(each.role == "cause" and each.name not in _ANSWERS for each in told.sayings)
    if (
        not without_a_driver
        or shows_a_driver(facts)
        or told.endings
        or others
        or told.named("stubs-on-the-path")
    ):
        return False
    return unwanted(facts, told, code)


_CUDA = "cuda-libraries-missing"
_TOLD_SO = ("gpu-absent", "container-without-gpu", "driver-library-unreachable")


def unwanted(facts: Facts, told: Testimony, code: str) -> bool:
    """Nothing but TensorFlow's own lines speaks of a GPU or of CUDA."""
    return not wished(facts, told) and not any(each.name not in _ANSWERS for each in told.of(code))


def _had_no_use(told: Testimony, code: str) -> bool:
    """Whether the work went on without one: steps of a training, or, where nothing of CUDA is on the path, a tool's own words. A driver that answers
    is there for some GPU: then a training that goes on does not tell that none was wanted."""
    informed = told.informed and told.spoke > told.stepped
    if code == "gpu-hidden":
        return informed or bool(told.named(*TESTS))
    toolkit = any(_TOOLKIT in each.text.partition("LD_LIBRARY_PATH")[2] for each in told.of(code))
    return code in WITHOUT_A_GPU and (told.computed or (informed and not toolkit))


_TOOLKIT = "/cuda"


_ANSWERS = (
    "module-not-running", "cuinit-303", "cuinit-no-device", "libcuda-not-opened", "nvcuda-not-found", "dso-not-loaded", "library-not-opened", "cudart-not-found",
    "cuda-libraries-error", "cuinit-stub", "stub-library",
)  # fmt: skip
"""TensorFlow's own lines, which it writes whether a GPU is wanted or not."""


def granted(facts: Facts) -> bool:
    """Slurm gave GPUs to the job, and no container stands between the job and the program."""
    scheduler = facts.host.scheduler
    of_slurm = isinstance(scheduler, Known) and scheduler.value.kind == "slurm"
    return of_slurm and shown(facts).granted and not isinstance(facts.host.container, Known)


def granted_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where Slurm gave the job no GPU."""
    unset = () if told.named(*NO_LIBCUDA) else (act("unset-variable", "unset-cuda-visible-devices"),)
    return (act("look", "slurm-step-gpus"), *unset) if granted(facts) else ()


def with_nv(facts: Facts) -> tuple[Fix, ...]:
    """() where it is no container of Apptainer's, or was started with the GPU."""
    boxed = value_or(facts.host.container, "") in ("apptainer", "singularity")
    return _APPTAINER if boxed and not shown(facts).asked else ()


def with_compute(told: Testimony) -> tuple[Fix, ...]:
    """() where the start of the container names no part of the driver, or compute as well."""
    return (
        (act("give-gpu", "request-compute-capability"),)
        if told.named(UTILITY) and told.named(*NO_LIBCUDA)
        else ()
    )


def of_engine(facts: Facts) -> tuple[Fix, ...]:
    """Those of the engine that the log names, before anything of the others; () for the page's."""
    if shown(facts).compose:
        return (act("give-gpu", "start-with-gpu"), act("give-gpu", "test-gpu-in-plain-container"))
    return _OF_ENGINE.get(value_or(facts.host.container, ""), ())


def hidden_by(told: Testimony) -> tuple[Saying, ...]:
    """The lines that set the variable to something else than the first GPU."""
    return tuple(
        each
        for each in told.named("cuda-visible-devices")
        if each.told.get("value", "").partition(",")[0] != "0"
    )


def no_device_fixes(told: Testimony) -> tuple[Fix, ...]:
    """The questions in their order, where the log shows no variable; () where it shows one."""
    if hidden_by(told) or any(not each.name.startswith("cuinit-") for each in told.of("gpu-hidden")):
        return ()
    unset = [each for each in ways_out("gpu-hidden") if "unset CUDA_VISIBLE_DEVICES" in each.commands]
    return (act("look", "gpu-where-program-runs"), *unset, *ways_out("container-without-gpu"))


def of_amd(told: Testimony) -> bool:
    """The log names an AMD GPU, and no NVIDIA GPU that TensorFlow got."""
    nvidia = [each for each in told.named("gpu-created", "gpu-created-old") if each.told.get("capability")]
    return bool(told.named(*AMD_NAMED)) and not nvidia


def bus_fixes(facts: Facts) -> tuple[Fix, ...]:
    """A look at the GPUs that the machine has."""
    return (act("look", "gpus"),)


def amd_fixes(told: Testimony) -> tuple[Fix, ...]:
    return (act("choose-image", "use-amds-tensorflow-image"),) if of_amd(told) else ()


AMD_NAMED = ("amd-gpu-radeon", "amd-gpu-vega", "amd-gpu-instinct", "amd-gpu-gfx", "amd-gpu-gfx-9")


def plain_libcuda(facts: Facts, saying: Saying) -> Candidate | None:
    """libcuda.so by its plain name, which only a library beside the program opens; None for any other saying."""
    if saying.name != "libcuda-plain-name":
        return None
    at = ((saying.file, saying.line),)
    if isinstance(facts.host.wsl, Known):
        words = "In WSL2 the Windows driver's library is in /usr/lib/wsl/lib. TensorFlow or PyTorch finds it there as libcuda.so.1, but cuDNN needs libcuda.so and searches only the library path."
        title = (
            "libcuda.so is not found: in WSL2 it is in /usr/lib/wsl/lib, which is not on the library path."
        )
        return Candidate("wsl-driver-shadowed", Confidence.LIKELY, at, words, title=title)
    words = "cuDNN needs libcuda.so, without a number. TensorFlow itself loads libcuda.so.1, which the driver installs; the plain name is a link that some driver packages lack. In WSL2 both are in /usr/lib/wsl/lib, which must be on the library path."
    title = "cuDNN does not find libcuda.so: usually only the driver's libcuda.so.1 is installed."
    return one_of(("driver-library-unreachable", "wsl-driver-shadowed"), "driver.library", at, words, title)
