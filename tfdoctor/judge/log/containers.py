"""Containers and machines without a GPU: what is said there, what helps, and whether somebody wants one at all."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression  # reads no log: a command that was typed
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.judge.log.spans import shown, shows_a_driver, shows_a_gpu
from tfdoctor.judge.log.testimony import TESTS, Testimony
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.model import Fix

# A process that gets no GPU: of a container, a pod or WSL, or one whose log shows only that the driver offered none.

NO_LIBCUDA = ("cuinit-303", "libcuda-not-opened", "nvcuda-not-found")
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
_OF_ENGINE = {
    "apptainer": _APPTAINER,
    "singularity": _APPTAINER,
    "kubernetes": _POD,
    "containerd": _POD,
}


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


def told_so_alone(facts: Facts, told: Testimony, code: str) -> bool:
    """No more than TensorFlow's own lines about a driver that is not there. It writes them on every machine without a GPU, and nothing shows that
    somebody wanted one or that the program failed."""
    without_a_driver = code in _TOLD_SO or (
        code == _CUDA and (bool(told.named(*NO_LIBCUDA)) or _lacks_the_runtime_alone(facts, told))
    )
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


def _lacks_the_runtime_alone(facts: Facts, told: Testimony) -> bool:
    """The runtime is missed at the start, with TensorFlow's own word that this may mean nothing: no other library, GPU or notebook is told of."""
    noise = {each.name for each in value_or(facts.log.noise, ())}
    others = any("cudart" not in each.told.get("library", "cudart") for each in told.of(_CUDA))
    of_a_gpu = noise & {"numa-negative", "numa-unread"}  # the driver showed one
    starter = shown(facts).notebook or shown(facts).node
    return "cudart-without-gpu" in noise and not (others or of_a_gpu or starter)


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


def with_nv(facts: Facts) -> tuple[Fix, ...]:
    """() where it is no container of Apptainer's, or was started with the GPU."""
    boxed = value_or(facts.host.container, "") in ("apptainer", "singularity")
    return _APPTAINER if boxed and not shown(facts).asked else ()


def of_engine(facts: Facts) -> tuple[Fix, ...]:
    """Those of the engine that the log names, before anything of the others; () for the page's."""
    if shown(facts).compose:
        return (act("give-gpu", "start-with-gpu"), act("give-gpu", "test-gpu-in-plain-container"))
    return _OF_ENGINE.get(value_or(facts.host.container, ""), ())


# Whether somebody wants a GPU, by what a log shows: the one place that decides it. Its words are data/knowledge/facts/wishes.yaml.

_WISH = "wish-"
"""How the messages of wishes.yaml are called."""
_BROUGHT = (
    "toolkit-release",
    "smi-banner",
    "gpu-libraries-not-opened",
    "nvidia-wheel-there",
    "conda-cuda-package",
)
"""Other messages of what only a GPU needs, or what only a GPU has TensorFlow say."""
_NAMES_A_GPU = Expression(r"(?i)gpu|\bcuda\b")


def wished(facts: Facts, told: Testimony) -> bool:
    """A GPU was asked for, is named or shown, or the log was written where GPUs are handed out."""
    around = shown(facts)
    said: tuple[Saying, ...] = value_or(facts.log.sayings, ())
    return bool(
        around.no_gpu
        or around.own_gpu
        or around.cards
        or around.device_option
        or around.granted
        or asked(facts)
        or shows_a_gpu(facts)
        or told.named(*_BROUGHT)
        or any(
            each.told.get("value", "") not in ("", "-1")
            for each in told.named("cuda-visible-devices")
        )
        or any(each.name.startswith(_WISH) for each in said)
    )


def asked(facts: Facts) -> bool:
    """The start asked for a GPU, in the words of a container's engine or of the command itself."""
    around = shown(facts)
    return around.asked or any(_NAMES_A_GPU.search(each) for each in around.typed)
