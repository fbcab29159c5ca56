"""Last lines of exceptions that mean something else than they say: one Keras that refuses what another made, a device without a kernel."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

IDENTIFIER = Expression(
    r"Could not interpret (?P<what>optimizer|initializer|regularizer|activation function|loss function|metric function|metric|loss) identifier:?'?,? ?<(?:class ')?(?P<name>[\w.]{0,100}(?:keras|tensorflow|optimizers)[\w.]{0,100})"
)
"""Keras 2 and 3, and TensorFlow's own before 2.6 (keras-team/keras#21666, 2025-09; run-ai/runai#31, 2021-06)."""
INSTANCE = Expression(
    r"`?(?P<what>to_\w{1,20}|prune_low_magnitude|cluster_weights)`? can only (?:either )?(?:be|prune|cluster)\b.{0,60}?(?P<which>tf\.)?`?keras\b"
)
"""tensorflow_model_optimization (tensorflow/model-optimization#1140, 2024-07; #1181, 2025-06)."""
SYMBOL = Expression(r"'KerasTensor' object has no attribute '(?P<name>graph|op|consumers|_op|value_index)'")
"""Parts of a tensor of TensorFlow's graphs (Cuda-Chen/keras2onnx-example#7, 2021-05)."""
SETTING = Expression(r"^KeyError: '(?P<name>[a-z_]{2,40})'$")
"""A setting that a model's file does not have (RasaHQ/rasa_core#1109, 2018-10)."""
READERS = ("engine.saving", "saving.save", "hdf5_format", "saving_utils", "saving.serialization", "saving_lib", "serialization_lib", "model_config")  # fmt: skip
"""Keras' modules that read model files, of 2.1 to 3."""
REFUSED = Expression(
    r"`?(?P<name>(?:tf\.)?keras\.[\w.]{1,80}?)`? is not (?:yet )?(?:supported|available|implemented) in Keras 3"
)
"""Keras 3 of names that it kept for that message (amaiya/ktrain#525, 2024-03)."""
PACKAGES = ("keras2onnx", "shap", "alibi", "innvestigate", "keras_explain", "tf_explain", "deepexplain")
"""Folders of packages that read a model's graph, where they were not installed but unpacked."""
OPTIMIZERS = Expression(
    r"AttributeError: '\w{1,40}' object has no attribute '(?P<name>build|_build|minimize|apply|apply_gradients|variables|_variables|learning_rate|finalize_variable_values|exclude_from_weight_decay)'|Unknown optimizer"
)
"""What an optimizer of the other generation lacks (keras-team/tf-keras#46 and keras-team/keras#18224, 2023)."""
CALLBACK = Expression(
    r"AttributeError: (?:can't set attribute 'model'|property 'model' of '(?P<name>\w{1,80})' object has no setter)"
)
"""Python's words of 3.10, and of 3.11 and newer (HenriquesLab/ZeroCostDL4Mic#325, 2024-08)."""
NOT_ON_DEVICE = Expression(
    r"Could not satisfy device specification '[^'\n]{0,80}device:(?P<device>GPU|TPU|XPU):\d.{0,80}Supported device types \[CPU\].{0,600}\[Op:(?P<op>\w{1,60})\]"
)
"""The eager placer (core/common_runtime/eager/placement_utils.cc); developer.apple.com/forums/thread/759438 (2024-07)."""
COLOCATED = Expression(
    r"Cannot assign a device for operation (?P<op>[\w/.:-]{1,160}): Could not satisfy explicit device specification (?:'' because the node|.{0,600}colocated with a group of nodes that required incompatible device)"
)
"""The placer of graphs (core/common_runtime/colocation_graph.cc)."""
_TENSORFLOW = r"[`'\"]?(?:TensorFlow|Tensorflow|tensorflow)"
TENSORFLOW_NEEDED = Expression(
    rf"\b(?:[Pp]lease|need to|must|have to) (?:first )?(?:pip )?install {_TENSORFLOW}(?:[`'\".,;:!<>=]|\s{{0,3}}$| (?:first|to|in|using|with|via|by|and|or|library|package)\b)"
    rf"|\b{_TENSORFLOW}[`'\"]? (?:is not installed|is required|must be installed|needs to be installed|has to be installed)|\brequires {_TENSORFLOW}[`'\"]? to be installed"
)
"""A package that says in words of its own that it does not find TensorFlow (RasaHQ/rasa#1702, 2019-02; deezer/spleeter, ktrain and others)."""
