"""What Keras, TFLite and HDF5 say of calls and files that they refuse, where the words alone tell what is meant."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, Signature

_own = partial(Signature, code="python-exception", speaker=EXCEPTION)

SIGNATURES = (
    _own(
        "lambda-layer-not-trusted",
        anchor="Requested the deserialization of a `Lambda` layer",
        also=("Requested the deserialization of a Lambda layer", "Deserializing a Lambda layer from disk is disallowed", "Loading a `Lambda` layer from disk is disallowed"),
        samples=("ValueError: Requested the deserialization of a `Lambda` layer whose `function` is a Python lambda. This carries a potential risk of arbitrary code execution and thus it is disallowed by default.",),
        near=("Requested the deserialization of a Dense layer",),
        releases="Keras 2.13 to 3",
    ),
    _own(
        "lambda-layer-without-shape",
        anchor="could not automatically infer the shape of the Lambda's output",
        also=("could not automatically infer the output shape of the Lambda",),
        samples=("NotImplementedError: We could not automatically infer the shape of the Lambda's output. Please specify the `output_shape` argument for this Lambda layer.",),  # a sample of Keras' words, raised nowhere here
        near=("could not automatically infer the shape",),
        releases="Keras 3",
    ),
    _own(
        "data-of-another-type",
        anchor="Unrecognized data type: x=",
        also=("`validation_split` is only supported for Tensors or NumPy arrays",),
        samples=(
            "ValueError: Unrecognized data type: x=[array([1., 2.])] (of type <class 'list'>)",
            "ValueError: `validation_split` is only supported for Tensors or NumPy arrays, found following types in the input: [<class 'list'>]",
        ),
        near=("Unrecognized data type: float",),
        releases="Keras 2.3 to 3",
    ),
    _own(
        "file-open-in-this-program",
        anchor="unable to truncate a file which is already open",
        samples=("OSError: Unable to synchronously create file (unable to truncate a file which is already open)",),
        near=("unable to truncate a file",),
        releases="h5py 2 and 3",
    ),
    _own(
        "weights-of-one-name",
        anchor="Unable to create ",
        also=("Unable to synchronously create ",),
        form=r"Unable to (?:synchronously )?create (?:link|dataset|group) \(name already exists\)",
        samples=(
            "ValueError: Unable to synchronously create dataset (name already exists)",
            "RuntimeError: Unable to create link (name already exists)",
            "ValueError: Unable to create dataset (name already exists)",
        ),
        near=("Unable to create link (name is too long)",),
        releases="h5py 2 and 3",
    ),
    _own(
        "table-without-values",
        anchor="Table not initialized",
        samples=("tensorflow.python.framework.errors_impl.FailedPreconditionError: Table not initialized.",),
        near=("The table is not initialized",),
        releases="TensorFlow 1, tf.compat.v1",
    ),
    _own(
        "lite-input-of-another-kind",
        anchor="annot set tensor: ",
        form=r"annot set tensor: (?:Dimension mismatch\. Got (?P<number>\d{1,9}) but expected (?P<wanted>\d{1,9}) for (?:dimension (?P<value>\d{1,2})|input)|[Gg]ot (?:value|tensor) of type (?P<version>\w{1,12}) but expected type (?P<message>\w{1,12}))",
        samples=(
            "ValueError: Cannot set tensor: Dimension mismatch. Got 3 but expected 4 for input 0.",
            "cannot set tensor: got value of type uint8 but expected type float32 for input 0, name: input_1",
            "ValueError: Cannot set tensor: Dimension mismatch. Got 224 but expected 1 for dimension 0 of input 0.",
            "ValueError: Cannot set tensor: Got value of type FLOAT64 but expected type FLOAT32 for input 0, name: serving_default_x:0",
        ),
        near=("Cannot set tensor: it is mine",),
        releases="TFLite 1.14 and newer",
    ),
    _own(
        "lite-file-not-read",
        anchor="Model provided has model identifier '",
        also=("The model is not a valid Flatbuffer", "ValueError: Could not open '", "ValueError: Mmap of '"),
        unless=("'ion ', should be", "'CTYP', should be", "<!", "html"),
        form=r"Model provided has model identifier '(?P<value>.{1,8}?)', should be 'TFL3'|The model is not a valid Flatbuffer (?:buffer|file)|ValueError: Could not open '(?P<file>[^'\n]{0,299}[^'\s])'|ValueError: Mmap of '(?P<library>[^'\n]{1,300})'",
        samples=(
            "ValueError: Model provided has model identifier 'vers', should be 'TFL3'",
            "ValueError: Could not open 'model.tflite'.",
            "ValueError: Mmap of '5' at offset '0' failed with error '22'.",
            "ValueError: The model is not a valid Flatbuffer buffer",
        ),
        near=("ValueError: Could not open port 8500",),
        releases="TFLite 1.14 and newer",
    ),
    _own(
        "lite-memory-still-held",
        anchor="There is at least 1 reference to internal data",
        samples=("RuntimeError: There is at least 1 reference to internal data",),
        near=("There is at least 1 reference to the data",),
        releases="TFLite 1.14 and newer",
    ),
    _own(
        "lite-needs-fixed-sizes",
        anchor="requires element_shape to be static during TF Lite transformation pass",
        also=("to be static during TF Lite transformation",),
        samples=("tensorflow.lite.python.convert_phase.ConverterError: error: loc(callsite(\"x\"(\"y\"))): requires element_shape to be static during TF Lite transformation pass",),
        near=("it requires a shape to be static",),
        releases="TensorFlow 2.3 and newer",
    ),
    _own(
        "fit-in-another-mode",
        anchor=" in graph mode is not supported when the `Model` instance was constructed with eager mode enabled",
        samples=("ValueError: Calling `Model.fit` in graph mode is not supported when the `Model` instance was constructed with eager mode enabled. Please construct your `Model` instance in graph mode or call `Model.fit` with eager mode enabled.",),
        near=("graph mode is not supported when the model is small",),
        releases="2.2 to 2.15",
    ),
    _own(
        "no-frozen-graph",
        anchor="Error parsing message with type 'tensorflow.",
        also=("google.protobuf.message.DecodeError: Error parsing message", "DecodeError: Wrong wire type in tag"),
        form=r"Error parsing message with type 'tensorflow\.(?P<symbol>\w{1,40})'|DecodeError: (?:Error parsing message|Wrong wire type in tag)",
        samples=(
            "google.protobuf.message.DecodeError: Error parsing message with type 'tensorflow.GraphDef'",
            "google.protobuf.message.DecodeError: Error parsing message",
        ),
        near=("Error parsing message of the day",),
        releases="1.x to 2.21",
    ),
    _own(
        "onnx-model-newer",
        anchor="max supported IR version",
        also=("is higher than the checker's", " is under development and support for this is limited"),
        form=r"[Uu]nsupported model IR version: (?P<version>\d{1,3}), max supported IR version: (?P<limit>\d{1,3})|ir_version (?P<number>\d{1,3}) is higher than the checker's|Opset (?P<value>\d{1,3}) is under development and support for this is limited",
        samples=(
            "onnxruntime.capi.onnxruntime_pybind11_state.Fail: [ONNXRuntimeError] : 1 : FAIL : Load model from model.onnx failed: Unsupported model IR version: 10, max supported IR version: 9",
            "onnx.onnx_cpp2py_export.checker.ValidationError: Your model ir_version 10 is higher than the checker's (9)",
        ),
        near=("the max supported IR version is 9",),
        releases="onnx and onnxruntime 1",
    ),
    _own(
        "function-of-other-inputs",
        anchor="Could not find matching concrete function to call loaded from the SavedModel",
        also=("Could not find matching function to call loaded from the SavedModel",),
        samples=("ValueError: Could not find matching concrete function to call loaded from the SavedModel. Got:",),
        near=("Could not find a matching function",),
        releases="2.0 to 2.21",
    ),
    _own(
        "class-in-place-of-a-loss",
        anchor=", got 'auto' of type 'str' instead",
        also=("got 'sum_over_batch_size' of type 'str' instead",),
        samples=("TypeError: Expected float32 passed to parameter 'y' of op 'Equal', got 'auto' of type 'str' instead. Error: Expected float32, but got auto of type 'str'.",),
        near=("got 'mine' of type 'str' instead",),
        releases="2.0 to 2.15",
    ),
    _own(
        "metric-or-model-not-compiled",
        anchor="You must compile your model before ",
        also=("You must call `compile()` before ", "Model needs to be compiled before "),
        samples=(
            "RuntimeError: You must compile your model before training/testing. Use `model.compile(optimizer, loss)`.",
            "ValueError: You must call `compile()` before using the model.",
        ),
        near=("You must compile your program before",),
        releases="Keras 2 and 3",
    ),
)  # fmt: skip
