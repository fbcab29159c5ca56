"""In which releases of Keras a model, a layer or an optimizer has a method, a property or an argument: the table `names/members.txt`.

`python -m tools.members_by_release` makes it of the published wheels (read 2026-11-23).
"""

from __future__ import annotations

from tfdoctor.light.expressions import Expression
from tfdoctor.light.records import record
from tfdoctor.signatures.by_release import Times, inside, times

MEMBER = Expression(r"'(?P<owner>[A-Za-z]\w{0,80})' object has no attribute '(?P<symbol>\w{1,80})'")
ARGUMENT = Expression(
    r"(?:\b(?P<owner>[A-Z]\w{0,80})\.)?\b(?P<call>[a-z]\w{1,60})\(\) got an unexpected keyword argument '(?P<symbol>\w{1,60})'"
)
_TABLE = "members"
_KINDS = {
    "Sequential": "sequential",
    **dict.fromkeys(("Functional", "Model", "Network"), "model"),
    **dict.fromkeys(("LossScaleOptimizer", "LossScaleOptimizerV3"), "loss-scale"),
    **dict.fromkeys(("Adam", "AdamW", "Adamax", "Adagrad", "Adadelta", "SGD", "RMSprop", "Nadam", "Ftrl"), "optimizer"),
}  # fmt: skip
_WRAPPING = "loss-scale"
"""It passes on what it is asked for to the optimizer inside, and has not all that its base would make."""
_OF_OPTIMIZERS = (
    "_set_hyper",
    "_get_hyper",
    "_create_slots",
    "_resource_apply_dense",
    "_resource_apply_sparse",
    "_prepare_local",
    "_decayed_lr",
    "get_updates",
)
"""What classes of one's own take from the base of optimizers, whatever they are called."""
_OWNERS_OF_CALLS = ("", "Sequential", "Functional", "Model", "Trainer", "TensorFlowTrainer")
_OF_KERAS_1 = {
    "nb_epoch": "epochs", "max_q_size": "max_queue_size", "nb_worker": "workers", "pickle_safe": "use_multiprocessing",
    "samples_per_epoch": "steps_per_epoch", "nb_val_samples": "validation_steps", "val_samples": "steps",
}  # fmt: skip
"""Arguments of fit, fit_generator and predict_generator that Keras 2 renamed (keras/legacy/interfaces.py of 2.2.5)."""


@record
class Member:
    """`times` None for an inner name that no release's public object has. `new` is the name that took its place, if one did."""

    owner: str
    name: str
    call: bool
    times: Times | None
    new: str = ""


def member(what: str) -> Member | None:
    """The member of a Keras object that was asked for in vain; None for others' objects and for what the table does not know."""
    found = ARGUMENT.compiled.search(what)
    if found is not None:
        return _argument(found["owner"] or "", found["call"], found["symbol"])
    found = MEMBER.compiled.search(what)
    if found is None:
        return None
    owner, name = found["owner"], found["symbol"]
    if owner == "TFOptimizer":  # keras 2.2 and 2.3 wrap an optimizer of tf.keras or TensorFlow in it
        return Member(owner, name, call=False, times=None)
    kind = "optimizer" if name in _OF_OPTIMIZERS else _KINDS.get(owner, "")
    if not kind and times("keras.layers", owner) is not None:
        kind = "layer"
    there = inside(_TABLE, kind, name) if kind and not (kind == _WRAPPING and name.startswith("_")) else None
    if there is None and kind == "model":  # code for a Sequential that was given a functional model
        there = inside(_TABLE, "sequential", name)
    if there is None and not (
        kind and owner in _KINDS and name.startswith("_") and not name.startswith("__")
    ):
        return None
    return Member(owner, name, call=False, times=there)


def _argument(owner: str, call: str, name: str) -> Member | None:
    if owner not in _OWNERS_OF_CALLS:
        return None
    there = inside(_TABLE, f"{call}()", name)
    if there is not None:
        return Member(call, name, call=True, times=there)
    if name in _OF_KERAS_1 and call.startswith(("fit", "predict", "evaluate")):
        return Member(call, name, call=True, times=None, new=_OF_KERAS_1[name])
    return None
