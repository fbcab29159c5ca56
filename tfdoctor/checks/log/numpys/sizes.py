"""NumPy's compiled form (ABI) as the log tells it: which side is older, whose compiled part asks, and the range that fits.

An extension that was compiled against one NumPy runs with it and with newer ones of the same major. NumPy 1.20 and 1.22 each lengthened its
arrays by a pointer (80, 88, 96 bytes on 64 bits), and NumPy 2.0 shortened its types (96 to 88); Cython compares what is there with what it
was compiled with (PyArrayObject_fields and PyArray_Descr in numpy/ndarraytypes.h, read 2026-11-23).
"""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.around.releases import minor
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.modules.absent import project_of
from tfdoctor.checks.log.numpys.exchanged import exchanged_fixes
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

SIZES = "numpy-dtype-size"
_RETURNED = "numpy-return-value"
_FIRST = {
    ("numpy.ufunc", "216", "192"): "1.16", ("numpy.ndarray", "88", "80"): "1.20", ("numpy.ndarray", "96", "80"): "1.22", ("numpy.ndarray", "96", "88"): "1.22", ("numpy.dtype", "88", "96"): "2.0",
}  # fmt: skip
"""By the object, its length when the part was compiled, and its length here: the first NumPy that the part can work with."""
_KEPT_OLD_NAMES = ((2, 6), (2, 11))
"""These run with NumPy 1.20 to 1.23: 1.24 removed names that some of them use. The metadata of 2.6 says ~=1.19.2, and conda's build of it was seen
to fail with what that brings (conda/conda#11046)."""
_RANGE = ">=1.20,<1.24"


def of_sizes(told: Testimony, saying: Saying) -> Candidate | None:
    """None where the line tells no sizes, or where the installed NumPy is the newer side, as the page says."""
    newer = _newer(saying)
    if not newer:
        return None
    who = _culprit(told, saying)
    whose = who or "A compiled part"
    words = (
        f"{whose} was compiled against NumPy {newer} or newer, whose objects have another length than those of the NumPy that is installed, which is "
        "older: it can't work with that. The two lengths in the message tell it. Nothing is damaged."
    )
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=f"{whose} was compiled for a newer NumPy than the installed one: it needs {newer} or newer.")  # fmt: skip


def _newer(saying: Saying) -> str:
    """The first NumPy that the compiled part can work with, where the installed one is older; "" else."""
    told = saying.told
    if saying.name != SIZES:
        return ""
    return _FIRST.get((told["symbol"], told.get("wanted", ""), told.get("version", "")), "")


def _culprit(told: Testimony, saying: Saying) -> str:
    """The package whose compiled part was imported; "" where no frame is told."""
    compiled = [each.told["module"] for each in told.named("cython-frame") if place(each) < place(saying)]
    if compiled and compiled[-1] != "numpy":
        return project_of(compiled[-1])
    at = [each for each in told.endings if each.how == "exception" and place(each) == place(saying)]
    asking = [each for each in (at[0].through if at else ()) if each not in _NO_CULPRITS]
    return asking[-1] if asking else ""


_NO_CULPRITS = ("numpy", "IPython", "ipykernel")
_OF_NUMPY_1 = ("numpy-array-api", "numpy-1-under-2")
_ABI = (*_OF_NUMPY_1, SIZES, "numpy-core-import", "numpy-unreported")


def of_abi(told: Testimony, saying: Saying) -> Candidate | None:
    """Whose compiled part it is; None for TensorFlow's own, and where no line tells."""
    who = _of_run(told) if saying.name in _ABI else ""
    one = told.named(*_OF_NUMPY_1)
    version = _of_numpy(told)
    if not who or who.startswith("tensorflow"):
        return _of_some_part(told, saying, version) if one and version != "2" else None
    title = f"{who} was compiled for NumPy 1, and NumPy {version} is installed." if one else f"{who} was compiled for another NumPy than the installed one."  # fmt: skip
    words = f"The compiled part that fails is one of {who}'s. Such parts are built against one binary form (ABI) of NumPy, and NumPy 2 changed that form. Nothing is damaged: the two are of different times."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _of_numpy(told: Testimony) -> str:
    """The NumPy that is installed, which its words name in their first or second line."""
    said = told.named("numpy-1-under-2", "numpy-2-named")
    return next((each.told["version"] for each in said if "version" in each.told), "2")


def _of_some_part(told: Testimony, saying: Saying, version: str) -> Candidate | None:
    """A compiled part that no line names: NumPy's own words tell both sides all the same."""
    if saying.name not in _ABI:
        return None
    words = f"Compiled parts of packages are built against one binary form (ABI) of NumPy, and NumPy 2 changed that form. One that was built for NumPy 1 is loaded here, with NumPy {version}; these lines do not name it, the frames below NumPy's own words do. Nothing is damaged: the two are of different times."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=f"A compiled part was built for NumPy 1, and NumPy {version} is installed.")  # fmt: skip


def _of_run(told: Testimony) -> str:
    """The first that any of these lines names; "" for none."""
    return next((who for each in told.named(*_ABI) if (who := _culprit(told, each))), "")


def abi_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where no package but TensorFlow is named, or the older side is NumPy."""
    who = _of_run(told)
    if not who or who.startswith("tensorflow") or any(_newer(each) for each in told.named(SIZES)):
        return ()
    python, keep = interpreter(case.facts), keeping_tensorflow(case.facts)
    back = fix("go-back-to-numpy-1-for", python=python, keep=keep)
    update = fix("or-update-whose-newer-releases-are", who=who, python=python, keep=keep)
    return (back, update)


def of_returned(case: Case, saying: Saying) -> Candidate | None:
    """An old TensorFlow that could not make its own types known to NumPy: None for releases whose partner can be NumPy 2."""
    release = _release(case)
    if saying.name != _RETURNED or not release or release > _KEPT_OLD_NAMES[1]:
        return None
    name = value_or(case.facts.tensorflow.version, "")
    words = f"TensorFlow adds a type of its own (bfloat16) to NumPy when it is imported. That fails where the NumPy that is installed is older than the one which this build was compiled against, or is NumPy 2, which TensorFlow {name} does not know. Nothing is damaged."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=f"The installed NumPy does not fit this build of TensorFlow {name}.")  # fmt: skip


def _release(case: Case) -> tuple[int, int] | None:
    version = case.facts.tensorflow.version
    return minor(str(version.value)) if isinstance(version, Known) else None


def size_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the log does not tell which side is older, or names no old release."""
    python, facts = interpreter(case.facts), case.facts
    if again := exchanged_fixes(facts, told):
        return again
    short = [each for each in told.named(SIZES) if _newer(each)]
    if short:
        return _for_a_newer(case, told, short[0])
    release = _release(case)
    if not any(of_returned(case, each) for each in told.named(_RETURNED)) or release is None:
        return ()
    if release < _KEPT_OLD_NAMES[0] or _is_3_6(case):
        return ()
    title = f"Install the newest NumPy that TensorFlow {value_or(facts.tensorflow.version, '')} works with, 1.20 to 1.23"
    note = "pip may say that TensorFlow's metadata asks for another one; both then work all the same."
    return (Fix(title, (f'{python} -m pip install --upgrade "numpy{_RANGE}"',), note),)


def _is_3_6(case: Case) -> bool:
    python = case.facts.interpreter.version
    return isinstance(python, Known) and python.value.feature == "3.6"


def _for_a_newer(case: Case, told: Testimony, saying: Saying) -> tuple[Fix, ...]:
    python, lowest, who = interpreter(case.facts), _newer(saying), _culprit(told, saying)
    upper = ",<2" if lowest != "2.0" else ""
    update = fix(
        "update-numpy-to-or-newer-as",
        lowest=lowest,
        python=python,
        upper=upper,
        keeping=keeping_tensorflow(case.facts),
    )
    if not who or who.startswith("tensorflow"):
        return (update,)
    older = fix("install-again-compiled-for-numpy-here", who=who, python=python)
    return (update, older)
