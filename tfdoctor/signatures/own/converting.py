"""What converters of models, and Keras where a model is put together, say of an operation or an input that they do not take."""

from __future__ import annotations

from functools import partial

from tfdoctor.light.expressions import Expression
from tfdoctor.signatures.signature import EXCEPTION, LIKELY, PYTHON, Signature

_own = partial(Signature, code="python-exception", speaker=EXCEPTION)

OWN_BATCHES = Expression(
    r"Failed to find data adapter that can handle input: <class '(?P<name>[A-Za-z_][\w.]{0,150}\.\w{1,80})'>"
)
"""A class of the user's, or of a package, that Keras does not know as one that gives batches."""
NOT_OWN = ("numpy", "pandas", "tensorflow", "scipy", "jax", "jaxlib", "torch", "builtins", "PIL", "cv2")
"""Packages whose objects are data, and no source of batches."""
OF_PICKLE = Expression(
    r"^(?:EOFError: Ran out of input|_?pickle\.UnpicklingError: pickle data was truncated)"
)
"""CPython's words for a file that ends before the object does (Modules/_pickle.c)."""

SIGNATURES = (
    _own(
        "onnx-lacks-operation",
        anchor="Tensorflow op [",
        also=("TensorFlow op [",),
        form=r"ensor[fF]low op \[[^\]\n]{0,300}?: ?(?P<op>\w{1,60})\] is not supported",
        speaker=PYTHON,
        samples=(
            "2020-11-17 18:14:22,032 - ERROR - tf2onnx.tfonnx: Tensorflow op [StatefulPartitionedCall/Postprocessor/Where: Where] is not supported",
            "ERROR:tf2onnx.tfonnx:Tensorflow op [decode/Roll: Roll] is not supported",
        ),
        near=("Tensorflow op [Where] is fast",),
        releases="tf2onnx 1.5 and newer (tfonnx.py)",
        sources=("onnx/tensorflow-onnx#1186 (2020-11)",),
    ),
    _own(
        "converter-lacks-operation",
        anchor="BackendIsNotSupposedToImplementIt: ",
        also=("' object has no attribute 'op_", "has no attribute 'convert_"),
        form=r"BackendIsNotSupposedToImplementIt: (?P<op>\w{1,60}) (?:version|is)|'\w{0,60}(?:Operations|Ops|Converter|Translator|Backend|Handler)\w{0,40}' object has no attribute '(?:op|convert)_(?P<symbol>\w{1,60})'",
        sure=LIKELY,
        samples=(
            "AttributeError: 'TfKerasOperations' object has no attribute 'op_expand'",
            "onnx.backend.test.runner.BackendIsNotSupposedToImplementIt: Upsample version 10 is not implemented.",
        ),
        near=("AttributeError: 'Model' object has no attribute 'op_names'",),
        releases="onnx2keras, onnx-tf and converters that find an operation's function by its name",
        sources=("AxisCommunications/onnx-to-keras#9 (2020-12)",),
    ),
    _own(
        "onnx2tf-gave-up",
        anchor="ERROR: onnx_op_name: ",
        form=r"ERROR: onnx_op_name: (?P<op>\S{1,200})",
        speaker=PYTHON,
        samples=("ERROR: onnx_op_name: /model.9/m/MaxPool", "ERROR: onnx_op_name: wa/model.10/Resize"),
        near=("onnx_op_name: /model.9/m/MaxPool",),
        releases="onnx2tf 1.5 and newer (utils/common_functions.py)",
        sources=("ultralytics/ultralytics#13869 (2024-06)", "ultralytics/ultralytics#947 (2023-09)"),
    ),
    _own(
        "symbol-outside-of-a-layer",
        anchor="to a TF API that does not allow registering custom dispatchers",
        unless=("do not implement `__len__`",),
        samples=(
            "TypeError: You are passing KerasTensor(type_spec=TensorSpec(shape=(), dtype=tf.float32, name=None), name='Placeholder:0', description=\"created by layer 'tf.cast_2'\"), an intermediate Keras symbolic input/output, to a TF API that does not allow registering custom dispatchers, such as tf.cond, tf.function, gradient tapes, or tf.map_fn.",
        ),
        near=("The API does not allow registering custom dispatchers",),
        releases="2.4 to 2.15, tf-keras (keras_tensor.py)",
        sources=("tensorflow/tensorflow#62727 (2024-01)",),
    ),
    _own(
        "layer-of-mixed-inputs",
        anchor="in the first positional argument of your layer call are symbolic tensors",
        samples=(
            "ValueError: It appears you are trying to construct a functional model, but not all of the inputs in the first positional argument of your layer call are symbolic tensors. (Input objects, or the output of another layer) Functional models cannot correctly track custom layers unless all values in the first call argument are symbolic.",
        ),
        near=("The first positional argument of your layer call",),
        releases="2.4 to 2.15 (base_layer.py)",
        sources=("xuannianz/EfficientDet#240 (2021-04)",),
    ),
    _own(
        "hub-module-of-tensorflow-1",
        anchor="tfhub_module.pb",
        form=r"(?P<file>[^\s'\"]{1,300})[/\\]tfhub_module\.pb(?:; | : )?.{0,60}No such file or directory|does not contain a 'tfhub_module\.pb'",
        samples=("NotFoundError: ./Multilingual1/tfhub_module.pb; No such file or directory",),
        near=("Reading tfhub_module.pb",),
        releases="tensorflow_hub's hub.Module (TensorFlow 1)",
        sources=("tensorflow/hub#849 (2022-04)",),
    ),
    _own(
        "no-folders-of-classes",
        anchor="No valid folders of images found at ",
        form=r"No valid folders of images found at (?P<file>[^\n]{1,300})",
        speaker=PYTHON,
        samples=("ERROR:tensorflow:No valid folders of images found at training_data/breadboard",),
        near=("No valid folders were found",),
        releases="retrain.py of TensorFlow's and TensorFlow Hub's examples",
        sources=("googlecodelabs/tensorflow-for-poets-2#132 (2020-03)",),
    ),
)  # fmt: skip
