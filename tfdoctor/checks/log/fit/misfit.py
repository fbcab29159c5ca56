"""A name that TensorFlow or Keras has in other releases than the installed one: who asks for it, and which side has to move."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.fit.present import KERAS_OF_1, Present, before_the_tables, key, present
from tfdoctor.checks.log.kerases import IMAGES
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.light.records import record
from tfdoctor.signatures.by_release import Times, asked, package_of, times
from tfdoctor.signatures.own_errors import PROJECTS, WRAPPED
from tfdoctor.signatures.tensorflow_1 import GONE_MODULES, is_old

NEWER, OLDER, UNSURE = "newer", "older", "unsure"
_OWN = {"tensorflow": ("tensorflow", "tensorflow-core"), "keras": ("keras",)}
_UNPICKLING = ("joblib", "cloudpickle", "dill")
"""They ask in the name of what was saved."""
_BOUND = ((2, 6), (2, 15))
_PRINTED = {"tensorflow": "TensorFlow", "keras": "Keras"}


@record
class Misfit:
    """`asker` "" for the user's own code. `side`: whether the asker is newer or older than what it asks."""

    package: str  # "tensorflow" or "keras", which lacks it
    name: str  # as it is written: "tensorflow.python.trackable"
    times: Times
    present: Present
    asker: str
    side: str
    frame: str
    root: str = ""
    source: str = ""
    keras_3: bool = False
    """The message itself names Keras 3 as what was asked."""

    @property
    def printed(self) -> str:
        return _PRINTED[self.package]

    @property
    def of_tensorflow(self) -> tuple[str, ...]:
        """The minors of TensorFlow that can be installed; from 2.6 to 2.15 those of Keras are its own."""
        if self.package == "tensorflow":
            return self.present.minors
        return tuple(each for each in self.present.minors if _BOUND[0] <= key(each) <= _BOUND[1])


def misfit(case: Case, told: Testimony, last: Ending) -> Misfit | None:
    """None where no such name was asked for, where a table does not know it, and where the installed release must have it."""
    wanted = asked(last.what, last.source)
    if last.how != "exception" or wanted is None:
        return None
    module, name = wanted
    package = package_of(module)
    if name in IMAGES or last.package in _UNPICKLING or _of_tensorflow_1(module, name):
        return None  # which have rules of their own
    there = times(module, name) if package else None
    if there is None or last.package in _OWN.get(package, ()):
        return None
    there = _of_version_2(there, last)
    here = present(case, told, last, package, there)
    if package == "tensorflow" and there.having == there.every:
        here = before_the_tables(case, last)
    if not here.minors:
        return None
    whole = f"{module}.{name}" if name else module
    return Misfit(
        package,
        whole,
        there,
        here,
        _asker(told, last, here),
        _side(there, here),
        last.frame,
        last.roots[-1] if last.roots else "",
        last.source,
        bool(last.package) and _KERAS_3 in last.what,
    )


def _of_version_2(there: Times, last: Ending) -> Times:
    """1.15 has under tf.compat.v2 what the tables give it, and what lacked the name is its own tf.keras."""
    if KERAS_OF_1 not in last.what or not last.package:
        return there
    later = tuple(each for each in there.having if not each.startswith("1."))
    return Times(later, there.every) if later else there


_KERAS_3 = "module 'keras._tf_keras."
"""The folder that stands for tf.keras in Keras 3 (its wheels)."""


def _asker(told: Testimony, last: Ending, here: Present) -> str:
    """The package that asks; transformers' wrapper names itself, and what only Keras 2 asks for comes from tf-keras beside Keras 3."""
    if _OF_HUB in last.what:
        return "tensorflow-hub"
    asker = last.package or _wrapper(last.what) or _announced(told, last) or imported(told, last)
    keras_3 = any(each.told["version"].startswith("3.") for each in told.named("keras-version"))
    new = here.told and all(key(each) > _BOUND[1] for each in here.minors)
    if _LOAD_CONTEXT in last.what and not last.inside and (keras_3 or new):
        return "tf-keras"
    if not asker and last.what.partition(": ")[2].startswith(FOR_KERAS):
        return "keras"
    return PROJECTS.get(asker.replace("-", "_"), asker)


FOR_KERAS = (
    "module 'tensorflow.compat.v2.__internal__",
    "module 'tensorflow._api.v2.compat.v2.__internal__",
    "module 'tensorflow.python.keras.",
)
"""What TensorFlow keeps for the package keras alone, by the names under which its files ask (keras 2.4 to 2.15, their wheels): no program writes so."""
_OF_HUB = "module 'tensorflow_hub.tf_v1'"
"""tensorflow-hub's own file that stands for tf.compat.v1 (tensorflow_hub/tf_v1.py, up to 0.16)."""
_LOAD_CONTEXT = "register_load_context_function"


def _wrapper(what: str) -> str:
    found = WRAPPED.compiled.search(what)
    return found[0].removeprefix("Failed to import ").partition(".")[0].partition(" ")[0] if found else ""


def _announced(told: Testimony, last: Ending) -> str:
    """The package whose wrapped error is this one, where its sentence stands on the line above."""
    above = [each for each in told.named("import-wrapped") if place(each) == (last.file, last.line - 1)]
    return above[0].told["module"].partition(".")[0] if above and not last.frame else ""


def imported(told: Testimony, last: Ending) -> str:
    """The companion whose import is shown right above an exception without a traceback; what is imported in a traceback's line is told by its frames."""
    if last.frame or last.inside or last.through:
        return ""
    above = [each for each in told.named("companion-imported") if 0 < last.line - each.line <= _APART and each.file == last.file]  # fmt: skip
    return above[-1].told["module"] if above else ""


_APART = 12
"""Lines between the import and the exception, TensorFlow's own lines of starting among them."""


def _of_tensorflow_1(module: str, name: str) -> bool:
    below = module.removeprefix("tensorflow").lstrip(".")
    return (
        bool(name)
        and module.startswith("tensorflow")
        and is_old(below, name)
        and not below.startswith(GONE_MODULES)
        and name not in GONE_MODULES
    )


def _side(there: Times, here: Present) -> str:
    if all(key(each) < key(there.since) for each in here.minors):
        return NEWER
    return OLDER if all(key(each) > key(there.last) for each in here.minors) else UNSURE


def of_run(case: Case, told: Testimony) -> Misfit | None:
    """That of the run's last exception, or of a line that stands alone."""
    raised = [each for each in told.endings if each.how == "exception"]
    if raised:
        return misfit(case, told, telling(raised))
    alone = told.named(*NAMES)
    return misfit(case, told, at(told, alone[-1])) if alone else None


def telling(raised: list[Ending]) -> Ending:
    """The exception whose words the last one only repeats, where it tells in whose code it arose; the last one else."""
    last = raised[-1]
    deeper = (each for each in raised[:-1] if each.package and _repeated(each.what, last.what))
    return next(deeper, last)


def _repeated(what: str, by: str) -> bool:
    words = what.partition(": ")[2].rstrip(".")
    return len(words) > _TELLING and words in by


_TELLING = 20
"""Characters of an exception's words: fewer could stand in another by chance."""
NAMES = (
    "tensorflow-lacks-attribute", "tensorflow-submodule-missing", "keras-private-name", "keras-private-module", "keras-module",
    "keras-attribute", "keras-name", "keras-get-config", "keras-load-context", "keras-dtensor",
)  # fmt: skip
"""Signatures of names that were asked for in vain."""


def at(told: Testimony, saying: Saying) -> Ending:
    """The exception of a saying's line; the line itself where no traceback is told."""
    found = (each for each in told.endings if each.how == "exception" and place(each) == place(saying))
    asker = "keras" if saying.name in _OF_KERAS else ""
    return next(found, Ending("exception", 1, saying.text, saying.file, saying.line, package=asker))


_OF_KERAS = ("keras-get-config", "keras-load-context", "keras-dtensor", "keras-private-module")
"""Names that Keras alone asks TensorFlow for."""
