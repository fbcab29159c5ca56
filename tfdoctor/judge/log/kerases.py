"""Keras 2 and 3 taken for each other: which of the two is asked for, and what brings it."""

from __future__ import annotations

from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.fix.commands import interpreter, quoted
from tfdoctor.fix.install import environment_fix
from tfdoctor.judge.log.candidate import Candidate, of_line
from tfdoctor.judge.log.spans import own_minor
from tfdoctor.judge.log.testimony import Testimony
from tfdoctor.judge.log.words import fix_here, python_in
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Environment, Pip, Words
from tfdoctor.knowledge.model import Fix

# Code and files of Keras 2 that Keras 3 refuses by words of their own.

_OTHERWISE = {
    "keras-2-file": act("edit-program", "tfsm-layer"),
    "json-of-keras-2": act("edit-program", "resave-json-and-weights-with-tensorflow-2-15"),
    "layers-without-keras-3": act("plan", "plan-tensorflow-2-15"),
    "name-taken-for-shape": act("edit-program", "pass-arguments-by-name"),
    "tensor-by-its-place": act("edit-program", "pass-argument-by-name"),
    "optimizer-of-keras-2-saved": act("edit-program", "resave-without-optimizer"),
    "dimension-for-keras-3": act("plan", "plan-tensorflow-2-15"),
    "keras-tensor-in-function": act("edit-program", "keras-layer"),
}


def otherwise(told: Testimony) -> Fix:
    """What changes the code or the file in place of Keras, by the first of these messages."""
    found = (way for name, way in _OTHERWISE.items() if told.named(name))
    return next(found, act("edit-program", "resave-model-with-tensorflow-2-15"))


# Keras 2 and 3 taken for each other, as a log tells: which of the two is asked for, and what brings it.

_NAMES = ("keras-module", "keras-attribute", "keras-3-file")
_SRC = "keras.src"
"""Keras' inner modules moved from keras.* to keras.src.* in 2.13 (its release notes); keras.src.engine went with 3.0."""
_OF_2_13 = ("keras.src.engine",)


IMAGES = ("ImageDataGenerator", "DirectoryIterator", "NumpyArrayIterator")
"""Keras 3 keeps these under tensorflow.keras alone (keras/_tf_keras of its 3.x wheels, read 2026-11-22); Keras 2.15 had them under keras, too (its wheel, read 2026-11-28)."""


def is_parts(saying: Saying) -> bool:
    return saying.name in _NAMES or is_image(saying)


def is_image(saying: Saying) -> bool:
    return saying.name == "keras-name" and saying.told.get("symbol", "") in IMAGES


def other_keras(saying: Saying) -> Candidate:
    """What is asked for, and which Keras has it."""
    module, symbol = saying.told.get("module", ""), saying.told.get("symbol", "")
    if saying.name == "keras-3-file":
        title = "The model file was saved by Keras 3 and can't be loaded by Keras 2."
        words = "Keras 3 (TensorFlow 2.16 and newer) saves settings that Keras 2 does not know, here the shape with the batch."
    elif is_image(saying):
        title = f"The installed Keras has no {symbol} in keras.preprocessing.image: the code was written for Keras 2."
        words = f"With Keras 3 (TensorFlow 2.16 and newer) {symbol} is only under tensorflow.keras."
    elif saying.name == "keras-attribute":
        title = f"The installed Keras has no {symbol} in {module}."
        words = "The code was written for another Keras: names were moved and removed from 2.12 to 2.16."
    elif _newer(module):
        title = f"{module} is missing: the loaded object was made with Keras 2.13 or newer, but an older Keras is installed."
        words = (
            "A pickle, a joblib file or a package names the inner modules of the Keras that it was made with."
        )
    else:
        title = f"{module} is missing: the code was written for an older Keras than the installed one."
        words = "Keras moved its inner modules in 2.13 and removed more with 3.0 (TensorFlow 2.16). Only the public names stay: keras.layers, keras.utils."
    return of_line(saying, words, title)


def keras_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the log's words name no module, name or file, and no release either."""
    asked = [each for each in told.of("keras-mismatch") if is_parts(each)]
    if not asked:
        installed = fix_here(facts, "change-packages", "keras-that-tensorflow-requires")
        return (installed,)
    saying = asked[0]
    if saying.name == "keras-3-file":
        return (_own_environment(facts, "keras-3", "2.16", "Load it with Keras 3"),)
    if is_image(saying):
        own = act("edit-program", "import-from-tensorflow-keras", called=saying.told["symbol"])
        return (own, act("plan", "plan-tensorflow-2-15"))
    if saying.told.get("symbol") == "__version__":
        return (act("edit-program", "version-call"),)
    if _newer(saying.told["module"]):
        newer = "Load it with the newer Keras"
        portable = act("edit-program", "save-with-keras")
        return (_own_environment(facts, "keras-newer", "2.13", newer), portable)
    return (act("edit-program", "use-public-name"), act("plan", "plan-tensorflow-2-12"))


def _newer(module: str) -> bool:
    return module.startswith(_SRC) and not module.startswith(_OF_2_13)


_MINOR = "import tensorflow as tf; print(tf.__version__.rpartition('.')[0])"


def tf_keras(facts: Facts) -> Fix:
    """The Keras 2 of this TensorFlow's minor: another minor's asks pip for another TensorFlow (its metadata, 2.16 and newer)."""
    return act("change-packages", "tf-keras", command=_of_this_minor(facts))


def _of_this_minor(facts: Facts) -> Words:
    """Asks the TensorFlow that is installed where the log does not name its version."""
    own, python = own_minor(facts), quoted(interpreter(facts))
    if own is not None:
        return Pip(f"tf-keras~={own[0]}.{own[1]}.0", python=python)
    if value_or(facts.host.os, "") == "windows":
        asked = f"for /f %v in ('{python} -c \"{_MINOR}\"') do"
        return Words(f'{asked} {python} -m pip install "tf-keras~=%v.0"')
    posix = _MINOR.replace("'", '"')
    return Pip("tf-keras", text=f"{python} -m pip install \"tf-keras~=$({python} -c '{posix}').0\"")


def legacy_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """Where Keras 2 is asked for and is not there."""
    if not told.of("keras-legacy-needed"):
        return ()
    if told.named("probability-without-tf-keras"):
        extra = fix_here(facts, "change-packages", "probability-with-tf-keras")
        return (extra, tf_keras(facts))
    if any(each.name == "keras-layer-instances" and _of_keras_2(each) for each in told.sayings):
        return (_SWITCH, tf_keras(facts))
    if told.named(*_OF_CODE_AND_FILES):
        return (legacy_switch(facts), otherwise(told))
    return (tf_keras(facts), act("set-variable", "make-tf-keras-keras-2-as-well"))


def legacy_switch(facts: Facts) -> Fix:
    """tf-keras of this TensorFlow, and the variable that makes it tf.keras (TensorFlow 2.15 and newer read it)."""
    return act("set-variable", "install-tf-keras-and-switch", command=_of_this_minor(facts))


_SWITCH = act("set-variable", "make-tf-keras-keras-2")


_OF_CODE_AND_FILES = (
    "keras-tensor-in-function", "model-of-keras-2", "model-of-keras-2-modules", "keras-2-file", "layers-without-keras-3", "json-of-keras-2",
    "file-name-for-keras-3", "name-taken-for-shape", "dimension-for-keras-3", "tensor-by-its-place", "optimizer-of-keras-2-saved",
)  # fmt: skip
"""What Keras 3 says where it is not tf-keras alone that is missing: the program takes tf.keras, and has to be given Keras 2 by it."""


def _of_keras_2(saying: Saying) -> bool:
    """A layer that exists is of a Keras 2 that is there: TensorFlow Hub brings tf-keras since 0.16."""
    return "tensorflow_hub." in saying.text or "tf_keras." in saying.text


def _own_environment(facts: Facts, folder: str, series: str, title: str) -> Fix:
    return environment_fix(
        title,
        (
            Environment(folder, by=quoted(interpreter(facts))),
            Pip(f"tensorflow>={series}", python=python_in(facts, folder)),
        ),
        "Your current environment is not changed.",
    )
