"""A file of the user's own that stands in the way of a module: the traceback shows where an installed one got it instead."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import quoted

_CODE = "tensorflow-shadowed"


def shadowing(last: Ending) -> Candidate | None:
    """None where the traceback shows no such file."""
    if not last.shadow:
        return None
    file, module = _name(last.shadow), _module(last.shadow)
    words = f"A module of an installed package, or of Python itself, imports {module} and gets {last.shadow}: Python looks first in the folder of the program that is started. So a file of the user's own is run in the middle of that import."
    return Candidate(_CODE, Confidence.CERTAIN, (place(last),), words, title=f"Your own {file} is taken for the module {module} that others import.")  # fmt: skip


def renaming_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no file of the user's own is named."""
    raised = [each for each in told.endings if each.how == "exception" and each.shadow]
    if code != _CODE or not raised:
        return ()
    file = _name(raised[-1].shadow)
    if value_or(facts.host.os, "") == "windows":
        commands: tuple[str, ...] = (f"ren {file} my_{file}",)
    else:
        commands = (quoted("mv", file, f"my_{file}"), "rm -rf __pycache__")
    return (Fix(f"In the folder of {file}, give it another name, and change the lines that import it", commands, f"It holds as long as no {file} lies in the folder of the program that is started."),)  # fmt: skip


def _name(path: str) -> str:
    parts = path.replace("\\", "/").split("/")
    return parts[-2] if parts[-1] == "__init__.py" and len(parts) > 1 else parts[-1]


def _module(path: str) -> str:
    return _name(path).removesuffix(".py")
