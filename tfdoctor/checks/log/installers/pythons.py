"""A Python that has no file of what was asked for, as uv and poetry say it; and packages that had to be compiled for it."""

from __future__ import annotations

import re  # reads no log: tags of Pythons, and names of distributions

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.companions import FILES, python_for
from tfdoctor.checks.log.installers.condas import conda_fixes, of_conda
from tfdoctor.checks.log.installers.uvs import nowhere, nowhere_fixes, of_project, project_fixes, uv_fixes
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.expressions import Expression  # reads no log: tags of Pythons, and names of distributions

_UV = ("uv-no-matching-abi", "uv-no-solution", "uv-conclusion")
_TAG = Expression(r"`?cp3(?P<minor>\d{1,2})`?")
BUILDS = (
    "wheel-not-built",
    "wheel-build-error",
    "wheels-not-built",
    "wheel-metadata-failed",
    "wheel-requirements-failed",
    "package-removed",
)


def of_python(told: Testimony, saying: Saying) -> Candidate | None:
    """None for sayings of another kind, and where the log does not tell more than the line."""
    if saying.name in BUILDS:
        return _compiled(told, saying)
    if saying.name == "poetry-python":
        return _of_poetry(saying)
    if saying.name in _UV:
        return _of_uv(told, saying)
    return of_conda(told, saying)


def _of_poetry(saying: Saying) -> Candidate:
    package, wanted, lacking = saying.told["package"], saying.told["wanted"], saying.told["value"]
    title = f"{package} is for Python {wanted}, and the project says that it runs on {lacking} as well."
    words = "poetry looks for releases that fit every Python that the project allows, not only the one that is used now."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _of_uv(told: Testimony, saying: Saying) -> Candidate | None:
    hint, tags = told.named("uv-python-hint"), _tags(told)
    if not hint or not tags:
        return of_project(told, saying) or nowhere(told, saying) or _of_a_companion(saying)
    package = hint[0].told.get("package", "") or saying.told.get("package", "") or "a package"
    release = f" {hint[0].told['version']}" if "version" in hint[0].told else ""
    mine = _TAG.match(hint[0].told["value"])
    python = f"3.{mine['minor']}" if mine else hint[0].told["value"]
    title = f"uv finds no file of {package} for Python {python}: {package}{release} has files for Python {tags[0]} to {tags[-1]}."
    words = "uv took the newest Python that it found, or the one that the project names. The packages have ready-made files (wheels) for certain Pythons alone."
    return Candidate("python-unsupported", Confidence.CERTAIN, (place(saying),), words, title=title)


def _of_a_companion(saying: Saying) -> Candidate | None:
    """By what is known of the package that uv names, where it lists no Pythons."""
    package = saying.told.get("package", "").lower()
    if package not in FILES:
        return None
    words = f"The package has ready-made files (wheels) for certain Pythons alone, and uv took another one. {FILES[package].note}"
    title = f"{package} has no file for the Python that uv took: {FILES[package].python} is the newest that it has one for."
    return Candidate("python-unsupported", Confidence.LIKELY, (place(saying),), words.rstrip(), title=title)


def _companion_fixes(told: Testimony) -> tuple[Fix, ...]:
    said = [each for each in told.named(*_UV) if _of_a_companion(each) is not None]
    package = said[0].told["package"].lower() if said else ""
    return _uv_pin(told, FILES[package].python, package) if package else ()


def _tags(told: Testimony) -> list[str]:
    """The Pythons that uv found files for, the oldest first."""
    found = {f"3.{each['minor']}" for tag in told.named("uv-python-tags") for each in _TAG.finditer(tag.told["message"])}  # fmt: skip
    return sorted(found, key=key)


def _compiled(told: Testimony, saying: Saying) -> Candidate:
    package, release = _what(told)
    if _plain(package) == _GIVEN_UP:
        return _given_up(told, saying)
    what = f"{package} {release}".strip()
    title = f"pip found no ready-made {what} for this Python and system and tried to compile it, which failed{_for_want(told)}." if package else f"pip had to compile a package, and that failed{_for_want(told)}."  # fmt: skip
    words = "A ready-made file (wheel) needs no compiler. There is none for this Python, mostly because it is newer than that release of the package, or for this processor; so pip took the sources, and these need a compiler and libraries that are not here."
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=title)


_GIVEN_UP = "tensorflow-gpu"
"""Its last release, 2.12.0, has no code and refuses to be installed on purpose (its page on the index, 2023-03)."""


def _given_up(told: Testimony, saying: Saying) -> Candidate:
    asker = _asks_for_it(told)
    by = f" {asker} still asks for it." if asker else ""
    words = f"TensorFlow's own package has had the GPU since 2.1, and tensorflow-gpu was given up with an empty 2.12.0 that can't be installed, on any Python.{by} The message of pip shows only that this failed."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title="The package tensorflow-gpu was given up: its last release refuses to be installed.")  # fmt: skip


def _asks_for_it(told: Testimony) -> str:
    """The package for which pip collected it; "" where the log does not tell."""
    lines = [each.text for each in told.named("pip-at-work") if f"Collecting {_GIVEN_UP}" in each.text]
    asker = lines[0].partition("(from ")[2].partition(")")[0].partition("->")[0].strip() if lines else ""
    return "" if asker.startswith("-r") else asker


def _for_want(told: Testimony) -> str:
    """ " for lack of libhdf5.so", as the build's own lines tell; "" where they do not."""
    lacking = told.named("build-lacks")
    if not lacking:
        return ""
    found = lacking[0].told
    what = next(found[each] for each in ("library", "file", "process", "message") if each in found)
    return f" for lack of {what.removesuffix(' is required')}"


def _what(told: Testimony) -> tuple[str, str]:
    """The package that was compiled and its release; "" for what is not told."""
    named = next((each.told["package"] for each in told.named(*BUILDS) if "package" in each.told), "")
    taken = told.named("sdist-taken")
    same = [each for each in taken if _plain(each.told["package"]) == _plain(named)] if named else taken[-1:]
    release = same[-1].told["version"] if same else ""
    return named or (taken[-1].told["package"] if taken else ""), release


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def python_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where none of these was said."""
    if told.named("poetry-python"):
        return _range(told)
    if project := project_fixes(told):
        return project
    if tags := _tags(told) if told.named(*_UV) else []:
        return _uv_pin(told, tags[-1])
    if companion := _companion_fixes(told):
        return companion
    if told.named(*BUILDS):
        return _ready_made(facts, told)
    if fixes := nowhere_fixes(told):
        return fixes
    return conda_fixes(facts, told) or uv_fixes(told)


def _range(told: Testimony) -> tuple[Fix, ...]:
    said, range_ = told.named("poetry-python")[0], told.named("poetry-python-range")
    value = range_[0].told["value"] if range_ else said.told["wanted"].replace(" ", "")
    return (
        Fix(
            "Say in the project which Pythons it is for, and lock again",
            ("poetry lock",),
            f'In pyproject.toml first: python = "{value}" under tool.poetry.dependencies, or requires-python = "{value}" under project.',
        ),
    )


def _uv_pin(told: Testimony, newest: str, package: str = "") -> tuple[Fix, ...]:
    package = package or next((each.told["package"] for each in told.named("uv-python-hint") if "package" in each.told), "tensorflow")  # fmt: skip
    return (
        Fix(f"In a project, have uv use Python {newest}", (f"uv python pin {newest}", "uv sync"), "For a script: `uv run --python " + newest + " SCRIPT`."),
        Fix("Without a project, make the environment with it", (f"uv venv --python {newest}", f"uv pip install {package}")),
    )  # fmt: skip


def _ready_made(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    python, (package, release) = interpreter(facts), _what(told)
    if _plain(package) == _GIVEN_UP:
        return _without_gpu_package(facts, told)
    known = python_for(package.lower(), release) if release.replace(".", "").isdecimal() else ""
    feature, spec = known or "3.11", f"{package or 'tensorflow'}{f'=={release}' if release else ''}"
    note = "" if known else "Releases from before 2023 mostly need 3.9 or 3.8 in its place. "
    other = Fix(
        f"Use Python {feature}, for which that release has a file, in an environment of its own" if known else "Use an older Python, for which that release has a file, in an environment of its own",
        (f"uv venv --python {feature} python-{feature}", f'uv pip install --python=python-{feature} --only-binary=:all: "{spec}"'),
        f"{note}The present environment stays as it is.",
    )  # fmt: skip
    if not package:
        return (other,)
    system = _of_the_system(told, python, package)
    newer = Fix(f"Let pip take a ready-made {package}, with a pip that knows today's files", (f"{python} -m pip install --upgrade pip", f"{python} -m pip install --only-binary=:all: {package}"), f"Where another package asks for just {package} {release or 'that old'}, take a newer release of that one." )  # fmt: skip
    return (*system, other, newer) if release else (*system, newer, other)


_DEBIAN = {"libhdf5": "libhdf5-dev", "hdf5.h": "libhdf5-dev", "Python.h": "python3-dev", "gcc": "build-essential", "g++": "build-essential", "cc": "build-essential", "x86_64-linux-gnu-gcc": "build-essential", "aarch64-linux-gnu-gcc": "build-essential", "cmake": "cmake", "gfortran": "gfortran", "libopenblas": "libopenblas-dev", "openssl/ssl.h": "libssl-dev", "ffi.h": "libffi-dev"}  # fmt: skip
"""Debian's and Ubuntu's packages that bring what a build looks for."""


def _of_the_system(told: Testimony, python: str, package: str) -> tuple[Fix, ...]:
    """What the build itself misses, where Linux has a package of it; () else. Boards with ARM have no ready-made file of an old release."""
    lacking = told.named("build-lacks")
    want = next((lacking[0].told[each] for each in ("library", "file", "process") if each in lacking[0].told), "") if lacking else ""  # fmt: skip
    bring = next((named for stem, named in _DEBIAN.items() if want == stem or (want.startswith(stem) and stem.startswith("lib"))), "")  # fmt: skip
    if not bring:
        return ()
    return (Fix(f"On Debian, Ubuntu and their like, bring what the build looked for in vain ({want}), and build again", (f"sudo apt install {bring}", f"{python} -m pip install {package}"), "Where there is a ready-made file, the next way needs none of it."),)  # fmt: skip


def _without_gpu_package(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    python, asker = interpreter(facts), _asks_for_it(told)
    own = Fix("Install tensorflow itself, which has the GPU", (f"{python} -m pip install tensorflow",), "In a file of requirements, write tensorflow in place of tensorflow-gpu. Linux gets NVIDIA's libraries by tensorflow[and-cuda]; on Windows itself 2.10 is the last with a GPU, and WSL2 takes the newest.")  # fmt: skip
    if not asker:
        return (own,)
    alone = Fix(f"Then install {asker} without what it asks for; pip check shows what else it needs", (f"{python} -m pip install --no-deps {asker}", f"{python} -m pip check"), f"Or take a newer {asker} that asks for tensorflow.")  # fmt: skip
    return (own, alone)
