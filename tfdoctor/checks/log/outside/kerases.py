"""Objects, files and graphs of one Keras that another one, or a package that works with another one, refuses."""

from __future__ import annotations

from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.kerases import legacy_switch
from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.outside.kerases import (
    IDENTIFIER,
    INSTANCE,
    NO_BATCH,
    NO_RESULTS,
    PACKAGES,
    READERS,
    REFUSED,
    SETTING,
    SYMBOL,
)

_LEGACY, _MISMATCH = "keras-legacy-needed", "keras-mismatch"
_BY_NAME = {
    "optimizer": "optimizer='adam'",
    "loss function": "loss='sparse_categorical_crossentropy'",
    "metric function": "metrics=['accuracy']",
    "loss": "loss='sparse_categorical_crossentropy'",
    "metric": "metrics=['accuracy']",
    "initializer": "kernel_initializer='he_normal'",
    "regularizer": "kernel_regularizer='l2'",
    "activation function": "activation='relu'",
}


def of_identifier(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """An object of one Keras that was given to a model of another one."""
    found = IDENTIFIER.search(last.what)
    if found is None:
        return None
    what, name = found["what"], found["name"]
    legacy = "tf-keras" in last.through
    newer = name.startswith("keras.src.")
    by = " The model is of tf-keras, which is Keras 2." if legacy else ""
    title = f"The model is of one Keras, and the {what} that it is given ({name}) of another."
    words = (
        f"Keras takes the parts of a model by their class, and those of another Keras are none of its own.{by} Kerases of their own are keras, tensorflow.keras before 2.6 and from "
        "2.16 on (where it is Keras 3), tf-keras, and tensorflow.python.keras, which is nobody's to use; a package's optimizer is made for one of them. transformers, TensorFlow Hub and "
        "TensorFlow Probability make models of tf-keras where TensorFlow is 2.16 or newer. Nothing is damaged."
    )
    own = Fix(f"Name the {what}, so that the model takes its own", note=f"In your files: {_BY_NAME[what]}. Or import it from the same Keras as the model: from tf_keras for models of transformers, else from tensorflow.keras alone.")  # fmt: skip
    code = _LEGACY if legacy else _MISMATCH
    if not (legacy or newer):
        return Meant(code, title, words, (own,))
    ways = (own, legacy_switch(facts))
    return Meant(code, title, words, ways[::-1] if _is_a_packages(last, name) else ways)


_COMPILING = ("tensorflow", "tensorflow-core", "keras", "tf-keras", "transformers")
"""In their frames stands what the program's own compile called."""


def _is_a_packages(last: Ending, name: str) -> bool:
    """Whether a package made the part that does not fit: then the program has no line that names it. Keras' legacy optimizers
    are mostly a package's, too (amaiya/ktrain#525, 2024-03)."""
    return ".legacy." in name or any(each not in _COMPILING for each in last.through)


def of_instance(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """What reduces models looks at their class, and knows those of one Keras alone."""
    found = INSTANCE.search(last.what)
    if found is None:
        return None
    package = "tensorflow_model_optimization"
    if found["which"]:
        title = f"{package} takes Sequential and functional models of tensorflow.keras alone, and got something else."
        words = "It looks at the class of what it is given. The package keras beside TensorFlow, and tensorflow.python.keras, have classes of their own; a model that is a class of one's own is none of these either."
        own = Fix("Make the model by tensorflow.keras, as Sequential or by the functional API", note="In your files: from tensorflow import keras, with no line that begins with `from keras`; keras.Model(inputs, outputs) in place of class My(keras.Model).")  # fmt: skip
        return Meant(OF_THE_PROGRAM, title, words, (own,))
    title = f"{package} works with models of Keras 2 alone, and got one of Keras 3 (or a class of one's own)."
    words = "It looks at the class of what it is given, and takes those of tf-keras, which is Keras 2. TensorFlow 2.16 and newer bring Keras 3. The model is in order."
    return Meant(_LEGACY, title, words, (legacy_switch(facts),))


def of_refused(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A name of Keras 2 that Keras 3 has left alone to say that it is gone."""
    found = REFUSED.search(last.what)
    if found is None:
        return None
    who = next((each for each in reversed(last.through) if each not in _OWN), "")
    title = f"{who or 'The program'} was written for Keras 2: Keras 3 does not have {found['name']}."
    words = f"TensorFlow 2.16 and newer bring Keras 3, and what was written for Keras 2 can still have that one, as the package tf-keras. The message says so, too: {last.what[:200]}"
    return Meant(_LEGACY, title, words, (legacy_switch(facts),))


_OWN = ("keras", "tensorflow", "tensorflow-core", "tf-keras")


def of_symbol(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """Code that reads a model as a graph of operations, which Keras' tensors no longer have."""
    found = SYMBOL.search(last.what)
    if found is None:
        return None
    path = last.frame.replace("\\", "/")
    unpacked = next((each for each in PACKAGES if f"/{each}/" in path), "")
    who = last.package if last.package not in ("", "tensorflow", "keras") else unpacked
    title = f"{who or 'The program'} was written for TensorFlow 2.3 or older: it asks a tensor of Keras for its {found['name']}."
    words = "Up to TensorFlow 2.3 a model's tensors were those of TensorFlow's graph. Since 2.4 they have a type of their own (KerasTensor), which holds a shape and no graph. Nothing is damaged."
    older = Fix(
        "Or take TensorFlow 2.3, in an environment of its own", ("tfdoctor plan --tensorflow '<2.4'",)
    )
    return Meant(_MISMATCH, title, words, (*_newer(facts, who), older))


def _newer(facts: Facts, who: str) -> tuple[Fix, ...]:
    python = interpreter(facts)
    if who == "keras2onnx":  # it ended with 1.7, for TensorFlow 2.3
        return (Fix("Take tf2onnx in its place: keras2onnx is no longer developed", (f"{python} -m pip install --upgrade tf2onnx {keeping_tensorflow(facts)}",), "In your files: tf2onnx.convert.from_keras(model)"),)  # fmt: skip
    if not who:
        return (Fix("Ask the model in place of its tensors", note="In your files: model.inputs and model.outputs, layer.output.shape; a graph is made by tf.function(model).get_concrete_function(…).graph"),)  # fmt: skip
    return (Fix(f"Update {who}, and keep TensorFlow as it is", (f"{python} -m pip install --upgrade {who} {keeping_tensorflow(facts)}",)),)  # fmt: skip


def of_no_batch(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """Keras speaks of a result that it has not, where no batch came."""
    read = bool(told.named("keras-reads-its-results")) and NO_RESULTS.search(last.what) is not None
    if not read and NO_BATCH.search(last.what) is None:
        return None
    title = "Keras got no batch: the data of the training or of the validation gave none."
    words = "Keras gathers what it computed at the end of an epoch, and there is nothing. TensorFlow is not what fails."
    where = f" The call is in {last.frame}." if last.frame and "-packages" not in last.frame else ""
    own = Fix("See how many batches come, and leave steps_per_epoch and validation_steps out", note="In your files: print(len(data)) or print(sum(1 for _ in data)) before fit. They are 0 where there are fewer samples than one batch (samples // batch_size), where the folder or the split is empty, or where a generator was used up by an epoch before.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, f"{words}{where}", (own,))


def of_saved(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A setting that the Keras which reads a file expects, and that is not in it."""
    found = SETTING.search(last.what)
    if found is None or not last.inside or not last.inside[-1].endswith(READERS):
        return None
    title = (
        f"The model file was saved by another Keras than the one that reads it: it has no {found['name']}."
    )
    words = "A model file holds the settings by which it is built again, and their names change from release to release. The file is in order; your data and weights are, too."
    ask = f"{interpreter(facts)} -c \"import h5py; print(h5py.File('model.h5', 'r').attrs.get('keras_version'))\""
    look = Fix("See which Keras saved it, with the file's name in place of model.h5, and load it with the TensorFlow of that time", (ask,), "A file of the .keras format is a zip archive: its metadata.json tells.")  # fmt: skip
    again = Fix("Or build the model by its code and load the weights alone, or train it once more with the releases that are here", note="In your files: model = make_model(), then model.load_weights(FILE)")  # fmt: skip
    return Meant(_MISMATCH, title, words, (look, again))
