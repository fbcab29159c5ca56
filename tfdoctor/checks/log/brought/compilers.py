"""NVIDIA's compiler, where a program or a build of TensorFlow compiles for the GPU: the toolkit and the card are of two times, or one is not found."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.light.records import record

_ARCHITECTURE, _HOST, _TOOLKIT = "nvcc-architecture", "nvcc-host-compiler", "toolkit-not-where-looked"
NAMES = (_ARCHITECTURE, _HOST, _TOOLKIT)
_TOO_NEW = "gpu-too-new-for-build"


@record
class Known:
    """The first CUDA whose nvcc knows an architecture, and the first that does not know it any more ("" for none so far)."""

    first: str
    gone: str = ""


_KNOWN = {
    30: Known("4.2", "11.0"), 32: Known("6.0", "11.0"), 35: Known("5.0", "12.0"), 37: Known("6.5", "12.0"), 50: Known("6.0", "13.0"), 52: Known("6.5", "13.0"),
    53: Known("7.0", "13.0"), 60: Known("8.0", "13.0"), 61: Known("8.0", "13.0"), 62: Known("8.0", "13.0"), 70: Known("9.0", "13.0"), 72: Known("9.2", "13.0"),
    75: Known("10.0"), 80: Known("11.0"), 86: Known("11.1"), 87: Known("11.4"), 89: Known("11.8"), 90: Known("11.8"), 100: Known("12.8"), 103: Known("12.9"),
    120: Known("12.8"), 121: Known("12.9"),
}  # fmt: skip
"""By the number of an architecture (release notes of the CUDA toolkit, 5.0 to 13.0, read 2026-11)."""
_WORDS = "nvcc, the compiler of the CUDA toolkit, makes code for certain generations of GPUs, which are named by their compute capability: sm_86 and compute_86 are 8.6. What fails is a program or a build that compiles for the GPU itself; a TensorFlow from pip is compiled already."
_NEWER_TITLE = "nvcc does not know {value}: the CUDA toolkit that compiles here is older than {first}, the first for such GPUs."
_OLDER_TITLE = "nvcc does not know {value} any more: CUDA {gone} took that generation of GPUs out, and the build still asks for it."
_NONE_TITLE = "nvcc is asked for {value}, which is no compute capability that a toolkit knows."
_TYPED_TITLE = "nvcc does not know {value}: mostly the release of CUDA, {number}, was given where compute capabilities are asked for."
_NONE = " Where a build asks for compute capabilities, numbers such as 7.5 or 8.6 are meant, those of your GPU; the release of CUDA (10.1, for instance) is another number."
_CUDA_RELEASES = (91, 92, 101, 102, 111, 112, 113, 114, 115, 116, 117, 118)
"""Releases of CUDA as an architecture would be written. Of them 101 alone is one, too, for CUDA 12.8 and 12.9 (NVIDIA's Thor)."""
_LOOK = Fix(
    "See which nvcc is found, and which toolkits this machine has. It changes nothing",
    ("nvcc --version", "ls -d /usr/local/cuda*"),
    "Where a new enough one is there, put its folder bin first: export PATH=/usr/local/cuda-12/bin:$PATH, with that folder's name. In a Dockerfile: begin with an image nvidia/cuda of such a release whose tag says devel.",
)
_OWN_CARD = Fix(
    "Have it build for the GPU of this machine alone. The first line shows its compute capability, the second names it to TensorFlow's build",
    ("nvidia-smi --query-gpu=name,compute_cap --format=csv", "export TF_CUDA_COMPUTE_CAPABILITIES=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sort -u | paste -sd,)"),
    "Then run ./configure again. Other programs name it in their Makefile, setup.py or CMake files: -gencode arch=compute_86,code=sm_86, with your number.",
)  # fmt: skip
_OLDER_CARD = Fix("Or compile for the newest generation that this toolkit knows: newer GPUs take that code by the driver", note="In the program's options of nvcc: -gencode arch=compute_75,code=compute_75 for CUDA 10, compute_80 for 11.0. The first start is slow.")  # fmt: skip
_OF_HOST = "nvcc hands the part for the processor to the C++ compiler of the system (gcc, or Visual Studio's cl.exe on Windows), and takes no other releases of it than it knows. "
_HOST_TITLES = {
    "process": "nvcc finds no C++ compiler: Visual Studio's cl.exe is not on PATH.",
    "value": "The program finds no C++ compiler, which nvcc needs beside itself: Visual Studio's is not in the folders in which it looks.",
    "version": "nvcc of this CUDA toolkit takes no gcc newer than {version}, and finds a newer one.",
    "package": "nvcc of this CUDA toolkit does not take the Visual Studio that it finds.",
}
_GCC = (
    Fix(
        "Install that gcc beside the other, and name it to nvcc for this shell",
        ("sudo apt-get install --yes gcc-{version} g++-{version}", "export CC=gcc-{version} CXX=g++-{version} NVCC_PREPEND_FLAGS='-ccbin g++-{version}'"),
        "NVCC_PREPEND_FLAGS is read by nvcc of CUDA 10.2 and newer; older ones take -ccbin in the program's own call.",
    ),
    Fix("Or use a newer CUDA toolkit, where the program allows it: each takes newer compilers"),
)  # fmt: skip
_CL = (
    Fix("Install the Build Tools of Visual Studio with C++, and open a new prompt, in PowerShell", ("winget install --id Microsoft.VisualStudio.2022.BuildTools --override '--passive --wait --add Microsoft.VisualStudio.Workload.VCTools'",), "Each CUDA toolkit takes certain releases of Visual Studio: CUDA 10 to 11.5 2017 and 2019, 11.6 and newer 2022, too."),
    Fix("Start the program from the x64 Native Tools Command Prompt of the start menu, where cl.exe is found", note="StyleGAN looks in fixed folders: add the folder of your cl.exe to compiler_bindir_search_path in dnnlib/tflib/custom_ops.py."),
)  # fmt: skip
_TOOLKIT_TITLE = "The build does not find {file} of the CUDA toolkit{of} in the folders in which it looks."
_TOOLKIT_WORDS = "Building TensorFlow for GPUs needs NVIDIA's CUDA toolkit and cuDNN with their headers, and ./configure looks for them below /usr, /usr/local/cuda and what TF_CUDA_PATHS names. Either they are not installed, in another release than was asked for, or in another folder. A TensorFlow from pip needs no build."
_WHERE = (
    Fix(
        "See where they are. It changes nothing",
        ("ls -d /usr/local/cuda*", "find / -name cuda.h -o -name 'cudnn*.h' 2>/dev/null"),
        "Found: name the folders above include to the build, export TF_CUDA_PATHS=/usr,/usr/local/cuda, and run ./configure again. Nothing: install the toolkit and cuDNN first.",
    ),
    Fix("Where no build of one's own is needed: install TensorFlow with its CUDA from pip", ("python -m pip install 'tensorflow[and-cuda]'",)),
)  # fmt: skip


def of_compiler(saying: Saying) -> Candidate | None:
    """None for any other text."""
    if saying.name == _ARCHITECTURE:
        return _of_architecture(saying)
    if saying.name == _HOST:
        group = next(each for each in _HOST_TITLES if each in saying.told)
        return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), _OF_HOST + _WORDS.partition(". ")[2], title=_HOST_TITLES[group].format(**saying.told))  # fmt: skip
    if saying.name != _TOOLKIT:
        return None
    of = f" {saying.told['wanted']}" if saying.told.get("wanted") else ""
    title = _TOOLKIT_TITLE.format(file=saying.told["file"], of=of)
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), _TOOLKIT_WORDS, title=title)


def _of_architecture(saying: Saying) -> Candidate:
    value, known = saying.told["value"], _KNOWN.get(int(saying.told["capability"]))
    at = (place(saying),)
    if known is None:
        number = int(saying.told["capability"])
        form = _TYPED_TITLE if number in _CUDA_RELEASES else _NONE_TITLE
        return Candidate(saying.code, Confidence.CERTAIN, at, _WORDS + _NONE, title=form.format(value=value, number=f"{number // 10}.{number % 10}"))  # fmt: skip
    if known.gone:
        return Candidate(saying.code, Confidence.CERTAIN, at, _WORDS, title=_OLDER_TITLE.format(value=value, gone=known.gone))  # fmt: skip
    return Candidate(_TOO_NEW, Confidence.CERTAIN, at, _WORDS, title=_NEWER_TITLE.format(value=value, first=known.first))  # fmt: skip


def compiler_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where no compiler of CUDA's complains."""
    said = next((each for each in told.named(*NAMES) if _code_of(each) == code), None)
    if said is None:
        return ()
    if said.name == _TOOLKIT:
        return _WHERE
    if said.name == _HOST:
        version = said.told.get("version", "")
        return tuple(_with(each, version) for each in _GCC) if version else _CL
    return (_LOOK, _OLDER_CARD) if code == _TOO_NEW else (_OWN_CARD, _LOOK)


def _code_of(saying: Saying) -> str:
    found = of_compiler(saying)
    return found.code if found is not None else ""


def _with(fix: Fix, version: str) -> Fix:
    return Fix(fix.title, tuple(each.format(version=version) for each in fix.commands), fix.note)
