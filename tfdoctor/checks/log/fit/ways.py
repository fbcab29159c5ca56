"""What brings the two sides of a misfit together, the smallest change first."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.companions import keeping_tensorflow
from tfdoctor.checks.log.fit.misfit import NEWER, OLDER, UNSURE, Misfit, of_run
from tfdoctor.checks.log.fit.moved import elsewhere, public_line, public_name
from tfdoctor.checks.log.fit.pins import ENDED, NEXT, NUMBERED_ALIKE, closest, pin
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.fit.supported import supported_fix
from tfdoctor.checks.log.kerases import legacy_switch, tf_keras
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known, value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.fixes.install import pins
from tfdoctor.fixes.machine import machine_from_facts
from tfdoctor.light.records import replace
from tfdoctor.signatures.own_errors import NOT_ON_THE_INDEX

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
_BY_INSTALLED = '"{package}==$({python} -c \'from importlib.metadata import version as v; print(v("tensorflow").rpartition(".")[0])\').*"'
_LAST_FOR_ENDED = (2, 15)
"""The last TensorFlow before Keras 3, for which what is no longer developed was never made."""
_LOOK = fix("see-releases-are-installed-changes-nothing")


def misfit_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the run did not end by a misfit."""
    found = of_run(case, told)
    if found is None:
        return ()
    if found.package == "keras" and found.times.since.startswith("3.") and found.side == NEWER:
        return _with_keras_3(case, found)
    if found.keras_3:
        return (legacy_switch(case.facts),)
    if not found.asker:
        return _of_own_code(case, found, saved=bool(told.named("unpickling")))
    ways = (
        _by_framework(found),
        supported_fix(case.facts, told, found.asker),
        _move_asker(case, found),
        _move_tensorflow(case, found),
        _with_old_keras(found),
    )
    return tuple(filter(None, ways)) or (_LOOK,)


def _with_old_keras(found: Misfit) -> Fix | None:
    """Of a name that the package keras had up to 2.3, its last with code of its own."""
    if found.package != "keras" or found.side != OLDER or found.times.last != "2.3":
        return None
    lines = ("uv venv --python 3.7 tensorflow-1.15", 'uv pip install --python=tensorflow-1.15 "tensorflow==1.15.*" "keras==2.3.1" "h5py<3" "protobuf<3.21"')  # fmt: skip
    return Fix("Run it with Keras 2.3 and the TensorFlow of that time, in an environment of its own", lines, f"The present environment stays as it is. {found.asker} and the program's other packages go there as well, in their releases of that time. 1.15 knows no GPU newer than those of CUDA 10.")  # fmt: skip


_WITH_A_SWITCH = ("efficientnet", "segmentation-models", "classification-models", "image-classifiers")
"""They work with tf.keras as well, and read from SM_FRAMEWORK which of the two is meant (qubvel/segmentation_models, its README)."""


def _by_framework(found: Misfit) -> Fix | None:
    if found.asker not in _WITH_A_SWITCH or found.package != "keras":
        return None
    return fix("have-work-with-tf-keras-in", asker=found.asker)


def _move_asker(case: Case, found: Misfit) -> Fix | None:
    facts, python, minors = case.facts, interpreter(case.facts), found.of_tensorflow
    if found.asker == "tf-keras" and len(minors) > 1:
        return tf_keras(facts)
    if _with_the_minor(found, minors) and not _windows(facts):
        spec = _BY_INSTALLED.format(package=found.asker, python=python)
        return fix(
            "install-tensorflow-installed",
            asker=found.asker,
            python=python,
            spec=spec,
            user_site=_user_site(found),
        )
    spec, minor = closest(found.asker, minors)
    if spec and (found.package == "tensorflow" or found.side == NEWER):
        others = (
            ""
            if minors[0] == minors[-1]
            else f" If yours is another one, take its own: `{python} -m pip show tensorflow` names it."
        )
        folder = _user_site(found)
        return fix(
            "install-made-for-tensorflow",
            asker=found.asker,
            minor=minor,
            python=python,
            spec=spec,
            others=others,
            folder=folder,
        )
    if found.asker in ENDED:
        return None
    if found.side == OLDER or (found.side == UNSURE and _was_there_before(found)):
        return _update(facts, found)
    day = NEXT.get(minors[-1], "") if minors else ""
    if found.side == NEWER and day:
        title = (
            f"Take the {found.asker} of the time of TensorFlow {minors[-1]}: uv can leave out what came later"
        )
        return Fix(title, (f"uv pip install --python={python} --exclude-newer={day} --reinstall --no-deps {found.asker}",), f"TensorFlow's next minor came out on {day}. {python} -m pip install uv brings uv.")  # fmt: skip
    return None


def _was_there_before(found: Misfit) -> bool:
    """The name is gone, or what has it again today is another thing: who asks for it is older than all that can be installed."""
    having, minors = found.times.having, found.present.minors
    gone = found.times.last != found.times.every[-1]
    return gone or (bool(minors) and key(having[0]) < key(minors[0]))


def _with_the_minor(found: Misfit, minors: tuple[str, ...]) -> bool:
    """Several are possible, and for all of them the asker's minor is TensorFlow's."""
    if len(minors) < 2 or found.package != "tensorflow":
        return False
    if found.asker == "keras":
        return key(minors[-1]) >= (2, 6) and key(minors[-1]) <= (2, 15)
    return found.asker in NUMBERED_ALIKE


def _user_site(found: Misfit) -> str:
    return (
        " It is in the user's own folder (~/.local), before those of an environment or a module: `export PYTHONNOUSERSITE=1` leaves all of that folder out."
        if "/.local/lib/" in found.root
        else ""
    )


def _update(facts: Facts, found: Misfit) -> Fix:
    folder = found.asker.replace("-", "_")
    if folder in NOT_ON_THE_INDEX:
        return Fix(f"Update {folder}, which pip alone can't", note=NOT_ON_THE_INDEX[folder])
    return fix(
        "update-and-keep-tensorflow-as-3",
        asker=found.asker,
        python=interpreter(facts),
        keeping=keeping_tensorflow(facts),
        called=found.name,
        printed=found.printed,
    )


def _move_tensorflow(case: Case, found: Misfit) -> Fix | None:
    """A TensorFlow that has the name, for this Python, or with a Python of its time."""
    minor = _with_the_name(case, found)
    if not minor:
        return None
    bound = found.side != NEWER or found.asker in ENDED
    python, fitting = interpreter(case.facts), pin(found.asker, minor) if bound else ""
    more = "".join(f' "{each}"' for each in (*_pins(case, minor), fitting) if each)
    if _has_wheel(case, minor):
        return fix(
            "take-tensorflow-in-environment-own",
            minor=minor,
            python=python,
            in_=_in(case.facts, minor),
            more=more,
        )
    feature = _newest_python(case, minor)
    if not feature:
        return None
    return fix("take-tensorflow-with-python-in-environment", minor=minor, feature=feature, more=more)


def _pins(case: Case, minor: str) -> list[str]:
    """What has to be said besides, so that an old release works with what pip brings today."""
    for row in case.matrix.releases():
        if row.tensorflow.startswith(f"{minor}."):
            return pins(
                row, replace(machine_from_facts(case.facts), gpus=Absent("none is asked for")), case.matrix
            )
    return ["protobuf<3.21"]


def _with_the_name(case: Case, found: Misfit) -> str:
    """For one that is too old the newest that this Python takes, for a name that is gone the last that had it."""
    having = found.times.having
    if (
        having == found.times.every
    ):  # what is there is older than the tables, so the code is for TensorFlow 1, too
        return having[0]
    if found.asker in ENDED:
        having = tuple(each for each in having if key(each) <= _LAST_FOR_ENDED) or having
    if found.package == "keras":
        having = tuple(each for each in having if (2, 6) <= key(each) <= (2, 15))
    if not having or found.side == OLDER:
        return having[-1] if having else ""
    if found.side == NEWER and not found.asker and key(found.times.since) <= _LAST_FOR_ENDED:
        having = tuple(each for each in having if key(each) <= _LAST_FOR_ENDED) or having  # before Keras 3
    fitting = [each for each in having if _has_wheel(case, each)]
    return fitting[-1] if fitting else having[-1]


def _has_wheel(case: Case, minor: str) -> bool:
    python = case.facts.interpreter.version
    return isinstance(python, Known) and python.value.feature in pythons_of(case, minor)


def pythons_of(case: Case, minor: str) -> list[str]:
    for row in case.matrix.releases():
        if row.tensorflow.startswith(f"{minor}.") and isinstance(row.python, Known):
            return [each.feature for each in row.python.value]
    return list(_BEFORE_THE_MATRIX.get(minor, ()))


def _newest_python(case: Case, minor: str) -> str:
    return max(pythons_of(case, minor), key=key, default="")


def _in(facts: Facts, minor: str) -> str:
    return f"tensorflow-{minor}\\Scripts\\python" if _windows(facts) else f"tensorflow-{minor}/bin/python"


def _windows(facts: Facts) -> bool:
    return value_or(facts.host.os, "") == "windows"


def _with_keras_3(case: Case, found: Misfit) -> tuple[Fix, ...]:
    """Keras 3 goes with TensorFlow 2.16 and newer alone."""
    facts, folder = case.facts, "keras-3"
    python, who = interpreter(facts), found.asker or "the program"
    inside = f"{folder}\\Scripts\\python" if _windows(facts) else f"{folder}/bin/python"
    needs = f" {found.asker}" if found.asker else ""
    gpu = " On Windows itself TensorFlow has no GPU after 2.10; WSL2 has." if _windows(facts) else ""
    new = fix(
        "use-with-keras-3-tensorflow-2-16",
        who=who,
        python=python,
        folder=folder,
        inside=inside,
        needs=needs,
        gpu=gpu,
    )
    if not found.asker:
        return (new, fix("write-for-keras-2-here", called=found.name))
    without = fix("keep-tensorflow-and-do-without-no", asker=found.asker, python=python)
    return (new, without) if found.asker == "keras-hub" else (new,)


def _of_own_code(case: Case, found: Misfit, *, saved: bool) -> tuple[Fix, ...]:
    if saved:  # the name stands in a file, and nobody can write another one there
        portable = fix("where-object-was-made-save-in")
        return tuple(filter(None, (_move_tensorflow(case, found), portable)))
    if special := elsewhere(case.facts, found):
        back = found.side == UNSURE and found.times.last == found.times.every[-1]
        old = (
            None if back else _move_tensorflow(case, found)
        )  # what came back under the name is another thing
        return tuple(filter(None, (old, special) if not special.commands else (special, old)))
    if line := public_line(found):
        there = line.removeprefix("from ").partition(" ")[0]
        taken = fix("take-names-from-them-for-everybody", there=there, line=line)
        return tuple(filter(None, (taken, _move_tensorflow(case, found))))
    public = public_name(found)
    renamed = (
        fix("write-in-place", public=public, called=found.name, as_import=_as_import(found, public))
        if public
        else None
    )
    return tuple(filter(None, (renamed, _move_tensorflow(case, found)))) or (_LOOK,)


def _as_import(found: Misfit, name: str) -> str:
    """The program's own line with the public name, where the log shows that line."""
    if f"from {found.name} import " in found.source:
        return found.source.replace(found.name, name)
    module, _, last = name.rpartition(".")
    line = f"from {module} import {last}" if module else f"import {name}"
    old = found.name.rpartition(".")[2]
    plain = found.source.startswith("import ") or " as " in found.source
    return line if last == old or last[:1].isupper() or plain else f"{line} as {old}"
