"""Why a release is not in pip's list though the Python has a file of it: a pip that is too old to see it, a system without files."""

from __future__ import annotations

from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.listed import AHEAD, BEHIND, NONE, Listed, key_of
from tfdoctor.checks.log.installers.told.ignored import running, shown_python
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Surroundings
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.findings.fix import fix
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter, quoted

_LAST_OLD = "1.14.0"
"""The last TensorFlow whose files for Linux are named manylinux1: those of 1.15 and newer are manylinux2010, which pip knows since 19.0
(the files' names on the index, and pip's list of changes; RasaHQ/rasa#4965, 2019-12)."""
_FOR_APPLE = "2.13"
"""The first TensorFlow with files for Apple's processors under its own name (the files' names on the index)."""


def old_pip(there: Listed) -> tuple[str, str] | None:
    """Title and words; None where the list does not end where such a pip's does."""
    if there.kind != AHEAD or not there.finals or not there.package.startswith("tensorflow"):
        return None
    if there.finals[-1] != _LAST_OLD and not _cut_within(there):
        return None
    words = f"pip lists what it could install, and this list ends with {there.finals[-1]}. The files of 1.15 and newer for Linux are named manylinux2010, and pip knows that name since its release 19.0. So the pip is what is too old; the Python may well be right."
    return (
        f"This pip is too old to see TensorFlow {there.release}: its list ends with {there.finals[-1]}.",
        words,
    )


_OF_3_6 = ("0.12.0", "0.12.1", "1.0.0")
"""Where lists of Python 3.5 and 3.6 begin (the files' names on the index)."""
_LAST_OF_3_6 = "2.7"


def _cut_within(there: Listed) -> bool:
    """A list that was not pasted whole, of a Python for which the asked release has files: pip would have taken them, had it seen them."""
    seen = key_of(there.finals[-1]) < key_of(_LAST_OLD)
    return (
        seen
        and there.finals[0] in _OF_3_6
        and key_of(_LAST_OLD) < key_of(there.release) < key_of(_LAST_OF_3_6)
    )


def without_its_line(facts: Facts, there: Listed) -> Fix:
    """A package that TensorFlow brings by itself on the one system that it is for."""
    release, name = there.wanted.lstrip("="), there.package
    typed = next(
        (each for each in value_or(facts.log.surroundings, Surroundings()).typed if "-r " in each), ""
    )
    file = (typed.partition("-r ")[2].split() or ["requirements.txt"])[0]
    pattern, rest = name.replace("-", "[-_]"), f"without-{file.rpartition('/')[2]}"
    return fix(
        "take-line-with-out-list-and",
        called=name,
        pattern=pattern,
        quoted=quoted(file),
        quoted_2=quoted(rest),
        python=interpreter(facts),
        file=file,
        value=f"=={release}" if release else "",
    )


def old_pip_fixes(facts: Facts, there: Listed) -> tuple[Fix, ...]:
    python = interpreter(facts)
    wanted = there.asker or f"{there.package}{there.wanted}"
    return (fix("update-pip-and-install-again", python=python, wanted=wanted),)


def of_the_machine(facts: Facts, told: Testimony, there: Listed, newest: str) -> tuple[str, str] | None:
    """Title and words where the log's Python is one that the release has files for, elsewhere; None else."""
    first, last = running(facts, told)
    if there.kind != BEHIND or not newest or not first or first != last or key(last) > key(newest):
        return None
    begins = there.finals[0] if there.finals else there.previews[0]
    words = f"pip lists the releases that have a file for the Python and the system that it runs on, and the oldest is {begins}. {there.package} {there.release} has files for Python {newest} as well, so it is the system that has none: mostly a Mac with Apple's processor or Linux on ARM, which got files later."
    return (
        f"{there.package} {there.release} has no file for this system: here its files begin with {begins}.",
        words,
    )


def machine_fixes(facts: Facts, told: Testimony, there: Listed) -> tuple[Fix, ...]:
    begins = there.finals[0] if there.finals else there.previews[0]
    minor, python = ".".join(begins.split(".")[:2]), interpreter(facts)
    feature = running(facts, told)[0]
    return (
        fix("where-release-to-install-in-container", feature=feature),
        fix("else-take-what-system-with-tensorflow", python=python, minor=minor, package=there.package),
    )  # fmt: skip


_OF_ARM = "tensorflow-cpu-aws"
"""What TensorFlow 2.9 to 2.16 bring on Linux with ARM; 2.17 and newer have files of their own there (their metadata)."""


def of_arm_part(there: Listed) -> tuple[str, str] | None:
    """Title and words; None for another package."""
    if there.package != _OF_ARM:
        return None
    listed = f"pip's list is {there.finals[0]} to {there.finals[-1]}" if there.finals else "pip finds none"
    words = f"On Linux with an ARM processor (also in a container on a Mac with Apple's processor) TensorFlow 2.9 to 2.16 bring {_OF_ARM}, which has files for fewer Pythons and fewer releases than TensorFlow itself. Here {listed}."
    return (
        f"TensorFlow {there.release} has no file for this Python on Linux with an ARM processor ({_OF_ARM}).",
        words,
    )


def arm_part_fixes(facts: Facts, there: Listed) -> tuple[Fix, ...]:
    python = interpreter(facts)
    newer = fix("take-tensorflow-2-17-or-newer-files", python=python)
    image = fix("in-container-build-image-for-intel")
    near = (fix("or-take-newest-before", below=there.below, python=python),) if there.below else ()
    return (*near, image, newer)


def of_apple(told: Testimony, there: Listed) -> tuple[str, str] | None:
    """Title and words where nothing is listed on a Mac with Apple's processor, of a release from before its files; None else."""
    old = there.kind == NONE and there.release and key_of(there.release) < key_of(_FOR_APPLE)
    if not old or there.package != "tensorflow" or not told.named("of-apple-silicon"):
        return None
    by = f" {there.asker} asks for such an old one." if there.asker else ""
    words = f"pip lists the files that fit the system it runs on, and there is none.{by} Before {_FOR_APPLE} the files for Apple's processors were those of another package, tensorflow-macos. So another Python for the same processor would not help."
    return (
        f"TensorFlow {there.wanted.lstrip('=')} has no file for Apple's processors: {_FOR_APPLE} is the first that has.",
        words,
    )


def apple_fixes(facts: Facts, there: Listed) -> tuple[Fix, ...]:
    python = interpreter(facts)
    intel = fix("or-use-python-for-intel-rosetta", value=there.asker or there.package)
    if not there.asker:
        return (fix("take-tensorflow-2-13-or-newer", python=python), intel)
    own = fix("take-apples-package-time-and-install", asker=there.asker, python=python, wanted=there.wanted)
    return (own, intel)


def python_words(facts: Facts, told: Testimony) -> str:
    """ "Python 3.13 or newer" for a sentence; "this Python" where the log does not tell."""
    python = shown_python(facts, told)
    return f"Python {python}" if python else "this Python"


def to_the_index(facts: Facts, there: Listed) -> tuple[Fix, ...]:
    python = interpreter(facts)
    return (
        fix("see-index-and-proxy-pip-uses", python=python, package=there.package),
        fix("where-machine-no-network-fetch-files"),
    )  # fmt: skip
