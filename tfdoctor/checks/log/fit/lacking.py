"""A name that an installed companion of TensorFlow lacks: it is of another release than the code that asks for it."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.kerases import tf_keras
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import replace
from tfdoctor.signatures.by_release import asked
from tfdoctor.signatures.own_errors import LOOKED_IN, PROJECTS

_COMPANIONS = (
    "keras_applications", "keras_contrib", "keras_cv", "keras_hub", "keras_nlp", "keras_preprocessing", "keras_tuner", "keras_vggface", "kerastuner",
    "onnx_tf", "tensorflow_addons", "tensorflow_datasets", "tensorflow_decision_forests", "tensorflow_federated", "tensorflow_gnn", "tensorflow_graphics",
    "tensorflow_hub", "tensorflow_io", "tensorflow_lattice", "tensorflow_model_optimization", "tensorflow_privacy", "tensorflow_probability",
    "tensorflow_quantum", "tensorflow_ranking", "tensorflow_recommenders", "tensorflow_text", "tensorflow_transform", "tensorflowjs", "tf2onnx",
    "tf_agents", "tf_keras", "tf_slim", "google", "onnx", "tensorboard",
)  # fmt: skip
"""Packages around TensorFlow by their module's name: a module of another name can be the user's own."""
_DOWNSTREAM = (
    "autokeras", "basic_pitch", "csbdeep", "ddsp", "deepface", "deeplabcut", "deepxde", "gpflow", "imageai", "innvestigate", "keras_bert", "keras_ocr", "ktrain", "larq", "lucid",
    "magenta", "mrcnn", "mtcnn", "n2v", "rasa", "retinaface", "scikeras", "shap", "spleeter", "tensorrec", "tf_explain", "tf_keras_vis",
    "segmentation_models", "spektral", "stardist", "stellargraph", "tensorforce", "tensorlayer", "tflearn", "transformers", "tflite_model_maker", "tflite_support",
)  # fmt: skip
"""Packages that work by TensorFlow, where Python does not name the file in which it looked (before 3.7, or cut off)."""
_WITH_1 = ("lucid", "tensorrec")
"""These work with TensorFlow 1 alone (tensorflow/lucid#251, 2020-06; jfkirk/tensorrec, its setup.py)."""
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
    if _of_transformers(module, name):
        words = f"{name} is one of transformers' classes for TensorFlow. transformers up to 4 shows these only where it finds TensorFlow 2 in the same Python; transformers 5 does not have them any more."
        title = f"transformers shows no {name}: it finds no TensorFlow 2 in this Python, or is a release (5 and newer) that no longer works with TensorFlow."
    if project in _WITH_1:
        title = f"{project} could not be read whole: it works with TensorFlow 1 alone, and its module {module} has no {name} here."
    if _needs_2(facts, module, name):
        version = value_or(facts.tensorflow.version, "")
        title = f"{project} has {name} with TensorFlow 2 alone, and {version} is installed."
    code = "protobuf-incompatible" if project == "protobuf" else "package-import-failed"
    return Candidate(code, Confidence.LIKELY, (place(last),), words, title=title)


def _wanted(last: Ending) -> tuple[str, str, str] | None:
    wanted = asked(last.what, last.source) if last.how == "exception" else None
    if wanted is None or not wanted[1] or not _is_installed(wanted[0].partition(".")[0], last.what):
        return None
    module, name = wanted
    if module.startswith("google") and not module.startswith("google.protobuf"):
        return None
    top = module.partition(".")[0]
    return module, name, PROJECTS.get(top, top.replace("_", "-"))


_NOT_HERE = (
    "tensorflow",
    "tensorflow_core",
    "tensorflow_estimator",
    "keras",
    "numpy",
    "typing_extensions",
    "torch",
    "jax",
    "jaxlib",
    "ml_dtypes",
)
"""What is said of names of these has rules of its own, or is no matter of TensorFlow's."""


def _is_installed(module: str, what: str) -> bool:
    """Whether it is a package that was installed, and no module of the user's own."""
    found = LOOKED_IN.compiled.search(what)
    return module in (*_COMPANIONS, *_DOWNSTREAM) or (
        found is not None and found["folder"] == module and module not in _NOT_HERE
    )


def _needs_2(facts: Facts, module: str, name: str) -> bool:
    return (module, name) in _WITH_2 and str(value_or(facts.tensorflow.version, "")).startswith("1.")


def _of_transformers(module: str, name: str) -> bool:
    """Its classes for TensorFlow begin with TF (its release notes, 2.0 to 5.0)."""
    return module == "transformers" and name.startswith("TF") and name[2:3].isupper()


def lacking_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end so."""
    raised = [each for each in told.endings if each.how == "exception"]
    found = _wanted(raised[-1]) if raised else None
    if found is None:
        return ()
    module, name, project = found
    python = interpreter(facts)
    if _needs_2(facts, module, name):
        return (fix("take-tensorflow-2-in-environment-own", python=python),)
    if _of_transformers(module, name):
        return (fix("install-tensorflow-and-transformers-works-with", python=python),)
    if project in _WITH_1:
        return (fix("take-tensorflow-1-15-in-environment-own", project=project),)
    if project == "tf-keras":
        own = tf_keras(facts)
        lines = tuple(each.replace("pip install ", "pip install --force-reinstall --no-deps ") for each in own.commands)  # fmt: skip
        return (replace(own, commands=lines, title=f"{own.title}, all of its files once more"),)
    if project == "protobuf":
        return (
            fix(
                "install-protobuf-again-in-release-installed-2",
                python=python,
                keeping=keeping_tensorflow(facts),
            ),
        )
    if raised[-1].package not in ("", project):
        return _both(python, raised[-1].package, project, facts)
    if not raised[-1].package and module.partition(".")[0] not in _COMPANIONS:
        return _written_for_another(python, project, facts)
    return (
        fix("update-and-keep-tensorflow-as-2", project=project, python=python, keeping=keeping_tensorflow(facts)),
        fix("where-nothing-newer-comes-code-newer", python=python, project=project),
    )  # fmt: skip


def _both(python: str, asker: str, project: str, facts: Facts) -> tuple[Fix, ...]:
    """pip leaves the one alone that its metadata still allows, so both are named."""
    return (
        fix("update-asks-together-with-and-keep", asker=asker, project=project, python=python, keeping=keeping_tensorflow(facts)),
        fix("where-nothing-newer-needs-older-mostly", asker=asker, project=project, python=python),
    )  # fmt: skip


def _written_for_another(python: str, project: str, facts: Facts) -> tuple[Fix, ...]:
    """A program of one's own, or of a repository, asks a package that goes its own way: nobody knows which of the two is the older one."""
    return (
        fix("see-here-and-one-program-was", project=project, python=python),
        fix("where-program-newer-two-update-and", project=project, python=python, keeping=keeping_tensorflow(facts)),
    )  # fmt: skip
