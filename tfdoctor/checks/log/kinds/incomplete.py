"""An import that fails inside TensorFlow's own code: a package that it needs is not there, or its files are of two releases."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying, Surroundings
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.signatures.catalogue import named
from tfdoctor.signatures.own_errors import WRAPPED
from tfdoctor.signatures.tensorflow_1 import MISSING, OWN_NAME

_OWN = ("tensorflow", "tensorflow-core")
_NEEDED = {
    "absl": "absl-py", "astunparse": "astunparse", "flatbuffers": "flatbuffers", "gast": "gast", "google": "protobuf", "grpc": "grpcio",
    "h5py": "h5py", "keras": "keras", "keras_preprocessing": "keras-preprocessing", "ml_dtypes": "ml-dtypes", "opt_einsum": "opt-einsum",
    "packaging": "packaging", "requests": "requests", "six": "six", "tensorboard": "tensorboard", "tensorflow_estimator": "tensorflow-estimator",
    "termcolor": "termcolor", "typing_extensions": "typing-extensions", "wrapt": "wrapt", "google_pasta": "google-pasta", "pasta": "google-pasta",
}  # fmt: skip
"""What TensorFlow 2.3 to 2.21 import and require, by the module's name (their metadata, read 2026-11-22)."""
_BOUND_TO_THE_MINOR = ("keras", "tensorboard", "tensorflow-estimator")
"""Their releases carry TensorFlow's own minor, up to 2.15 (the same metadata)."""


_IN_STEP = ("tensorflow-estimator", "tensorboard")
"""They import TensorFlow, and have its minor up to 2.15 (their metadata)."""


def out_of_step(last: Ending) -> bool:
    """A part of TensorFlow that is a package of its own asks for what TensorFlow has not, or not yet."""
    return last.package in _IN_STEP and last.what.partition(":")[0].endswith("Error") and _LACKS in last.what


_LACKS = "module 'tensorflow' has no attribute"


def incomplete(told: Testimony, last: Ending) -> Candidate | None:
    """None where the exception is not raised by TensorFlow's own import of its own need."""
    if _of_keras(last):
        words = f"{last.package} asks for keras. TensorFlow 2.6 and newer bring it as a package of its own, and that is not in this environment: conda's builds and installations with --no-deps lack it. Your program is not what fails."
        return Candidate("dependency-mismatch", Confidence.CERTAIN, (place(last),), words, title="keras, which TensorFlow needs, is not installed.")  # fmt: skip
    if out_of_step(last):
        words = f"{last.package} is a part of TensorFlow that comes as a package of its own, with TensorFlow's own minor. While TensorFlow is imported it asks for a name that is not there yet: it is of another minor."
        return Candidate("dependency-mismatch", Confidence.CERTAIN, (place(last),), words, title=f"The installed {last.package} is made for another release than the installed TensorFlow.")  # fmt: skip
    if wrapped := _behind_a_wrapper(last):
        words = f"transformers met the error while it imported a module of its own, and shows its words alone. {wrapped} is what TensorFlow's own code imports, and it is not in this environment: it was removed, or TensorFlow was installed without it. Your program is not what fails."
        return Candidate("dependency-mismatch", Confidence.LIKELY, (place(last),), words, title=f"{wrapped}, which TensorFlow needs, is not installed.")  # fmt: skip
    if last.package not in _OWN or (last.through and last.through[-1] not in _OWN):
        return None
    if needed := _needed(last):
        words = f"TensorFlow's own code asks for {needed}, a package that it needs and that is not in this environment: it was removed, or TensorFlow was installed without it. Your program is not what fails."
        return Candidate("dependency-mismatch", Confidence.CERTAIN, (place(last),), words, title=f"{needed}, which TensorFlow needs, is not installed.")  # fmt: skip
    if part := _part_of_another(last):
        words = f"Windows found {part} and loads it, but a function that it needs of TensorFlow's own base, _pywrap_tensorflow_internal, is not in that base. The base itself was loaded, so neither the Visual C++ runtime nor the processor is what fails: the two files are of different releases. An update that could not replace a file in use leaves it so, and so do two packages in one folder (tensorflow, tensorflow-intel, tensorflow-cpu)."
        return Candidate("tensorflow-install-broken", Confidence.CERTAIN, (place(last),), words, title=f"TensorFlow's folder holds files of two releases: {part} does not fit the rest.")  # fmt: skip
    found = OWN_NAME.compiled.search(last.what)
    if found is None or "partially initialized" in last.what or "circular import" in last.what:
        return None
    module, name = (
        found["module"] or found["compiled"] or found["inner"],
        found["symbol"] or found["attribute"] or found["lacks"],
    )
    words = f"TensorFlow's own code asks its own {module} for {name}, and that file does not have it. One release's files always fit each other, so these are of two: an older one was not removed, or something was copied over it."
    return Candidate("tensorflow-install-broken", Confidence.CERTAIN, (place(last),), words, title="TensorFlow's folder holds files of two releases.")  # fmt: skip


_BASE = ("_pywrap_tensorflow_internal", "_pywrap_tensorflow_common", "_pywrap_tensorflow")
"""What the other parts are linked with, and what is itself linked with Windows' libraries alone (the wheels' files)."""


def keras_absent(told: Testimony, saying: Saying) -> Candidate | None:
    """tensorflow.keras that is not found, where another line says that the package keras is not there."""
    if not saying.text.endswith("'tensorflow.keras'"):
        return None
    return next(
        (
            found
            for each in told.endings
            if _of_keras_alone(each) and (found := incomplete(told, each)) is not None
        ),
        None,
    )


def _of_keras_alone(last: Ending) -> bool:
    found = MISSING.compiled.search(last.what)
    return last.how == "exception" and bool(found and found["module"] == "keras")


def _part_of_another(last: Ending) -> str:
    """A compiled part of TensorFlow that asks its base for what it has not; "" for the base itself, which asks Windows."""
    found = named("dll-procedure-missing").hit(last.what)
    part = found.told.get("module", "") if found is not None else ""
    return "" if part in _BASE else part


def _of_keras(last: Ending) -> bool:
    """Another package's need of keras itself."""
    found = MISSING.compiled.search(last.what)
    return bool(found and found["module"] == "keras" and last.package and last.package not in _OWN)


_ALMOST_ALONE = ("absl-py", "astunparse", "flatbuffers", "gast", "google-pasta", "opt-einsum")
"""Needs of TensorFlow that hardly another package has."""


def _behind_a_wrapper(last: Ending) -> str:
    """The need of TensorFlow that is missing, by words that only another error's heading is left of; "" else."""
    found = WRAPPED.compiled.search(last.what)
    need = _needed(last) if found else ""
    return need if need in _ALMOST_ALONE else ""


def _needed(last: Ending) -> str:
    found = MISSING.compiled.search(last.what)
    return _NEEDED.get(found["module"].partition(".")[0], "") if found else ""


def _last(told: Testimony) -> Ending | None:
    raised = [each for each in told.endings if each.how == "exception"]
    return raised[-1] if raised else None


def missing_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where TensorFlow lacks no package."""
    last = _last(told)
    if last is None or incomplete(told, last) is None:
        return ()
    name = last.package if out_of_step(last) else _needed(last)
    if not name:
        return ()
    python, parts = interpreter(facts), str(value_or(facts.tensorflow.version, "")).split(".")
    all_needs = fix("let-pip-bring-all-tensorflow-needs", python=python, keeping=keeping_tensorflow(facts))
    if name not in _BOUND_TO_THE_MINOR:
        return (all_needs,)
    if len(parts) > 1 and parts[0] == "2" and int(parts[1]) <= 15:
        minor = f"{parts[0]}.{parts[1]}"
        return (fix("install-tensorflow", called=name, minor=minor, python=python), all_needs)
    return (all_needs,)


_EMPTY = "tensorflow-lacks-attribute"
"""Where every TensorFlow has the name, what was imported is what an uninstallation left of its folder. On Windows, tensorflow 2.11 to 2.18 is
itself an empty package that asks for tensorflow-intel, so pip's --no-deps would bring none of the files."""


def mixture_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no two releases' files are mixed."""
    last = _last(told)
    windows = value_or(facts.host.os, "") == "windows" and bool(told.of("tensorflow-install-broken"))
    if (
        last is None
        or _needed(last)
        or (incomplete(told, last) is None and not told.named(_EMPTY) and not windows)
    ):
        return ()
    python, release = interpreter(facts), value_or(facts.tensorflow.version, "")
    spec = f"=={release}" if release else ""
    notebook = bool(value_or(facts.log.surroundings, Surroundings()).notebook) or last.frame.startswith(
        "Cell "
    )
    restart = fix("in-notebook-restart-kernel-or-runtime")
    return (
        *((restart,) if notebook else ()),
        fix("remove-tensorflow-delete-what-left-folder", python=python, spec=spec),
    )
