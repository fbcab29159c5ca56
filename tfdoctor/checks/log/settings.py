"""Where a log was written and where its commands can be typed: hosted notebooks, containers, clusters, an old release's own image."""

from __future__ import annotations

import re

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate, one_of
from tfdoctor.checks.log.spans import shown, span
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.questions.place import place_of
from tfdoctor.facts.log_values import Surroundings
from tfdoctor.findings.actions import act, placed
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.model import Fix
from tfdoctor.findings.place import Place, Span
from tfdoctor.fixes.commands import operand
from tfdoctor.system.expressions import Expression

# What can be typed where a log was written, and what can't exist there: the system, the container, the cluster, the release.

_HOSTED = ("colab", "kaggle")
APPS = ("heroku", "render", "cloud-run")
"""They run a program in a container that is theirs: nothing is typed where it ran, and none has a GPU of its own by default."""
SERVICES = (*APPS, "sagemaker", "vertex", "databricks")
"""Hosts whose machines, drivers and containers their users can't change."""
_ENGINES = ("docker", "podman", "kubernetes", "apptainer", "lxc")

HOSTS = Expression(
    r"\b(?:modprobe|nvidia-modprobe|mokutil|dkms|reboot|systemctl|journalctl|ausearch|dmesg|nvidia-ctk|usermod|apt-mark|lspci|dcgmi|last -n|mount -o)\b"
    r"|nvidia-smi (?:-\w+ \d |)?(?:--gpu-reset|-c\b|-pl\b|-mig\b|mig\b)|nvidia-(?:driver|utils|fabricmanager)-?\d?|libnvidia-compute|akmod|linux-headers|/etc/modprobe\.d|/dev/shm$"
)
"""What only the machine itself can do: its kernel, its services, its driver."""
_OF_NO_WSL = Expression(
    r"\b(?:modprobe|nvidia-modprobe|mokutil|dkms|reboot|lspci|dcgmi)\b|nvidia-smi (?:--gpu-reset|-c\b|-pl\b|-mig\b|mig\b)|nvidia-(?:driver|utils|fabricmanager)-?\d?|akmod|linux-headers|/etc/modprobe\.d|NVRM|apt-mark"
)
"""WSL has no driver and no bus of its own: the GPU is Windows'."""
_LINUX = Expression(
    r"\b(?:apt-get|dnf|ldconfig|ldd|dpkg|free -|fuser|findmnt|ausearch|gdb|/usr/bin/time -v|/proc/|/sys/|/etc/ld\.so|systemctl|nvidia-ctk)\b|/proc/|ps -eo \S+ --sort|LD_LIBRARY_PATH|LD_PRELOAD|GLIBC_"
)
_WINDOWS = Expression(
    r"^py -3|\bwinget\b|\$env:|Get-CimInstance|New-ItemProperty|\breg add\b|[A-Z]:\\|where\.exe"
)
_MAC = Expression(r"arch -arm64|tensorflow-metal|/opt/homebrew|\bbrew\b")
_NVIDIA = Expression(r"\bnvidia|\bNVIDIA|\bCUDA_|and-cuda|--gpus|ptxas|\bNCCL_|compute-sanitizer|cudnn")
_DOCKER = Expression(r"^(?:sudo )?(?:docker|podman)\b|docker run|-e NVIDIA_|--gpus\b")
_OF_DOCKER = Expression(r"\bdocker (?:run|inspect|update)\b")
_NEW_PLACE = Expression(r"wsl|-m venv|^uv |activate|^cd ")
"""A notebook of a host has one environment, and each of its lines a shell of its own."""
_DOCKERS = Expression(r"^export DOCKER_")
_TOOLKIT = Expression(r"nvidia-container-toolkit")
_PODS = Expression(r"\bkubectl\b|part of the pod\b")
_APPTAINER = Expression(r"\b(?:apptainer|singularity) (?:exec|run|shell)\b")
_SLURM = Expression(r"^(?:srun|sbatch|sacct|scontrol)\b|#SBATCH|slurmd|^module ")
_ROOT = Expression(r"^sudo |\bapt-get\b|\bdnf\b")
_CONDA = Expression(r"\bconda\b")
_SHELLS = Expression(
    r"~/\.bashrc|^source |^tmux|^nohup|^jupyter|^gunicorn|^grep -n|kernelspec|ipykernel|train\.ipynb|/usr/bin/time|^kill "
)
_ON_A_BUS = Expression(r"\blspci\b|nvidia-driver|nvidia-smi")
"""A Jetson's GPU is a part of its chip: no bus lists it, and its driver comes with JetPack."""
_PYTHONS = Expression(
    r"^(?:\S{1,200}/)?python[\d.]{0,5} |^uv |train\.py|In your files: (?!resources|volumes|#|\[|\{)|^jupyter|^conda|^tfdoctor"
)
_EXTRA = Expression(r"tensorflow\[and-cuda\]")
_CU = {
    version: Expression(rf"-cu{version}\b|cuda-libraries-{version}|cudnn\d-cuda-{version}")
    for version in (11, 12, 13)
}
_SINCE = (
    (Expression(r"list_physical_devices|set_memory_growth"), (2, 1)),
    (Expression(r"run_functions_eagerly|Dataset\.list_files"), (2, 3)),
    (Expression(r"mixed_precision\.set_global_policy"), (2, 4)),
    (Expression(r"cuda_malloc_async|jit_compile"), (2, 5)),
    (Expression(r"disable_traceback_filtering"), (2, 7)),
    (Expression(r"reduce_retracing"), (2, 9)),
    (Expression(r"BackupAndRestore"), (2, 8)),
    (Expression(r"gradient_accumulation_steps|TF_USE_LEGACY_KERAS|tf-keras|keras>=3"), (2, 16)),
)  # fmt: skip
"""Names of TensorFlow's interface with the first minor release that has them (release notes of those releases)."""

_TF_KERAS = Expression(r"tf-keras~=2\.(\d{1,3})")
"""It goes with TensorFlow's minor release (its own metadata)."""


def setting(case: Case, told: Testimony) -> Place:
    """By the log alone: what it does not show is not in `names`."""
    around, of_facts = shown(case.facts), place_of(case.facts)
    project, _, app = around.project.partition(":")
    found = {
        around.service: bool(around.service),
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
    return Place(names, span(case, told), {**of_facts.values, "app": app, **_names(around)})


_OF_INSPECT = '"OOMKilled"'
"""`docker inspect` has it as a key; Kubernetes as a reason or a state."""
_ENTRY = "entrypoint"
"""The script that an image starts with (docker-entrypoint.sh, tf_serving_entrypoint.sh)."""
_BY_KUBECTL = "command terminated with exit code"
"""kubectl exec's words for the end of what it ran in a pod."""


def _engine_that_told(told: Testimony) -> set[str]:
    """By the words in which an engine tells that a container ended, where nothing else names one."""
    ended = [each.text for each in told.sayings if "OOMKilled" in each.text]
    if any(_OF_INSPECT in text for text in ended) or any(_ENTRY in each.what for each in told.endings):
        return {"docker"}
    return {"kubernetes"} if ended or any(_BY_KUBECTL in each.what for each in told.endings) else set()


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


def possible(line: str, here: Place) -> bool:
    """Whether a command, or words about one's own files, can be typed there and mean something."""
    return not any(form.search(line) for form in _impossible(here)) and not _of_another_release(
        line, here.span
    )


def can_be_asked(command: str, here: Place) -> bool:
    """A service's machine answers nobody's question about its kernel or its bus."""
    return not here.has(*SERVICES) or possible(command, here)


def _impossible(here: Place) -> tuple[Expression, ...]:
    found = [*_of_the_system(here)]
    for names, forms in _IMPOSSIBLE_AT:
        found += forms if here.has(*names) else ()
    if here.has("docker"):
        found += [_APPTAINER, _PODS] + ([] if here.has("slurm") else [_SLURM])
    if here.has("jax") and not here.has("serving"):
        found += [_EXTRA, _OF_TENSORFLOW]
    return tuple(found)


def _of_the_system(here: Place) -> tuple[Expression, ...]:
    if here.has("windows"):
        return (HOSTS, _LINUX, _MAC, _ROOT, _APPTAINER, _SLURM, _PODS, _EXTRA, *_CU.values())
    if here.has("macos"):
        engine = () if here.has("docker") else (_DOCKER, _DOCKERS)
        return (HOSTS, _LINUX, _WINDOWS, _NVIDIA, _ROOT, _APPTAINER, _SLURM, _PODS, *_CU.values(), *engine)
    if here.has("wsl"):
        return (_MAC,)
    return (_MAC, _WINDOWS) if here.names else ()


_OF_TENSORFLOW = Expression(r"tensorflow==|\btf\.|model\.|keras")
_IMPOSSIBLE_AT: tuple[tuple[tuple[str, ...], tuple[Expression, ...]], ...] = (
    (("wsl",), (_OF_NO_WSL, _SLURM)),
    (_HOSTED, (HOSTS, _DOCKER, _APPTAINER, _SLURM, _PODS, _CONDA, _SHELLS, _MAC, _WINDOWS, _NEW_PLACE)),
    (
        SERVICES,
        (HOSTS, _ROOT, _DOCKER, _DOCKERS, _OF_DOCKER, _APPTAINER, _SLURM, _PODS, _TOOLKIT, _MAC, _WINDOWS),
    ),
    (APPS, (_NVIDIA, _SHELLS)),
    (("databricks",), (_NEW_PLACE,)),
    (("jetson",), (_CONDA, _EXTRA, _ON_A_BUS, *_CU.values())),
    (("kubernetes",), (_DOCKER, _APPTAINER, _SLURM)),
    (("apptainer",), (_DOCKER, _PODS, _ROOT, _TOOLKIT)),
    (("serving",), (_PYTHONS, _CONDA)),
)
"""What can't be typed at a place, or means nothing there."""


def _of_another_release(line: str, releases: Span) -> bool:
    """A package for another CUDA than that of all releases that can be meant, or a name that none of them has."""
    if _EXTRA.search(line) and "venv" not in line and releases.before(2, 14) and not _names_a_newer(line):
        return True
    if releases.before(2, 15) and (_CU[12].search(line) or _CU[13].search(line)):
        return True
    old = (
        releases.before(2, 4) and "cuda-nvcc-" not in line
    )  # a compiler reads the code of older programs, too
    if (releases.since(2, 15) or old) and _CU[11].search(line):
        return True
    if (own := _TF_KERAS.search(line)) and releases.before(2, int(own[1])):
        return True
    return any(form.search(line) and releases.before(*first) for form, first in _SINCE)


def _names_a_newer(line: str) -> bool:
    """The extra with a release that has it: another TensorFlow is to be installed."""
    found = re.search(r"and-cuda\]==(\d+)\.(\d+)", line)
    return found is not None and (int(found[1]), int(found[2])) >= (2, 14)


# A hosted notebook whose log ends in ^C that nobody typed: the platform stopped the cell.

CODE = "container-oom-killed"
_HOSTED_NAMES = {"colab": "Colab", "kaggle": "Kaggle"}


def stopped_by_the_platform(case: Case, told: Testimony) -> Candidate | None:
    """None elsewhere than on Colab and Kaggle, and where the log tells its end."""
    at, service = shown(case.facts).caret, shown(case.facts).service
    if not at or service not in _HOSTED_NAMES or told.endings:
        return None
    name = _HOSTED_NAMES[service]
    words = (
        f"{name} writes ^C where it stops a cell's command. Usually the "
        "machine's RAM was used up; its curve at the top of the page shows it. If you stopped the cell "
        "yourself, ignore it."
    )
    title = f"{name} stopped the cell (^C that nobody typed), usually because RAM ran out."
    return one_of((CODE, "killed-by-user"), "memory.available", ((0, at),), words, title)


# What remains to be done at a place where none of a code's usual ways out can exist.

_NOTHING = {
    "kubernetes": act("ask", "cluster"),
    "apptainer": act("ask", "machine"),
    "wsl": act("install-software", "update-wsl-and-windows-driver"),
}
_OF_THE_GPU = ("driver", "devices", "libraries")
_CHECK = act("look", "check")
_OLD_IMAGE = act("choose-image", "use-image-of-tensorflow-version")
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
            else act("install-software", "install-wsl2")
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
    note = "" if sure else f"{tag} is an example: the tag begins with your own release. "
    line = _OLD_IMAGE.commands[0].format(tag=tag)
    return Fix(_OLD_IMAGE.title, (line,), _OLD_IMAGE.note.format(note=note))
