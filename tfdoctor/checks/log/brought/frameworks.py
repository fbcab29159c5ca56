"""PyTorch, CuPy and numba beside TensorFlow: what their words about the GPU mean, and what helps where TensorFlow's ways out do not."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.checks.log.ways.meaning import PYTHON, Meaning
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.findings.pages import ways_out

_TORCH = "torch torchvision torchaudio"
_AGAIN = Fix(
    "Install the newest PyTorch in its build for CUDA",
    (f"{PYTHON} -m pip uninstall --yes {_TORCH}", f"{PYTHON} -m pip install {_TORCH}"),
    "On Windows pip alone brings the build for the processor: take the command that PyTorch's page Get Started prints for your system and a CUDA.",
)
_SEEN = Fix("See which GPU it is, and which CUDA the driver serves. It changes nothing", ("nvidia-smi",))
_PROCESSOR = Fix(
    "Or let the program compute on the processor",
    note='In your files: device = "cuda" if torch.cuda.is_available() else "cpu"; many programs have an option --device cpu or --cpu.',
)
_HERE = Fix(
    "See whether the driver answers where the program runs: in the same container, pod or job. It changes nothing",
    ("nvidia-smi",),
    "A table of GPUs on the host alone: the container was started without the GPU. No such command on the host itself: it has no NVIDIA driver.",
)
OF_FRAMEWORKS: Mapping[str, Meaning] = {
    "torch-without-cuda": Meaning(
        "The program asks PyTorch for the GPU, and the PyTorch that is installed is the build for processors, which has no code for any GPU. GPU and driver may be in order, and TensorFlow is not what fails.",
        (
            _AGAIN,
            _PROCESSOR,
        ),
    ),
    "torch-gpu-too-new": Meaning(
        "PyTorch holds compiled code for the generations of GPUs that it lists in its next line, and this GPU is of another one, mostly a newer one. The driver is in order, and TensorFlow is not what fails.",
        (_AGAIN,),
    ),
    "cupy-gpu-too-new": Meaning(
        "NVRTC, CUDA's compiler at run time, was asked for code for this GPU and does not know its generation: that NVRTC is of a CUDA from before this GPU. TensorFlow is not what fails.",
        (
            _SEEN,
            Fix("Take CuPy for CUDA 12, where it is CuPy that asks", (f"{PYTHON} -m pip uninstall --yes cupy-cuda11x cupy-cuda110 cupy-cuda102", f"{PYTHON} -m pip install cupy-cuda12x")),
        ),
    ),
    "torch-cudnn-not-initialized": Meaning(
        "cuDNN could not be set up for PyTorch. Mostly no GPU memory is left for it, because TensorFlow in the same program or another program has reserved all; a driver that is too old for this PyTorch ends so, too.",
        (
            Fix("See who holds the GPU's memory. It changes nothing", ("nvidia-smi",)),
            Fix("Where TensorFlow is in the same program, let it take memory as it needs it", ("export TF_FORCE_GPU_ALLOW_GROWTH=true",)),
        ),
    ),
    "torch-driver-too-old": Meaning(
        "PyTorch brings its CUDA along and needs a driver that serves it. The number in the message is the newest CUDA that this driver serves. TensorFlow is not what fails.",
    ),
}  # fmt: skip
"""By the signature's name."""
_TITLES = {
    "torch-without-cuda": "The installed PyTorch was built without CUDA, and the program asks it for the GPU.",
    "torch-gpu-too-new": "The installed PyTorch has no code for this GPU ({gpu}, {capability}).",
    "cupy-gpu-too-new": "NVRTC, CUDA's compiler at run time, does not know this GPU: it is older than the GPU.",
    "torch-cudnn-not-initialized": "cuDNN could not be set up for PyTorch: mostly no GPU memory was left for it.",
    "torch-driver-too-old": "The driver serves CUDA {cuda}, and the installed PyTorch needs a driver for a newer one.",
    "xid-of-a-program": "The driver reports Xid {xid}: a program's own work on the GPU failed, mostly by an access to memory that is not its own.",
}


def of_framework(saying: Saying) -> Candidate | None:
    """None for texts of other programs, and for those of which the code's own words are as good."""
    title = _TITLES.get(saying.name)
    if title is None:
        return None
    words = OF_FRAMEWORKS[saying.name].words if saying.name in OF_FRAMEWORKS else ""
    told = {**saying.told, "cuda": _cuda(saying.told.get("number", ""))}
    return Candidate(
        saying.code, Confidence(saying.sure), (place(saying),), words, title=title.format(**told)
    )


def demanded_fixes(told: Testimony) -> tuple[Fix, ...]:
    """Where a framework ended the program for lack of a driver, it is no way out to need none; () elsewhere."""
    said = told.named("torch-no-driver", "numba-no-driver")
    ended = any("Warning" not in each.text for each in said)
    return (_HERE, *ways_out("container-without-gpu")[:1], _PROCESSOR) if ended else ()


def _cuda(number: str) -> str:
    """CUDA's number for its release, 11040 for 11.4 (cudaDriverGetVersion: 1000 times the major and 10 times the minor)."""
    return f"{int(number) // 1000}.{int(number) % 1000 // 10}" if number else ""
