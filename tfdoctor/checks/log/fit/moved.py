"""Public names for inner ones that were moved or removed."""

from __future__ import annotations

from tfdoctor.checks.log.fit.misfit import Misfit
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.by_release import spelt_otherwise, times

_MOVED = (
    ("tensorflow.python.keras", "tensorflow.keras"),
    ("tensorflow.keras.layers.experimental.preprocessing", "tensorflow.keras.layers"),
    ("tensorflow.keras.experimental", "tensorflow.keras"),
    ("tensorflow.keras.optimizers.experimental", "tensorflow.keras.optimizers"),
    ("tensorflow.python.framework.tensor_spec", "tensorflow"),
    ("tensorflow.python.training.tracking", "tensorflow.train"),
    ("keras.utils.np_utils", "keras.utils"),
    ("keras.preprocessing.image", "keras.utils"),
    ("tensorflow.keras.preprocessing.image", "tensorflow.keras.utils"),
    ("keras.utils.generic_utils", "keras.utils"),
    ("keras.engine.topology", "keras.layers"),
    ("keras.engine.base_layer", "keras.layers"),
    ("keras.engine.input_layer", "keras.layers"),
    ("keras.engine.training", "keras"),
    ("keras.engine", "keras.layers"),
    ("keras.layers.core", "keras.layers"),
    ("keras.layers.convolutional", "keras.layers"),
    ("keras.layers.pooling", "keras.layers"),
    ("keras.layers.recurrent", "keras.layers"),
    ("keras.layers.embeddings", "keras.layers"),
    ("keras.layers.merge", "keras.layers"),
    ("keras.layers.normalization", "keras.layers"),
    ("keras.layers.advanced_activations", "keras.layers"),
    ("keras.layers.wrappers", "keras.layers"),
    ("keras.optimizer_v2", "keras.optimizers"),
)
"""Inner modules, and where their names stand for everybody (the tables of signatures/names)."""


_PROJECTS = {
    "tensorflow.contrib.slim": ("tf-slim", "import tf_slim as slim"), "tensorflow.contrib.framework": ("tf-slim", "import tf_slim"),
    "tensorflow.contrib.layers": ("tf-slim", "from tf_slim import layers"), "tensorflow.contrib.crf": ("tensorflow-addons", "from tensorflow_addons import text"),
    "tensorflow.contrib.seq2seq": ("tensorflow-addons", "from tensorflow_addons import seq2seq"),
    "tensorflow.contrib.distributions": ("tensorflow-probability", "from tensorflow_probability import distributions"),
    "tensorflow.keras.wrappers": ("scikeras", "from scikeras.wrappers import KerasClassifier, KerasRegressor"),
    "keras.wrappers": ("scikeras", "from scikeras.wrappers import KerasClassifier, KerasRegressor"),
    "tensorflow.keras.wrappers.scikit_learn": ("scikeras", "from scikeras.wrappers import KerasClassifier, KerasRegressor"),
    "keras.wrappers.scikit_learn": ("scikeras", "from scikeras.wrappers import KerasClassifier, KerasRegressor"),
    "tensorflow.examples.tutorials": ("tensorflow-datasets", "import tensorflow_datasets as tfds"),
}  # fmt: skip
"""What went into projects of its own, and how it is imported from there."""


def elsewhere(facts: Facts, found: Misfit) -> Fix | None:
    """The project that has it now; None for what only moved inside."""
    for name, (project, line) in _PROJECTS.items():
        if found.name == name or found.name.startswith(f"{name}."):
            command = (f"{interpreter(facts)} -m pip install {project}",)
            return Fix(f"Take it from {project}, where it is now", command, f"In your files: {line}")
    if found.name.removeprefix("tensorflow.").startswith("keras.layers.experimental"):
        return fix("take-these-layers-from-tensorflow-keras")
    if found.name.startswith("tensorflow.contrib"):
        return fix("replace-what-program-takes-from-tf")
    return None


def public_name(found: Misfit) -> str:
    """The public name that the newest of the releases that can be installed has; "" where none is known."""
    module, _, last = found.name.rpartition(".")
    is_module = any(
        found.name == each for each, _public in _MOVED
    )  # a module, though a class may be called so
    other = "" if is_module else spelt_otherwise(module, last)
    today = times(module, other) if other else None
    if today is not None and today.last == today.every[-1]:
        return f"{module}.{other}"
    if found.package == "keras" and _still_there(f"tensorflow.{found.name}"):
        return f"tensorflow.{found.name}"
    if found.package == "keras" and last[:1].isupper() and _still_there(f"tensorflow.{module}"):
        return f"tensorflow.{found.name}"
    for inner, public in _MOVED:
        if found.name == inner or found.name.startswith(f"{inner}."):
            name = public + found.name[len(inner) :]
            for each in (name, f"{public}.{name.rpartition('.')[2]}", public):
                if each != found.name and _has_now(found, each):
                    return each
    return f"tensorflow.{found.name}" if _in_both(found) else ""


def _in_both(found: Misfit) -> bool:
    """keras 2.4 to 2.12 left out names that tensorflow.keras has always had, and Keras 3 has them under both again."""
    module, _, last = found.name.rpartition(".")
    here, name = times(f"tensorflow.{module}"), times(f"tensorflow.{module}", last)
    if found.package != "keras" or found.times.last != found.times.every[-1] or here is None:
        return False
    having = [each.having for each in (here, name) if each is not None]
    return all(minor in each for each in having for minor in found.present.minors)


def _has_now(found: Misfit, name: str) -> bool:
    """By the table of the module's package; tensorflow.keras shows what Keras itself has."""
    module, _, last = name.rpartition(".")
    of_keras = name.removeprefix("tensorflow.")
    there = times(name) or times(module, last)
    if there is None and name != of_keras:
        module, _, last = of_keras.rpartition(".")
        there = times(module, last) if module.startswith("keras") else None
        return there is not None and there.last == there.every[-1]
    return there is not None and found.present.minors[-1] in there.having


def public_line(found: Misfit) -> str:
    """The program's own import with the public module, where the log shows a line that takes names out of a module that is gone; "" else."""
    begun, _, names = found.source.partition(" import ")
    module = begun.removeprefix("from ").strip()
    if not begun.startswith("from ") or not (module == found.name or module.startswith(f"{found.name}.")):
        return ""
    asked = [each.partition(" as ")[0].strip() for each in names.strip("() ").split(",") if each.strip()]
    for inner, public in _MOVED:
        if module == inner or module.startswith(f"{inner}."):
            at = public + module[len(inner) :]
            for each in (at, public):
                if asked and each != module and all(_has_now(found, f"{each}.{name}") for name in asked):
                    return f"from {each} import {names.strip()}"
    return ""


def _still_there(module: str) -> bool:
    there = times(module)
    return there is not None and there.last == there.every[-1]
