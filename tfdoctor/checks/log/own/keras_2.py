"""Code and files of Keras 2 that Keras 3 refuses by words of their own."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.ways.meaning import Meaning
from tfdoctor.findings.model import Fix

_SINCE = "Keras 3 comes with TensorFlow 2.16 and newer."
OF_KERAS_2: Mapping[str, Meaning] = {
    "keras-2-file": Meaning(f"{_SINCE} It reads .keras and .h5 files alone. What it is given here is in a format of Keras 2 (a SavedModel's folder or TensorFlow's checkpoint), or has no such ending, or is not there at all."),
    "layers-without-keras-3": Meaning(f"These layers of TensorFlow 1 (tf.compat.v1.layers, tf_slim) are a part of Keras 2. {_SINCE} It does not have them."),
    "json-of-keras-2": Meaning(f"The class is Keras' own, so no class of yours is missing. {_SINCE} It does not read the JSON in which Keras 2 described a model."),
    "file-name-for-keras-3": Meaning(f"{_SINCE} It saves whole models in files that end in .keras (or .h5), and weights in files that end in .weights.h5. The code was written for Keras 2, which took any name."),
    "name-taken-for-shape": Meaning(f"A name arrived where a shape belongs: add_weight of Keras 2 took the name first, that of Keras 3 takes the shape first. {_SINCE} The code, or the package it is in, was written for Keras 2."),
    "dimension-for-keras-3": Meaning(f"The sizes are those of TensorFlow 1 (Dimension), which code for it switches on. Keras 2 takes them, Keras 3 does not. {_SINCE}"),
    "tensor-by-its-place": Meaning(f"A layer of Keras 3 takes tensors as its first arguments and all else by name; Keras 2 took variables and numbers in their place, too. {_SINCE}"),
    "optimizer-of-keras-2-saved": Meaning(f"The SavedModel was saved with its optimizer, of Keras 2. The TensorFlow here knows no such optimizer any more, so that part can't be brought back; the weights are in order. {_SINCE}"),
    "probability-without-tf-keras": Meaning("Since 0.24 TensorFlow Probability works with Keras 2 alone, which is a package of its own, tf-keras, since TensorFlow 2.16. It does not ask pip for it, because its part for JAX does without; its extra tf does."),
    "tf-keras-required": Meaning(f"The package needs Keras 2, which is a package of its own, tf-keras, since TensorFlow 2.16. {_SINCE}"),
}  # fmt: skip
"""By the signature's name. Their ways out are in checks/log/kerases.py."""
TITLES_OF_KERAS_2 = {
    "keras-2-file": "Keras 3 is given a model or weights in a format that only Keras 2 reads, or that it can't find.",
    "layers-without-keras-3": "The code uses layers of TensorFlow 1, which Keras 3 does not have.",
    "json-of-keras-2": "The model's JSON was written by Keras 2, and Keras 3 reads it here.",
    "file-name-for-keras-3": "The code was written for Keras 2: Keras 3 asks for another ending of the file that is saved.",
    "name-taken-for-shape": "The code was written for Keras 2: Keras 3 takes a weight's shape first, not its name.",
    "dimension-for-keras-3": "The code was written for TensorFlow 1 and Keras 2, and Keras 3 does not take its sizes.",
    "tensor-by-its-place": "The code was written for Keras 2: Keras 3 wants what is no tensor of its own by name.",
    "optimizer-of-keras-2-saved": "The SavedModel holds an optimizer of Keras 2, which can't be brought back here.",
    "probability-without-tf-keras": "TensorFlow Probability needs Keras 2 (tf-keras), which is not installed.",
    "tf-keras-required": "A package needs Keras 2 (tf-keras), which is not installed beside this TensorFlow.",
}
_FOLDER = Fix("Or load the folder with Keras 3 as a layer that can only be used, not trained", note="In your files: keras.layers.TFSMLayer(folder, call_endpoint='serving_default')")  # fmt: skip
_OTHERWISE = {
    "keras-2-file": _FOLDER,
    "json-of-keras-2": Fix("Or load JSON and weights with TensorFlow 2.15, the last one with Keras 2, and save the model as .keras there"),
    "layers-without-keras-3": Fix("Or take TensorFlow 2.15 or older, which has them, in an environment of its own", ("tfdoctor plan --tensorflow '<2.16'",)),
    "name-taken-for-shape": Fix("Or name the arguments, where the code is your own", note="In your files: self.add_weight(name='counter', shape=(), initializer='zeros')"),
    "tensor-by-its-place": Fix("Or name the argument, where the code is your own", note="In your files: layer(x, mask=mask) in place of layer(x, mask)"),
    "optimizer-of-keras-2-saved": Fix("Or load it with the TensorFlow that saved it, and save it without the optimizer", note="In your files: model.save('model', include_optimizer=False)"),
    "dimension-for-keras-3": Fix("Or take TensorFlow 2.15 or older, in an environment of its own", ("tfdoctor plan --tensorflow '<2.16'",)),
}  # fmt: skip


def rename_first(told: Testimony) -> tuple[Fix, ...]:
    """The least that helps where only the name of a file is refused in the program's own code; () elsewhere."""
    said = told.named("file-name-for-keras-3")
    if not said:
        return ()
    wanted = said[0].told.get("wanted", ".keras")
    return (Fix(f"Let the name of the file that is saved end in {wanted}, and read it by that name", note=f"In your files: ModelCheckpoint('best{wanted}', …), model.save('model.keras'), model.save_weights('model.weights.h5'). Where a package chooses the name, the next way is the one."),)  # fmt: skip


def otherwise(told: Testimony) -> tuple[Fix, ...]:
    """() where the general way out is meant."""
    return tuple(fix for name, fix in _OTHERWISE.items() if told.named(name))[:1]
