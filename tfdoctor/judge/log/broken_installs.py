"""Installations whose parts are missing, mixed, too old or outside of each other's ranges."""

from __future__ import annotations

from tfdoctor.base.version_ranges import normalised, tightest
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.spans import own_minor, shown
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here, range_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import quoted
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.messages.by_release import MISSING, OWN_NAME
from tfdoctor.knowledge.messages.catalogue import named
from tfdoctor.knowledge.model import Confidence, Fix
from tfdoctor.knowledge.packages import project_of
from tfdoctor.knowledge.says import says

# An import that fails inside TensorFlow's own code: a package that it needs is not there, or its files are of two releases.

_OWN = ("tensorflow", "tensorflow-core")
_NEEDED = frozenset(
    """absl astunparse flatbuffers gast google grpc h5py keras keras_preprocessing ml_dtypes opt_einsum packaging
    requests six tensorboard tensorflow_estimator termcolor typing_extensions wrapt google_pasta pasta""".split()  # noqa: SIM905  # quoted one by one they would be harder to read
)
"""What TensorFlow 2.3 to 2.21 import and require (their metadata, read 2026-11-22)."""
_BOUND_TO_THE_MINOR = ("keras", "tensorboard", "tensorflow-estimator")
"""Their releases carry TensorFlow's own minor, up to 2.15 (the same metadata)."""


_IN_STEP = ("tensorflow-estimator", "tensorboard")
"""They import TensorFlow, and have its minor up to 2.15 (their metadata)."""
_LACKS = "module 'tensorflow' has no attribute"


def incomplete(facts: Facts, last: Ending) -> Candidate | None:
    """A package that TensorFlow's own import lacks, or files of two releases; None for any other exception."""
    what, at, sure = last.what, (place(last),), Confidence.CERTAIN
    if last.package in _IN_STEP and what.partition(":")[0].endswith("Error") and _LACKS in what:
        fixes = _of_the_minor(facts, last.package)
        return of_page(
            "dependency-mismatch",
            "out-of-step",
            at,
            values={"name": last.package},
            sure=sure,
            fixes=fixes,
        )
    if last.package not in _OWN or (last.through and last.through[-1] not in _OWN):
        return None
    missing = MISSING.compiled.search(what)
    if missing and (module := missing["module"].partition(".")[0]) in _NEEDED:
        needed = project_of(module)
        fixes = _of_the_minor(facts, needed)
        return of_page(
            "dependency-mismatch", "needed", at, values={"name": needed}, sure=sure, fixes=fixes
        )
    dll, own = named("dll-procedure-missing").hit(what), OWN_NAME.compiled.search(what)
    part = dll.told.get("module", "") if dll is not None else ""
    if part and part not in _BASE:
        return of_page(
            "tensorflow-install-broken",
            "part",
            at,
            values={"part": part},
            sure=sure,
            fixes=_from_scratch(facts, last),
        )
    if own is None or "partially initialized" in what or "circular import" in what:
        return None
    module, name = own["module"] or own["compiled"] or own["inner"], own["symbol"] or own["attribute"] or own["lacks"]  # fmt: skip
    return of_page("tensorflow-install-broken", "two-versions", at, values={"module": module, "name": name}, sure=sure, fixes=_from_scratch(facts, last))  # fmt: skip


_BASE = ("_pywrap_tensorflow_internal", "_pywrap_tensorflow_common", "_pywrap_tensorflow")
"""What the other parts are linked with, and what is itself linked with Windows' libraries alone (the wheels' files)."""


def _of_the_minor(facts: Facts, name: str) -> tuple[Fix, ...]:
    own = own_minor(facts)
    every = fix_here(facts, "change-packages", "requirements-of-tensorflow")
    if name not in _BOUND_TO_THE_MINOR or own is None or not (2, 0) <= own <= (2, 15):
        return (every,)
    minor = f"{own[0]}.{own[1]}"
    return (
        fix_here(facts, "change-packages", "install-package-of-minor", called=name, minor=minor),
        every,
    )


def _from_scratch(facts: Facts, last: Ending) -> tuple[Fix, ...]:
    """In a notebook modules that were imported before pip changed them may be all that is old."""
    notebook = bool(shown(facts).notebook) or last.frame.startswith("Cell ")
    restart = (act("restart", "notebook-kernel"),) if notebook else ()
    return (*restart, fix_here(facts, "reinstall", "tensorflow-from-scratch"))


# What pip itself says of two packages that do not fit: who requires which range, and what is there. No text is surer.

_CONFLICT = "pip-conflict"
_MISSING = "pip-conflict-missing"
_SERVING = "transport-callback"
"""A connection to the program's own server was closed: it runs."""


def conflict(case: Case, told: Testimony) -> Candidate | None:
    """A candidate where nothing else went wrong in this log: pip goes on after such a line, and what fails comes later."""
    if not (found := _unsettled(told)):
        return None
    asker = found[0].told["asker"]
    fixes = _fixes(case, told, [each for each in found if each.told["asker"] == asker])
    words, title = says("dependency-mismatch", "pip"), _title(found[0])
    return Candidate(
        "dependency-mismatch", Confidence.CERTAIN, (place(found[0]),), words, None, title, fixes
    )


def _title(first: Saying) -> str:
    told = first.told
    have = f"{told['value']} is installed" if "value" in told else "it is not installed"
    return says("dependency-mismatch", "pip-title", asker=told["asker"], version=told["version"], name=_name(first), range=_range(first), have=have)  # fmt: skip


def _unsettled(told: Testimony) -> list[Saying]:
    """None where pip did what it was asked for, and TensorFlow starts with what it speaks of."""
    went_on = _bearable(_ours(told)) and told.named("pip-installed") and not _cut_in(told)
    return [] if went_on else _complaints(told)


def _complaints(told: Testimony) -> list[Saying]:
    cut_in = _cut_in(told)
    found = [
        *_ours(told),
        *(each for each in told.named(_CONFLICT) if normalised(each.told["asker"]) == cut_in),
    ]
    if not found or told.codes or told.named(_SERVING):
        return []
    if cut_in:
        return sorted(found, key=lambda each: normalised(each.told["asker"]) != cut_in)
    return [] if any(each.how != "success" for each in told.endings) else found


def _fixes(case: Case, told: Testimony, wanted: list[Saying]) -> tuple[Fix, ...]:
    """The ranges that pip names, within what the others in this log take; () where TensorFlow never required such a package."""
    if not all(_can_be_true(case.matrix, each) for each in wanted):
        return ()
    ranges = {
        _name(each): range_here(case, told, normalised(_name(each)), _range(each))
        for each in wanted
    }
    specs = quoted(*(f"{name}{spec}" for name, spec in ranges.items()))
    asker, version, names = wanted[0].told["asker"], wanted[0].told["version"], " and ".join(ranges)
    own = fix_here(case.facts, "change-packages", "install-requirements", names=names, asker=asker, version=version, specs=specs)  # fmt: skip
    others = fix_here(
        case.facts, "change-packages", "update-package-for-others", asker=asker, names=names
    )
    return (own, others)


_BEFORE_2_2 = (
    "astor", "backports-weakref", "enum34", "functools32", "futures", "keras-applications", "keras-nightly", "keras-preprocessing", "mock",
    "scipy", "tb-nightly", "tensorflow-tensorboard", "tf-estimator-nightly", "tf-keras-nightly", "werkzeug",
)  # fmt: skip
"""What releases before those of the matrix, and the nightly builds, require (metadata of 1.0 to 2.1 and tensorflow/tools/pip_package/setup.py; 2026-11)."""


def _can_be_true(matrix: Matrix, said: Saying) -> bool:
    """What TensorFlow requires is known of each release: a log that tells otherwise wants its own package to be installed."""
    if normalised(said.told["asker"]) not in _TENSORFLOW:
        return True
    known = {normalised(name) for each in matrix.releases() for name in value_or(each.requires, {})}
    return normalised(_name(said)) in known.union(_TENSORFLOW, _BEFORE_2_2)


def _cut_in(told: Testimony) -> str:
    """The package in whose code a traceback without its last line arose, where pip complains for that package; "" else."""
    last = told.endings[-1] if told.endings else None
    if last is None or any(each.how not in ("cut", "success") for each in told.endings):
        return ""
    askers = {normalised(each.told["asker"]) for each in told.named(_CONFLICT, _MISSING)}
    return last.package if last.how == "cut" and last.package in askers else ""


def around_tensorflow(told: Testimony) -> bool:
    """pip complains only of what TensorFlow starts without, or with in another release. It did its work, and whether a program
    imports the rest is not told."""
    return bool(_unsettled(told)) and _bearable(_ours(told))


def in_words(told: Testimony) -> str:
    """What such a complaint comes to in a text that tells of no failure; "" where pip says nothing of the kind."""
    found = _complaints(told)
    if not found or not _bearable(_ours(told)):
        return ""
    asker, title = found[0].told["asker"], _title(found[0])
    fails = (
        "TensorFlow fails to start"
        if normalised(asker) in _TENSORFLOW
        else f"importing {asker} fails"
    )
    return says("dependency-mismatch", "pip-went-on", title=title, fails=fails, spec=f"{_name(found[0])}{_range(found[0])}")  # fmt: skip


def _ours(told: Testimony) -> list[Saying]:
    """TensorFlow's own requirements first, then those of packages around it. Others' conflicts are not TensorFlow's: they count where
    pip's complaint is all that the text holds, for then it is what is asked about.
    """
    every = told.named(_CONFLICT, _MISSING)
    own = [each for each in every if normalised(each.told["asker"]) in _TENSORFLOW]
    near = [each for each in every if each not in own and _near(each)]
    if near and all(
        map(_is_borne, own)
    ):  # a companion that the TensorFlow here does not suit weighs more than what it starts with
        near.sort(key=lambda each: normalised(_name(each)) not in _TENSORFLOW)
        own, near = near, own
    alone = all(
        each.name in (_CONFLICT, _MISSING) or each.name.startswith(("pip-at", "pip-fetches"))
        for each in told.sayings
    )
    return own + near if own or near or not alone else list(every)


_TENSORFLOW = (
    "tensorflow",
    "tensorflow-cpu",
    "tensorflow-gpu",
    "tensorflow-intel",
    "tensorflow-macos",
)


_BORNE = (
    "absl-py", "astunparse", "flatbuffers", "google-pasta", "grpcio", "libclang", "opt-einsum", "packaging", "requests", "six", "tensorboard",
    "tensorflow-io-gcs-filesystem", "termcolor", "typing-extensions", "wheel", "wrapt",
)  # fmt: skip
"""Requirements of TensorFlow whose next releases it starts with: it imports them for parts that did not change, or not at all.
numpy, protobuf, keras, tensorflow-estimator, ml-dtypes, gast and h5py are not among them: each stopped it in some release (data/compat_matrix.yaml)."""


def _bearable(found: list[Saying]) -> bool:
    """Nothing that stops TensorFlow itself: other packages' wishes, and its own where a newer release does."""
    return not any(
        normalised(each.told["asker"]) in _TENSORFLOW and not _is_borne(each) for each in found
    )


def _is_borne(saying: Saying) -> bool:
    if (
        normalised(_name(saying)) == "numpy"
    ):  # before 2 its binary interface stayed; an older one than it asks for does
        return saying.told.get("value", "").startswith("1.")
    return normalised(_name(saying)) in _BORNE and "value" in saying.told


def _near(saying: Saying) -> bool:
    of = (normalised(saying.told["asker"]), normalised(_name(saying)))
    return any(each.startswith(("tensorflow", "keras", "tf-", "tensorboard")) for each in of)


def _name(saying: Saying) -> str:
    return saying.told["package"]


def _range(saying: Saying) -> str:
    """ "<2.14,>=2.13.1" as people write it: ">=2.13.1,<2.14"."""
    return tightest(saying.told["wanted"]) or saying.told["wanted"]


# An installed package whose own file this Python can't read: it was written for another Python.

_ERRORS = ("SyntaxError", "IndentationError", "TabError")


def of_another_python(facts: Facts, last: Ending) -> Candidate | None:
    """None where the file is the user's own, and for other errors."""
    if last.how != "exception" or not last.package or last.what.partition(":")[0] not in _ERRORS:
        return None
    python, own = facts.interpreter.version, last.package in _OWN
    here = f"Python {python.value.feature}" if isinstance(python, Known) else "this Python"
    return of_page("python-unsupported", "syntax", (place(last),), values={"name": "TensorFlow" if own else last.package, "here": here, "module": last.inside[-1] if last.inside else last.package}, sure=Confidence.CERTAIN, code="" if own else "package-import-failed")  # fmt: skip
