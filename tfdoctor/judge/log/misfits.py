"""Two packages of different times: who asks for what the other does not have, and what brings them together."""

from __future__ import annotations

import sys

from tfdoctor.base.records import record, replace
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.fix.commands import interpreter, operand
from tfdoctor.fix.install import pins
from tfdoctor.fix.machine import machine_from_facts
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.companions import (
    ENDED,
    NUMBERED_ALIKE,
    UNPICKLERS,
    Present,
    closest,
    pin,
    present,
)
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here, python_in
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.compiled import table
from tfdoctor.knowledge.lines import Words, quoted
from tfdoctor.knowledge.messages.by_release import (
    GONE_MODULES,
    Times,
    asked_in,
    is_old,
    key,
    package_of,
    spelt_otherwise,
    times,
)
from tfdoctor.knowledge.messages.catalogue import named
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.packages import PROJECTS
from tfdoctor.knowledge.pages import ways_out
from tfdoctor.knowledge.says import says

# Errors that meet TensorFlow's users and are about somebody else's wish: who asks, for what, and what brings it.

_CUDNN_OPENS = ("libcublas", "libcublasLt", "libnvrtc")
"""cuDNN 8 opens these by itself and says so in its own words; TensorFlow says "Could not load dynamic library"."""


def opened_by_cudnn(case: Case, saying: Saying) -> Candidate | None:
    """None where it is another than cuDNN that asks."""
    match = named("library-not-loaded").hit(saying.text)
    library = match.told["library"] if match else ""
    name, _, major = library.partition(".so.")
    if name not in _CUDNN_OPENS or not major.isdecimal():
        return None
    own = fix_here(case.facts, "change-packages", "cudnn-8-with-library-path")
    fixes = (own, act("unset-variable", "unset-ld-library-path"), *ways_out("cuda-libraries-mixed"))
    return of_page("cuda-libraries-mixed", "cudnn", (place(saying),), values={"library": library, "major": major}, fixes=fixes)  # fmt: skip


# A name that TensorFlow or Keras has in other releases than the installed one: who asks for it, and which side has to move.

NEWER, OLDER, UNSURE = "newer", "older", "unsure"
_OWN = {"tensorflow": ("tensorflow", "tensorflow-core"), "keras": ("keras",)}
_IMAGES = ("ImageDataGenerator", "DirectoryIterator", "NumpyArrayIterator")
"""Keras 3 keeps these under tensorflow.keras alone (keras/_tf_keras of its 3.x wheels, read 2026-11-22); Keras 2.15 had them under keras, too (its wheel, read 2026-11-28)."""
_KERAS_OF_1 = "tensorflow.python.keras.api._v1."
"""What tf.keras is in TensorFlow 1.14 and 1.15 (their files), which the tables do not have."""
_BOUND = ((2, 6), (2, 15))


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
    source: str = ""
    keras_3: bool = False
    """The message itself names Keras 3 as what was asked."""

    @property
    def printed(self) -> str:
        return "Keras" if self.package == "keras" else "TensorFlow"

    @property
    def of_tensorflow(self) -> tuple[str, ...]:
        """The minors of TensorFlow that can be installed; from 2.6 to 2.15 those of Keras are its own."""
        if self.package == "tensorflow":
            return self.present.minors
        return tuple(each for each in self.present.minors if _BOUND[0] <= key(each) <= _BOUND[1])


def misfit(case: Case, told: Testimony, last: Ending) -> Misfit | None:
    """None where no such name was asked for, where a table does not know it, and where the installed release must have it."""
    wanted = asked_in(last)
    if wanted is None:
        return None
    module, name = wanted
    package = package_of(module)
    if name in _IMAGES or last.package in UNPICKLERS or _of_tensorflow_1(module, name) or _KERAS_OF_1 in last.what:  # fmt: skip
        return None  # which have rules of their own
    there = times(module, name) if package else None
    if there is None or last.package in _OWN.get(package, ()):
        return None
    here = present(case, told, last, package, there)
    if there.having == there.every or not here.minors:
        return None
    whole = f"{module}.{name}" if name else module
    asker, keras_3 = _misfit_asker(told, last, here), bool(last.package) and _KERAS_3 in last.what
    return Misfit(
        package, whole, there, here, asker, _side(there, here), last.frame, last.source, keras_3
    )


_KERAS_3 = "module 'keras._tf_keras."
"""The folder that stands for tf.keras in Keras 3 (its wheels)."""


def _misfit_asker(told: Testimony, last: Ending, here: Present) -> str:
    asker = last.package or imported(told, last)
    keras_3 = any(each.told["version"].startswith("3.") for each in told.named("keras-version"))
    new = here.told and all(key(each) > _BOUND[1] for each in here.minors)
    if "register_load_context_function" in last.what and not last.inside and (keras_3 or new):
        return "tf-keras"  # what only Keras 2 asks for, beside Keras 3
    if not asker and last.what.partition(": ")[2].startswith(FOR_KERAS):
        return "keras"
    return PROJECTS.get(asker.replace("-", "_"), asker)


FOR_KERAS = (
    "module 'tensorflow.compat.v2.__internal__",
    "module 'tensorflow._api.v2.compat.v2.__internal__",
    "module 'tensorflow.python.keras.",
)
"""What TensorFlow keeps for the package keras alone, by the names under which its files ask (keras 2.4 to 2.15, their wheels): no program writes so."""


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


NAMES = (
    "tensorflow-lacks-attribute", "tensorflow-submodule-missing", "keras-private-name", "keras-private-module", "keras-module", "keras-newer-module",
    "keras-attribute", "keras-name", "keras-get-config", "keras-load-context", "keras-dtensor",
)  # fmt: skip
"""Signatures of names that were asked for in vain."""


def at(told: Testimony, saying: Saying) -> Ending:
    """The exception of a saying's line; the line itself where no traceback is told."""
    asker = "keras" if saying.name in _MISFIT_OF_KERAS else ""
    alone = Ending("exception", 1, saying.text, saying.file, saying.line, package=asker)
    return told.raised_at(saying) or alone


_MISFIT_OF_KERAS = (
    "keras-get-config",
    "keras-load-context",
    "keras-dtensor",
    "keras-private-module",
)
"""Names that Keras alone asks TensorFlow for."""


# Public names for inner ones that were moved or removed.


def elsewhere(facts: Facts, found: Misfit) -> Fix | None:
    """The project that has it now; None for what only moved inside."""
    for name, said in table("projects").items():
        if found.name == name or found.name.startswith(f"{name}."):
            project, _, line = said.partition(": ")
            return fix_here(
                facts, "change-packages", "install-successor-of-module", project=project, line=line
            )
    return None


def public_name(found: Misfit) -> str:
    """The public name that the newest of the releases that can be installed has; "" where none is known."""
    module, _, last = found.name.rpartition(".")
    # A module, though a class may be called so.
    other = "" if found.name in table("public") else spelt_otherwise(module, last)
    today = times(module, other) if other else None
    if today is not None and today.last == today.every[-1]:
        return f"{module}.{other}"
    for inner, public in table("public").items():
        if found.name == inner or found.name.startswith(f"{inner}."):
            name = public + found.name[len(inner) :]
            for each in (name, f"{public}.{name.rpartition('.')[2]}", public):
                if each != found.name and _has_now(found, each):
                    return each
    return f"tensorflow.{found.name}" if _in_both(found) else ""


def _in_both(found: Misfit) -> bool:
    """keras 2.4 to 2.12 left out names that tensorflow.keras has always had, and Keras 3 has them under both again."""
    module, _, last = found.name.rpartition(".")
    here, name = times(f"tensorflow.{module}"), times(f"tensorflow.{module}", last)
    if found.package != "keras" or found.times.last != found.times.every[-1] or here is None:
        return False
    having = [each.having for each in (here, name) if each is not None]
    return all(minor in each for each in having for minor in found.present.minors)


def _has_now(found: Misfit, name: str) -> bool:
    """By the table of the module's package; tensorflow.keras shows what Keras itself has."""
    module, _, last = name.rpartition(".")
    of_keras = name.removeprefix("tensorflow.")
    there = times(name) or times(module, last)
    if there is None and name != of_keras:
        module, _, last = of_keras.rpartition(".")
        there = times(module, last) if module.startswith("keras") else None
        return there is not None and there.last == there.every[-1]
    return there is not None and found.present.minors[-1] in there.having


# A file of the user's own that stands in the way of a module: the traceback shows where an installed one got it instead.


def shadowing(last: Ending) -> Candidate | None:
    """None where the traceback shows no such file."""
    if not last.shadow:
        return None
    file = _name(last.shadow)
    return of_page("tensorflow-shadowed", "shadow", (place(last),), values={"file": file, "module": file.removesuffix(".py"), "path": last.shadow}, sure=Confidence.CERTAIN, fixes=_renamed(file))  # fmt: skip


_INSTALLED = ("site-packages", "dist-packages")


def of_itself(told: Testimony, saying: Saying) -> Candidate | None:
    """A module that is asked for a name while it is still being imported: mostly a file of the user's own has its name."""
    if saying.name != "partially-initialized":
        return None
    module, at, path = (
        saying.told["module"],
        (place(saying),),
        saying.text.rpartition("(")[2].rstrip(") "),
    )
    if path.endswith(".py") and not any(each in path for each in _INSTALLED):
        file, sure = _name(path), Confidence.CERTAIN
    else:
        file, sure = _own_file(told, module), Confidence.LIKELY
    return of_page("tensorflow-shadowed", "itself", at, values={"module": module, "file": file or "like a module that it imports"}, sure=sure, fixes=_renamed(file))  # fmt: skip


def _own_file(told: Testimony, module: str) -> str:
    """What shadows it: a script with a name of Python's library, else the module's own name, which a package with parts can't be."""
    frames = [
        each.frame.rpartition("(")[2].rpartition(":")[0] for each in told.endings if each.frame
    ]
    started = [each.told["file"] for each in told.named("script-started")]
    files = [_name(each) for each in (*frames, *started) if each.endswith(".py")]
    of_python = sys.stdlib_module_names | {"test"}
    own = "" if "." in module else f"{module}.py"
    return next((each for each in files if each.removesuffix(".py") in of_python), own)


def _renamed(file: str) -> tuple[Fix, ...]:
    own = (act("change-file", "rename-named-file", file=operand(file)),) if file else ()
    return (*own, act("look", "files-like-modules"))


def _name(path: str) -> str:
    parts = path.replace("\\", "/").split("/")
    return parts[-2] if parts[-1] == "__init__.py" and len(parts) > 1 else parts[-1]


# What brings the two sides of a misfit together, the smallest change first.

_BEFORE_THE_MATRIX = {
    **{f"1.{minor}": ("3.5", "3.6") for minor in range(13)},
    **dict.fromkeys(("1.13", "1.14"), ("3.5", "3.6", "3.7")),
    "1.15": ("3.7",),
    "2.0": ("3.7",),
    "2.1": ("3.7",),
    "2.2": ("3.7", "3.8"),
    "2.3": ("3.7", "3.8"),
}
"""Pythons that old minors have wheels for (their files)."""
_BY_INSTALLED = '"{{package}}==$({{python}} -c \'from importlib.metadata import version as v; print(v("tensorflow").rpartition(".")[0])\').*"'
_LAST_FOR_ENDED = (2, 15)
"""The last TensorFlow before Keras 3, for which what is no longer developed was never made."""
_LOOK = act("look", "packages")


def _fixes(case: Case, found: Misfit) -> tuple[Fix, ...]:
    facts = case.facts
    if found.package == "keras" and found.times.since.startswith("3.") and found.side == NEWER:
        needs = Words(" {{asker}}" if found.asker else "", asker=found.asker)
        who, inside = found.asker or "the program", python_in(facts, "keras-3")
        return (
            fix_here(
                facts,
                "new-environment",
                "use-package-with-keras-3",
                who=who,
                inside=inside,
                needs=needs,
            ),
        )
    if found.keras_3:
        return (fix_here(facts, "set-variable", "install-tf-keras-and-switch"),)
    one = _move_asker(facts, found) if found.asker else _other_name(facts, found)
    return tuple(filter(None, (one, _move_tensorflow(case, found)))) or (_LOOK,)


def _move_asker(facts: Facts, found: Misfit) -> Fix | None:
    python, minors = interpreter(facts), found.of_tensorflow
    if found.asker == "tf-keras" and len(minors) > 1:
        return fix_here(facts, "change-packages", "tf-keras")
    of_several = len(minors) > 1 and found.package == "tensorflow"
    numbered = found.asker in NUMBERED_ALIKE or (found.asker == "keras" and (2, 6) <= key(minors[-1]) <= (2, 15))  # fmt: skip
    if of_several and numbered and value_or(facts.host.os, "") != "windows":
        own = Words(_BY_INSTALLED, package=Words(found.asker), python=python)
        return act(
            "change-packages",
            "package-for-tensorflow-here",
            asker=found.asker,
            python=python,
            spec=own,
        )
    spec, minor = closest(found.asker, minors)
    if spec and (found.package == "tensorflow" or found.side == NEWER):
        several = f" Another version? `{python} -m pip show tensorflow` names it."
        others = "" if minors[0] == minors[-1] else several
        return act("change-packages", "install-package-for-minor", asker=found.asker, minor=minor, python=python, spec=spec, others=others)  # fmt: skip
    if found.asker in ENDED or found.side != OLDER:
        return None
    return fix_here(
        facts,
        "change-packages",
        "update-asker-or-downgrade",
        asker=found.asker,
        called=found.name,
        printed=found.printed,
    )


def _other_name(facts: Facts, found: Misfit) -> Fix | None:
    """Where it is now: in a project of its own, or under its public name."""
    public = "" if (special := elsewhere(facts, found)) else public_name(found)
    if special or not public:
        return special
    line = _as_import(found, public)
    return act(
        "edit-program", "replace-with-public-name", public=public, called=found.name, as_import=line
    )


def _move_tensorflow(case: Case, found: Misfit) -> Fix | None:
    """A TensorFlow that has the name, for this Python, or with a Python of its time."""
    minor = _with_the_name(case, found)
    if not minor:
        return None
    bound = found.side != NEWER or found.asker in ENDED
    fitting = pin(found.asker, minor) if bound else ""
    more = quoted(Words(), *filter(None, (*_pins(case, minor), fitting)))
    if _has_wheel(case, minor):
        return fix_here(
            case.facts,
            "new-environment",
            "tensorflow-of-minor",
            minor=minor,
            spec=f"tensorflow=={minor}.*",
            in_=python_in(case.facts, f"tensorflow-{minor}"),
            more=more,
        )
    feature = max(pythons_of(case, minor), key=key, default="")
    if not feature:
        return None
    return act(
        "new-environment",
        "tensorflow-with-its-python",
        minor=minor,
        spec=f"tensorflow=={minor}.*",
        feature=feature,
        more=more,
    )


def _pins(case: Case, minor: str) -> list[str]:
    """What has to be said besides, so that an old release works with what pip brings today."""
    for row in case.matrix.releases():
        if row.tensorflow.startswith(f"{minor}."):
            return pins(
                row,
                replace(machine_from_facts(case.facts), gpus=Absent("none is asked for")),
                case.matrix,
            )
    return ["protobuf<3.21"]


def _with_the_name(case: Case, found: Misfit) -> str:
    """For one that is too old the newest that this Python takes, for a name that is gone the last that had it."""
    having = found.times.having
    if found.asker in ENDED:
        having = _for_ended(having)
    if found.package == "keras":
        having = tuple(each for each in having if (2, 6) <= key(each) <= (2, 15))
    if not having or found.side == OLDER:
        return having[-1] if having else ""
    if found.side == NEWER and not found.asker and key(found.times.since) <= _LAST_FOR_ENDED:
        # Before Keras 3.
        having = _for_ended(having)
    fitting = [each for each in having if _has_wheel(case, each)]
    return fitting[-1] if fitting else having[-1]


def _for_ended(having: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(each for each in having if key(each) <= _LAST_FOR_ENDED) or having


def _has_wheel(case: Case, minor: str) -> bool:
    python = case.facts.interpreter.version
    return isinstance(python, Known) and python.value.feature in pythons_of(case, minor)


def pythons_of(case: Case, minor: str) -> list[str]:
    for row in case.matrix.releases():
        if row.tensorflow.startswith(f"{minor}.") and isinstance(row.python, Known):
            return [each.feature for each in row.python.value]
    return list(_BEFORE_THE_MATRIX.get(minor, ()))


def _as_import(found: Misfit, name: str) -> str:
    """The program's own line with the public name, where the log shows that line."""
    if f"from {found.name} import " in found.source:
        return found.source.replace(found.name, name)
    module, _, last = name.rpartition(".")
    line = f"from {module} import {last}" if module else f"import {name}"
    old = found.name.rpartition(".")[2]
    plain = found.source.startswith("import ") or " as " in found.source
    return line if last == old or last[:1].isupper() or plain else f"{line} as {old}"


# A misfit as a finding: whose release is too new or too old for whose, and how the log shows it.

_OTHER_KERAS = ("keras", "tf-keras", "keras-hub", "keras-cv", "keras-nlp", "keras-tuner")


def of_saying(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """None where the text is no such name, or the tables do not tell it."""
    return words_of_ending(case, told, at(told, saying)) if saying.name in NAMES else None


def words_of_ending(case: Case, told: Testimony, last: Ending) -> Candidate | None:
    found = misfit(case, told, last)
    if found is None:
        return None
    of_keras = found.package == "keras" or found.asker in _OTHER_KERAS or found.name.startswith("tensorflow.keras.")  # fmt: skip
    code = (
        "keras-mismatch"
        if of_keras
        else "package-import-failed"
        if found.asker
        else "python-exception"
    )
    minors, what, printed, times = (
        found.present.minors,
        found.name,
        found.printed,
        spans(found.times),
    )
    if found.asker and found.side != UNSURE:
        age = "new" if found.side == NEWER else "old"
        title = says(
            "keras-mismatch",
            "too-new-or-old-title",
            who=found.asker,
            age=age,
            what=what,
            printed=printed,
            spans=times,
        )
    else:
        title = says(
            "keras-mismatch",
            "needs-title",
            who=found.asker or "The program",
            what=what,
            printed=printed,
            spans=times,
        )
    own = (
        says("keras-mismatch", "your-line", frame=found.frame)
        if found.frame and not found.asker
        else ""
    )
    one = found.present.told or len(minors) == 1
    seen = says("keras-mismatch", "seen", printed=found.printed, minor=minors[0]) if one else ""
    words = says("keras-mismatch", "misfit", seen=seen, own=own).strip()
    return Candidate(
        code, Confidence.CERTAIN, (place(last),), words, title=title, fixes=_fixes(case, found)
    )


def spans(there: Times) -> str:
    """ "2.5 and newer", "2.6 to 2.12", "1.15 to 2.12 and 2.16 and newer"."""
    runs: list[list[str]] = []
    for each in there.having:
        if runs and there.every.index(each) == there.every.index(runs[-1][1]) + 1:
            runs[-1][1] = each
        else:
            runs.append([each, each])
    return ", and in ".join(_run(first, last, there) for first, last in runs)


def _run(first: str, last: str, there: Times) -> str:
    if last == there.every[-1]:
        return f"{first} and newer"
    if first == there.every[0]:
        return f"{last} and older"
    return first if first == last else f"{first} to {last}"
