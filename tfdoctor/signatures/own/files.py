"""What TensorFlow, TFLite and TensorFlow.js say of model files that are another thing than they are taken for, or that they can't reach."""

from __future__ import annotations

from functools import partial

from tfdoctor.light.expressions import Expression
from tfdoctor.signatures.signature import EXCEPTION, FACT, LIKELY, Signature

_own = partial(Signature, code="python-exception", speaker=EXCEPTION)

OF_NOTHING = Expression(
    r"zero-size array|(?:division|modulo)\b.{0,20} zero|has length 0|[Ee]mpty|out of (?:range|bounds)|max\(\)|'NoneType' object|StopIteration|UnboundLocalError|arg 3 must not be zero|[Nn]o (?:images|data)|at least one|ran out of data|logs"
)
"""Words of errors that arise where there are no data."""

SIGNATURES = (
    Signature(
        "no-pictures-found",
        "",
        "Found 0 ",
        form=r"Found 0 (?:validated |non-validated )?(?:image filenames|images|files)(?: belonging to \d{1,6} classes)?",
        role=FACT,
        speaker=EXCEPTION,
        samples=("Found 0 images belonging to 1 classes.", "Found 0 validated image filenames belonging to 0 classes.", "Found 0 validated image filenames."),
        near=("Found 0 errors.", "Found 100 images belonging to 2 classes."),
        releases="Keras 2 and 3 (ImageDataGenerator)",
        sources=("deepimagej/python4deepimagej#3 (2020-06)", "MathiasGruber/PConv-Keras#34 (2019-05)"),
    ),
    _own(
        "lite-file-is-a-pointer",
        anchor="model identifier 'ion ', should be 'TFL3'",
        samples=("ERROR: Model provided has model identifier 'ion ', should be 'TFL3'",),
        near=("ValueError: Model provided has model identifier 'norm', should be 'TFL3'",),
        releases="TFLite 1.14 and newer; a pointer of git LFS begins with version",
        sources=("moonshine-ai/openai-whisper#41 (2023-05)", "vilassn/whisper_android#2 (2023-10)"),
    ),
    _own(
        "lite-file-is-a-page",
        anchor="', should be 'TFL3'",
        form=r"(?P<value><!D?O?|!DO|!do|CTYP|ctyp|TYPE|html|tml|l la|HTML|<htm|<HTM|<hea|<?xml|xml |<met)', should be 'TFL3'",
        samples=(
            "<!', should be 'TFL3'",
            "<!D', should be 'TFL3'",
            "ValueError: Model provided has model identifier 'CTYP', should be 'TFL3'",
        ),
        near=("ValueError: Model provided has model identifier 'norm', should be 'TFL3'", "ERROR: Model provided has model identifier 'ion ', should be 'TFL3'"),
        releases="TFLite 1.14 and newer; pages begin with <!DOCTYPE or <html",
        sources=("birdnet-team/BirdNET-Lite#15 (2022-03)", "google-coral/tflite#36 (2020-10)", "tensorflow/tensorflow#32204 (2019-09)"),
    ),
    _own(
        "saved-model-not-at-path",
        anchor="at supplied export directory path: ",
        form=r"Could not find SavedModel \.pb or \.pbtxt at supplied export directory path: (?P<file>[^\n]{1,400}?)(?:\. Took \d|\.?$)",
        samples=(
            r"2021-03-26 08:50:41.084299: I tensorflow/cc/saved_model/loader.cc:319] SavedModel load for tags { serve }; Status: fail: Not found: Could not find SavedModel .pb or .pbtxt at supplied export directory path: C:\models\one\savedmodel. Took 394 microseconds.",
            "Could not find SavedModel .pb or .pbtxt at supplied export directory path: /models/one",
        ),
        near=("No SavedModel at the supplied path",),
        releases="TensorFlow's C++ library of 1.x to 2.21, and what calls it: TensorFlow.NET, Java, Go, Serving",
        sources=("SciSharp/TensorFlow.NET#788 (2021-03)",),
    ),
    _own(
        "windows-path-not-resolved",
        anchor="GetSymbolicLinkTarget cannot open file for ",
        form=r"GetSymbolicLinkTarget cannot open file for (?P<file>[^\n]{1,400}?) GetLastError: (?P<number>\d{1,6})",
        samples=(r"tensorflow/tsl/platform/windows/windows_file_system.cc:362] ERROR: GetSymbolicLinkTarget cannot open file for \\?\\\SERVER\Public\models\one GetLastError: 123",),
        near=("GetSymbolicLinkTarget opened the file",),
        sure=LIKELY,
        releases="TensorFlow 2.4 and newer on Windows",
        sources=("tensorflow/tensorflow#62107 (2024-01)",),
    ),
    _own(
        "graph-converter-got-layers",
        anchor="tensorflow.GraphDef\" has no field named ",
        form=r"Message type ?\"tensorflow\.GraphDef\" has no field named \"(?P<symbol>\w{1,80})\"",
        samples=('Message type "tensorflow.GraphDef" has no field named "keras_version".', 'google.protobuf.json_format.ParseError: Message type "tensorflow.GraphDef" has no field named "class_name".'),
        near=('Message type "object_detection.protos.Ssd" has no field named "x"',),
        releases="tfjs_graph_converter 0.1 to 1.6, and programs that read a graph as JSON or text",
        sources=("patlevin/tfjs-to-tf#5 (2020-02)",),
    ),
    Signature(
        "tfjs-reads-keras-2",
        "keras-legacy-needed",
        "InputLayer should be passed either a `batchInputShape` or an `inputShape`",
        speaker=EXCEPTION,
        sure=LIKELY,
        samples=("ValueError: An InputLayer should be passed either a `batchInputShape` or an `inputShape`.", "Uncaught (in promise) Error: An InputLayer should be passed either a `batchInputShape` or an `inputShape`. This may be due to one of the following reasons:"),
        near=("An InputLayer should be passed a shape",),
        releases="TensorFlow.js 1 to 4 with model.json of Keras 3",
        sources=("tensorflow/tfjs#8328 (2024-07)", "tensorflow/tfjs#8358 (2024-08)"),
    ),
    Signature(
        "weight-decay-cast",
        "",
        "self.weight_decay, variable.dtype",
        role=FACT,
        speaker=EXCEPTION,
        samples=("      wd = tf.cast(self.weight_decay, variable.dtype)", "    wd = ops.cast(self.weight_decay, variable.dtype)"),
        near=("wd = tf.cast(weight_decay, variable.dtype)",),
        releases="Keras 2.11 and newer: a frame's own line",
        sources=("keras-team/autokeras#1802 (2022-12)",),
    ),
)  # fmt: skip
