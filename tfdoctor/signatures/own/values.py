"""What TensorFlow and Keras say of values that are none, sizes that nobody knows, and parts that can't take what they are given."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, Signature

_own = partial(Signature, code="python-exception", speaker=EXCEPTION)

SIGNATURES = (
    _own(
        "size-not-known",
        anchor=" is not defined on an unknown TensorShape",
        also=("length of shape with unknown rank", "to a Dense layer should be defined", "Cannot iterate over a tensor with unknown", "Cannot iterate over a Tensor with unknown", "Cannot iterate over a shape with unknown rank", "Undefined shapes are not supported", "Cannot convert a partially known TensorShape", "Cannot convert an unknown Dimension", "Failed to convert elements of "),
        form=r"is not defined on an unknown TensorShape|length of shape with unknown rank|to a Dense layer should be defined|Cannot iterate over a (?:[Tt]ensor|shape) with unknown (?:first dimension|rank)|Undefined shapes are not supported|Cannot convert a partially known TensorShape|Cannot convert an unknown Dimension|Failed to convert elements of [(\[][^)\]\n]{0,80}\bNone\b",
        samples=(
            "ValueError: as_list() is not defined on an unknown TensorShape.",
            "ValueError: Cannot take the length of shape with unknown rank.",
            "ValueError: The last dimension of the inputs to a Dense layer should be defined. Found None.",
            "TypeError: Cannot iterate over a Tensor with unknown first dimension.",
            "ValueError: Undefined shapes are not supported.",
            "ValueError: Cannot convert a partially known TensorShape (None, 10) to a Tensor.",
            "TypeError: Failed to convert elements of (None, -1) to Tensor. Consider casting elements to a supported type.",
        ),
        near=("TypeError: Failed to convert elements of [1, 2] to Tensor.", "the length of shape is unknown"),
        releases="1.x to 2.21, Keras 2 and 3",
        sources=("tensorflow/tensorflow#49238 (2021-05)", "keras-team/keras#20573 (2024-12)", "tensorflow/tensorflow#109333 (2026-02)"),
    ),
    _own(
        "value-is-none",
        anchor="None values not supported",
        also=("convert a value (None) with an unsupported type", ", got None of type 'NoneType' instead"),
        samples=(
            "ValueError: Tried to convert 'y' to a tensor and failed. Error: None values not supported.",
            "ValueError: Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.",
            "TypeError: Expected float32, got None of type 'NoneType' instead.",
        ),
        near=("None of the values is supported",),
        releases="1.x to 2.21",
        sources=("tensorflow/tensorflow#35056 (2019-12)",),
    ),
    _own(
        "no-way-back-to-weights",
        anchor="An operation has `None` for gradient",
        samples=("ValueError: An operation has `None` for gradient. Please make sure that all of your ops have a gradient defined (i.e. are differentiable).",),
        near=("the operation has no gradient",),
        releases="Keras 2.0 to 2.6",
    ),
    _own(
        "history-in-place-of-model",
        anchor="'History' object has no attribute '",
        form=r"'History' object has no attribute '(?P<symbol>\w{1,40})'",
        samples=("AttributeError: 'History' object has no attribute 'predict'", "AttributeError: 'History' object has no attribute 'evaluate'"),
        near=("AttributeError: 'HistoryOfMine' object has no attribute 'x'",),
        releases="Keras 2 and 3",
    ),
    _own(
        "key-of-a-tensor",
        anchor=" is unhashable. Instead, use ",
        also=(" is unhashable if Tensor equality is enabled",),
        form=r"(?P<symbol>\w{1,40}) is unhashable(?:\. Instead, use | if Tensor equality is enabled)",
        samples=(
            "TypeError: Tensor is unhashable. Instead, use tensor.ref() as the key.",
            "TypeError: Variable is unhashable. Instead, use tensor.ref() as the key.",
            "TypeError: Tensor is unhashable if Tensor equality is enabled. Instead, use tensor.experimental_ref() as the key.",
        ),
        near=("TypeError: unhashable type: 'list'",),
        releases="2.0 to 2.21",
        sources=("ray-project/ray#18421 (2021-09)",),
    ),
    _own(
        "class-without-settings",
        anchor="therefore must override `get_config`",
        also=("has arguments in `__init__()` and", "has arguments ['"),
        form=r"therefore must override `get_config`|has arguments (?:in `__init__\(\)` and|\['[^\]\n]{1,200}\]\n? in `__init__` and)",
        samples=(
            "NotImplementedError: Layer MyLayer has arguments in `__init__` and therefore must override `get_config`.",
            "NotImplementedError: Layers with arguments in `__init__` must override `get_config`. Layer ModuleWrapper has arguments in `__init__()` and therefore must override `get_config()`.",
        ),
        near=("the class may override `get_config`",),
        releases="Keras 2 and 3",
    ),
    _own(
        "not-for-json",
        anchor=" is not JSON serializable",
        also=("Unable to serialize ",),
        form=r"Object of type '?(?P<symbol>float\d{2}|u?int\d{1,2}|bool_|ndarray|EagerTensor|ResourceVariable|SymbolicTensor|KerasTensor|Tensor|[A-Z]\w{0,60}Variable)'? is not JSON serializable|Unable to serialize .{1,400} to JSON\. Unrecognized type",
        samples=(
            "TypeError: Object of type 'float32' is not JSON serializable",
            "TypeError: Object of type EagerTensor is not JSON serializable",
            "TypeError: Unable to serialize 0.0010000000474974513 to JSON. Unrecognized type <class 'tensorflow.python.framework.ops.EagerTensor'>.",
        ),
        near=("TypeError: Object of type MyClass is not JSON serializable", "Unable to serialize the queue"),
        releases="Keras 2 and 3",
    ),
    _own(
        "channels-first-on-a-processor",
        anchor="only supports NHWC",
        also=("only supports the NHWC", "the CPU implementation requires the NHWC", "Fused conv implementation does not support grouped convolutions"),
        form=r"only supports (?:the )?NHWC|Fused conv implementation does not support grouped convolutions",
        samples=(
            "tensorflow.python.framework.errors_impl.UnimplementedError: The Conv2D op currently only supports the NHWC tensor format on the CPU. The op was given the format: NCHW",
            "tensorflow.python.framework.errors_impl.UnimplementedError: Generic conv implementation only supports NHWC tensor format for now.",
            "InvalidArgumentError: Conv2DCustomBackpropFilterOp only supports NHWC.",
            "InvalidArgumentError: Default MaxPoolingOp only supports NHWC on device type CPU",
            "UnimplementedError: Fused conv implementation does not support grouped convolutions for now.",
        ),
        near=("The layer supports NHWC and NCHW",),
        releases="1.x to 2.21, without a GPU",
        sources=("simonmeister/pysc2-rl-agents#3 (2018-02)", "SummitKwan/transparent_latent_gan#18 (2018-10)", "keras-team/keras#20414 (2024-10)"),
    ),
    _own(
        "branches-of-other-sizes",
        anchor="requires inputs with matching shapes except for the concat",
        also=("ConcatOp : Dimensions of inputs should match", "ConcatOp : Dimension ", "Operands could not be broadcast together with shapes"),
        form=r"matching shapes except for the concat(?:enation)? axis\.?:? ?(?:(?:Got inputs shapes|Received)?:? ?(?:input_shape=)?\[(?P<size>\([\w, ]{1,60}\)), ?(?P<wanted>\([\w, ]{1,60}\)))?|ConcatOp : Dimensions? (?:of inputs should match|\d{1,2} in both shapes must be equal): shape\[0\] = (?P<value>\[[\d,]{1,60}\])|Operands could not be broadcast together with shapes",
        samples=(
            "ValueError: A `Concatenate` layer requires inputs with matching shapes except for the concat axis. Got inputs shapes: [(None, 20, 20, 512), (None, 19, 19, 256)]",
            "ValueError: A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. Received: input_shape=[(None, 88, 88, 128), (None, 89, 89, 128)]",
            "tensorflow.python.framework.errors_impl.InvalidArgumentError: ConcatOp : Dimensions of inputs should match: shape[0] = [1,64,64,128] vs. shape[1] = [1,65,65,128] [Op:ConcatV2]",
            "ValueError: Operands could not be broadcast together with shapes (64, 64, 32) (65, 65, 32)",
        ),
        near=("A `Concatenate` layer joins its inputs",),
        releases="1.x to 2.21, Keras 2 and 3",
        sources=("qubvel/segmentation_models#244 (2019-11)", "divamgupta/image-segmentation-keras#283 (2021-03)", "keras-team/keras#19964 (2024-07)"),
    ),
    _own(
        "answers-outside-0-to-1",
        anchor="[predictions must be ",
        form=r"\[predictions must be (?:>= 0|<= 1)\]",
        samples=("InvalidArgumentError: assertion failed: [predictions must be >= 0] [Condition x >= y did not hold element-wise:] [x (model/dense/BiasAdd:0) = ]", "assertion failed: [predictions must be <= 1]"),
        near=("[predictions must be named]",),
        releases="1.x to 2.21",
    ),
    _own(
        "ctc-of-other-lengths",
        anchor="Not enough time for target transition sequence",
        also=("Saw a non-null label (index >= num_classes - 1) following a null label",),
        form=r"Not enough time for target transition sequence \(required: (?P<wanted>\d{1,9}), available: (?P<value>\d{1,9})\)|Saw a non-null label \(index >= num_classes - 1\)",
        samples=(
            "InvalidArgumentError: Not enough time for target transition sequence (required: 25, available: 20)0You can turn this error into a warning by using the flag ignore_longer_outputs_than_inputs",
            "InvalidArgumentError: Saw a non-null label (index >= num_classes - 1) following a null label, batch: 0 num_classes: 28 labels:",
        ),
        near=("Not enough time for the target",),
        releases="1.x to 2.21",
    ),
    _own(
        "rllib-in-another-mode",
        anchor=" in make_tf_callable",
        also=("make_tf_callable (",),
        form=r"rllib[\\/].{1,80}\bin make_tf_callable(?:\(|$)|make_tf_callable \(.{1,300}rllib[\\/]",
        sure=LIKELY,
        samples=('  File "/opt/env/lib/python3.7/site-packages/ray/rllib/utils/tf_ops.py", line 118, in make_tf_callable', '  File "C:\\env\\lib\\site-packages\\ray\\rllib\\utils\\tf_utils.py", line 240, in make_tf_callable', "make_tf_callable (/opt/env/lib/python3.7/site-packages/ray/rllib/utils/tf_ops.py:118)"),
        near=('  File "own/rllib_parts.py", line 9, in make_tf_callable_again',),
        releases="Ray 0.7 to 2.10",
        sources=("ray-project/ray#6399 (2019-12)", "ray-project/ray#9592 (2020-07)"),
    ),
    _own(
        "file-far-from-the-tpu",
        anchor="File system scheme '[local]' not implemented",
        samples=("tensorflow.python.framework.errors_impl.UnimplementedError: File system scheme '[local]' not implemented (file: 'data/train.tfrecord')",),
        near=("File system scheme 'gs' not implemented",),
        releases="2.0 to 2.21, TPUs that are reached over the network",
    ),
)  # fmt: skip
