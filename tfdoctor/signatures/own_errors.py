"""Exceptions of a program's own that state their cause themselves: which file is not there, which two sizes do not fit."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

MODULE = Expression(
    r"^(?:\w{1,60}\.)*(?:ModuleNotFound|Import)Error: No module named '?(?P<module>\w{1,60})(?:'|$)"
)
PART = Expression(r"No module named '(?P<module>\w{1,60}(?:\.\w{1,60}){1,8})'")
"""A part that a package does not have; what is not there at all is MODULE's."""
LOOKED_IN = Expression(r"\([^()\n]{1,300}(?:site|dist)-packages[\\/](?P<folder>\w{1,100})[^()\n]{0,200}\)")
"""The file in which Python looked for a name, behind its message (3.7 and newer)."""
CLASS = Expression(
    r"(?:Unknown (?P<kind>layer|loss function|metric function|metric|optimizer|initializer|activation function|regularizer|object): ?|Could not locate (?:class|function) )'?(?:\w{1,40}>)?(?P<name>[A-Za-z_]\w{0,80})"
)
"""A class or function of one's own that a model file names, as Keras 2 and 3 say it."""
CLASSES_OF_PACKAGES = {
    "KerasLayer": "from tensorflow_hub import KerasLayer", "TFBertMainLayer": "from transformers.models.bert.modeling_tf_bert import TFBertMainLayer",
    "TFBertModel": "from transformers import TFBertModel", "TFDistilBertModel": "from transformers import TFDistilBertModel", "InstanceNormalization": "from tensorflow_addons.layers import InstanceNormalization",
    "AdamW": "from tensorflow_addons.optimizers import AdamW", "CRF": "from tensorflow_addons.layers import CRF", "SeqSelfAttention": "from keras_self_attention import SeqSelfAttention",
    "FixedDropout": "from efficientnet.tfkeras import FixedDropout",
}  # fmt: skip
"""Classes that model files name often, and where they are imported from (their projects' pages)."""
OF_MODULE = Expression(r"Full object config: \{'module': '(?P<module>[a-z_]\w{0,60}(?:\.\w{1,60}){1,8})'")
"""Where Keras 3 has the class from, as the file says (keras/src/saving/serialization_lib.py)."""
PROJECTS = {
    "cv2": "opencv-python", "PIL": "pillow", "sklearn": "scikit-learn", "skimage": "scikit-image", "yaml": "pyyaml", "bs4": "beautifulsoup4",
    "tensorflow_datasets": "tensorflow-datasets", "tensorflow_hub": "tensorflow-hub", "tensorflow_addons": "tensorflow-addons",
    "tensorflow_probability": "tensorflow-probability", "tensorflow_text": "tensorflow-text", "tensorflow_io": "tensorflow-io",
    "tf_slim": "tf-slim", "tf_agents": "tf-agents", "official": "tf-models-official", "keras_tuner": "keras-tuner", "kerastuner": "keras-tuner",
    "keras_hub": "keras-hub", "keras_cv": "keras-cv", "keras_nlp": "keras-nlp", "tf_keras": "tf-keras", "pycocotools": "pycocotools",
    "google": "protobuf", "absl": "absl-py", "grpc": "grpcio", "pasta": "google-pasta", "clang": "libclang",
    "attr": "attrs", "dotenv": "python-dotenv", "jwt": "pyjwt", "OpenSSL": "pyopenssl", "websocket": "websocket-client", "dateutil": "python-dateutil", "Crypto": "pycryptodome", "serial": "pyserial", "git": "gitpython",
    "tcn": "keras-tcn", "reverb": "dm-reverb", "segmentation_models": "segmentation-models",
}  # fmt: skip
"""Projects whose modules have another name (their metadata, read 2026-11-22)."""
OF_A_LAYER = Expression(
    r"^ ?Exception encountered when calling (?:layer \S{1,100}(?: \(type \w{1,60}\))?|\w{1,60}\.call\(\))\. "
)
"""Keras' heading of an error inside of a layer (2.5 to 3), where the words of the error follow."""
WRAPPED = Expression(
    r"(?:Failed to import [\w.]{1,200} because of the following error \(look up to see its traceback\): ?){1,9}"
)
"""transformers' words for an error that its own lazy import met, one for each module on the way."""
_SLIM = "It is a folder of TensorFlow's models (research/slim), and Python has to be told where: in models/research, export PYTHONPATH=$PYTHONPATH:$PWD:$PWD/slim (in Windows' prompt: set PYTHONPATH=%PYTHONPATH%;%CD%;%CD%\\slim), in the shell that then runs the program."
NOT_ON_THE_INDEX = {
    "object_detection": "It is a part of TensorFlow's models (research/object_detection) and has no package of its own: clone that repository; then in models/research: protoc object_detection/protos/*.proto --python_out=. ; cp object_detection/packages/tf2/setup.py . ; python -m pip install .",
    "deployment": _SLIM,
    "nets": _SLIM,
    "slim": "It is a part of TensorFlow's models (research/slim); the package tf-slim has most of it under the name tf_slim.",
}
