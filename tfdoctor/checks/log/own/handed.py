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
OF_HANDED: Mapping[str, Meaning] = {
    "compile-argument-in-optimizer": _BRACKET,
    "optimizer-without-rate": _NO_RATE,
    "batches-as-lists": _LISTS,
    "symbol-in-numpy": _SYMBOL,
    "labels-without-samples": _NO_SAMPLES,
    "index-into-nothing": _NOTHING,
    "layer-argument-of-another-keras": _OF_ANOTHER,
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
}
