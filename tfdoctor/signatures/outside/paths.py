"""Paths in the words of errors, and what Python, absl and Keras say of command lines, callbacks and model files that are not what they should be."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

OF_PYTHON = Expression(
    r"\[(?:Errno (?P<number>\d{1,3})|WinError (?P<windows>\d{1,5}))\] [^:'\n]{1,160}: b?'(?P<file>[^'\n]{1,400})'"
)
"""CPython's OSError, which writes a path as repr does: a backslash is doubled, and a character without a form is escaped."""
NOT_OPENED = Expression(r"Could not open '(?P<file>[^'\n]{1,300})'")
"""TFLite (tensorflow/lite/allocation.cc, minimal_logging)."""
OF_HDF5 = Expression(
    r"nable to (?:synchronously )?(?:create|open) file:? \(?.{0,60}?name = '(?P<file>[^'\n]{1,400})', errno = (?P<number>\d{1,3})\b"
)
"""HDF5's own words, which write the path as it is."""
ESCAPES = {
    "t": "a tab", "n": "the end of a line", "r": "a carriage return", "x0c": "a form feed", "x07": "a bell", "x08": "a backspace", "x0b": "a vertical tab",
}  # fmt: skip
"""How repr writes what Python reads for \\t, \\n, \\r, \\f, \\a, \\b and \\v."""
UNICODE_ESCAPE = Expression(
    r"\(unicode error\) 'unicodeescape' codec can't decode bytes in position (?P<at>\d{1,6})"
)
"""CPython's words (OlafenwaMoses/ImageAI#536, 2020-05)."""
UNKNOWN_FLAG = Expression(r"UnrecognizedFlagError: Unknown command line flag '(?P<name>[\w.-]{1,80})'")
"""absl/flags/_exceptions.py (mdeff/cnn_graph#45, 2019-09; greydanus/crypto-rnn#3, 2019-03)."""
UNPARSED = Expression(
    r"UnparsedFlagAccessError: Trying to access flag -{0,2}(?P<name>[\w.-]{1,80}) before flags were parsed"
)
DEFINED_TWICE = Expression(
    r"DuplicateFlagError: The flag '(?P<name>[\w.-]{1,80})' is defined twice\. First from (?P<first>[^,\n]{1,200}), Second from (?P<second>[^,\n]{1,200}?)\. "
)
CALLBACK_LACKS = Expression(
    r"'(?P<name>\w{1,80})' object has no attribute '(?P<member>_implements_\w{1,30}_batch_hooks|_supports_tf_logs|_chief_worker_only|set_model|set_params|on_(?:train|test|predict)_(?:batch_)?(?:begin|end)|on_epoch_(?:begin|end)|on_batch_(?:begin|end))'"
)
"""What Keras asks each callback for (divamgupta/image-segmentation-keras#225, 2020-06; fchollet/deep-learning-with-python-notebooks#206, 2022-06)."""
KERAS_TENSOR = Expression(r"^KeyError: ['\"]?(?P<name>keras_tensor(?:_\d{1,6})?)\b")
"""The names that Keras 3 gives a model's tensors (onnx/tensorflow-onnx#2448, 2026-03)."""
NOT_GIVEN = Expression(
    r"__init__\(\) missing \d{1,2} required (?:positional|keyword-only) arguments?: (?P<names>'\w{1,60}'(?:,? (?:and )?'\w{1,60}'){0,12})"
)
"""CPython's words (ArdhenduBehera/cap#10, 2021-09)."""
NOT_TAKEN = Expression(
    r"__init__\(\) got an unexpected keyword argument '(?P<name>ragged|groups|batch_shape|optional|quantization_config|synchronized|keepdims)'"
)
"""Settings that newer Kerases write into a model's file (googlecreativelab/teachablemachine-community#41, 2019-11)."""
CAST_OF_TEXT = Expression(r"Cast string to (?:float|double|half|bfloat16|int\d{1,2}) is not supported")
"""TensorFlow's cast_op.cc (keras-team/autokeras#1802, 2022-12)."""
OF_AN_OPTIMIZER = Expression(
    r"(?i)\b(?:\w{0,40}/){0,6}(?:Adam\w{0,30}|SGD\w{0,10}|RMSprop|Adagrad|Adadelta|Nadam|Ftrl|LAMB|training_\d{1,3})/\S{0,80}(?:Cast|cast|lr|learning_rate|momentum|decay)"
)
"""A node's name that an optimizer gave (Keras names it after the class)."""
WITH_OPTIMIZERS = (
    "autokeras",
    "transformers",
    "tf-models-official",
    "keras-nlp",
    "tensorflow-addons",
    "adabelief-tf",
    "keras-bert",
    "keras-radam",
)
"""Packages with an optimizer of their own for Keras before 2.11, whose base class took the name where the newer one takes weight_decay."""
BUILTINS = (
    "set", "list", "tuple", "dict", "str", "int", "float", "bool", "function", "method", "type", "generator", "NoneType", "module", "frozenset", "ABCMeta",
)  # fmt: skip
"""Kinds of objects of Python itself."""
