"""Failures that another framework or language reports: TensorFlow has no part in them, and its fixes do not help."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_CODE, _REPORTED = "other-program-failed", "reported-by-"
_LONGEST = 160  # characters of a message in a title

_PROGRAMS: Mapping[str, tuple[str, str]] = {
    "torch": ("PyTorch", "{python} -c 'import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())'"),
    "jax": ("JAX", "{python} -c 'import jax; print(jax.__version__, jax.devices())'"),
    "jaxlib": ("JAX", "{python} -c 'import jax; print(jax.__version__, jax.devices())'"),
    "cupy": ("CuPy", "{python} -c 'import cupy; cupy.show_config()'"),
    "numba": ("Numba", "{python} -m numba -s"),
    "node": ("Node.js", "npm ls --depth=0"),
    "java": ("Java", "java -version"),
    "dotnet": (".NET", "dotnet --info"),
    "r": ("R", 'Rscript -e "sessionInfo()"'),
}  # fmt: skip
"""The name and a read-only test, by the distribution or by the end of the message's name."""


def of_message(saying: Saying) -> Candidate | None:
    """The finding for a message of another program; None for any other message."""
    if not saying.name.startswith(_REPORTED):
        return None
    return _reported(_program(saying), saying.told.get("message", ""), saying, Confidence(saying.sure))


def of_exception(told: Testimony, last: Ending) -> Candidate | None:
    """The finding for an exception that another framework raised; None where it was raised elsewhere."""
    if last.package in _PROGRAMS:
        return _reported(last.package, last.what, last, Confidence.CERTAIN)
    bare = (
        not last.through and not last.frame
    )  # no traceback of Python's: frames of Node.js or Java may follow
    said = (each for each in told.of(_CODE) if bare or place(each) == place(last))
    return next((_reported(_program(each), last.what, last, Confidence.LIKELY) for each in said), None)


def _reported(program: str, message: str, at: Saying | Ending, sure: Confidence) -> Candidate:
    name = _PROGRAMS[program][0]
    title = f"Reported by {name}, not TensorFlow{_shown(message)}."
    words = f"The message comes from {name}, which has its own build and its own libraries. TensorFlow is not involved, so its fixes do not help here."
    return Candidate(_CODE, sure, (place(at),), words, title=title)


def _shown(message: str) -> str:
    text = message.rstrip(". ")
    return f": {text if len(text) <= _LONGEST else text[:_LONGEST] + ' …'}" if text else ""


def _program(saying: Saying) -> str:
    return saying.name.removeprefix(_REPORTED)


def other_program_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() for any other code."""
    if code != _CODE:
        return ()
    raised = [each.package for each in reversed(told.endings) if each.package in _PROGRAMS]
    reporting = raised or [_program(each) for each in told.of(_CODE)]
    if not reporting:
        return ()
    name, test = _PROGRAMS[reporting[0]]
    return (
        Fix(f"Test {name} alone", (test.format(python=interpreter(facts)),)),
        Fix("Check driver, GPU and TensorFlow", ("tfdoctor check",), f"If TensorFlow fails, too, start there; else follow {name}'s own installation guide."),
    )  # fmt: skip
