"""Windows' 0xC0000409: any native code ends a process so when it finds something broken; only what stands before it can say why."""

from __future__ import annotations

from tfdoctor.checks.log.around.windows_ends import died_of
from tfdoctor.checks.log.candidate import Candidate, question
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
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
_TERMINAL = fix("start-in-terminal-cmd-or-powershell")
_PROCESSOR = fix("if-nothing-stands-try-once-on")
_WHERE = fix("see-these-windows-finds-what-does")
_FOLDER = fix("put-whole-bin-folder-cudnn-on")


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
