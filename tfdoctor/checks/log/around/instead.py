"""What remains to be done at a place where none of a code's usual ways out can exist."""

from __future__ import annotations

from tfdoctor.checks.log.around.settings import Setting
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.model import Fix

_OF_HOSTED = {
    "colab": Fix(
        "Take a fresh machine from Colab, and run the cells again without those that install another TensorFlow or Keras",
        note='In Colab: "Runtime", "Disconnect and delete runtime", then "Connect". Driver, libraries and memory of the machine are Colab\'s; nothing of it can be changed from a cell.',
    ),
    "kaggle": Fix(
        "Take a fresh machine from Kaggle, with another version of its environment",
        note='In the notebook\'s side panel: "Session options", "Environment", the other of "Pin to original environment" and "Always use latest environment"; then start the session again. Driver and libraries of the machine are Kaggle\'s; nothing of them can be changed from a cell.',
    ),
}
_NOTHING = {
    "kubernetes": Fix(
        "Show these lines to whoever runs the cluster: what is wrong is outside of the pod, and nothing inside can change it"
    ),
    "apptainer": Fix(
        "Show these lines to the administrators of the machine: what is wrong is outside of the container, and nothing inside can change it"
    ),
    "wsl": Fix(
        "Update WSL and the NVIDIA driver, both in Windows; the driver in WSL is Windows' own",
        note="In Windows' PowerShell: `wsl --update`, then `wsl --shutdown`. The driver: nvidia.com/drivers. Then open WSL again.",
    ),
}
_ASK = Fix(
    "Write down what the log says above, and look for these words in the issues of the program that wrote them"
)
_OF_THE_GPU = ("driver", "devices", "libraries")
DRIVER_OF_WINDOWS = Fix(
    "Install NVIDIA's newest driver for this GPU in Windows, and restart it",
    note="From nvidia.com/drivers. `nvidia-smi` in the Command Prompt must then list the GPU.",
)
_WSL = Fix(
    "Do it in WSL2, the Linux inside Windows: TensorFlow for native Windows has no counterpart of the Linux commands",
    ("wsl --install",),
)
_NO_CUDA = Fix(
    "A Mac has no GPU of NVIDIA, and nothing of CUDA can be installed there; run it on a Linux machine with such a GPU, or compute without it"
)
_SERVER = Fix(
    "Start the server from an unchanged image of its own; it is a program without Python, so packages of pip change nothing",
    ("docker pull tensorflow/serving:latest-gpu",),
)
_REQUEST = Fix(
    "Find the request or the model that comes before these lines, and send that alone to the newest image of the server",
    ("docker pull tensorflow/serving:latest-gpu",),
    "If it still fails there, the model is what to look at; if not, the newer server is the fix.",
)
_LAST_LINE = Fix("Read the last line first, then the last line of your own file above it")
_OLD_IMAGE = Fix(
    "Take the image of your own release of TensorFlow, which holds the CUDA libraries that it opens. The command shows whether it gets the GPU",
    ("docker run --rm --gpus all tensorflow/tensorflow:{tag} nvidia-smi",),
    "{note}In a conda environment the packages cudatoolkit and cudnn bring them, in the versions of TensorFlow's table of tested builds.",
)
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
    for name, fix in _OF_HOSTED.items():
        if here.has(name):
            return fix
    if here.has("serving"):
        return _SERVER if of_gpu or CODES[code].family in ("packages", "platform") else _REQUEST
    if here.has("windows"):
        return DRIVER_OF_WINDOWS if CODES[code].family == "driver" else _WSL
    if here.has("macos"):
        return _NO_CUDA if of_gpu else _ASK
    for name, fix in _NOTHING.items():
        if here.has(name) and of_gpu:
            return fix
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
