"""What Keras says of a model file that another Keras saved, and of code that was written for another Keras."""

from __future__ import annotations

from functools import partial

from tfdoctor.signatures.signature import EXCEPTION, FACT, LIKELY, Signature
from tfdoctor.signatures.sources import SEVERAL_FILES

_mismatch = partial(Signature, code="keras-mismatch", speaker=EXCEPTION)
_legacy = partial(Signature, code="keras-legacy-needed", speaker=EXCEPTION)

SIGNATURES = (
    _mismatch(
        "model-of-newer-keras",
        anchor="Unknown layer: ",
        form=r"Unknown layer: '?(?P<function>Functional)\b",
        samples=("ValueError: Unknown layer: Functional", "ValueError: Unknown layer: 'Functional'. Please ensure you are using a `keras.utils.custom_object_scope`"),
        near=("ValueError: Unknown layer: KerasLayer", "ValueError: Unknown layer: FunctionalHead"),
        releases="files of TensorFlow 2.3 and newer under older ones",
        sources=("googlecreativelab/teachablemachine-community#150 (2020-11)", "tensorflow/tensorflow#41929 (2020-08)"),
    ),
    _mismatch(
        "model-of-newer-input",
        anchor="Unrecognized keyword arguments:'",
        form=r"Unrecognized keyword arguments:', dict_keys\(\[[^\]]{0,100}'(?P<symbol>ragged)'",
        samples=("ValueError: ('Unrecognized keyword arguments:', dict_keys(['ragged']))",),
        near=("ValueError: ('Unrecognized keyword arguments:', dict_keys(['of_mine']))",),
        releases="files of TensorFlow 2.0 and newer under 1.x",
        sources=("googlecreativelab/teachablemachine-community#84 (2020-03)",),
    ),
    _legacy(
        "model-of-keras-2",
        anchor="Unrecognized keyword arguments passed to ",
        form=r"Unrecognized keyword arguments passed to (?P<function>\w{1,60}): \{[^}]{0,300}?'(?P<symbol>groups|time_major|batch_input_shape|input_length|implementation|fused)'",
        samples=(
            "ValueError: Unrecognized keyword arguments passed to DepthwiseConv2D: {'groups': 1}",
            "Exception encountered: Unrecognized keyword arguments passed to LSTM: {'batch_input_shape': [None, 60, 1], 'time_major': False}",
        ),
        near=("ValueError: Unrecognized keyword arguments passed to MyLayer: {'of_mine': 1}",),
        releases="files and code of Keras 2 under Keras 3",
        sources=("keras-team/keras#20750 (2025-01)", "jongwon-han/RPNet#1 (2025-03)", "keras-team/keras#20106 (2024-08)", "yangwohenmai/LSTM#19 (2024-05)"),
    ),
    _mismatch(
        "model-of-newer-keras-3",
        anchor="Unrecognized keyword arguments passed to ",
        form=r"Unrecognized keyword arguments passed to (?P<function>\w{1,60}): \{[^}]{0,300}?'(?P<symbol>quantization_config|optional)'",
        samples=("ValueError: Unrecognized keyword arguments passed to Dense: {'quantization_config': None}",),
        near=("ValueError: Unrecognized keyword arguments passed to DepthwiseConv2D: {'groups': 1}",),
        releases="files of a newer Keras 3 under an older one",
        sources=("keras-team/keras#21928 (2025-12)",),
    ),
    _legacy(
        "keras-tensor-in-function",
        anchor="A KerasTensor cannot be used as input to a TensorFlow function",
        also=("A KerasTensor is symbolic: it's a placeholder for a shape an",),
        sure=LIKELY,
        samples=(
            "ValueError: A KerasTensor cannot be used as input to a TensorFlow function. A KerasTensor is a symbolic placeholder for a shape and dtype, used when constructing Keras Functional models or Keras Functions.",
            "ValueError: A KerasTensor is symbolic: it's a placeholder for a shape an a dtype. It doesn't have any actual numerical value. You cannot convert it to a NumPy array.",
        ),
        near=("A KerasTensor can be used as input to a layer",),
        releases="Keras 3",
        sources=("taipingeric/yolo-v4-tf.keras#27 (2024-05)", "DataCanvasIO/DeepTables#93 (2024-07)", "MPolaris/onnx2tflite#88 (2024-12)"),
    ),
    _legacy(
        "model-of-keras-2-modules",
        anchor=" because its parent module keras.",
        form=r"Could not deserialize (?:class|function) '(?P<function>\w{1,80})' because its parent module (?P<module>keras\.(?:src\.)?engine[\w.]{0,60}) cannot be imported",
        samples=("TypeError: Could not deserialize class 'Functional' because its parent module keras.src.engine.functional cannot be imported. Full object config: {'module': 'keras.src.engine.functional'}",),
        near=("TypeError: Could not deserialize class 'Mine' because its parent module mine.layers cannot be imported.",),
        releases="files of Keras 2 under Keras 3",
        sources=("keras-team/keras#19089 (2024-01)",),
    ),
    _mismatch(
        "model-of-keras-3-modules",
        anchor=" because its parent module keras.",
        form=r"Could not deserialize (?:class|function) '(?P<function>\w{1,80})' because its parent module (?P<module>keras\.src\.(?:models|layers|ops|backend)[\w.]{0,60}) cannot be imported",
        samples=("TypeError: Could not deserialize class 'Functional' because its parent module keras.src.models.functional cannot be imported. Full object config: {'module': 'keras.src.models.functional'}",),
        near=("TypeError: Could not deserialize class 'Functional' because its parent module keras.src.engine.functional cannot be imported.",),
        releases="files of Keras 3 under Keras 2",
        sources=("zsylvester/segmenteverygrain#21 (2025-03)",),
    ),
    _legacy(
        "tf-keras-absent",
        anchor="No module named 'tf_keras'",
        samples=("ModuleNotFoundError: No module named 'tf_keras'",),
        near=("ModuleNotFoundError: No module named 'tf_keras_vis'",),
        releases="packages that take Keras 2 from tf-keras: tensorflow_hub 0.16, transformers 4.37, TensorFlow Probability 0.24 and newer",
        sources=(SEVERAL_FILES,),
    ),
    _mismatch(
        "keras-without-files",
        anchor="from 'keras' (unknown location)",
        samples=("ImportError: cannot import name '__version__' from 'keras' (unknown location)",),
        near=("ImportError: cannot import name 'x' from 'mykeras' (unknown location)",),
        releases="a folder keras without its __init__.py, after an update that was broken off",
        sources=("tensorflow/tensorflow#55921 (2022-05)",),
    ),
    _legacy(
        "keras-of-compat",
        anchor="No module named 'tensorflow.compat.v",
        form=r"No module named '(?P<module>tensorflow\.compat\.v[12]\.keras[\w.]{0,60})'",
        sure=LIKELY,
        samples=("ModuleNotFoundError: No module named 'tensorflow.compat.v2.keras'",),
        near=("ModuleNotFoundError: No module named 'tensorflow.compat.v2.mine'",),
        releases="TensorFlow 2.16 and newer, for code that imports Keras 2 by this name",
        sources=("tensorflow/probability#1847 (2024-10)",),
    ),
    Signature(
        "h5py-text-decoded",
        "",
        "'str' object has no attribute 'decode'",
        role=FACT,
        speaker=EXCEPTION,
        samples=("AttributeError: 'str' object has no attribute 'decode'",),
        near=("AttributeError: 'bytes' object has no attribute 'decode_it'",),
        releases="Keras 2.3 and older, TensorFlow 1.x to 2.3, with h5py 3; elsewhere it is any program's own error",
        sources=(SEVERAL_FILES,),
    ),
)  # fmt: skip
