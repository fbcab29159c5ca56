"""What an exception's last line means, where it does not say so itself: one Keras that refuses what is of another, a device without a kernel."""

from __future__ import annotations

from tfdoctor.checks.log.around.macs import on_a_mac
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.fit.misfit import at, imported
from tfdoctor.checks.log.kerases import keras_fixes, legacy_switch
from tfdoctor.checks.log.modules.absent import in_a_notebook
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import record
from tfdoctor.signatures import own_errors as forms
from tfdoctor.signatures.by_release import Times, asked, known_module, times
from tfdoctor.signatures.last_lines import (
    CALLBACK,
    COLOCATED,
    IDENTIFIER,
    INSTANCE,
    NOT_ON_DEVICE,
    OPTIMIZERS,
    PACKAGES,
    READERS,
    REFUSED,
    SETTING,
    SYMBOL,
    TENSORFLOW_NEEDED,
)

OF_THE_PROGRAM = "python-exception"
_FELL_BACK = "keras-legacy-fallback"


@record
class Meant:
    """`title` and `words` take the place of those that only repeat the line."""

    code: str
    title: str
    words: str
    fixes: tuple[Fix, ...]


def meant(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """None where the words mean what they say."""
    return next((found for each in _READERS if (found := each(facts, told, last)) is not None), None)


def meant_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no exception of the run has a meaning of that code."""
    raised = [each for each in told.endings if each.how == "exception"]
    found = meant(facts, told, raised[-1]) if raised else None
    return found.fixes if found is not None and found.code == code else ()


def of_kerases(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """Of a Keras that does not fit: what the very words of the exception are answered with comes before what its names tell."""
    alone = (of_inner_name(facts, told, at(told, each)) for each in told.of("keras-mismatch"))
    found = next((each.fixes for each in alone if each is not None and each.code == "keras-mismatch"), ())
    return meant_fixes("keras-mismatch", facts, told) or found or keras_fixes(facts, told)


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
    own = fix("name-model-takes-own", what=what, value=_BY_NAME[what])
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
        own = fix("make-model-by-tensorflow-keras-as")
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
    older = fix("or-take-tensorflow-2-3-in-environment")
    return Meant(_MISMATCH, title, words, (*_newer(facts, who), older))


def _newer(facts: Facts, who: str) -> tuple[Fix, ...]:
    python = interpreter(facts)
    if who == "keras2onnx":  # it ended with 1.7, for TensorFlow 2.3
        return (fix("take-tf2onnx-in-place-keras2onnx-no", python=python, keeping=keeping_tensorflow(facts)),)
    if not who:
        return (fix("ask-model-in-place-tensors"),)
    return (fix("update-and-keep-tensorflow-as", who=who, python=python, keeping=keeping_tensorflow(facts)),)


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
    again = fix("or-build-model-by-code-and")
    return Meant(_MISMATCH, title, words, (look, again))


_ON_THE_CPU = fix("let-tensorflow-run-on-processor-what-2")


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


def of_tensorflow(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """TensorFlow itself, told so by one that could not import it: it may be absent, or there and not to be loaded."""
    if TENSORFLOW_NEEDED.search(last.what) is None:
        return None
    asker = last.package or "The program"
    title = f"{asker} does not find TensorFlow in the Python that runs it, as the message says."
    words = "Such a message comes from a package that tried to import TensorFlow and caught the error: either this Python has none (it was installed for another one), or it is there and can't be imported. The message does not tell which of the two."
    by = "%pip" if in_a_notebook(facts, last) else f"{interpreter(facts)} -m pip"
    look = () if by == "%pip" else (f"{interpreter(facts)} -c 'import tensorflow'",)
    install = Fix("Install it into the very Python that runs the program, and see whether it can be imported", (f"{by} install tensorflow", *look), "Where pip says that it is there already, import tensorflow in the same Python: the error that comes then is the cause.")  # fmt: skip
    return Meant("tensorflow-missing", title, words, (install,))


def of_inner_name(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A private name of one of TensorFlow's or Keras' inner modules; None for what the tables of names tell."""
    wanted = asked(last.what, last.source)
    if wanted is None or not wanted[1] or wanted[1].startswith("__") or "(unknown location)" in last.what:
        return None
    module, name = wanted
    if not f"{module}.".startswith(_INNER) or not known_module(module) or times(module, name) is not None:
        return None
    shown = imported(told, last)
    of_the_asker = next((each for each in reversed(last.through) if each not in _BASES), "")
    who = of_the_asker or forms.PROJECTS.get(shown, shown.replace("_", "-"))
    title = f"{who or 'The program'} asks for {name} of {module}, an inner name that the installed release does not have."
    words = "What is inside of TensorFlow and Keras is nobody's but their own, and changes with any release. Who asks for it was made for another one, mostly an older one."
    words += f" It asks in {last.frame}." if last.frame and not who else ""
    older = fix("or-take-release-was-made-for")
    own = fix("take-public-name-in-file-asks")
    if who:
        own = fix(
            "update-and-keep-tensorflow-as",
            who=who,
            python=interpreter(facts),
            keeping=keeping_tensorflow(facts),
        )
    of_keras = module.startswith(("keras", "tensorflow.python.keras"))
    return Meant("keras-mismatch" if of_keras else "package-import-failed" if who else OF_THE_PROGRAM, title, words, (own, older))  # fmt: skip


_BASES = ("tensorflow", "tensorflow-core", "tensorflow-cpu", "keras", "tf-keras", "numpy", "six", "absl-py")
_INNER = ("tensorflow.python.", "tensorflow.compiler.", "keras.engine", "keras.src", "keras.saving", "keras.layers.", "keras.utils.", "keras.backend.")  # fmt: skip
"""Modules that are not public, or whose inner parts old code took."""


def of_optimizer(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """Keras 2.11 to 2.14 take their old optimizers on Apple's processors, which lack what the new ones have."""
    said = told.named(_FELL_BACK)
    if not said or OPTIMIZERS.search(last.what) is None:
        return None
    name = said[-1].told.get("symbol", "")
    title = f"Keras took its legacy optimizer on this Mac{f' in place of {name}' if name else ''}, and that one does not fit what follows."
    words = "On Apple's processors Keras 2.11 to 2.14 replace each optimizer by the legacy one of the same name, because the newer ones are slow there. The legacy ones lack some methods, and some newer optimizers have no legacy one at all. Your code and the file are in order."
    newer = fix("take-tensorflow-2-16-or-newer-does")
    own = fix("or-name-optimizer-exists-in-both")
    return Meant("keras-mismatch", title, words, (newer, own))


def of_callback(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """Keras 3 made a callback's model a property; code for Keras 2 sets it."""
    found = CALLBACK.search(last.what)
    if found is None:
        return None
    who = found["name"] or "A callback"
    title = f"{who} sets its own model, which Keras 3 does not allow: the code was written for Keras 2."
    words = "In Keras 3 (TensorFlow 2.16 and newer) model is a property of callbacks that fit sets itself. In Keras 2 it was a plain attribute."
    own = fix("leave-line-out-for-fit-sets")
    return Meant("keras-legacy-needed", title, words, (own, legacy_switch(facts)))


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
_WITHOUT = fix("load-model-without-what-only-training")
_ONE_KERAS = fix("read-file-with-keras-wrote-import")

_READER = fix("load-with-tensorflow-2-15-last-one")


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
    return _of_a_name(found["name"], where) if where is not None else None


def _of_a_name(name: str, module: str) -> Meant:
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


_READERS = (
    of_tensorflow,
    of_inner_name,
    of_device,
    of_optimizer,
    of_keras_class,
    of_callback,
    of_identifier,
    of_instance,
    of_symbol,
    of_saved,
    of_refused,
)
