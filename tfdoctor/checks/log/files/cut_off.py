"""A text that ends within a traceback: the line that says what went wrong is missing, and the frames tell a part of it."""

from __future__ import annotations

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.kinds.requires import conflict
from tfdoctor.checks.log.modules.absent import in_a_notebook, project_of
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter, quoted
from tfdoctor.signatures.outside.kerases import READERS
from tfdoctor.signatures.own_errors import IMPORTED

_CODE, _MISMATCH, _NOT_FOUND = "python-exception", "keras-mismatch", "ModuleNotFoundError"
_OF_A_LAYER = ("engine.input_layer", "engine.base_layer")
_NOT_THERE = "A traceback's last line says what went wrong, and this text ends before it."
_KERAS_2_READS = "By its frames Keras 2 was making a layer by what a model file says of it, and met a setting that it does not know. Mostly Keras 3 saved the file, which writes batch_shape where Keras 2 has batch_input_shape."
_OF_HDF5 = "By its frames h5py was opening a file. Mostly that fails because the file is not there, is empty or cut, or is of another format (.keras, a pointer of git LFS, a web page) under the name .h5."
_OF_IMPORTING = "By its frames a package was being imported: mostly a part of it is missing, or two packages are of releases that do not fit."
_OF_READING = "By its frames a model file was being read: mostly it was saved by another release of Keras, or it names a class that Keras does not know."


def cut_off(told: Testimony) -> Candidate | None:
    """None where the log names a cause, or an end of another kind."""
    last = _last(told)
    if last is None:
        return None
    name = f" of {_with_article(last.what)}" if last.what else ""
    where = f" The last line of your own that it shows is in {last.frame}." if last.frame and "-packages" not in last.frame else ""  # fmt: skip
    package = f" The error arose in code of {last.package}." if last.package else ""
    title = f"The text ends within the traceback{name}: the line that says what went wrong is missing."
    if last.package:
        title = f"The text ends within the traceback{name}, in code of {last.package}: the line that says what went wrong is missing."
    module = _not_imported(last)
    if module:
        title = f"The text ends within the traceback{name}, at the import of {module}: that module, or one that it needs, is not installed."
    words = " ".join(filter(None, (_NOT_THERE, _by_frames(last))))
    if _of_an_input_layer(last):
        title = f"Keras 2 ({last.package or 'tf-keras'}) can't make a layer of the model file: mostly Keras 3 saved it. The text ends before the line that says so."
        return Candidate(
            _MISMATCH, Confidence.LIKELY, (place(last),), f"{_NOT_THERE} {_KERAS_2_READS}{where}", title=title
        )
    return Candidate(_CODE, Confidence.LIKELY, (place(last),), f"{words}{package}{where}", title=title)


def _last(told: Testimony) -> Ending | None:
    if told.codes or not told.endings or told.endings[-1].how != "cut" or conflict(told) is not None:
        return None
    return told.endings[-1] if all(each.how == "cut" for each in told.endings) else None


def _with_article(name: str) -> str:
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"


def _by_frames(last: Ending) -> str:
    """What the place alone makes likely; "" where it tells nothing."""
    inside = last.inside
    if inside and inside[-1].startswith("h5py"):
        return _OF_HDF5
    if any(each.endswith(READERS) for each in inside):
        return _OF_READING
    return _OF_IMPORTING if last.doing == "importing" else ""


def _not_imported(last: Ending) -> str:
    """The module that the last line shown imports, where the exception says that one was not found; "" for anything else."""
    found = IMPORTED.match(last.source)
    return found["module"] if found is not None and last.what.endswith(_NOT_FOUND) else ""


def _of_an_input_layer(last: Ending) -> bool:
    """Keras 2 makes an InputLayer by a file's words, and its own check of them is the last frame."""
    return bool(last.inside) and last.inside[-1].endswith(_OF_A_LAYER[0]) and any(each.endswith(_OF_A_LAYER[1]) for each in last.inside)  # fmt: skip


def cut_fixes(code: str, facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() for any text but such a one."""
    last = _last(told)
    if last is None or code != (_MISMATCH if _of_an_input_layer(last) else _CODE):
        return ()
    rest = Fix("Add the traceback down to its last line, and ask again: that line names the error", note="In a notebook it is below the last frame of the cell's output." if last.what else "A program's whole output goes into a file with > log.txt 2>&1 behind its command.")  # fmt: skip
    if _of_an_input_layer(last):
        return (
            Fix("Load the file with Keras 3, which saved it, or train and save it once more with the Keras that loads it", note="In your files: keras.models.load_model(FILE) in place of tf_keras; a program that sets TF_USE_LEGACY_KERAS=1 for one step has to set it for all of them. Where Keras 3 loads it: model.save_weights('model.weights.h5') for a model that is built by its code."),
            rest,
        )  # fmt: skip
    if module := _not_imported(last):
        top = module.partition(".")[0]
        alone = f"import {module}" if in_a_notebook(facts, last) else f"{interpreter(facts)} -c {quoted(f'import {module}')}"  # fmt: skip
        ask = Fix("Import it alone: the last line names what is missing", (alone,))
        own = Fix(f"Where it is {top} itself, install it into the environment that runs the program", (f"{interpreter(facts)} -m pip install {project_of(top)}",))  # fmt: skip
        return (ask, own, rest)
    releases = Fix("See which releases are here, and whether they fit each other. It changes nothing", (f"{interpreter(facts)} -m pip check",))  # fmt: skip
    return (rest, releases) if last.package or last.doing == "importing" else (rest,)
