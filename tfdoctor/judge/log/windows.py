"""How Windows ends a program, and the DLLs that it does not find or load."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.judge.log.candidate import Candidate
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.compiled import table
from tfdoctor.knowledge.model import Confidence
from tfdoctor.knowledge.says import says

# What Windows' exit statuses say of a crash, by their number, however it is written: decimal, negative or hexadecimal.

_NUMBER = Expression(r"(?<![\w-])(?:0x[0-9a-fA-F]{8}|-?\d{10})\b")
_STACK, _FAST_FAIL = 0xC00000FD, 0xC0000409


def died_of(words: str) -> tuple[str, str]:
    """What the process died of, and who can cause that; "" twice where the words hold no such status."""
    for found in _NUMBER.finditer(words):
        number = int(found[0], 16 if found[0].startswith("0x") else 10) % (1 << 32)
        if meant := table("windows").get(code := f"0x{number:08X}"):
            return f"{meant} ({code})", _by(number)
    return "", ""


def _by(number: int) -> str:
    if number == _STACK:
        return says("native-crash", "deep-stack")
    if number == _FAST_FAIL:
        return says("native-crash", "fast-fail")
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
_OF_TENSORFLOW = (
    "tensorflow",
    "tensorflow-core",
    "tensorflow-intel",
    "tensorflow-cpu",
    "tensorflow-gpu",
    "",
)
_PARTS = {
    "cygrpc": "grpcio", "_message": "protobuf", "_upb": "protobuf", "_multiarray_umath": "numpy", "_imaging": "pillow", "cv2": "opencv-python",
    "ft2font": "matplotlib", "_check_build": "scikit-learn", "_ufuncs": "scipy", "_sparsetools": "scipy", "_arpack": "scipy", "_fblas": "scipy",
    "_flapack": "scipy", "win32api": "pywin32", "onnx_cpp2py_export": "onnx", "onnxruntime_pybind11_state": "onnxruntime",
    **dict.fromkeys(("_errors", "_objects", "_conv", "defs", "h5", "h5r", "h5t", "h5a"), "h5py"),
}  # fmt: skip
"""Compiled parts that one package alone has under that name (the file names of their wheels for Windows)."""
_CODE = "package-import-failed"


def of_another(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None for TensorFlow's own DLLs, and where neither a traceback nor the part's name tells the package."""
    name = _owner(told, saying) if saying.name.startswith(_NAMES) else ""
    if not name:
        return None
    title = says("package-import-failed", "dll-title", package=name)
    if saying.name == "dll-procedure-missing":
        title = says("package-import-failed", "procedure-title", package=name)
    fixes = (
        fix_here(facts, "reinstall", "reinstall-from-wheel", called=name),
        act("install-software", "install-visual-c-redistributable"),
    )
    return Candidate(_CODE, Confidence.CERTAIN, (place(saying),), says("package-import-failed", "dll"), title=title, fixes=fixes)  # fmt: skip


def _owner(told: Testimony, saying: Saying) -> str:
    """By the traceback's frames, else by the name of the part; "" for TensorFlow's own, and for what neither tells."""
    package = told.package_at(saying)
    part = saying.text.partition("DLL load failed while importing ")[2].partition(":")[0].strip()
    return _PARTS.get(part, "") if package in _OF_TENSORFLOW else package
