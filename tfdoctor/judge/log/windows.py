"""How Windows ends a program, and the DLLs that it does not find or load."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.fix.commands import quoted
from tfdoctor.judge.log.candidate import Candidate
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.model import Confidence, Fix

# What Windows' exit statuses say of a crash, by their number, however it is written: decimal, negative or hexadecimal.

_WORDS = {
    0xC0000005: "invalid memory access",
    0xC0000006: "a file's page could not be read from disk",
    0xC000001D: "an instruction that the CPU lacks",
    0xC0000094: "division by zero",
    0xC00000FD: "stack overflow",
    0xC0000374: "heap corruption",
    0xC0000409: "fast-fail",
    0xC0000417: "invalid parameter for the C library",
    0xC0000420: "failed assertion",
}
"""The numbers of ntstatus.h, by "Common Process Termination Values" of Microsoft's archived blogs and by public copies of that header
(read 2026-11-22; Microsoft's own table, [MS-ERREF] 2.3.1, could not be opened). 0xC0000409 was a damaged stack once; today any native code ends a process with it that finds something broken."""
_NUMBER = Expression(r"(?<![\w-])(?:0x[0-9a-fA-F]{8}|-?\d{10})\b")
_STACK, _FAST_FAIL = 0xC00000FD, 0xC0000409


def died_of(words: str) -> tuple[str, str]:
    """What the process died of, and who can cause that; "" twice where the words hold no such status."""
    for found in _NUMBER.finditer(words):
        number = int(found[0], 16 if found[0].startswith("0x") else 10) % (1 << 32)
        if number in _WORDS:
            return f"{_WORDS[number]} (0x{number:08X})", _by(number)
    return "", ""


def _by(number: int) -> str:
    if number == _STACK:
        return "Usually functions that call each other without end, or a very deep model."
    if number == _FAST_FAIL:
        return "Compiled code found an error and stopped the program. The line that says which, such as Check failed or the name of a DLL, is not in this log; editors such as PyCharm often lose it."
    return ""


# A DLL on Windows that another package than TensorFlow can't load: that package is what has to be installed again.

_NAMES = (
    "dll-procedure-missing",
    "dll-not-found-",
    "dll-init-",
    "winerror-126",
    "winerror-1114",
    "dll-load-failed",
)
_OF_TENSORFLOW = ("tensorflow", "tensorflow-core", "tensorflow-intel", "tensorflow-cpu", "tensorflow-gpu", "")
_BESIDE = {
    "h5py": "hdf5",
    "scipy": "openblas",
    "numpy": "libblas",
    "matplotlib": "freetype",
    "pillow": "libjpeg-turbo",
    "pandas": "numpy",
}
"""What conda's package of that name is linked with (conda-forge's feedstocks)."""
_OF_CONDA = {"opencv-python": "opencv"}
"""Where conda-forge has another name for it than the package index."""
_CONDA = ("of-conda", "of-miniforge")
_ON_THE_RUNTIME = ("mediapipe", "onnxruntime", "jaxlib")
"""Their wheels bring no copy of Microsoft's runtime, and fail so on a Windows without it (google-ai-edge/mediapipe#1839, 2021-04; their own notes on installing)."""
_PARTS = {
    "cygrpc": "grpcio", "_message": "protobuf", "_upb": "protobuf", "_multiarray_umath": "numpy", "_imaging": "pillow", "cv2": "opencv-python",
    "ft2font": "matplotlib", "_check_build": "scikit-learn", "_openmp_helpers": "scikit-learn", "_ufuncs": "scipy", "_sparsetools": "scipy", "_arpack": "scipy",
    "_fblas": "scipy", "_flapack": "scipy", "_superlu": "scipy", "win32api": "pywin32", "onnx_cpp2py_export": "onnx", "onnxruntime_pybind11_state": "onnxruntime",
    **dict.fromkeys(("_errors", "_objects", "_conv", "defs", "h5", "h5r", "h5t", "h5a", "utils"), "h5py"),
}  # fmt: skip
"""Compiled parts that one package alone has under that name (the file names of their wheels for Windows)."""
_IMPORTING = "DLL load failed while importing "


def of_another(told: Testimony, saying: Saying) -> Candidate | None:
    """None for TensorFlow's own DLLs, and where no traceback names the package."""
    name = _owner(told, saying)
    if not name:
        return None
    linked = (
        f" conda's {name} needs a matching {_BESIDE[name]}; usually the two don't match."
        if name in _BESIDE
        else ""
    )
    how = (
        "was found in the wrong version: it lacks a function"
        if saying.name == "dll-procedure-missing"
        else "can't be loaded"
    )
    title = f"A DLL that {name} uses {how}."
    shown = (
        f"The traceback ends in {name}:"
        if _ending(told, saying) is not None
        else f"{_part(saying)} belongs to {name}:"
    )
    words = f"{shown} it fails, not TensorFlow.{linked}"
    return Candidate("package-import-failed", Confidence.CERTAIN, (place(saying),), words, title=title)


def _ending(told: Testimony, saying: Saying) -> Ending | None:
    if not saying.name.startswith(_NAMES):
        return None
    last = told.raised_at(saying)
    return last if last is not None and last.package not in _OF_TENSORFLOW else None


def _part(saying: Saying) -> str:
    return saying.text.partition(_IMPORTING)[2].partition(":")[0].strip()


def _owner(told: Testimony, saying: Saying) -> str:
    """By the traceback's frames, else by the name of the part; "" for TensorFlow's own, and for what neither tells."""
    last = _ending(told, saying)
    if last is not None:
        return last.package
    return _PARTS.get(_part(saying), "") if saying.name.startswith(_NAMES) else ""


def dll_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no other package's DLL failed."""
    name = next((owner for each in told.sayings if (owner := _owner(told, each))), "")
    if code != "package-import-failed" or not name:
        return ()
    again = fix_here(facts, "reinstall", "reinstall-from-wheel", called=name)
    runtime = act("install-software", "install-visual-c-redistributable")
    if name in _ON_THE_RUNTIME and not told.named("dll-procedure-missing"):
        return (replace(runtime, title="Update the Visual C++ runtime (PowerShell)"), again)
    if not told.named(*_CONDA):
        return (again, runtime)
    own = _OF_CONDA.get(name, name)
    both = quoted(own, _BESIDE[name]) if name in _BESIDE else own
    conda = act("reinstall", "reinstall-both-from-one-channel", both=both)
    return (again, conda, runtime)
