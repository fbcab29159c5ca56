"""What TensorFlow and Keras say of graphs, sessions, kinds of numbers and parts that a program mixes up."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_own = partial(Signature, code="python-exception", speaker=EXCEPTION, sources=(SEVERAL_FILES,))

SIGNATURES = (
    _own(
        "tensor-of-another-graph",
        anchor=" is not an element of this graph",
        samples=(
            'ValueError: Tensor Tensor("dense_2/Softmax:0", shape=(?, 10), dtype=float32) is not an element of this graph.',
            'TypeError: Cannot interpret feed_dict key as Tensor: Tensor Tensor("Placeholder:0", shape=(3, 3, 3, 32), dtype=float32) is not an element of this graph.',
        ),
        near=("The node is not an element of the graph",),
        releases="Keras and TensorFlow 1, sessions in 2.x",
    ),
    _own(
        "device-without-kernel",
        anchor="because no supported kernel for ",
        form=r"Could not satisfy explicit device specification '(?P<device>[^'\n]{0,120})' because no supported kernel for (?P<value>\w{1,12}) devices is available",
        samples=(
            "InvalidArgumentError: Cannot assign a device for operation embedding/lookup: Could not satisfy explicit device specification '/device:GPU:0' because no supported kernel for GPU devices is available.",
        ),
        near=("Could not satisfy explicit device specification '/device:GPU:0' because no devices matching that specification are registered in this process",),
        releases="1.x to 2.21",
    ),
    _own(
        "variable-on-another-device",
        anchor="Trying to access resource ",
        form=r"Trying to access resource \S{1,120} located in device \S{1,120} from device \S{1,120}",
        samples=("INVALID_ARGUMENT: Trying to access resource Resource-1414-at-0x38b1eb20 located in device /job:localhost/replica:0/task:0/device:GPU:0 from device /job:localhost/replica:0/task:0/device:GPU:1",),
        near=("Trying to access resource x of the store",),
        releases="2.5 to 2.21",
    ),
    _own(
        "variable-without-value",
        anchor="Attempting to use uninitialized value ",
        also=("Error while reading resource variable ", "FailedPreconditionError: Could not find variable "),
        form=r"Attempting to use uninitialized value (?P<symbol>[\w./:-]{1,120})|Error while reading resource variable (?P<value>[\w./:-]{1,120}) from Container|FailedPreconditionError:.{0,40} Could not find variable (?P<message>[\w./:-]{1,120})\.",
        samples=(
            "tensorflow.python.framework.errors_impl.FailedPreconditionError: Attempting to use uninitialized value dense/kernel",
            "tensorflow.python.framework.errors_impl.FailedPreconditionError: Error while reading resource variable _AnonymousVar86 from Container: localhost. This could mean that the variable was uninitialized.",
            "FailedPreconditionError: Could not find variable dense/kernel. This could mean that the variable has been deleted.",
        ),
        near=("Error while reading resource files",),
        releases="TensorFlow 1, sessions in 2.x",
    ),
    _own(
        "name-used-before",
        anchor=" already exists, disallowed. Did you mean to set reuse",
        form=r"Variable (?P<symbol>[\w./:-]{1,150}) already exists, disallowed",
        samples=("ValueError: Variable conv1/weights already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?",),
        near=("The file already exists, disallowed. Did you mean to set reuse?",),
        releases="TensorFlow 1, tf.compat.v1",
    ),
    _own(
        "numbers-of-two-kinds",
        anchor="was expected to be a ",
        also=(" that does not match type ", " not in list of allowed values: ", " to EagerTensor of dtype ", "ensor conversion requested dtype "),
        form=r"was expected to be a (?P<wanted>\w{1,12}) tensor but is a (?P<value>\w{1,12}) tensor|Op has type (?P<version>\w{1,12}) that does not match type (?P<message>\w{1,12}) of argument|Cannot convert (?P<used>\S{1,40}) to EagerTensor of dtype (?P<total>\w{1,12})|has DataType (?P<symbol>\w{1,12}) not in list of allowed values|ensor conversion requested dtype (?P<limit>\w{1,12}) for Tensor with dtype (?P<size>\w{1,12}): ",
        unless=("requested dtype float32_ref", "requested dtype string", "requested dtype resource"),
        samples=(
            "tensorflow.python.framework.errors_impl.InvalidArgumentError: cannot compute Mul as input #1(zero-based) was expected to be a float tensor but is a double tensor [Op:Mul]",
            "TypeError: Input 'y' of 'Mul' Op has type float64 that does not match type float32 of argument 'x'.",
            "TypeError: Cannot convert 0.5 to EagerTensor of dtype int64",
            "ValueError: Tensor conversion requested dtype int32 for Tensor with dtype float64: 'Tensor(\"truediv:0\", shape=(), dtype=float64, device=/device:CPU:0)'",
            "TypeError: Value passed to parameter 'input' has DataType uint8 not in list of allowed values: float16, bfloat16, float32, float64",
        ),
        near=("The result was expected to be a tensor",),
        releases="1.x to 2.21",
    ),
    _own(
        "decision-in-a-graph",
        anchor=" as a Python `bool` is not allowed",
        also=("iterating over `tf.Tensor` is not allowed", "iterating over a symbolic `tf.Tensor` is not allowed"),
        samples=(
            "OperatorNotAllowedInGraphError: using a `tf.Tensor` as a Python `bool` is not allowed in Graph execution. Use Eager execution or decorate this function with @tf.function.",
            "OperatorNotAllowedInGraphError: Iterating over a symbolic `tf.Tensor` is not allowed: iterating over a symbolic `tf.Tensor` is not allowed in Graph execution.",
        ),
        near=("a Python `bool` is allowed",),
        releases="1.x to 2.21",
    ),
    _own(
        "protos-not-compiled",
        anchor="_pb2'",
        form=r"(?:cannot import name '|has no attribute '|No module named ')(?:object_detection\.protos\.)?(?P<symbol>\w{1,60}_pb2)'(?: from 'object_detection\.protos')?",
        unless=("tensorflow.core", "tensorflow.python", "google.protobuf", "onnx", "tensorboard", "tensorflow_metadata", "grpc"),
        sure=LIKELY,
        samples=(
            "ImportError: cannot import name 'string_int_label_map_pb2' from 'object_detection.protos' (/content/models/research/object_detection/protos/__init__.py)",
            "ModuleNotFoundError: No module named 'object_detection.protos.input_reader_pb2'",
            "AttributeError: module 'object_detection.protos' has no attribute 'input_reader_pb2'",
        ),
        near=("ImportError: cannot import name 'types_pb2' from 'tensorflow.core.framework' (/opt/x/__init__.py)",),
        releases="TensorFlow's models, and programs with .proto files of their own",
    ),
    _own(
        "field-of-another-release",
        anchor=" has no field named ",
        unless=("\"tensorflow.GraphDef\"",),
        form=r"Message type ?\"(?P<module>[\w.]{1,120})\" has no field named \"(?P<symbol>\w{1,80})\"",
        samples=('google.protobuf.text_format.ParseError: 9:5 : Message type "object_detection.protos.SsdFeatureExtractor" has no field named "batch_norm_trainable".',),
        near=("The table has no field named x",),
        releases="configuration files of TensorFlow's models and of others",
    ),
    _own(
        "plain-tensor-in-model",
        anchor="' object has no attribute '_keras_",
        also=("Could not build a TypeSpec for KerasTensor", "'NoneType' object has no attribute '_inbound_nodes'", "Output tensors to a Model must be the output of a"),
        form=r"object has no attribute '(?P<symbol>_keras_(?:shape|history|mask))'|'NoneType' object has no attribute '_inbound_nodes'|Output tensors to a Model must be the output of a|Could not build a TypeSpec for KerasTensor",
        samples=(
            "AttributeError: 'KerasTensor' object has no attribute '_keras_shape'",
            "AttributeError: 'NoneType' object has no attribute '_inbound_nodes'",
            "TypeError: Could not build a TypeSpec for KerasTensor(type_spec=TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)) of unsupported type <class 'keras.engine.keras_tensor.KerasTensor'>.",
            "ValueError: Output tensors to a Model must be the output of a TensorFlow `Layer` (thus holding past layer metadata).",
        ),
        near=("AttributeError: 'Mine' object has no attribute '_keras_of_mine'",),
        releases="Keras 2.0 to 2.15",
    ),
)  # fmt: skip
