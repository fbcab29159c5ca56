"""A part of a module that the program asks for in vain: the module itself was found, or Python would name it alone."""

from __future__ import annotations

import sys

from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.installers.companions import FILES
from tfdoctor.checks.log.modules.absent import in_a_notebook, project_of
from tfdoctor.checks.log.modules.pickles import unpickled
from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.own_errors import NOT_ON_THE_INDEX, PART, PROJECTS

_OTHER_RULES = ("tensorflow", "tensorflow_core", "keras", "tf_keras", "numpy", "google", "distutils", "pkg_resources")  # fmt: skip
_MODELS = ("official", "object_detection", "nets", "deployment")
"""Folders of TensorFlow's repository `models`, of which a package, or an older clone, may hold others of the same name."""


def of_part(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """None where a package asks, and for what other rules know."""
    found = PART.compiled.search(last.what)
    if found is None or last.package or "is not a package" in last.what or unpickled(told, last):
        return None
    module = found["module"]
    top = module.partition(".")[0]
    if top in _OTHER_RULES or top in sys.stdlib_module_names:
        return None
    by = "%pip" if in_a_notebook(facts, last) else f"{interpreter(facts)} -m pip"
    where = f" It asks in {last.frame}." if last.frame else ""
    which = _which(facts, last, top)
    if top in _MODELS:
        return _of_models(facts, top, module, by, which, where)
    if top not in PROJECTS and project_of(top) not in FILES:
        return _of_somebody(top, module, which, where)
    project = project_of(top)
    words = f"Python found {top} and in it no {module.partition('.')[2]}: the code that asks was written for another release of {project}, mostly an older one from before that part was moved or removed. Nothing is damaged, and TensorFlow is not what fails.{where}"
    show = Fix(f"See which {project} is here, and take the one that the code was written for: its requirements.txt or README names it", (f"{by} show {project}",), f"Then: {by} install \"{project}==RELEASE\". Code of your own takes the part from where {project} has it now: its notes of changes say where.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, f"The installed {project} has no {module}: it is of another release than the code that asks for it.", words, (show,))  # fmt: skip


def _which(facts: Facts, last: Ending, top: str) -> Fix:
    ask = f"import {top}; print(list({top}.__path__))"
    if in_a_notebook(facts, last):
        return Fix(f"See which {top} Python finds", note=f"In a cell: {ask}")
    return Fix(f"See which {top} Python finds, in the folder in which the program is started", (f'{interpreter(facts)} -c "{ask}"',))  # fmt: skip


def _of_models(facts: Facts, top: str, module: str, by: str, which: Fix, where: str) -> Meant:
    """What is found first wins: a package, an older clone, or a folder of that name elsewhere."""
    title = f"Python finds another {top} than the one of TensorFlow's models that is asked for: it has no {module}."
    words = f"{top} is a folder of TensorFlow's repository models. A module of that name was found, or Python would name {top} alone; but it is an older one, or somebody else's, and holds no {module.partition('.')[2]}.{where}"
    path = Fix("Or put the folder that holds it in the clone first on Python's path, in the shell that starts the program", note="In the folder models of the clone: export PYTHONPATH=$PWD:$PWD/research:$PWD/research/slim:$PYTHONPATH (in Windows' prompt: set PYTHONPATH=%CD%;%CD%\\research;%CD%\\research\\slim;%PYTHONPATH%).")  # fmt: skip
    if top == "official":
        install = Fix("Install it as the package that holds it, and keep TensorFlow as it is", (f"{by} install --upgrade tf-models-official {keeping_tensorflow(facts)}",), "A folder official beside the program goes before it.")  # fmt: skip
        return Meant("package-import-failed", title, words, (install, path, which))
    bring = Fix(f"Bring the {top} of the repository", note=NOT_ON_THE_INDEX[top])
    return Meant("package-import-failed", title, words, (which, path, bring))


def _of_somebody(top: str, module: str, which: Fix, where: str) -> Meant:
    """A name that may be the user's own folder or a package's: many are called utils or models."""
    title = f"Python finds a {top}, and that has no {module}: another {top} goes before the one that is meant, or the part is not there."
    words = f"Were there no {top} at all, Python would name {top} alone. It takes the first of that name: in the folder in which the program is started, then on PYTHONPATH, then among the installed packages.{where}"
    first = Fix(f"Where {top} is a folder of the program, start it in the folder that holds {top}, and put that first", ("export PYTHONPATH=$PWD:$PYTHONPATH",), f"Where it is a package, its release has no {module}.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (which, first))
