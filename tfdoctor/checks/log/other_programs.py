"""Failures that another framework or language reports: TensorFlow has no part in them, and its fixes do not help."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_CODE, _REPORTED = "other-program-failed", "reported-by-"
_LONGEST = 160  # characters of a message in a title

_JAX = ("JAX", "{python} -c 'import jax; print(jax.__version__, jax.devices())'")
_PROGRAMS: Mapping[str, tuple[str, str]] = {
    "torch": ("PyTorch", "{python} -c 'import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())'"),
    "jax": _JAX,
    "jaxlib": _JAX,
    "cupy": ("CuPy", "{python} -c 'import cupy; cupy.show_config()'"),
    "numba": ("Numba", "{python} -m numba -s"),
    "node": ("Node.js", "npm ls --depth=0"),
    "java": ("Java", "java -version"),
    "dotnet": (".NET", "dotnet --info"),
    "r": ("R", 'Rscript -e "sessionInfo()"'),
    "compiler": ("the compiler", "nvcc --version"),
    "serving": ("TensorFlow Serving", "ls -R /models"),
    "triton": ("Triton", "ls -R model_repository"),
}  # fmt: skip
"""The name and a read-only look at it, by the distribution or by the end of the message's name."""
_LANGUAGES = ("node", "java", "dotnet")
"""Their messages may look like an exception of Python's, with frames of their own below."""
_OF_A_LIBRARY = ("shared-library-missing", "tensorflow-install-broken", "windows-runtime-missing")


def of_message(saying: Saying) -> Candidate | None:
    """The finding for a message of another program; None for any other message."""
    if not saying.name.startswith(_REPORTED):
        return None
    return _reported(_program(saying), saying.told.get("message", ""), saying, Confidence(saying.sure))


def of_exception(told: Testimony, last: Ending) -> Candidate | None:
    """The finding for an exception that another framework raised; None where it was raised elsewhere."""
    if last.package in _PROGRAMS:
        return _reported(last.package, last.what, last, Confidence.CERTAIN)
    bare = not last.through and not last.frame
    said = (
        each
        for each in told.of(_CODE)
        if place(each) == place(last) or (bare and _program(each) in _LANGUAGES)
    )
    return next((_reported(_program(each), last.what, last, Confidence.LIKELY) for each in said), None)


def of_another_language(told: Testimony, saying: Saying) -> bool:
    """Whether the loader's words are about the library of a program in Node.js, Java or .NET, and not of a Python package."""
    return saying.code in _OF_A_LIBRARY and any(_program(each) in _LANGUAGES for each in told.of(_CODE))


def _reported(program: str, message: str, at: Saying | Ending, sure: Confidence) -> Candidate:
    name = _PROGRAMS[program][0]
    title = f"Reported by {name}, not TensorFlow{_shown(message)}."
    words = f"The message comes from {name}, which has its own build and its own libraries. TensorFlow's Python package is not involved."
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
        Fix(f"Look at {name} alone", (test.format(python=interpreter(facts)),)),
        fix("check-driver-gpu-and-tensorflow"),
    )  # fmt: skip
