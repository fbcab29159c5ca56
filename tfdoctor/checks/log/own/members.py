"""A method, property or argument that Keras' objects have in other releases than the installed one, or in another Keras."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.fit.present import key, present
from tfdoctor.checks.log.kerases import legacy_switch
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.records import record
from tfdoctor.signatures.own.members import Member, member

_OWN = ("keras", "tensorflow", "tensorflow-core", "tf-keras")
_KERAS_3 = (3, 0)
_SPEC = "_get_save_spec"
"""Converters ask a model of Keras 2 for it: handed one of Keras 3, an update of theirs does not bring it."""
_FELL_BACK = "keras-legacy-fallback"
"""Keras said that it took the legacy optimizer: what that one lacks is told by `outside/classes.py`."""
_LEFT_OUT = "Leave it out: Keras 3 takes it in the constructor of keras.utils.PyDataset alone."
_INSTEAD = {
    "predict_classes": "np.argmax(model.predict(x), axis=-1), or (model.predict(x) > 0.5).astype('int32') for a single output, in place of model.predict_classes(x)",
    "predict_proba": "model.predict(x) in place of model.predict_proba(x)",
    "fit_generator": "model.fit(generator, …) in place of model.fit_generator(generator, …)",
    "evaluate_generator": "model.evaluate(generator) in place of model.evaluate_generator(generator)",
    "predict_generator": "model.predict(generator) in place of model.predict_generator(generator)",
    "reset_states": "[layer.reset_state() for layer in model.layers if getattr(layer, 'stateful', False)] in place of model.reset_states()",
    "lr": "optimizer.learning_rate in place of optimizer.lr",
    "learning_rate": "optimizer.lr in place of optimizer.learning_rate",
    "workers": _LEFT_OUT, "use_multiprocessing": _LEFT_OUT, "max_queue_size": _LEFT_OUT,
    "get_scaled_loss": "optimizer.scale_loss(loss) in place of optimizer.get_scaled_loss(loss), and no get_unscaled_gradients: apply_gradients takes the scale off again",
    "get_unscaled_gradients": "Leave it out: apply_gradients takes the scale off again, and optimizer.scale_loss(loss) takes the place of get_scaled_loss",
    "_get_save_spec": "model.export('folder') and then tf.lite.TFLiteConverter.from_saved_model('folder'), in place of from_keras_model(model): this converter reads models of Keras 2 alone",
    "save_format": "Leave it out: the ending of the file says the format, model.save('model.keras')",
}  # fmt: skip
"""What the program's own line says in the installed release (the docstrings of both releases)."""


@record
class Lacking:
    """`minors` are the Kerases that can be installed, all without the member. `asker` "" for the user's own code."""

    member: Member
    minors: tuple[str, ...]
    asker: str
    frame: str

    @property
    def mixed(self) -> bool:
        return self.member.times is None and not self.member.new

    @property
    def inner(self) -> bool:
        """A package asks for what is Keras' own: such names tell nothing by their times."""
        wraps = self.member.owner.startswith(_SCALING)
        return (wraps or bool(self.asker)) and self.member.name.startswith("_") and not self.member.call

    @property
    def of_keras_2(self) -> bool:
        """It went with Keras 3, and nothing but a Keras 3 can be installed."""
        there = self.member.times
        return not self.inner and there is not None and bool(self.minors) and all(key(each) >= _KERAS_3 for each in self.minors) and key(there.since) < _KERAS_3  # fmt: skip

    @property
    def is_newer(self) -> bool:
        """The code asks for what came after the installed release."""
        there = self.member.times
        return there is not None and bool(self.minors) and all(key(each) < key(there.since) for each in self.minors)  # fmt: skip


def lacking_member(case: Case, told: Testimony, last: Ending) -> Lacking | None:
    """None where nothing of the kind was asked, or where the installed release has it."""
    asked = member(last.what) if last.how == "exception" else None
    if asked is None or "torch" in last.through or told.named(_FELL_BACK):
        return None
    if asked.times is None and not asked.new and not _of_keras(asked, last):
        return None
    minors = present(case, told, last, "keras", asked.times).minors if asked.times is not None else ()
    minors = _of_tensorflow(case, minors)
    if asked.times is not None and not minors:
        return None
    return Lacking(asked, minors, "" if last.package in _OWN else last.package, last.frame)


def _of_keras(asked: Member, last: Ending) -> bool:
    """An inner name tells nothing by itself: PyTorch and Django have a Sequential, an Adam and a Model, too."""
    return (
        any(each in _OWN for each in last.through)
        or _STRATEGY in asked.name
        or asked.owner == _WRAPPED
        or asked.owner.startswith(_SCALING)
    )


_SCALING = "LossScaleOptimizer"
_WRAPPED = "TFOptimizer"
"""What the package keras puts around an optimizer of another Keras (keras/optimizers.py of 2.3.1)."""
_STRATEGY = "distribution_strategy"
"""A part of the names by which Keras 2 asks a model how it is distributed."""


def _of_tensorflow(case: Case, minors: tuple[str, ...]) -> tuple[str, ...]:
    """By the TensorFlow that is told: from 2.6 to 2.15 its Keras has its minor, before it has that of its time, after it is Keras 3."""
    parts = str(value_or(case.facts.tensorflow.version, "")).split(".")
    if len(parts) < 2 or not all(each.isdecimal() for each in parts[:2]):
        return minors
    own = (int(parts[0]), int(parts[1]))
    if own < (2, 6):
        return tuple(each for each in minors if key(each) < (2, 6))
    return tuple(each for each in minors if (key(each) >= _KERAS_3 if own > (2, 15) else key(each) == own))


def without_member(case: Case, told: Testimony, last: Ending) -> Candidate | None:
    """Which object lacks what, and since when."""
    found = lacking_member(case, told, last)
    if found is None:
        return None
    code = "keras-legacy-needed" if found.of_keras_2 else "keras-mismatch"
    where = f" It is asked for in {found.frame}." if found.frame else ""
    return Candidate(code, Confidence.LIKELY, (place(last),), f"{_words(found)}{where}", title=_title(found))


def _what(found: Lacking) -> str:
    one = found.member
    return f"the argument {one.name} of {one.owner}()" if one.call else f"{one.name} of {one.owner}"


def _title(found: Lacking) -> str:
    one, who = found.member, found.asker or "The program"
    if found.member.owner == _WRAPPED:
        return f"Parts of two Kerases are mixed: the package keras was given another Keras' optimizer, which has no {one.name} here."
    if found.inner:
        return (
            f"{who} asks the {one.owner} of Keras for {one.name}, an inner name that it does not have here."
        )
    if found.mixed:
        return f"Parts of two Kerases are mixed: {one.name} is an inner name that the {one.owner} here does not have."
    if one.times is None:
        return f"{who} was written for Keras 1: {one.owner}() takes {one.new} in place of {one.name}."
    if found.is_newer:
        return f"{who} was written for a newer Keras: {_what(found)} is there since {one.times.since}."
    since = "Keras 3" if found.of_keras_2 else f"Keras {_first_without(found)}"
    return f"{who} was written for an older Keras: {_what(found)} is gone since {since}."


def _words(found: Lacking) -> str:
    if found.member.owner == _WRAPPED:
        return "The package keras was given an optimizer of tensorflow.keras or of TensorFlow itself, and wraps it. What asks for a Keras optimizer's parts does not find them in the wrapper. Nothing is damaged."
    if found.inner:
        return f"A name that begins with _ is nobody's but Keras' own, and changes with its releases: {found.asker or 'the code that asks'} was made for another one, mostly an older one. Or it was handed an object of another Keras than the one it works with. Nothing is damaged."
    if found.mixed:
        return "Keras exists several times in one environment: as tensorflow.keras, as the package keras, and as tensorflow.python.keras, which is nobody's to use. Objects of one do not fit the others. Here one of them handles an object that another one made. Nothing is damaged."
    if found.of_keras_2:
        return "TensorFlow 2.16 and newer bring Keras 3, which took away much that Keras 2 had. Nothing is damaged."
    return "Keras adds and takes away methods and arguments from release to release; the table of its published wheels tells this one's time. Nothing is damaged."


def _first_without(found: Lacking) -> str:
    there = found.member.times
    later = [each for each in there.every if key(each) > key(there.last)] if there is not None else []
    return later[0] if later else ""


def member_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end so."""
    raised = [each for each in told.endings if each.how == "exception"]
    found = lacking_member(case, told, raised[-1]) if raised else None
    if found is None:
        return ()
    if found.member.name == _SPEC and found.asker:
        return (legacy_switch(case.facts), *_rewritten(found))
    if found.inner:
        return (
            *(_updated(case, found) if found.asker else ()),
            *_from_one_place(case, found)[:1],
            *_with_old_optimizers(found),
        )
    if found.mixed:
        return _from_one_place(case, found)
    own = _rewritten(found)
    if found.asker:
        return (*_older(case, found), *_updated(case, found)) if found.of_keras_2 else (*_updated(case, found), *_older(case, found), *own)  # fmt: skip
    return (*own, *_older(case, found))


def _rewritten(found: Lacking) -> tuple[Fix, ...]:
    one = found.member
    if one.new:
        return (fix("write-in-place-4", new=one.new, called=one.name, owner=one.owner),)
    if one.name in _INSTEAD:
        at = f" at {found.frame}" if found.frame and not found.asker else ""
        inner = one.name.startswith("_")  # TensorFlow's own code asks for it, whatever frames were left out
        title = (
            "Export the model to a folder, and convert that"
            if inner
            else f"Change the line that uses {one.name}{at}"
        )
        note = f"model.export('folder'), and hand {found.asker} that folder in place of the model" if inner and found.asker else _INSTEAD[one.name]  # fmt: skip
        return (Fix(title, note=f"In your files: {note}"),)
    if one.call and not found.is_newer:
        return (fix("leave-out-keras-does-not-take", called=one.name, owner=one.owner),)
    return ()


def _updated(case: Case, found: Lacking) -> tuple[Fix, ...]:
    if found.is_newer and not found.inner:
        return ()
    return (
        fix(
            "update-and-keep-tensorflow-as-5",
            asker=found.asker,
            python=interpreter(case.facts),
            keeping=keeping_tensorflow(case.facts),
        ),
    )


def _older(case: Case, found: Lacking) -> tuple[Fix, ...]:
    """The Keras that has it."""
    there = found.member.times
    if there is None:
        return ()
    if found.is_newer:
        return (fix("or-take-tensorflow-whose-keras-or", since=there.since),)
    switch = (legacy_switch(case.facts),) if key(there.last) >= (2, 15) else ()
    legacy = (fix("take-optimizers-before-tensorflow-2-11-to"),) if _of_old_optimizers(found) else ()
    if found.of_keras_2 and switch:
        return switch
    release = f"'<{_first_without(found) if not _first_without(found).startswith('3') else '2.16'}'"
    return (*legacy, fix("or-take-tensorflow-whose-keras-still", release=release))


def _with_old_optimizers(found: Lacking) -> tuple[Fix, ...]:
    """TensorFlow 2.11 put new optimizers in place of those that packages know."""
    if "Optimizer" not in found.member.owner:
        return ()
    return (fix("or-take-tensorflow-with-optimizers-before"),)


def _of_old_optimizers(found: Lacking) -> bool:
    there = found.member.times
    return there is not None and not found.member.call and there.last == _LAST_OLD_OPTIMIZERS


_LAST_OLD_OPTIMIZERS = "2.10"
"""2.11 put new optimizers in their place, and kept these as keras.optimizers.legacy (its release notes)."""


def _from_one_place(case: Case, found: Lacking) -> tuple[Fix, ...]:
    one = fix("import-all-keras-from-one-place")
    return (one, *(_updated(case, found) if found.asker else ()))
