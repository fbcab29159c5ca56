"""NumPy names that 1.24 and 2.0 removed: NumPy raises the error itself, so the culprit is who asked, the last one outside of it."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

OLD_NAMES = ("numpy-alias", "numpy-2-name")
_WITHOUT_NUMPY_1 = ("3.13", "3.14")
"""Pythons for which no NumPy 1 has wheels (its files, read 2026-11-22)."""
_WITHOUT_OLD_NUMPY = ("3.12", "3.13", "3.14")
"""Pythons for which NumPy 1.23 and older have no wheels (NumPy's files, read 2026-11-22)."""
_FIRST_THAT_FORBIDS = (2, 18)
"""TensorFlow 2.18 and newer ask for NumPy 1.26 at least (its metadata)."""


def old_name(told: Testimony, saying: Saying) -> Candidate:
    """The candidate with the package that uses the name; the user's own code where no package does."""
    who, name = _culprit(told, saying), saying.told.get("symbol", "")
    if not who and name == _OF_H5PY and not _own_frame(told, saying):
        words = f"NumPy 1.24 removed old names, np.{name} among them. The lines that tell who asked for it are not here; mostly it is a package, h5py before 3.0, which TensorFlow and Keras import. Nothing is damaged."
        return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=f"A package uses np.{name}, which NumPy 1.24 removed: mostly an old h5py.")  # fmt: skip
    whose = who or "The code"
    since = _since(saying)
    words = f"NumPy {since} removed old names, np.{name} among them, and tells so itself when one is asked for. {whose} asked for it: it was written before, and nothing is damaged."
    return Candidate(
        saying.code,
        Confidence(saying.sure),
        (place(saying),),
        words,
        title=f"{whose} uses np.{name}, which NumPy {since} removed.",
    )


def _since(saying: Saying) -> str:
    return "2.0" if saying.name == OLD_NAMES[1] else "1.24"


_OF_H5PY = "typeDict"
"""h5py up to 2.10 asks for it when it is imported; programs hardly do (h5py/h5t.pyx of 2.10)."""


def _own_frame(told: Testimony, saying: Saying) -> str:
    return next(
        (each.frame for each in told.endings if each.how == "exception" and place(each) == place(saying)), ""
    )


def _culprit(told: Testimony, saying: Saying) -> str:
    """ "" for a file of the user's own, or where no frame is told."""
    raised = [each for each in told.endings if each.how == "exception" and place(each) == place(saying)]
    asking = [each for each in (raised[0].through if raised else ()) if each != "numpy"]
    return asking[-1] if asking else ""


def name_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """The older NumPy first where this Python and TensorFlow take one: it is sure to have the name."""
    said = told.named(*OLD_NAMES)
    if not said:
        return ()
    if _since(said[0]) == "2.0":
        return _of_numpy_2(facts, told, said[0])
    who, name, python = _culprit(told, said[0]), said[0].told.get("symbol", ""), interpreter(facts)
    older = fix("go-back-to-last-numpy-name", python=python, keeping=keeping_tensorflow(facts))
    if not who and name == _OF_H5PY and not _own_frame(told, said[0]):
        return (
            older,
            fix("update-h5py-where-tensorflow-2-6-or", python=python, keeping=keeping_tensorflow(facts)),
        )
    if not who:
        own = fix("write-another-name-in-place-np", called=name, value=_INSTEAD.get(name, name))
        return (own, older) if _takes_old_numpy(facts) else (own,)
    newer = fix(
        "update-uses-and-keep-tensorflow-as", who=who, python=python, keeping=keeping_tensorflow(facts)
    )
    if who.startswith("tensorflow") and "-" not in who:
        return (older,)
    return (older, newer) if _takes_old_numpy(facts) else (newer,)


def _of_numpy_2(facts: Facts, told: Testimony, saying: Saying) -> tuple[Fix, ...]:
    who, name, python = _culprit(told, saying), saying.told["symbol"], interpreter(facts)
    older = fix("go-back-to-numpy-1-name", python=python, keeping=keeping_tensorflow(facts))
    python_here = facts.interpreter.version
    fits = not (isinstance(python_here, Known) and python_here.value.feature in _WITHOUT_NUMPY_1)
    if not who:
        advice = saying.told.get("message", "").strip()
        own = fix(
            "write-another-name-in-place-np-2",
            called=name,
            value=advice or "its migration guide for 2.0 has the new names",
        )
        return (own, older) if fits else (own,)
    newer = fix("update-uses-to-release-for-numpy", who=who, python=python)
    return (older, newer) if fits else (newer,)


_INSTEAD = {"typeDict": "np.sctypeDict", "long": "int", "unicode": "str"}


def _takes_old_numpy(facts: Facts) -> bool:
    python, release = facts.interpreter.version, str(value_or(facts.tensorflow.version, ""))
    if isinstance(python, Known) and python.value.feature in _WITHOUT_OLD_NUMPY:
        return False
    parts = release.split(".")[:2]
    return not (
        len(parts) == 2 and all(map(str.isdecimal, parts)) and tuple(map(int, parts)) >= _FIRST_THAT_FORBIDS
    )
