"""The ways out where a package could not be compiled: a Python that has it ready-made, or what the build missed."""

from __future__ import annotations

from tfdoctor.checks.log.fit.present import key
from tfdoctor.checks.log.installers.built.builds import (
    BUILDS,
    GIVEN_UP,
    OLD_SETUPTOOLS,
    PLACEHOLDER,
    asks_for_it,
    names,
    plain,
    release_for_cython_2,
    what,
)
from tfdoctor.checks.log.installers.built.needs import is_header, lacking, need
from tfdoctor.checks.log.installers.companions import BEGINS, OLD_PYTHON, WITHOUT_FILES, python_for
from tfdoctor.checks.log.installers.stopped import asked_for, quoted_names
from tfdoctor.checks.log.testimony import Testimony
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import interpreter

_BESIDE = "The present environment stays as it is."


def build_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """() where nothing had to be compiled."""
    if said := told.named(PLACEHOLDER):
        return _right_name(facts, *names(said[0]))
    if not told.named(*BUILDS):
        return ()
    package, release = what(told)
    if plain(package) == GIVEN_UP:
        return _without_gpu_package(facts, told)
    if yaml := release_for_cython_2(told):
        return _with_cython_2(facts, told, yaml)
    known = python_for(plain(package), release) if release.replace(".", "").isdecimal() else ""
    other = _other_python(known or _below(facts), package, release, told=bool(known))
    if (known or release) and value_or(facts.host.os, "") == "windows":
        return (other, *_of_the_system(facts, told, package))
    ways = (*_of_the_system(facts, told, package), other)
    if not package or plain(package) in WITHOUT_FILES:
        return ways[:1] if plain(package) in WITHOUT_FILES and len(ways) > 1 else ways
    newer = _ready_made(facts, package, release)
    if (
        release or plain(package) in BEGINS
    ):  # of these there are files for every Python: an old release is what was asked for
        return (*ways, newer)
    return (*ways[:-1], newer, ways[-1])


def _with_cython_2(facts: Facts, told: Testimony, release: str) -> tuple[Fix, ...]:
    python = interpreter(facts)
    asked = asked_for(facts)
    again = _again(facts, told, asked if asked != "tensorflow" else "tf-models-official")
    old = Fix(
        f"Build PyYAML {release} with Cython 2, then give the command once more",
        (f'{python} -m pip install "cython<3" "setuptools<82" wheel', f'{python} -m pip install --no-build-isolation "pyyaml=={release}"', again),
        "The second line has pip build with what is installed, in place of the newest. The third stands for your own command.",
    )  # fmt: skip
    new = Fix("Or ask for PyYAML 6.0.1 or newer, which has ready-made files, where what asks for the old one can do with it", (f'{python} -m pip install "pyyaml>=6.0.1"',), f"Then {asked if asked != 'tensorflow' else 'the package that asks'} without what it asks for: pip install --no-deps.")  # fmt: skip
    return (old, new)


def isolated_fixes(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    """An older setuptools for the build itself; () where nothing had to be built, or it missed something else."""
    if not told.named(*BUILDS) or not told.of(OLD_SETUPTOOLS):
        return ()
    package, release = what(told)
    named, python = f"{package}=={release}" if package and release else package, interpreter(facts)
    wanted = named or quoted_names(asked_for(facts))
    here = Fix(
        "Install a setuptools that still has it, and let pip build with what is installed",
        (
            f"{python} -m pip install 'setuptools<82' wheel",
            f"{python} -m pip install --no-build-isolation {wanted}",
        ),
        "Where the package comes from a list of requirements, put `-r requirements.txt` in its place; what else its build asks for then has to be installed before.",
    )
    return (here,)


def _right_name(facts: Facts, wrong: str, right: str) -> tuple[Fix, ...]:
    asked, python = asked_for(facts), interpreter(facts)
    file = asked.partition("-r ")[2].strip() or "requirements.txt"
    if not asked.startswith("-r") and wrong in asked.split():
        return (Fix(f"Install it by its name, {right}", (f"{python} -m pip install {quoted_names(asked.replace(wrong, right))}",)),)  # fmt: skip
    own = Fix(f"In {file}, write {right} in place of {wrong}, then install the file", (f"{python} -m pip install -r {file}",))  # fmt: skip
    other = Fix(f"Where another package asks for {wrong}, install {right} first, and that package without what it asks for", (f"{python} -m pip install {right}",), "Then pip install --no-deps NAME, with the name that pip's line \"(from NAME)\" shows, and pip check.")  # fmt: skip
    return (own, other)


def _below(facts: Facts) -> str:
    """An older Python than the one that is told, where that is as old itself as the one that is tried else; "" for any other."""
    own = facts.interpreter.version
    if not isinstance(own, Known) or key(own.value.feature) > key(OLD_PYTHON):
        return ""
    return f"3.{key(own.value.feature)[1] - 1}"


def _other_python(known: str, package: str, release: str, *, told: bool) -> Fix:
    feature, spec = known or OLD_PYTHON, f"{package or 'tensorflow'}{f'=={release}' if release else ''}"
    note = "" if told else "Which Pythons a release has files for, its page on the index lists. "
    which = f"Python {feature}" if told else f"an older Python ({feature}, for instance)"
    return Fix(
        f"Use {which}, for which that release has a file, in an environment of its own",
        (f"uv venv --python {feature} python-{feature}", f'uv pip install --python=python-{feature} --only-binary=:all: "{spec}"'),
        f"{note}{_BESIDE}",
    )  # fmt: skip


def _ready_made(facts: Facts, package: str, release: str) -> Fix:
    python = interpreter(facts)
    return Fix(f"Let pip take a ready-made {package}, with a pip that knows today's files", (f"{python} -m pip install --upgrade pip", f"{python} -m pip install --only-binary=:all: {package}"), f"Where another package asks for just {package} {release or 'that old'}, take a newer release of that one." )  # fmt: skip


_BOARDS = ("of-arm", "of-a-board")
_ON_BOARDS = {"h5py": "hdf5.h"}
"""Packages without a file for Linux on ARM in the releases that TensorFlow asked for, and what their build looks for first
(h5py/h5py#2073, 2022-03; lhelontra/tensorflow-on-arm#60, 2019-05)."""


def _of_the_system(facts: Facts, told: Testimony, package: str) -> tuple[Fix, ...]:
    """What the build itself misses, as the system that is told brings it; () where the build names nothing."""
    missed, again = lacking(told), _again(facts, told, package)
    if not missed and plain(package) in WITHOUT_FILES:
        missed = WITHOUT_FILES[plain(package)]
    if not missed and told.named(*_BOARDS):
        missed = _ON_BOARDS.get(plain(package), "")
    if "Visual C++" in missed:
        return (Fix("Bring Microsoft's compiler, in PowerShell, and build again in a new window", (_BUILD_TOOLS, again), "It takes some 5 GB. Where there is a ready-made file, the other way needs none of it."),)  # fmt: skip
    sought = f"what the build looked for in vain ({missed})" if lacking(told) else f"what such a build asks for first ({missed})"  # fmt: skip
    brings, os = need(missed), value_or(facts.host.os, "")
    if os == "windows" or not missed:
        return ()
    if os == "macos":
        bring = f"brew install {brings.brew}" if brings and brings.brew else "xcode-select --install"
        more: tuple[str, ...] = ("export CPATH=$(brew --prefix)/include LIBRARY_PATH=$(brew --prefix)/lib",) if "brew" in bring and is_header(missed) else ()  # fmt: skip
        if bring == "brew install hdf5":
            more = (
                "export HDF5_DIR=$(brew --prefix hdf5)",
            )  # h5py's own variable: Homebrew's folder is not searched on Apple's processors
        return (Fix(f"Bring what the build looked for in vain ({missed}), and build again", (bring, *more, again)),)  # fmt: skip
    if brings is None:
        return (Fix(f"See which package of Debian or Ubuntu has what the build looked for ({missed}), and install that one", ("sudo apt-get install --yes apt-file", "sudo apt-file update", f"apt-file search {missed}")),) if is_header(missed) else ()  # fmt: skip
    return (Fix(f"On Debian, Ubuntu and their like, bring {sought}, and build again", (f"sudo apt-get install --yes {brings.apt}", again), "In an image that runs as root, without sudo, after apt-get update. Fedora and its like: dnf provides '*/" + missed + "' names it."),)  # fmt: skip


_BUILD_TOOLS = 'winget install Microsoft.VisualStudio.2022.BuildTools --override "--wait --passive --add Microsoft.VisualStudio.Workload.VCTools --includeRecommended"'


def _again(facts: Facts, told: Testimony, package: str) -> str:
    if told.named("uv-build-failed"):
        return f"uv pip install {package}".rstrip()
    if told.named("poetry-build-failed"):
        return "poetry install"
    asked = asked_for(facts)
    what_for = asked if asked != "tensorflow" else package or asked
    return f"{interpreter(facts)} -m pip install {quoted_names(what_for)}"


def _without_gpu_package(facts: Facts, told: Testimony) -> tuple[Fix, ...]:
    python, asker = interpreter(facts), asks_for_it(told)
    own = Fix("Install tensorflow itself, which has the GPU", (f"{python} -m pip install tensorflow",), "In a file of requirements, write tensorflow in place of tensorflow-gpu. Linux gets NVIDIA's libraries by tensorflow[and-cuda]; on Windows itself 2.10 is the last with a GPU, and WSL2 takes the newest.")  # fmt: skip
    if not asker:
        return (own,)
    alone = Fix(f"Then install {asker} without what it asks for; pip check shows what else it needs", (f"{python} -m pip install --no-deps {asker}", f"{python} -m pip check"), f"Or take a newer {asker} that asks for tensorflow.")  # fmt: skip
    return (own, alone)
