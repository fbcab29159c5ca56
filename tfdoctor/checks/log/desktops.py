"""What helps where a desktop or Colab stopped a program or an installation: files in use, new processes, Metal, DirectML."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.findings.model import Fix

ON_THE_CPU = Fix("Have TensorFlow leave the GPU alone, and compute on the processor", note="In your files, before anything is computed: tf.config.set_visible_devices([], 'GPU')")  # fmt: skip
_NO_BACKEND = Meaning(
    "Colab hands out the GPUs that are free, and had none to give to this session: the quota of this account is used up for now, or all are in use. Nothing is wrong with the notebook.",
    (
        Fix("Go on without a GPU for now, and save what the work needs later", note='In Colab: "Runtime", "Change runtime type", "CPU".'),
        Fix("Try again after some hours, with all other sessions closed", note='In Colab: "Runtime", "Manage sessions", and end those that are not used.'),
    ),
)  # fmt: skip
OF_DESKTOPS: Mapping[str, Meaning] = {
    "colab-no-backend": _NO_BACKEND,
    "pip-file-in-use": Meaning(
        "pip was about to remove or replace a file, and Windows did not let it: a program that runs has the file loaded, mostly a notebook's kernel, an IDE or another Python, or this user may not write there. What was installed so far may be half done.",
        (
            Fix("Close whatever uses this Python (notebooks, Spyder, PyCharm, VS Code, other prompts), and install again in a new prompt", (f"{PYTHON} -m pip install --upgrade tensorflow",), "Folders in site-packages whose names begin with ~ are what pip could not remove; they may be deleted then."),
            Fix("Or use an environment of its own, where nothing runs yet", ("py -3.12 -m venv tensorflow-new", "tensorflow-new/Scripts/python -m pip install tensorflow")),
        ),
    ),
    "spawned-without-main": Meaning(
        "On Windows and macOS each new process reads the program's file once more, from its first line. Here that reading started new processes again, since the lines that do so are not kept apart, and Python stopped it.",
        (
            Fix("Put all that starts the work below a line that only the first process passes", note='In your files: if __name__ == "__main__": and below it, indented, the calls of fit, of the data loader and of multiprocessing'),
            Fix("Or start no other process", note="In your files: workers=1 and use_multiprocessing=False for Keras, num_workers=0 for a data loader"),
        ),
    ),
    "metal-refused": Meaning(
        "Metal is Apple's system for computing on the GPU. It was handed sizes or types that it can't compute with, and such a refusal ends the whole process. Who handed them over is the part that uses the GPU: tensorflow-metal, or PyTorch with its device mps. The data and the program may be in order: the same can work on the processor.",
        (
            ON_THE_CPU,
            Fix("Where PyTorch computes, take its processor device", note='In your files: device = "cpu" in place of "mps"'),
            Fix("Or hand over smaller pieces, all of one type", note="A tensor of more than 2**31 elements, and float16 beside float32, are the usual reasons: a smaller batch, no mixed precision."),
        ),
    ),
    "plugin-stopped": Meaning(
        "The line is written by a plug-in that brings TensorFlow another device, as DirectML's does, and not by TensorFlow. The plug-in met what it does not know, or lost its graphics card, and ended the process. Microsoft no longer develops DirectML's.",
        (
            ON_THE_CPU,
            Fix("With GetDeviceRemovedReason in the line, the card's driver was reset: bring the driver up to date, and take a smaller batch", note="From the maker of the card: NVIDIA, AMD or Intel"),
            Fix("With an NVIDIA card, use TensorFlow in WSL2, where it computes with CUDA and without the plug-in", ("wsl --install",), "Then in Ubuntu: python3 -m venv tf && tf/bin/python -m pip install 'tensorflow[and-cuda]'"),
        ),
    ),
}  # fmt: skip
"""By the signature's name."""
