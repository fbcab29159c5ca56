"""Graphs, sessions, kinds of numbers and parts that a program mixes up: what each text means, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

_GRAPH = Meaning(
    "Keras before TensorFlow 2, and sessions, keep a graph for each thread and after each clear_session. The model is of one graph, and it is asked in another: mostly a web server (Flask, Django) answers in another thread than the one that loaded the model.",
    (
        Fix(
            "Keep graph and session where the model is loaded, and take them where it is asked",
            note="In your files: graph = tf.get_default_graph() and session = K.get_session() right after load_model; then with graph.as_default(), session.as_default(): model.predict(x). TensorFlow 2 without disable_eager_execution needs none of it.",
        ),
        Fix("Or take K.clear_session() away between loading and asking, and one thread: app.run(threaded=False)"),
    ),
)  # fmt: skip
_NO_VALUE = Meaning(
    "In TensorFlow 1's way of working a variable has a value once it was initialised or restored in the very session that asks for it. Here it was not: it was made later, in another session or graph, or the restore left it out.",
    (
        Fix(
            "Initialise or restore in the session that computes, after all variables were made",
            note="In your files: session.run(tf.compat.v1.global_variables_initializer()), then saver.restore(session, path). With Keras in TensorFlow 2, make and use the model in one thread and one tf.compat.v1.Session, or leave sessions out.",
        ),
    ),
)
_AGAIN = Meaning(
    "The graph already has a variable of that name: the cell or function that makes the model ran a second time into the same graph.",
    (
        Fix(
            "Begin with an empty graph where the model is built again",
            note="In your files: tf.compat.v1.reset_default_graph() above it; in a notebook, restart the kernel. Where two parts shall share it, reuse=tf.compat.v1.AUTO_REUSE.",
        ),
    ),
)
_KINDS = Meaning(
    "TensorFlow does not turn kinds of numbers into each other by itself. NumPy's and pandas' numbers are float64 (double) and int64, those of pictures uint8; a model's are float32.",
    (
        Fix(
            "Turn both into one kind before they meet",
            note="In your files: x = x.astype('float32') for NumPy, tf.cast(x, tf.float32) for tensors, and the labels likewise",
        ),
    ),
)
_DECISION = Meaning(
    "An if, a while or a for of Python asks a tensor of a graph for its value, which is not there yet. AutoGraph rewrites such lines in tf.function alone, and not in lambdas, in code that it can't read (a console, a compiled file), or with return inside of the if.",
    (
        Fix(
            "Write it with TensorFlow's own: tf.where, tf.cond, tf.while_loop, tf.map_fn",
            note="In your files: y = tf.where(x > 0, x, 0.0) in place of an if; or @tf.function above the function, and its code in a file",
        ),
        Fix(
            "To find the line, have all functions run step by step",
            note="In your files: tf.config.run_functions_eagerly(True)",
        ),
    ),
)
_PROTOS = Meaning(
    "Files that end in _pb2.py are made of .proto files by the compiler protoc, and this one was not made, or not where Python looks.",
    (
        Fix(
            "Make them, in the folder models/research for the object detection API, and install it from there",
            ("protoc object_detection/protos/*.proto --python_out=.", "cp object_detection/packages/tf2/setup.py .", f"{PYTHON} -m pip install ."),
            "The program protoc comes with the system's protobuf-compiler, and with grpcio-tools as python -m grpc_tools.protoc -I. For another program's files, the same with its own folder.",
        ),
    ),
)  # fmt: skip
_FIELD = Meaning(
    "The configuration file has a setting that the installed code does not know: the two are of different releases, or the name is misspelled. The number before the message is the line of the file.",
    (
        Fix(
            "Take the configuration of the same release as the code, or take the line out of the file",
            note="For the object detection API: object_detection/configs/tf2 of the very checkout that is installed, and generate the _pb2 files again with protoc after each update.",
        ),
    ),
)
_PLAIN = Meaning(
    "A model of Keras is put together of tensors that Keras' layers gave. One of these was made otherwise: by a function of TensorFlow or NumPy between the layers, by a layer of another Keras, or the code reads what only Keras of another time writes into its tensors.",
    (
        Fix(
            "Import all of Keras from one place, and put the function into a layer",
            note="In your files: from tensorflow.keras import layers; layers.Lambda(lambda x: tf.reduce_mean(x, 1))(x). K.int_shape(x) takes the place of x._keras_shape.",
        ),
        Fix("Where the code is a package's, take the Keras of its time, in an environment of its own", ("tfdoctor plan --tensorflow '<2.4'",), "TensorFlow 2.4 gave Keras' tensors a type of their own."),
    ),
)  # fmt: skip

_NO_KERNEL = Meaning(
    "The program puts an operation on a device by name, and TensorFlow can compute that operation on another kind of device alone (lookups, texts and whole numbers, mostly, on a GPU). Driver and libraries have nothing to do with it.",
    (
        Fix(
            "Let TensorFlow choose another device for operations that this one can't compute",
            note="In your files, in the first lines: tf.config.set_soft_device_placement(True). With sessions of TensorFlow 1: tf.compat.v1.ConfigProto(allow_soft_placement=True).",
        ),
        Fix("Or put that part on the processor", note="In your files: with tf.device('/CPU:0'): around the lines that make it"),
    ),
)  # fmt: skip

_ELSEWHERE = Meaning(
    "XLA compiles for one device, and what it compiles may not use a variable that is on another. From TensorFlow 2.11 on Keras' optimizers have their steps compiled by XLA where there is a GPU; with several GPUs and no distribution strategy, or with variables made outside of it, that fails.",
    (
        Fix("Train on one GPU, to see that it is this", ("export CUDA_VISIBLE_DEVICES=0",)),
        Fix("Or keep XLA off the optimizer, and use all of them", note="In your files: tf.keras.optimizers.legacy.Adam() in place of tf.keras.optimizers.Adam(), or Adam(jit_compile=False); model, optimizer and metrics are made under strategy.scope()."),
    ),
)  # fmt: skip

OF_GRAPHS: Mapping[str, Meaning] = {
    "tensor-of-another-graph": _GRAPH,
    "device-without-kernel": _NO_KERNEL,
    "variable-on-another-device": _ELSEWHERE,
    "variable-without-value": _NO_VALUE,
    "name-used-before": _AGAIN,
    "numbers-of-two-kinds": _KINDS,
    "decision-in-a-graph": _DECISION,
    "protos-not-compiled": _PROTOS,
    "field-of-another-release": _FIELD,
    "plain-tensor-in-model": _PLAIN,
}
"""By the signature's name."""
TITLES_OF_GRAPHS = {
    "tensor-of-another-graph": "The model is of another graph than the one in which it is asked: mostly of another thread.",
    "device-without-kernel": "The program puts an operation on a device that can't compute it.",
    "variable-on-another-device": "What XLA compiled for one GPU uses a variable of another: the optimizer's, mostly.",
    "variable-without-value": "A variable is read that got no value in this session.",
    "name-used-before": "The model was made twice in one graph.",
    "numbers-of-two-kinds": "Two kinds of numbers meet that TensorFlow does not turn into each other (float64 and float32, mostly).",
    "decision-in-a-graph": "A line of Python decides by a tensor of a graph, which has no value yet.",
    "protos-not-compiled": "The program's .proto files were not compiled (protoc), or not where Python looks.",
    "field-of-another-release": "The configuration file is of another release than the code that reads it.",
    "plain-tensor-in-model": "A model is put together of a tensor that no layer of its Keras gave.",
}
