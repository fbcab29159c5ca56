"""Exceptions of a program's own that state their cause themselves: which file is not there, which two sizes do not fit."""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

FILE = (
    Expression(r"No such file or directory: b?'(?P<file>[^'\n]{1,400})'"),
    Expression(r"\[WinError [23]\][^:\n]{1,120}: '(?P<file>[^'\n]{1,400})'"),
    Expression(r"failed to Create/Open: (?P<file>[^\n;]{1,400}?) : "),
    Expression(r" (?P<file>[^\s;]{1,400}); No such file or directory"),
    Expression(r"SavedModel file does not exist at: (?P<file>[^\n{]{1,400}?)(?:/?\{|$)"),
    Expression(r"No file or directory found at (?P<file>\S{1,400})"),
    Expression(r"unable to open file: name = '(?P<file>[^'\n]{1,400})', errno = 2\b"),
    Expression(r"File not found: filepath=(?P<file>\S{1,400}?)\.?(?: |$)"),
    Expression(r"Failed to find any matching files for (?P<file>\S{1,400})"),
    Expression(r"Could not find directory (?P<file>[^\n]{1,400}?)\.?$"),
)
"""A file that was looked for and is not there: Python's, TensorFlow's, Keras' and HDF5's words (threads of 2021 to 2025)."""
MODULE = Expression(
    r"^(?:\w{1,60}\.)*(?:ModuleNotFound|Import)Error: No module named '?(?P<module>\w{1,60})(?:'|$)"
)
IMPORTED = Expression(r"^(?:import|from) (?P<module>[A-Za-z_]\w{0,60}(?:\.\w{1,60}){0,8})\b")
"""A frame's own line, where it is an import."""
LOST = Expression(r"Can't get attribute '(?P<name>\w{1,100})' on <module ")
"""pickle's words for a class or function that is not where it was."""
PART = Expression(r"No module named '(?P<module>\w{1,60}(?:\.\w{1,60}){1,8})'")
"""A part that a package does not have; what is not there at all is MODULE's."""
INSTALLED_AT = ("-packages", "(/tensorflow-1.")
"""In the place of a frame: an installed package's folder, and where Colab kept TensorFlow 1."""
LOOKED_IN = Expression(r"\([^()\n]{1,300}(?:site|dist)-packages[\\/](?P<folder>\w{1,100})[^()\n]{0,200}\)")
"""The file in which Python looked for a name, behind its message (3.7 and newer)."""
SHAPES = Expression(r"Shapes \((?P<one>[^)\n]{1,80})\) and \((?P<other>[^)\n]{1,80})\) are incompatible")
LABEL = Expression(
    r"[Rr]eceived a label value of (?P<number>-?\d{1,9}) which is outside the valid range of \[0, (?P<limit>\d{1,9})\)"
)
LAYER = Expression(
    r"(?P<layer>(?:Input \d{1,2} of )?layer \"?[\w./-]{1,80}\"?)(?: is incompatible with the layer(?:: )?)?: expected (?P<wanted>(?:shape|min_ndim|ndim|axis)[^\n]{1,80}?),? found (?P<have>[^\n.]{1,80})"
)
SIZES = Expression(r"shape=\((?P<sizes>[^)]{1,80})\)")
"""Within what LAYER names as expected and found."""
RECEIVED = Expression(r"Full shape received: [(\[](?P<sizes>[\w, ]{1,80})[)\]]")
"""Behind LAYER, where that names the number of dimensions alone. TensorFlow 2.3 to 2.6 write LAYER with two colons."""
LENGTHS = Expression(
    r"Data cardinality is ambiguous|Found input variables with inconsistent numbers of samples"
)
NOTHING_OF = Expression(r"Data cardinality is ambiguous.{0,80}?\b(?P<side>[xy]) sizes: 0(?:\D|$)")
"""Within LENGTHS: a list that has nothing in it."""
RAGGED = Expression(
    r"setting an array element with a sequence|inhomogeneous shape after|Can't convert (?:non-rectangular|ragged) Python sequence"
)
"""NumPy's and TensorFlow's words for rows of unequal lengths (HuantWang/FUNDED_NISL#23)."""
ARRAYS = Expression(
    r"could not broadcast input array from shape \((?P<have>[\d,]{1,60})\) into shape \((?P<wanted>[\d,]{1,60})\)|cannot reshape array of size (?P<size>\d{1,15}) into shape \((?P<into>[-\d, ]{1,60})\)"
)
"""NumPy's words for pictures and rows of another size."""
RANKS = Expression(
    r"received kernel of shape (?P<kernel>\([\d, ]{1,60}\)) and input of shape (?P<have>\([\w, ]{1,60}\))|Shape must be (?:at least )?rank (?P<wanted>\d{1,2}) but is rank (?P<rank>\d{1,2})"
)
BEYOND = Expression(
    r"Expected size\[\d{1,2}\] in \[0, (?P<limit>\d{1,9})\], but got (?P<number>\d{1,9})|slice index (?P<index>-?\d{1,9}) of dimension \d{1,2} out of bounds"
)
FORBIDDEN = Expression(
    r"PermissionDeniedError: (?P<file>[^;\n]{1,300}); (?:Permission denied|Operation not permitted)"
)
"""TensorFlow's file systems, where the system does not let this user read or write (errno 13 and 1)."""
RAN_OUT = Expression(r"^StopIteration$")
STEPS = Expression(
    r"(?:data tensors|iterators?|infinite dataset|repeat(?:ing|ed) dataset)[^\n]{0,120}`?(?P<what>steps_per_epoch|validation_steps|steps)`? argument|Number of samples \d{1,12} is less than samples required for specified batch_size"
)
OUTPUTS = Expression(
    r"`?class_weight`? is only supported for [Mm]odels with a single output|`?class_weight`? not supported for (?:3\+ dimensional|multi-output)"
)
NO_VALIDATION = Expression(r"^KeyError: 'val_(?P<value>\w{1,60})'$")
"""The training's history without the values of a validation."""
NONE_IN_DATA = Expression(r"Failed to convert a NumPy array to a Tensor \(Unsupported object type NoneType")
"""A None among the data (TannerGilbert/Tensorflow-Object-Detection-with-Tensorflow-2.0#1, 2019-12). LISTS fits it, too."""
LISTS = Expression(
    r"Failed to find data adapter that can handle|Failed to convert a NumPy array to a Tensor \(Unsupported object type (?P<value>\w{1,40})|ValueError: Invalid dtype: object"
)
LOGITS = Expression(
    r"`?logits`? and `?labels`? must (?P<what>be broadcastable|have the same (?:first dimension|shape)|be same size)|Arguments `target` and `output` must have the same (?:rank|shape)|Argument `output` must have rank \(ndim\) `target|should equal the shape of logits except for the last dimension"
)
LOGITS_SIZES = Expression(
    r"logits(?:_size=| shape )\[(?P<rows>\d{1,9}),(?P<units>\d{1,9})\] (?:and )?labels(?:_size=| shape )\[(?P<samples>\d{1,9})(?:,(?P<classes>\d{1,9}))?\]"
)
"""The two sizes as TensorFlow's cross entropies write them (kernels/xent_op.cc, kernels/sparse_xent_op.h, read by threads of 2018 to 2023)."""
PAIR = Expression(r"Incompatible shapes: \[(?P<one>[\d,]{0,80})\] vs\. \[(?P<other>[\d,]{0,80})\]")
DIMENSIONS = Expression(
    r"Dimensions? (?:(?:\d{1,2} in both shapes )?must be equal, but are |(?=\d{1,12} and \d{1,12} are not compatible))(?P<one>\d{1,12}) and (?P<other>\d{1,12})"
)
MATRICES = Expression(
    r"Matrix size-incompatible: In\[0\]: \[(?P<one>[\d,]{1,60})\], In\[1\]: \[(?P<other>[\d,]{1,60})\]"
)
RESHAPE = Expression(
    r"Input to reshape is a tensor with (?P<have>\d{1,15}) values, but the requested shape (?P<what>has|requires a multiple of) (?P<wanted>\d{1,15})"
)
INDEX = Expression(r"indices\[[\d,]{1,60}\] = (?P<number>-?\d{1,15}) is not in \[0, (?P<limit>\d{1,15})\)")
TEXT = Expression(
    r"could not convert string to float: (?P<value>'[^'\n]{0,60}'|\S{1,60})|Cast string to \w{1,12} is not supported"
)
NEGATIVE = Expression(
    r"Negative dimension size caused by subtracting (?P<one>\d{1,9}) from (?P<other>\d{1,9})|Computed output size would be negative"
)
UNEQUAL = Expression(
    r"Cannot (?:batch tensors with different shapes|add tensor to the batch: number of elements does not match)[^\[]{0,80}(?:\[tensor\]: )?\[(?P<one>[\d,]{0,80})\][^\[]{0,60}\[(?P<other>[\d,]{0,80})\]"
)
NO_PICTURE = Expression(
    r"Unknown image file format\. One of JPEG|Invalid (?:JPEG|PNG|GIF|BMP) data|cannot identify image file|Input is empty\.?(?: \[| *$)|Expected image \(JPEG, PNG, or GIF\), got unknown format starting with '(?P<begins>[^\n]{0,80}?)'(?: |$)|Unable to decode bytes as JPEG|Trying to decode \w{3,4} format using a? ?wrong op|Number of channels inherent in the image must be"
)
NOTHING_READ = Expression(
    r"'NoneType' object (?:is not subscriptable|has no attribute '(?:shape|astype|copy|size|ndim)')|\(-215:Assertion failed\) !\w{1,12}\.empty\(\)"
)
EMPTY = Expression(
    r"Asked to retrieve element 0, but the Sequence has length 0|The `?PyDataset`? has length 0|Empty (?:training|validation) data|[Ee]xpected input data to be non-empty|Expect x to be a non-empty array or dataset|Unexpected result of `\w{1,20}_function` \(Empty logs\)|object has no attribute 'log_values'|local variable '(?:epoch_)?logs' referenced before assignment|cannot access local variable 'logs'|No images found in directory (?P<file>\S{1,300}?)\.? "
)
NOT_A_NUMBER = Expression(
    r"Tensor had (?:NaN|Inf|-Inf)|diverged with loss = NaN|NaN loss during training|Nan in summary histogram|Inf and NaN|Input (?:X |contains )(?:contains )?NaN"
)
DAMAGED = Expression(r"(?:corrupted|truncated) record at \w{1,15}")
ENDED = Expression(
    r"^(?:\w{1,40}\.)*OutOfRangeError\b.{0,80}End of sequence|RandomShuffleQueue .{0,120}has insufficient elements"
)
OLD_SHAPE = Expression(
    r"Error when checking ?(?P<which>input|target|model input|model target)?[^:\n]{0,20}: expected (?P<layer>\S{1,60}) to have (?P<wanted>\d{1,3} dimensions|shape \([^)\n]{1,80}\)),? but got array with shape (?P<have>\([^)\n]{1,80}\))"
)
AXIS = Expression(
    r"(?P<layer>(?:Input \d{1,2} of )?layer \"?[\w./-]{1,80}\"?)(?: is incompatible with the layer(?:: )?)?: expected axis (?P<axis>-?\d{1,2}) of input shape to have value \{?(?P<wanted>\d{1,12}|None)\}?,? but received input with shape (?P<have>[(\[][^)\]\n]{1,80}[)\]])"
)
GRADIENTS = Expression(r"No gradients provided for any variable")
LAMBDA = Expression(r"bad marshal data|SystemError: unknown opcode|XXX lineno: \d{1,6}, opcode: \d{1,4}")
"""A Lambda layer is kept in a file as the bytecode of the Python that saved it (keras-team/keras#14875, 2021)."""
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
OF_OPTIMIZATION = Expression(
    r"^(?:(?P<quantize>Quantize(?:Wrapper|Annotate|Layer|Aware)\w{0,20}|\w{0,40}QuantizeConfig|OutputOnlyConfig|NoOpActivation|\w{0,20}Quantizer)|(?P<prune>PruneLowMagnitude)|(?P<cluster>ClusterWeights))$"
)
"""Classes of tensorflow_model_optimization, by which of its scopes knows them (quantize.py, prune.py, cluster.py of 0.8)."""
OF_MODULE = Expression(r"Full object config: \{'module': '(?P<module>[a-z_]\w{0,60}(?:\.\w{1,60}){1,8})'")
"""Where Keras 3 has the class from, as the file says (keras/src/saving/serialization_lib.py)."""
TWO_KERASES = Expression(
    r"Could not interpret (?:optimizer|initializer|regularizer|activation function|loss function|metric function) identifier: ?<(?:class ')?(?P<name>(?:tf_)?keras[\w.]{1,100}|tensorflow\.python\.keras[\w.]{1,100})"
)
"""An object of one Keras that is given to another one's model (Keras 2.x: keras/optimizers)."""
NO_SUCH_NAME = Expression(
    r"Could not interpret (?P<kind>metric|loss|optimizer|activation|initializer|regularizer)(?: function)? identifier: '?(?P<name>[A-Za-z_][\w ]{0,60}?)'?\.?$"
)
"""A name that this Keras has no function for (Keras 2 and 3)."""
OPTIMIZER = Expression(
    r"decay is deprecated in the new Keras optimizer|Argument\(s\) not recognized: \{'(?P<name>lr|decay)'|__init__\(\) got an unexpected keyword argument '(?P<lr>lr)'"
)
"""Keras' optimizers since 2.11 (its release notes)."""
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
