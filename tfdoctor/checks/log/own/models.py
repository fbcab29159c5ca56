"""Weights, files and inputs that are not those of the model at hand: what each text means, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

_ANOTHER = Meaning(
    "Weights fit only a model of just the layers and sizes for which they were saved. Here they are another's: another number of classes or channels, another code or release of it, a whole model's file in place of weights, or a file that holds none. Nothing is damaged by itself.",
    (
        Fix(
            "See what the file holds, with its own name in place of weights.h5, and compare it with model.summary()",
            (f"{PYTHON} -c \"import h5py; h5py.File('weights.h5', 'r').visititems(lambda name, each: print(name, getattr(each, 'shape', '')))\"",),
            "For a checkpoint of TensorFlow: tf.train.list_variables(path). Nothing listed, or 0 layers: it is no file of weights of this Keras, or a broken download.",
        ),
        Fix(
            "Build the model as it was when the weights were saved: the same code, number of classes and size of input",
            note="Sizes that differ in the last layer alone are its classes. A whole model's file is read by load_model.",
        ),
        Fix(
            "To train on with another last layer, take only what fits",
            note="In your files: model.load_weights(FILE, by_name=True, skip_mismatch=True) for .h5, model.load_weights(FILE, skip_mismatch=True) for .weights.h5 of Keras 3",
        ),
    ),
)  # fmt: skip
_NOT_OPENED = Meaning(
    "What was given is no checkpoint's index: one file of a checkpoint in place of their common name, a file of another format (.h5, .pb), or a broken download. A checkpoint is several files, NAME.index and NAME.data-00000-of-00001, and is named by NAME alone.",
    (
        Fix(
            "Give the common beginning of the names, without .data-…, .index or .meta",
            note="In your files: 'models/model.ckpt', and tf.train.latest_checkpoint('models') finds the newest. An .h5 file is read by model.load_weights.",
        ),
        Fix(
            "Where the name is right, fetch the files again: a pointer of git LFS or a web page is a few hundred bytes",
            ("git lfs pull",),
        ),
    ),
)
_ACCURACY = Meaning(
    "What metrics=['accuracy'] computes is called accuracy since Keras 2.3 (TensorFlow 2.0), and acc before. The training itself did not fail.",
    (
        Fix(
            "Take the name that this Keras gives it",
            note="In your files: print(history.history.keys()); mostly history.history['accuracy'] and ['val_accuracy'] in place of 'acc' and 'val_acc'. The monitor of callbacks wants the same name. Without validation data there is no val_.",
        ),
    ),
)
_NO_INPUT = Meaning(
    "A model or layer is asked for its input or output before it was given one. Keras 2 knew the input of a Sequential by its first layer's input_shape; Keras 3 knows it once the model begins with keras.Input or was called.",
    (
        Fix(
            "Begin the model with keras.Input, or call it once before",
            note="In your files: keras.Sequential([keras.Input(shape=(224, 224, 3)), …]), or model(np.zeros((1, 224, 224, 3))). model.layers[-1].output and model.inputs are there then.",
        ),
        Fix("Where a package's code asks, update it; what was written for Keras 2 needs tf-keras under TensorFlow 2.16 and newer", ("export TF_USE_LEGACY_KERAS=1",), "After the tf-keras of TensorFlow's minor was installed."),
    ),
)  # fmt: skip
_NEVER_BUILT = Meaning(
    "The file holds weights for a layer that, after loading, has none: the class that owns the layer did not build it. Mostly the model has layers or a model of the project's own, written for Keras 2, and Keras 3 (TensorFlow 2.16 and newer) does not build them from a file alone. The file is in order.",
    (
        Fix(
            "Load it with the Keras of its time: an environment with the TensorFlow that the project names, or the newest with Keras 2",
            (
                "uv venv --python 3.11 tensorflow-2.15",
                'uv pip install --python=tensorflow-2.15 "tensorflow==2.15.*" "setuptools<82"',
            ),
            "The present environment stays as it is. Hand classes of the project's own over: load_model(FILE, custom_objects={'MyLayer': MyLayer}).",
        ),
        Fix(
            "Or make the model by its own code, call it once on data of the right shape, and load the weights alone",
            note="In your files: model = make_model(); model(np.zeros((1, ...))); model.load_weights(FILE). For files to come: give the owning class build(), or build_from_config().",
        ),
    ),
)
_CONFIG = Meaning(
    "A layer or model is given a setting that its class here does not take. Either the file was saved by another release of Keras, or the class is one of your own or of a package, and its __init__ does not pass on what Keras adds (name, trainable, dtype).",
    (
        Fix(
            "Where the model has a layer or function of your own, or of the project that made the file, hand it to the one who loads",
            note="In your files: import the class, then keras.models.load_model(FILE, custom_objects={'MyLayer': MyLayer}). The lines above name what is not known, as Could not locate class.",
        ),
        Fix(
            "For a class of your own, take what Keras adds and pass it on, and give back all settings",
            note="In your files: def __init__(self, units, **kwargs): super().__init__(**kwargs), and def get_config(self): return {**super().get_config(), 'units': self.units}",
        ),
        Fix(
            "For a file, take the TensorFlow that saved it; where that is not known, build the model by its code and load the weights alone",
            note="In your files: model.load_weights(FILE). The line with Exception encountered, where there is one, names the setting.",
        ),
    ),
)
_ALONE = Meaning(
    "The file holds weights and no model: it was written by save_weights, or by ModelCheckpoint with save_weights_only=True. Or it is another program's.",
    (
        Fix(
            "Build the model by its code, and load the weights into it",
            note="In your files: model = make_model(), then model.load_weights(FILE)",
        ),
        Fix("Or write the whole model where it was trained", note="In your files: model.save('model.keras')"),
    ),
)
_NOT_BUILT = Meaning(
    "A model that is a class of one's own makes its variables in its first call. Until then there is nothing into which weights could be read, or out of which they could be written.",
    (
        Fix(
            "Call the model once on data of its size before",
            note="In your files: model(tf.zeros((1, 224, 224, 3))), then model.load_weights(FILE)",
        ),
    ),
)
_NO_CLASS = Meaning(
    "HDF5 can't hold the code of a model that is a class of one's own.",
    (
        Fix(
            "Save its weights, and build the model by its code where they are read",
            note="In your files: model.save_weights('model.weights.h5'); or the whole model as a SavedModel: model.save('folder') with Keras 2, model.export('folder') with Keras 3.",
        ),
    ),
)
_INPUTS = Meaning(
    "The model has another number of inputs than it is given. Mostly a list [x, y] or a dataset whose elements are lists stands where a tuple (x, y) of data and labels belongs, or a model with one output was saved as one that passes on two.",
    (
        Fix(
            "Give one array for each input of the model, and the labels apart",
            note="In your files: yield (x, y) from a generator, not [x, y]; model.fit(x, y); for two inputs ((a, b), y). print(model.inputs) lists them.",
        ),
        Fix(
            "Where it arises while a file is loaded, build the model by its code and load the weights alone",
            note="In your files: model.load_weights(FILE)",
        ),
    ),
)
_CUT_OFF = Meaning(
    "The model is made with an input from which its output does not follow: two Inputs were made where one was meant, or the layers are those of another model.",
    (
        Fix(
            "Make the model from the very input that the first layer was called on",
            note="In your files: Model(inputs=base.input, outputs=x), with base.input and not a new Input; or x = base(inputs) to put a whole model in.",
        ),
    ),
)
_SPARSE = Meaning(
    "The data are sparse (SciPy's matrices, TfidfVectorizer, OneHotEncoder), and the model's layers want dense arrays.",
    (
        Fix(
            "Make the data dense, batch by batch where they are large",
            note="In your files: x = x.toarray(), or OneHotEncoder(sparse_output=False); in a generator x[rows].toarray()",
        ),
    ),
)
_VALUES = Meaning(
    "A tensor of a graph has no values yet. Inside of tf.function, of a layer's call, of dataset.map and of what compile was given, tensors are such.",
    (
        Fix(
            "Compute with TensorFlow's operations there, or hand the part that needs NumPy to tf.py_function",
            note="In your files: tf.py_function(lambda a: g(a.numpy()), [x], tf.float32)",
        ),
        Fix(
            "Or have Keras run step by step, which is slower",
            note="In your files: model.compile(…, run_eagerly=True). Where the program calls tf.compat.v1.disable_eager_execution(), take that line away.",
        ),
    ),
)
OF_OWN_MODELS: Mapping[str, Meaning] = {
    "weights-of-another-model": _ANOTHER,
    "checkpoint-not-opened": _NOT_OPENED,
    "metric-of-another-name": _ACCURACY,
    "layer-without-input": _NO_INPUT,
    "layer-never-built": _NEVER_BUILT,
    "config-not-taken": _CONFIG,
    "file-of-weights-alone": _ALONE,
    "model-not-built-yet": _NOT_BUILT,
    "hdf5-holds-no-class": _NO_CLASS,
    "other-number-of-inputs": _INPUTS,
    "graph-disconnected": _CUT_OFF,
    "sparse-where-dense": _SPARSE,
    "values-of-a-graph": _VALUES,
}
"""By the signature's name."""
TITLES_OF_MODELS = {
    "weights-of-another-model": "The weights are not those of this model: their layers or sizes differ.",
    "checkpoint-not-opened": "What is given as a checkpoint is none, or only one file of it.",
    "metric-of-another-name": "The training's history has no value of that name: this Keras calls the metric otherwise.",
    "layer-never-built": "The file has weights for a layer that this Keras did not build: mostly a class of the project's own, made for another Keras.",
    "layer-without-input": "A model is asked for its input or output before it has one.",
    "config-not-taken": "A layer is given a setting that its class here does not take.",
    "file-of-weights-alone": "The file holds no model that Keras could load: mostly it holds weights alone.",
    "model-not-built-yet": "The model has no variables yet: it was not called before its weights are read or written.",
    "hdf5-holds-no-class": "A model of a class of one's own can't be saved to HDF5 as a whole.",
    "other-number-of-inputs": "The model is given another number of inputs than it has.",
    "graph-disconnected": "The model's output does not follow from the input that it was made with.",
    "sparse-where-dense": "The model is given sparse data where it wants dense arrays.",
    "values-of-a-graph": "The program asks a tensor of a graph for its values, which it does not have.",
}
