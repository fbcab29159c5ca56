"""Modules that say in their own words which package they lack, or that they are too old themselves."""

from __future__ import annotations

from tfdoctor.checks.log.modules.absent import in_a_notebook, project_of
from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.outside.errors import NEEDED, NO_GRAPHVIZ, TENSORFLOW_NEEDED, UPGRADE

_NO_PACKAGES = ("the", "a", "an", "it", "this", "to", "at", "is", "TensorFlow", "tensorflow", "Keras", "keras", "python", "Python", "upgrade")  # fmt: skip


def of_need(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A module that is not installed, told in words of the one who needs it."""
    found = next((match for each in NEEDED if (match := each.search(last.what)) is not None), None)
    package = found["package"] if found is not None else ""
    if not package or package in _NO_PACKAGES:
        return None
    project, asker = project_of(package), last.package
    title = f"{project} is not installed in the Python that runs the program{f', and {asker} needs it' if asker else ''}."
    words = f"What was called needs {project} besides, and does not find it. TensorFlow does not bring everything that some of its functions use: {project} has to be installed by itself."
    by = "%pip" if in_a_notebook(facts, last) else f"{interpreter(facts)} -m pip"
    install = Fix(f"Install {project} {'in a cell of the notebook, and restart the kernel' if by == '%pip' else 'into the environment that runs the program'}", (f"{by} install {project}",))  # fmt: skip
    return Meant("package-import-failed" if asker else OF_THE_PROGRAM, title, words, (install,))


def of_tensorflow(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """TensorFlow itself, told so by one that could not import it: it may be absent, or there and not to be loaded."""
    if TENSORFLOW_NEEDED.search(last.what) is None:
        return None
    asker = last.package or "The program"
    title = f"{asker} does not find TensorFlow in the Python that runs it, as the message says."
    words = "Such a message comes from a package that tried to import TensorFlow and caught the error: either this Python has none (it was installed for another one), or it is there and can't be imported. The message does not tell which of the two."
    by = "%pip" if in_a_notebook(facts, last) else f"{interpreter(facts)} -m pip"
    look = () if by == "%pip" else (f"{interpreter(facts)} -c 'import tensorflow'",)
    install = Fix("Install it into the very Python that runs the program, and see whether it can be imported", (f"{by} install tensorflow", *look), "Where pip says that it is there already, import tensorflow in the same Python: the error that comes then is the cause.")  # fmt: skip
    return Meant("tensorflow-missing", title, words, (install,))


def of_graphviz(_facts: Facts, _told: Testimony, last: Ending) -> Meant | None:
    """The program that draws, beside the Python package that calls it."""
    if NO_GRAPHVIZ.search(last.what) is None:
        return None
    title = "Graphviz is not installed, or its program dot is not on PATH: the picture of the model can't be drawn."
    words = "pydot and graphviz from pip only call Graphviz, which is a program of the system and does not come with them. The model is in order."
    install = Fix("Install Graphviz itself. On Debian, Ubuntu and in Colab", ("sudo apt-get install --yes graphviz",), "With conda: conda install graphviz; on a Mac: brew install graphviz; on Windows: winget install Graphviz.Graphviz, and then a new prompt.")  # fmt: skip
    without = Fix("Or look at the model without a picture", note="In your files: model.summary() in place of plot_model(model)")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (install, without))


def of_upgrade(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A package that was asked for more than its release knows, and names the line that brings a newer one."""
    found = UPGRADE.search(last.what)
    if found is None or found["package"] in _NO_PACKAGES:
        return None
    project = project_of(found["package"])
    title = f"The installed {project} is too old for what the program asks of it, as it says itself."
    words = f"{project} knows what there was when it was released, and the program asks for something newer. TensorFlow is not what fails."
    by = "%pip" if in_a_notebook(facts, last) else f"{interpreter(facts)} -m pip"
    newer = Fix(f"Bring {project} up to date", (f"{by} install --upgrade {project}",), "Or ask for something older: what it knows stands in the message.")  # fmt: skip
    return Meant("package-import-failed", title, words, (newer,))
