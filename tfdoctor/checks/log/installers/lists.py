"""What pip's list of releases tells: a Python that is too old or too new, a release that never came, or no index at all."""

from __future__ import annotations

from tfdoctor.checks.engine.case import Case
from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.pins import NUMBERED_ALIKE
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.fit.ways import pythons_of
from tfdoctor.checks.log.installers.companions import ANY_PYTHON, FILES, LAGS, Files
from tfdoctor.checks.log.installers.listed import (
    AHEAD,
    ALONE,
    BEHIND,
    BETWEEN,
    NAMES,
    NONE,
    PREVIEWS,
    Listed,
    key_of,
    listed,
)
from tfdoctor.checks.log.installers.told.ignored import of_release, running, shown_python
from tfdoctor.checks.log.installers.told.systems import (
    of_apple,
    of_arm_part,
    of_the_machine,
    old_pip,
    python_words,
)
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.model import Confidence

TENSORFLOW = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu")
"""Their lists begin and end alike for one Python."""
_WITH_ITS_NUMBER = (*TENSORFLOW, *NUMBERED_ALIKE, "tensorflow-intel", "tensorflow-macos")
_FIRST = {
    "1.13": "3.7", "2.2": "3.8", "2.5": "3.9", "2.8": "3.10", "2.12": "3.11", "2.16": "3.12", "2.20": "3.13",
}  # fmt: skip
"""The Python whose list of TensorFlow begins with that minor (the file names of its wheels, 2026-11-22)."""


def of_pip(case: Case, told: Testimony, saying: Saying) -> Candidate | None:
    """None where the list says no more than that nothing was found."""
    if (elsewhere := _of_one_system(case, saying)) is not None:
        return elsewhere
    if saying.name not in NAMES:
        return None
    if saying.name == ALONE and (own := _of_same(told, saying)) is not None:
        return of_pip(case, told, own)  # pip's second line says the same
    there = listed(saying)
    title, words = (
        of_the_system(case, told, there) or _beside_the_list(case, told, there) or _meaning(case, told, there)
    )
    if not title:
        return None
    code = "dependency-mismatch" if without_index(there) else saying.code
    return Candidate(code, Confidence.LIKELY, (place(saying),), words, title=title)


def _of_same(told: Testimony, saying: Saying) -> Saying | None:
    """The line above pip's last one, which holds its list."""
    package = saying.told["package"].lower()
    others = (each for each in told.named(*NAMES) if each.name != ALONE)
    return next((each for each in others if each.told["package"].lower() == package), None)


def _beside_the_list(case: Case, told: Testimony, there: Listed) -> tuple[str, str] | None:
    """What other lines tell of the very release that was asked for; None where they tell nothing."""
    if wanted := of_release(told, there.release):
        title = f"{there.package} {there.release} is for Python {wanted}, and pip runs on {python_words(case.facts, told)}."
        return (
            title,
            "pip names the releases that it passed over for their Python, and the one that was asked for is among them. What it lists after that has nothing to do with it.",
        )
    return (
        of_arm_part(there)
        or old_pip(there)
        or of_the_machine(case.facts, told, there, newest_python(case, there))
    )


_SYSTEMS = {"tensorflow-intel": ("windows", "Windows"), "tensorflow-macos": ("macos", "Macs")}
"""Names under which TensorFlow had its files for one system (the file names of their wheels, 2026-11-22)."""


def _of_one_system(case: Case, saying: Saying) -> Candidate | None:
    """Requirements that were written down on another system; None on that system itself."""
    name = saying.told.get("package", "").replace("_", "-")
    people = elsewhere(case, name)
    if not people:
        return None
    words = f"Under the name {name} TensorFlow's files for {people} are published, and only those: on {people} tensorflow brings it by itself. A list of packages that names it was written down there. Elsewhere the name is tensorflow."
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=f"pip finds no {name} for this Python and system: it has files for {people} alone.")  # fmt: skip


def elsewhere(case: Case, package: str) -> str:
    """Whom a package is for that has files for one system alone, "Windows"; "" for any other, and on that system itself."""
    system, people = _SYSTEMS.get(package, ("", ""))
    return people if system and value_or(case.facts.host.os, "") != system else ""


def of_the_system(case: Case, told: Testimony, there: Listed) -> tuple[str, str] | None:
    """Where nothing is listed, and the log shows a system that TensorFlow has no files for; None else."""
    if there.kind != NONE or not there.package.startswith("tensorflow"):
        return None
    words = "pip lists the files that fit the system it runs on, and there is none. So another Python would not help."
    if there.package in _ON_NO_MAC and value_or(case.facts.host.os, "") == "macos":
        return (
            f"pip finds no {there.package} for this Mac; the package for Macs is tensorflow.",
            f"{there.package} had files for Linux and Windows, and for some Macs for a time. On Macs the plain package tensorflow computes on the processor.",
        )
    if told.named("of-alpine"):
        return (
            f"{there.package} has no files for Alpine Linux.",
            f"Alpine has another C library (musl) than the one that TensorFlow's files are made for (glibc). {words}",
        )
    if (mac := of_apple(told, there)) is not None:
        return mac
    first = first_for_arm(case)
    if (
        told.named("of-arm")
        and there.release
        and there.package in TENSORFLOW
        and key_of(there.release) < key_of(first)
    ):
        return (
            f"TensorFlow {there.release} has no file for Linux on ARM: {first} is the first that has.",
            words,
        )
    return None


_ON_NO_MAC = ("tensorflow-cpu", "tensorflow-gpu")


def first_for_arm(case: Case) -> str:
    """The oldest final release with files for Linux on ARM."""
    finals = [
        each.tensorflow
        for each in case.matrix.releases("linux_aarch64")
        if isinstance(each.python, Known) and each.tensorflow.replace(".", "").isdecimal()
    ]
    return finals[-1]


def without_index(there: Listed) -> bool:
    """Nothing at all of what every Python can have."""
    return there.kind == NONE and there.package in ANY_PYTHON


def asked_in_vain(told: Testimony) -> Listed | None:
    """What pip's first such line was about."""
    said = told.named(*NAMES)
    return listed(said[0]) if said else None


def python_of(there: Listed) -> str:
    """The Python that a list of TensorFlow's releases is for; "" where it does not tell."""
    first = (there.finals or there.previews)[:1]
    if there.package not in TENSORFLOW or not first:
        return ""
    return _FIRST.get(".".join(first[0].split(".")[:2]), "")


def newest_python(case: Case, there: Listed) -> str:
    """The newest that the asked release has files for, by TensorFlow's own minor; "" where that is not known."""
    if lagging := LAGS.get(there.package, {}).get(there.minor):
        return lagging
    known = pythons_of(case, there.minor) if there.package in _WITH_ITS_NUMBER else []
    return max(known, key=key, default="")


def _meaning(case: Case, told: Testimony, there: Listed) -> tuple[str, str]:
    """Title and words; "" twice where the list tells nothing."""
    if without_index(there):
        words = "Every Python can have this package, if only by compiling it. So an empty list means that pip got no answer: no network, a proxy that it does not know, or a mirror of one's own that lacks the package."
        return f"pip reaches no package index: it finds no release of {there.package} at all.", words
    if there.kind in (NONE, PREVIEWS) and there.package not in TENSORFLOW:
        return _nowhere(case, there)
    if there.kind == NONE:
        return _none_for(case, told, there)
    if there.kind == BETWEEN or (there.kind == AHEAD and there.preview):
        return _never_came(there)
    if there.kind in (AHEAD, BEHIND):
        return _other_python(case, there)
    return "", ""


def _none_for(case: Case, told: Testimony, there: Listed) -> tuple[str, str]:
    """An empty list of TensorFlow's, for the Python that the log tells; "" twice where it tells none and no release was asked for."""
    feature = running(case.facts, told)[0]
    words = "pip lists the releases that have a file for the Python and the system that it runs on, and there is none."
    if not feature:
        of = pythons_of(case, there.minor)
        title = f"pip finds no TensorFlow {there.release} for its Python and system: that one has files for Python {_run(of)}, of 64 bits." if of else ""  # fmt: skip
        return (
            title,
            f"{words} The log does not tell which Python it is; mostly it is a newer one." if of else "",
        )
    shown = shown_python(case.facts, told)
    first = next((each for each in reversed(_minors(case)) if feature in pythons_of(case, each)), "")
    if not first:
        every = pythons_of_newest(case)
        return f"pip finds no TensorFlow at all for Python {shown}.", f"{words} The newest TensorFlow that is known here has files for Python {_run(every)}."  # fmt: skip
    title = f"pip finds no TensorFlow at all for Python {shown}; the first TensorFlow with files for Python {feature} is {first}."
    return title, f"{words} So {first} had not come out when this was written, or the Python is one of 32 bits, the system is one that TensorFlow has no files for, or the index was not reached."  # fmt: skip


def _minors(case: Case) -> list[str]:
    """TensorFlow's, the newest first."""
    found = (".".join(row.tensorflow.split(".")[:2]) for row in case.matrix.releases())
    return list(dict.fromkeys(each for each in found if each.replace(".", "").isdecimal()))


def pythons_of_newest(case: Case) -> list[str]:
    """Those of the newest TensorFlow that the matrix knows, the oldest first."""
    known = (pythons_of(case, each) for each in _minors(case))
    return sorted(next((each for each in known if each), ["3.11", "3.12"]), key=key)


def _nowhere(case: Case, there: Listed) -> tuple[str, str]:
    files = FILES.get(there.package)
    words = f"pip takes releases that have a file for the Python and the system that it runs on. Of {there.package} it found {'none' if there.kind == NONE else 'only a preview'}."
    if files is None:
        return f"{there.package}{there.wanted} has no file for this Python and machine.", words
    newest = newest_python(case, there) or files.python
    return (
        f"{there.package}{there.wanted} has no file for {_lacking(case.facts, files, newest)}.",
        f"{words} {files.note}",
    )


def _lacking(facts: Facts, files: Files, newest: str) -> str:
    """What of this machine the package has no file for, as far as the log tells. `newest`: the Python that the release has a file for."""
    if value_or(facts.host.os, "") == "windows" and files.windows != "-":
        return "Windows" + (f" after {files.windows}" if files.windows else "")
    python = facts.interpreter.version
    if isinstance(python, Known) and key(python.value.feature) > key(newest):
        return f"Python {python.value.feature}; {newest} is the newest that it has one for"
    return f"this Python or system; Python {newest} is the newest that it has one for"


def _never_came(there: Listed) -> tuple[str, str]:
    around = " and ".join(filter(None, (there.below, there.above)))
    only = f" Of {there.release} it knows previews alone, to {there.preview}." if there.preview else ""
    words = f"pip lists all that it could install here: {_span(there)}.{only} The neighbours of what was asked for are {around}: so this Python is not what is wrong."
    asked = f" {there.asker} asks for it." if there.asker else ""
    return f"pip finds no {there.package} {there.release}: it had not come out when this was written, or never did for this machine.", words + asked  # fmt: skip


def _other_python(case: Case, there: Listed) -> tuple[str, str]:
    python, newest = python_of(there), newest_python(case, there)
    name = "TensorFlow" if there.package == "tensorflow" else there.package
    words = f"pip lists the releases that have a file for the Python and the system that it runs on: {_span(there)}."
    side = "newer than all of them" if there.kind == AHEAD else "older than all of them"
    if python and newest:
        begins = f" A list that begins with {(there.finals or there.previews)[0]} is that of Python {python}."
        age = "too old" if there.kind == AHEAD else "too new"
        of = f" {name} {there.minor} has files for Python {_run(pythons_of(case, there.minor))}."
        fits = python in pythons_of(case, there.minor)
        if not fits:
            return f"Python {python} is {age} for {name} {there.release}: there is no file of it for this Python.", words + begins + of  # fmt: skip
    made = f" It is made for TensorFlow {there.minor}, whose newest Python is {newest}." if newest else ""
    several = "," in there.wanted
    title = f"{name}{there.wanted if several else f' {there.release}'} has no file for this Python or system: pip's list is {_span(there)}."
    return title, f"{words} {'What was asked for' if several else there.release} is {side}.{made}"


def _span(there: Listed) -> str:
    every = there.finals or there.previews
    first, last = every[0], every[-1]
    if not there.finals:
        return f"{first} to {last}"
    return first if key_of(first) == key_of(last) else f"{first} to {last}"


def _run(pythons: list[str]) -> str:
    ordered = sorted(pythons, key=key)
    return ordered[0] if len(ordered) == 1 else f"{ordered[0]} to {ordered[-1]}"
