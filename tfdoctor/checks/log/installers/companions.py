"""Where TensorFlow's companions have files: the newest Python, Windows, and what took their place."""

from __future__ import annotations

from tfdoctor.checks.log.fit.present import key
from tfdoctor.light.records import record


@record
class Files:
    """`windows`: the last release with a file for Windows, "" for none at all, "-" where Windows is no exception."""

    python: str  # the newest with a file
    windows: str = "-"
    instead: str = ""  # the package that took its place
    note: str = ""


FILES = {
    "tensorflow-text": Files("3.13", "2.10.0", note="For Windows its last release is 2.10.0, which has Python 3.7 to 3.10."),
    "tensorflow-decision-forests": Files("3.12", "", "ydf", "It has files for Linux and for Macs with Apple's processor alone."),
    "tensorflow-addons": Files("3.11", note="Its last release is 0.23.0, for TensorFlow 2.15; it is no longer developed."),
    "tensorflow-metal": Files("3.12", "", note="It has files for Macs with Apple's processor alone, the newest is 1.2.0; TensorFlow runs on the processor without it."),
    "tensorflow-io": Files("3.12", "0.31.0", note="Its last release for Windows is 0.31.0, with Python 3.7 to 3.11."),
    "tensorflow-directml": Files("3.7", note="It is TensorFlow 1.15 with DirectML, for Windows and WSL; its last release is 1.15.8."),
    "tensorflow-directml-plugin": Files("3.10", note="It is made for TensorFlow 2.10, its last release is 0.4.0.dev230202, and it is no longer developed."),
    "dm-reverb": Files("3.11", "", note="It has files for Linux on Intel processors alone; its last release is 0.14.0, for TensorFlow 2.15."),
    "tflite-runtime": Files("3.11", "", "ai-edge-litert", "Its last release is 2.14.0, and it has files for Linux alone."),
    "tflite-support": Files("3.11", "", "mediapipe", "Its last release is 0.4.4. The 0.1.0 that pip lists elsewhere are old previews that would have to be compiled."),
    "tflite-model-maker": Files("3.9", "", "mediapipe-model-maker", "It asks for old releases of its needs, which have files for Python 3.9 and older."),
}  # fmt: skip
"""What pip finds for one platform and Python after another (asked of the registry on 2026-11-22)."""
ANY_PYTHON = (
    "absl-py", "astunparse", "flatbuffers", "gast", "google-pasta", "h5py", "keras", "markdown", "numpy", "opt-einsum", "packaging", "pip", "protobuf",
    "requests", "scipy", "setuptools", "six", "tensorboard", "termcolor", "tf-keras", "typing-extensions", "werkzeug", "wheel", "wrapt", "pandas", "matplotlib",
)  # fmt: skip
"""They have a file for every Python 3, if only one to be compiled: pip's list of them is empty only where it reaches no index."""
BEGINS = {
    "numpy": {"3.8": "1.17.3", "3.9": "1.19.3", "3.10": "1.21.2", "3.11": "1.23.2", "3.12": "1.26.0", "3.13": "2.1.0"},
    "h5py": {"3.8": "2.10.0", "3.9": "3.0.0", "3.10": "3.6.0", "3.11": "3.8.0", "3.12": "3.10.0", "3.13": "3.12.1"},
}  # fmt: skip
"""The first release with a wheel for each Python, for Linux (asked of the registry on 2026-11-22)."""

LAGS = {"tensorflow-text": {"2.13": "3.10", "2.16": "3.11", "2.17": "3.11", "2.18": "3.11"}}
"""The newest Python that all releases of a minor have a file for, where TensorFlow's own has a newer one (asked of the registry on 2026-11-23)."""


def python_for(package: str, release: str) -> str:
    """The newest Python that had a wheel of it; "" where that is not known."""
    fitting = [python for python, first in BEGINS.get(package, {}).items() if key(first) <= key(release)]
    return fitting[-1] if fitting else ""
