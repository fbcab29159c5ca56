"""Tracebacks of the notebook's or console's own front-end: no line of them is the program's."""

from __future__ import annotations

from tfdoctor.checks.log.outside.reading import Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.ways.meaning import typed_with
from tfdoctor.checks.log.ways.notebooks import BY_ITSELF
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import replace
from tfdoctor.signatures.outside.errors import KERNEL_DEATH

_FRONT_ENDS = {"spyder": "Spyder", "qtconsole": "qtconsole", "jupyter-client": "Jupyter", "jupyter-server": "Jupyter", "notebook": "Jupyter", "jupyterlab": "JupyterLab", "nbclient": "nbclient", "spyder-kernels": "Spyder"}  # fmt: skip
_MISFITS = ("TypeError: ", "AttributeError: ", "ImportError: ")
_CONDA = ("of-conda", "of-miniforge")


def of_front_end(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """None where a frame is the program's own, or where another package raised it."""
    if last.package not in _FRONT_ENDS or "-packages" not in last.frame:
        return None
    function = last.frame.partition(" (")[0]
    name = next((_FRONT_ENDS[each] for each in last.through if each == "spyder"), _FRONT_ENDS[last.package])
    if function in KERNEL_DEATH:
        return _died(facts, name)
    several = [each for each in last.through if each in _FRONT_ENDS]
    if len(several) < 2 or not last.what.startswith(_MISFITS):
        return None
    return _misfit(facts, told, name, several)


def _died(facts: Facts, name: str) -> Meant:
    title = f"The kernel died, and {name} failed by itself as it was about to say so: this error is not the program's."
    words = f"The traceback is {name}'s own; it ran where {name} had noticed that the process behind the console had ended. Why that ended, these lines do not hold. The usual reasons are memory that ran out, a crash in compiled code, and a processor without the instructions that TensorFlow is built with."
    python = interpreter(facts)
    fixes = tuple(replace(each, commands=tuple(typed_with(python, line) for line in each.commands)) for each in BY_ITSELF)  # fmt: skip
    return Meant("jupyter-kernel-died", title, words, fixes)


def _misfit(facts: Facts, told: Testimony, name: str, several: list[str]) -> Meant:
    which = " and ".join(several)
    title = f"{name} fails by itself: its parts {which} are of releases that do not fit each other."
    words = f"No line of the traceback is the program's. One of {which} calls the other in a way that this does not know, as after an installation that changed one of them alone. TensorFlow is not what fails."
    names = " ".join(several)
    conda = Fix(f"Let conda bring {which} in releases for each other", (f"conda update --yes {names}",), "Then start it again.")  # fmt: skip
    pip = Fix(f"Bring {which} up to date together", (f"{interpreter(facts)} -m pip install --upgrade {names}",), "Then start it again. An environment of its own for TensorFlow keeps its packages apart from those of the console.")  # fmt: skip
    return Meant("package-import-failed", title, words, (conda, pip) if told.named(*_CONDA) else (pip, conda))
