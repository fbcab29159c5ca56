"""Installations whose parts are missing, mixed, too old or outside of each other's ranges."""

from __future__ import annotations

from tfdoctor.base.version_ranges import tightest
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_page
from tfdoctor.judge.log.spans import own_minor, shown
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here, range_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Words, requirement
from tfdoctor.knowledge.messages.by_release import MISSING, OWN_NAME
from tfdoctor.knowledge.messages.catalogue import named
from tfdoctor.knowledge.model import Confidence, Fix

# An import that fails inside TensorFlow's own code: a package that it needs is not there, or its files are of two releases.

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
_LACKS = "module 'tensorflow' has no attribute"


def incomplete(facts: Facts, last: Ending) -> Candidate | None:
    """A package that TensorFlow's own import lacks, or files of two releases; None for any other exception."""
    what, at, sure = last.what, (place(last),), Confidence.CERTAIN
    if last.package in _IN_STEP and what.partition(":")[0].endswith("Error") and _LACKS in what:
        fixes = _of_the_minor(facts, last.package)
        return of_page(
            "dependency-mismatch", "out-of-step", at, values={"name": last.package}, sure=sure, fixes=fixes
        )
    if last.package not in _OWN or (last.through and last.through[-1] not in _OWN):
        return None
    missing = MISSING.compiled.search(what)
    if missing and (needed := _NEEDED.get(missing["module"].partition(".")[0], "")):
        fixes = _of_the_minor(facts, needed)
        return of_page("dependency-mismatch", "needed", at, values={"name": needed}, sure=sure, fixes=fixes)
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
    return (fix_here(facts, "change-packages", "install-package-of-minor", called=name, minor=minor), every)


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
_OF_A_CODE = {
    "numpy-abi-mismatch": ("numpy",), "numpy-alias-removed": ("numpy",), "protobuf-incompatible": ("protobuf",), "ml-dtypes-mismatch": ("ml-dtypes",),
    "keras-mismatch": ("keras", "tf-keras"), "keras-legacy-needed": ("tf-keras",), "package-import-failed": (), "custom-op-mismatch": (),
}  # fmt: skip
"""The package that a code is about: what pip says of it goes before any list of releases."""


def conflict(told: Testimony) -> Candidate | None:
    """A candidate where nothing else went wrong in this log: pip goes on after such a line, and what fails comes later."""
    if _bearable(_ours(told)) and told.named("pip-installed") and not _cut_in(told):
        return None  # pip did what it was asked for, and TensorFlow starts with what it speaks of
    return _complaint(told)


def _complaint(told: Testimony) -> Candidate | None:
    cut_in = _cut_in(told)
    found = [*_ours(told), *(each for each in told.named(_CONFLICT) if _plain(each.told["asker"]) == cut_in)]
    if not found or told.codes or told.named(_SERVING):
        return None
    if cut_in:
        found.sort(key=lambda each: _plain(each.told["asker"]) != cut_in)
    elif any(each.how != "success" for each in told.endings):
        return None
    first, more = found[0], len(found) - 1
    name, asker = _name(first), f"{first.told['asker']} {first.told['version']}"
    have = f"{first.told['value']} is installed" if "value" in first.told else "it is not installed"
    title = f"{asker} requires {name} {_range(first)}, and {have}."
    words = "pip installed what was requested without checking whether existing packages still match; they may fail when imported."
    if more:
        words += f" {more} more {'line says' if more == 1 else 'lines say'} the like of other packages."
    return Candidate("dependency-mismatch", Confidence.CERTAIN, (place(first),), words, title=title)


def _cut_in(told: Testimony) -> str:
    """The package in whose code a traceback without its last line arose, where pip complains for that package; "" else."""
    last = told.endings[-1] if told.endings else None
    if last is None or any(each.how not in ("cut", "success") for each in told.endings):
        return ""
    askers = {_plain(each.told["asker"]) for each in told.named(_CONFLICT, _MISSING)}
    return last.package if last.how == "cut" and last.package in askers else ""


def around_tensorflow(told: Testimony) -> bool:
    """pip complains only of what TensorFlow starts without, or with in another release. It did its work, and whether a program
    imports the rest is not told."""
    return conflict(told) is not None and _bearable(_ours(told))


def in_words(told: Testimony) -> str:
    """What such a complaint comes to in a text that tells of no failure; "" where pip says nothing of the kind."""
    found = _complaint(told)
    if found is None or not _bearable(_ours(told)):
        return ""
    first = _ours(told)[0]
    return (
        f"pip installed everything. {found.title} Ignore it unless {_matters(first)}: "
        f'`python -m pip install "{_name(first)}{_range(first)}"`'
    )


def _matters(first: Saying) -> str:
    if _plain(first.told["asker"]) in _TENSORFLOW:
        return "TensorFlow fails to start"
    return f"importing {first.told['asker']} fails"


def conflict_fixes(code: str, case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The range that pip names, for what this code is about; () where pip says nothing of it."""
    found = _ours(told)
    if code == "dependency-mismatch":
        wanted = found if conflict(told) is not None else []
        wanted = [
            each for each in told.named(_CONFLICT) if _plain(each.told["asker"]) == _cut_in(told)
        ] or wanted
    else:
        wanted = [each for each in found if _plain(_name(each)) in _OF_A_CODE.get(code, ())]
    wanted = [each for each in wanted if each.told["asker"] == wanted[0].told["asker"]]
    if not wanted:
        return ()
    ranges = {_name(each): range_here(case, told, _plain(_name(each)), _range(each)) for each in wanted}
    specs = Words(" ".join(requirement(f"{name}{spec}") for name, spec in ranges.items()))
    asker = wanted[0].told["asker"]
    names = " and ".join(dict.fromkeys(map(_name, wanted)))
    own = fix_here(
        case.facts,
        "change-packages",
        "install-requirements",
        names=names,
        asker=asker,
        version=wanted[0].told["version"],
        specs=specs,
    )
    return (
        own,
        fix_here(case.facts, "change-packages", "update-package-for-others", asker=asker, names=names),
    )


def _ours(told: Testimony) -> list[Saying]:
    """TensorFlow's own requirements first, then those of packages around it. Others' conflicts are not TensorFlow's: they count where
    pip's complaint is all that the text holds, for then it is what is asked about.
    """
    every = told.named(_CONFLICT, _MISSING)
    own = [each for each in every if _plain(each.told["asker"]) in _TENSORFLOW]
    near = [each for each in every if each not in own and _near(each)]
    if near and all(
        map(_is_borne, own)
    ):  # a companion that the TensorFlow here does not suit weighs more than what it starts with
        near.sort(key=lambda each: _plain(_name(each)) not in _TENSORFLOW)
        own, near = near, own
    alone = all(
        each.name in (_CONFLICT, _MISSING) or each.name.startswith(("pip-at", "pip-fetches"))
        for each in told.sayings
    )
    return own + near if own or near or not alone else list(every)


_TENSORFLOW = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-intel", "tensorflow-macos")


_BORNE = (
    "absl-py", "astunparse", "flatbuffers", "google-pasta", "grpcio", "libclang", "opt-einsum", "packaging", "requests", "six", "tensorboard",
    "tensorflow-io-gcs-filesystem", "termcolor", "typing-extensions", "wheel", "wrapt",
)  # fmt: skip
"""Requirements of TensorFlow whose next releases it starts with: it imports them for parts that did not change, or not at all.
numpy, protobuf, keras, tensorflow-estimator, ml-dtypes, gast and h5py are not among them: each stopped it in some release (data/compat_matrix.yaml)."""


def _bearable(found: list[Saying]) -> bool:
    """Nothing that stops TensorFlow itself: other packages' wishes, and its own where a newer release does."""
    return not any(_plain(each.told["asker"]) in _TENSORFLOW and not _is_borne(each) for each in found)


def _is_borne(saying: Saying) -> bool:
    if (
        _plain(_name(saying)) == "numpy"
    ):  # before 2 its binary interface stayed; an older one than it asks for does
        return saying.told.get("value", "").startswith("1.")
    return _plain(_name(saying)) in _BORNE and "value" in saying.told


def _near(saying: Saying) -> bool:
    of = (_plain(saying.told["asker"]), _plain(_name(saying)))
    return any(each.startswith(("tensorflow", "keras", "tf-", "tensorboard")) for each in of)


def _name(saying: Saying) -> str:
    return saying.told["package"]


def _plain(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _range(saying: Saying) -> str:
    """ "<2.14,>=2.13.1" as people write it: ">=2.13.1,<2.14"."""
    return tightest(saying.told["wanted"]) or saying.told["wanted"]


# An installed package whose own file this Python can't read: it was written for another Python.

_ERRORS = ("SyntaxError", "IndentationError", "TabError")
_OF_PYTHON_2 = ("Missing parentheses in call to", "multiple exception types must be parenthesized")
"""Python 3's words for what only Python 2 took."""
_OF_A_NEWER = ("future feature annotations is not defined", "positional-only", "f-string: ")
"""Words of Pythons that do not know yet what stands there (3.6 and 3.7)."""
_SYNTAX_TENSORFLOW = ("tensorflow", "tensorflow-core")
_ASYNC = "3.7"
"""async is a word of the language since then, and TensorFlow before 1.11 called an argument so (tensorflow/tensorflow#20690, 2018-07)."""


def of_another_python(facts: Facts, last: Ending) -> Candidate | None:
    """None where the file is the user's own, and for other errors."""
    if last.how != "exception" or not last.package or last.what.partition(":")[0] not in _ERRORS:
        return None
    python = facts.interpreter.version
    here = f"Python {python.value.feature}" if isinstance(python, Known) else "this Python"
    for_another = "another"
    if any(each in last.what for each in _OF_PYTHON_2):
        for_another = "an older"
    elif any(each in last.what for each in _OF_A_NEWER):
        for_another = "a newer"
    own = last.package in _SYNTAX_TENSORFLOW
    name = "TensorFlow" if own else last.package
    module = last.inside[-1] if last.inside else last.package
    words = f"Python's syntax changed, and {module} is for {for_another} one."
    if own:
        words += f" TensorFlow 1.10 and older use async as a name, a keyword since Python {_ASYNC}."
    code = "python-unsupported" if own else "package-import-failed"
    return Candidate(code, Confidence.CERTAIN, (place(last),), words, title=f"The installed {name} is for {for_another} Python: {here} can't read one of its files.")  # fmt: skip
