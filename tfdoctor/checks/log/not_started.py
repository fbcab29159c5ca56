"""Commands that the shell could not start: not found (127), not executable (126), or without their interpreter."""

from __future__ import annotations

from collections.abc import Mapping

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import quoted

_CODE = "command-not-started"
_NOT_FOUND = "The shell finds no program of this name on PATH (exit status 127), so nothing was run."
_ON_WINDOWS = "Windows finds no program of this name on PATH, so nothing was run."
_DENIED = "The file exists and may not be executed (exit status 126), so nothing was run."
_NO_FILE = "There is no file at this path (exit status 127), so nothing was run."
_NO_INTERPRETER = "The interpreter in the first line of the file does not exist, so nothing was run."
_POLICY = (
    "PowerShell's execution policy forbids scripts, so nothing was run; an environment was not activated."
)
_REASONS: Mapping[str, str] = {
    "command-not-found": _NOT_FOUND,
    "command-not-found-zsh": _NOT_FOUND,
    "command-not-found-dash": _NOT_FOUND,
    "command-not-found-offered": _NOT_FOUND,
    "command-not-found-words": _NOT_FOUND,
    "env-not-found": _NOT_FOUND,
    "command-not-run": _NOT_FOUND,
    "command-not-recognized": _ON_WINDOWS,
    "store-placeholder": _ON_WINDOWS,
    "scripts-not-allowed": _POLICY,
    "shell-may-not-execute": _DENIED,
    "program-of-path-missing": _NO_FILE,
    "bad-interpreter": _NO_INTERPRETER,
    "interpreter-of-script-missing": _NO_INTERPRETER,
}
"""By the message's name."""
_COMES_WITH: Mapping[str, tuple[str, str]] = {
    "nvidia-smi": ("nvidia-smi comes with the NVIDIA driver; a container gets it from the host.", "cat /proc/driver/nvidia/version"),
    "nvcc": ("nvcc comes with the CUDA toolkit. TensorFlow from pip does not need it; code that is compiled for the GPU does.", "ls -d /usr/local/cuda*/bin"),
    "python": ("Debian, Ubuntu and macOS call it python3.", "python3 --version"),
    "pip": ("pip belongs to one Python, which can start it.", "python3 -m pip --version"),
}  # fmt: skip
_LOOKS = ("nvidia-smi", "nvcc")
"""Commands that people type to look at the machine."""


def not_started(saying: Saying) -> Candidate | None:
    """The finding for a command that was not started; None for any other message."""
    reason = _REASONS.get(saying.name)
    if reason is None:
        return None
    program = _program(saying)
    comes_with = _COMES_WITH.get(_name(program), ("", ""))[0]
    title = f"The shell could not start {program or 'the script'}."
    words = f"{reason} {comes_with}".strip()
    return Candidate(_CODE, Confidence(saying.sure), (place(saying),), words, title=title)


def is_look(told: Testimony, saying: Saying) -> bool:
    """Whether somebody only looked at the machine with a tool that is missing, beside the actual failure."""
    if saying.name not in _REASONS or _name(_program(saying)) not in _LOOKS:
        return False
    raised = [each.what.lower() for each in told.endings if each.how == "exception"]
    if any(_name(_program(saying)) in each for each in raised):
        return False  # the program itself called it
    others = (each for each in told.sayings if each.role == "cause" and each.name not in _REASONS)
    return any(others) or any(each.how in ("exception", "signal") for each in told.endings)


def without_activation(told: Testimony, saying: Saying) -> bool:
    """Whether PowerShell ran no script, and a program that lacked nothing of an environment's was started after it."""
    raised = [each.what for each in told.endings if each.how == "exception"]
    lacking = any("No module named" in each for each in raised)
    return saying.name == "scripts-not-allowed" and bool(raised) and not lacking


def start_fixes(code: str, told: Testimony) -> tuple[Fix, ...]:
    """() where every command was started."""
    said = next((each for each in told.of(code) if each.name in _REASONS), None)
    if said is None:
        return ()
    program, reason = _program(said), _REASONS[said.name]
    if reason is _POLICY:
        return (fix("allow-scripts-in-window"),)
    if reason is _ON_WINDOWS:
        return (fix("find-installed-pythons"),)
    if reason in (_DENIED, _NO_FILE):
        return (Fix("Look at the file", (quoted("ls", "-l", program),), "Start a Python file with its interpreter: python3 FILE."),)  # fmt: skip
    if reason is _NO_INTERPRETER:
        return (Fix("Look at the first line of the file", (quoted("head", "-n", "1", program or "FILE"),), "A virtual environment that was moved or copied has to be made again."),)  # fmt: skip
    look = Fix("See where the shell looks for it", (quoted("type", "-a", program), 'echo "$PATH"'), "Activate the environment that has the program, load its module, or install it.")  # fmt: skip
    known = _COMES_WITH.get(_name(program))
    return (Fix(f"Look for {_name(program)}", (known[1],)), look) if known else (look,)


def _program(saying: Saying) -> str:
    return saying.told.get("process") or saying.told.get("file") or ""


def _name(program: str) -> str:
    """ "pip" of /opt/env/bin/pip3.10."""
    return program.rpartition("/")[2].rstrip("0123456789.")
