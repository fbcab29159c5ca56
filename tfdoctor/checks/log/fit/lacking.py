"""A name that an installed companion of TensorFlow lacks: it is of another release than the code that asks for it."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.kerases import tf_keras
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import replace
from tfdoctor.signatures.by_release import asked
from tfdoctor.signatures.own_errors import PROJECTS

_COMPANIONS = (
    "keras_applications", "keras_contrib", "keras_cv", "keras_hub", "keras_nlp", "keras_preprocessing", "keras_tuner", "keras_vggface", "kerastuner",
    "onnx_tf", "tensorflow_addons", "tensorflow_datasets", "tensorflow_decision_forests", "tensorflow_federated", "tensorflow_gnn", "tensorflow_graphics",
    "tensorflow_hub", "tensorflow_io", "tensorflow_lattice", "tensorflow_model_optimization", "tensorflow_privacy", "tensorflow_probability",
    "tensorflow_quantum", "tensorflow_ranking", "tensorflow_recommenders", "tensorflow_text", "tensorflow_transform", "tensorflowjs", "tf2onnx",
    "tf_agents", "tf_keras", "tf_slim", "google", "onnx", "tensorboard",
)  # fmt: skip
"""Packages around TensorFlow by their module's name: a module of another name can be the user's own."""
_WITH_2 = {("tensorflow_hub", "KerasLayer"), ("tensorflow_hub", "load")}
"""tensorflow_hub shows these under TensorFlow 1.15 and 2 alone (tensorflow/hub#255)."""


def lacking(facts: Facts, last: Ending) -> Candidate | None:
    """None for names of TensorFlow and Keras themselves, for whole modules, and for a package that is only half imported."""
    found = _wanted(last)
    if found is None:
        return None
    module, name, project = found
    who = f" {last.package} asks for it." if last.package and last.package != project else ""
    words = f"{project} is installed, and its module {module} has no {name}.{who} Either it is older or newer than the code that asks, or a part of its files is missing. TensorFlow itself is not what fails."
    title = f"The installed {project} has no {name}: it is of another release than the code that asks for it, or incomplete."
    if _needs_2(facts, module, name):
        version = value_or(facts.tensorflow.version, "")
        title = f"{project} has {name} with TensorFlow 2 alone, and {version} is installed."
    code = "protobuf-incompatible" if project == "protobuf" else "package-import-failed"
    return Candidate(code, Confidence.LIKELY, (place(last),), words, title=title)


def _wanted(last: Ending) -> tuple[str, str, str] | None:
    wanted = asked(last.what, last.source) if last.how == "exception" else None
    if wanted is None or not wanted[1] or wanted[0].partition(".")[0] not in _COMPANIONS:
        return None
    module, name = wanted
    if module.startswith("google") and not module.startswith("google.protobuf"):
        return None
    top = module.partition(".")[0]
    return module, name, PROJECTS.get(top, top.replace("_", "-"))


def _needs_2(facts: Facts, module: str, name: str) -> bool:
    return (module, name) in _WITH_2 and str(value_or(facts.tensorflow.version, "")).startswith("1.")


def lacking_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end so."""
    raised = [each for each in told.endings if each.how == "exception"]
    found = _wanted(raised[-1]) if raised else None
    if found is None:
        return ()
    module, name, project = found
    python = interpreter(facts)
    if _needs_2(facts, module, name):
        return (Fix("Take TensorFlow 2, in an environment of its own", (f"{python} -m venv tensorflow-2", "tensorflow-2/bin/python -m pip install tensorflow tensorflow_hub"), "Code for TensorFlow 1 has to be changed for it."),)  # fmt: skip
    if project == "tf-keras":
        own = tf_keras(facts)
        lines = tuple(each.replace("pip install ", "pip install --force-reinstall --no-deps ") for each in own.commands)  # fmt: skip
        return (replace(own, commands=lines, title=f"{own.title}, all of its files once more"),)
    if project == "protobuf":
        return (Fix("Install protobuf again, in the release that the installed TensorFlow asks for", (f"{python} -m pip uninstall --yes protobuf", f"{python} -m pip install --no-cache-dir protobuf {keeping_tensorflow(facts)}"), "What was left of an older one, or was only half written, goes with it."),)  # fmt: skip
    return (
        Fix(f"Update {project}, and keep TensorFlow as it is", (f"{python} -m pip install --upgrade {project} {keeping_tensorflow(facts)}",)),
        Fix("Where nothing newer comes, the code is newer or older than the package: see what its authors ask for, and which release is here", (f"{python} -m pip show {project}",)),
    )  # fmt: skip
