"""A package that had to be compiled, and that failed: which one, in which release, and what its build missed."""

from __future__ import annotations

import re  # reads no log: names of distributions

from tfdoctor.checks.log.candidate import Candidate
from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.built.needs import for_lack
from tfdoctor.checks.log.testimony import Testimony, place
from tfdoctor.facts.log_values import Saying
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.findings.model import Confidence
from tfdoctor.light.records import replace

CYTHON = "build-cython-sources"
EGG_INFO = "build-egg-info-failed"
"""What failed in setup.py is told below it, mostly: alone it is weighed where nothing else is told."""
BUILDS = (
    "wheel-not-built",
    "wheel-build-error",
    "wheels-not-built",
    "wheel-metadata-failed",
    "wheel-requirements-failed",
    "package-removed",
    "uv-build-failed",
    "poetry-build-failed",
    "build-command-failed",
    CYTHON,
    EGG_INFO,
)
OLD_SETUPTOOLS = "setuptools-lacks-pkg-resources"
PLACEHOLDER = "package-placeholder"
GIVEN_UP = "tensorflow-gpu"
"""Its last release, 2.12.0, has no code and refuses to be installed on purpose (its page on the index, 2023-03)."""


def compiled(facts: Facts, told: Testimony, saying: Saying) -> Candidate | None:
    """None for sayings of another kind."""
    if saying.name not in (*BUILDS, PLACEHOLDER):
        return None
    if said := told.named(PLACEHOLDER):
        return _placeholder(said[0])
    package, release = what(told)
    if plain(package) == GIVEN_UP:
        return _given_up(told, saying)
    if release_for_cython_2(told):
        return _by_cython_3(saying, release_for_cython_2(told))
    if told.of(OLD_SETUPTOOLS):
        return _by_newer_setuptools(told, saying, f"{package} {release}".strip())
    tool = "uv" if saying.name.startswith("uv") else "poetry" if saying.name.startswith("poetry") else "pip"
    named, python = f"{package} {release}".strip(), facts.interpreter.version
    on = f"Python {python.value.feature}" if isinstance(python, Known) else "this Python"
    title = f"{tool} found no ready-made {named} for {on} and this system and tried to compile it, which failed{for_lack(told)}." if package else f"{tool} had to compile a package, and that failed{for_lack(told)}."  # fmt: skip
    words = "A ready-made file (wheel) needs no compiler. There is none for this Python, mostly because it is newer than that release of the package, or for this system; so the sources were taken, and these need a compiler and libraries that are not here."
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=title)


def release_for_cython_2(told: Testimony) -> str:
    """The PyYAML that was to be built and whose setup.py fails with Cython 3 (yaml/pyyaml#601: up to 6.0); "" for any other package."""
    package, release = what(told)
    if plain(package) not in ("pyyaml", ""):
        return ""
    said = bool(told.named(CYTHON))
    if not release:
        return "5.4.1" if said else ""
    return release if plain(package) == "pyyaml" and release.replace(".", "").isdecimal() and key(release) < _KNOWS_CYTHON_3 else ""  # fmt: skip


_KNOWS_CYTHON_3 = (6, 0, 1)


def _by_cython_3(saying: Saying, release: str) -> Candidate:
    words = "pip found no ready-made file of it for this Python and builds it with the newest Cython. PyYAML up to 6.0 reads a part of Cython that Cython 3 no longer has, and ends with AttributeError: cython_sources. Nothing of TensorFlow is at fault: tf-models-official, for one, asks for so old a PyYAML."
    return Candidate(saying.code, Confidence.LIKELY, (place(saying),), words, title=f"PyYAML {release} can't be built here: its setup does not know Cython 3.")  # fmt: skip


def without_reason(facts: Facts, told: Testimony) -> Candidate | None:
    """A setup.py that failed, where its traceback was cut off; None where anything else is told."""
    said = told.named(EGG_INFO)
    if not said or told.codes or any(each.how == "exception" for each in told.endings) or not what(told)[0]:
        return None
    return compiled(facts, told, replace(said[0], code="python-unsupported"))


def _by_newer_setuptools(told: Testimony, saying: Saying, package: str) -> Candidate:
    """pip builds in an environment of its own, with the newest setuptools, whatever is installed beside it."""
    title = f"The build of {package or 'a package'} asks for pkg_resources, which setuptools removed in 82."
    words = "pip found no ready-made file and builds the package in an environment that it makes for that, with the newest setuptools. What is installed in your own environment does not reach in there."
    return Candidate(OLD_SETUPTOOLS, Confidence.CERTAIN, (place(saying), *map(place, told.of(OLD_SETUPTOOLS))), words, title=title)  # fmt: skip


def names(said: Saying) -> tuple[str, str]:
    """The placeholder, and the package that is meant."""
    told = said.told
    return told.get("package") or told["asker"], told.get("wanted") or told["value"]


def _placeholder(said: Saying) -> Candidate:
    wrong, right = names(said)
    words = f"{wrong} is what one imports, or what the project is called; its package on the index is {right}. Under the name {wrong} there is only a placeholder that refuses to be installed, on any Python. Nothing was installed."
    title = f"The package is called {right}: {wrong} is an empty placeholder that refuses to be installed."
    return Candidate(said.code, Confidence.CERTAIN, (place(said),), words, title=title)


def _given_up(told: Testimony, saying: Saying) -> Candidate:
    asker = asks_for_it(told)
    by = f" {asker} still asks for it." if asker else ""
    words = f"TensorFlow's own package has had the GPU since 2.1, and tensorflow-gpu was given up with an empty 2.12.0 that can't be installed, on any Python.{by} The message of pip shows only that this failed."
    return Candidate(saying.code, Confidence.CERTAIN, (place(saying),), words, title="The package tensorflow-gpu was given up: its last release refuses to be installed.")  # fmt: skip


def asks_for_it(told: Testimony) -> str:
    """The package for which pip collected it; "" where the log does not tell."""
    lines = [each.text for each in told.named("pip-at-work") if f"Collecting {GIVEN_UP}" in each.text]
    asker = lines[0].partition("(from ")[2].partition(")")[0].partition("->")[0].strip() if lines else ""
    return "" if asker.startswith("-r") else asker


def what(told: Testimony) -> tuple[str, str]:
    """The package that was compiled and its release; "" for what is not told."""
    said = [each.told for each in told.named(*BUILDS)]
    named = next(
        (each.get("package") or each["asker"] for each in said if {"package", "asker"} & {*each}), ""
    )
    folders = told.named("build-folder")
    if not named and folders:
        named = folders[0].told["package"].replace("_", "-")
    releases = [_release(each) for each in told.named("sdist-taken", "build-version", *BUILDS)]
    taken = [each for each in releases if each[1]]
    same = [each for each in taken if plain(each[0]) == plain(named)] if named else taken[-1:]
    return named or (taken[-1][0] if taken else ""), same[-1][1] if same else ""


def _release(saying: Saying) -> tuple[str, str]:
    """The package and its release; "" for what the line does not tell."""
    told = saying.told
    return told.get("package") or told.get("asker", ""), told.get("version") or told.get("value", "")


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
