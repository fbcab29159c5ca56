"""A model of a package's own, written for Keras 2, that Keras 3 refuses: the program only calls the package and can change nothing there."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.fit.misfit import at
from tfdoctor.checks.log.kerases import legacy_switch
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_BY_KERAS_3 = {
    "layer-without-input": "ValueError: The layer ", "file-name-for-keras-3": "ValueError: ", "name-taken-for-shape": "", "tensor-by-its-place": "", "keras-tensor-in-function": "ValueError: ",
}  # fmt: skip
"""Texts that in a program of one's own ask for another line, and how Keras 3 begins them: Keras 2 raises AttributeError for the first."""
_STARTERS = (
    "ipython", "ipykernel", "spyder-kernels", "streamlit", "absl-py", "click", "typer", "fire", "flask", "werkzeug", "gunicorn", "uvicorn", "starlette", "fastapi", "gradio", "anyio", "django",
    "celery", "ray", "pytest", "pluggy", "joblib", "hydra", "traitlets", "tornado", "torch", "pydev", "debugpy",
)  # fmt: skip
"""They only start a program of one's own, or call it."""
_BASES = ("tensorflow", "tensorflow-core", "keras", "tf-keras", "numpy", "six", "absl-py")


def of_a_package(told: Testimony, saying: Saying) -> Candidate | None:
    """None where no package stands between the program and Keras."""
    who = _between(told, saying)
    if not who:
        return None
    title = f"{who} was written for Keras 2, and it is Keras 3 that runs it."
    words = f"The error arises in code of {who}, which uses Keras as Keras 2 allowed it. TensorFlow 2.16 and newer bring Keras 3, which does not. Your program only calls {who}: nothing in it has to be changed. The message: {at(told, saying).what[:300]}"
    return Candidate("keras-legacy-needed", Confidence.LIKELY, (place(saying),), words, title=title)


def _between(told: Testimony, saying: Saying) -> str:
    last = at(told, saying)
    if not last.what.startswith(_BY_KERAS_3.get(saying.name, "\n")):
        return ""
    return next((each for each in reversed(last.through) if each.lower() not in (*_BASES, *_STARTERS)), "")


def between_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the log shows no such package."""
    who = next(filter(None, (_between(told, each) for each in told.named(*_BY_KERAS_3))), "")
    if not who:
        return ()
    update = fix(
        "or-update-and-keep-tensorflow-as",
        who=who,
        python=interpreter(facts),
        keeping=keeping_tensorflow(facts),
    )
    return (legacy_switch(facts), update)
