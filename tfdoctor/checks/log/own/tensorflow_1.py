"""What code for TensorFlow 1 meets under TensorFlow 2, in words of TensorFlow, Keras and TensorBoard."""

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
OF_TENSORFLOW_1: Mapping[str, Meaning] = {
    "graph-code-runs-at-once": _EAGER,
    "keras-session-refused": _SESSION,
    "tensorboard-plugins-twice": _BOARDS,
}
TITLES_OF_TENSORFLOW_1 = {
    "graph-code-runs-at-once": "The program is written for TensorFlow 1, and TensorFlow 2 runs it.",
    "keras-session-refused": "The code that calls Keras is written for TensorFlow 1, and TensorFlow 2 is installed.",
    "tensorboard-plugins-twice": "Several TensorBoards are installed in one environment, and each brings the same plugins.",
}
