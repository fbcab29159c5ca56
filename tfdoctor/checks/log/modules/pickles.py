"""An object that was saved by pickle or joblib and asks for a module or a name of the program that saved it."""

from __future__ import annotations

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.findings.model import Fix
from tfdoctor.signatures.own_errors import LOST, MODULE, PART

_BY = ("joblib", "cloudpickle", "dill")
_LASTING = (
    "What lasts is a format of its own: model.save('model.keras') for a model, NumPy's or pandas' for data."
)


def unpickled(told: Testimony, last: Ending) -> str:
    """What the saved object asks for in vain; "" where nothing was unpickled, or where that is not what failed."""
    if last.how != "exception" or not (told.named("unpickling") or last.package in _BY):
        return ""
    lost = LOST.compiled.search(last.what)
    if lost is not None:
        return lost["name"]
    missing = MODULE.compiled.search(last.what) or PART.compiled.search(last.what)
    by_others = last.package and last.package not in _BY
    return missing["module"] if missing is not None and not by_others else ""


def pickle_title(told: Testimony, last: Ending) -> str:
    name = unpickled(told, last)
    return f"The saved object (pickle, joblib) asks for {name}, which the program that loads it does not have." if name else ""  # fmt: skip


def pickle_fixes(told: Testimony) -> tuple[Fix, ...]:
    """() where nothing was unpickled."""
    raised = [each for each in told.endings if each.how == "exception"]
    name = unpickled(told, raised[-1]) if raised else ""
    if not name:
        return ()
    if LOST.compiled.search(raised[-1].what):
        own = Fix(f"Give {name} to the program that loads: a pickle holds only the name of a class or function, and where it was defined", note=f"Put {name} into a module of its own, import it from there in both programs, and save the object again. What was defined in the program that was started is looked for under __main__, and there is another one now (gunicorn, a notebook).")  # fmt: skip
        return (own, Fix(f"Until then, in the program that loads, before it loads: make {name} known under __main__", note=f"In your files: import __main__; __main__.{name} = {name}"))  # fmt: skip
    top = name.partition(".")[0]
    if top == name:
        return (
            Fix(f"Start the program in the folder that holds {name}.py, or the folder {name}, of the project that saved the object", note=f"A pickle holds only the names of classes and where they were defined. {name} is mostly a file of that project, and no package that pip would bring. {_LASTING}"),
        )  # fmt: skip
    return (
        Fix(f"Load it with the release of {top.replace('_', '-')} that saved it, in an environment of its own, and save it there in a form that lasts", note=f"{name} is an inner module of that release, which the installed one has elsewhere or no more. {_LASTING}"),
    )  # fmt: skip
