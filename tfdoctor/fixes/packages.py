"""Fixes that put an environment's packages right: exact versions, the environment's own installer, no other place.

Where the examined Python belongs to the operating system and forbids pip (PEP 668), the fix is an environment of
its own. What conda installed, conda fixes.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, Known, value_or
from tfdoctor.facts.values import Distribution
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.commands import (
    conda_install,
    is_version,
    pip_install,
    pip_reinstall,
    pip_uninstall,
    quoted,
)
from tfdoctor.fixes.install import install_commands, pins, recipe_for, requirement
from tfdoctor.fixes.machine import machine_from_facts
from tfdoctor.fixes.plan import plan
from tfdoctor.matrix.model import Release
from tfdoctor.matrix.query import Matrix
from tfdoctor.records import replace

if TYPE_CHECKING:
    from packaging.specifiers import Specifier
    from packaging.version import Version


def install_fix(facts: Facts, title: str, *specs: str, note: str = "") -> Fix:
    """Brings the named packages to the versions named ("numpy>=1.26,<2"), in the examined environment."""
    if forbids_pip(facts):
        return Fix(title, (f"{pip_install(facts, *specs)} --break-system-packages",), _system_note(note))
    if by_conda(facts, *(name_in(spec) for spec in specs)):
        return Fix(title, (conda_install(facts, *specs),), note)
    return Fix(title, (pip_install(facts, *specs),), note)


def moved_aside(facts: Facts) -> Distribution | None:
    """The TensorFlow that pip had moved aside when it was stopped; None where it was not."""
    return next((each for each in value_or(facts.packages.interrupted, ()) if "tensorflow" in each.name or each.name.startswith("tf-nightly")), None)  # fmt: skip


def reinstall(facts: Facts) -> Fix:
    """Reinstalls TensorFlow's files in the same version, and leaves every other package as it is."""
    aside = moved_aside(facts)
    name = value_or(facts.tensorflow.distribution, aside.name if aside else "tensorflow")
    version = _metadata_version(facts, name) or (aside.version if aside else "")
    if not is_version(version):
        note = f"The metadata of {name} names no version that can be read, so look into it before you choose one to install."
        return Fix(f"Reinstall {name}", note=note)
    title = f"Reinstall {name} {version}"
    if by_conda(facts, name):
        command = conda_install(facts, f"{name}=={version}", options=("--force-reinstall", "--no-deps"))
        return Fix(title, (command,), "Changes no other package.")
    command = pip_reinstall(facts, f"{name}=={version}") + _override(facts)
    return Fix(title, (command,), "Changes no other package.")


def keep_one(facts: Facts, matrix: Matrix, names: Iterable[str], keep: str) -> Fix:
    """Removes every distribution that owns the package, because removing one takes files of the others along, then
    installs the one that is kept (a requirement such as "tensorflow==2.21.0") with what it needs."""
    if not is_version(keep.partition("==")[2]):
        note = "None of them may be removed before: the metadata names no version that can be read, to install again."
        return Fix("Choose one of them and its version", note=note)
    remove = pip_uninstall(facts, *names) + _override(facts)
    install = pip_install(facts, keep, *_pins(facts, matrix, keep)) + _override(facts)
    note = "All of them are removed first, because they share their files; then one is installed."
    return Fix(f"Remove them all and install {keep}", (remove, install), note)


def install_fitting(facts: Facts, matrix: Matrix, *, spec: str = "") -> tuple[Fix, ...]:
    """Installs the newest TensorFlow that works on this machine, inside the examined environment; () if none is known."""
    release = fitting(facts, matrix, spec=spec)
    if release is None:
        return ()
    if forbids_pip(facts):
        return (in_new_environment(facts, matrix, release),)
    machine = machine_from_facts(facts)
    wanted = requirement(release, machine, matrix)
    command = pip_install(facts, wanted, *pins(release, machine, matrix))
    site, recipe = value_or(facts.interpreter.site_packages, ()), recipe_for(release, machine, matrix)
    links = (
        quoted("ln", "-s", target, f"{site[0]}/nvidia/{place}")
        for target, place in recipe.links
        if site and not recipe.search_path
    )
    return (Fix(f"Install TensorFlow {release.tensorflow}", (command, *links)),)


def in_new_environment(facts: Facts, matrix: Matrix, release: Release) -> Fix:
    """A virtual environment in the current directory, with the right Python and the release in it."""
    commands = install_commands(release, machine_from_facts(facts), matrix)
    by_apt = "If venv is missing: sudo apt install python3-venv. " if value_or(facts.host.package_manager, "") == "apt" else ""  # fmt: skip
    note = f"{by_apt}Check it with `tfdoctor check --python tensorflow-{release.tensorflow}`."
    return Fix(f"Install TensorFlow {release.tensorflow} in a new environment", commands, note)


def fitting(facts: Facts, matrix: Matrix, *, spec: str = "", any_python: bool = False) -> Release | None:
    """The best release for this machine by the plan; with `any_python` a release that asks for another Python, too."""
    machine = machine_from_facts(facts)
    if any_python:
        machine = replace(machine, python=Failed("any Python will do", "not-asked"))
    options = plan(machine, matrix, spec=spec).options
    return options[0].release if options else None


def tightest(*specifiers: str) -> str:
    """The specifiers as one, redundant bounds left out, the lower bound first: ">=1.26,<2". "" for none.

    A specifier that can't be read is left out.
    """
    lowest: Version | None = None
    highest: Version | None = None
    others: list[str] = []
    for each in _parts(specifiers):
        if each.operator == ">=":
            lowest = max(_both(lowest, each))
        elif each.operator == "<":
            highest = min(_both(highest, each))
        elif str(each) not in others:
            others.append(str(each))
    bounds = [f">={lowest}"] if lowest else []
    bounds += sorted(others)
    return ",".join([*bounds, f"<{highest}"] if highest else bounds)


def _both(bound: Version | None, further: Specifier) -> list[Version]:
    """The two in the order of their length, so that of equal ones the shorter is kept ("2" of "2.0.0")."""
    from packaging.version import Version  # 20 ms that few answers need

    return sorted([*([bound] if bound else []), Version(further.version)], key=lambda each: len(str(each)))


def _parts(specifiers: Iterable[str]) -> list[Specifier]:
    from packaging.specifiers import InvalidSpecifier, Specifier, SpecifierSet  # 20 ms that few answers need

    found: list[Specifier] = []
    for text in specifiers:
        try:
            found += [each for each in SpecifierSet(text) if isinstance(each, Specifier)]
        except InvalidSpecifier:
            continue
    return found


def name_in(spec: str) -> str:
    """ "numpy" in "numpy>=1.26,<2", "tensorflow" in "tensorflow[and-cuda]==2.21.0"."""
    for position, char in enumerate(spec):
        if char in "[<>=!~ ;":
            return spec[:position]
    return spec


def by_conda(facts: Facts, *names: str) -> bool:
    """Whether conda installed one of these, so that conda has to change it."""
    listed = value_or(facts.packages.installed, ())
    return any(each.installer == "conda" and each.name in names for each in listed)


def forbids_pip(facts: Facts) -> bool:
    """Whether this is a system's Python that is kept from pip (PEP 668). A virtual environment of it is not."""
    managed = isinstance(facts.interpreter.externally_managed, Known)
    return managed and value_or(facts.interpreter.environment, "system") not in (
        "venv",
        "conda",
        "virtualenv",
    )


def _override(facts: Facts) -> str:
    """pip put these files there against the system's will already; only the same will fixes them in place."""
    return " --break-system-packages" if forbids_pip(facts) else ""


def _system_note(note: str) -> str:
    return f"{note} This Python belongs to the operating system; a virtual environment (python3 -m venv) is safer.".strip()


def _metadata_version(facts: Facts, name: str) -> str:
    """pip knows a distribution by its metadata's version, whatever its files say."""
    for each in value_or(facts.tensorflow.distributions, ()):
        if each.name == name:
            return each.version
    return value_or(facts.tensorflow.version, "")


def _pins(facts: Facts, matrix: Matrix, keep: str) -> list[str]:
    """What today's resolver must be told beside the release's own requirements."""
    name, _, version = keep.partition("==")
    machine = machine_from_facts(facts)
    release = matrix.release(version, name_in(name), machine.platform)
    if not isinstance(release, Known):
        release = matrix.release(version, platform=machine.platform)
    return pins(release.value, machine, matrix) if isinstance(release, Known) else []
