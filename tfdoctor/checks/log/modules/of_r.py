"""R that finds no TensorFlow: R runs one Python for a whole session, and mostly it is not the one that has TensorFlow.

Which Python R took stands in its own words; whether somebody told it to take that one, too.
"""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix

_SAID = ("r-no-tensorflow", "r-no-module")
_ABSENT = "No module named 'tensorflow'"
_MISSING, _WRONG = "tensorflow-missing", "wrong-interpreter"
_MADE_FOR_R = ("r-tensorflow", "r-reticulate", "r-keras", "py_tf")
"""Environments that R's install functions make by themselves."""
_TITLES = {
    "r-not-a-virtualenv": (
        "R was to install TensorFlow into the environment {value}, and what is there under that name is none.",
        "The folder is there, from an attempt that broke off or from another program, and no Python is in it. reticulate does not write over it, so nothing was installed.",
    ),
    "r-no-python": (
        "R was told to use the Python {file}, and there is no environment of that kind.",
        "reticulate takes a Python itself by use_python, a folder of venv by use_virtualenv and one of conda by use_condaenv. What was named is none of the kind that was asked for, or is not there.",
    ),
    "r-package-loaded": (
        "R's package {package} {version} is loaded, and what is loaded now needs {wanted} or newer.",
        "R keeps a package that it loaded until the session ends, also where a newer one was installed meanwhile. TensorFlow is not what fails.",
    ),
}
"""By the signature's name."""
_ONE = "R runs one Python for a whole session, which it takes at the first use: the one that it was told (use_python, use_condaenv, RETICULATE_PYTHON), else an environment r-tensorflow or r-reticulate, else what it finds on the path."


def of_r(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None where no R speaks."""
    if saying.name in _TITLES:
        title, words = _TITLES[saying.name]
        return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title.format(**saying.told))  # fmt: skip
    if saying.name not in (*_SAID, "tensorflow-not-installed") or not told.named(*_SAID):
        return None
    if (why := _behind(told)) is not None:
        return Candidate(why, Confidence.POSSIBLE, (place(saying),))
    python = python_of(told)
    own = any(each in python for each in _MADE_FOR_R)
    which = f" ({python})" if python else ""
    at = (place(told.named(*_SAID)[0]), place(saying))
    if (told.named("r-python-forced") or told.named("r-not-in-python")) and not own:
        forced = told.named("r-python-forced")
        by = f" It was told to, by {_shortened(forced[0])}." if forced else ""
        words = f"{_ONE}{by} That Python has no TensorFlow; what R's functions install is in an environment of its own."
        return Candidate(_WRONG, Confidence.LIKELY, at, words, title=f"R runs a Python without TensorFlow{which}.")  # fmt: skip
    words = f"{_ONE} This one has no TensorFlow: it was not installed for R, into another Python, or the installation failed."
    opened = question((_MISSING, _WRONG), "packages.installed")
    return Candidate(_MISSING, Confidence.LIKELY, at, words, opened, f"The Python that R runs has no TensorFlow{which}.")  # fmt: skip


def _behind(told: Testimony) -> str | None:
    """R says the same where TensorFlow is there and can't be imported; Python's own words then stand below."""
    causes = (
        each.code
        for each in told.sayings
        if each.role == "cause" and each.code not in (_MISSING, "other-program-failed")
    )
    raised = [each for each in told.endings if each.how == "exception" and _ABSENT not in each.what]
    return next(causes, "python-exception" if raised else None)


def _shortened(forced: Saying) -> str:
    words = forced.told["message"].removeprefix("the ").strip()
    return f"{words.removesuffix(' function')}" if words else "its settings"


def python_of(told: Testimony) -> str:
    """The interpreter as R names it; "" where these lines do not."""
    named = [each.told["file"] for each in told.named("r-python")]
    return named[-1] if named else ""


def r_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where no R speaks. Each command is a whole session of R by itself; in RStudio what stands in its quotes is typed."""
    if code in (_MISSING, "package-import-failed") and (said := told.named(*_TITLES)):
        return _of_its_tools(said[0])
    if code not in (_MISSING, _WRONG) or not told.named(*_SAID):
        return ()
    install = Fix(
        "Let R install TensorFlow into an environment that it finds by itself, in a new session of R",
        (_typed("tensorflow::install_tensorflow(envname = 'r-tensorflow')"),),
        "In RStudio: Session, Restart R, and then the line within the quotes. It works with Python 3.9 to 3.12; reticulate::install_python('3.12') brings one.",
    )
    use = Fix(
        "Where TensorFlow is installed already, tell R so before anything else uses Python. A new session of R shows whether it is found",
        (_typed("reticulate::use_virtualenv('r-tensorflow', required = TRUE); tensorflow::tf_config()"),),
        "For an environment of conda: reticulate::use_condaenv('NAME', required = TRUE). Take away what names another one: a line use_python in .Rprofile, RETICULATE_PYTHON in .Renviron, Tools, Global Options, Python in RStudio.",
    )  # fmt: skip
    if code == _WRONG and (made := _made_by_conda(told)):
        use = Fix(
            "Tell R to take the environment of conda that it made for TensorFlow, before anything else uses Python. A new session of R shows whether it is found",
            (_typed(f"reticulate::use_condaenv('{made}', required = TRUE); tensorflow::tf_config()"),),
            "Put the first half at the beginning of your script. Take away what names another one: a line use_python in .Rprofile, RETICULATE_PYTHON in .Renviron, Tools, Global Options, Python in RStudio.",
        )
    look = Fix("See which Pythons R knows, and which it takes. It changes nothing", (_typed("reticulate::py_discover_config('tensorflow')"),))  # fmt: skip
    return (use, install, look) if code == _WRONG else (install, use, look)


def _made_by_conda(told: Testimony) -> str:
    """The environment that R's install functions made with conda, where it is listed and R took another; "" for none."""
    named = [each.told["value"] for each in told.named("r-conda-environment")]
    return named[0] if named and named[0] not in python_of(told) else ""


def _of_its_tools(saying: Saying) -> tuple[Fix, ...]:
    install = _typed("tensorflow::install_tensorflow(envname = 'r-tensorflow')")
    if saying.name == "r-package-loaded":
        package = saying.told["package"]
        return (Fix(f"Bring {package} up to date in a session that has loaded nothing, and start R again", (_typed(f"chooseCRANmirror(ind = 1); install.packages('{package}')"),), "In RStudio: Session, Restart R, and then the line within the quotes, before any library()."),)  # fmt: skip
    if saying.name == "r-not-a-virtualenv":
        name = saying.told["value"]
        clean = _typed(f"unlink(file.path(reticulate::virtualenv_root(), '{name}'), recursive = TRUE)")
        return (Fix("Remove that folder, and let R make the environment once more", (clean, install), "In RStudio: Session, Restart R, and then the lines within the quotes."),)  # fmt: skip
    look = Fix("See which Pythons and environments R finds. It changes nothing", (_typed("reticulate::py_config(); reticulate::virtualenv_list(); reticulate::conda_list()"),))  # fmt: skip
    own = Fix("Let R make an environment of its own, with a Python of its own, and name none", (_typed("reticulate::install_python('3.12')"), install), "Then take use_python, use_condaenv and RETICULATE_PYTHON away, and start R again.")  # fmt: skip
    return (own, look)


def _typed(words: str) -> str:
    """For a shell: Windows' prompt knows double quotes alone."""
    return f'Rscript -e "{words}"'
