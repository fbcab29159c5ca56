"""Objects that are of another kind than the code takes them for: a class for its object, an optimizer or a callback of another Keras."""

from __future__ import annotations

from tfdoctor.checks.log.around.macs import on_a_mac
from tfdoctor.checks.log.kerases import legacy_switch
from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.signatures.outside.errors import (
    CALLBACK,
    COLOCATED,
    NOT_COPIED,
    NOT_ON_DEVICE,
    OF_A_CLASS,
    OPTIMIZERS,
)

_FELL_BACK = "keras-legacy-fallback"
_ON_THE_CPU = Fix("Let TensorFlow run on the processor what the device does not have", note="In your files, first of all: tf.config.set_soft_device_placement(True); or, around the part that uses it: with tf.device('/cpu:0'):")  # fmt: skip
_OF_A_SESSION = ("allow_growth", "gpu_options", "per_process_gpu_memory_fraction", "visible_device_list")


def of_device(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """An operation that is demanded on a device for which TensorFlow has no version of it."""
    found = NOT_ON_DEVICE.search(last.what) or COLOCATED.search(last.what)
    if found is None:
        return None
    op, device = found["op"], found.groupdict().get("device", "GPU")
    mac = on_a_mac(facts)
    of = " On Macs tensorflow-metal brings the versions for the GPU." if mac else ""
    title = f"{op} has no version for the {device}, and the program demands it there."
    words = f"TensorFlow has a version of each operation for each kind of device, and of {op} for the processor alone.{of} Asked for it on the {device}, it takes the processor only where soft placement allows that."
    return Meant("metal-plugin-mismatch" if mac else OF_THE_PROGRAM, title, words, (_ON_THE_CPU,))


def of_class(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A setting of a class in place of an object's: the brackets were left out."""
    found = OF_A_CLASS.search(last.what)
    if found is None:
        return None
    name = found["name"]
    like = "tf.compat.v1.ConfigProto()" if name in _OF_A_SESSION else "Config()"
    title = f"The program sets {name} on a class and not on an object of it{' (ConfigProto)' if name in _OF_A_SESSION else ''}: the brackets behind the class's name are missing."
    words = f"A class describes its parts, and only an object that was made of it has them. So {name} is asked of the description."
    return Meant(OF_THE_PROGRAM, title, words, (Fix("Make the object first", note=f"In your files: config = {like}, with the brackets"),))  # fmt: skip


def of_optimizer(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """Keras 2.11 to 2.14 take their old optimizers on Apple's processors, which lack what the new ones have."""
    said = told.named(_FELL_BACK)
    if not said or OPTIMIZERS.search(last.what) is None:
        return None
    name = said[-1].told.get("symbol", "")
    title = f"Keras took its legacy optimizer on this Mac{f' in place of {name}' if name else ''}, and that one does not fit what follows."
    words = "On Apple's processors Keras 2.11 to 2.14 replace each optimizer by the legacy one of the same name, because the newer ones are slow there. The legacy ones lack some methods, and some newer optimizers have no legacy one at all. Your code and the file are in order."
    newer = Fix("Take TensorFlow 2.16 or newer, which does not do that, in an environment of its own", ("uv venv --python 3.12 tensorflow-new", "uv pip install --python=tensorflow-new tensorflow"), "The present environment stays as it is.")  # fmt: skip
    own = Fix("Or name an optimizer that exists in both, and load files without theirs", note="In your files: tf.keras.optimizers.legacy.Adam(...) in compile; load_model(FILE, compile=False), and compile it again.")  # fmt: skip
    return Meant("keras-mismatch", title, words, (newer, own))


def of_callback(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """Keras 3 made a callback's model a property; code for Keras 2 sets it."""
    found = CALLBACK.search(last.what)
    if found is None:
        return None
    who = found["name"] or "A callback"
    title = f"{who} sets its own model, which Keras 3 does not allow: the code was written for Keras 2."
    words = "In Keras 3 (TensorFlow 2.16 and newer) model is a property of callbacks that fit sets itself. In Keras 2 it was a plain attribute."
    own = Fix("Leave the line out, for fit sets the model; or write it as Keras wants it", note="In your files: self.set_model(model) in place of self.model = model")  # fmt: skip
    return Meant("keras-legacy-needed", title, words, (own, legacy_switch(facts)))


def of_copy(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A model, or what holds one, that pickle can't copy; None where a new process was to get it, of which the words tell elsewhere."""
    found = NOT_COPIED.search(last.what)
    if found is None:
        return None
    title = f"An object was to be copied by pickle and can't be: it holds {found['name']}, as Keras' models and optimizers do."
    words = "pickle, joblib.dump, copy.deepcopy, and whatever hands work to other processes copy objects part by part. A model of Keras before 2.10 has parts that can't be copied so, and so have datasets, sessions and generators in any release. Nothing is damaged."
    saved = Fix("Save a model in Keras' own way, and pickle only what is around it", note="In your files: model.save('model.keras'), later keras.models.load_model('model.keras'); for a copy in the same program keras.models.clone_model(model) and set_weights.")  # fmt: skip
    other = Fix("For other processes and for scikit-learn's searches, hand over what makes the model, and make or load it there", note="In your files: a plain function of a module, no method of an object, and no layer, model or dataset among its arguments.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (saved, other))
