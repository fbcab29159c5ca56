"""A Python that has no file of what was asked for, as uv, poetry and conda say it; and packages that had to be compiled for it."""

from __future__ import annotations

import re

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.companions import python_for
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.findings.model import Confidence, Fix
from tfdoctor.fixes.commands import interpreter

_UV = ("uv-no-matching-abi", "uv-no-solution")
_TAG = re.compile(r"`?cp3(?P<minor>\d{1,2})`?")
BUILDS = ("wheel-not-built", "wheels-not-built", "wheel-metadata-failed", "wheel-requirements-failed")
_VIRTUAL = "conda-no-virtual"
_CONDA = ("conda-no-solution", _VIRTUAL)
_OF_CUDA = re.compile(r"cuda(?P<digits>\d{2,4})")
_SHOWN = {"__glibc": "a newer C library (glibc)", "__osx": "a newer macOS"}


def of_python(told: Testimony, saying: Saying) -> Candidate | None:
    """None for sayings of another kind, and where the log does not tell more than the line."""
    if saying.name in BUILDS:
        return _compiled(told, saying)
    if saying.name == "poetry-python":
        return _of_poetry(saying)
    if saying.name in _UV:
        return _of_uv(told, saying)
    if saying.name == _VIRTUAL:
        return _virtual(saying)
    if saying.name == "conda-no-solution":
        return _of_conda(told, saying)
    return None


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


def _virtual(saying: Saying) -> Candidate:
    library, package = saying.told["library"], saying.told["package"]
    if library == "__cuda":
        title = (
            "conda sees no NVIDIA driver on this machine, and the build that was asked for is one for GPUs."
        )
        words = f"conda has a package of its own for what the machine brings, __cuda: it is there where conda finds a driver. {package} asks for it. In an image that is being built, or on a login node, there is none, though the program will run with one later."
    else:
        title = f"The build that was asked for needs {_SHOWN.get(library, library)}: {library} {saying.told.get('wanted', '')}".rstrip() + "."  # fmt: skip
        words = f"conda has packages of its own for what the machine brings, such as {library}. {package} asks for more than is here."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title=title)


def _of_conda(told: Testimony, saying: Saying) -> Candidate | None:
    """The environment's Python, where conda shows that it is what excludes all builds; the first problem else."""
    fixed, possible = _conda_pythons(told)
    asked = told.named("conda-asked")
    package = asked[0].told["package"] if asked else "TensorFlow"
    if fixed and possible:
        title = f"conda has no build of {package} for Python {fixed}, which this environment has: only for {possible[0]} to {possible[-1]}."
        words = "conda keeps the Python of an environment. So it can install only what was built for that one, and lists what it would have for others."
        return Candidate("python-unsupported", Confidence.CERTAIN, (place(saying),), words, title=title)
    if asked:
        first = asked[0].told
        title = f"conda finds no set of packages that fits: {first['asker']} requires {package} {first['wanted']}, and nothing of that can be installed here."  # fmt: skip
        words = "Either the channels hold no such build for this system, or what is already in the environment excludes it. An environment that is new, and made in one command, has the fewest such ties."
        return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=title)
    words = "What is in the environment, what was asked for and what the channels hold exclude each other; the lines below name them. An environment that is new, and made in one command, has the fewest such ties."
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title="conda finds no set of packages that fit together.")  # fmt: skip


def _conda_pythons(told: Testimony) -> tuple[str, list[str]]:
    said = told.named("conda-python")
    fixed = next((each.told["version"] for each in said if each.told["message"].startswith("conflicts")), "")
    possible = {each.told["version"] for each in said if each.told["message"].startswith("can")}
    return fixed, sorted(possible - {fixed}, key=key)


def python_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where none of these was said."""
    if told.named("poetry-python"):
        return _range(told)
    if tags := _tags(told) if told.named(*_UV) else []:
        return _uv_pin(told, tags[-1])
    if told.named(*BUILDS):
        return _ready_made(facts, told)
    return _conda_fixes(told) if told.named(*_CONDA) else ()


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


def _conda_fixes(told: Testimony) -> tuple[Fix, ...]:
    virtual = [each for each in told.named(_VIRTUAL) if each.told["library"] == "__cuda"]
    fixed, possible = _conda_pythons(told)
    asked = told.named("conda-asked")
    wanted = asked[0].told["asker"].split("-")[0] if asked else "tensorflow"
    feature = possible[-1] if fixed and possible else "3.12"
    new = Fix(
        f"Make a new environment with Python {feature}" if possible else "Make a new environment, all in one command",
        (f"conda create --yes --name {wanted}-new --override-channels --channel conda-forge python={feature} {wanted}", f"conda activate {wanted}-new"),
        "The present one stays as it is.",
    )  # fmt: skip
    if not virtual:
        by_pip = Fix("Or take TensorFlow from pip in a new environment", ("conda create --yes --name tensorflow-pip python=3.12", "conda activate tensorflow-pip", "python -m pip install tensorflow"))  # fmt: skip
        return (new, by_pip) if wanted.startswith("tensorflow") else (new,)
    digits = _OF_CUDA.search(virtual[0].told["package"])
    cuda = _dotted(digits["digits"]) if digits else "12.0"
    name = virtual[0].told["package"].split("-")
    spec = "=".join(name[:2])
    return (
        Fix("Tell conda which CUDA the machine will have, where it is to run with a GPU later", (f"CONDA_OVERRIDE_CUDA={cuda} conda install --channel conda-forge {spec}",), "mamba and micromamba read the same variable."),
        Fix("Or take the build for processors alone", (f'conda install --channel conda-forge "{spec}=cpu*"',)),
    )  # fmt: skip


def _dotted(digits: str) -> str:
    """ "102" and "118" are 10.2 and 11.8, "12" is 12.0."""
    return f"{digits[:2]}.{digits[2:] or '0'}"
