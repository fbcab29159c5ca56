"""An argument that Keras does not take, handed over by an installed package: the two are of different times, and the program is not what fails."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.outside.kerases import ARGUMENT
from tfdoctor.signatures.own_errors import PROJECTS

_KERAS = ("keras", "tensorflow", "tensorflow_core", "tf_keras")
_CALLERS = (
    "IPython", "absl", "click", "fire", "flask", "gradio", "hydra", "ipykernel", "joblib", "keras_tuner", "kerastuner", "mlflow", "optuna", "pytest", "ray",
    "scikeras", "sklearn", "streamlit", "sacred", "tensorboard", "torch", "typer", "wandb", "_pytest", "pluggy",
)  # fmt: skip
"""They call functions of the user's, whose frames stand between theirs and Keras'."""
_CODE = "package-import-failed"


def _handed(last: Ending) -> tuple[str, str] | None:
    """The package whose frame stands before Keras' own ones, and the argument."""
    found = ARGUMENT.search(last.what) if last.how == "exception" else None
    modules = [each.partition(".")[0] for each in last.inside]
    if found is None or not modules or modules[-1] not in _KERAS or not last.package:
        return None
    before = next((each for each in reversed(modules) if each not in _KERAS), "")
    if not before or before in _CALLERS:
        return None
    return PROJECTS.get(before, before.replace("_", "-")), found["name"] or found["old"]


def of_argument(last: Ending) -> Candidate | None:
    """None where the program itself hands it over, and for other errors."""
    found = _handed(last)
    if found is None:
        return None
    who, name = found
    title = f"{who} hands Keras an argument that the installed Keras does not take ({name}): the two are of different times."
    words = f"The call stands in {who}, an installed package, and not in your program. Keras renamed or removed arguments of its optimizers and layers with 2.3, 2.11 and 3.0. Each of the two is in order by itself."
    return Candidate(_CODE, Confidence.LIKELY, (place(last),), words, title=title)


def argument_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end so."""
    raised = [each for each in told.endings if each.how == "exception"]
    found = _handed(raised[-1]) if raised and code == _CODE else None
    if found is None:
        return ()
    who, python = found[0], interpreter(facts)
    newer = Fix(f"Update {who}, and keep TensorFlow as it is", (f"{python} -m pip install --upgrade {who} {keeping_tensorflow(facts)}",))  # fmt: skip
    look = Fix(f"Where {who} has nothing newer, it needs a Keras of its own time: this shows what is here and what it asks for", (f"{python} -m pip show {who} keras tensorflow",))  # fmt: skip
    return (newer, look)
