"""What remains to be done at a place where none of a code's usual ways out can exist."""

from __future__ import annotations

from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix

_OF_HOSTED = {
    "colab": fix("take-fresh-machine-from-colab-and"),
    "kaggle": fix("take-fresh-machine-from-kaggle-with"),
}
_NOTHING = {
    "kubernetes": fix("show-these-lines-to-whoever-runs"),
    "apptainer": fix("show-these-lines-to-administrators-machine"),
    "wsl": fix("update-wsl-and-nvidia-driver-both"),
}
_ASK = fix("write-down-what-log-says-above")
_OF_THE_GPU = ("driver", "devices", "libraries")
DRIVER_OF_WINDOWS = fix("install-nvidias-newest-driver-for-gpu")
_WSL = fix("do-in-wsl2-linux-inside-windows")
_NO_CUDA = fix("mac-no-gpu-nvidia-and-nothing")
_SERVER = fix("start-server-from-unchanged-image-own")
_REQUEST = fix("find-request-or-model-comes-before")
_LAST_LINE = fix("read-last-line-first-then-last-2")
_OLD_IMAGE = fix("take-image-own-release-tensorflow-holds")
_NEWEST = {
    (1, 15): "1.15.5-gpu",
    (2, 0): "2.0.0-gpu-py3",
    (2, 4): "2.4.3-gpu",
    (2, 10): "2.10.1-gpu",
    (2, 13): "2.13.0-gpu",
}
"""Tags of TensorFlow's images by the last minor release that is meant (Docker Hub, tensorflow/tensorflow)."""


def instead(code: str, here: Setting) -> Fix:
    """By the place, and whether the code is about the GPU."""
    of_gpu = CODES[code].family in _OF_THE_GPU if code in CODES else False
    for name, way in _OF_HOSTED.items():
        if here.has(name):
            return way
    if here.has("serving"):
        return _SERVER if of_gpu or CODES[code].family in ("packages", "platform") else _REQUEST
    if here.has("windows"):
        return DRIVER_OF_WINDOWS if CODES[code].family == "driver" else _WSL
    if here.has("macos"):
        return _NO_CUDA if of_gpu else _ASK
    for name, way in _NOTHING.items():
        if here.has(name) and of_gpu:
            return way
    if code == "python-exception":
        return _LAST_LINE
    return of_an_old_release(here) if of_gpu and here.span.before(2, 14) else _ASK


def of_an_old_release(here: Setting) -> Fix:
    """TensorFlow's own image of that time."""
    newest = here.span.newest
    tag = next((tag for release, tag in _NEWEST.items() if newest <= release), "2.13.0-gpu")
    note = "" if newest in _NEWEST else f"{tag} is an example: the tag begins with your own release. "
    line = _OLD_IMAGE.commands[0].format(tag=tag)
    return Fix(_OLD_IMAGE.title, (line,), _OLD_IMAGE.note.format(note=note))
