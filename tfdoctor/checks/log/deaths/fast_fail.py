"""Windows' 0xC0000409: any native code ends a process so when it finds something broken; only what stands before it can say why."""

from __future__ import annotations

from tfdoctor.checks.log.around.windows_ends import died_of
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.model import Confidence, Fix

_NAME, _CUDNN, _CRASH = "fast-fail", "windows-cudnn-dll-missing", "native-crash"
_NUMBER = "0xC0000409"
_ON_A_GPU = (
    "gpu-created",
    "gpu-created-old",
    "cudnn-loaded",
    "cudnn-loaded-other",
    "cudnn-loaded-other-old",
)
_TITLE = "Windows ended the program at its first work on the GPU{behind}: mostly a helper DLL of cuDNN, or zlibwapi.dll, is not found."
_WORDS = (
    "Native code ends a process in this way (0xC0000409) when it finds something broken. Where TensorFlow had just set up the GPU, it is mostly cuDNN: it consists of several DLLs, and its releases 8.3 to 8.9 need zlibwapi.dll as well; the main DLL was "
    "found, and another one was not. Too little memory on the GPU, or a cuDNN of another release than TensorFlow was built for, ends so, too. An editor such as PyCharm mostly does not show the line that would tell."
)
_TERMINAL = Fix(
    "Start it in a terminal (cmd or PowerShell) in place of the editor: the last lines before the end mostly say why, and editors often lose them",
    ("python train.py",),
    "A line with Check failed, with F in front, or with the name of a DLL is the cause. With your program's name, in the same environment.",
)
_PROCESSOR = Fix(
    "If nothing stands there, try it once on the processor, in PowerShell: where it then runs, it is the GPU's libraries or memory",
    ('$env:CUDA_VISIBLE_DEVICES = "-1"', "python train.py"),
    "In cmd: set CUDA_VISIBLE_DEVICES=-1",
)
_WHERE = Fix(
    "See which of these Windows finds. What it does not find is missing, or its folder is not on PATH. It changes nothing",
    ("where.exe zlibwapi.dll cudnn64_8.dll cudnn_ops_infer64_8.dll cudnn_cnn_infer64_8.dll",),
)
_FOLDER = Fix(
    "Put the whole bin folder of your cuDNN on PATH, with zlibwapi.dll (64 bits) in it. In PowerShell, for this window, with your own folder",
    ('$env:PATH = "C:\\tools\\cudnn\\bin;" + $env:PATH',),
    "cuDNN's own installation guide for Windows tells where zlibwapi.dll comes from. TensorFlow 2.5 to 2.10 were built with cuDNN 8.1, which does without it.",
)


def of_fast_fail(told: Testimony, saying: Saying) -> Candidate | None:
    """None for other words."""
    if saying.name != _NAME:
        return None
    if not told.named(*_ON_A_GPU):
        return Candidate(_CRASH, Confidence.POSSIBLE, (place(saying),))
    version = next((each.told["version"] for each in told.named("cudnn-loaded")), "")
    behind = f", behind cuDNN {_shown(version)}" if version else ""
    opened = question((_CUDNN, _CRASH), "cuda_libraries.libraries")
    return Candidate(_CUDNN, Confidence.POSSIBLE, (place(saying),), _WORDS, opened, _TITLE.format(behind=behind))  # fmt: skip


def _shown(version: str) -> str:
    """As cuDNN writes it in one number: 8400 is 8.4, 90300 is 9.3."""
    number = int(version)
    return f"{number // 10000}.{number // 100 % 100}" if number >= 90000 else f"{number // 1000}.{number // 100 % 10}"  # fmt: skip


def fast_fail_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where it was no such end, or where another line names the DLL."""
    if code == _CUDNN and told.of(_CUDNN) and all(each.name == _NAME for each in told.of(_CUDNN)):
        return (_WHERE, _FOLDER, _TERMINAL)
    ends = any(_NUMBER in died_of(each.what)[0] and not each.package for each in told.endings)
    return (_TERMINAL, _PROCESSOR, _WHERE) if code == _CRASH and ends else ()
