"""What Keras says of things that were handed to the wrong place: to compile, to a callback, to a loss, to a dataset."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, Signature

_own = partial(Signature, code="python-exception", speaker=EXCEPTION)
_OF_COMPILE = "metrics|loss|loss_weights|weighted_metrics|sample_weight_mode|run_eagerly"

SIGNATURES = (
    _own(
        "compile-argument-in-optimizer",
        anchor="Unexpected keyword argument passed to optimizer: ",
        also=("Argument(s) not recognized: {'",),
        form=rf"(?:passed to optimizer: |Argument\(s\) not recognized: \{{')(?P<symbol>{_OF_COMPILE})\b",
        samples=(
            "TypeError: Unexpected keyword argument passed to optimizer: metrics",
            "ValueError: Argument(s) not recognized: {'loss': 'mse'}",
        ),
        near=("TypeError: Unexpected keyword argument passed to optimizer: learning_rate",),
        releases="Keras 2 and 3",
        sources=("sagar448/Keras-Convolutional-Neural-Network-Python#1 (2019-11)",),
    ),
    _own(
        "optimizer-without-rate",
        anchor="Optimizer must have a \"l",
        form=r"Optimizer must have a \"(?P<symbol>lr|learning_rate)\" attribute",
        samples=('ValueError: Optimizer must have a "lr" attribute.', 'ValueError: Optimizer must have a "learning_rate" attribute.'),
        near=("The optimizer must have a learning rate.",),
        releases="Keras 2 and 3 (callbacks.py)",
        sources=("keras-team/keras#15299 (2021-09)",),
    ),
    _own(
        "batches-as-lists",
        anchor="must contain objects that are subclass of `tf.TypeSpec` but found",
        form=r"subclass of `tf\.TypeSpec` but found <class '(?P<symbol>[\w.]{1,100})'>",
        samples=("TypeError: `output_signature` must contain objects that are subclass of `tf.TypeSpec` but found <class 'list'> which is not.",),
        near=("the objects that are subclass of `tf.TypeSpec`",),
        releases="2.4 to 2.21 (from_generator_op.py)",
        sources=("bharath5673/YOLOv8-3D#13 (2025-06)", "tensorflow/tensorflow#75329 (2024-09)"),
    ),
    _own(
        "symbol-in-numpy",
        anchor="Cannot convert a symbolic ",
        form=r"Cannot convert a symbolic (?:Keras input/output|(?:tf\.)?Tensor \((?P<symbol>[^)\s]{1,300})\)) to a numpy array",
        sure=LIKELY,
        samples=(
            "TypeError: Cannot convert a symbolic Keras input/output to a numpy array. This error may indicate that you're trying to pass a symbolic value to a NumPy call, which is not supported.",
            "NotImplementedError: Cannot convert a symbolic Tensor (dice_loss/truediv:0) to a numpy array.",
        ),
        near=("Cannot convert a symbolic link to a file",),
        releases="2.0 to 2.15",
        sources=("philipperemy/keract#142 (2021-05)", "qubvel/segmentation_models#474 (2021-06)"),
    ),
    _own(
        "labels-without-samples",
        anchor=" vs ())",
        form=r"`?logits`? and `?labels`? must have the same shape,? ?(?:received )?\((?P<size>\([\w, ]{1,60}\)) vs \(\)\)",
        samples=("ValueError: logits and labels must have the same shape ((128, 1) vs ())", "ValueError: `logits` and `labels` must have the same shape, received ((None, 1) vs ())."),
        near=("ValueError: logits and labels must have the same shape ((128, 1) vs (128, 2))",),
        releases="1.x to 2.21, Keras 2",
        sources=("Vishal-V/GSoC-TensorFlow-2019#4 (2021-04)", "CVxTz/kinship_prediction#3 (2022-06)"),
    ),
    _own(
        "index-into-nothing",
        anchor=" is not in [0, 0)",
        form=r"indices\[[\d,]{1,60}\] = -?\d{1,15} is not in \[0, 0\)",
        samples=("tensorflow.python.framework.errors_impl.InvalidArgumentError: Invalid argument:  indices[0] = 0 is not in [0, 0)",),
        near=("InvalidArgumentError: indices[56,57] = 66 is not in [0, 65)",),
        releases="1.x to 2.21",
        sources=("CatchZeng/object-detection-api#1 (2022-01)",),
    ),
    _own(
        "layer-argument-of-another-keras",
        anchor="Unrecognized keyword arguments:",
        form=r"Unrecognized keyword arguments:'?,? (?:dict_keys\()?\['(?P<symbol>\w{1,60})'",
        unless=("'batch_shape'", "'optional'", "'ragged'"),
        sure=LIKELY,
        samples=("ValueError: ('Unrecognized keyword arguments:', dict_keys(['input_dtype']))", "TypeError: Unrecognized keyword arguments: ['shape']"),
        near=("ValueError: Unrecognized keyword arguments: ['batch_shape']", "Unrecognized keyword arguments: see the help"),
        releases="Keras 2",
        sources=("stratospark/food-101-keras#24 (2020-06)",),
    ),
)  # fmt: skip
