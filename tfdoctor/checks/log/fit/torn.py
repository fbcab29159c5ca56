"""A package whose own file asks another file of the same package in vain: files of two releases are in one folder."""

from __future__ import annotations

from tfdoctor.checks.log.around.releases import shown
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.by_release import asked

_OF_OTHERS = ("tensorflow", "tensorflow-core", "tensorflow-estimator", "google", "protobuf")
"""What is said of their files has rules of its own."""
_OTHERWISE = ("circular import", "(unknown location)")
"""A file of the user's own in the way, and a folder that has lost its __init__.py."""
_IN_ONE_FOLDER = {
    "keras": ("keras", "keras-nightly"),
    "tensorboard": ("tensorboard", "tensorflow-tensorboard"),
}
"""Distributions that write into a folder of the same name: TensorFlow 2.5 and its nightly builds require keras-nightly, and
tensorflow-tensorboard is what tensorboard was called up to 1.5 (their metadata)."""
_WHOLE = ("keras", "numpy", "tensorboard")
"""Of these, a module of their own that is not found is a file of another release as well; others may have been left unbuilt."""


def torn(told: Testimony, saying: Saying) -> Candidate | None:
    """That of a saying's line; None where no traceback shows who asks."""
    at = [each for each in told.endings if each.how == "exception" and place(each) == place(saying)]
    return of_ending(at[0]) if at else None


def of_ending(last: Ending) -> Candidate | None:
    """None where the one that asks and the one that is asked are not of the same folder."""
    found = _torn(last)
    if found is None:
        return None
    folder, what = found
    names = _IN_ONE_FOLDER.get(folder, ())
    two = f" {names[0]} and {names[1]} are two packages for pip, and both write into it." if names else ""
    words = (
        f"The file that asks is {last.inside[-1]}, and what it asks for, {what}, should be beside it, in the same package. The files of one release always fit "
        f"each other, so those of two are in one folder: one was installed over the other, or an installation was broken off.{two} Your program is not what fails."
    )
    code = "keras-mismatch" if folder == "keras" else "package-import-failed"
    return Candidate(code, Confidence.CERTAIN, (place(last),), words, title=f"The folder {folder} holds files of two releases of {last.package}.")  # fmt: skip


def _torn(last: Ending) -> tuple[str, str] | None:
    """The folder, and what was asked for in vain."""
    wanted = asked(last.what, last.source)
    if last.how != "exception" or wanted is None or not last.inside or not last.package:
        return None
    folder = last.inside[-1].partition(".")[0]
    module, name = wanted
    if last.package in _OF_OTHERS or last.package.replace("-", "_") != folder.replace("-", "_"):
        return None  # an innermost frame of the user's own, or of another package
    if module.partition(".")[0] != folder or any(each in last.what for each in _OTHERWISE):
        return None
    if module == folder == last.inside[-1] and "cannot import name" not in last.what:
        return None  # a package's own __getattr__ only says that it has no such name; who asked is the frame before
    if not name and folder not in _WHOLE:
        return None
    if name.startswith("_") and folder not in _WHOLE:
        return None  # mostly a compiled part, which was never built or is made for another Python
    return folder, f"{module}.{name}" if name else module


def torn_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no folder holds two releases."""
    raised = [each for each in told.endings if each.how == "exception"]
    found = _torn(raised[-1]) if raised else None
    if found is None or code not in ("keras-mismatch", "package-import-failed"):
        return ()
    folder, package, python = found[0], raised[-1].package, interpreter(facts)
    names = " ".join(_IN_ONE_FOLDER.get(folder, (package,)))
    again = keeping_tensorflow(facts) if folder in _WHOLE else f"{package} {keeping_tensorflow(facts)}"
    what = "and let pip bring the one that the installed TensorFlow asks for" if folder in _WHOLE else "and install it again"  # fmt: skip
    around = shown(facts)
    restart = (fix("restart-runtime-and-run-cells-again"),) if folder == "numpy" and around.service else ()
    return (
        *restart,
        fix(
            "remove-every-delete-what-left-folder",
            package=package,
            what=what,
            python=python,
            names=names,
            folder=folder,
            again=again,
        ),
    )
