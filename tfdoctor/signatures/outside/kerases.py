"""Last lines of exceptions by which one Keras, or a package that works with one, refuses what another one made."""

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
NO_BATCH = Expression(
    r"'ProgbarLogger' object has no attribute 'log_values'|Unexpected result of `\w{1,20}_function` \(Empty logs\)|(?:local variable '(?:epoch_)?logs' referenced|cannot access local variable '(?:epoch_)?logs')"
)
"""Keras 2.2 to 3 where no batch was computed (AIWintermuteAI/transfer_learning_sipeed#2, 2019-10)."""
NO_RESULTS = Expression(r"'NoneType' object has no attribute 'items'")
"""Keras 3 where no batch was computed; its line is the signature keras-reads-its-results."""
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
INTEGER = Expression(r"numpy\.float(?:64|32)'?>? (?:object )?cannot be (?:safely )?interpreted as an integer")
"""NumPy 1.18 and newer (Tony607/object_detection_demo#25, 2020; cocodataset/cocoapi#421)."""
WANTED = Expression(
    r"\binstall (?P<package>[A-Za-z][\w-]{1,40}) (?:version )?(?P<version>\d{1,4}(?:\.\w{1,10}){1,3})(?P<side> or (?:earlier|older|below|lower|later|newer|higher|above)\b)?"
)
"""A message that names the release which it wants (OlafenwaMoses/FireNET#16, 2023-09)."""
OWN_FILE = Expression(
    r"(?:site|dist)-packages[\\/](?P<folder>[A-Za-z]\w{1,60})[\\/][^\s'\"]{1,300}?'? (?:cannot|could not|can't) be (?:loaded|read|opened|deserialized)"
)
"""A model that is in a package's own folder (spotify/basic-pitch#150, 2024-11)."""
GRADIENT = Expression(r"LookupError: gradient registry has no entry for: (?P<op>\w{1,80})")
"""TensorFlow's registry of gradients, into which SHAP and others write their own (shap/shap#1079, 2023-11)."""

ARGUMENT = Expression(
    r"(?:Unexpected keyword argument passed to optimizer: |Argument\(s\) not recognized: \{'|got an unexpected keyword argument '|Unrecognized keyword arguments passed to \w{1,60}: \{')(?P<name>\w{1,60})|(?P<old>\w{1,40}) is deprecated in the new Keras optimizer"
)
"""Keras 2.2 to 3 of an argument that it does not take (philipperemy/keras-tcn#284, 2025-11; CyberZHG/keras-radam#40, 2019-11)."""
