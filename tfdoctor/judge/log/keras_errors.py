"""Names that Keras or TensorFlow has in other releases than the installed one, where only a table of names tells what that means."""

from __future__ import annotations

from tfdoctor.base.expressions import Expression
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.fix.commands import interpreter
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.companions import present, updated
from tfdoctor.judge.log.misfits import FOR_KERAS, imported
from tfdoctor.judge.log.spans import own_minor
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.compiled import table
from tfdoctor.knowledge.lines import ours, quoted
from tfdoctor.knowledge.messages.by_release import (
    GONE_MODULES,
    GONE_WITH_2,
    Times,
    asked,
    asked_in,
    is_old,
    key,
    known_module,
    new_name,
    times,
)
from tfdoctor.knowledge.messages.by_release import TENSORFLOW_1_ASKED as ASKED
from tfdoctor.knowledge.messages.expressions import Member, member
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.packages import project_of

_LEGACY, _MISMATCH, _OWN_ERROR = "keras-legacy-needed", "keras-mismatch", "python-exception"
_BASES = (
    "tensorflow",
    "tensorflow-core",
    "tensorflow-cpu",
    "keras",
    "tf-keras",
    "numpy",
    "six",
    "absl-py",
)

# A private name of one of TensorFlow's or Keras' inner modules.

_INNER = ("tensorflow.python.", "tensorflow.compiler.", "keras.engine", "keras.src", "keras.saving", "keras.layers.", "keras.utils.", "keras.backend.")  # fmt: skip
"""Modules that are not public, or whose inner parts old code took."""


def of_inner_name(facts: Facts, told: Testimony, last: Ending) -> Candidate | None:
    """None for what the tables of names tell."""
    wanted = asked_in(last)
    if (
        wanted is None
        or not wanted[1]
        or wanted[1].startswith("__")
        or "(unknown location)" in last.what
    ):
        return None
    module, name = wanted
    if (
        not f"{module}.".startswith(_INNER)
        or not known_module(module)
        or times(module, name) is not None
    ):
        return None
    shown = imported(told, last)
    of_the_asker = next((each for each in reversed(last.through) if each not in _BASES), "")
    who = of_the_asker or project_of(shown)
    of_keras = module.startswith(("keras", "tensorflow.python.keras"))
    code = _MISMATCH if of_keras else "package-import-failed" if who else _OWN_ERROR
    own = updated(facts, who) if who else act("edit-program", "use-public-name-or-reinstall")
    return of_page(
        "keras-mismatch",
        "inner-name",
        (place(last),),
        values={"asker": who or last.frame or "The program", "name": name, "module": module},
        fixes=(own,),
        code=code,
    )


# A method, property or argument that Keras' objects have in other releases than the installed one.

_KERAS_3 = (3, 0)
_OWN = ("keras", "tensorflow", "tensorflow-core", "tf-keras")
_LAST_OLD_OPTIMIZERS = "2.10"
"""2.11 put new optimizers in their place, and kept these as keras.optimizers.legacy (its release notes)."""
_INSTEAD = {
    **dict.fromkeys(("predict_classes", "predict_proba"), act("edit-program", "classes-from-predict")),
    **dict.fromkeys(("fit_generator", "evaluate_generator", "predict_generator"), act("edit-program", "generator-to-fit")),
    **dict.fromkeys(("workers", "use_multiprocessing", "max_queue_size"), act("edit-program", "workers-to-dataset")),
    **dict.fromkeys(("get_scaled_loss", "get_unscaled_gradients"), act("edit-program", "scale-loss")),
    **dict.fromkeys(("lr", "learning_rate"), act("edit-program", "learning-rate")),
    "reset_states": act("edit-program", "reset-each-layer"), "save_format": act("edit-program", "ending-says-format"),
}  # fmt: skip
"""What the program's own line says in the installed release (the docstrings of both releases)."""


def without_member(case: Case, told: Testimony, last: Ending) -> Candidate | None:
    """Which object lacks what, and since when; None where the installed release has it, and where no table knows it."""
    one = member(last.what) if last.how == "exception" else None
    if one is None or "torch" in last.through or told.named("keras-legacy-fallback"):
        return None
    minors = _of_tensorflow(case, present(case, told, last, "keras", one.times).minors)
    if not minors:
        return None
    asker = "" if last.package in _OWN else last.package
    what = f"the argument {one.name} of {one.owner}()" if one.call else f"{one.name} of {one.owner}"
    who = asker or "The program"
    if all(key(each) < key(one.times.since) for each in minors):
        newer = act("plan", "plan-newer-keras", since=one.times.since)
        return of_page("keras-mismatch", "newer-member", (place(last),), values={"asker": who, "what": what, "since": one.times.since}, fixes=(*_rewritten(one), newer))  # fmt: skip
    legacy = all(key(each) >= _KERAS_3 for each in minors) and key(one.times.since) < _KERAS_3
    since = "3" if legacy else _first_without(one.times)
    fixes = _for_older(case, one, legacy=legacy, asker=asker)
    return of_page("keras-mismatch", "older-member", (place(last),), values={"asker": who, "what": what, "since": since}, fixes=fixes, code=_LEGACY if legacy else _MISMATCH)  # fmt: skip


def _of_tensorflow(case: Case, minors: tuple[str, ...]) -> tuple[str, ...]:
    """By the TensorFlow that is told: from 2.6 to 2.15 its Keras has its minor, before it has that of its time, after it is Keras 3."""
    own = own_minor(case.facts)
    if own is None:
        return minors
    if own < (2, 6):
        return tuple(each for each in minors if key(each) < (2, 6))
    return tuple(
        each for each in minors if (key(each) >= _KERAS_3 if own > (2, 15) else key(each) == own)
    )


def _first_without(there: Times) -> str:
    return next((each for each in there.every if key(each) > key(there.last)), "")


def _for_older(case: Case, one: Member, *, legacy: bool, asker: str) -> tuple[Fix, ...]:
    """For code of an older Keras: a newer package, the program's own line, the Keras that has it."""
    there, without = one.times, _first_without(one.times)
    newer = (
        (fix_here(case.facts, "change-packages", "update-asker-first", asker=asker),)
        if asker
        else ()
    )
    if legacy and key(there.last) >= (2, 15):
        older = (fix_here(case.facts, "set-variable", "install-tf-keras-and-switch"),)
        return (*older, *newer) if asker else (*_rewritten(one), *older)
    kept = not one.call and there.last == _LAST_OLD_OPTIMIZERS
    optimizers = (act("edit-program", "use-legacy-optimizers"),) if kept else ()
    release = act(
        "plan", "plan-tensorflow-version", release=f"<{'2.16' if without[0] == '3' else without}"
    )
    return (*newer, *_rewritten(one), *optimizers, release)


def _rewritten(one: Member) -> tuple[Fix, ...]:
    if one.name in _INSTEAD:
        return (_INSTEAD[one.name],)
    return (
        (act("edit-program", "remove-argument", called=one.name, owner=one.owner),)
        if one.call
        else ()
    )


# The package keras beside a TensorFlow that is not of its time: it asks TensorFlow for what only another release has.

_BEFORE_2 = "keras.backend"
"""What asked TensorFlow in the packages 1.0 to 2.3.1 (keras/backend/tensorflow_backend.py)."""


def out_of_time(facts: Facts, last: Ending) -> Candidate | None:
    """None where no Keras asks, or what it asks for tells nothing."""
    wanted = asked_in(last)
    if wanted is None or not wanted[1]:
        return None
    module, name = wanted
    fixes = (fix_here(facts, "change-packages", "keras-that-tensorflow-requires"),)
    from_keras = (
        last.package == "keras" and bool(last.inside) and last.inside[-1].startswith(_BEFORE_2)
    )
    if from_keras and module == "tensorflow" and is_old("", name):
        return of_page("keras-mismatch", "before-2", (place(last),), values={"name": name}, sure=Confidence.CERTAIN, fixes=fixes)  # fmt: skip
    if not last.inside and last.what.partition(": ")[2].startswith(FOR_KERAS):
        return of_page("keras-mismatch", "out-of-time", (place(last),), values={"name": name, "module": module}, fixes=fixes)  # fmt: skip
    return None


# Names that TensorFlow lacks: of TensorFlow 1, then the program is too old; of every release, then the installation is damaged.

LACKING = ("tensorflow-lacks-attribute", "tensorflow-submodule-missing", "keras-private-name")
"""What says so in one line, where no traceback is told."""
_TENSORFLOW_1_INNER = ("python", "core", "lite", "compiler", "keras", "tools", "compat")
"""Folders of TensorFlow whose names were never promised, or are another Keras' matter."""
_COMPATIBLE = ("compat.v1", "compat.v2", "_api.v2.compat.v1")
"""They have TensorFlow 1's other names, and not these."""
_SCRIPT = Expression(r"^\w[\w.-]{0,80}\.py$")


def asked_in_vain(facts: Facts, last: Ending) -> Candidate | None:
    """The program, or a package, asks for what this TensorFlow does not have; None where TensorFlow itself is incomplete."""
    found = _asked(last.what, last.source)
    of_1 = str(value_or(facts.tensorflow.version, "2")).startswith("1.")
    if found is None or last.package in _OWN or of_1:
        return None
    module, name = found
    old = is_old(module, name)
    if not old and (module or name in table("every")):
        return None
    what, who = ".".join(filter(None, ("tf", module, name))), last.package or "The program"
    where = f" It asks in {last.frame}." if last.frame else ""
    code = "package-import-failed" if last.package else _OWN_ERROR
    fixes = () if last.package else _rewriting(facts, module, name, last.frame)
    sure, at = Confidence.CERTAIN, (place(last),)
    if old:
        return of_page("python-exception", "of-tensorflow-1", at, values={"asker": who, "what": what, "where": where}, sure=sure, fixes=fixes, code=code)  # fmt: skip
    return of_page("python-exception", "no-such-name", at, values={"asker": who, "what": what, "where": where}, sure=sure, fixes=fixes, code=code)  # fmt: skip


def _asked(what: str, source: str = "") -> tuple[str, str] | None:
    """The module below `tensorflow` ("" for none) and the name; None for anything else."""
    whole = asked(what, source)
    if whole is not None and not whole[1] and whole[0].startswith(GONE_WITH_2):
        return "", whole[0].split(".")[1]  # Python 2's message leaves out what it found
    if "partially initialized" in what or not (found := ASKED.compiled.search(what)):
        return None
    module = (found["module"] or found["folder"] or "").removeprefix("_core.")
    name = found["symbol"] or found["value"]
    if module in _COMPATIBLE and name in GONE_MODULES:
        return "", name
    return None if module.startswith(_TENSORFLOW_1_INNER) else (module, name)


def _rewriting(facts: Facts, module: str, name: str, frame: str) -> tuple[Fix, ...]:
    """For the program's own code: the new name, the tool that finds all of them, or what the module has."""
    if not is_old(module, name):
        where = ".".join(filter(None, ("tf", module)))
        listing = f"import tensorflow as tf; print(*dir({where}))"
        return (
            act(
                "look",
                "module-names",
                module=where,
                asked=quoted(interpreter(facts), "-c", ours(listing)),
            ),
        )
    file = frame.rpartition("(")[2].rpartition(":")[0].replace("\\", "/").rpartition("/")[2]
    own = file if _SCRIPT.match(file) else "PROGRAM.py"
    tool = act("edit-program", "convert-program-with-tf-upgrade-v2", own=own)
    if not (new := new_name(module, name)):
        return (act("edit-program", "replace-removed-module", called=name), tool)
    old = ".".join(filter(None, ("tf", module, name)))
    return (act("edit-program", "replace-name", new=new, old=old), tool)
