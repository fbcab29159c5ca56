"""Things that were handed to the wrong place, or in the wrong form: what each text means, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

_BRACKET = Meaning(
    "The argument belongs to model.compile, and stands within the brackets of the optimizer: the bracket that closes the optimizer is missing, or stands too late.",
    (
        Fix(
            "Close the optimizer's bracket before the argument",
            note="In your files: model.compile(optimizer=SGD(momentum=0.5), loss='mse', metrics=['accuracy'])",
        ),
    ),
)
_NO_RATE = Meaning(
    "A callback that changes the learning rate (LearningRateScheduler, ReduceLROnPlateau) finds none at the optimizer. The two are of different Kerases (the package keras beside tensorflow.keras), or the optimizer is one of tf.train or of an add-on.",
    (
        Fix(
            "Import optimizer, callbacks and layers from one Keras",
            note="In your files: from tensorflow.keras import callbacks, layers, models, optimizers, with no line that begins with `from keras`; optimizer=optimizers.Adam(learning_rate=1e-3) in place of tf.train.AdamOptimizer.",
        ),
    ),
)
_LISTS = Meaning(
    "Each batch has to be a tuple (x, y) or (x, y, weights). A generator or a Sequence that gives a list [x, y], or None in it, was taken by older releases of TensorFlow and Keras, and is refused by newer ones. With from_generator it is what output_signature holds.",
    (
        Fix(
            "Give tuples: return or yield the batch in round brackets",
            note="In your files: yield (x, y) in place of yield [x, y], return x, y in __getitem__; several outputs as (x, (y1, y2)) or a dict. In output_signature tf.TensorSpec((None, 8), tf.float32), not tf.float32.",
        ),
    ),
)
_SYMBOL = Meaning(
    "A tensor that has no values yet was given to NumPy, or to a function that turns it into an array. A loss, a metric or a layer of one's own does that where it calls NumPy, where it uses an Input or another layer's output from outside of itself, or where the loss is of another Keras than the model. Without a single such line it is NumPy 1.20 or newer beside TensorFlow 2.5 or older.",
    (
        Fix(
            "Compute there with TensorFlow's functions, and hand everything that the loss needs to it",
            note="In your files: tf.reduce_mean in place of np.mean; for a loss that needs an input of the model, model.add_loss(loss(y_in, output, x_in)), or a layer whose call gets it. Import all of Keras from tensorflow.keras; for segmentation_models sm.set_framework('tf.keras').",
        ),
        Fix(
            "See which releases are installed. It changes nothing",
            (f"{PYTHON} -m pip list | grep -i -E 'numpy|tensorflow|keras'",),
            "TensorFlow 2.5 and older want NumPy 1.19.",
        ),
    ),
)
_NO_SAMPLES = Meaning(
    "The labels have no dimension for the samples. Keras takes a plain Python list of numbers for the labels of so many outputs, each a single number; the same list as an array is one label a sample.",
    (
        Fix(
            "Make one array of the labels, as long as the data and with the last dimension of the model's output",
            note="In your files: y = np.ones((batch_size, 1)) in place of [1] * batch_size, or np.asarray(y, dtype='float32').reshape(-1, 1)",
        ),
    ),
)
_NOTHING = Meaning(
    "The program takes an entry out of a table that has none. Where the data are read, a list of this example is empty: no boxes, labels, masks or words were found in its record, or a label map without classes.",
    (
        Fix(
            "See what a record holds, with your file in place of data.tfrecord",
            (
                f"{PYTHON} -c \"import tensorflow as tf; r = next(iter(tf.data.TFRecordDataset('data.tfrecord'))); print(tf.train.Example.FromString(r.numpy()))\"",
            ),
            "A feature that is missing or whose list is empty is the reason: write the records again with it (for masks with --include_masks), leave such examples out, or switch off in the configuration what the data do not have.",
        ),
    ),
)
_OF_ANOTHER = Meaning(
    "A layer was given a setting that the Keras here does not know. In a model file it stands because another Keras saved it, an older one or a newer one; in code because the code is for another one. The file is in order, and so are its weights.",
    (
        Fix(
            "For a file, see which Keras saved it, with its name in place of model.h5, and load it with the TensorFlow of that time",
            (f"{PYTHON} -c \"import h5py; print(h5py.File('model.h5', 'r').attrs.get('keras_version'))\"",),
            "Keras 1 and 2.0 to 2.2 are of the time of TensorFlow 1; from 2.6 to 2.15 Keras and TensorFlow have the same number. There build the model by its code, load it, and save the weights alone: any Keras reads those.",
        ),
        Fix("In code, leave the setting out, or write the name that this Keras has for it"),
    ),
)
_ADDED = Meaning(
    "Sequential takes layers of its own Keras alone. What was added is a layer of another one (the package keras beside tensorflow.keras, or tensorflow.python.keras), a tensor, or a class without its brackets. The message shows which.",
    (
        Fix(
            "Import model and layers from one Keras, and add layers, not tensors",
            note="In your files: from tensorflow.keras import Sequential, layers, with no line that begins with `from keras`; model.add(layers.Dense(10)) with its brackets; hub.KerasLayer needs TF_USE_LEGACY_KERAS=1 from TensorFlow 2.16 on",
        ),
    ),
)
_NO_SIZES = Meaning(
    "The model has no variables yet: it does not know the size of its input, so nothing can be counted.",
    (
        Fix(
            "Say the size of one sample, as the first thing in the model",
            note="In your files: Sequential([layers.Input((28, 28, 1)), …]), or model.build((None, 28, 28, 1)) before model.summary(); for a class of your own, call the model once on a batch",
        ),
    ),
)
_COMPILE = Meaning(
    "What compile is given for its losses or metrics has not the form that this Keras takes: metrics is a list, and for a model of several outputs it has one entry for each output.",
    (
        Fix(
            "Give compile a list, or a dict by the names of the outputs",
            note="In your files: metrics=['accuracy']; for two outputs loss=['mse', 'mae'], metrics=[['mae'], ['mae']] or metrics={'a': ['mae'], 'b': ['mae']}. print(model.output_names) shows the names.",
        ),
    ),
)
_BESIDE = Meaning(
    "A generator, a Sequence or a dataset gives labels and weights with each batch. fit, evaluate and predict take no second ones beside it.",
    (
        Fix(
            "Leave y out, and have each batch be (x, y)",
            note="In your files: model.fit(generator) and model.predict(generator), where __getitem__ or the generator gives x, y; weights as a third part: x, y, w",
        ),
    ),
)
_STEPS = Meaning(
    "A plain generator has no end that Keras could see, so fit has to be told how many batches an epoch has.",
    (
        Fix(
            "Tell fit the number of batches",
            note="In your files: model.fit(generator, steps_per_epoch=len(x_train) // batch_size, validation_steps=len(x_val) // batch_size)",
        ),
    ),
)
_RESTORED = Meaning(
    "The SavedModel names an object of Keras that the loader can't make again: a metric, a loss or a layer of one's own, or one of another release.",
    (
        Fix(
            "Where it is only needed for training, load the model without",
            note="In your files: load_model(FOLDER, compile=False), and compile again where the model is trained on",
        ),
        Fix(
            "Else hand the class to the loader",
            note="In your files: load_model(FOLDER, custom_objects={'MyLayer': MyLayer}), where the class has get_config",
        ),
    ),
)
_TARGET = Meaning(
    "The labels have another form than the loss wants: categorical_crossentropy takes one-hot labels, as many numbers as there are classes, and sparse_categorical_crossentropy a single number for each sample.",
    (
        Fix(
            "Take the loss for labels that are single numbers, or make them one-hot",
            note="In your files: loss='sparse_categorical_crossentropy', or y = keras.utils.to_categorical(y). For another loss give the last layer as many units as the labels have numbers.",
        ),
    ),
)
_FEED = Meaning(
    "The array that is fed has another size than its placeholder. A ? or None in the placeholder's size stands for any number of samples; all else has to be the same.",
    (
        Fix(
            "Bring the array to the placeholder's size",
            note="In your files: print(x.shape) before session.run; x.reshape(-1, 10), x[None] for the missing batch, np.eye(10)[y] for one-hot labels",
        ),
    ),
)
_GRAPHS = Meaning(
    "Two parts of the program work in two graphs, and a tensor of one was given to the other: a model that was built before the graph was reset or in another `with tf.Graph()`, a thread or a web request with a graph of its own, or a tensor of TensorFlow 2 in code for TensorFlow 1.",
    (
        Fix(
            "Build and use the model in one graph",
            note="In your files: no tf.reset_default_graph(), K.clear_session() or disable_eager_execution() between building and using it; in TensorFlow 1 `with graph.as_default(), session.as_default():` around both. In a notebook, restart the kernel and run the cells in order.",
        ),
    ),
)
_NAME = Meaning(
    "The name holds a character that TensorFlow or Keras does not take in one. Names of layers and models have letters, digits, _, - and . in them; no blanks, no brackets, and in Keras 3 no /.",
    (
        Fix(
            "Give another name",
            note="In your files: name='conv_1' in place of name='conv 1'. For a file of such a model: build it by its code with other names, and load the weights alone.",
        ),
    ),
)
_TWICE = Meaning(
    "Each layer of a model needs a name of its own. Two have the same one: one layer object was added twice, two pretrained models of one kind are joined, or a loop gives each the same name.",
    (
        Fix(
            "Give each a name of its own",
            note="In your files: make the layer anew for each place, Dense(10, name=f'dense_{i}'); for two pretrained models base._name = 'second' (Keras 2), or put each in keras.Sequential([base], name='second')",
        ),
    ),
)
_NO_LAYER = Meaning(
    "What stands as the model's output does not come out of a layer of this Keras: a function of TensorFlow came last, or the layers are of another Keras than the Model.",
    (
        Fix(
            "Put the last step into a layer, and import all from one Keras",
            note="In your files: layers.Lambda(lambda t: tf.nn.softmax(t))(x), and from tensorflow.keras import Model, layers with no line that begins with `from keras`",
        ),
    ),
)
_TEXT = Meaning(
    "The data hold texts where the model computes with numbers: a column of words or dates, or numbers that were read as text.",
    (
        Fix(
            "Turn the texts into numbers before fit",
            note="In your files: x = df.select_dtypes('number').to_numpy('float32'); for words keras.layers.StringLookup or TextVectorization, for classes pd.factorize(y)[0]",
        ),
    ),
)
_ZIP = Meaning(
    "The file was opened as a zip archive, which .keras and .npz files and many datasets are, and is none: an incomplete download, a web page or a pointer of git LFS in its place, or a model in HDF5 under the name .keras.",
    (
        Fix(
            "Look at the file's size and its first bytes, with its own name in place of model.keras: an archive begins with PK",
            (
                f"{PYTHON} -c \"import os; print(os.path.getsize('model.keras'), open('model.keras', 'rb').read(60))\"",
            ),
            "With HDF in them it is an HDF5 file: give it the ending .h5. With <html or git-lfs in them fetch the file itself.",
        ),
        Fix("Else delete it and fetch it again"),
    ),
)
_NO_MODEL = Meaning(
    "The model is None. The function that builds it gives nothing back, or the result of a call that gives nothing (compile, build, add, load_weights) was kept as the model.",
    (
        Fix(
            "Give the model back, and keep the model itself",
            note="In your files: `return model` at the end of the function that builds it; model.compile(…) in a line of its own, not model = model.compile(…)",
        ),
    ),
)
_NO_ARRAY = Meaning(
    "A list or tuple stands where the program wants an array or a tensor, which alone have a size and a type of numbers.",
    (
        Fix(
            "Make an array of it, or take the part that is meant",
            note="In your files: x = np.asarray(x, dtype='float32'); of a layer with several outputs x[0]; of (data, labels) the first",
        ),
    ),
)
_OPEN_SIZE = Meaning(
    "TFLite's converter takes a size that is open only for the number of samples. Another dimension of the model's input has none.",
    (
        Fix(
            "Give the input its sizes before it is converted",
            note="In your files: run = tf.function(lambda x: model(x)); f = run.get_concrete_function(tf.TensorSpec([1, 224, 224, 3], tf.float32)); tf.lite.TFLiteConverter.from_concrete_functions([f], model)",
        ),
    ),
)
OF_HANDED: Mapping[str, Meaning] = {
    "compile-argument-in-optimizer": _BRACKET,
    "optimizer-without-rate": _NO_RATE,
    "batches-as-lists": _LISTS,
    "symbol-in-numpy": _SYMBOL,
    "labels-without-samples": _NO_SAMPLES,
    "index-into-nothing": _NOTHING,
    "layer-argument-of-another-keras": _OF_ANOTHER,
    "layer-of-another-class": _ADDED,
    "model-without-sizes": _NO_SIZES,
    "lists-of-compile": _COMPILE,
    "labels-beside-batches": _BESIDE,
    "generator-without-steps": _STEPS,
    "object-not-restored": _RESTORED,
    "target-of-another-size": _TARGET,
    "feed-of-another-size": _FEED,
    "tensors-of-two-graphs": _GRAPHS,
    "name-not-allowed": _NAME,
    "name-used-twice": _TWICE,
    "output-of-no-layer": _NO_LAYER,
    "text-as-numbers": _TEXT,
    "file-is-no-zip": _ZIP,
    "model-is-nothing": _NO_MODEL,
    "list-in-place-of-array": _NO_ARRAY,
    "lite-size-left-open": _OPEN_SIZE,
}
"""By the signature's name."""
TITLES_OF_HANDED = {
    "compile-argument-in-optimizer": "An argument of model.compile stands within the brackets of the optimizer.",
    "optimizer-without-rate": "A callback finds no learning rate at the optimizer: they are mostly of two Kerases.",
    "batches-as-lists": "The data come as lists where TensorFlow wants tuples.",
    "symbol-in-numpy": "A tensor without values is handed to NumPy, mostly by a loss, a metric or a layer of the program's own.",
    "labels-without-samples": "The labels have no dimension for the samples: mostly they are a plain list.",
    "index-into-nothing": "An example of the data lacks what the program takes out of it: the list is empty.",
    "layer-argument-of-another-keras": "A layer is given a setting that this Keras does not know: the model file, or the code, is of another one.",
    "layer-of-another-class": "What is added to the model is no layer of this Keras.",
    "model-without-sizes": "The model does not know the size of its input yet.",
    "lists-of-compile": "compile is given losses or metrics in another form than this Keras takes.",
    "labels-beside-batches": "Labels are given beside a generator or dataset that gives them itself.",
    "generator-without-steps": "fit is given a generator without the number of its batches.",
    "object-not-restored": "The SavedModel holds an object of Keras that can't be made again here.",
    "target-of-another-size": "The labels have another form than the loss wants.",
    "feed-of-another-size": "A placeholder is fed an array of another size.",
    "tensors-of-two-graphs": "Tensors of two graphs meet.",
    "name-not-allowed": "A name of a layer or model has a character that may not be in it.",
    "name-used-twice": "Two layers of the model have the same name.",
    "output-of-no-layer": "The model's output does not come out of a layer of this Keras.",
    "text-as-numbers": "The data hold texts where the model computes with numbers.",
    "file-is-no-zip": "A file that is opened as a zip archive (.keras, .npz) is none.",
    "model-is-nothing": "The model is None: nothing was given back where it was built.",
    "list-in-place-of-array": "A list or tuple is given where an array is wanted.",
    "lite-size-left-open": "TFLite's converter needs the sizes of the model's input.",
}
