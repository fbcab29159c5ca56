"""Where a program ran, by the paths and words of its log: a hosted notebook, a model server, the years of a release."""

from __future__ import annotations

import re
import time
from collections.abc import Collection
from typing import Any

from tfdoctor.ask.logs.machine.cards import cards, other
from tfdoctor.ask.logs.machine.complaints import has_one
from tfdoctor.ask.logs.machine.line_index import Clue, LineIndex, LogLine
from tfdoctor.ask.logs.machine.listed import listed
from tfdoctor.ask.logs.machine.own_work import last_step, last_told, worked_after_a_refusal
from tfdoctor.ask.logs.machine.programs import program
from tfdoctor.ask.logs.machine.projects import project
from tfdoctor.ask.logs.machine.shell_commands import shell_commands, started
from tfdoctor.ask.logs.machine.source_lines import minors
from tfdoctor.ask.logs.passages.open_end import BY_HAND
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import names, replace
from tfdoctor.facts.log_values import Surroundings
from tfdoctor.knowledge.actions import examples

_COLAB = Clue(r"^\d{1,3} frames$|^%tensorflow_version [12]\.x", (" frames", "%tensorflow_version "))
_KAGGLE = Clue(r"^\d{1,6}\.\d ?s\s{0,3}\|?\s{0,3}\d{1,6}\s", ("s\t", "s | ", "s  "))
"""How their lines look; what they name is in data/knowledge/facts/hosts.yaml. Kaggle writes the seconds since the start and a number before each line of its log."""
_SERVING = Clue(
    r"tensorflow_serving/(?:model_servers|core|sources|resources|servables|util|batching|session_bundle)/|tensorflow_model_server|tensorflow/serving|[Tt]ensor[Ff]low[ -]Serving|\b[Tt][Ff][ -][Ss]erving",
    ("erving", "tensorflow_model_server"),
)
_INSIDE = Clue(r"external/org_tensorflow/tensorflow/core/", ("external/org_tensorflow/",))
"""TensorFlow as a part of another program: its own wheels name no such path."""
_ANOTHER_HOST = Clue(
    r"\bTraceback \(most recent|[\\/](?:site|dist)-packages[\\/]|\.py[\"':]|\bimport tensorflow\b|\bjava\.|node_modules|tfjs|\bpip install\b",
    (
        "Traceback",
        "-packages",
        ".py",
        "import tensorflow",
        "java",
        "node_modules",
        "tfjs",
        "pip install",
    ),
)
"""A program in Python, Java or JavaScript that brings TensorFlow along; the server has none of these."""
_JAX = Clue(
    r"\bjax(?:lib)?\b|\bflax\b|XlaRuntimeError|\bjnp\.\w|op_type=\"conv_general_dilated\"",
    ("jax", "flax", "XlaRuntimeError", "jnp.", "conv_general_dilated"),
)
_XLA_INSIDE = Clue(
    r"external/org_tensorflow/tensorflow/(?:compiler|stream_executor)/",
    ("external/org_tensorflow/",),
)
_DESKTOP = Clue(
    r"Docker Desktop|docker-desktop|desktop-linux",
    ("ocker Desktop", "docker-desktop", "desktop-linux"),
)
_COMPOSE = Clue(
    r"\bdocker[- ]compose\b|docker-compose\.ya?ml|\bcompose\.ya?ml",
    ("docker-compose", "docker compose", "compose.y"),
)
_NODE = Clue(
    r"@tensorflow/tfjs-node|\btfjs-node|node_modules/|/bin/node\b",
    ("tfjs-node", "node_modules/", "/bin/node"),
)
_ASKED = Clue(
    r"--gpus[ =][^0\s]|\s--nv\s|--runtime[ =]nvidia|--device[ =]nvidia\.com/gpu|nvidia\.com/gpu|NVIDIA_DRIVER_CAPABILITIES=",
    ("--gpus", "--nv", "nvidia", "NVIDIA_DRIVER"),
)
_GRANTED = Clue(
    r"--gres[ =](?:\S{1,40},)?gpu\b|--gpus(?:-per-(?:node|task|socket))?[ =](?:[\w-]{1,30}:)?[1-9]|\bSLURM_(?:JOB_GPUS|GPUS|GPUS_ON_NODE|STEP_GPUS)=\S|\bgres/gpu[:=]\S",
    ("--gres", "--gpus", "SLURM_", "gres/gpu"),
)
_DEVICE_OPTION = Clue(
    r"(?:^|\s)--?(?:device|accelerator)[ =]['\"]?/?(?:(?i:device:)?(?i:cuda|gpu))(?:[:/]\d{1,2})?['\"]?(?:\s|$)"
    r"|(?:^|\s)--?(?:gpu|gpu[-_]ids?|use[-_](?:gpu|cuda)|cuda)(?:[ =](?:\d{1,2}(?:,\d{1,2}){0,15}|[Tt]rue|all|yes))?(?:\s{0,4}$|\s{1,4}--?[A-Za-z])"
    r"|(?:^|\s)--num[-_]gpus[ =][1-9]",
    ("-device", "-accelerator", "-gpu", "-use", "-cuda", "-num"),
)
_JETSON = Clue(
    r"\bJetson\b|\bJetPack\b|NVIDIA Tegra|\bORIN\b|/targets/aarch64-linux|\bl4t-|\bL4T\b|ARM64 does not support NUMA",
    ("etson", "etPack", "NVIDIA Tegra", "ORIN", "aarch64-linux", "l4t-", "L4T", "ARM64 does not"),
)
_CUDA_OF_JETSON = Clue(r"\blibcudart\.so\.10\.2\b", ("libcudart.so.10.2",))
"""TensorFlow's own wheels open 10.1 or 11.0; NVIDIA's for JetPack 4 open this one, and so do others' builds for Intel's processors."""
_OF_INTEL = Clue(r"\bCPU instructions\b.{0,80}\b(?:SSE|AVX)", ("SSE", "AVX"))
_NOTEBOOK_FILE = Clue(r"(?P<file>[\w.-]{1,80}\.ipynb)\b(?!_)", (".ipynb",))
_NOTEBOOK = Clue(
    r"ipykernel|<ipython-input-|site-packages[\\/]IPython|\bJupyter|\bServerApp\b|\bNotebookApp\b|^In \["
    r"|^ {0,3}(?:%(?:run|pip|conda|matplotlib|load_ext|tensorflow_version) |!pip3? install )|^Command skipped|/databricks/python|<command-\d{6,}>|^Cell In\[\d",
    ("ipykernel", "ipython-input", "IPython", "Jupyter", "ServerApp", "NotebookApp", "In [", "%run ", "%pip ",
     "%conda ", "%matplotlib ", "%load_ext ", "%tensorflow_version ", "!pip", "Command skipped", "/databricks/",
     "<command-"),
)  # fmt: skip
_CONDA = Clue(
    r"(?:mini|ana|mamba|micro)(?:conda|forge|mamba)\d?[\\/]|[\\/]envs[\\/][\w.-]{1,60}[\\/](?:lib|bin|Lib)[\\/]|\bconda (?:install|activate|create|env)|\bconda:[\w.-]{1,60}\s{0,3}$",
    ("conda", "forge", "mamba", "envs"),
)
_NIX = Clue(
    r"/nix/store/|(?<!\S)\./result/(?:bin|lib)/|\bnix-(?:shell|build)\b|\bNixOS\b|/run/opengl-driver",
    ("/nix/store/", "./result/", "nix-shell", "nix-build", "NixOS", "/run/opengl-driver"),
)
_EDITOR = Clue(
    r"\b(?:PyCharm|[Pp]ycharm|VS ?Code|[Vv]scode|Visual Studio Code|Spyder|RStudio|IntelliJ|PyDev)\b",
    ("yCharm", "ycharm", "VS Code", "VSCode", "scode", "Visual Studio Code", "Spyder", "RStudio", "IntelliJ", "PyDev"),
)  # fmt: skip
_TERMINAL = Clue(
    r"(?i)\b(?:works?|worked|working|fine|finds?|found|detect(?:s|ed)|recogni[sz](?:es|ed)|lists?|shows?|available|access)\b.{0,60}\b(?:in|from|on|using|via|through) (?:the |a |my )?"
    r"(?:terminal|command line|shell|console|bash|cmd)\b|\b(?:terminal|command line|shell|console)\b[^.]{0,60}\b(?:works?|worked|fine|finds?|found|detect(?:s|ed)|recogni[sz](?:es|ed))\b",
    ("terminal", "command line", "shell", "console", "bash", "cmd"),
    small=True,
)
"""People's own words: what works there, and not where the log was written."""
_IN_A_TERMINAL = Clue(
    r"(?i)\b(?:in|from|on|using|via|through) (?:the |a |my )?(?:\w{1,12} )?(?:terminal|command line|console|shell)\b",
    ("terminal", "command line", "console", "shell"),
    small=True,
)
_FOUND_THERE = Clue(
    r"(?i)\b(?:successfully|correctly) (?:detect|recogni[sz]|find|found|list|show|see|use)\w{0,5}\b.{0,20}\bgpus?\b",
    ("gpu",),
    small=True,
)
"""The same in two sentences."""
_AS_ROOT = Clue(
    r"^\s{0,8}(?:\S{1,80}\s?)?[$#%>]?\s{0,3}sudo (?:-\w{1,3} )?python|(?i:\b(?:works?|unless|only|fine|detect\w{0,3}|find\w?|recogni\w{1,5})\b.{0,60}\b(?:with|as|under|using|by) (?:sudo|root)\b)",
    ("sudo", "root"),
)
_UV_PROJECT = Clue(
    r"^(?:\S{1,80}\s?)?[$#%>]?\s{0,3}uv (?:add|run|sync)\b", ("uv add", "uv run", "uv sync")
)
_UV_PIP = Clue(r"^(?:\S{1,80}\s?)?[$#%>]?\s{0,3}uv pip install\b", ("uv pip install",))
_METAL = Clue(
    r"tensorflow[-_]metal\b|Metal device set to|PluggableDevice|\blibmetal_plugin\b",
    ("tensorflow-metal", "tensorflow_metal", "Metal device", "PluggableDevice", "libmetal_plugin"),
)
_DEVICE = Expression(r"/device:GPU:(?P<number>\d{1,3})")
_DATE = Clue(r"\b(?P<month>20[12]\d-[01]\d)-[0-3]\d[ T]\d\d:\d\d", ("20",))
_SECONDS = Clue(r"^[IWEF]0000 00:00:(?P<seconds>1\d{9})\.", ("0000 00:00:1",))
_POWERSHELL = Clue(
    r"^(?:\([\w.-]{1,40}\) )?PS [A-Z]:\\[^>]{0,200}>|^\s{0,8}\+ (?:CategoryInfo|FullyQualifiedErrorId) {1,10}: ",
    ("PS ", "CategoryInfo", "FullyQualifiedErrorId"),
)
_COMMAND_PROMPT = Clue(r"^(?:\([\w.-]{1,40}\) )?[A-Z]:\\[^<>|]{0,200}>", (":\\",))
_STUB = Clue(r"(?<!/)tensorflow/tsl/cuda/cudart_stub\.cc", ("tensorflow/tsl/cuda/cudart_stub",))
_FACTORY = Clue(r"Unable to register cu(?:DNN|FFT|BLAS) factory", ("Unable to register cu",))
"""2.14 writes both at its start, 2.12 and 2.13 the first alone (public logs of those releases, read 2026-11-22)."""
_FORMS = (
    (Clue(r"^name: .{2,60} major: \d{1,2} minor: \d", (" major: ",)), "", "2.0"),
    (Clue(r"(?:Couldn't open|uccessfully opened) CUDA library lib", (" CUDA library lib",)), "", "1.3"),
    (Clue(r"device_type='XLA_GPU'|device:XLA_GPU:\d|'/xla_gpu:\d'", ("XLA_GPU", "xla_gpu")), "1.14", "2.3"),
    (Clue(r"(?<!/)tensorflow/stream_executor/", ("tensorflow/stream_executor/",)), "", "2.10"),
    (Clue(r"(?<!/)tensorflow/compiler/xla/stream_executor/", ("xla/stream_executor/",)), "2.11", "2.14"),
    (Clue(r"(?<!/)tensorflow/compiler/xla/stream_executor/(?:platform/default/dso_loader|cuda/cudart_stub)\.cc", ("xla/stream_executor/platform/default/dso_loader", "xla/stream_executor/cuda/cudart_stub")), "2.11", "2.11"),
    (Clue(r"(?<!/)tensorflow/tsl/", ("tensorflow/tsl/",)), "2.12", "2.14"),
    (Clue(r"external/local_(?:xla|tsl)/", ("external/local_",)), "2.15", ""),
    (_SECONDS, "2.17", ""),
    (Clue(r"GPU support is not available on native Windows for TensorFlow >= 2\.11", ("on native Windows",)), "2.21", ""),
)  # fmt: skip
"""What a line looks like, and the first and last minor release that writes it (tests/recordings for 2.15 to 2.21, public logs before;
2.0 and older by TensorFlow's sources of 2.0 and 2.1, gpu_device.cc; XLA_GPU by the release notes of 2.4, which no longer makes it by itself). A path inside of another program tells of no release."""


_SHOWN = {
    "desktop": _DESKTOP, "node": _NODE, "asked": _ASKED, "conda": _CONDA, "nix": _NIX, "editor": _EDITOR, "as_root": _AS_ROOT,
    "granted": _GRANTED, "device_option": _DEVICE_OPTION, "metal": _METAL,
}  # fmt: skip
"""What a single line of that look shows, by the field."""


def platform_hints(
    lines: LineIndex[LogLine], *, hosts: Collection[str] = (), of_compose: bool = False
) -> Surroundings:
    """What these lines show of it. `hosts`: those that messages name; `of_compose`: docker compose named their services."""
    inside, xla_inside = lines.first(_INSIDE), lines.first(_XLA_INSIDE)
    jax = bool(lines.first(_JAX)) or (xla_inside is not None and inside is None)
    serving = bool(lines.first(_SERVING)) or (
        inside is not None and not jax and not lines.first(_ANOTHER_HOST)
    )
    file = lines.first(_NOTEBOOK_FILE)
    notebook = file[1]["file"] if file else "notebook" if lines.first(_NOTEBOOK) else ""
    oldest, newest = _span(lines) if jax or serving else _narrowed(_span(lines), minors(lines))
    gpus = listed(lines)
    shown: dict[str, Any] = {name: bool(lines.first(clue)) for name, clue in _SHOWN.items()}
    return Surroundings(
        service=_service(lines, hosts),
        serving=serving, jax=jax and not serving, compose=of_compose or bool(lines.first(_COMPOSE)), program=program(lines),
        notebook=notebook, jetson=_jetson(lines), no_gpu=gpus.none, gpu_gone=gpus.gone, cpu_build=gpus.cpu_build, xla_gpu=gpus.xla_gpu,
        conda_build=gpus.conda_build, cpu_package=gpus.cpu_package, worked=worked_after_a_refusal(lines),
        stepped=last_step(lines), spoke=last_told(lines), caret=_caret(lines), gpus=_gpus(lines), written=_month(lines),
        typed=shell_commands(lines), started=started(lines), cards=cards(lines), terminal=_terminal(lines), other_gpu=other(lines), uv=_uv(lines),
        packages=_packages(lines), project=project(lines), own_gpu=has_one(lines), oldest=oldest, newest=newest, shell=_shell(lines), **shown,
    )  # fmt: skip


def _jetson(lines: LineIndex[LogLine]) -> bool:
    return bool(
        lines.first(_JETSON) or (lines.first(_CUDA_OF_JETSON) and not lines.first(_OF_INTEL))
    )


def _service(lines: LineIndex[LogLine], hosts: Collection[str]) -> str:
    """A notebook of Kaggle's or Colab's before any other host, which may only be spoken of there."""
    if "kaggle" in hosts or lines.first(_KAGGLE):
        return "kaggle"
    if "colab" in hosts or lines.first(_COLAB):
        return "colab"
    return next(iter(hosts), "")


def _packages(lines: LineIndex[LogLine]) -> tuple[str, ...]:
    return tuple(each for each in examples() if lines.holding((each, each.replace("-", "_"))))


def _uv(lines: LineIndex[LogLine]) -> str:
    return "add" if lines.first(_UV_PROJECT) else "pip" if lines.first(_UV_PIP) else ""


def _terminal(lines: LineIndex[LogLine]) -> bool:
    return bool(
        lines.first(_TERMINAL) or (lines.first(_IN_A_TERMINAL) and lines.first(_FOUND_THERE))
    )


def _shell(lines: LineIndex[LogLine]) -> str:
    """The one of Windows' two that shows itself; "" for none, and for both."""
    found = [
        name
        for name, clue in (("powershell", _POWERSHELL), ("cmd", _COMMAND_PROMPT))
        if lines.first(clue)
    ]
    return found[0] if len(found) == 1 else ""


def _caret(lines: LineIndex[LogLine]) -> int:
    """The last line that says something, where that is nothing but ^C; 0 for none."""
    if not (last := lines.holding(("^C",))):
        return 0
    end = max((line.number for line in lines if line.text.strip()), default=0)
    return end if last[-1].number == end and BY_HAND.search(last[-1].text) else 0


def _gpus(lines: LineIndex[LogLine]) -> int:
    named = (
        found["number"]
        for line in lines.holding(("device:GPU:",))
        for found in _DEVICE.compiled.finditer(line.text)
    )
    return len(set(named))


def together(one: Surroundings, other: Surroundings) -> Surroundings:
    """Of several logs of one case: the first telling counts."""
    missing = {
        name: getattr(other, name)
        for name in names(Surroundings)
        if not getattr(one, name) and getattr(other, name)
    }
    return replace(one, **missing)


def _span(lines: LineIndex[LogLine]) -> tuple[str, str]:
    found = [(oldest, newest) for clue, oldest, newest in _FORMS if lines.first(clue)]
    if lines.first(_STUB) and not lines.first(_FACTORY):
        found.append(("2.12", "2.13"))
    low = max((each for each, _ in found if each), key=_numbers, default="")
    high = min((each for _, each in found if each), key=_numbers, default="")
    return (low, high) if not low or not high or _numbers(low) <= _numbers(high) else ("", "")


def _narrowed(by_forms: tuple[str, str], by_lines: tuple[str, ...]) -> tuple[str, str]:
    """What both allow; forms alone where the lines contradict them."""
    low, high = by_forms
    fitting = [
        each
        for each in by_lines
        if (not low or _numbers(low) <= _numbers(each))
        and (not high or _numbers(each) <= _numbers(high))
    ]
    return (fitting[0], fitting[-1]) if fitting else by_forms


def _numbers(minor: str) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", minor))


def _month(lines: LineIndex[LogLine]) -> str:
    if told := lines.first(_DATE):
        return told[1]["month"]
    if told := lines.first(_SECONDS):
        return time.strftime("%Y-%m", time.gmtime(int(told[1]["seconds"])))
    return ""
