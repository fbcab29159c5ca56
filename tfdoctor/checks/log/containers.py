"""Containers that do not start, or start without the GPU."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.spans import shown
from tfdoctor.checks.log.testimony import TESTS, Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.findings.pages import ways_out
from tfdoctor.system.expressions import Expression  # reads no log: a command that was typed

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
IN_A_BOX = "NVIDIA's driver library is not in this container or job. The host provides it if the container is started with a GPU. Without it TensorFlow runs on the CPU (tensorflow-gpu up to 1.13 can't be imported). The log does not show whether the host has a driver."
IN_A_BOX_TITLE = (
    "No NVIDIA driver found in this container or job: it was started without a GPU, or its host has none."
)
NO_DEVICE_IN_A_BOX_TITLE = (
    "The driver lists no GPU in this container or job: it was started without one, or a variable hides it."
)
UTILITY = "driver-part-utility"
WITHOUT_COMPUTE_TITLE = (
    "The container got only the driver's utility part (nvidia-smi), not compute, which contains libcuda."
)
WITHOUT_COMPUTE = "The NVIDIA Container Toolkit passes the driver in parts: utility is nvidia-smi, compute is libcuda. This container requested only some parts, so nvidia-smi works, but TensorFlow finds no driver and runs on the CPU."
_COMPUTE = (fix("request-compute-capability"),)
NOT_HANDED_IN = "The host's driver works, but its library libcuda.so.1 is not in the container. It is passed only if the start requests a GPU: --nv for Apptainer and Singularity, --gpus for Docker, a limit nvidia.com/gpu for a pod. TensorFlow runs on the CPU."
NO_DEVICE_TITLE = "The driver works but offers this process no GPU."
NO_DEVICE = "The driver's library lists no GPU. The container, pod, or job was started without one, a variable such as CUDA_VISIBLE_DEVICES hides them, or the machine has none; the log does not show which. TensorFlow runs on the CPU."
NO_DEVICE_IN_A_BOX = "The driver's library lists no GPU. A container or job sees only the GPUs it gets at its start, and a variable such as CUDA_VISIBLE_DEVICES can hide those. The log does not show whether the machine has one. TensorFlow runs on the CPU."
ASKED_IN_VAIN_TITLE = "The container was started with a GPU, but the driver lists none."
ASKED_IN_VAIN = "The container's start requested a GPU, and the driver's library is in it, but lists no GPU. A variable hides them (CUDA_VISIBLE_DEVICES, NVIDIA_VISIBLE_DEVICES), the device files are missing, or the host has none. TensorFlow runs on the CPU."
GRANTED_TITLE = "The Slurm job was granted a GPU, but the driver lists none for this process."
GRANTED = "Slurm gave the job a GPU, and the driver's library is there but lists none. A step inside the job that requests no GPU gets none, a variable hides it (CUDA_VISIBLE_DEVICES), or the node's GPU does not work. TensorFlow runs on the CPU."
GRANTED_NO_DRIVER_TITLE = (
    "The Slurm job was granted a GPU, but its node has no NVIDIA driver where programs look for it."
)
GRANTED_NO_DRIVER = "Slurm gave the job a GPU, so the node should have the driver's libcuda.so.1; this process did not find it. Tell the cluster's administrators which node it was. TensorFlow runs on the CPU."
AMD_TITLE = "The GPU is from AMD, but this TensorFlow is built for NVIDIA's CUDA."
AMD = "The log shows an AMD GPU, but this TensorFlow needs NVIDIA's CUDA driver. A CUDA build can't use an AMD GPU and runs on the CPU. AMD publishes its own builds and images for ROCm."
_OF_AMD = (fix("use-amds-tensorflow-image"),)
_SEE = fix("check-for-gpu-where-program-runs")
_APPTAINER = (fix("test-container-with-nv"),)
_POD = (
    fix("check-which-pods-request-gpu"),
    fix("check-whether-nodes-offer-gpus"),
)  # fmt: skip
NODES = (
    fix("see-node-gpus-and-use"),
    fix("end-pods-no-longer-need-gpu"),
    fix("request-fewer-gpus-for-pod"),
)  # fmt: skip
"""For a pod that waits for lack of a GPU (Kubernetes documentation, "Schedule GPUs", read 2026-11-23)."""
_COMPOSE = (
    fix("request-gpus-in-compose-file"),
    fix("test-gpu-in-plain-container"),
)
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
    runs = isinstance(facts.driver.module_version, Known) or isinstance(facts.nvml.driver_version, Known)
    if not without_a_driver or runs or told.endings or others or told.named("stubs-on-the-path"):
        return False
    return unwanted(facts, told, code)


_CUDA = "cuda-libraries-missing"
_TOLD_SO = ("gpu-absent", "container-without-gpu", "driver-library-unreachable")


def unwanted(facts: Facts, told: Testimony, code: str) -> bool:
    """Nothing but TensorFlow's own lines speaks of a GPU or of CUDA."""
    around = shown(facts)
    if around.no_gpu or around.own_gpu or around.cards or around.device_option or _asked(facts):
        return False  # an empty list of GPUs was asked for, or somebody says that there is one
    gpus = (facts.nvml.devices, facts.driver.devices, facts.host.gpus_on_bus)
    chosen = any(each.told.get("value", "") not in ("", "-1") for each in told.named("cuda-visible-devices"))
    wanted = (
        chosen
        or any(isinstance(each, Known) for each in gpus)
        or told.named(
            "toolkit-release",
            "smi-banner",
            "gpu-libraries-not-opened",
            "nvidia-wheel-there",
            "conda-cuda-package",
        )
    )
    return not wanted and not any(each.name not in _ANSWERS for each in told.of(code))


def _had_no_use(told: Testimony, code: str) -> bool:
    """Whether the work went on without one: steps of a training, or, where nothing of CUDA is on the path, a tool's own words. A driver that answers
    is there for some GPU: then a training that goes on does not tell that none was wanted."""
    informed = told.informed and told.spoke > told.stepped
    if code == "gpu-hidden":
        return informed or bool(told.named(*TESTS))
    toolkit = any(_TOOLKIT in each.text.partition("LD_LIBRARY_PATH")[2] for each in told.of(code))
    return code in WITHOUT_A_GPU and (told.computed or (informed and not toolkit))


_TOOLKIT = "/cuda"


_NAMES_A_GPU = Expression(r"(?i)gpu|\bcuda\b")


def _asked(facts: Facts) -> bool:
    """The start asked for a GPU, in the words of a container's engine or of the command itself."""
    around = shown(facts)
    return around.asked or any(_NAMES_A_GPU.search(each) for each in around.typed)


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


_STEP = fix("see-gpu-in-slurm-step")


def granted_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where Slurm gave the job no GPU."""
    unset = () if told.named(*NO_LIBCUDA) else (fix("unset-cuda-visible-devices"),)
    return (_STEP, *unset) if granted(facts) else ()


def with_nv(facts: Facts) -> tuple[Fix, ...]:
    """() where it is no container of Apptainer's, or was started with the GPU."""
    boxed = value_or(facts.host.container, "") in ("apptainer", "singularity")
    return _APPTAINER if boxed and not shown(facts).asked else ()


def with_compute(told: Testimony) -> tuple[Fix, ...]:
    """() where the start of the container names no part of the driver, or compute as well."""
    return _COMPUTE if told.named(UTILITY) and told.named(*NO_LIBCUDA) else ()


def of_engine(facts: Facts) -> tuple[Fix, ...]:
    """Those of the engine that the log names, before anything of the others; () for the page's."""
    if shown(facts).compose:
        return _COMPOSE
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
    return (_SEE, *unset, *ways_out("container-without-gpu"))


def of_amd(told: Testimony) -> bool:
    """The log names an AMD GPU, and no NVIDIA GPU that TensorFlow got."""
    nvidia = [each for each in told.named("gpu-created", "gpu-created-old") if each.told.get("capability")]
    return bool(told.named(*AMD_NAMED)) and not nvidia


def bus_fixes(facts: Facts) -> tuple[Fix, ...]:
    """A look at the GPUs that the machine has."""
    windows = value_or(facts.host.os, "") == "windows"
    return (fix("list-gpus-on-windows") if windows else fix("list-gpus-on-bus"),)


def amd_fixes(told: Testimony) -> tuple[Fix, ...]:
    return _OF_AMD if of_amd(told) else ()


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
    opened = question(("driver-library-unreachable", "wsl-driver-shadowed"), "driver.library")
    return Candidate("driver-library-unreachable", Confidence.LIKELY, at, words, opened, title)
