"""Model files that are another thing than they are taken for, or that can't be reached: what each text means, and what helps."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.files.converting import OF_CONVERTING, TITLES_OF_CONVERTING
from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

_POINTER = Meaning(
    "The file holds a few lines of text that begin with `version https://git-lfs…`: git LFS keeps large files apart from the repository and leaves such a pointer where they were not fetched. git without LFS and a download as a ZIP archive bring nothing else. The model itself is in order.",
    (
        Fix(
            "Fetch the files that the pointers stand for, in the folder of the repository",
            ("git lfs install", "git lfs pull"),
            "git-lfs is a program of its own (git-lfs in apt and Homebrew, part of Git for Windows). In a folder that came as a ZIP archive clone the repository first.",
        ),
    ),
)
_PAGE = Meaning(
    "The file begins as a web page does (<!DOCTYPE or <html): what was downloaded is the page around the file, or a page that says that it is gone or has to be confirmed. The program and TFLite are in order.",
    (
        Fix(
            "Delete it and fetch the file itself; this shows what is there now, with its own name in place of model.tflite",
            (
                f"{PYTHON} -c \"import os; print(os.path.getsize('model.tflite'), open('model.tflite', 'rb').read(60))\"",
            ),
            "On GitHub that is the address behind Download raw file (with /raw/ in place of /blob/), for files of git LFS a clone and `git lfs pull`; large files of Google Drive come by the program gdown. A TFLite file has TFL3 at its fifth byte.",
        ),
    ),
)
_NOT_AT = Meaning(
    "The folder that was named holds no saved_model.pb for TensorFlow: it is another folder (the one above, or the one below with a version's number), its content was not copied along, or the name did not reach TensorFlow as it was written. On Windows names with letters beyond ASCII (ü, é, я, 模) reach its C++ library in another encoding, so such a folder is not found though it is there.",
    (
        Fix("See that the very folder in the message holds saved_model.pb and variables", note="The message shows the name as TensorFlow got it: characters in it that you did not write (÷ or Ã in place of a letter) are that other encoding."),
        Fix("Where a letter beyond ASCII is in the path, put the model into a folder whose whole path has plain letters alone", ("mkdir C:\\work",), "The name of the user counts as well, where the files are below it."),
    ),
)  # fmt: skip
_NETWORK = Meaning(
    "TensorFlow asks Windows for the true place of a path, and Windows can't open it. Paths of a network share (\\\\SERVER\\…) are put together wrongly there: one backslash too many, which Windows refuses (123). Else the file or folder does not exist (2, 3), or may not be read (5).",
    (
        Fix(
            "Give the share a drive's letter, and write that in the program",
            (r"net use Z: \\SERVER\share",),
            "With the names of your own server and share: then Z:\\models in place of \\\\SERVER\\share\\models.",
        ),
        Fix("Or copy the model to this machine first", note="For a path of this machine see that it exists, and that this user may read it."),
    ),
)  # fmt: skip
_LAYERS = Meaning(
    "The JSON file is no graph: fields like keras_version, class_name, modelTopology or format belong to a model of layers (tfjs_layers_model), which TensorFlow.js and Keras make, or to another JSON. The converter takes graph models alone (tfjs_graph_model).",
    (
        Fix(
            "Turn a layers model into a Keras file by TensorFlow.js' own converter, and go on with that",
            (
                "tensorflowjs_converter --input_format=tfjs_layers_model --output_format=keras model.json model.h5",
            ),
            "It comes with the package tensorflowjs. In Python: tensorflowjs.converters.load_keras_model('model.json').",
        ),
    ),
)
_TFJS_2 = Meaning(
    "TensorFlow.js reads a model's layers as Keras 2 writes them. Keras 3, which comes with TensorFlow 2.16 and newer, writes batch_shape where TensorFlow.js looks for batchInputShape (batch_input_shape). The model is in order.",
    (
        Fix(
            "Make and save the model with Keras 2, and convert it once more",
            (f"{PYTHON} -m pip install tf-keras", "export TF_USE_LEGACY_KERAS=1"),
            "In the shell in which the model is trained, saved as .h5 and converted; tf-keras of TensorFlow's own minor. In a notebook: os.environ['TF_USE_LEGACY_KERAS'] = '1' before TensorFlow is imported.",
        ),
        Fix(
            "Or convert what there is as a graph, which names no layers",
            ("tensorflowjs_converter --input_format=tf_saved_model saved_model web_model",),
            "After model.export('saved_model') in Python; in JavaScript tf.loadGraphModel in place of tf.loadLayersModel. Such a model can't be trained on.",
        ),
    ),
)
OF_FILES: Mapping[str, Meaning] = {
    **OF_CONVERTING,
    "lite-file-is-a-pointer": _POINTER,
    "lite-file-is-a-page": _PAGE,
    "saved-model-not-at-path": _NOT_AT,
    "windows-path-not-resolved": _NETWORK,
    "graph-converter-got-layers": _LAYERS,
}
"""A program's own; by the signature's name."""
OF_KERAS_3_FILES: Mapping[str, Meaning] = {"tfjs-reads-keras-2": _TFJS_2}
TITLES_OF_FILES = {
    **TITLES_OF_CONVERTING,
    "lite-file-is-a-pointer": "The TFLite file is a pointer of git LFS and no model.",
    "lite-file-is-a-page": "The TFLite file is a web page and no model.",
    "saved-model-not-at-path": "TensorFlow finds no SavedModel (saved_model.pb) in the folder that it was told.",
    "windows-path-not-resolved": "TensorFlow can't open a path on Windows: a network share, mostly, or one that is not there.",
    "graph-converter-got-layers": "The file is no graph: it is a model of layers, or another JSON.",
    "tfjs-reads-keras-2": "TensorFlow.js can't read the model: it was saved by Keras 3, and TensorFlow.js reads the form of Keras 2.",
}
