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
    "spleeter": Files("3.11", note="Its last release is 2.4.2, for TensorFlow 2.12."),
    "mediapipe-model-maker": Files("3.11", note="It asks for a TensorFlow before 2.16 and for tensorflow-addons, which have files for Python 3.11 and older."),
    "scann": Files("3.13", "", note="It has files for Linux alone, 1.2.6 up to Python 3.9."),
    "magenta": Files("3.8", note="Its last release, 2.1.4, asks for numba 0.49.1, which has files for Python 3.8 and older."),
}  # fmt: skip
"""What pip finds for one platform and Python after another (asked of the registry on 2026-11-22 and 23)."""
ANY_PYTHON = (
    "absl-py", "astunparse", "flatbuffers", "gast", "google-pasta", "h5py", "keras", "markdown", "numpy", "opt-einsum", "packaging", "pip", "protobuf",
    "requests", "scipy", "setuptools", "six", "tensorboard", "termcolor", "tf-keras", "typing-extensions", "werkzeug", "wheel", "wrapt", "pandas", "matplotlib",
)  # fmt: skip
"""They have a file for every Python 3, if only one to be compiled: pip's list of them is empty only where it reaches no index."""
BEGINS = {
    "numpy": {"3.8": "1.17.3", "3.9": "1.19.3", "3.10": "1.21.2", "3.11": "1.23.2", "3.12": "1.26.0", "3.13": "2.1.0"},
    "h5py": {"3.8": "2.10.0", "3.9": "3.0.0", "3.10": "3.6.0", "3.11": "3.8.0", "3.12": "3.10.0", "3.13": "3.12.1"},
    "numba": {"3.7": "0.39.0", "3.8": "0.47.0", "3.9": "0.53.0", "3.10": "0.55.0", "3.11": "0.57.0", "3.12": "0.59.0", "3.13": "0.61.0"},
    "llvmlite": {"3.7": "0.24.0", "3.8": "0.31.0", "3.9": "0.36.0", "3.10": "0.38.0", "3.11": "0.40.0", "3.12": "0.42.0", "3.13": "0.44.0"},
    "scipy": {"3.7": "1.1.0", "3.8": "1.3.2", "3.9": "1.5.4", "3.10": "1.7.2", "3.11": "1.9.2", "3.12": "1.11.2", "3.13": "1.14.1"},
    "pandas": {"3.7": "0.23.2", "3.8": "0.25.2", "3.9": "1.1.3", "3.10": "1.3.3", "3.11": "1.5.0", "3.12": "2.1.1", "3.13": "2.2.3"},
    "scikit-learn": {"3.7": "0.19.2", "3.8": "0.22", "3.9": "0.24.0", "3.10": "1.0.2", "3.11": "1.1.3", "3.12": "1.3.1", "3.13": "1.5.2"},
    "pyyaml": {"3.9": "5.4", "3.10": "6.0", "3.12": "6.0.1", "3.13": "6.0.2"},
    "grpcio": {"3.7": "1.13.0", "3.8": "1.24.3", "3.9": "1.33.1", "3.10": "1.41.0", "3.11": "1.49.1", "3.12": "1.59.0", "3.13": "1.66.2"},
    "tokenizers": {"3.8": "0.8.0", "3.9": "0.9.4", "3.10": "0.11.5", "3.11": "0.13.2", "3.12": "0.14.0", "3.13": "0.15.1"},
}  # fmt: skip
"""The first release with a wheel for each Python, for Linux (asked of the registry on 2026-11-22 and 23)."""
OLD_PYTHON = "3.9"
"""For a package of which nothing is known but that its release is too old for the Python that is there: one that uv still brings, and that most releases of 2021
to 2023 have files for."""
WITHOUT_FILES = {
    "pyaudio": "portaudio.h",
    "python-rtmidi": "alsa/asoundlib.h",
    "evdev": "Python.h",
    "pycairo": "cairo.h",
    "mysqlclient": "mysql.h",
}
"""Packages without a file for Linux, or without one for most Pythons there, and the header that their build asks for first (their pages on the index, 2026-11-23)."""

LAGS = {"tensorflow-text": {"2.13": "3.10", "2.16": "3.11", "2.17": "3.11", "2.18": "3.11"}}
"""The newest Python that all releases of a minor have a file for, where TensorFlow's own has a newer one (asked of the registry on 2026-11-23)."""


def python_for(package: str, release: str) -> str:
    """The newest Python that had a wheel of it; "" where that is not known."""
    fitting = [python for python, first in BEGINS.get(package, {}).items() if key(first) <= key(release)]
    return fitting[-1] if fitting else ""
