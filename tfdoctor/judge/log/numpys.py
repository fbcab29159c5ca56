"""NumPy 1 and 2, and NumPy's names and sizes, taken for each other."""

from __future__ import annotations

from tfdoctor.base.version_ranges import is_possible
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.fix.ranges import required
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_line
from tfdoctor.judge.log.companions import updated
from tfdoctor.judge.log.modules import project_of
from tfdoctor.judge.log.spans import own_minor
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here, range_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.says import says

# NumPy names that 1.24 and 2.0 removed: NumPy raises the error itself, so the culprit is who asked, the last one outside of it.

OLD_NAMES = ("numpy-alias", "numpy-2-name")
_WITHOUT_OLD_NUMPY = ("3.12", "3.13", "3.14")
"""Pythons for which NumPy 1.23 and older have no wheels (NumPy's files, read 2026-11-22)."""
_FIRST_THAT_FORBIDS = (2, 18)
"""TensorFlow 2.18 and newer ask for NumPy 1.26 at least (its metadata)."""


def old_name(told: Testimony, saying: Saying) -> Candidate:
    """The candidate with the package that uses the name; the user's own code where no package does."""
    who, name = _culprit(told, saying), saying.told.get("symbol", "")
    if not who and name == _OF_H5PY:
        words = "Usually it is h5py before 3.0, which TensorFlow and Keras import."
        return of_line(
            saying, words, f"A package uses np.{name}, which NumPy 1.24 removed: usually an old h5py."
        )
    whose = who or "The code"
    since = _since(saying)
    words = f"NumPy raises the error itself; {whose[:1].lower() + whose[1:]} used the name."
    return of_line(saying, words, f"{whose} uses np.{name}, which NumPy {since} removed.")


def _since(saying: Saying) -> str:
    return "2.0" if saying.name == OLD_NAMES[1] else "1.24"


_OF_H5PY = "typeDict"
"""h5py up to 2.10 asks for it when it is imported; programs hardly do (h5py/h5t.pyx of 2.10)."""


def _culprit(told: Testimony, saying: Saying) -> str:
    """ "" for a file of the user's own, or where no frame is told."""
    return _asking(told, saying, ("numpy",))


def _asking(told: Testimony, saying: Saying, but: tuple[str, ...]) -> str:
    """The innermost package of the exception's frames but for those."""
    last = told.raised_at(saying)
    return next((each for each in reversed(last.through) if each not in but), "") if last is not None else ""


def name_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """The older NumPy first where this Python and TensorFlow take one: it is sure to have the name."""
    said = told.named(*OLD_NAMES)
    if not said:
        return ()
    if _since(said[0]) == "2.0":
        return ()
    who, name = _culprit(told, said[0]), said[0].told.get("symbol", "")
    older = fix_here(facts, "change-packages", "numpy-with-old-names")
    if not who and name == _OF_H5PY:
        return (older, fix_here(facts, "change-packages", "update-h5py"))
    if not who:
        own = act("edit-program", "replace-numpy-name", called=name, value=_INSTEAD.get(name, name))
        return (own, older) if _takes_old_numpy(facts) else (own,)
    newer = updated(facts, who)
    if who.startswith("tensorflow") and "-" not in who:
        return (older,)
    return (older, newer) if _takes_old_numpy(facts) else (newer,)


_INSTEAD = {"typeDict": "np.sctypeDict", "long": "int", "unicode": "str"}


def _takes_old_numpy(facts: Facts) -> bool:
    python = facts.interpreter.version
    if isinstance(python, Known) and python.value.feature in _WITHOUT_OLD_NUMPY:
        return False
    return (own_minor(facts) or (0, 0)) < _FIRST_THAT_FORBIDS


# NumPy's compiled form (ABI) as the log tells it: which side is older, whose compiled part asks, and the range that fits.

SIZES = "numpy-dtype-size"
_RETURNED = "numpy-return-value"
_FIRST = {
    ("numpy.ufunc", "216", "192"): "1.16", ("numpy.ndarray", "88", "80"): "1.20", ("numpy.ndarray", "96", "80"): "1.22", ("numpy.ndarray", "96", "88"): "1.22", ("numpy.dtype", "88", "96"): "2.0",
}  # fmt: skip
"""By the object, its length when the part was compiled, and its length here: the first NumPy that the part can work with."""
_KEPT_OLD_NAMES = ((2, 6), (2, 11))
"""These run with NumPy 1.20 to 1.23: 1.24 removed names that some of them use. The metadata of 2.6 says ~=1.19.2, and conda's build of it was seen
to fail with what that brings (conda/conda#11046)."""


def of_sizes(told: Testimony, saying: Saying) -> Candidate | None:
    """None where the line tells no sizes, or where the installed NumPy is the newer side, as the page says."""
    newer = _newer(saying)
    if not newer:
        return None
    who = _sizes_culprit(told, saying)
    whose = who or "A compiled part"
    words = (
        f"{whose} was compiled against NumPy {newer} or newer, whose objects have another length than those of the NumPy that is installed, which is "
        f"older: it can't work with that. The two lengths in the message tell it."
    )
    return of_line(
        saying,
        words,
        f"{whose} was compiled for a newer NumPy than the installed one: it needs {newer} or newer.",
    )


def _newer(saying: Saying) -> str:
    """The first NumPy that the compiled part can work with, where the installed one is older; "" else."""
    told = saying.told
    if saying.name != SIZES:
        return ""
    return _FIRST.get((told["symbol"], told.get("wanted", ""), told.get("version", "")), "")


def _sizes_culprit(told: Testimony, saying: Saying) -> str:
    """The package whose compiled part was imported; "" where no frame is told."""
    compiled = [each.told["module"] for each in told.named("cython-frame") if place(each) < place(saying)]
    if compiled and compiled[-1] != "numpy":
        return project_of(compiled[-1])
    return _asking(told, saying, ("numpy", "IPython", "ipykernel"))


_OF_NUMPY_1 = ("numpy-array-api", "numpy-1-under-2")
_ABI = (*_OF_NUMPY_1, SIZES, "numpy-core-import", "numpy-unreported")


def of_abi(told: Testimony, saying: Saying) -> Candidate | None:
    """Whose compiled part it is; None for TensorFlow's own, and where no line tells."""
    who = culprit(told) if saying.name in _ABI else ""
    one = told.named(*_OF_NUMPY_1)
    version = _of_numpy(told)
    if not who or who.startswith("tensorflow"):
        return _of_some_part(told, saying, version) if one and version != "2" else None
    title = f"{who} was compiled for NumPy 1, but NumPy {version} is installed." if one else f"{who} was compiled for another NumPy than the installed one."  # fmt: skip
    words = f"The compiled part that fails is {who}'s. NumPy 2 changed NumPy's binary interface (ABI)."
    return of_line(saying, words, title, sure=Confidence.CERTAIN)


def _of_numpy(told: Testimony) -> str:
    """The NumPy that is installed, which its words name in their first or second line."""
    said = told.named("numpy-1-under-2", "numpy-2-named")
    return next((each.told["version"] for each in said if "version" in each.told), "2")


def _of_some_part(told: Testimony, saying: Saying, version: str) -> Candidate | None:
    """A compiled part that no line names: NumPy's own words tell both sides all the same."""
    if saying.name not in _ABI:
        return None
    frames = " " + says("numpy-abi-mismatch", "frames") if shows_frames(told) else ""
    words = says("numpy-abi-mismatch", "some-part", version=version, frames=frames)
    return of_line(
        saying,
        words,
        f"A compiled module was built for NumPy 1, but NumPy {version} is installed.",
        sure=Confidence.CERTAIN,
    )


def shows_frames(told: Testimony) -> bool:
    """A traceback shows whose code was imported."""
    return any(each.through for each in told.endings) or bool(told.named("cython-frame"))


def culprit(told: Testimony) -> str:
    """The first that any of these lines names; "" for none."""
    return next((who for each in told.named(*_ABI) if (who := _sizes_culprit(told, each))), "")


def of_returned(case: Case, saying: Saying) -> Candidate | None:
    """An old TensorFlow that could not make its own types known to NumPy: None for releases whose partner can be NumPy 2."""
    release = own_minor(case.facts)
    if saying.name != _RETURNED or not release or release > _KEPT_OLD_NAMES[1]:
        return None
    name = value_or(case.facts.tensorflow.version, "")
    words = f"TensorFlow adds a type of its own (bfloat16) to NumPy when it is imported. That fails if NumPy is older than the one this build was compiled with, or is NumPy 2, which TensorFlow {name} does not support."
    return of_line(saying, words, f"The installed NumPy does not match this build of TensorFlow {name}.")


def size_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the log does not tell which side is older, or names no old release."""
    facts = case.facts
    short = [each for each in told.named(SIZES) if _newer(each)]
    if short:
        return _for_a_newer(case, told, short[0])
    release = own_minor(case.facts)
    if not any(of_returned(case, each) for each in told.named(_RETURNED)) or release is None:
        return ()
    if release < _KEPT_OLD_NAMES[0]:
        return ()
    name = value_or(facts.tensorflow.version, "")
    return (fix_here(facts, "change-packages", "numpy-1-20-to-1-23", called=name),)


def _for_a_newer(case: Case, told: Testimony, saying: Saying) -> tuple[Fix, ...]:
    lowest, who = _newer(saying), _sizes_culprit(told, saying)
    wanted = range_here(case, told, "numpy", f">={lowest}{',<2' if lowest != '2.0' else ''}")
    unknown = "" if required(case.facts, case.matrix, "numpy") else says("numpy-abi-mismatch", "refused")
    found = [
        fix_here(case.facts, "change-packages", "update-numpy", lowest=lowest, range=wanted, unknown=unknown)
    ]
    if not is_possible(wanted):
        found = []
    if who and not who.startswith("tensorflow"):
        found.append(fix_here(case.facts, "reinstall", "rebuild-for-installed-numpy", who=who))
    return tuple(found)


# NumPy 1.20 and newer beside TensorFlow 2.5 and older: TensorFlow's own code hands NumPy a tensor that has no values yet.

NAME = "numpy-symbolic"
_SHAPE = "strided_slice"
"""A number taken out of a tensor's shape: layers make it themselves, for a batch whose size is not known yet."""
_TITLE = "The installed NumPy (1.20 or newer) is too new for TensorFlow 2.5 or older."


def numpy_too_new(told: Testimony) -> Candidate | None:
    """Certain where TensorFlow's own code calls NumPy, likely where only the tensor's name is told; None for a program's own call."""
    saying, sure = next(
        ((each, sure) for each in told.named(NAME) if (sure := _sure(told, each))), (None, None)
    )
    if saying is None or sure is None:
        return None
    caller = "TensorFlow's own code" if sure is Confidence.CERTAIN else "Usually TensorFlow's own code, in a layer such as LSTM or GRU,"  # fmt: skip
    words = (
        f"{caller} asks NumPy to multiply the sizes of a shape, one of which is a tensor without a value yet. NumPy up to 1.19 takes that, and NumPy 1.20 "
        "asks the tensor for its array and is refused."
    )
    return Candidate("dependency-mismatch", sure, (place(saying),), words, title=_TITLE)


def _sure(told: Testimony, saying: Saying) -> Confidence | None:
    last = told.raised_at(saying)
    if last is not None and last.inside:
        return Confidence.CERTAIN if _called_by_tensorflow(last) else None
    return Confidence.LIKELY if _SHAPE in saying.told.get("symbol", "") else None


def _called_by_tensorflow(last: Ending) -> bool:
    """The frame before NumPy's is TensorFlow's own module of array operations, which calls nobody else's code."""
    before = [each for each in last.inside if not each.startswith("numpy.")]
    callers = [each for each in before if not each.endswith((".framework.ops", ".util.dispatch"))]
    return bool(callers) and callers[-1].endswith(".python.ops.array_ops")


def symbolic_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where this was not said."""
    if numpy_too_new(told) is None:
        return ()
    return (
        fix_here(facts, "change-packages", "downgrade-numpy-to-1-19"),
        fix_here(facts, "change-packages", "tensorflow-for-newer-numpy"),
    )
