"""A file of the user's own that stands in the way of a module: the traceback shows where an installed one got it instead."""

from __future__ import annotations

import sys

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter, quoted

_CODE = "tensorflow-shadowed"


def shadowing(last: Ending) -> Candidate | None:
    """None where the traceback shows no such file."""
    if not last.shadow:
        return None
    file, module = _name(last.shadow), _module(last.shadow)
    words = f"A module of an installed package, or of Python itself, imports {module} and gets {last.shadow}: Python looks first in the folder of the program that is started. So a file of the user's own is run in the middle of that import."
    return Candidate(_CODE, Confidence.CERTAIN, (place(last),), words, title=f"Your own {file} is taken for the module {module} that others import.")  # fmt: skip


_PARTLY = "partially-initialized"
_INSTALLED = ("site-packages", "dist-packages")


def of_itself(told: Testimony, saying: Saying) -> Candidate | None:
    """A module that is asked for a name while it is still being imported: mostly a file of the user's own has its name."""
    if saying.name != _PARTLY:
        return None
    module, file = saying.told["module"], _told_file(saying)
    top = module.partition(".")[0]
    words = f"{module} was asked for a name while Python was still in the middle of importing it. "
    if file and not any(each in file for each in _INSTALLED):
        words += f"The file that was taken for it is {file}, one of your own, and it imports itself. The package is in order."
        return Candidate(_CODE, Confidence.CERTAIN, (place(saying),), words, title=f"Your own {_name(file)} is taken for {module}, and imports itself.")  # fmt: skip
    own = _own_file(told, saying)
    words += f"Mostly a file of your own named {own or f'like a module that {top} imports (code.py, test.py, types.py)'} is in the folder of the program that is started: Python takes it in place of the real one. Where no such file is there, {top} itself is only half installed."
    title = f"The import of {module} runs into itself: mostly a file of your own {f'is named {own}' if own else 'has the name of a module that it imports'}."
    return Candidate(_CODE, Confidence.LIKELY, (place(saying),), words, title=title)


def _own_file(told: Testimony, saying: Saying) -> str:
    """What shadows it: a script with a name of Python's library; else the module's own name, which a package with parts can't be."""
    module = str(saying.told["module"])
    frames = [each.frame.rpartition("(")[2].rpartition(":")[0] for each in told.endings if each.frame]
    started = [each.told["file"] for each in told.named("script-started")]
    files = [_name(each) for each in (*frames, *started) if each.endswith(".py")]
    others = sys.stdlib_module_names | {"test"}
    found = next((each for each in files if each.removesuffix(".py") in others), "")
    return found or ("" if "." in module else f"{module}.py")


def _told_file(saying: Saying) -> str:
    """The path that ends the message in parentheses; "" for none."""
    last = saying.text.rpartition("(")[2].rpartition(")")[0].strip()
    return last if last.endswith(".py") else ""


def _of_itself_fixes(facts: Facts, told: Testimony, said: Saying) -> tuple[Fix, ...]:
    top, file = said.told["module"].partition(".")[0], _told_file(said)
    own = _name(file) if file and not any(each in file for each in _INSTALLED) else _own_file(told, said)
    windows = value_or(facts.host.os, "") == "windows"
    look = ("dir /b *.py",) if windows else ("ls *.py",)
    rename = (f"ren {own} my_{own}",) if windows else (quoted("mv", own, f"my_{own}"), "rm -rf __pycache__")
    python = interpreter(facts)
    named = Fix(f"In the folder of the program, give {own} another name, and change the lines that import it", rename, "Where the file has another name of a module (code.py, test.py, types.py), that one is meant.")  # fmt: skip
    if file:
        return (named,)
    return (
        *((named,) if own else ()),
        Fix("See which of your files have the name of a module that is imported", look),
        fix("where-none-install-again", top=top, python=python, value=top.replace('_', '-')),
    )  # fmt: skip


def renaming_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no file of the user's own is named."""
    raised = [each for each in told.endings if each.how == "exception" and each.shadow]
    if code != _CODE:
        return ()
    if not raised:
        partly = told.named(_PARTLY)
        return _of_itself_fixes(facts, told, partly[0]) if partly else ()
    file = _name(raised[-1].shadow)
    if value_or(facts.host.os, "") == "windows":
        commands: tuple[str, ...] = (f"ren {file} my_{file}",)
    else:
        commands = (quoted("mv", file, f"my_{file}"), "rm -rf __pycache__")
    return (Fix(f"In the folder of {file}, give it another name, and change the lines that import it", commands, f"It holds as long as no {file} is in the folder of the program that is started."),)  # fmt: skip


def _name(path: str) -> str:
    parts = path.replace("\\", "/").split("/")
    return parts[-2] if parts[-1] == "__init__.py" and len(parts) > 1 else parts[-1]


def _module(path: str) -> str:
    return _name(path).removesuffix(".py")
