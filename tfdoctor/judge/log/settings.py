"""Where a log was written and where its commands can be typed: hosted notebooks, containers, clusters, an old release's own image."""

from __future__ import annotations

from tfdoctor.facts.log_values import Surroundings
from tfdoctor.facts.outcome import value_or
from tfdoctor.fix.commands import interpreter, operand
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.spans import shown, span
from tfdoctor.judge.log.testimony import Testimony
from tfdoctor.judge.log.words import keeping_tensorflow
from tfdoctor.judge.questions.place import place_of
from tfdoctor.knowledge.actions import act, placed
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.place import Place

# What can be typed where a log was written, and what can't exist there: the system, the container, the cluster, the release.

_HOSTED = ("colab", "kaggle")
APPS = ("heroku", "render", "cloud-run")
"""They run a program in a container that is theirs: nothing is typed where it ran, and none has a GPU of its own by default."""
SERVICES = (*APPS, "sagemaker", "vertex", "databricks")
"""Hosts whose machines, drivers and containers their users can't change."""
_ENGINES = ("docker", "podman", "kubernetes", "apptainer", "lxc")


def setting(case: Case, told: Testimony) -> Place:
    """By the log alone: what it does not show is not in `names`."""
    around, of_facts = shown(case.facts), place_of(case.facts)
    project, _, app = around.project.partition(":")
    found = {
        around.service: bool(around.service),
        around.shell: bool(around.shell) and "windows" in of_facts.names,
        "serving": around.serving,
        "jax": around.jax,
        "desktop": around.desktop,
        "compose": around.compose,
        "node": around.node,
        "uv-project": around.uv == "add",
        "uv-pip": around.uv == "pip",
        project: bool(project),
        "conda": around.conda,
        "notebook": bool(around.notebook),
        "cell": _in_a_cell(told) and not (around.uv or around.service),
        "jetson": around.jetson,
    }
    names = of_facts.names - ({*_ENGINES} if around.service else set())
    names |= {name for name, is_so in found.items() if is_so}
    names |= {name for name in _HOSTED if told.named(f"{name}-memory")}
    names |= set() if names & {*_ENGINES, *SERVICES, *_HOSTED} else _engine_that_told(told)
    if around.compose and not names & {*_ENGINES, *_HOSTED}:
        names |= {"docker"}
    if names and not names & {"windows", "macos", "wsl"}:
        names |= {"linux"}
    facts = case.facts
    release = value_or(facts.tensorflow.version, "")
    own = {
        "python": interpreter(facts),
        "keeping": keeping_tensorflow(facts),
        "same": f"=={release}" if release else "",
        "app": app,
    }
    return Place(names, span(case, told), {**of_facts.values, **own, **_names(around)})


_OF_INSPECT = '"OOMKilled"'
"""`docker inspect` has it as a key; Kubernetes as a reason or a state."""
_ENTRY = "entrypoint"
"""The script that an image starts with (docker-entrypoint.sh, tf_serving_entrypoint.sh)."""
_BY_KUBECTL = "command terminated with exit code"
"""kubectl exec's words for the end of what it ran in a pod."""


def _engine_that_told(told: Testimony) -> set[str]:
    """By the words in which an engine tells that a container ended, where nothing else names one."""
    ended = [each.text for each in told.sayings if "OOMKilled" in each.text]
    if any(_OF_INSPECT in text for text in ended) or any(
        _ENTRY in each.what for each in told.endings
    ):
        return {"docker"}
    return (
        {"kubernetes"} if ended or any(_BY_KUBECTL in each.what for each in told.endings) else set()
    )


def _names(around: Surroundings) -> dict[str, str]:
    """The program that was started last, and the notebook; nothing for what is not shown."""
    found = {"program": around.started} if around.started else {}
    if not around.notebook.endswith(".ipynb"):
        return found
    notebook = operand(around.notebook)
    script = f"{notebook.removesuffix('.ipynb')}.py"
    return {**found, "notebook": notebook, "script": script}


def _in_a_cell(told: Testimony) -> bool:
    """The run's last exception arose in a notebook's cell (Jupyter, VS Code, Databricks): pip has to be called for that kernel."""
    raised = [each for each in told.endings if each.how in ("exception", "cut")]
    return bool(raised) and raised[-1].frame.startswith(("Cell ", "<command-", "<ipython-input"))


_OF_THE_MACHINE = ("kernel_log.", "driver.", "nvml.", "host.gpus")


def can_be_asked(fact: str, here: Place) -> bool:
    """A service's machine answers nobody's question about its kernel, its driver or its bus."""
    return not (here.has(*SERVICES) and fact.startswith(_OF_THE_MACHINE))


# A hosted notebook whose log ends in ^C that nobody typed: the platform stopped the cell.

_HOSTED_NAMES = {"colab": "Colab", "kaggle": "Kaggle"}


def stopped_by_the_platform(case: Case, told: Testimony) -> Candidate | None:
    """None elsewhere than on Colab and Kaggle, and where the log tells its end."""
    at, service = shown(case.facts).caret, shown(case.facts).service
    if not at or service not in _HOSTED_NAMES or told.endings:
        return None
    return of_page("container-oom-killed", "caret", ((0, at),), others=("killed-by-user",), fact="memory.available", values={"service": _HOSTED_NAMES[service]})  # fmt: skip


# What remains to be done at a place where none of a code's usual ways out can exist.

_NOTHING = {
    "kubernetes": act("ask", "cluster"),
    "apptainer": act("ask", "machine"),
    "wsl": act("install-software", "update-wsl-and-windows-driver"),
}
_OF_THE_GPU = ("driver", "devices", "libraries")
_CHECK = act("look", "check")
_NEWEST = {
    (1, 15): "1.15.5-gpu",
    (2, 0): "2.0.0-gpu-py3",
    (2, 4): "2.4.3-gpu",
    (2, 10): "2.10.1-gpu",
    (2, 13): "2.13.0-gpu",
}
"""Tags of TensorFlow's images by the last minor release that is meant (Docker Hub, tensorflow/tensorflow)."""


def instead(code: str, here: Place) -> Fix:
    """By the place, and whether the code is about the GPU."""
    of_gpu = CODES[code].family in _OF_THE_GPU if code in CODES else False
    if here.hosted:
        fresh = act("choose-session", "fresh")
        return placed(fresh, here) or fresh
    if here.has(*SERVICES) and of_gpu:
        return act("restart", "get-new-machine-from-host")
    if here.has("serving"):
        of_image = of_gpu or CODES[code].family in ("packages", "platform")
        return (
            act("choose-image", "use-unmodified-server-image")
            if of_image
            else act("choose-image", "retry-request-on-newest-image")
        )
    if here.has("windows"):
        of_driver = CODES[code].family == "driver"
        return (
            act("install-driver", "install-newest-driver-in-windows")
            if of_driver
            else (act("install-software", "install-wsl2") if of_gpu else _CHECK)
        )
    if here.has("macos"):
        return act("words", "run-on-linux-or-without-cuda") if of_gpu else _CHECK
    for name, way in _NOTHING.items():
        if here.has(name) and of_gpu:
            return way
    return of_an_old_release(here) if of_gpu and here.span.before(2, 14) else _CHECK


def of_an_old_release(here: Place) -> Fix:
    """TensorFlow's own image of that time."""
    newest = here.span.newest
    tag = next((tag for release, tag in _NEWEST.items() if newest <= release), "2.13.0-gpu")
    sure = newest in _NEWEST and here.span.oldest == newest
    unsure = "" if sure else f"{tag} is an example: the tag begins with your own release. "
    return act("choose-image", "use-image-of-tensorflow-version", tag=tag, unsure=unsure)
