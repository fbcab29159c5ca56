"""Why a release is not in pip's list though the Python has a file of it: a pip that is too old to see it, a system without files."""

from __future__ import annotations

from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.listed import AHEAD, BEHIND, NONE, Listed, key_of
from tfdoctor.checks.log.installers.told.ignored import running, shown_python
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.log_values import Surroundings
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
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
    return Fix(
        f"Take the line with {name} out of the list, and install the rest",
        (f"grep -viE '^{pattern}' {quoted(file)} > {quoted(rest)}", f"{interpreter(facts)} -m pip install -r {quoted(rest)}"),
        f"{file} stands for your file. Where it has no line with tensorflow itself: pip install tensorflow{f'=={release}' if release else ''}.",
    )  # fmt: skip


def old_pip_fixes(facts: Facts, there: Listed) -> tuple[Fix, ...]:
    python = interpreter(facts)
    wanted = there.asker or f"{there.package}{there.wanted}"
    return (Fix("Update pip, and install again", (f"{python} -m pip install --upgrade pip", f'{python} -m pip install "{wanted}"'), "The second line is what was typed before, where that was another one."),)  # fmt: skip


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
        Fix("Where that release has to be, install in a container for Intel processors; it is translated, and slow", (f"docker run --platform linux/amd64 --rm -it --volume .:/work --workdir /work python:{feature} bash",), "There, give the same command. On a machine with an Intel or AMD processor and Linux none of this is needed."),
        Fix("Else take what this system has, with the TensorFlow that it is made for", (f'{python} -m pip install "tensorflow=={minor}.*" "{there.package}=={minor}.*"',)),
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
    newer = Fix("Take TensorFlow 2.17 or newer, which has files of its own for ARM", (f'{python} -m pip install "tensorflow>=2.17"',))  # fmt: skip
    image = Fix("In a container, build the image for Intel processors; it is translated, and slow", ("docker build --platform linux/amd64 .",), "With docker compose: platform: linux/amd64 for that service. TensorFlow needs AVX: the translation must know it (Rosetta in Docker Desktop's settings).")  # fmt: skip
    near = (Fix(f"Or take {there.below}, the newest before it that is there", (f'{python} -m pip install "tensorflow=={there.below}"',)),) if there.below else ()  # fmt: skip
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
    intel = Fix("Or use a Python for Intel, which Rosetta translates, in an environment of its own", ("conda create --yes --name intel --platform osx-64 --channel conda-forge python=3.9", "conda activate intel", f"python -m pip install {there.asker or there.package}"), "TensorFlow's files for Intel use AVX, which Rosetta translates from macOS 15 on.")  # fmt: skip
    if not there.asker:
        return (Fix(f"Take TensorFlow {_FOR_APPLE} or newer", (f'{python} -m pip install "tensorflow>={_FOR_APPLE}"',)), intel)  # fmt: skip
    own = Fix(f"Take Apple's package of that time, and install {there.asker} without what it asks for; pip check shows what else it needs", (f'{python} -m pip install "tensorflow-macos{there.wanted}"', f"{python} -m pip install --no-deps {there.asker}", f"{python} -m pip check"), f"A newer {there.asker} may ask for a TensorFlow that has files for Apple's processors by itself.")  # fmt: skip
    return (own, intel)


def python_words(facts: Facts, told: Testimony) -> str:
    """ "Python 3.13 or newer" for a sentence; "this Python" where the log does not tell."""
    python = shown_python(facts, told)
    return f"Python {python}" if python else "this Python"


def to_the_index(facts: Facts, there: Listed) -> tuple[Fix, ...]:
    python = interpreter(facts)
    return (
        Fix(
            "See which index and which proxy pip uses. It changes nothing",
            (f"{python} -m pip config list", f"{python} -m pip download -v --no-deps {there.package}"),
            "The second command shows each address that is asked and what it answers. pip takes a proxy from the variable HTTPS_PROXY.",
        ),
        Fix(
            "Where the machine has no network, fetch the files on one that has, with the same Python and system",
            ("python -m pip download --dest wheels tensorflow", "python -m pip install --no-index --find-links wheels tensorflow"),
            "The first line on the other machine, the second here, once the folder is copied.",
        ),
    )  # fmt: skip
