"""Installations whose parts are missing, mixed, too old or outside of each other's ranges."""

from __future__ import annotations

from tfdoctor.base.version_ranges import tightest
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.fix.ranges import required
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.candidate import Candidate, of_line, of_page
from tfdoctor.judge.log.companions import updated
from tfdoctor.judge.log.numpys import culprit, shows_frames
from tfdoctor.judge.log.spans import own_minor, shown
from tfdoctor.judge.log.testimony import Testimony, place
from tfdoctor.judge.log.words import fix_here, range_here
from tfdoctor.knowledge.actions import act
from tfdoctor.knowledge.lines import Words, requirement
from tfdoctor.knowledge.messages.by_release import MISSING, OWN_NAME, gone_since
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


def out_of_step(last: Ending) -> bool:
    """A part of TensorFlow that is a package of its own asks for what TensorFlow has not, or not yet."""
    return last.package in _IN_STEP and last.what.partition(":")[0].endswith("Error") and _LACKS in last.what


_LACKS = "module 'tensorflow' has no attribute"


def incomplete(last: Ending) -> Candidate | None:
    """None where the exception is not raised by TensorFlow's own import of its own need."""
    if out_of_step(last):
        words = f"{last.package} is a separate package that must have TensorFlow's minor version. TensorFlow needs a name that it does not have: it is another minor version."
        return Candidate("dependency-mismatch", Confidence.CERTAIN, (place(last),), words, title=f"The installed {last.package} is for another version than the installed TensorFlow.")  # fmt: skip
    if last.package not in _OWN or (last.through and last.through[-1] not in _OWN):
        return None
    if needed := _needed(last):
        words = f"TensorFlow needs the package {needed}, which is missing in this environment: it was removed, or TensorFlow was installed without it. Your program is not the cause."
        return Candidate("dependency-mismatch", Confidence.CERTAIN, (place(last),), words, title=f"{needed}, which TensorFlow needs, is not installed.")  # fmt: skip
    if part := _part_of_another(last):
        words = f"Windows loaded {part}, but a function it needs is missing in _pywrap_tensorflow_internal: the two files are of different versions. An update that could not replace a file in use causes this, and so do two packages in one directory (tensorflow, tensorflow-intel, tensorflow-cpu). The Visual C++ runtime and the CPU are not the cause."
        return Candidate("tensorflow-install-broken", Confidence.CERTAIN, (place(last),), words, title=f"TensorFlow's directory contains files of two versions: {part} does not match the rest.")  # fmt: skip
    found = OWN_NAME.compiled.search(last.what)
    if found is None or "partially initialized" in last.what or "circular import" in last.what:
        return None
    module, name = (
        found["module"] or found["compiled"] or found["inner"],
        found["symbol"] or found["attribute"] or found["lacks"],
    )
    words = f"TensorFlow's own {module} has no {name}, which TensorFlow itself needs: its files are of two versions. An older one was not removed, or something was copied over it."
    return Candidate("tensorflow-install-broken", Confidence.CERTAIN, (place(last),), words, title="TensorFlow's directory contains files of two versions.")  # fmt: skip


_BASE = ("_pywrap_tensorflow_internal", "_pywrap_tensorflow_common", "_pywrap_tensorflow")
"""What the other parts are linked with, and what is itself linked with Windows' libraries alone (the wheels' files)."""


def _part_of_another(last: Ending) -> str:
    """A compiled part of TensorFlow that asks its base for what it has not; "" for the base itself, which asks Windows."""
    found = named("dll-procedure-missing").hit(last.what)
    part = found.told.get("module", "") if found is not None else ""
    return "" if part in _BASE else part


def _needed(last: Ending) -> str:
    found = MISSING.compiled.search(last.what)
    return _NEEDED.get(found["module"].partition(".")[0], "") if found else ""


def missing_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where TensorFlow lacks no package."""
    last = told.raised[-1] if told.raised else None
    if last is None or incomplete(last) is None:
        return ()
    name = last.package if out_of_step(last) else _needed(last)
    if not name:
        return ()
    own = own_minor(facts)
    all_needs = fix_here(facts, "change-packages", "requirements-of-tensorflow")
    if name not in _BOUND_TO_THE_MINOR or own is None or not (2, 0) <= own <= (2, 15):
        return (all_needs,)
    minor = f"{own[0]}.{own[1]}"
    return (
        fix_here(facts, "change-packages", "install-package-of-minor", called=name, minor=minor),
        all_needs,
    )


_EMPTY = "tensorflow-lacks-attribute"
"""Where every TensorFlow has the name, what was imported is what an uninstallation left of its folder. On Windows, tensorflow 2.11 to 2.18 is
itself an empty package that asks for tensorflow-intel, so pip's --no-deps would bring none of the files."""


def mixture_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no two releases' files are mixed."""
    last = told.raised[-1] if told.raised else None
    windows = value_or(facts.host.os, "") == "windows" and bool(told.of("tensorflow-install-broken"))
    if last is None or _needed(last) or (incomplete(last) is None and not told.named(_EMPTY) and not windows):
        return ()
    release = value_or(facts.tensorflow.version, "")
    spec = f"=={release}" if release else ""
    notebook = bool(shown(facts).notebook) or last.frame.startswith("Cell ")
    restart = act("restart", "notebook-kernel")
    return (
        *((restart,) if notebook else ()),
        fix_here(facts, "reinstall", "tensorflow-from-scratch", spec=spec),
    )


# A library of one CUDA that asks for one of another.


def mixed(saying: Saying, library: str, other: str) -> Candidate:
    """`library` was found and could not be loaded, for it needs `other`."""
    return of_page("cuda-libraries-mixed", "needs", (place(saying),), values={"library": library, "other": other}, sure=Confidence.CERTAIN)  # fmt: skip


# Code that is too old for what it runs on: names that Python took away, and a wrapper that this Python looks through.

_BY_SETUPTOOLS = "distutils"
"""setuptools brings a copy of it (its _distutils), for every Python that has none of its own."""
_OLD_TOOLS = ("ImpImporter", "ImpLoader")
"""setuptools before 66.1 asks for these through its pkg_resources (its changelog, 66.1.0)."""


def is_older(saying: Saying) -> bool:
    return saying.name.startswith("stdlib-")


def too_old(told: Testimony, saying: Saying) -> Candidate:
    """Who asks for what, and since which Python it is gone."""
    module = saying.told.get("module", "") or saying.name.removeprefix("stdlib-name-gone-")
    name = saying.told.get("symbol", "") or saying.told.get("value", "")
    what, since = f"{module}.{name}" if name else module, gone_since(module, name)
    asker = told.package_at(saying)
    who = asker or "The program"
    words = f"Python {since} removed {what}. {who} was written for an older Python; TensorFlow and the GPU are not the cause."
    if module.startswith(_BY_SETUPTOOLS):
        words = f"Python {since} removed {what}. The package setuptools provides it, but is not installed or not active."
    if name in _OLD_TOOLS and not asker:
        who = "A setuptools of before 66.1"
        words = f"Python {since} removed {what}. An old setuptools needs it: in the environment, or where pip builds a package that is too old for this Python."
    title = f"{who} needs {what}, which Python removed in {since}."
    return of_line(saying, words, title)


def older_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where nothing of this kind was said."""
    said = [each for each in told.of("dependency-mismatch") if is_older(each)]
    return _older_for(facts, told, said[0]) if said else ()


def _older_for(facts: Facts, told: Testimony, saying: Saying) -> tuple[Fix, ...]:
    asker = told.package_at(saying)
    module = saying.told.get("module", "") or saying.name.removeprefix("stdlib-name-gone-")
    name = saying.told.get("symbol", "") or saying.told.get("value", "")
    if module.startswith(_BY_SETUPTOOLS) or name in _OLD_TOOLS:
        return (fix_here(facts, "change-packages", "update-setuptools"), _older_python(module, name))
    if asker and not asker.startswith(("tensorflow-core", "keras")) and asker != "tensorflow":
        return (updated(facts, asker), _older_python(module, name))
    return (_older_python(module, name),)


def _older_python(module: str, name: str) -> Fix:
    since = gone_since(module, name)
    minor = int(since.partition(".")[2] or 0)
    return act("new-environment", "use-older-python", value=minor - 1)


# The version of a package that fits: the range of the release that the log names, and the direction that its message tells.

_API = {
    0xB: "1.13", 0xC: "1.14", 0xD: "1.16", 0xE: "1.20", 0xF: "1.22", 0x10: "1.23", 0x11: "1.25", 0x12: "2.0",
}  # fmt: skip
"""The first NumPy of each C API version (numpy/core/setup_common.py and numpy/_core/meson.build, read 2026-11-22)."""
_FIRST_ABI = 0x1000000
"""Numbers from here on are ABI versions: 0x1000009 is NumPy 1's, 0x2000000 NumPy 2's."""
_FIRST_FOR_NUMPY_2 = (2, 18)
_GONE_FROM_ML_DTYPES = ("float8_e4m3b11",)
"""ml_dtypes 0.3.0 took it away; 0.2.0 is the last with it (its release notes)."""
_FROM_0_5 = ("float8_e3m4", "float8_e4m3", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "int2", "uint2")  # fmt: skip
"""ml_dtypes 0.5.0 brought them (its release notes)."""
_NEEDS_PROTOBUF_5 = (2, 20)


def of_api(saying: Saying) -> Candidate | None:
    """NumPy is too old for what was compiled; None where it is NumPy 2 under parts for NumPy 1, as the page says."""
    versions = _versions(saying)
    if versions is None or versions[0] <= versions[1]:
        return None
    words = _compiled(versions[0])
    return of_line(saying, words, "The installed NumPy is too old for a compiled module.")


def _compiled(wanted: int) -> str:
    first = _API.get(wanted, "")
    return f"A compiled part (TensorFlow's or another package's) asks for NumPy {first} or newer." if first else "A compiled part asks for a newer NumPy."  # fmt: skip


def _versions(saying: Saying) -> tuple[int, int] | None:
    """Compiled against and installed, both as API or both as ABI versions."""
    try:
        wanted, have = int(saying.told.get("wanted", ""), 16), int(saying.told.get("version", ""), 16)
    except ValueError:
        return None
    return (wanted, have) if (wanted >= _FIRST_ABI) == (have >= _FIRST_ABI) else None


def numpy_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """() where the page's own fit: no release and no direction is told."""
    asked = [found for each in told.named("numpy-api-version") if (found := _versions(each))]
    newer = max((wanted for wanted, have in asked if wanted > have), default=0)
    release = own_minor(case.facts) or _UNKNOWN
    if newer:
        lowest = f">={_API[newer]}" if newer in _API else ""
        upper = "<2" if newer < 0x12 and newer < _FIRST_ABI and release < _FIRST_FOR_NUMPY_2 else ""
        spec = range_here(case, told, "numpy", lowest, upper)
        if not spec:
            return (fix_here(case.facts, "change-packages", "newer-numpy"),)
        return (fix_here(case.facts, "change-packages", "numpy-in-range", range=spec),)
    if release >= _FIRST_FOR_NUMPY_2:
        return ()
    if release == _UNKNOWN:
        own = fix_here(case.facts, "change-packages", "downgrade-numpy-for-tensorflow")
    else:
        name, spec = value_or(case.facts.tensorflow.version, ""), range_here(case, told, "numpy", "<2")
        own = fix_here(case.facts, "change-packages", "install-numpy-for-tensorflow", called=name, spec=spec)
    return (own, *_others(case.facts, told))


def _others(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where no traceback names any package."""
    who = culprit(told)
    if who and not who.startswith("tensorflow"):
        return (updated(facts, who),)
    return (act("change-packages", "update-package-in-traceback"),) if shows_frames(told) else ()


_UNKNOWN = (0, 0)


def ml_dtypes_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """The release's own range, or the one in which the missing name is; () where neither is told."""
    facts, names = case.facts, [each.told.get("symbol", "") for each in told.of("ml-dtypes-mismatch")]
    if required(facts, case.matrix, "ml-dtypes"):
        spec, version = range_here(case, told, "ml-dtypes"), value_or(facts.tensorflow.version, "")
        return (fix_here(facts, "change-packages", "ml-dtypes-for-tensorflow", called=version, range=spec),)
    if any(each in _GONE_FROM_ML_DTYPES for each in names):
        return (fix_here(facts, "change-packages", "ml-dtypes-0-2"),)
    if any(each in _FROM_0_5 for each in names):
        return (fix_here(facts, "change-packages", "ml-dtypes-0-5"),)
    return ()


def descriptor_fixes(case: Case, told: Testimony) -> tuple[Fix, ...]:
    """Old generated code under a new protobuf: the message itself says which way; () for the other texts."""
    said = told.named("protobuf-descriptors")
    if not said:
        return ()
    release = own_minor(case.facts) or _UNKNOWN
    raised = [each for each in told.raised if each.package]
    asker = next((each for each in reversed(raised[-1].through) if each != "protobuf"), "") if raised else ""
    others = (updated(case.facts, asker),) if asker and not asker.startswith(("tensorflow-core", "keras")) and asker != "tensorflow" else ()  # fmt: skip
    if release >= _NEEDS_PROTOBUF_5 and others:
        return others  # this TensorFlow needs protobuf 5
    stated = required(case.facts, case.matrix, "protobuf")
    spec = tightest(stated, "<3.21") if stated and release < (2, 12) else ">=3.20,<3.21"
    return (fix_here(case.facts, "change-packages", "protobuf-3-20", range=spec), *others)


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
