"""Values that are none, sizes that nobody knows, parts that can't take what they are given: what each text means, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.own.handed import OF_HANDED, TITLES_OF_HANDED
from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

_SIZE = Meaning(
    "A tensor comes without a size that has to be known when the model or the function is put together. tf.py_function, tf.numpy_function, decode_image and generators without output_signature give such tensors; and x.shape[0] is None where the batch may be of any size.",
    (
        Fix(
            "Say the size right behind the step that loses it",
            note="In your files: x.set_shape((224, 224, 3)) behind tf.py_function or tf.numpy_function; expand_animations=False in decode_image; output_signature=(tf.TensorSpec((None, 8), tf.float32), …) in from_generator. print(dataset.element_spec) shows which part has <unknown>.",
        ),
        Fix(
            "Where the number of samples is asked for, ask the tensor and not its shape",
            note="In your files: tf.shape(x)[0] in place of x.shape[0], and tf.reshape(x, (-1, 10)); tf.map_fn or tf.unstack(x, num=3) in place of a for over a tensor.",
        ),
    ),
)
_NONE = Meaning(
    "A None of Python arrived where TensorFlow wants a number or an array. Mostly fit got no labels, a function or a metric has no return, gradients of weights that the loss does not depend on are used, or the size of a batch, which is None while a model is put together, is computed with.",
    (
        Fix(
            "See which value is None: the last line of your own file above the error hands it over",
            note="In your files: print what a function of yours returns; give fit the labels (y), or a dataset of pairs (x, y); tf.shape(x)[0] in place of x.shape[0]; apply_gradients((g, v) for g, v in zip(grads, variables) if g is not None).",
        ),
    ),
)
_NO_WAY = Meaning(
    "The loss does not depend on some of the weights by operations that have a gradient: argmax, round, comparisons, casts to whole numbers and NumPy cut the way back.",
    (
        Fix(
            "Take those operations out of the loss and of the layers between the weights and the loss",
            note="In your files: no K.argmax, K.round or K.equal in the loss; they may stand in metrics. A layer whose output is not used for the output of the model belongs out of it.",
        ),
    ),
)
_HISTORY = Meaning(
    "model.fit returns the course of the training, a History, and no model. The name of the model was given to that.",
    (
        Fix(
            "Keep the two apart",
            note="In your files: history = model.fit(…), and model.predict(x), model.save(…) with the model itself. A chain as in Sequential(…).fit(…) loses the model, too.",
        ),
    ),
)
_KEY = Meaning(
    "Since TensorFlow 2 tensors and variables are compared by their values, so they can't be keys of a dictionary or members of a set. Code that was written for TensorFlow 1, or that mixes its graphs with Keras of TensorFlow 2, still uses them so.",
    (
        Fix(
            "In your own code, take tensor.ref() as the key",
            note="In your files: {x.ref(): 1} in place of {x: 1}; feed_dict belongs to TensorFlow 1's sessions alone.",
        ),
        Fix(
            "Where the line is a package's, have TensorFlow work as the package expects, in the first lines of the program",
            note="In your files: tf.compat.v1.disable_v2_behavior() for code of TensorFlow 1. In RLlib, framework='tf2', or ray.init() without local_mode=True.",
        ),
    ),
)
_NO_SETTINGS = Meaning(
    "To save a model Keras asks each layer for its settings. A layer of one's own that has arguments in __init__ has to give them back by get_config; this one does not. The training itself did not fail. A ModuleWrapper is a layer of another Keras (keras beside tensorflow.keras) that was taken in.",
    (
        Fix(
            "Save the weights, which need no settings, so that nothing is lost",
            note="In your files: model.save_weights('model.weights.h5'), and save_weights_only=True in ModelCheckpoint",
        ),
        Fix(
            "Give the class its get_config",
            note="In your files: def get_config(self): return {**super().get_config(), 'units': self.units}. For a ModuleWrapper import all layers from one place, tensorflow.keras or keras.",
        ),
    ),
)  # fmt: skip
_JSON = Meaning(
    "JSON holds Python's own numbers, texts, lists and dictionaries alone. The program hands it a number of NumPy or a tensor: in its own json.dump, or as a setting of a layer, a loss or an optimizer that Keras writes into the model's file.",
    (
        Fix(
            "Turn the value into Python's own before",
            note="In your files: float(x), int(x) or x.tolist() for NumPy; float(x.numpy()) for a tensor; json.dump(…, default=float) for history.history. A rate, a rescaling or weights of a loss that a layer or optimizer is made with have to be such numbers, too.",
        ),
    ),
)
_CHANNELS = Meaning(
    "The model wants what TensorFlow computes on a GPU alone: pictures with their channels first (NCHW, channels_first), or convolutions in groups. Here it runs on the processor, because the machine has no GPU or TensorFlow does not use it.",
    (
        Fix(
            "See whether TensorFlow has a GPU. An empty list is the cause where the machine has one",
            (f"{PYTHON} -c \"import tensorflow as tf; print(tf.config.list_physical_devices('GPU'))\"",),
            "tfdoctor check says why it has none.",
        ),
        Fix(
            "Without a GPU, have the channels last, in the model and in the data",
            note="In your files: data_format='channels_last' in each layer, tf.keras.backend.set_image_data_format('channels_last') above the model, and x = np.moveaxis(x, 1, -1). Weights trained so fit; weights behind a Flatten do not.",
        ),
    ),
)
_BRANCHES = Meaning(
    "Two branches of the model meet and have other heights, widths or lengths there. In a U-Net that is the size of the input: each halving rounds, and each doubling does not undo that.",
    (
        Fix(
            "Take an input whose height and width can be halved as often as the model does it: multiples of 32 for five times, of 16 for four",
            note="In your files: input_shape=(320, 320, 3) in place of (300, 300, 3), and the pictures resized or padded to it",
        ),
        Fix(
            "Or bring the branches to one size where they meet",
            note='In your files: padding="same" in the convolutions of both, Cropping2D or ZeroPadding2D on the larger or smaller one. A channels_first model in a channels_last Keras differs so, too.',
        ),
    ),
)
_OUTSIDE = Meaning(
    "The metric (AUC, Precision, Recall and their like) wants probabilities from 0 to 1, and the model's last layer gives other numbers. NaN is no such number either.",
    (
        Fix(
            "Let the last layer give probabilities",
            note="In your files: Dense(1, activation='sigmoid'), or softmax over classes, with from_logits=False in the loss; or AUC(from_logits=True). If the loss is nan as well, that comes first: look at the data and the learning rate.",
        ),
    ),
)
_CTC = Meaning(
    "CTC reads its labels off the model's steps in order: it needs at least one step for each character and one more between equal neighbours, and keeps the last class for its blank. A label here is longer than that, or has a number that the model has no class for.",
    (
        Fix(
            "Compare the labels' lengths with the model's steps, and the largest label with its classes",
            note="In your files: the time axis of the output, behind all pooling, has to be longer than the longest label; fewer or smaller pooling steps along the width, or wider input. Dense(len(alphabet) + 1), labels from 0 to len(alphabet) - 1, and a padding of labels with -1 or their true lengths in label_length.",
        ),
    ),
)
_RLLIB = Meaning(
    "RLlib makes its policies for one way of working, graphs or eager execution, and found the other. ray.init(local_mode=True) runs all in one process, where eager execution stays on though RLlib's framework 'tf' wants graphs; in its own workers RLlib switches it off.",
    (
        Fix(
            "Name the framework in RLlib's configuration, or leave local mode",
            note="In your files: config['framework'] = 'tf2' ('tfe' in Ray 0.8 and 1.0), or ray.init() without local_mode=True",
        ),
        Fix(
            "Or switch eager execution off in the first lines of the program",
            note="In your files: import tensorflow as tf, then tf.compat.v1.disable_eager_execution()",
        ),
    ),
)
_FAR = Meaning(
    "The TPU is in another machine than the program, and that machine reads and writes the files of the dataset or the checkpoint itself. It has no file system of its own, so a path of this machine means nothing to it.",
    (
        Fix(
            "Put the data into a bucket of Google's storage, which the TPU reads, and name that path",
            note="In your files: gs://my-bucket/train.tfrecord in place of the local path",
        ),
        Fix(
            "Or let this machine read and write them",
            note="In your files: arrays in memory by tf.data.Dataset.from_tensor_slices; for models and checkpoints, options=tf.saved_model.SaveOptions(experimental_io_device='/job:localhost'), and LoadOptions or CheckpointOptions likewise.",
        ),
    ),
)
_PLACEHOLDER = Meaning(
    "A session computes something that follows from a placeholder, and was not told its value. Mostly a summary or a metric that needs it was put into another run, the model was made twice and the other one's placeholder is fed, or Keras' learning phase is one of them.",
    (
        Fix(
            "Give each placeholder that the result follows from a value in feed_dict",
            note="In your files: session.run(loss, feed_dict={x: batch, y: labels}), with the very tensors of this graph; tf.compat.v1.reset_default_graph() before a model is built again; K.learning_phase(): 0 where Keras is asked by a session.",
        ),
    ),
)
_NO_KERNEL = Meaning(
    "TensorFlow has the operation, and not for this kind of numbers or this device: mostly whole numbers or text where it computes with float32, or complex numbers and strings on a GPU. The lines below the message list the kinds that it has.",
    (
        Fix(
            "Turn the numbers into a kind that is in the list",
            note="In your files: tf.cast(x, tf.float32), or x.astype('float32') before; print(x.dtype) shows what came. Where only the device differs: with tf.device('/CPU:0') around it.",
        ),
    ),
)
OF_VALUES: Mapping[str, Meaning] = {
    **OF_HANDED,
    "size-not-known": _SIZE,
    "value-is-none": _NONE,
    "no-way-back-to-weights": _NO_WAY,
    "history-in-place-of-model": _HISTORY,
    "key-of-a-tensor": _KEY,
    "class-without-settings": _NO_SETTINGS,
    "not-for-json": _JSON,
    "channels-first-on-a-processor": _CHANNELS,
    "branches-of-other-sizes": _BRANCHES,
    "answers-outside-0-to-1": _OUTSIDE,
    "ctc-of-other-lengths": _CTC,
    "rllib-in-another-mode": _RLLIB,
    "file-far-from-the-tpu": _FAR,
    "placeholder-without-value": _PLACEHOLDER,
    "no-kernel-for-these-numbers": _NO_KERNEL,
}
"""By the signature's name."""
TITLES_OF_VALUES = {
    **TITLES_OF_HANDED,
    "size-not-known": "A tensor has no known size where the program needs one.",
    "value-is-none": "TensorFlow is given None where it wants a number or an array.",
    "no-way-back-to-weights": "The loss has no gradient for some of the weights.",
    "history-in-place-of-model": "What fit returns is used as if it were the model.",
    "key-of-a-tensor": "A tensor or variable is used as the key of a dictionary or in a set, which TensorFlow 2 does not allow.",
    "class-without-settings": "The model can't be saved: a layer of its own does not give back its settings (get_config).",
    "not-for-json": "A number of NumPy or a tensor is written to JSON, which can't hold it.",
    "channels-first-on-a-processor": "The model needs what TensorFlow computes on a GPU alone (channels first, grouped convolutions), and runs on the processor.",
    "branches-of-other-sizes": "Two branches of the model that are joined have different sizes.",
    "answers-outside-0-to-1": "A metric wants probabilities from 0 to 1, and the model gives other numbers.",
    "ctc-of-other-lengths": "CTC's labels do not fit the model's output: too long, or with a class that it does not have.",
    "placeholder-without-value": "A placeholder got no value: the session was not told it in feed_dict.",
    "no-kernel-for-these-numbers": "The operation can't compute with this kind of numbers on this device.",
    "file-far-from-the-tpu": "The TPU can't read files of this machine: it is reached over the network.",
    "rllib-in-another-mode": "RLlib met eager execution where it expects graphs, or the reverse: mostly local_mode=True with framework 'tf'.",
}
