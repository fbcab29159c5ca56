"""What an exception of Keras, of TensorFlow 1's names or of an operation means where its last line does not say so."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.fix.commands import interpreter, quoted
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate
from tfdoctor.judge.log.companions import key, present, updated
from tfdoctor.judge.log.macs import on_a_mac
from tfdoctor.judge.log.misfits import FOR_KERAS, at, imported
from tfdoctor.judge.log.modules import in_a_notebook
from tfdoctor.judge.log.spans import own_minor
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.messages import expressions as forms
from tfdoctor.knowledge.messages.by_release import (
    EVERY,
    GONE_MODULES,
    GONE_WITH_2,
    asked,
    is_old,
    known_module,
    new_name,
    times,
)
from tfdoctor.knowledge.messages.by_release import TENSORFLOW_1_ASKED as ASKED
from tfdoctor.knowledge.messages.expressions import (
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
    Member,
    member,
)
from tfdoctor.knowledge.model import Confidence, Fix

# What an exception's last line means, where it does not say so itself: one Keras that refuses what is of another, a device without a kernel.

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
    found = meant(facts, told, told.raised[-1]) if told.raised else None
    return found.fixes if found is not None and found.code == code else ()


def of_kerases(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """Of a Keras that does not fit: what the words of the exception are answered with comes before what its names tell."""
    alone = (of_inner_name(facts, told, at(told, each)) for each in told.of("keras-mismatch"))
    found = next((each.fixes for each in alone if each is not None and each.code == "keras-mismatch"), ())
    return (
        meant_fixes("keras-mismatch", facts, told)
        or found
        or (fix_here(facts, "change-packages", "keras-that-tensorflow-requires"),)
    )


def _legacy_switch(facts: Facts) -> Fix:
    """tf-keras of this TensorFlow, and the variable that makes it tf.keras (TensorFlow 2.15 and newer read it)."""
    return fix_here(facts, "set-variable", "install-tf-keras-and-switch")


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
    title = f"The model is from one Keras and its {what} ({name}) from another."
    words = f"Keras accepts only parts of its own classes.{by} Do not mix keras, tensorflow.keras, tf-keras, and tensorflow.python.keras. transformers, TensorFlow Hub, and TensorFlow Probability build tf-keras models with TensorFlow 2.16 and newer."
    own = act("edit-program", "pass-optimizer-by-name", what=what, value=_BY_NAME[what])
    code = _LEGACY if legacy else _MISMATCH
    if not (legacy or newer):
        return Meant(code, title, words, (own,))
    ways = (own, _legacy_switch(facts))
    return Meant(code, title, words, ways)


def of_instance(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """What reduces models looks at their class, and knows those of one Keras alone."""
    found = INSTANCE.search(last.what)
    if found is None:
        return None
    package = "tensorflow_model_optimization"
    if found["which"]:
        title = f"{package} accepts only Sequential and functional models of tensorflow.keras, and got something else."
        words = "It checks the model's class. The package keras and tensorflow.python.keras have their own classes, and a custom model class is none of these."
        own = act("edit-program", "tensorflow-keras")
        return Meant(OF_THE_PROGRAM, title, words, (own,))
    title = f"{package} accepts only Keras 2 models, and got one of Keras 3 (or a custom class)."
    words = "It checks the model's class and accepts only tf-keras (Keras 2). TensorFlow 2.16 and newer include Keras 3. The model is not the cause."
    return Meant(_LEGACY, title, words, (_legacy_switch(facts),))


def of_refused(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A name of Keras 2 that Keras 3 has left alone to say that it is gone."""
    found = REFUSED.search(last.what)
    if found is None:
        return None
    who = next((each for each in reversed(last.through) if each not in _OWN), "")
    title = f"{who or 'The program'} was written for Keras 2: Keras 3 does not have {found['name']}."
    words = "TensorFlow 2.16 and newer include Keras 3; code for Keras 2 can still use it as the package tf-keras."
    return Meant(_LEGACY, title, words, (_legacy_switch(facts),))


_OWN = ("keras", "tensorflow", "tensorflow-core", "tf-keras")


def of_symbol(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """Code that reads a model as a graph of operations, which Keras' tensors no longer have."""
    found = SYMBOL.search(last.what)
    if found is None:
        return None
    path = last.frame.replace("\\", "/")
    unpacked = next((each for each in PACKAGES if f"/{each}/" in path), "")
    who = last.package if last.package not in ("", "tensorflow", "keras") else unpacked
    title = f"{who or 'The program'} was written for TensorFlow 2.3 or older: it reads {found['name']} of a Keras tensor."
    words = "Up to TensorFlow 2.3 a model's tensors were graph tensors. Since 2.4 they have their own type (KerasTensor), with a shape and no graph."
    return Meant(_MISMATCH, title, words, (act("plan", "plan-tensorflow-2-3"),))


def of_saved(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A setting that the Keras which reads a file expects, and that is not in it."""
    found = SETTING.search(last.what)
    if found is None or not last.inside or not last.inside[-1].endswith(READERS):
        return None
    title = f"The model file was saved by another Keras: the installed one has no {found['name']}."
    words = "A model file contains layer settings whose names change between versions."
    look = fix_here(facts, "look", "saved-by-keras")
    again = act("edit-program", "rebuild-model")
    return Meant(_MISMATCH, title, words, (look, again))


def of_device(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """An operation that is demanded on a device for which TensorFlow has no version of it."""
    found = NOT_ON_DEVICE.search(last.what) or COLOCATED.search(last.what)
    if found is None:
        return None
    op, device = found["op"], found.groupdict().get("device", "GPU")
    mac = on_a_mac(facts)
    of = " On Macs tensorflow-metal brings the versions for the GPU." if mac else ""
    title = f"{op} does not support the {device}, where the program places it."
    words = f"TensorFlow supports {op} only on the CPU.{of} Placed on the {device}, it moves to the CPU only with soft placement."
    code = "metal-plugin-mismatch" if mac else OF_THE_PROGRAM
    return Meant(code, title, words, (act("edit-program", "run-unsupported-operations-on-cpu"),))


def of_tensorflow(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """TensorFlow itself, told so by one that could not import it: it may be absent, or there and not to be loaded."""
    if TENSORFLOW_NEEDED.search(last.what) is None:
        return None
    asker = last.package or "The program"
    title = f"{asker} does not find TensorFlow in its Python."
    words = "The package tried to import TensorFlow and hid the error: this Python has none (it was installed for another), or it can't be imported. The message does not show which."
    by = "%pip" if in_a_notebook(facts, last) else f"{interpreter(facts)} -m pip"
    look = () if by == "%pip" else (f"{interpreter(facts)} -c 'import tensorflow'",)
    install = Fix("Install TensorFlow with the program's Python", (f"{by} install tensorflow", *look), "If pip says it is already installed, import tensorflow in the same Python: that error is the cause.")  # fmt: skip
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
    title = f"{who or 'The program'} needs {name} of {module}, an internal name that the installed version does not have."
    words = "Internal names of TensorFlow and Keras change with any version. The code was written for another version, usually an older one."
    words += f" It asks in {last.frame}." if last.frame and not who else ""
    own = act("edit-program", "use-public-name-or-reinstall")
    if who:
        own = updated(facts, who)
    of_keras = module.startswith(("keras", "tensorflow.python.keras"))
    return Meant("keras-mismatch" if of_keras else "package-import-failed" if who else OF_THE_PROGRAM, title, words, (own,))  # fmt: skip


_BASES = ("tensorflow", "tensorflow-core", "tensorflow-cpu", "keras", "tf-keras", "numpy", "six", "absl-py")
_INNER = ("tensorflow.python.", "tensorflow.compiler.", "keras.engine", "keras.src", "keras.saving", "keras.layers.", "keras.utils.", "keras.backend.")  # fmt: skip
"""Modules that are not public, or whose inner parts old code took."""


def of_optimizer(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """Keras 2.11 to 2.14 take their old optimizers on Apple's processors, which lack what the new ones have."""
    said = told.named(_FELL_BACK)
    if not said or OPTIMIZERS.search(last.what) is None:
        return None
    name = said[-1].told.get("symbol", "")
    title = f"On this Mac, Keras used its legacy optimizer{f' instead of {name}' if name else ''}, which does not work here."
    words = "On Apple CPUs Keras 2.11 to 2.14 replace each optimizer by the legacy one of the same name, because the newer ones are slow there. The legacy ones lack some methods, and some newer optimizers have none. Your code and the file are not the cause."
    newer = act("new-environment", "use-tensorflow-2-16")
    own = act("edit-program", "use-optimizer-both-have")
    return Meant("keras-mismatch", title, words, (newer, own))


def of_callback(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """Keras 3 made a callback's model a property; code for Keras 2 sets it."""
    found = CALLBACK.search(last.what)
    if found is None:
        return None
    who = found["name"] or "A callback"
    title = f"{who} sets its own model, which Keras 3 forbids: the code was written for Keras 2."
    words = "In Keras 3 (TensorFlow 2.16 and newer) model is a property of callbacks that fit sets itself. In Keras 2 it was a plain attribute."
    own = act("edit-program", "remove-line")
    return Meant("keras-legacy-needed", title, words, (own, _legacy_switch(facts)))


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
        title = f"Another Keras version saved the model file; its {name} can't be read."
        words = f"{whose}, so no class of yours is missing. Keras versions store losses, metrics, and optimizers differently; the file's layers and weights are fine."
        return Meant(OF_THE_PROGRAM, title, words, (act("edit-program", "compile-false"),))
    title = f"The model file uses Keras's {name}, which the installed Keras does not know: another Keras saved the file."
    words = f"{whose}, so no class of yours is missing. Usually tensorflow.keras wrote the file and the package keras reads it, or the other way round, or the versions are far apart."
    ways = (
        act("edit-program", "load-with-keras-that-saved"),
        act("new-environment", "load-with-tensorflow-2-15"),
    )
    return Meant("keras-mismatch", title, words, ways)


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


# A model of a package's own, written for Keras 2, that Keras 3 refuses: the program only calls the package and can change nothing there.

_BY_KERAS_3 = {
    "layer-without-input": "ValueError: The layer ", "file-name-for-keras-3": "ValueError: ", "name-taken-for-shape": "", "tensor-by-its-place": "", "keras-tensor-in-function": "ValueError: ",
}  # fmt: skip
"""Texts that in a program of one's own ask for another line, and how Keras 3 begins them: Keras 2 raises AttributeError for the first."""
_STARTERS = (
    "ipython", "ipykernel", "spyder-kernels", "streamlit", "absl-py", "click", "typer", "fire", "flask", "werkzeug", "gunicorn", "uvicorn", "starlette", "fastapi", "gradio", "anyio", "django",
    "celery", "ray", "pytest", "pluggy", "joblib", "hydra", "traitlets", "tornado", "torch", "pydev", "debugpy",
)  # fmt: skip
"""They only start a program of one's own, or call it."""
_BETWEEN_BASES = ("tensorflow", "tensorflow-core", "keras", "tf-keras", "numpy", "six", "absl-py")


def of_a_package(told: Testimony, saying: Saying) -> Candidate | None:
    """None where no package stands between the program and Keras."""
    who = _between(told, saying)
    if not who:
        return None
    title = f"{who} was written for Keras 2 but runs with Keras 3."
    words = f"The error is in code of {who}, which was written for Keras 2. TensorFlow 2.16 and newer include Keras 3, which does not allow this. Your program does not need to change. The message: {at(told, saying).what[:300]}"
    return Candidate("keras-legacy-needed", Confidence.LIKELY, (place(saying),), words, title=title)


def _between(told: Testimony, saying: Saying) -> str:
    last = at(told, saying)
    if not last.what.startswith(_BY_KERAS_3.get(saying.name, "\n")):
        return ""
    return next(
        (each for each in reversed(last.through) if each.lower() not in (*_BETWEEN_BASES, *_STARTERS)), ""
    )


# A method, property or argument that Keras' objects have in other releases than the installed one, or in another Keras.

_KERAS_3 = (3, 0)
_SPEC = "_get_save_spec"
"""Converters ask a model of Keras 2 for it: handed one of Keras 3, an update of theirs does not bring it."""
_LEFT_OUT = "Remove it from fit(); keras.utils.PyDataset takes it"
_INSTEAD = {
    "predict_classes": "np.argmax(model.predict(x), axis=-1), or (model.predict(x) > 0.5).astype('int32') for a single output, in place of model.predict_classes(x)",
    "predict_proba": "model.predict(x) in place of model.predict_proba(x)",
    "fit_generator": "model.fit(generator, …) in place of model.fit_generator(generator, …)",
    "evaluate_generator": "model.evaluate(generator) in place of model.evaluate_generator(generator)",
    "predict_generator": "model.predict(generator) in place of model.predict_generator(generator)",
    "reset_states": "[layer.reset_state() for layer in model.layers if getattr(layer, 'stateful', False)] in place of model.reset_states()",
    "lr": "optimizer.learning_rate in place of optimizer.lr",
    "learning_rate": "optimizer.lr in place of optimizer.learning_rate",
    "workers": _LEFT_OUT, "use_multiprocessing": _LEFT_OUT, "max_queue_size": _LEFT_OUT,
    "get_scaled_loss": "optimizer.scale_loss(loss) in place of optimizer.get_scaled_loss(loss), and no get_unscaled_gradients: apply_gradients takes the scale off again",
    "get_unscaled_gradients": "Leave it out: apply_gradients takes the scale off again, and optimizer.scale_loss(loss) takes the place of get_scaled_loss",
    "_get_save_spec": "model.export('folder') and then tf.lite.TFLiteConverter.from_saved_model('folder'), in place of from_keras_model(model), which reads only Keras 2 models",
    "save_format": "model.save('model.keras') without save_format: the ending says the format",
}  # fmt: skip
"""What the program's own line says in the installed release (the docstrings of both releases)."""


@record
class Lacking:
    """`minors` are the Kerases that can be installed, all without the member. `asker` "" for the user's own code."""

    member: Member
    minors: tuple[str, ...]
    asker: str
    frame: str

    @property
    def mixed(self) -> bool:
        return self.member.times is None and not self.member.new

    @property
    def inner(self) -> bool:
        """A package asks for what is Keras' own: such names tell nothing by their times."""
        wraps = self.member.owner.startswith(_SCALING)
        return (wraps or bool(self.asker)) and self.member.name.startswith("_") and not self.member.call

    @property
    def of_keras_2(self) -> bool:
        """It went with Keras 3, and nothing but a Keras 3 can be installed."""
        there = self.member.times
        return not self.inner and there is not None and bool(self.minors) and all(key(each) >= _KERAS_3 for each in self.minors) and key(there.since) < _KERAS_3  # fmt: skip

    @property
    def is_newer(self) -> bool:
        """The code asks for what came after the installed release."""
        there = self.member.times
        return there is not None and bool(self.minors) and all(key(each) < key(there.since) for each in self.minors)  # fmt: skip


def lacking_member(case: Case, told: Testimony, last: Ending) -> Lacking | None:
    """None where nothing of the kind was asked, or where the installed release has it."""
    asked = member(last.what) if last.how == "exception" else None
    if asked is None or "torch" in last.through or told.named(_FELL_BACK):
        return None
    if asked.times is None and not asked.new:
        return None
    minors = present(case, told, last, "keras", asked.times).minors if asked.times is not None else ()
    minors = _of_tensorflow(case, minors)
    if asked.times is not None and not minors:
        return None
    return Lacking(asked, minors, "" if last.package in _OWN else last.package, last.frame)


_SCALING = "LossScaleOptimizer"
_WRAPPED = "TFOptimizer"
"""What the package keras puts around an optimizer of another Keras (keras/optimizers.py of 2.3.1)."""


def _of_tensorflow(case: Case, minors: tuple[str, ...]) -> tuple[str, ...]:
    """By the TensorFlow that is told: from 2.6 to 2.15 its Keras has its minor, before it has that of its time, after it is Keras 3."""
    own = own_minor(case.facts)
    if own is None:
        return minors
    if own < (2, 6):
        return tuple(each for each in minors if key(each) < (2, 6))
    return tuple(each for each in minors if (key(each) >= _KERAS_3 if own > (2, 15) else key(each) == own))


def without_member(case: Case, told: Testimony, last: Ending) -> Candidate | None:
    """Which object lacks what, and since when."""
    found = lacking_member(case, told, last)
    if found is None:
        return None
    code = "keras-legacy-needed" if found.of_keras_2 else "keras-mismatch"
    where = f" Your line: {found.frame}." if found.frame else ""
    return Candidate(code, Confidence.LIKELY, (place(last),), f"{_words(found)}{where}", title=_title(found))


def _what(found: Lacking) -> str:
    one = found.member
    return f"the argument {one.name} of {one.owner}()" if one.call else f"{one.name} of {one.owner}"


def _title(found: Lacking) -> str:
    one, who = found.member, found.asker or "The program"
    if found.member.owner == _WRAPPED:
        return f"Parts of two Kerases are mixed: the package keras was given another Keras' optimizer, which has no {one.name} here."
    if found.inner:
        return (
            f"{who} asks the {one.owner} of Keras for {one.name}, an inner name that it does not have here."
        )
    if found.mixed:
        return f"Parts of two Kerases are mixed: {one.name} is an inner name that the {one.owner} here does not have."
    if one.times is None:
        return f"{who} was written for Keras 1: {one.owner}() takes {one.new} in place of {one.name}."
    if found.is_newer:
        return f"{who} was written for a newer Keras: {_what(found)} is there since {one.times.since}."
    since = "Keras 3" if found.of_keras_2 else f"Keras {_first_without(found)}"
    return f"{who} was written for an older Keras: {_what(found)} is gone since {since}."


def _words(found: Lacking) -> str:
    if found.member.owner == _WRAPPED:
        return "The package keras was given an optimizer of tensorflow.keras or of TensorFlow itself, and wraps it. What asks for a Keras optimizer's parts does not find them in the wrapper."
    if found.inner:
        return f"Names that begin with _ are internal to Keras and change with its versions: {found.asker or 'the code that asks'} was written for another one, usually an older one. Or it got an object of another Keras."
    if found.mixed:
        return "Keras exists several times in one environment: as tensorflow.keras, as the package keras, and as tensorflow.python.keras, which is nobody's to use. Objects of one do not fit the others. Here one of them handles an object that another one made."
    if found.of_keras_2:
        return "TensorFlow 2.16 and newer use Keras 3, which lacks much of Keras 2."
    return "Keras adds and takes away methods and arguments from release to release."


def _first_without(found: Lacking) -> str:
    there = found.member.times
    later = [each for each in there.every if key(each) > key(there.last)] if there is not None else []
    return later[0] if later else ""


def member_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end so."""
    found = lacking_member(case, told, told.raised[-1]) if told.raised else None
    if found is None:
        return ()
    if found.member.name == _SPEC and found.asker:
        return (_legacy_switch(case.facts), *_rewritten(found))
    if found.inner:
        return _updated(case, found) if found.asker else ()
    if found.mixed:
        return ()
    own = _rewritten(found)
    if found.asker:
        return (*_older(case, found), *_updated(case, found)) if found.of_keras_2 else (*_updated(case, found), *_older(case, found), *own)  # fmt: skip
    return (*own, *_older(case, found))


def _rewritten(found: Lacking) -> tuple[Fix, ...]:
    one = found.member
    if one.new:
        return (act("edit-program", "replace-argument", new=one.new, called=one.name, owner=one.owner),)
    if one.name in _INSTEAD:
        inner = one.name.startswith("_")  # TensorFlow's own code asks for it, whatever frames were left out
        title = "Convert a SavedModel instead" if inner else f"Change the line that uses {one.name}"
        note = f"model.export('folder'), and hand {found.asker} that folder in place of the model" if inner and found.asker else _INSTEAD[one.name]  # fmt: skip
        return (Fix(title, note=f"In your files: {note}"),)
    if one.call and not found.is_newer:
        return (act("edit-program", "remove-argument", called=one.name, owner=one.owner),)
    return ()


def _updated(case: Case, found: Lacking) -> tuple[Fix, ...]:
    if found.is_newer and not found.inner:
        return ()
    return (fix_here(case.facts, "change-packages", "update-asker-first", asker=found.asker),)


def _older(case: Case, found: Lacking) -> tuple[Fix, ...]:
    """The Keras that has it."""
    there = found.member.times
    if there is None:
        return ()
    if found.is_newer:
        return (act("plan", "plan-newer-keras", since=there.since),)
    switch = (_legacy_switch(case.facts),) if key(there.last) >= (2, 15) else ()
    legacy = (act("edit-program", "use-legacy-optimizers"),) if _of_old_optimizers(found) else ()
    if found.of_keras_2 and switch:
        return switch
    release = f"<{_first_without(found) if not _first_without(found).startswith('3') else '2.16'}"
    return (*legacy, act("plan", "plan-tensorflow-version", release=release))


def _of_old_optimizers(found: Lacking) -> bool:
    there = found.member.times
    return there is not None and not found.member.call and there.last == _LAST_OLD_OPTIMIZERS


_LAST_OLD_OPTIMIZERS = "2.10"
"""2.11 put new optimizers in their place, and kept these as keras.optimizers.legacy (its release notes)."""


# The package keras beside a TensorFlow that is not of its time: it asks TensorFlow for what only another release has.

_BEFORE_2 = "keras.backend"
"""What asked TensorFlow in the packages 1.0 to 2.3.1 (keras/backend/tensorflow_backend.py)."""


def out_of_time(last: Ending) -> Candidate | None:
    """None where no Keras asks, or what it asks for tells nothing."""
    wanted = asked(last.what, last.source) if last.how == "exception" else None
    if wanted is None or not wanted[1]:
        return None
    module, name = wanted
    if _is_before_2(last, module, name):
        title = f"The installed keras is too old for TensorFlow 2: it needs tf.{name}, which only TensorFlow 1 has."
        words = "The package keras up to 2.2 needs TensorFlow 1. TensorFlow itself is complete and has its own Keras, tensorflow.keras."
        return Candidate("keras-mismatch", Confidence.CERTAIN, (place(last),), words, title=title)
    if not last.inside and last.what.partition(": ")[2].startswith(FOR_KERAS):
        title = f"The installed Keras and TensorFlow do not match: {module} has no {name}."
        words = "Only the package keras asks TensorFlow for that inner name, so a program or a package imports keras, and what is installed under that name was made for another TensorFlow."
        return Candidate("keras-mismatch", Confidence.LIKELY, (place(last),), words, title=title)
    return None


def _is_before_2(last: Ending, module: str, name: str) -> bool:
    from_keras = last.package == "keras" and bool(last.inside) and last.inside[-1].startswith(_BEFORE_2)
    return from_keras and module == "tensorflow" and is_old("", name)


# Names that TensorFlow lacks: of TensorFlow 1, then the program is too old; of every release, then the installation is damaged.

LACKING = ("tensorflow-lacks-attribute", "tensorflow-submodule-missing", "keras-private-name")
"""What says so in one line, where no traceback is told."""
_TENSORFLOW_1_INNER = ("python", "core", "lite", "compiler", "keras", "tools", "compat")
"""Folders of TensorFlow whose names were never promised, or are another Keras' matter."""
_COMPATIBLE = ("compat.v1", "compat.v2", "_api.v2.compat.v1")
"""They have TensorFlow 1's other names, and not these."""
_TENSORFLOW_1_OWN = ("tensorflow", "tensorflow-core", "keras", "tf-keras")

_SCRIPT = Expression(r"^\w[\w.-]{0,80}\.py$")


def asked_in_vain(facts: Facts, last: Ending) -> Candidate | None:
    """The program, or a package, asks for what this TensorFlow does not have; None where TensorFlow itself is incomplete."""
    found = _asked(last.what, last.source)
    if (
        found is None
        or last.package in _TENSORFLOW_1_OWN
        or str(value_or(facts.tensorflow.version, "2")).startswith("1.")
    ):
        return None
    module, name = found
    if not is_old(module, name) and (module or name in EVERY):
        return None
    what, who = ".".join(filter(None, ("tf", module, name))), last.package or "The program"
    where = f" It asks in {last.frame}." if last.frame else ""
    code = "package-import-failed" if last.package else "python-exception"
    if is_old(module, name):
        words = f"{who} was written for TensorFlow 1; installation and GPU are not the cause.{where}"
        title = f"{who} needs {what}, which only TensorFlow 1 has."
    else:
        words = f"The installed TensorFlow has no {what}. No release is known for which that name would be a sign of damage: it is misspelled, or of another release.{where}"
        title = f"{who} needs {what}, which the installed TensorFlow does not have."
    return Candidate(code, Confidence.CERTAIN, (place(last),), words, title=title)


def _asked(what: str, source: str = "") -> tuple[str, str] | None:
    """The module below `tensorflow` ("" for none) and the name; None for anything else."""
    whole = asked(what, source)
    if whole is not None and not whole[1] and whole[0].startswith(GONE_WITH_2):
        return "", whole[0].split(".")[1]  # Python 2's message leaves out what it found
    if "partially initialized" in what or not (found := ASKED.compiled.search(what)):
        return None
    if found["missing"]:
        return "", found["missing"].partition(".")[0]
    module = (found["module"] or found["folder"] or "").removeprefix("_core.")
    name = found["symbol"] or found["value"]
    if module in _COMPATIBLE and name in GONE_MODULES:
        return "", name
    return None if module.startswith(_TENSORFLOW_1_INNER) else (module, name)


def rewriting_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end by such a name in the program's own code."""
    raised = [*told.raised, *(at(told, each) for each in told.named(*LACKING))]
    if not raised or asked_in_vain(facts, raised[-1]) is None:
        return ()
    module, name = _asked(raised[-1].what, raised[-1].source) or ("", "")
    if not is_old(module, name):
        place = ".".join(filter(None, ("tf", module)))
        listing = f"import tensorflow as tf; print(*dir({place}))"
        return (act("look", "module-names", module=place, asked=quoted(interpreter(facts), "-c", listing)),)
    file = raised[-1].frame.rpartition("(")[2].rpartition(":")[0].replace("\\", "/").rpartition("/")[2]
    own = file if _SCRIPT.match(file) else "PROGRAM.py"
    tool = act("edit-program", "convert-program-with-tf-upgrade-v2", own=own)
    new = new_name(module, name)
    if not new:
        return (act("edit-program", "replace-removed-module", called=name), tool)
    old = ".".join(filter(None, ("tf", module, name)))
    note = " A program of sessions and placeholders calls tf.compat.v1.disable_v2_behavior() first." if "compat.v1" in new else ""  # fmt: skip
    return (act("edit-program", "replace-name", new=new, old=old, note=note), tool)
