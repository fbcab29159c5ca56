"""A class or function of Keras itself that a model file names, and the Keras that reads the file does not find."""

from __future__ import annotations

from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.signatures import own_errors as forms
from tfdoctor.signatures.by_release import Times, times

_MODULES = {
    "layer": "keras.layers",
    "loss function": "keras.losses",
    "metric function": "keras.metrics",
    "metric": "keras.metrics",
    "optimizer": "keras.optimizers",
    "initializer": "keras.initializers",
    "activation function": "keras.activations",
    "regularizer": "keras.regularizers",
}
"""By the words of the message: the module whose public names Keras looks through (keras/src/utils/generic_utils.py of 2.15)."""
_FOR_TRAINING = ("keras.losses", "keras.metrics", "keras.optimizers")
_ANY = (*_FOR_TRAINING, "keras.layers", "keras.initializers", "keras.activations", "keras.regularizers")
_WITHOUT = Fix("Load the model without what only training needs, and compile it again afterwards", note="In your files: model = load_model(FILE, compile=False), and then model.compile(…) as before. Predictions need no compile.")  # fmt: skip
_ONE_KERAS = Fix("Read the file with the Keras that wrote it: import all of Keras from one place", note="In your files: from tensorflow.keras.models import load_model, where the model was made with tensorflow.keras; from keras.models import load_model, where it was made with keras. They are two packages up to TensorFlow 2.5.")  # fmt: skip

_READER = Fix("Load it with TensorFlow 2.15, the last one with Keras 2, in an environment of its own", ("uv venv --python 3.11 tensorflow-2.15", 'uv pip install --python=tensorflow-2.15 "tensorflow==2.15.*" "numpy<2"'), "The present environment stays as it is.")  # fmt: skip


def of_keras_class(_facts: Facts, _told: Testimony, last: Ending) -> Meant | None:
    """None where the name is the program's own, or another package's."""
    found = forms.CLASS.compiled.search(last.what)
    of = forms.OF_MODULE.compiled.search(last.what)
    if found is None or (of is not None and not of["module"].startswith("keras")):
        return None
    if found["name"] in forms.CLASSES_OF_PACKAGES:
        return None
    modules = (_MODULES[found["kind"]],) if found["kind"] in _MODULES else _ANY
    where = next((each for each in modules if times(each, found["name"]) is not None), None)
    return _meant(found["name"], where) if where is not None else None


def _meant(name: str, module: str) -> Meant:
    whose = f"{name} is a name of {module} itself"
    if module in _FOR_TRAINING:
        title = f"The model file keeps how the model was trained, and this Keras does not find its {name}: another release of Keras saved it."
        words = f"{whose}, so no class of yours is missing. Releases of Keras store losses, metrics and optimizers in different ways; the layers and the weights of the file are not what fails."
        return Meant(OF_THE_PROGRAM, title, words, (_WITHOUT,))
    there = times(f"tensorflow.{module}", name)
    if there is not None and _came_later(there):
        title = f"The model file uses {name} of Keras, which came with TensorFlow {there.since}, and an older one reads it here."
        words = f"{whose}, so no class of yours is missing. The file is in order."
        return Meant("keras-mismatch", title, words, (_READER, _ONE_KERAS))
    title = f"The model file uses {name} of Keras itself, and the Keras that reads it does not know it: another Keras saved the file."
    words = f"{whose}, so no class of yours is missing. Mostly tensorflow.keras wrote the file and the package keras reads it, or the other way round, or the releases are far apart."
    return Meant("keras-mismatch", title, words, (_ONE_KERAS, _READER))


def _came_later(there: Times) -> bool:
    return there.since != there.every[0] and there.last == there.every[-1]
