"""Packages beside TensorFlow that do not fit it, as a log tells: which one, what it asks for, what brings the right one."""

from __future__ import annotations

import re  # reads no log: folders in a traceback, and the name of an exception

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.pins import pin
from tfdoctor.checks.log.fit.supported import in_words, supported, supported_fix
from tfdoctor.checks.log.installers.companions import FILES
from tfdoctor.checks.log.modules.compiled import absent_fixes, own_file_absent, without_its_file
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.expressions import (
    Expression,
)  # reads no log: folders in a traceback, and the name of an exception
from tfdoctor.signatures.own_errors import PROJECTS

_FOLDER = Expression(r"(?:site|dist)-packages[\\/](?P<folder>\w{1,100})")
_PLUGINS = Expression(r"tensorflow-plugins[\\/](?:lib)?(?P<stem>[a-z]{3,20})")
_OF_PLUGINS = {
    "tfdml": "tensorflow-directml-plugin",
    "metal": "tensorflow-metal",
    "itex": "intel-extension-for-tensorflow",
}
"""Which package puts a library of that name into the folder in which TensorFlow looks for plug-ins (their wheels' RECORD)."""
_IMPORTING = Expression(
    r"(?:[\w.]{0,80}\.)?(?:ImportError|ModuleNotFoundError)\b|AttributeError: (?:partially initialized )?module '"
)
_NO_COMPANIONS = ("tensorflow", "tensorflow-core", "tensorflow-cpu", "numpy")
"""What is wrong with these has codes of its own."""
OWN_RELEASE = "$(python -c 'from importlib.metadata import version as v; print(v(\"tensorflow\"))')"
INSTALLED = "$(python -m pip list --format=freeze | grep -E '^tensorflow(-cpu|-gpu|-macos)?==')"
"""As pip's requirements: on Macs with Apple's processor it was tensorflow-macos up to 2.16, and -cpu and -gpu are names of their own."""
_PROBABILITY_AHEAD = 8
"""TensorFlow Probability 0.N+8 is made for TensorFlow 2.N, from 2.1 to 2.16 (its release notes, 0.9 to 0.24)."""
_LAST_IN_STEP = 16


def add_on(facts: Facts, told: Testimony, saying: Saying) -> Candidate:
    """A compiled add-on whose library asks for what this TensorFlow, or this system, does not have."""
    library, name = saying.told.get("library", ""), distribution(saying)
    what = (
        f"The library {library.rpartition('/')[2]} of {name}"
        if name and library
        else f"A library of {name}"
        if name
        else "The library that was loaded here"
    )
    newer = [each for each in told.named("built-for-newer-macos") if each.told["library"] == library]
    sure = Confidence(saying.sure)
    if newer:
        wanted = newer[0].told["wanted"]
        words = f"{what} was built for macOS {wanted}, and the system's own library lacks a symbol of it: this macOS is older."
        return Candidate("custom-op-mismatch", Confidence.LIKELY, (place(saying), place(newer[0])), words, title=f"{name or 'An add-on'} needs macOS {wanted} or newer.")  # fmt: skip
    if saying.name == "add-on-not-loaded":
        return _not_loaded(facts, told, saying, name)
    words = f"{what} asks for a symbol that the installed TensorFlow does not have: it was compiled against another release."
    return Candidate("custom-op-mismatch", sure, (place(saying),), words, title=f"{name} was built for another TensorFlow than the installed one." if name else "")  # fmt: skip


def _not_loaded(facts: Facts, told: Testimony, saying: Saying, name: str) -> Candidate:
    """Windows says "not found" of a library that can't be loaded, too."""
    there, own = FILES.get(name), supported(told, name)
    windows = value_or(facts.host.os, "") == "windows"
    title = f"{name}'s compiled part can't be loaded: it is missing, or made for another TensorFlow."
    words = f"{name} brings compiled operations, and TensorFlow could not load them."
    if windows:
        words += " Windows says the same of a file that is there and needs something that is not: the Visual C++ runtime, or a TensorFlow of another release."
    if windows and there is not None and not there.windows:
        title = f"{name}'s compiled part can't be loaded: it is made for Linux and Macs alone."
        words += f" {there.note}"
    if own:
        words += f" {name} says itself that it is made for TensorFlow {in_words(own)}."
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=title)


_LOADING = (".framework.load_library", ".resource_loader")
"""TensorFlow's own files that load an add-on's library on its behalf."""


def refused_add_on(told: Testimony, last: Ending) -> Candidate | None:
    """What goes wrong while TensorFlow loads an add-on's library is a misfit of the two; None where no add-on asks for it."""
    asking = [
        each for each in last.through if not each.startswith("tensorflow-core") and each != "tensorflow"
    ]
    if last.how != "exception" or not asking or not last.inside or not last.inside[-1].endswith(_LOADING):
        return None
    name = asking[-1]
    if own_file_absent(last, name):
        return without_its_file(last, name)
    words = f"{name} brings a compiled library, which TensorFlow loads when {name} is imported, and refuses here: it was compiled for another TensorFlow than the installed one. Neither is damaged."
    return Candidate("custom-op-mismatch", Confidence.LIKELY, (place(last),), words, title=f"{name} was built for another TensorFlow than the installed one.")  # fmt: skip


def distribution(saying: Saying) -> str:
    """The package whose library a saying names; "" where it is nobody's that pip knows."""
    library = saying.told.get("library", "")
    if saying.name == "add-on-says-mismatch":
        return PROJECTS.get(saying.told["package"], saying.told["package"])
    if (plugin := _PLUGINS.search(library)) is not None:
        return next((name for stem, name in _OF_PLUGINS.items() if plugin["stem"].startswith(stem)), "")
    found = _FOLDER.search(library)
    return PROJECTS.get(found["folder"], found["folder"].replace("_", "-")) if found else ""


def wants_tensorflow(saying: Saying) -> Candidate:
    """A package that looks at TensorFlow's version and refuses."""
    told = saying.told
    title = (
        f"{told['asker']} asks for TensorFlow {told['wanted'].strip()}, and {told['version']} is installed."
    )
    words = "The package was installed newer than the TensorFlow beside it. pip does not see that, for the package does not tell it."
    return Candidate(saying.code, Confidence(saying.sure), (place(saying),), words, title=title)


def import_failed(told: Testimony, last: Ending) -> Candidate | None:
    """An error of importing that arose in a package's code and that nothing else explains: no fault of the program."""
    name = failed_package(last)
    if not name:
        return None
    if any(each.role == "cause" and place(each) == place(last) for each in told.sayings):
        return None
    if _known_deeper(told, last):
        return None
    by = f" It was imported in {last.frame}." if last.frame else ""
    error = last.what if len(last.what) <= 200 else f"{last.what[:200]} …"
    words = (
        f"Raised inside {name} while it is imported, not in your code. Usually {name} and TensorFlow, Keras or NumPy have incompatible "
        f"versions, or something that {name} needs is missing or too old.{by}"
    )
    return Candidate(
        "package-import-failed", Confidence.LIKELY, (place(last),), words, title=f"{name} can't be imported: {error}"
    )  # fmt: skip


_BASES = (*_NO_COMPANIONS, "keras", "tf-keras", "h5py", "protobuf", "six", "wrapt", "numba", "jax")
"""Packages that others import: what fails in them is mostly what the one that imports them does or is too old for."""
_OF_NO_PACKAGE = (
    "KeyboardInterrupt",
    "MemoryError",
    "SystemExit",
    "FileNotFoundError",
    "PermissionError",
    "ModuleNotFoundError: No module named",
)


UNPICKLERS = ("joblib", "cloudpickle", "dill")
"""They import what a saved object names, which mostly is a file of its own project."""


def failed_package(last: Ending) -> str:
    """The package that could not be imported, by any exception; "" where none was being imported, or a base of all alone."""
    if last.package in UNPICKLERS:
        return ""
    if last.package and last.package not in _NO_COMPANIONS and _IMPORTING.match(last.what):
        return last.package
    if last.doing != "importing" or last.what.startswith(_OF_NO_PACKAGE):
        return ""
    return next((each for each in reversed(last.through) if each not in _BASES), "")


def _known_deeper(told: Testimony, last: Ending) -> bool:
    """An exception that this one was raised from, or while handling it, has a cause that is known: the last one only wraps it."""
    said = [
        each.text.rstrip(".") for each in told.sayings if each.role == "cause" and place(each) < place(last)
    ]
    long = [each for each in last.chained if len(each) > _TELLING]
    return any(each in text or text in each for each in long for text in said if text)


_TELLING = 20
"""Characters of an exception's words: fewer could stand in another line by chance."""


def add_on_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """The add-on's own release for this TensorFlow; () where the log does not name the add-on."""
    names = [distribution(each) for each in told.of("custom-op-mismatch")] or _refused(told)
    newer = bool(told.named("built-for-newer-macos"))
    if not names or not names[0]:
        return ()
    if told.named("add-on-not-loaded"):
        return _not_loaded_fixes(facts, told, names[0])
    if any(own_file_absent(each, names[0]) for each in told.endings):
        return absent_fixes(facts, names[0])
    title = f"Install the release of {names[0]} that is made for your TensorFlow. pip finds it when it is told to keep TensorFlow as it is"
    if newer:
        update = fix("update-macos-to-release-library-was")
        older = fix("or-take-older-with-tensorflow-made", value=names[0])
        return (update, older)
    return (
        Fix(
            title, (f"{interpreter(facts)} -m pip install --upgrade {names[0]} {keeping_tensorflow(facts)}",)
        ),
    )


def _refused(told: Testimony) -> list[str]:
    raised = [each for each in told.endings if each.how == "exception"]
    if not raised or refused_add_on(told, raised[-1]) is None:
        return []
    return [
        each for each in raised[-1].through if not each.startswith("tensorflow-core") and each != "tensorflow"
    ][-1:]


_DIRECTML = "tensorflow-directml-plugin"
_WITH_DIRECTML = fix("take-tensorflow-2-10-one-directml-plug")


def _not_loaded_fixes(facts: Facts, told: Testimony, name: str) -> tuple[Fix, ...]:
    windows, there = value_or(facts.host.os, "") == "windows", FILES.get(name)
    if name == _DIRECTML:
        return (_WITH_DIRECTML,)
    wsl = fix("do-in-wsl2-linux-inside-windows-2", called=name)
    fitting = supported_fix(facts, told, name) or fix(
        "install-release-made-for-tensorflow",
        called=name,
        python=interpreter(facts),
        keeping=keeping_tensorflow(facts),
    )
    if not windows:
        return (fitting,)
    return (wsl, fitting) if there is not None and not there.windows else (fitting, wsl)


def import_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """What brings the package that failed, and what it needs, to a release that fits."""
    refusing = told.named("package-wants-tensorflow")
    if refusing:
        return _for_an_asker(facts, refusing[0])
    raised = [each for each in told.endings if each.how == "exception" and each.package]
    if not raised:
        return ()
    name, python = failed_package(raised[-1]) or raised[-1].package, interpreter(facts)
    if fitting := _pinned(facts, name):
        return (fitting,)
    if name == "setuptools":
        return (fix("bring-setuptools-up-to-date-in", python=python),)
    return (
        fix(
            "update-and-what-needs-and-keep",
            called=name,
            python=python,
            partner=partner(name),
            keeping=keeping_tensorflow(facts),
        ),
        fix("see-versions-do-not-fit-together", python=python, called=name),
        fix("or-try-new-environment", called=name),
    )


def _pinned(facts: Facts, name: str) -> Fix | None:
    """The release of a companion whose minors go with TensorFlow's; None where no rule is known, or the TensorFlow."""
    parts = str(value_or(facts.tensorflow.version, "")).split(".")
    spec = pin(name, ".".join(parts[:2])) if len(parts) > 1 and name not in ("keras", "tensorflow") else ""
    if not spec:
        return None
    return fix(
        "take-release-made-for-tensorflow",
        called=name,
        value=".".join(parts[:2]),
        python=interpreter(facts),
        spec=spec,
    )


_OF_TENSORFLOW_1 = {"1.13": "0.6", "1.14": "0.7", "1.15": "0.8"}
"""TensorFlow Probability for the last minors of TensorFlow 1 (its release notes)."""
_DATASETS = "tensorflow-datasets"
"""Since 4.0 its import refuses TensorFlow before 2.1 (mit-han-lab/data-efficient-gans#28, google-research/pegasus#170, 2020-10 and 2021-02)."""
_WITH = {"tensorflow-datasets": "etils", "keras-cv": "keras-nlp"}
"""What a companion works with so closely that only releases of one time go together (tensorflow/datasets#5448, 2024-06; keras-team/keras-cv#2400, 2024-03)."""


def partner(name: str) -> str:
    """ "tensorflow-datasets etils" for pip; the name alone where no such other is known."""
    return f"{name} {_WITH[name]}" if name in _WITH else name


def _for_an_asker(facts: Facts, saying: Saying) -> tuple[Fix, ...]:
    name = saying.told["asker"].strip().lower().replace(" ", "-")
    wanted, python = saying.told["wanted"].replace(" ", ""), interpreter(facts)
    newer = fix("update-tensorflow-to-what-asks-for", python=python, wanted=wanted)
    if name == "tensorflow-probability" and (older := _OF_TENSORFLOW_1.get(saying.told["version"][:4])):
        first = fix(
            "take-release-made-for-tensorflow-programs",
            called=name,
            value=saying.told["version"][:4],
            python=python,
            older=older,
        )
        return (first, newer)
    if name == _DATASETS and saying.told["version"].startswith("1."):
        before = fix("take-last-for-tensorflow-1-15-programs", called=name, python=python)
        return (before, newer)
    series = re.match(r"2\.(\d{1,3})\b", saying.told["version"])
    minor = int(series[1]) if series else 0
    if name != "tensorflow-probability" or not 1 <= minor <= _LAST_IN_STEP:
        return (newer,)
    fitting = f"{python} -m pip install '{name}==0.{minor + _PROBABILITY_AHEAD}.*'"
    return (Fix(f"Take the release of {name} that is made for TensorFlow 2.{minor}", (fitting,)), newer)


def keeping_tensorflow(facts: Facts) -> str:
    """What pip is told besides, so that TensorFlow stays: under the name that it has here."""
    version, system = value_or(facts.tensorflow.version, ""), value_or(facts.host.os, "")
    if version and system != "macos":
        return f"{value_or(facts.tensorflow.distribution, 'tensorflow')}=={version}"
    return f'"tensorflow=={OWN_RELEASE}"' if system == "windows" else INSTALLED
