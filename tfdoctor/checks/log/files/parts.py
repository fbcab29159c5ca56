"""Parts that are of another kind than who takes them expects: callbacks, classes that a model file names, names of Keras 3, flags of a notebook."""

from __future__ import annotations

from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.kerases import legacy_switch
from tfdoctor.checks.log.modules.absent import in_a_notebook
from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.outside.kerases import READERS
from tfdoctor.signatures.outside.paths import (
    BUILTINS,
    CALLBACK_LACKS,
    DEFINED_TWICE,
    KERAS_TENSOR,
    NOT_GIVEN,
    NOT_TAKEN,
    UNKNOWN_FLAG,
    UNPARSED,
)

_BASES = ("tensorflow", "tensorflow-core", "keras", "tf-keras", "numpy", "h5py", "six", "absl-py")
_CONVERTER = "tf2onnx"
_MAKERS = (".serialization", "generic_utils", "layers")
AS_A_SCRIPT = Fix("Or run it as a script, which gets no options of the notebook's", ("!python train.py",), "With the script's own name, from a cell; each of its options stands behind it.")  # fmt: skip
EMPTY_LINE = Fix("Take the notebook's options away before the program reads its own", note="In a cell above it: import sys; sys.argv = ['']; behind the name, options for the program can stand: sys.argv = ['', '--epochs', '5']. With argparse also parser.parse_args([]), or parse_known_args().")  # fmt: skip


def of_flag(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """absl's flags where nobody gave a command line, or one that is not the program's."""
    if found := DEFINED_TWICE.search(last.what):
        title = f"The flag {found['name']} is declared twice in one process ({found['first']} and {found['second']})."
        words = "absl keeps all flags of a process in one list. A cell that declares them was run twice, or two modules declare the same name."
        own = Fix("In a notebook, restart the kernel, or forget the flags before they are declared again", note="In your files: from absl import flags; [flags.FLAGS.__delattr__(name) for name in list(flags.FLAGS)]")  # fmt: skip
        return Meant(OF_THE_PROGRAM, title, words, (own,))
    if found := UNPARSED.search(last.what):
        title = (
            f"The flag {found['name']} is read before the command line was: absl's app.run was not called."
        )
        words = "Flags have values once the command line was read, which app.run(main) does, or FLAGS(argv). In a notebook, in a test and where a module is imported nobody calls it."
        own = Fix("Have it read, before the first flag is asked for", note="In your files: from absl import flags; flags.FLAGS(['program']), or FLAGS.mark_as_parsed() in newer absl. In a script: app.run(main), and no FLAGS outside of main.")  # fmt: skip
        return Meant(OF_THE_PROGRAM, title, words, (own,))
    found = UNKNOWN_FLAG.search(last.what)
    if found is None:
        return None
    if found["name"] == "f" and (in_a_notebook(facts, last) or not last.frame):
        title = "A program that reads flags from its command line is run in a notebook, and found the notebook's own option there (-f)."
        words = "A notebook's kernel is started with -f and the name of a file. Flags of absl or tf.app.flags are read from that same line, where -f is none of theirs. TensorFlow is not what fails."
        own = Fix("Declare it beside the others, so that it is passed over", note="In your files: tf.compat.v1.app.flags.DEFINE_string('f', '', 'kernel') (TensorFlow 1: tf.app.flags), above the line that reads the first flag")  # fmt: skip
        return Meant(OF_THE_PROGRAM, title, words, (own, EMPTY_LINE, AS_A_SCRIPT))
    title = f"The flag {found['name']} is used, and nobody declared it."
    words = "absl knows the flags that a DEFINE_… call declared before. Up to TensorFlow 1.4 a flag could be set without that; since then FLAGS are absl's, which refuses it. The same is said of an option on the command line that the program does not have."
    own = Fix("Declare it beside the others", note=f"In your files: tf.compat.v1.app.flags.DEFINE_string('{found['name']}', '', '') (TensorFlow 1: tf.app.flags), below the other DEFINE lines; for an option that was typed, see its name in --help")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (own,))


def of_callbacks(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """What stands in callbacks= and is none, or is one for another Keras. None for what Keras' own callbacks lack."""
    found = CALLBACK_LACKS.search(last.what)
    if found is None:
        return None
    name, member = found["name"], found["member"]
    if name in BUILTINS:
        kind = "a class" if name in ("type", "ABCMeta") else f"a {name}"
        title = f"callbacks holds {kind} where a callback is expected: fit takes a list of callbacks."
        words = f"Keras asks each member of the list for {member}. Mostly the list holds another list, a set in braces {{}} was written in place of brackets [], or the brackets behind a class's name are missing."
        own = Fix("Give one list of callback objects", note="In your files: callbacks=[EarlyStopping(patience=3), checkpoint] with [ ], and not callbacks=[callbacks] where that is a list already")  # fmt: skip
        return Meant(OF_THE_PROGRAM, title, words, (own,))
    if not member.startswith("_") and not _through_keras(last):
        return None
    who = next((each for each in reversed(last.through) if each not in _BASES), "")
    title = f"The callback {name} is made for another Keras than the model is of: it has no {member}."
    words = f"Keras asks its callbacks for {member}, which its own base class has. {name} stands on another base: the package keras beside tensorflow.keras, an older Keras, or none. Who wrote {name}, a package or the program, has to take the base from the Keras of the model. Nothing is damaged."
    own = Fix(f"Where {name} is your own, take its base from the same Keras as the model; where a package brings it, update that package", note=f"In your files: class {name}(tf.keras.callbacks.Callback), and no line that begins with `from keras`")  # fmt: skip
    newer = (Fix(f"Update {who}, and keep TensorFlow as it is", (f"{interpreter(facts)} -m pip install --upgrade {who} {keeping_tensorflow(facts)}",)),) if who else ()  # fmt: skip
    leave = Fix("Until then, leave it out, or take Keras' own in its place", note="In your files: tf.keras.callbacks.ModelCheckpoint, LearningRateScheduler, CSVLogger")  # fmt: skip
    return Meant("keras-mismatch", title, words, (*newer, own, leave))


def _through_keras(last: Ending) -> bool:
    return any("callbacks" in each for each in last.inside) or not last.inside


def of_keras_names(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A package that looks for a model's tensors by names that Keras 3 gives otherwise."""
    if KERAS_TENSOR.search(last.what) is None:
        return None
    who = next((each for each in reversed(last.through) if each not in _BASES), "")
    if not who:
        return None
    title = f"{who} does not know how Keras 3 names a model's tensors: it was made for Keras 2."
    words = f"In Keras 3 (TensorFlow 2.16 and newer) a model's outputs are called keras_tensor_1 and so on, and the graph that TensorFlow makes of it has other names. {who} looks for the one in the other. The model is in order."
    folder = Fix("Export the model as a SavedModel, and convert that: it needs none of these names", (f"{interpreter(facts)} -c \"import keras; keras.models.load_model('model.keras').export('saved_model')\"", f"{interpreter(facts)} -m tf2onnx.convert --saved-model saved_model --output model.onnx"), "With your own file's name in place of model.keras.")  # fmt: skip
    newer = Fix(f"Or update {who}, and keep TensorFlow as it is", (f"{interpreter(facts)} -m pip install --upgrade {who} {keeping_tensorflow(facts)}",))  # fmt: skip
    return Meant("keras-legacy-needed", title, words, (folder, newer) if who == _CONVERTER else (newer, legacy_switch(facts)))  # fmt: skip


def of_model_file(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A class that can't be made of what a model file holds of it."""
    if not _is_read(last):
        return None
    if found := NOT_TAKEN.search(last.what):
        title = f"The model file was saved by a newer Keras than the one that reads it: it names a setting ({found['name']}) that this one does not take."
        words = "Keras writes all settings of its layers into the file. The package keras up to 2.3 and TensorFlow 1 know fewer of them than tensorflow.keras of TensorFlow 2. The file is in order."
        own = Fix("Load it with the Keras of TensorFlow 2, where that is installed", note="In your files: from tensorflow.keras.models import load_model in place of from keras.models import load_model")  # fmt: skip
        older = Fix("Or in an environment of its own", ("uv venv --python 3.11 tensorflow-2.15", 'uv pip install --python=tensorflow-2.15 "tensorflow==2.15.*" "numpy<2"'), "The present environment stays as it is.")  # fmt: skip
        return Meant("keras-mismatch", title, words, (own, older))
    found = NOT_GIVEN.search(last.what)
    if found is None:
        return None
    names = found["names"].replace("'", "")
    title = f"The model file does not hold what a class of the model needs ({names}): its get_config does not give it."
    words = "Keras makes each layer again from the settings that its get_config gave when the file was saved. A class of one's own, or of the project that made the file, left some out, so it can't be made of the file alone. The weights in the file are in order."
    own = Fix("Build the model by its own code, and load the weights alone", note="In your files: model = make_model(), then model.load_weights(FILE), which also takes a whole model's .h5 file")  # fmt: skip
    later = Fix("For files to come, have the class give back all that its __init__ takes", note=f"In your files: def get_config(self): return {{**super().get_config(), '{names.partition(',')[0]}': self.{names.partition(',')[0]}, …}}")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (own, later))


def _is_read(last: Ending) -> bool:
    """Its frames are those of Keras' readers of files."""
    return any(each.endswith((*READERS, *_MAKERS)) for each in last.inside)
