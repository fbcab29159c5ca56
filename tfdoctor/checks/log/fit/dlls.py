"""A DLL on Windows that another package than TensorFlow can't load: that package is what has to be installed again."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import replace

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
        f" {name} from conda uses {_BESIDE[name]}, a package of its own; two that were not made for each other are the usual reason."
        if name in _BESIDE
        else ""
    )
    how = (
        "was found in another release: it lacks a function that is asked for"
        if saying.name == "dll-procedure-missing"
        else "can't be loaded"
    )
    title = f"A DLL that {name} uses {how}."
    shown = (
        "All of the traceback's inner frames are"
        if _ending(told, saying) is not None
        else f"The part that is imported there, {_part(saying)}, is one of"
    )
    words = f"{shown} {name}'s: it is this package whose compiled part Windows does not load. TensorFlow is not what fails.{linked}"
    return Candidate("package-import-failed", Confidence.CERTAIN, (place(saying),), words, title=title)


def _ending(told: Testimony, saying: Saying) -> Ending | None:
    if not saying.name.startswith(_NAMES):
        return None
    at = (each for each in told.endings if each.how == "exception" and place(each) == place(saying))
    last = next(at, None)
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
    again = fix("install-again-from-own-wheel-brings", called=name, python=interpreter(facts))
    runtime = fix("where-changes-nothing-bring-visual-c")
    if name in _ON_THE_RUNTIME and not told.named("dll-procedure-missing"):
        return (replace(runtime, title="Bring the Visual C++ runtime up to date, in PowerShell"), replace(again, title=f"Where that changes nothing, i{again.title[1:]}"))  # fmt: skip
    if not told.named(*_CONDA):
        return (again, runtime)
    own = _OF_CONDA.get(name, name)
    both = f"{own} {_BESIDE[name]}" if name in _BESIDE else own
    conda = fix("let-conda-bring-both-from-one", both=both)
    return (again, conda, runtime)
