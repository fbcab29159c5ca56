"""A program that the shell did not find: what brings it, and how the same is started without it."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.brought.programs import (
    BROUGHT_BY,
    LOOKS,
    NVCC_OF_A_PROGRAM,
    Brought,
)
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import replace

NAMES = (
    "command-not-found",
    "command-not-found-zsh",
    "command-not-found-dash",
    "command-not-found-offered",
    "command-not-found-words",
    "env-not-found",
    "command-not-run",
)


def not_found(told: Testimony, saying: Saying) -> Candidate | None:
    """None for anything else. Of a program that nothing is known of, its name alone."""
    if saying.name not in NAMES:
        return None
    typed, known = saying.told["process"], _known(told, saying)
    title = f"The command could not be started: the shell finds no program named {typed}"
    title = f"{title}, {known.what}." if known is not None else f"{title}."
    words = f"{known.words} Nothing was started." if known is not None else ""
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _program(saying: Saying) -> str:
    """ "horovodrun" of /opt/env/bin/horovodrun; "" for any other text."""
    if saying.name not in NAMES:
        return ""
    name = saying.told.get("process", "").rpartition("/")[2]
    return _SAME.get(name, name)


_SAME: Mapping[str, str] = {
    "mpiexec": "mpirun",
    "prterun": "mpirun",
    "sbatch": "srun",
    "salloc": "srun",
    "squeue": "srun",
    "sinfo": "srun",
    "pip3": "pip",
    "singularity": "apptainer",
    "mamba": "conda",
    "jupyter-notebook": "jupyter",
    "jupyter-lab": "jupyter",
    "nvidia-docker2": "nvidia-docker",
}
"""Programs of one package, and one program under two names."""


def is_look(told: Testimony, saying: Saying) -> bool:
    """Somebody looked at the machine with a tool that is not there, beside something else that the log complains of."""
    if _program(saying) not in LOOKS or _was_called(told, saying):
        return False
    others = [each for each in told.sayings if each.role == "cause" and each.name not in NAMES]
    return bool(others) or any(each.how in ("exception", "signal") for each in told.endings)


def _was_called(told: Testimony, saying: Saying) -> bool:
    """An exception names it: the program had started it, and not somebody who looked."""
    raised = (each.what.lower() for each in told.endings if each.how == "exception")
    return bool(_program(saying)) and any(_program(saying) in each for each in raised)


def _known(told: Testimony, saying: Saying) -> Brought | None:
    program = _program(saying)
    return NVCC_OF_A_PROGRAM if program == "nvcc" and _was_called(told, saying) else BROUGHT_BY.get(program)


def command_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no known program was looked for in vain."""
    known = _first(told)
    python = interpreter(facts)
    return tuple(
        replace(each, commands=tuple(line.replace("python -m", f"{python} -m") for line in each.commands))
        for each in (known.fixes if known is not None else ())
    )


def _first(told: Testimony) -> Brought | None:
    found = (_known(told, each) for each in told.named(*NAMES))
    return next((each for each in found if each is not None), None)
