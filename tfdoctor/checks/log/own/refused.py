"""Calls and files that Keras, TFLite and HDF5 refuse: what each text means, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

_NOT_TRUSTED = Meaning(
    "The file holds a Lambda layer, which is Python code that runs when the model is loaded. Keras 2.13 and newer do not run it unless they are told that the file is trusted. The file is in order.",
    (
        Fix("Where you know who made the file, say so", note="In your files: keras.models.load_model(FILE, safe_mode=False); where the function takes no safe_mode (model_from_json, clone_model), keras.config.enable_unsafe_deserialization() before it, with Keras 3 (tf.keras.__internal__.enable_unsafe_deserialization() with TensorFlow 2.13 to 2.15). A file of unknown origin can do anything to this machine then."),
        Fix("Or build the model by its code and load the weights alone", note="In your files: model = make_model(), then model.load_weights(FILE)"),
    ),
)  # fmt: skip
_NO_SHAPE = Meaning(
    "Keras 3 has to know the shape of each layer's output, and can't find that of this Lambda: its function does something that works with values alone. Keras 2 found it by TensorFlow's graph.",
    (
        Fix("Say the shape of one sample where the Lambda is made", note="In your files: layers.Lambda(f, output_shape=(128,)), without the batch"),
        Fix("For a file of Keras 2 that holds such a layer, build the model by its code with output_shape, and load the weights alone"),
    ),
)  # fmt: skip
_TYPE = Meaning(
    "fit, evaluate and predict take arrays, tensors, a dataset or a PyDataset (Sequence). A list of numbers or of arrays, a scalar or an object of another kind is none of these; the message shows what came.",
    (
        Fix("Make one array of it, with the samples in the first dimension", note="In your files: x = np.asarray(x, dtype='float32'), y = np.asarray(y). Several inputs are a tuple or dict of such arrays; a generator's own data have no validation_split, so give validation_data."),
    ),
)  # fmt: skip
_OPEN = Meaning(
    "HDF5 does not write a file that this same program has open: it was opened for reading and not closed, in a notebook mostly by an earlier cell, or two callbacks write the same name.",
    (
        Fix("Close it, or write another name", note="In your files: with h5py.File(path, 'r') as f: … in place of f = h5py.File(path). In a notebook, restart the kernel. A name with {epoch:02d} in ModelCheckpoint is another one each time."),
    ),
)  # fmt: skip
_TABLE = Meaning(
    "In TensorFlow 1's way of working lookup tables (vocabularies of TensorFlow Hub's text models, for instance) get their values once, in the session that asks them. That was not done here, or in another session.",
    (
        Fix("Fill the tables beside the variables, in the very session that computes", note="In your files: session.run([tf.compat.v1.global_variables_initializer(), tf.compat.v1.tables_initializer()])"),
    ),
)  # fmt: skip
_LITE_INPUT = Meaning(
    "A TFLite model takes inputs of just one size and one kind of number, those that it was converted with. What the program handed over has another: mostly the batch dimension is missing, NumPy's float64 came, or a quantised model wants uint8 or int8.",
    (
        Fix("Ask the model what it wants, and make the input so", note="In your files: d = interpreter.get_input_details()[0]; print(d['shape'], d['dtype']); x = np.expand_dims(x, 0).astype(d['dtype']). For another size: interpreter.resize_tensor_input(d['index'], x.shape), then allocate_tensors()."),
    ),
)  # fmt: skip
_LITE_FILE = Meaning(
    "What was given as a TFLite model is not there, or is no such file: another path, an empty or broken download, a pointer of git LFS, or a model in another format (.h5, .pb, ONNX) under this name.",
    (
        Fix("Look at the file's size and its beginning, with its own name in place of model.tflite: a TFLite file has TFL3 at its fifth byte", (f"{PYTHON} -c \"import os; print(os.path.getsize('model.tflite'), open('model.tflite', 'rb').read(60))\"",), "A few hundred bytes with git-lfs in them are a pointer: `git lfs pull` brings the file. A relative path counts from the folder in which the program is started."),
    ),
)  # fmt: skip
_LITE_HELD = Meaning(
    "interpreter.tensor() and get_tensor's views show the interpreter's own memory. It can't compute or be laid out again while an array of the program still points into it.",
    (
        Fix("Copy what is to be kept, and keep no view over a call of the interpreter", note="In your files: result = interpreter.get_tensor(i).copy(), and interpreter.tensor(i)()[...] = x in one line"),
    ),
)  # fmt: skip
_LITE_SIZES = Meaning(
    "TFLite's own operations need lists of a fixed size, which LSTM, GRU and other loops have only with a fixed batch and length. The model is in order.",
    (
        Fix("Give the model fixed sizes before it is converted", note="In your files: run = tf.function(lambda x: model(x)); f = run.get_concrete_function(tf.TensorSpec([1, 100, 8], tf.float32)); tf.lite.TFLiteConverter.from_concrete_functions([f], model). With your own length and features."),
        Fix("Or keep these parts as TensorFlow's own operations", note="In your files: converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]; converter._experimental_lower_tensor_list_ops = False. What runs the model then needs the Flex delegate."),
    ),
)  # fmt: skip
_MODE = Meaning(
    "The model was made while TensorFlow computed at once, and fit is called after disable_eager_execution, or inside of a session's graph: mostly a package (keras-rl, older SHAP) switches it off when it is imported or called.",
    (
        Fix("Switch it off in the program's first lines, before any model is made, or not at all", note="In your files: tf.compat.v1.disable_eager_execution() right below the import, and the package's import above the model"),
    ),
)  # fmt: skip
_GRAPH = Meaning(
    "The file's bytes are not the message that it is read as. For a frozen graph: it is a SavedModel's saved_model.pb, which is another message, a text file (.pbtxt), an empty or broken download, or a pointer of git LFS. TensorFlow is not what fails.",
    (
        Fix("Look at the file's size and its beginning, with its own name in place of graph.pb", (f"{PYTHON} -c \"import os; print(os.path.getsize('graph.pb'), open('graph.pb', 'rb').read(60))\"",), "A few hundred bytes with git-lfs in them are a pointer: `git lfs pull` brings the file. With <html in them a site gave a page in its place."),
        Fix("A saved_model.pb is loaded with its whole folder", note="In your files: tf.saved_model.load(FOLDER)"),
    ),
)  # fmt: skip
_SIGNATURE = Meaning(
    "A SavedModel holds its functions for the inputs with which they were saved: so many arguments, of these shapes and kinds. It was called with others; the message lists what came and what it has.",
    (
        Fix("See what it takes, with its folder in place of saved_model, and call it just so", (f"{PYTHON} -c \"import tensorflow as tf; print({{k: f.structured_input_signature for k, f in tf.saved_model.load('saved_model').signatures.items()}})\"",), "In your files: tf.constant(x, tf.float32) with the batch dimension; training=False by name where it was saved so."),
        Fix("Or save it once more for any batch", note="In your files: tf.TensorSpec([None, 224, 224, 3], tf.float32) as input_signature"),
    ),
)  # fmt: skip
_NAMES_TWICE = Meaning(
    "An HDF5 file keeps each variable under its name, and two variables of this model have the same one: mostly weights of an own layer that were made without a name, or two models that were joined.",
    (
        Fix("Save the model in a format that does not go by these names", note="In your files: model.save('model.keras') with TensorFlow 2.12 or newer, model.save('folder', save_format='tf') before; for a callback, filepath='model.keras' in ModelCheckpoint"),
        Fix("Or give each weight and each layer a name of its own", note="In your files: self.add_weight(name='scale', ...), layers.Dense(8, name='head_dense')"),
    ),
)  # fmt: skip
_BRACKETS = Meaning(
    "A loss was handed over as a class and not as an object of it, so Keras calls the class with the labels, and these land where its settings belong ('auto' is one of them).",
    (Fix("Write the brackets behind the loss", note="In your files: loss=tf.keras.losses.BinaryCrossentropy() in place of loss=tf.keras.losses.BinaryCrossentropy"),),
)  # fmt: skip
_NOT_COMPILED = Meaning(
    "fit and evaluate need to know optimizer, loss and metrics, which compile says. It was not called for this very model: another model was compiled, it was loaded with compile=False, or it was put together again after that.",
    (Fix("Compile the model that is trained, right before fit", note="In your files: model.compile(optimizer='adam', loss='sparse_categorical_crossentropy', metrics=['accuracy']), with your own loss"),),
)  # fmt: skip
_ONNX = Meaning(
    "The ONNX file was written by a newer onnx than the onnxruntime (or onnx) that reads it knows. Each of the two is in order, and so is the model.",
    (
        Fix("Update what reads the model", (f"{PYTHON} -m pip install --upgrade onnxruntime onnx",), "For onnxruntime-gpu take that name: the two must not be installed beside each other. Where it has nothing newer for this Python, the next way is the one."),
        Fix("Or write the file for an older one", note="In your files: model = onnx.load(PATH); model.ir_version = 9; onnx.save(model, PATH), with the number that the message gives as the largest; or tf2onnx with an older --opset"),
    ),
)  # fmt: skip
OF_REFUSED: Mapping[str, Meaning] = {
    "lambda-layer-not-trusted": _NOT_TRUSTED,
    "lambda-layer-without-shape": _NO_SHAPE,
    "data-of-another-type": _TYPE,
    "file-open-in-this-program": _OPEN,
    "weights-of-one-name": _NAMES_TWICE,
    "table-without-values": _TABLE,
    "lite-input-of-another-kind": _LITE_INPUT,
    "lite-file-not-read": _LITE_FILE,
    "lite-memory-still-held": _LITE_HELD,
    "lite-needs-fixed-sizes": _LITE_SIZES,
    "fit-in-another-mode": _MODE,
    "no-frozen-graph": _GRAPH,
    "onnx-model-newer": _ONNX,
    "function-of-other-inputs": _SIGNATURE,
    "class-in-place-of-a-loss": _BRACKETS,
    "metric-or-model-not-compiled": _NOT_COMPILED,
}
"""By the signature's name."""
TITLES_OF_REFUSED = {
    "lambda-layer-not-trusted": "The model file holds a Lambda layer, which Keras loads only where it is told that the file is trusted (safe_mode).",
    "lambda-layer-without-shape": "Keras 3 can't find the shape of a Lambda layer's output.",
    "data-of-another-type": "The model is given data of a kind that it does not take (a list, mostly).",
    "file-open-in-this-program": "The program writes an HDF5 file that it has still open.",
    "weights-of-one-name": "The model can't be written as HDF5: two of its weights have the same name.",
    "table-without-values": "A lookup table is asked that got no values in this session.",
    "lite-input-of-another-kind": "The TFLite model is given an input of another size or kind than it was converted with.",
    "lite-file-not-read": "What is given as a TFLite model is not there, or is no TFLite file.",
    "lite-memory-still-held": "The program still holds an array that points into the TFLite interpreter's memory.",
    "lite-needs-fixed-sizes": "TFLite can't take the model's loops (LSTM, GRU) without fixed sizes.",
    "fit-in-another-mode": "The model was made with eager execution, and is trained after that was switched off.",
    "no-frozen-graph": "The file is not what it is read as: no frozen graph, or not whole.",
    "onnx-model-newer": "The ONNX model is newer than the onnxruntime (or onnx) that reads it.",
    "function-of-other-inputs": "The SavedModel is called with other inputs than it was saved for.",
    "class-in-place-of-a-loss": "A loss was given as a class: the brackets behind its name are missing.",
    "metric-or-model-not-compiled": "The model is trained or evaluated and was not compiled.",
}
