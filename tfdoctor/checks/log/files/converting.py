"""An operation that a converter does not take, and an input that a model or a hub does not: what each text means, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.outside.reading import OF_THE_PROGRAM, Meant
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Fix
from tfdoctor.signatures.own.converting import NOT_OWN, OF_PICKLE, OWN_BATCHES

_OPSET = Meaning(
    "tf2onnx writes the operations of one opset of ONNX, an old one where none is asked for, and later opsets know more of TensorFlow's operations. What it says after that, that the conversion of a node failed, follows from it. The model is in order.",
    (
        Fix("Convert once more for a newer opset, with your own folder in place of saved_model", (f"{PYTHON} -m tf2onnx.convert --saved-model saved_model --opset 17 --output model.onnx",), "In Python: tf2onnx.convert.from_keras(model, opset=17). What runs the model has to know that opset, too."),
        Fix("Where it still says so, update tf2onnx", (f"{PYTHON} -m pip install --upgrade tf2onnx",)),
        Fix("What no opset has (tables of words, reading of files, own operations) has to stay outside of the model that is converted"),
    ),
)  # fmt: skip
_CONVERTER = Meaning(
    "A converter has a function of its own for each operation, and none for this one: the model is newer than the converter, or uses what its authors did not need. The model is in order.",
    (
        Fix("For a model in ONNX, take a converter that knows more operations, with your own file in place of model.onnx", (f"{PYTHON} -m pip install --upgrade onnx2tf", "onnx2tf -i model.onnx -o saved_model"), "It makes a SavedModel and TFLite files."),
        Fix("Or make the ONNX file once more for an older opset, in which the operation is written by others", note="In PyTorch: torch.onnx.export(…, opset_version=11)"),
    ),
)  # fmt: skip
_ONNX2TF = Meaning(
    "onnx2tf stopped at one operation of the ONNX file. Mostly a size is not known there (a batch or a picture of any size), or the file was not simplified. The lines that begin with ERROR are its own advice, not several errors. The model is in order.",
    (
        Fix("Convert it with a fixed batch, with your own file in place of model.onnx", ("onnx2tf -i model.onnx -b 1",), "Where pictures may be of any size, too, fix all of them: onnx2tf -i model.onnx -ois images:1,3,640,640, with the name of your model's input. From ultralytics: yolo export … dynamic=False."),
        Fix("Or bring onnx2tf up to date; each release knows more operations", (f"{PYTHON} -m pip install --upgrade onnx2tf",)),
        Fix("Or simplify the file before", (f"{PYTHON} -m pip install onnxsim", f"{PYTHON} -m onnxsim model.onnx simple.onnx")),
    ),
)  # fmt: skip
_SYMBOL = Meaning(
    "While a model is put together from Input on, its tensors have no values yet. TensorFlow's plain operations take them, and become layers; tf.cond, tf.function, tf.map_fn, a gradient tape and the like do not.",
    (
        Fix("Put that part into a layer of your own, whose call gets real tensors", note="In your files: class Part(tf.keras.layers.Layer): def call(self, x): return tf.map_fn(…, x), and then y = Part()(x). Code of TensorFlow 1 with placeholders belongs into tf.compat.v1 as a whole, without Keras' Input."),
    ),
)  # fmt: skip
_MIXED = Meaning(
    "What a layer gets first is a list in which some parts are tensors of the model and others are not (numbers, arrays, None, variables). TensorFlow up to 2.3 took that, and lost weights by it; 2.4 and newer refuse it. The project's code was written for an older TensorFlow.",
    (
        Fix("Hand over the tensors alone first, and what is no tensor of the model by its name or when the layer is made", note="In your files: Layer(anchors=anchors)(x), or layer(x, sizes=sizes) in place of layer([x, sizes]); make a constant array a part of the layer"),
        Fix("Or run the project with the TensorFlow that it was written for, in an environment of its own", ("tfdoctor plan --tensorflow '<2.4'",)),
    ),
)  # fmt: skip
_HUB = Meaning(
    "hub.Module is the call of TensorFlow 1, and looks for tfhub_module.pb. A model for TensorFlow 2 is a SavedModel (saved_model.pb and variables), which has no such file. The download is mostly in order.",
    (
        Fix("Load it by the call of TensorFlow 2", note='In your files: model = hub.load("FOLDER"), or hub.KerasLayer("FOLDER") in a Keras model, in place of hub.Module. The folder is the one in which saved_model.pb is.'),
    ),
)  # fmt: skip
_FOLDERS = Meaning(
    "The script takes each sub-folder of the folder that it is given for a class, and its name for the label. It finds no sub-folder with pictures there: mostly the folder of one class was given in place of the one above it, or the path counts from another folder.",
    (
        Fix("Give the folder above, which holds one folder for each class, each with some twenty pictures (.jpg) or more", note="With --image_dir=data there are data/cats/1.jpg and data/dogs/1.jpg. A relative path counts from the folder in which the command is typed."),
    ),
)  # fmt: skip
OF_CONVERTING: Mapping[str, Meaning] = {
    "onnx-lacks-operation": _OPSET,
    "converter-lacks-operation": _CONVERTER,
    "onnx2tf-gave-up": _ONNX2TF,
    "symbol-outside-of-a-layer": _SYMBOL,
    "layer-of-mixed-inputs": _MIXED,
    "hub-module-of-tensorflow-1": _HUB,
    "no-folders-of-classes": _FOLDERS,
}
"""By the signature's name."""
TITLES_OF_CONVERTING = {
    "onnx-lacks-operation": "tf2onnx does not know an operation of the model in the opset that it converts to.",
    "converter-lacks-operation": "The converter does not know an operation of the model.",
    "onnx2tf-gave-up": "onnx2tf could not convert an operation of the ONNX model.",
    "symbol-outside-of-a-layer": "A function of TensorFlow that can't take them was given a model's tensors while the model is put together.",
    "layer-of-mixed-inputs": "A layer is called with a mix of the model's tensors and other values, which TensorFlow 2.4 and newer refuse.",
    "hub-module-of-tensorflow-1": "hub.Module, which is for models of TensorFlow 1, was given another model.",
    "no-folders-of-classes": "The training script finds no folder of pictures for any class in the folder that it was given.",
}


def of_own_batches(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A Sequence of one Keras that is given to a model of another one. None for plain data."""
    found = OWN_BATCHES.search(last.what)
    if found is None or found["name"].partition(".")[0] in NOT_OWN:
        return None
    name = found["name"].rpartition(".")[2]
    title = f"Keras does not take {name} for a source of batches: it is no Sequence of the Keras whose model is trained."
    words = f"Keras knows generators by their class. {name} is built on the Sequence of another Keras (the package keras beside tensorflow.keras, or tensorflow.python.keras), or on none at all. TensorFlow is in order."
    own = Fix(f"Give {name} the Sequence of the same Keras that the model is made with", note=f"In your files, for a model of tensorflow.keras: class {name}(tf.keras.utils.Sequence), and for one of `import keras`: class {name}(keras.utils.Sequence) (PyDataset in Keras 3); model, layers and generator all from one of them. It needs __len__ and __getitem__.")  # fmt: skip
    return Meant("keras-mismatch", title, words, (own,))


def of_pickle_end(facts: Facts, told: Testimony, last: Ending) -> Meant | None:
    """A pickle that ends before its object does."""
    if OF_PICKLE.search(last.what) is None:
        return None
    empty = "Ran out of input" in last.what
    title = "The file that pickle reads is empty, or what stood before it was read already." if empty else "The file that pickle reads ends too early: it was not written to its end."  # fmt: skip
    words = "Mostly the program that wrote it was stopped before the end, or opened it for writing ('wb') and then failed, which leaves a file of no bytes. A pickle that was sent to a new process and broke off says the same."
    own = Fix("See how large the file is; where it has no bytes, write it again", note="In your files: print(os.path.getsize(PATH)) before it is read. Write it with `with open(PATH, 'wb') as f: pickle.dump(model, f)`, and only once the model is ready: the line empties the file first. A Keras model is better kept by model.save.")  # fmt: skip
    return Meant(OF_THE_PROGRAM, title, words, (own,))
