"""Fixes fitted to the log's machine, tools and notebook, and put in order."""

from __future__ import annotations

import re

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Fact, Failed, Known, known
from tfdoctor.fix.commands import aimed
from tfdoctor.fix.install import environment_fix, install_commands
from tfdoctor.fix.known_names import by_known_names
from tfdoctor.fix.loading import guarded
from tfdoctor.fix.machine import machine_from_facts
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.broken_installs import around_tensorflow
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.containers import NODES, of_engine
from tfdoctor.judge.log.first_steps import first_steps
from tfdoctor.judge.log.gpus import MISMATCHES, of_the_image
from tfdoctor.judge.log.installed_here import under_its_name, with_a_known_version
from tfdoctor.judge.log.settings import SERVICES, instead, setting
from tfdoctor.judge.log.spans import machine_of, runs_on, shown
from tfdoctor.judge.log.testimony import Testimony, hung
from tfdoctor.knowledge.actions import (
    act,
    described,
    is_drawn,
    is_one_of,
    lacking,
    placed,
    unanswered,
)
from tfdoctor.knowledge.lines import Environment, Pip, Variables, name_in
from tfdoctor.knowledge.matrix.model import Release
from tfdoctor.knowledge.model import Confidence, Finding, Fix, Role
from tfdoctor.knowledge.pages import ways_out
from tfdoctor.knowledge.place import Place
from tfdoctor.knowledge.says import says
from tfdoctor.knowledge.shells import typed
from tfdoctor.knowledge.tools import with_tool

_FOR_ANOTHER_PYTHON = ("", "use-python-with-uv", "use-python-for-old-tensorflow")
"""New environments that are made for another Python alone: the packages are those that are there, or the project's."""


def in_the_project(fix: Fix, here: Place) -> Fix:
    """A new environment is the project's own, with another Python."""
    action, made = fix.action, fix.commands[0] if fix.commands else None
    if action is None or action.kind != "new-environment" or action.what not in _FOR_ANOTHER_PYTHON:
        return fix
    beside = isinstance(made, Environment) and made.python and not made.options
    if not isinstance(made, Environment) or not beside or len(fix.commands) != 2:
        return fix
    return placed(act("new-environment", "in-project", feature=made.python), here) or fix


# The ways out of a finding as they can be typed where its log was written: what can't exist there is left out.


def fitting(code: str, fixes: tuple[Fix, ...], here: Place) -> tuple[Fix, ...]:
    """In the words of the place's tools, what others have to do last; a word of the place where none is left."""
    kept = list(fixes)
    if here.has("kubernetes", "apptainer"):
        kept.sort(key=lambda each: each.where in ("host", "node"))
    if here.hosted:
        kept = [typed(each, here) for each in kept]
    return tuple(with_tool(in_the_project(each, here), here) for each in kept) or (
        instead(code, here),
    )


def _possible(fix: Fix, here: Place) -> Fix | None:
    """In the words of the place; None where it can't be done there."""
    if is_drawn(fix):
        return placed(fix, here)
    kind = fix.action.kind if fix.action is not None else ""
    needed = {
        "new-environment": "new-environment",
        "install-driver": "host",
        "restart": "host",
    }.get(kind, "")
    lacks = needed in lacking(here.names) and (
        needed != "host" or here.has(*SERVICES) or here.hosted
    )
    return None if lacks else fix


# What the paste shows as done already comes last: it did not help, or it was not enough.


def done_last(fixes: tuple[Fix, ...], facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """In their order, with those that were done behind the others."""
    around = shown(facts)
    looked = ("nvidia-smi",) if told.named("smi-banner") else ()
    typed = [each.removeprefix("sudo ") for each in (*around.typed, *looked)]
    return tuple(sorted(fixes, key=lambda each: _is_done(each, typed, asked=around.asked)))


def _is_done(fix: Fix, typed: list[str], *, asked: bool) -> bool:
    """The very lines were typed, or pip was called for some of the packages that were named."""
    if not fix.commands:
        return asked and fix.action is not None and fix.action.kind == "give-gpu"
    return fix.changes != "files" and all(
        line.removeprefix("sudo ") in typed or any(_is_the_same(line, each) for each in typed)
        for line in fix.commands
    )


def _is_the_same(line: str, typed: str) -> bool:
    """Whether pip did with more packages what this line does with some, or a command set the same variables for itself."""
    words = {each.strip("'\"") for each in typed.split()}
    if isinstance(line, Variables):
        return words.issuperset(f"{each.name}={each.value}" for each in line.variables)
    does = "uninstall" if isinstance(line, Pip) and line.uninstalls else "install"
    if not isinstance(line, Pip) or line.asks or not line.packages or does not in words:
        return False
    return any(map(_PIP.match, words)) and words.issuperset(line.packages)


_PIP = Expression(r"pip[\d.]{0,4}$")


# A TensorFlow that the log's Python has no wheel for is installed with another Python, in an environment of its own.


def installable(fix: Fix, case: Case, here: Place) -> Fix:
    """`fix`, or the same with a Python that the release has; a hosted notebook has one Python alone."""
    python = case.facts.interpreter.version
    row = _release(fix, case)
    if row is None or not isinstance(python, Known) or here.hosted or runs_on(row, case.facts):
        return fix
    extra = any(
        "[and-cuda]" in each
        for line in fix.commands
        if isinstance(line, Pip)
        for each in line.packages
    )
    for_cpu = isinstance(row.and_cuda, Known) and not extra
    of_log = machine_from_facts if for_cpu else machine_of
    machine = replace(of_log(case.facts), python=Failed("another one is needed", "missing"))
    note = f"This version has no wheel for the log's Python {python.value.feature}."
    return replace(
        environment_fix(fix.title, install_commands(row, machine, case.matrix)),
        note=f"{note} {fix.note}".strip(),
    )


def _release(fix: Fix, case: Case) -> Release | None:
    """The one that a fix installs into the environment that is there; None for none, and for one that the matrix does not hold."""
    asked = [
        each.partition("==")
        for line in fix.commands
        if isinstance(line, Pip) and not line.into
        for each in line.packages
    ]
    named = next((version for name, _, version in asked if name_in(name) == "tensorflow"), "")
    return known(case.matrix.release(named) if named else Failed("none is named", "missing"))


# The free question that decides, before a driver is installed or a machine is restarted.

_DRIVER_THERE = act("look", "driver")
_WHICH_VERSIONS = act("look", "driver-module-vs-library")
_DEAR = frozenset((
    "reboot", "reboot-for-stuck-driver", "reboot-host", "install-container-toolkit",
    "update-container-toolkit-and-restart-docker", "update-container-toolkit-in-wsl", "remove-linux-driver-from-wsl",
))  # fmt: skip
"""Actions that change the system for everybody, or end all that runs on it; so does every driver."""
_NEVER_KNOWN = ("driver-library-unreachable",)
"""A process that does not find a library can't tell whether it is there."""
_STUBS = ("cuinit-stub", "stub-library-name", "stub-library-words", "stubs-on-the-path")
_QUESTIONS_ELSEWHERE = ("windows", "macos", "wsl", "jetson", "docker", "kubernetes", "apptainer")
"""There the driver is the host's, or asked otherwise."""
_FIRST = {
    "driver-missing": _DRIVER_THERE,
    "driver-library-unreachable": _DRIVER_THERE,
    "driver-module-not-loaded": _DRIVER_THERE,
    "driver-versions-differ": _WHICH_VERSIONS,
}


def question_first(
    finding: Finding, fixes: tuple[Fix, ...], told: Testimony, here: Place
) -> tuple[Fix, ...]:
    """Where the cause is not certain and the first way out is expensive: the question of its code, or a way out that is free."""
    own = None if here.hosted or here.has(*_QUESTIONS_ELSEWHERE) else _FIRST.get(finding.code)
    if finding.code in _NEVER_KNOWN and own is not None and fixes:
        asks = fixes[0].action is not None and fixes[0].action.kind == "look"
        return fixes if asks or told.named(*_STUBS) else (own, *fixes)
    if finding.confidence is Confidence.CERTAIN or not fixes or not _is_dear(fixes[0]):
        return fixes
    return tuple(sorted(fixes, key=_is_dear)) if own is None else (own, *fixes)


def _is_dear(fix: Fix) -> bool:
    action = fix.action
    return (
        action is not None
        and bool(fix.commands)
        and (action.kind == "install-driver" or action.what in _DEAR)
    )


# The ways out in the order of this log: those that can be done here, the free question first, what was done already last.


def ordered(finding: Finding, case: Case, told: Testimony, here: Place) -> Finding:
    """The finding with its ways out in their order. None is lost but for one that another stands for."""
    fixes = tuple(installable(each, case, here) for each in finding.fixes)
    fixes = done_last(fixes, case.facts, told)
    return replace(finding, fixes=question_first(finding, fixes, told, here))


# What else a log tells that changes the way out: the system that wrote it, a pod, an option that is on, XLA, Ray.

_RAY = "pid="
"""In what Ray writes before each line of a worker."""
_AS_IT_IS = "as-is"
_GPU_CREATED = ("gpu-created", "gpu-created-old")

_WITHOUT_XLA = act("unset-variable", "run-once-without-xla")


def fitted(finding: Finding, case: Case, told: Testimony) -> Finding:
    """The finding with the commands that can be typed where this log was written, the likeliest first."""
    facts, here = case.facts, setting(case, told)
    finding = of_the_image(finding, facts)
    fixes = first_steps(finding, case, told, here)
    if finding.code == "nccl-failed" and any(
        "NCCL WARN" in each.text for each in told.of("nccl-failed")
    ):
        fixes = tuple(
            each for each in fixes if not is_one_of(each, "show-nccls-warnings", "show-nccls-log")
        )
    if finding.code == "cuda-context-poisoned" and told.named("xla-compiled"):
        compiled = says("cuda-context-poisoned", "xla")
        words = f"{finding.explanation} {compiled}"
        fixes, finding = (_WITHOUT_XLA, *fixes), replace(finding, explanation=words)
    fixes = (fixes or finding.fixes) if finding.fixes else ()
    kept = tuple(fix for each in fixes if (fix := _possible(each, here)) is not None)
    kept = under_its_name(finding.code, kept, facts, case.matrix)
    kept = with_a_known_version(kept, facts, case.matrix)
    kept = tuple(described(by_known_names(each, case.trusts, case.matrix)) for each in kept)
    fixes = fitting(finding.code, kept, here) if fixes else ()
    finding = ordered(replace(finding, fixes=fixes), case, told, here)
    left = (
        aimed(replace(each, undo=(), verify=()), facts) for each in unanswered(finding.fixes, facts)
    )
    safe = [guarded(each, case.trusts) for each in left]
    return replace(finding, fixes=tuple(typed(each, here) for each in safe))


def ray_hides(told: Testimony) -> bool:
    """Whether those that see no GPU are workers of Ray: it hides all GPUs from one that asks for none."""
    answers = [each for each in told.sayings if each.name.startswith("cuinit-")]
    return bool(answers) and all(_RAY in each.process for each in answers)


def settled(finding: Finding, told: Testimony) -> bool:
    """A worker of Ray that asked for no GPU, while another one has its own, or another TensorRT beside work that was done, and nothing failed."""
    if finding.code == "cuda-libraries-wrong-version":
        said = told.of(finding.code)
        return bool(said) and all(each.name in MISMATCHES for each in said) and told.computed
    if finding.code == "dependency-mismatch":
        return around_tensorflow(told) or _ran_as_it_is(finding.code, told)
    if finding.code == "gpu-computes-wrong":  # Metal gives up a piece of work and goes on
        said = told.of(finding.code)
        went_on = told.computed and not told.ended_badly
        return bool(said) and all(each.name == "metal-command-buffer" for each in said) and went_on
    return (
        finding.code == "gpu-hidden"
        and finding.role is Role.ROOT
        and ray_hides(told)
        and bool(told.named(*_GPU_CREATED))
        and not told.ended_badly
    )


def _ran_as_it_is(code: str, told: Testimony) -> bool:
    """AutoGraph could not read a function, and says that it runs as it is."""
    said = told.of(code)
    return bool(said) and all(_AS_IT_IS in each.text for each in said) and not told.ended_badly


# A log that ends after something began: what it waits for, as far as its last lines tell.

_STACKS = act("look", "program-stacks")
_TELLING = ("celery", "nccl", "server-localhost", "large-alloc")
"""Kinds of last lines that tell what is likely; the others only tell that nothing else is told."""


def open_end(facts: Facts, told: Testimony) -> Candidate | None:
    """A rule of thumb where no cause and no end is told; None where the last lines do not tell what is likely."""
    end = known(facts.log.open_end)
    if (
        end is None
        or end.kind not in _TELLING
        or any(code != "killed-by-user" for code in told.codes)
    ):
        return None
    if not hung(facts) and (told.codes or told.endings):
        return None
    at, sure = ((end.file, end.line),), Confidence.POSSIBLE
    if end.kind == "celery":
        fixes = (act("start-otherwise", "run-celery-in-one-process"), act("edit-program", "load-model-in-celery-task"))  # fmt: skip
        return of_page("stalled", "celery", at, sure=sure, fixes=(*fixes, _STACKS))
    if end.kind == "nccl":
        fixes = (
            act("set-variable", "disable-direct-gpu-transfers"),
            act("set-variable", "run-on-one-gpu"),
        )
        return of_page("stalled", "nccl", at, sure=sure, fixes=(*fixes, _STACKS))
    if end.kind == "server-localhost":
        fixes = (
            act("set-variable", "use-machines-real-names-in-tf-config"),
            act("look", "test-port"),
        )
        return of_page("stalled", "localhost", at, sure=sure, fixes=(*fixes, _STACKS))
    fixes = (act("use-less-memory"), act("look", "kernel-log-oom"))
    return of_page("host-oom-killed", "large", at, sure=sure, fixes=fixes)


_SLOW = ("stalled", "then-slow")
_OPEN_ENDS = {
    "epoch": (("stalled", "after-epoch"), _SLOW),
    "progress": (("stalled", "after-progress"), _SLOW),
    "celery": (("stalled", "after-celery"), _SLOW),
    "server": (("stalled", "after-server"), ("stalled", "then-server")),
    "shuffle": (("stalled", "after-shuffle"), ("stalled", "then-shuffle")),
    "nccl-alone": (("stalled", "after-nccl"), ("stalled", "then-nccl")),
    "gpus": (("stalled", "after-gpus"), ("stalled", "then-gpus")),
    "stopped": (("stalled", "after-stop"), ("stalled", "then-stop")),
}
"""Where a log ends, and what that means, by the kind of its last lines."""


def unfinished(facts: Facts, told: Testimony) -> str:
    """What to say of a log that ends too early, for a headline; "" of another."""
    if told.cut:
        return says("stalled", "cut", line=told.endings[-1].line)
    end = known(facts.log.open_end)
    if end is None:
        return ""
    after, then = _OPEN_ENDS[end.kind]
    return says("stalled", "open", after=says(*after), line=end.line, then=says(*then))


# What the place needs: Docker's toolkit for GPUs, a Python that TensorFlow has wheels for.

_WITHOUT_TOOLKIT = ("docker-no-device-driver", "docker-unknown-runtime", "docker-invalid-runtime", "toolkit-program-missing")  # fmt: skip


def toolkit(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Where Docker itself says that it knows no such device, the host lacks the toolkit; to start the container again is no way."""
    if told.named("kubernetes-insufficient-gpu"):
        return NODES
    if not told.named(*_WITHOUT_TOOLKIT):
        return of_engine(case.facts)
    return (act("install-software", "install-container-toolkit-on-host"),)


def pythons(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The release that was asked for, with a Python that it has wheels for; or the newest where any was asked for."""
    said = next((each for each in told.of("python-unsupported") if "wanted" in each.told), None)
    exact = re.fullmatch(r"==(?P<version>\d[\w.]{1,20})", said.told["wanted"]) if said else None
    row: Fact[Release] = Failed("any release", "missing")
    if said is not None and exact is not None:
        name = said.told.get("package", "tensorflow").lower().replace("_", "-")
        own = case.matrix.release(exact["version"], name)
        row = own if isinstance(own, Known) else case.matrix.release(exact["version"])
    if not isinstance(row, Known):
        return ()
    machine = replace(
        machine_from_facts(case.facts), python=Failed("another one is needed", "missing")
    )
    return (
        environment_fix(
            f"Create an environment for TensorFlow {row.value.tensorflow}",
            install_commands(row.value, machine, case.matrix),
            "If that Python is not installed: `uv venv --python VERSION`.",
        ),
        *ways_out("python-unsupported")[:1],
    )
