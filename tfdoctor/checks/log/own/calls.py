"""Calls and models that TensorFlow refuses: code for TensorFlow 1, variables that are made again, TFLite's own limits."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

_EAGER = Meaning(
    "This is code for TensorFlow 1, which first builds a graph and then runs it in a session. TensorFlow 2 computes at once and has no such graph. The installation and the GPU are not what fails.",
    (
        Fix(
            "Have TensorFlow 2 work as TensorFlow 1 did, in the first lines of the program",
            note="In your files: import tensorflow.compat.v1 as tf, and below it tf.disable_v2_behavior(). Keras 3 (TensorFlow 2.16 and newer) can't work so: take TensorFlow 2.15 or older for it.",
        ),
        Fix(
            "Or run it with TensorFlow 1.15, in an environment of its own",
            ("uv venv --python 3.7 tensorflow-1.15", 'uv pip install --python=tensorflow-1.15 "tensorflow==1.15.*" "protobuf<3.21"'),
            "The present environment stays as it is. 1.15 knows no GPU newer than those of CUDA 10.",
        ),
    ),
)  # fmt: skip
_SESSION = Meaning(
    "The package keras 2.3 refuses this call where it finds TensorFlow 2: it looks at the release alone, so nothing that switches TensorFlow 2's own behaviour off changes that. The code that calls was written for TensorFlow 1. The installation and the GPU are not what fails.",
    (
        Fix(
            "Run it with TensorFlow 1.15 and the Keras of that time, in an environment of its own",
            ("uv venv --python 3.7 tensorflow-1.15", 'uv pip install --python=tensorflow-1.15 "tensorflow==1.15.*" "keras==2.3.1" "h5py<3" "protobuf<3.21"'),
            "The present environment stays as it is. The packages that the program imports go there as well, in their releases of that time. 1.15 knows no GPU newer than those of CUDA 10.",
        ),
        Fix(
            "Where the call stands in your own code, make it by TensorFlow's own Keras",
            note="In your files: from tensorflow.compat.v1.keras import backend as K in place of from keras import backend as K, and all other imports of keras from tensorflow.keras. Where it is a package's, see whether a newer release of that package knows TensorFlow 2.",
        ),
    ),
)  # fmt: skip
_BOARDS = Meaning(
    "TensorBoard finds its plugins by what the installed packages say of themselves, and two of them name the same plugin: several TensorBoards are in one environment (tensorboard and tb-nightly, or what an older one left behind). The log of the training is in order.",
    (
        Fix(
            "Take all of them away, and install one",
            (f"{PYTHON} -m pip uninstall --yes tensorboard tb-nightly tensorboard-plugin-wit tensorflow-tensorboard", f"{PYTHON} -m pip install tensorboard"),
            "TensorFlow 2 wants a TensorBoard of its own minor: where pip complains after it, name that, as in tensorboard==2.15.*. In Colab, restart the runtime in place of that: its own TensorBoard is whole until a cell installs another one.",
        ),
        Fix(
            "Where it stays, see what still names TensorBoard's plugins, and delete what no package owns any more",
            (f"{PYTHON} -c \"import importlib.metadata as m; print(*((d.metadata['Name'], d.version, d.locate_file('')) for d in m.distributions() for e in d.entry_points if e.group == 'tensorboard_plugins'), sep='\\n')\"",),
            "Each line is one package and its folder; two of one name are the leftover, mostly a folder tensorboard-*.dist-info.",
        ),
    ),
)  # fmt: skip
_AGAIN = Meaning(
    "A tf.function may make its variables in its first call alone. Here a layer, an optimizer or a metric makes some in a later one: mostly a second model or optimizer goes through a function that was traced with the first, or a notebook's cell built the model again and not the function.",
    (
        Fix(
            "Make model, optimizer and function in one place, and all three once more for each model",
            note="In a notebook, run the cell that defines the @tf.function again after the one that makes the model. In your files: train_step = tf.function(step) right after the model is made; layers in __init__, never in call.",
        ),
        Fix(
            "Where that changes nothing, have the functions run step by step: the line that makes the variable then shows",
            note="In your files: tf.config.run_functions_eagerly(True)",
        ),
    ),
)
_OPTIMIZER = Meaning(
    "An optimizer of Keras 2.11 and newer works for the variables alone that it saw first. It is given others here: those of a second model, of layers that came later, or of a model that was built again. Older Keras allowed that.",
    (
        Fix(
            "Give each model an optimizer of its own, and a new one when the model is built again",
            note="In your files: make the optimizer where the model is made; for one that serves several models, optimizer.build([*first.trainable_variables, *second.trainable_variables]) before the first step.",
        ),
        Fix(
            "Where the code is a package's, update it; up to TensorFlow 2.15 the older optimizers are there, too",
            note="In your files: tf.keras.optimizers.legacy.Adam() in place of tf.keras.optimizers.Adam()",
        ),
    ),
)
_MINIMIZE = Meaning(
    "TensorFlow 1's optimizers took a tensor and found the graph's variables by themselves. Keras' optimizers of TensorFlow 2 know no graph: minimize wants a function that computes the loss, and the variables that it shall change.",
    (
        Fix(
            "Hand over a function and the variables",
            note="In your files: optimizer.minimize(lambda: loss(model(x), y), model.trainable_variables). Keras 3 (TensorFlow 2.16 and newer) has no minimize: compute gradients in a tf.GradientTape and call optimizer.apply_gradients(zip(gradients, variables)).",
        ),
        Fix(
            "Or let code for TensorFlow 1 keep its optimizer and its graph",
            note="In your files: import tensorflow.compat.v1 as tf, below it tf.disable_v2_behavior(), and tf.train.AdamOptimizer in place of tf.keras.optimizers.Adam.",
        ),
    ),
)
_FLEX = Meaning(
    "The model was converted with operations of TensorFlow itself in it (Flex, SELECT_TF_OPS). A TFLite that was built without TensorFlow's kernels can't run these; the model is in order.",
    (
        Fix(
            "In an app or in C++, add the Flex delegate: on Android org.tensorflow:tensorflow-lite-select-tf-ops in the version of tensorflow-lite, on iOS the pod TensorFlowLiteSelectTfOps; in C++ link tensorflowlite_flex",
        ),
        Fix(
            "In Python, run it by the whole TensorFlow, which has them: tflite-runtime does not",
            (f"{PYTHON} -m pip install tensorflow",),
            "In your files: tf.lite.Interpreter(model_path=...), with TensorFlow of the same release as the converter, or newer.",
        ),
        Fix(
            "Or convert the model without them, and change the layers that the converter then names",
            note="In your files: converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]. LSTM and GRU need a fixed batch and length for it.",
        ),
    ),
)
_SELECT = Meaning(
    "The model has operations that TFLite itself does not have. The converter can leave them to TensorFlow's own kernels, which then have to be there where the model runs.",
    (
        Fix(
            "Let the converter keep them as TensorFlow's own operations",
            note="In your files, before convert(): converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]. What runs the model then needs the Flex delegate.",
        ),
        Fix("Or put operations that TFLite has in their place: the last lines of the message list those that it lacks"),
        Fix("Where an operation is listed that TFLite has, convert with a newer TensorFlow", ("tfdoctor plan",)),
    ),
)  # fmt: skip
_OLD_LITE = Meaning(
    "The TFLite that reads the model is older than the converter that wrote it: it does not know an operation, or that version of it. The model is in order.",
    (
        Fix(
            "Update the TFLite that runs the model; in Python that is ai-edge-litert, tflite-runtime's successor",
            (f"{PYTHON} -m pip install --upgrade ai-edge-litert",),
            "Where the whole TensorFlow runs it, update that. In an app take the tensorflow-lite of the converter's release, or newer. In your files: from ai_edge_litert.interpreter import Interpreter.",
        ),
        Fix(
            "Or convert the model with a TensorFlow of the runtime's time, in an environment of its own",
            note="That is the way for what gets no newer TFLite: the compiler of the Edge TPU, a microcontroller, an older app.",
        ),
    ),
)
_OLD_LITE_IN_AN_APP = Meaning(
    _OLD_LITE.words,
    (
        Fix(
            "Build the app with a newer TFLite, of the converter's release or later",
            note="On Android: org.tensorflow:tensorflow-lite:2.16.1 or newer in build.gradle, and the same release for its other parts; in Flutter the newest tflite_flutter (flutter pub upgrade tflite_flutter); on iOS pod update TensorFlowLiteSwift.",
        ),
        _OLD_LITE.fixes[1],
    ),
)
OF_CALLS: Mapping[str, Meaning] = {
    "lite-app-older": _OLD_LITE_IN_AN_APP,
    "graph-code-runs-at-once": _EAGER,
    "keras-session-refused": _SESSION,
    "tensorboard-plugins-twice": _BOARDS,
    "variables-made-again": _AGAIN,
    "optimizer-of-other-variables": _OPTIMIZER,
    "minimize-without-variables": _MINIMIZE,
    "flex-not-linked": _FLEX,
    "lite-lacks-operations": _SELECT,
    "lite-runtime-older": _OLD_LITE,
}
"""By the signature's name."""
TITLES_OF_CALLS = {
    "graph-code-runs-at-once": "The program is written for TensorFlow 1, and TensorFlow 2 runs it.",
    "keras-session-refused": "The code that calls Keras is written for TensorFlow 1, and TensorFlow 2 is installed.",
    "tensorboard-plugins-twice": "Several TensorBoards are installed in one environment, and each brings the same plugins.",
    "variables-made-again": "A tf.function makes new variables in a later call, which it may not.",
    "optimizer-of-other-variables": "An optimizer is given variables that it was not made for.",
    "minimize-without-variables": "An optimizer of TensorFlow 2 is called as those of TensorFlow 1 were.",
    "flex-not-linked": "The TFLite model holds operations of TensorFlow itself, and this TFLite was built without them (Flex).",
    "lite-lacks-operations": "The model has operations that TFLite does not have.",
    "lite-app-older": "The app holds a TFLite that is older than the converter that wrote the model.",
    "lite-runtime-older": "This TFLite is older than the converter that wrote the model.",
}
