"""TensorFlow in a program of Node.js, Java, .NET or C: CUDA's libraries have to be found by the system's loader, and no Python brings them."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.checks.log.ways.releases import missing_libraries
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.model import Fix
from tfdoctor.light.expressions import Expression  # reads no log: the number in a library's name

_CUDA_11 = (
    "python3 -m venv cuda-11",
    "cuda-11/bin/python -m pip install nvidia-cuda-runtime-cu11 nvidia-cublas-cu11 nvidia-cufft-cu11 nvidia-curand-cu11 nvidia-cusolver-cu11 nvidia-cusparse-cu11 'nvidia-cudnn-cu11>=8.6,<9'",
    'export LD_LIBRARY_PATH="$(echo $PWD/cuda-11/lib/python3*/site-packages/nvidia/*/lib | tr " " :)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"',
)
_ONLY_THE_WAY = "Python is only the way to the files; nothing of it is needed afterwards."
_NODE = (
    Fix(
        "Install the libraries of CUDA 11 and cuDNN 8 into a folder of their own, and start Node.js from this shell",
        _CUDA_11,
        f"@tensorflow/tfjs-node-gpu brings a TensorFlow that is built for CUDA 11. {_ONLY_THE_WAY}",
    ),
    Fix(
        "Where no GPU is wanted, use the package without CUDA, which asks for none of these",
        ("npm uninstall @tensorflow/tfjs-node-gpu", "npm install @tensorflow/tfjs-node"),
        "In your files: import from \"@tensorflow/tfjs-node\".",
    ),
)  # fmt: skip
_OTHERS = Fix(
    "Install the libraries of CUDA 11 and cuDNN 8 into a folder of their own, and start the program from this shell",
    _CUDA_11,
    _ONLY_THE_WAY,
)
_OLD = Expression(r"\.so\.(?P<cuda>9\.0|10\.[01])$|64_(?P<major>9|10)(?P<minor>[01])\.dll$")
"""Libraries whose names carry the release of an old CUDA."""
_WINDOWS = Fix(
    "See which of these DLLs Windows finds on PATH. It changes nothing",
    ("where.exe {dlls}",),
    "Not found: install CUDA {cuda} and its cuDNN from NVIDIA's archives, put their folders bin on PATH, and start the program from a new window. Another release of CUDA may stay beside it.",
)
NEWER_NODE = (
    Fix(
        "Take the newest package of TensorFlow.js for the GPU: the TensorFlow that it brings holds code for more generations",
        ("npm uninstall @tensorflow/tfjs-node-gpu", "npm install @tensorflow/tfjs-node-gpu"),
        "The TensorFlow 1.14 and 1.15 of its releases 1.x begin at compute capability 6.0; later ones hold 3.5 and newer.",
    ),
    Fix("Or use the package for processors alone", ("npm uninstall @tensorflow/tfjs-node-gpu", "npm install @tensorflow/tfjs-node")),
)  # fmt: skip
"""For a GPU that the one that is there holds no code for (TensorFlow issues 36853 and 38971)."""


def of_no_python(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where the names of the libraries tell no CUDA."""
    missing = missing_libraries(told)
    old = next((found for each in missing if (found := _OLD.search(each))), None)
    cuda = "" if old is None else old["cuda"] or f"{old['major']}.{old['minor']}"
    if value_or(facts.host.os, "linux") == "windows" or any(each.endswith(".dll") for each in missing):
        return (_of_windows(tuple(missing), cuda or "11.2"),) if missing else ()
    if cuda:
        return (_of_conda(cuda),)
    if not any(each.endswith((".so.11", ".so.11.0", ".so.8")) for each in missing):
        return ()
    return _NODE if shown(facts).node else (_OTHERS,)


def _of_windows(missing: tuple[str, ...], cuda: str) -> Fix:
    lines = tuple(each.format(dlls=" ".join(missing)) for each in _WINDOWS.commands)
    return Fix(_WINDOWS.title, lines, _WINDOWS.note.format(cuda=cuda))


def _of_conda(cuda: str) -> Fix:
    """conda is the only place that still has these as packages."""
    channel, name = ("anaconda" if cuda == "9.0" else "conda-forge"), f"cuda-{cuda}"
    return Fix(
        f"Install the libraries of CUDA {cuda} and cuDNN 7 into a folder of their own, by conda, and start the program from this shell",
        (
            f"conda create --yes --name {name} --channel {channel} cudatoolkit={cuda} cudnn=7.6",
            f"conda activate {name}",
            'export LD_LIBRARY_PATH="$CONDA_PREFIX/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"',
        ),
        "Nothing of conda's Python is needed; NVIDIA's own installer of that CUDA does it, too.",
    )


DOTNET = (
    Fix(
        "See which packages of TensorFlow's native library the project has. It changes nothing",
        ("dotnet list package --include-transitive",),
        "Only one may be there: beside one for GPUs (SciSharp.TensorFlow.Redist-Windows-GPU) take the others out (SciSharp.TensorFlow.Redist, Microsoft.ML.TensorFlow.Redist), build for x64, and delete bin and obj.",
    ),
    Fix(
        "With the one for GPUs alone, see which DLLs of CUDA Windows finds on PATH",
        ("where.exe cudart64*.dll cudnn64_*.dll",),
        "They have to be of the very release that this native library opens; its package's page names it.",
    ),
)
"""For a program of .NET that lists no GPU and does not say why."""
