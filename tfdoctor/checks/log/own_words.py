"""What a certain text means and what helps, where that is narrower than what its code's page has to say."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.amd.words import OF_AMD
from tfdoctor.checks.log.around.model_files import OF_MODELS
from tfdoctor.checks.log.desktops import OF_DESKTOPS
from tfdoctor.checks.log.gpus.plugins import OF_PLUGINS
from tfdoctor.checks.log.gpus.stubs import OF_STUBS
from tfdoctor.checks.log.own.keras_2 import OF_KERAS_2
from tfdoctor.checks.log.own.tensorflow_1 import OF_TENSORFLOW_1
from tfdoctor.checks.log.stops.containers import OF_CONTAINERS
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.ways.gpu_words import OF_GPUS
from tfdoctor.checks.log.ways.meaning import PYTHON as _PYTHON
from tfdoctor.checks.log.ways.meaning import Meaning, typed_with
from tfdoctor.checks.log.ways.memory_told import OF_MEMORY
from tfdoctor.checks.log.ways.notebooks import OF_NOTEBOOKS
from tfdoctor.checks.log.ways.workers import OF_WORKERS
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import replace

_LOCKED = Meaning(
    "HDF5 could not lock the file. Errno 11 or 35: another process has it open, mostly a second worker that saves or reads the same "
    "file. Errno 37, 38, 95 or 524: the file system (NFS, Lustre) gives no locks.",
)
_TIMEOUT = Meaning(
    "The GPU also draws a display, and its driver ends any kernel that keeps the display waiting: a watchdog, on Windows after two "
    "seconds (TDR), under X after a few. The kernel itself may be sound and only slow.",
    (
        Fix(
            "Windows: let the display wait for a minute, in a prompt of the administrator, and restart the machine",
            (
                r"reg add HKLM\SYSTEM\CurrentControlSet\Control\GraphicsDrivers /v TdrDelay /t REG_DWORD /d 60 /f",
            ),
        ),
        Fix("Or let each step do less: a smaller batch, smaller images"),
        Fix("Or connect the display to another GPU, and compute on the one without"),
    ),
)
_NO_XLA = Meaning(
    "XLA is TensorFlow's compiler, and a build holds it only for the devices that were chosen when it was made: TensorFlow Serving's images, for "
    "instance, have none for GPUs in many releases. The GPU itself works without XLA.",
    (
        Fix(
            "Switch XLA off where the model or the program asks for it, and save the model again",
            note="Where the model is made: jit_compile=False in tf.function and model.compile, then export the model once more.",
        ),
        Fix("And take away what asks for it everywhere", ("unset TF_XLA_FLAGS",)),
    ),
)
_REFUSED_PTXAS = Meaning(
    "XLA, TensorFlow's compiler, hands its code to NVIDIA's assembler ptxas, and refuses versions that are known to make wrong code. The one that "
    "it found first is such a version: mostly of another CUDA on PATH, of a module or of a conda environment. Another version takes its place.",
    (
        Fix(
            "Install a newer assembler into the environment, and lead this shell to it",
            (
                f"{_PYTHON} -m pip install 'nvidia-cuda-nvcc-cu12>=12.4,<13'",
                "export PATH=$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')/nvidia/cuda_nvcc/bin:$PATH",
                "export XLA_FLAGS=--xla_gpu_cuda_data_dir=$(python -c 'import sysconfig; print(sysconfig.get_paths()[\"purelib\"])')/nvidia/cuda_nvcc",
            ),
            "For a notebook both variables have to be set where Jupyter is started, or in the env of its kernelspec.",
        ),
        Fix(
            "See which one is found, and take the folder of the refused one off PATH",
            ("which -a ptxas", "ptxas --version"),
        ),
    ),
)

_SOURCE_FOLDER = Meaning(
    "Python looks first into the folder in which it is started, and TensorFlow's source is there, whose Python files are found in place of the "
    "installed package. The source alone can't be imported: its compiled parts are missing.",
    (
        Fix(
            "Start the program in another folder; the second line shows which TensorFlow is found there",
            ("cd ~", f"{_PYTHON} -c 'import tensorflow; print(tensorflow.__file__)'"),
            "Where nothing is installed yet, install the wheel first; and take the source folder off PYTHONPATH.",
        ),
    ),
)

_OF_PROTOBUF = Meaning(
    "TensorFlow's own compiled part asks for a symbol of protobuf that the protobuf loaded before it does not have: another package, or a library path, brought "
    "one of another release into the process first. The files are in order by themselves.",
    (
        Fix("Install protobuf again, in the release that the installed TensorFlow was made with", (f"{_PYTHON} -m pip install --force-reinstall 'protobuf<3.9'",), "TensorFlow 1.14 and 1.15 were made with 3.8."),
        Fix("Where that changes nothing, import tensorflow before the other packages, and take foreign folders off the library path", ("unset LD_LIBRARY_PATH",)),
    ),
)  # fmt: skip

_MANAGED = Meaning(
    "This Python belongs to the system (Debian, Ubuntu, Raspberry Pi OS, Homebrew), whose own tools need its packages; so pip may not install into it (PEP 668). Nothing was installed.",
    (Fix("Install into an environment of your own", ("python3 -m venv tf", "tf/bin/python -m pip install tensorflow"), "Where Debian or Ubuntu say that venv is missing: sudo apt install python3-venv. Start programs with tf/bin/python, or after `source tf/bin/activate`."),),
)  # fmt: skip
_GIVEN_UP = Meaning(
    "TensorFlow's own package has had GPU support since 2.1. tensorflow-gpu ended with an empty 2.12.0 that can't be installed on any Python.",
    (Fix("Install tensorflow instead of tensorflow-gpu", (f"{_PYTHON} -m pip install tensorflow",), "In requirements.txt, write tensorflow instead of tensorflow-gpu. On Linux tensorflow[and-cuda] brings NVIDIA's libraries. Where another package requires tensorflow-gpu, update that package."),),
)  # fmt: skip

_GLOBBED = Meaning(
    "In zsh, the shell of macOS, square brackets and stars stand for file names. No file fits the name, so zsh stopped before the command was run. Nothing was installed or changed.",
    (Fix("Put the name between quotes, so that zsh hands it over as it is", ("python -m pip install 'PACKAGE[EXTRA]'",), "With the names of your command in place of these."),),
)  # fmt: skip

MEANINGS: Mapping[str, Meaning] = {
    **OF_AMD,
    **OF_DESKTOPS,
    **OF_PLUGINS,
    **OF_GPUS,
    **OF_MODELS,
    **OF_MEMORY,
    **OF_NOTEBOOKS,
    **OF_CONTAINERS,
    **OF_STUBS,
    **OF_WORKERS,
    **OF_KERAS_2,
    **OF_TENSORFLOW_1,
    "hdf5-lock": _LOCKED,
    "launch-timeout-name": _TIMEOUT,
    "launch-timeout-words": _TIMEOUT,
    "hdf5-lock-synchronously": _LOCKED,
    "ptxas-refused": _REFUSED_PTXAS,
    "xla-no-compiler": _NO_XLA,
    "tensorflow-source-folder": _SOURCE_FOLDER,
    "tensorflow-protobuf-symbol": _OF_PROTOBUF,
    "package-globbed": _GLOBBED,
    "package-removed": _GIVEN_UP,
    "python-externally-managed": _MANAGED,
}
"""By the signature's name."""


def words_of(name: str) -> str:
    return MEANINGS[name].words if name in MEANINGS else ""


def fixes_of(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """Those of the text that proves most of the code, of equals the one with a meaning of its own; () where the page's are meant."""
    surest = min(
        told.of(code), key=lambda each: (Confidence(each.sure).rank, each.name not in MEANINGS), default=None
    )
    return fixes_of_text(surest.name, facts) if surest is not None else ()


def fixes_of_text(name: str, facts: Facts) -> tuple[Fix, ...]:
    """() where the text has no ways out of its own."""
    found = MEANINGS[name].fixes if name in MEANINGS else ()
    python = interpreter(facts)
    return tuple(
        replace(each, commands=tuple(typed_with(python, line) for line in each.commands)) for each in found
    )
