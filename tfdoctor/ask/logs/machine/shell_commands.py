"""The commands that a paste shows typed: behind a prompt, in a cell, in a Dockerfile, or alone on their line."""

from __future__ import annotations

import re

from tfdoctor.ask.logs.machine.line_index import LineIndex, LogLine
from tfdoctor.base.expressions import Expression

_WORDS = (
    "pip install", "pip3 install", "conda install", "conda create", "mamba ", "docker run", "podman run", "singularity ", "apptainer ",
    "apt install", "apt-get ", "dnf install", "modprobe", "export ", "unset ", "srun ", "sbatch ", "wsl --", "ldconfig", "nvidia-smi", "module load ", "module add ", "module swap ", "ml load ",
)  # fmt: skip
_PROGRAMS = (
    r"pip[\d.]{0,4}|(?:\S{1,200}/)?python[\d.]{0,5} -m pip|conda|mamba|micromamba|docker|podman|singularity|apptainer|apt|apt-get|dnf|modprobe|"
    r"nvidia-modprobe|module (?:load|add|swap)|ml load|export|unset|srun|sbatch|wsl(?:\.exe)?|ldconfig|nvidia-smi"
)
_TYPED = Expression(
    rf"^(?:RUN |[!%]|(?:\([\w.-]{{1,40}}\) ?)?(?:[\w.-]{{1,60}}@\S{{1,120}}|PS [A-Z]:\S{{0,120}}|[A-Z]:\\\S{{0,120}})?\s?[$#>%] ?|In \[\d{{0,4}}\]: ?[!%]?)?\s{{0,4}}"
    rf"(?P<command>(?:sudo )?(?:{_PROGRAMS})(?: .{{1,300}})?)$"
)
_QUOTED = Expression(
    r"`(?P<command>(?:conda|mamba|pip[\d.]{0,4}|python[\d.]{0,5} -m pip) install [^`]{1,200})`"
)
"""In a sentence, as Markdown marks a command."""
_MOST = 40


def shell_commands(lines: LineIndex[LogLine]) -> tuple[str, ...]:
    """Each once, in the order of the paste, without prompt and without what the shell ran after it."""
    holding = lines.holding(_WORDS)
    found = [_TYPED.match(line.text.strip()) for line in holding]
    found += [match for line in holding for match in _QUOTED.finditer(line.text)]
    commands = (
        part.strip()
        for each in found
        if each
        for part in re.split(r"\s(?:&&|;)\s", each["command"])
    )
    return tuple(dict.fromkeys(commands))[:_MOST]


_STARTED = Expression(
    r"^(?:.{0,200}[$#>%!] ?)?(?:\S{1,200}/)?python[\d.]{0,5} (?:-[uXB] ?\w{0,20} ){0,3}(?P<file>\w[\w./-]{0,120}\.py)(?=$| )"
)


def started(lines: LineIndex[LogLine]) -> str:
    """The file of the Python program that was started last; "" where no command shows it."""
    found = [_STARTED.match(line.text.strip()) for line in lines.holding(("python ", "python3 "))]
    return next((each["file"] for each in reversed(found) if each), "")
