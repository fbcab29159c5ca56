"""A Python that has no file of what was asked for, as uv and poetry say it; and packages that had to be compiled for it."""

from __future__ import annotations

import re

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.companions import python_for
from tfdoctor.checks.log.installers.condas import conda_fixes, of_conda
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter
from tfdoctor.light.expressions import Expression

_UV = ("uv-no-matching-abi", "uv-no-solution")
_TAG = Expression(r"`?cp3(?P<minor>\d{1,2})`?")
BUILDS = ("wheel-not-built", "wheels-not-built", "wheel-metadata-failed", "wheel-requirements-failed")


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
        return None
    package = hint[0].told.get("package", "") or saying.told.get("package", "") or "a package"
    release = f" {hint[0].told['version']}" if "version" in hint[0].told else ""
    mine = _TAG.match(hint[0].told["value"])
    python = f"3.{mine['minor']}" if mine else hint[0].told["value"]
    title = f"uv finds no file of {package} for Python {python}: {package}{release} has files for Python {tags[0]} to {tags[-1]}."
    words = "uv took the newest Python that it found, or the one that the project names. The packages have ready-made files (wheels) for certain Pythons alone."
    return Candidate("python-unsupported", Confidence.CERTAIN, (place(saying),), words, title=title)


def _tags(told: Testimony) -> list[str]:
    """The Pythons that uv found files for, the oldest first."""
    found = {f"3.{each['minor']}" for tag in told.named("uv-python-tags") for each in _TAG.finditer(tag.told["message"])}  # fmt: skip
    return sorted(found, key=key)


def _compiled(told: Testimony, saying: Saying) -> Candidate:
    package, release = _what(told)
    what = f"{package} {release}".strip()
    title = f"pip found no ready-made {what} for this Python and system and tried to compile it, which failed." if package else "pip had to compile a package, and that failed."  # fmt: skip
    words = "A ready-made file (wheel) needs no compiler. There is none for this Python, mostly because it is newer than that release of the package, or for this processor; so pip took the sources, and these need a compiler and libraries that are not here."
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=title)


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
    if tags := _tags(told) if told.named(*_UV) else []:
        return _uv_pin(told, tags[-1])
    if told.named(*BUILDS):
        return _ready_made(facts, told)
    return conda_fixes(told)


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


def _uv_pin(told: Testimony, newest: str) -> tuple[Fix, ...]:
    package = next((each.told["package"] for each in told.named("uv-python-hint") if "package" in each.told), "tensorflow")  # fmt: skip
    return (
        Fix(f"In a project, have uv use Python {newest}", (f"uv python pin {newest}", "uv sync"), "For a script: `uv run --python " + newest + " SCRIPT`."),
        Fix("Without a project, make the environment with it", (f"uv venv --python {newest}", f"uv pip install {package}")),
    )  # fmt: skip


def _ready_made(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    python, (package, release) = interpreter(facts), _what(told)
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
    newer = Fix(f"Let pip take a ready-made {package}, with a pip that knows today's files", (f"{python} -m pip install --upgrade pip", f"{python} -m pip install --only-binary=:all: {package}"), f"Where another package asks for just {package} {release or 'that old'}, take a newer release of that one." )  # fmt: skip
    return (other, newer) if release else (newer, other)
