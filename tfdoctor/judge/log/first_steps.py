"""The step that comes first for each kind of failure, where nothing more exact is known, and what a message itself says to do."""

from __future__ import annotations

from collections.abc import Callable

from tfdoctor.facts.outcome import Known
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.containers import of_engine, told_so_alone
from tfdoctor.judge.log.memory import framework, half_the_batch, smaller_samples
from tfdoctor.judge.log.no_gpu_listed import JETSON
from tfdoctor.judge.log.settings import APPS, SERVICES
from tfdoctor.judge.log.testimony import Testimony
from tfdoctor.knowledge.actions import act, is_one_of, meaning
from tfdoctor.knowledge.model import Action, Finding, Fix
from tfdoctor.knowledge.place import Place

# Drivers, engines of containers and images: who brings what is too old or missing, and where it is replaced.


def desktop(finding: Finding, case: Case, told: Testimony, here: Place) -> tuple[Fix, ...]:
    """Who brings the toolkit: Docker Desktop its own, an engine inside WSL that of WSL's packages."""
    return (act("install-software", "update-docker-desktop"),)


def engine(finding: Finding, case: Case, told: Testimony, here: Place) -> tuple[Fix, ...]:
    if finding.code == "driver-library-unreachable" and told.named("stubs-on-the-path"):
        return (act("change-path", "remove-stubs-from-library-path"),)
    if finding.code == "container-without-gpu" and here.has("slurm") and not isinstance(case.facts.host.container, Known):  # fmt: skip
        return (act("give-gpu", "start-with-gpu"),)
    if here.has("jetson"):
        return ()  # its runtime is another one than that of other machines
    if told.named(*_ASKED_IN_VAIN):
        return ()  # the start asked for the GPU already: Docker can't hand any in, or only a part of the driver
    return of_engine(case.facts)


_ASKED_IN_VAIN = ("docker-no-device-driver", "driver-part-utility")


def lost_gpu(finding: Finding, case: Case, told: Testimony, here: Place) -> tuple[Fix, ...]:
    """A pod gets its devices when it is created; Docker's own commands do not reach it."""
    if not here.has("kubernetes"):
        return ()
    lasting = (each for each in finding.fixes if is_one_of(each, "use-cdi-devices"))
    return (act("restart", "container"), *lasting)


# Libraries and compilers of CUDA: NVIDIA's packages, an image, or another environment of a hosted notebook.


def fresh(finding: Finding, case: Case, told: Testimony, here: Place) -> tuple[Fix, ...]:
    """On a hosted machine the libraries are the platform's, and fit its own TensorFlow; an image is chosen by its tag."""
    if here.has("jetson"):
        return JETSON if here.has("docker", "kubernetes") else (*JETSON[1:], JETSON[0])
    if told_so_alone(case.facts, told, finding.code) or here.span.since(2, 14):
        return ()
    if not here.span.before(2, 14) and not here.hosted:
        return ()
    if here.has("docker") and here.span.since(2, 4):
        major, own = here.span.newest
        return (
            act(
                "choose-image",
                "start-dockerfile-from-tensorflows-image",
                release=f"{major}.{own}.0",
            ),
        )
    if not here.hosted:
        return ()
    return (act("choose-session", "fresh"),)


# Memory that ran out: the ways of a server, of JAX, of a batch and of one large array.

_HALVES = ("halve-batch-until-it-fits", "halve-batch-or-images")
"""Ways of a page in whose place the log's own numbers stand."""
_BY_NUMBERS = ("halve-batch-of-tensor", "halve-batch-that-is-set", "make-samples-smaller-by-shape")


def memory(finding: Finding, case: Case, told: Testimony, here: Place) -> tuple[Fix, ...]:
    if here.has("serving"):
        return _OF_A_SERVER
    if told.named("unified-memory-refused"):
        return ()  # no batch is small enough
    if finding.code == "gpu-out-of-memory" and framework(case.facts, told) == "PyTorch":
        return _OF_TORCH
    if here.has("jax"):
        return (*_OF_JAX[:1], act("set-variable", "let-jax-use-host-memory-too"), *_OF_JAX[1:])
    if not finding.fixes or not is_one_of(finding.fixes[0], *_HALVES):
        return ()
    proposed = (
        (act("set-variable", "try-cuda-malloc-async"),) if told.named("allocator-proposed") else ()
    )
    return smaller_samples(told) or (half_the_batch(told), *proposed)


_OF_A_SERVER = (
    act("use-less-memory", "serving-batch"),
    act("use-less-memory", "fewer-models"),
    act("use-less-memory", "serving-fraction"),
    act("look", "gpu-processes"),
)  # fmt: skip


def service_memory(finding: Finding, case: Case, told: Testimony, here: Place) -> tuple[Fix, ...]:
    """A service's container and machine are chosen by its own settings."""
    if not here.has(*SERVICES):
        return ()
    less = act("use-less-memory", "serving") if here.has(*APPS) else act("use-less-memory")
    return (act("raise-limit", "memory"), less)


_OF_TORCH = (
    act("use-less-memory", "halve-batch-in-torch"),
    act("look", "gpu-processes"),
    act("use-less-memory", "use-torch-autocast"),
)
_OF_JAX = (
    act("use-less-memory", "halve-batch-or-input"),
    act("set-variable", "let-jax-allocate-as-needed"),
    act("look", "gpu-processes"),
)  # fmt: skip


# What comes first at this place: the page's order is that of the usual one.

Step = Callable[[Finding, Case, Testimony, Place], tuple[Fix, ...]]


_MOST = 4


def first_steps(finding: Finding, case: Case, told: Testimony, here: Place) -> tuple[Fix, ...]:
    """The finding's ways out, with those of this place before them."""
    made = _FIRST.get(finding.code)
    first = made(finding, case, told, here) if made is not None else ()
    if first and (
        finding.code in ("driver-versions-differ", "container-lost-gpu")
        or (finding.code == "wsl-container-toolkit-old" and here.has("desktop"))
        or (finding.code in _ALONE and here.has("serving", "jax"))
        or first == _OF_TORCH
    ):
        return first
    fixes = (*first, *_without(finding.fixes, first))
    return fixes[:_MOST]


_ALONE = (
    "gpu-out-of-memory",
    "gpu-memory-fragmented",
    "gpu-memory-held",
    "ptxas-missing",
    "libdevice-missing",
    "gpu-too-new-for-build",
)
"""Here a server or JAX has ways of its own, and none of the page's."""


def _without(fixes: tuple[Fix, ...], first: tuple[Fix, ...]) -> tuple[Fix, ...]:
    known = {each.commands for each in first if each.commands} | {meaning(each) for each in first}
    general = {Action(each.action.kind) for each in first if each.action is not None}
    halved = any(is_one_of(each, *_BY_NUMBERS) for each in first)
    return tuple(
        each
        for each in fixes
        if known.isdisjoint((each.commands, meaning(each)))
        and each.action not in general  # which says less than one of its kind that has a name
        and not (halved and is_one_of(each, *_HALVES))
    )


_FIRST: dict[str, Step] = {
    "container-oom-killed": service_memory,
    "host-oom-killed": service_memory,
    "host-memory-exhausted": service_memory,
    "wsl-container-toolkit-old": desktop,
    "driver-library-unreachable": engine,
    "container-without-gpu": engine,
    "gpu-absent": engine,
    "gpu-out-of-memory": memory,
    "gpu-memory-fragmented": memory,
    "gpu-memory-held": memory,
    "cuda-libraries-missing": fresh,
    "cuda-libraries-wrong-version": fresh,
    "image-lacks-cuda-libraries": fresh,
    "container-lost-gpu": lost_gpu,
}
