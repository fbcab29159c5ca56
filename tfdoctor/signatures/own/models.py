"""What Keras and TensorFlow say of weights, files and inputs that are not those of the model at hand."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, LIKELY, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_own = partial(Signature, code="python-exception", speaker=EXCEPTION)
_legacy = partial(Signature, code="keras-legacy-needed", speaker=EXCEPTION, sure=LIKELY)

SIGNATURES = (
    _own(
        "weights-of-another-model",
        anchor="You are trying to load a weight file containing ",
        also=("Weight count mismatch for ", "Layer count mismatch when loading weights", " could not be loaded. Example error message for object", "but the saved weights have ", "Shape mismatch in ", "Assign requires shapes of both tensors to match", "Cannot assign value to variable "),
        form=r"load a weight file containing (?P<used>\d{1,5}) layers into a model with (?P<total>\d{1,5}) layers|Weight count mismatch for|Layer count mismatch when loading weights|\d objects could not be loaded\. Example error message for object|expects (?P<wanted>\d{1,5}) weight\(s\), but the saved weights have (?P<number>\d{1,5}) element|Shape mismatch in (?:layer|top-level)|Assign requires shapes of both tensors to match|Cannot assign value to variable .{1,120}?: Shape mismatch",
        samples=(
            "ValueError: You are trying to load a weight file containing 0 layers into a model with 188 layers.",
            "ValueError: Weight count mismatch for top-level weights of model. Model expects 10 top-level weight(s). Received 0 saved top-level weight(s)",
            "ValueError: Layer count mismatch when loading weights from file. Model expected 20 layers, found 19 saved layers.",
            "ValueError: A total of 5 objects could not be loaded. Example error message for object <Dense name=dense, built=True>:",
            'ValueError: Layer #0 (named "conv1") expects 2 weight(s), but the saved weights have 1 element(s).',
            "ValueError: Shape mismatch in layer #3 (named out) for weight out/kernel. Weight expects shape (512, 10). Received saved weight with shape (512, 5)",
            "tensorflow.python.framework.errors_impl.InvalidArgumentError: Assign requires shapes of both tensors to match. lhs shape= [37] rhs shape= [91]",
            "ValueError: Cannot assign value to variable ' dense/kernel:0': Shape mismatch.The variable shape (512, 10), and the assigned value shape (512, 5) are incompatible.",
        ),
        near=("Shape mismatch in the table of results", "Cannot assign value to variable x"),
        releases="1.x to 2.21, Keras 2 and 3",
        sources=("MrGiovanni/UNetPlusPlus#25 (2019-06)", "allenye66/Computer-Vision-Lip-Reading-2.0#4 (2024-09)", "xavysp/DexiNed#110 (2022-05)", "keras-team/keras#23018 (2026-06)"),
    ),
    _own(
        "checkpoint-not-opened",
        anchor="not an sstable (bad magic number)",
        form=r"(?:Unable to open table file (?P<file>\S{1,300}?): )?(?:Data loss: )?not an sstable \(bad magic number\)",
        samples=("tensorflow.python.framework.errors_impl.DataLossError: Unable to open table file models/model.ckpt.data-00000-of-00001: Data loss: not an sstable (bad magic number): perhaps your file is in a different file format and you need to use a different restore operator?",),
        near=("not an sstable",),
        releases="1.x to 2.21",
        sources=(SEVERAL_FILES,),
    ),
    _own(
        "metric-of-another-name",
        anchor="KeyError: 'acc",
        also=("KeyError: 'val_acc",),
        form=r"KeyError: '(?P<value>(?:val_)?acc(?:uracy)?)'",
        samples=("KeyError: 'acc'", "KeyError: 'val_acc'", "KeyError: 'accuracy'"),
        near=("KeyError: 'account'",),
        releases="Keras 2.3 and newer name it accuracy, older ones acc",
        sources=(SEVERAL_FILES,),
    ),
    _own(
        "layer-without-input",
        anchor=" has never been called and thus has no defined ",
        form=r"The layer \"?(?P<symbol>[\w./-]{1,80})\"? has never been called and thus has no defined (?:input|output)",
        samples=("ValueError: The layer sequential has never been called and thus has no defined input.", "AttributeError: The layer sequential_3 has never been called and thus has no defined output shape."),
        near=("the function has never been called and thus has no defined cost",),
        releases="Keras 2 and 3",
        sources=("serengil/deepface#1085 (2024-03)",),
    ),
    _own(
        "config-not-taken",
        anchor="Keyword argument not understood:",
        also=(" could not be deserialized properly", "__init__() got an unexpected keyword argument '"),
        form=r"Keyword argument not understood:'?, '(?P<symbol>\w{1,60})'|(?P<function>[\w.]{1,100})'> could not be deserialized properly|__init__\(\) got an unexpected keyword argument '(?P<value>trainable|batch_input_shape|build_config|batch_shape)'",
        sure=LIKELY,
        samples=(
            "TypeError: ('Keyword argument not understood:', 'use_chrono_initialization')",
            "TypeError: <class 'keras.src.models.functional.Functional'> could not be deserialized properly. Please ensure that components that are Python object instances",
            "TypeError: __init__() got an unexpected keyword argument 'trainable'",
        ),
        near=("TypeError: __init__() got an unexpected keyword argument 'of_mine'",),
        releases="Keras 2 and 3",
        sources=("titu1994/LSTM-FCN#19 (2019-10)", "remigenet/TKAT#14 (2026-01)"),
    ),
    _own(
        "file-of-weights-alone",
        anchor="No model config found in the file",
        also=("No model found in config file", "There is no item named 'config.json' in the archive"),
        samples=("ValueError: No model config found in the file at <tensorflow.python.platform.gfile.GFile object at 0x7f>.", "ValueError: No model found in config file.", "KeyError: \"There is no item named 'config.json' in the archive\""),
        near=("No config found",),
        releases="Keras 2 and 3",
        sources=(SEVERAL_FILES,),
    ),
    _own(
        "model-not-built-yet",
        anchor="which has not created its variables yet",
        also=("when a model hasn't been built", "Unable to save model weights because the model hasn't been built"),
        samples=("ValueError: Unable to load weights saved in HDF5 format into a subclassed Model which has not created its variables yet. Call the Model first, then load the weights.",),
        near=("a file which has not created its folder yet",),
        releases="Keras 2 and 3",
        sources=(SEVERAL_FILES,),
    ),
    _own(
        "hdf5-holds-no-class",
        anchor="Saving the model to HDF5 format requires the model to be a Functional model",
        samples=("NotImplementedError: Saving the model to HDF5 format requires the model to be a Functional model or a Sequential model. It does not work for subclassed models,",),
        near=("Saving the model to HDF5 format",),
        releases="Keras 2",
        sources=(SEVERAL_FILES,),
    ),
    _own(
        "other-number-of-inputs",
        anchor="but it received ",
        form=r"[Ll]ayer \"?(?P<symbol>[\w./-]{1,80})\"? expects (?P<wanted>\d{1,3}) input(?:s|\(s\))?, but it received (?P<number>\d{1,3}) input tensors",
        samples=('ValueError: Layer "dense" expects 1 input(s), but it received 2 input tensors.', "ValueError: Layer sequential expects 1 inputs, but it received 2 input tensors."),
        near=("expects 1 input, but it received 2 rows",),
        releases="Keras 2 and 3",
        sources=("keras-team/keras#20084 (2024-08)", "neka-nat/image_completion_tf2#19 (2020-12)", "keras-team/keras#14571 (2021-04)"),
    ),
    _own(
        "graph-disconnected",
        anchor="ValueError: Graph disconnected: cannot obtain value for tensor",
        samples=('ValueError: Graph disconnected: cannot obtain value for tensor Tensor("input_1:0", shape=(None, 224, 224, 3), dtype=float32) at layer "conv1".',),
        near=("Graph disconnected",),
        releases="Keras 2",
        sources=(SEVERAL_FILES,),
    ),
    _own(
        "sparse-where-dense",
        anchor="SparseTensor",
        form=r"Failed to convert (?:object of type <class '[\w.]{1,100}SparseTensor'>|SparseTensor) to Tensor",
        samples=("TypeError: Failed to convert object of type <class 'tensorflow.python.framework.sparse_tensor.SparseTensor'> to Tensor.", "TypeError: Failed to convert SparseTensor to Tensor"),
        near=("Converting SparseTensor to Tensor",),
        releases="2.3 and newer",
        sources=("tensorflow/tensorflow#47931 (2021-03)", "tensorflow/tensorflow#42916 (2020-09)"),
    ),
    _own(
        "values-of-a-graph",
        anchor="Tensor' object has no attribute 'numpy'",
        also=("numpy() is only available when eager execution is enabled",),
        samples=("AttributeError: 'Tensor' object has no attribute 'numpy'", "AttributeError: 'SymbolicTensor' object has no attribute 'numpy'", "NotImplementedError: numpy() is only available when eager execution is enabled."),
        near=("AttributeError: 'Tensor' object has no attribute 'number'",),
        releases="2.0 to 2.21",
        sources=("ParthaEth/Regularized_autoencoders-RAE-#4 (2020-05)", SEVERAL_FILES),
    ),
    _legacy(
        "tensor-by-its-place",
        anchor="Only input tensors may be passed as positional arguments",
        samples=("ValueError: Only input tensors may be passed as positional arguments. The following argument value should be passed as a keyword argument: <tf.Variable 'Variable:0' shape=(3,) dtype=float32>",),
        near=("Only input files may be passed as positional arguments",),
        releases="Keras 3",
        sources=(SEVERAL_FILES,),
    ),
    _legacy(
        "optimizer-of-keras-2-saved",
        anchor="'_UserObject' object has no attribute '",
        form=r"'_UserObject' object has no attribute '(?P<symbol>add_slot|_create_or_restore_slot_variable|iterations)'",
        samples=("AttributeError: '_UserObject' object has no attribute 'add_slot'",),
        near=("AttributeError: '_UserObject' object has no attribute 'predict'",),
        releases="SavedModels of Keras 2 under TensorFlow 2.11 and newer, mostly Keras 3",
        sources=("Hrushi11/Real-TIme-Skin-Type-Detection#1 (2024-05)",),
    ),
)  # fmt: skip
