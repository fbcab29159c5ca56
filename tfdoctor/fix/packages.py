"""Fixes that put an environment's packages right: exact versions, the environment's own installer, no other place.

Where the examined Python belongs to the operating system and forbids pip (PEP 668), the fix is an environment of
its own. What conda installed, conda fixes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from tfdoctor.base.records import replace
from tfdoctor.base.version_ranges import contains, tightest
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Failed, Known, value_or
from tfdoctor.facts.values import Bound, Distribution
from tfdoctor.facts.versions import PythonRelease
from tfdoctor.fix.commands import (
    against_its_will,
    conda_install,
    is_version,
    pip_install,
    pip_put,
    pip_reinstall,
    pip_uninstall,
)
from tfdoctor.fix.install import environment_fix, install_commands, pins, recipe_for, requirement
from tfdoctor.fix.machine import machine_from_facts
from tfdoctor.fix.plan import best_first, plan
from tfdoctor.fix.ranges import (
    Range,
    installed_version,
    pair_here,
    pairs_here,
    range_of,
    releases_without,
)
from tfdoctor.fix.together import frameworks_here
from tfdoctor.knowledge.lines import Change, Pip, name_in, named, ours, quoted
from tfdoctor.knowledge.matrix.model import Release
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Fix


def install_fix(facts: Facts, matrix: Matrix, title: str, *specs: str, note: str = "") -> Fix:
    """Brings the named packages ("numpy>=1.26,<2") to the nearest versions that all that is installed allows.

    Who stands against them is changed, too; what shares a requirement with them and TensorFlow then stay as they are. What would
    bring a `tensorflow` beside one of another name comes without its requirements.
    """
    ranges = [_in_range(facts, matrix, spec) for spec in specs]
    second = _would_bring_tensorflow(facts, matrix, ranges)
    alone = [each.spec for each in ranges if second and matrix.brings(each.name)]
    others = [each.spec for each in ranges if each.spec not in alone]
    changed = [*others, *_changed_along(facts, matrix, ranges)] if others else []
    if not second and any(matrix.brings(each.name) for each in ranges):
        changed = list(dict.fromkeys((*changed, *_tensorflow_as_it_is(facts))))
    commands = [_installed(facts, *changed)] if changed else []
    commands += [_installed(facts, *alone, options=("--no-deps",))] if alone else []
    against = [bound for each in ranges for bound in each.against]
    told = " ".join(filter(None, (_told(against), note)))
    return Fix(title, tuple(commands), _system_note(told) if forbids_pip(facts) else told)


def update(facts: Facts, matrix: Matrix, name: str, note: str = "") -> Fix:
    """Brings the newest release of a package that all that is installed allows."""
    asked = pair_here(facts, matrix, "python", name)
    wanted = range_of(facts, matrix, name, asked.specifier if asked else "")
    if forbids_pip(facts) or by_conda(facts, name):
        return Fix(f"Update {name}", (_installed(facts, wanted.spec),), note)
    keep = _tensorflow_as_it_is(facts) if matrix.brings(name) else []
    return Fix(
        f"Update {name}", (pip_install(facts, wanted.spec, *keep, options=("--upgrade",)),), note
    )


def _in_range(facts: Facts, matrix: Matrix, spec: str) -> Range:
    """TensorFlow's own release is the plan's choice, so nothing narrows it here."""
    name = name_in(spec)
    if name in ("tensorflow", value_or(facts.tensorflow.distribution, "")):
        return Range(name, spec.removeprefix(name), (), ())
    return range_of(facts, matrix, name, spec.removeprefix(name))


def _installed(facts: Facts, *specs: str, options: tuple[str, ...] = ()) -> Change:
    """By conda where it installed one of them, else by pip; also against the will of a system that forbids pip."""
    if forbids_pip(facts):
        line = pip_install(facts, *specs, options=options)
        return against_its_will(line) if isinstance(line, Pip) else line
    if by_conda(facts, *(name_in(spec) for spec in specs)):
        return conda_install(facts, *specs)
    return pip_install(facts, *specs, options=options)


def _would_bring_tensorflow(facts: Facts, matrix: Matrix, ranges: list[Range]) -> bool:
    names = [each.name for each in value_or(facts.tensorflow.distributions, ())]
    return (
        bool(names)
        and "tensorflow" not in names
        and any(matrix.brings(each.name) for each in ranges)
    )


def _tensorflow_as_it_is(facts: Facts) -> list[str]:
    """A pin on the TensorFlow that is here, by the name that it has here."""
    name = value_or(facts.tensorflow.distribution, "")
    version = _metadata_version(facts, name)
    return [f"{name}=={version}"] if name and is_version(version) else []


def _changed_along(facts: Facts, matrix: Matrix, ranges: list[Range]) -> list[str]:
    """Who stands against a range, for pip to choose another release of it, and what must stay as it is then."""
    against = dict.fromkeys(bound.owner for each in ranges for bound in each.against)
    if not against:
        return []
    newer = {
        pair.package: f"{pair.package}{releases_without(pair)}"
        for pair, _ in pairs_here(facts, matrix)
        if any(pair.needs == each.name for each in ranges)
    }
    named = {*against, *(each.name for each in ranges)}
    held = {
        bound.owner: bound.owner_version
        for each in ranges
        for bound in each.holders
        if bound.owner not in named
    }
    pins = [f"{name}=={version}" for name, version in held.items() if is_version(version)]
    return [*(newer.get(each, each) for each in against), *pins, *_tensorflow_as_it_is(facts)]


def _told(against: list[Bound]) -> str:
    """Why more is changed than what is named."""
    return " ".join(
        dict.fromkeys(
            f"{each.owner} {each.owner_version} needs {each.name}{each.specifier}, so it is changed, too."
            for each in against
        )
    )


def moved_aside(facts: Facts) -> Distribution | None:
    """The TensorFlow that pip had moved aside when it was stopped; None where it was not."""
    return next((each for each in value_or(facts.packages.interrupted, ()) if "tensorflow" in each.name or each.name.startswith("tf-nightly")), None)  # fmt: skip


def reinstall(facts: Facts) -> Fix:
    """Reinstalls TensorFlow's files in the same version, and leaves every other package as it is."""
    aside = moved_aside(facts)
    listed = value_or(facts.tensorflow.distributions, ())
    left = listed[0] if listed else aside
    name = value_or(facts.tensorflow.distribution, left.name if left else "tensorflow")
    version = _metadata_version(facts, name) or (aside.version if aside else "")
    if not is_version(version):
        note = f"The metadata of {name} names no version that can be read, so look into it before you choose one to install."
        return Fix(f"Reinstall {name}", note=note)
    return reinstall_package(facts, name, version)


def reinstall_package(
    facts: Facts, name: str, version: str, note: str = "Changes no other package."
) -> Fix:
    """The same version of a package again, by the tool that installed it."""
    spec = f"{name}=={version}"
    if by_conda(facts, name):
        command: Change = conda_install(facts, spec, options=("--force-reinstall", "--no-deps"))
    else:
        command = _by_its_will(facts, pip_reinstall(facts, spec))
    return Fix(f"Reinstall {name} {version}", (command,), note)


def keep_one(facts: Facts, matrix: Matrix, names: Iterable[str], keep: str) -> Fix:
    """Removes every distribution that owns the package, because removing one takes files of the others along, then
    installs the one that is kept (a requirement such as "tensorflow==2.21.0") with what it needs."""
    if not is_version(keep.partition("==")[2]):
        note = "None of them may be removed before: the metadata names no version that can be read, to install again."
        return Fix("Choose one of them and its version", note=note)
    remove = _by_its_will(facts, pip_uninstall(facts, *names))
    install = _by_its_will(facts, pip_put(facts, keep, *_pins(facts, matrix, keep)))
    note = "All of them are removed first, because they share their files; then one is installed."
    return Fix(f"Remove them all and install {keep}", (remove, install), note)


def install_fitting(
    facts: Facts, matrix: Matrix, *, spec: str = "", along: tuple[str, ...] = ()
) -> tuple[Fix, ...]:
    """Installs the newest TensorFlow that works on this machine, inside the examined environment; () if none is known.

    In its own environment where pip may not install, or what is installed allows none; there with the packages `along` as they are here.
    """
    machine = machine_from_facts(facts)
    options = best_first(machine, matrix, spec=spec)
    beside = ((each.release, _beside(facts, matrix, each.release)) for each in options)
    best = next(beside, None)
    if best is None:
        return ()
    release, needed = next(
        ((each, more) for each, more in chain((best,), beside) if more is not None), best
    )
    if forbids_pip(facts) or needed is None:
        return (in_new_environment(facts, matrix, release, *along),)
    wanted = requirement(release, machine, matrix)
    here = [each.name for each in value_or(facts.tensorflow.distributions, ())]
    if here and name_in(wanted) not in here:
        own = value_or(facts.tensorflow.distribution, here[0])
        if "[" in wanted or not isinstance(
            matrix.release(release.tensorflow, own, machine.platform), Known
        ):
            return (keep_one(facts, matrix, here, wanted),)
        wanted = f"{own}=={release.tensorflow}"
    usual = [
        each for each in pins(release, machine, matrix) if name_in(each) not in map(name_in, needed)
    ]
    command = pip_install(facts, wanted, *usual, *needed)
    site, recipe = (
        value_or(facts.interpreter.site_packages, ()),
        recipe_for(release, machine, matrix),
    )
    links = (
        quoted("ln", "-s", ours(target), f"{site[0]}/nvidia/{place}")
        for target, place in recipe.links
        if site and not recipe.search_path
    )
    return (Fix(f"Install TensorFlow {release.tensorflow}", (command, *links)),)


def _beside(facts: Facts, matrix: Matrix, release: Release) -> list[str] | None:
    """What must be said of packages that the release moves, so that the others go on working; None where that can't be."""
    runs = matrix.runtime_bounds(release.tensorflow)
    found = []
    for name, stated in value_or(release.requires, {}).items():
        version = installed_version(facts, name)
        needed = tightest(
            *(each.spec for each in stated if _holds(facts, each.marker)),
            value_or(runs.get(name, _UNBOUND), ""),
        )
        if version and not contains(needed, version):
            moved = range_of(facts, matrix, name, needed)
            if moved.against:
                return None
            if moved.specifier != needed:
                found.append(moved.spec)
    return found


_UNBOUND = Absent("nobody has run it with others")


def _holds(facts: Facts, marker: str) -> bool:
    """Whether a requirement's marker holds for the examined Python."""
    from packaging.markers import Marker  # 20 ms that few answers need

    python = facts.interpreter.version
    said = {"python_version": python.value.feature} if isinstance(python, Known) else {}
    return not marker or Marker(marker).evaluate(said)


def in_new_environment(facts: Facts, matrix: Matrix, release: Release, *along: str) -> Fix:
    """A virtual environment in the current directory, with the right Python and the release in it, and these packages in the version
    that is here.
    """
    versions = {name: installed_version(facts, name) for name in along}
    beside = [
        f"{name}=={version}"
        for name, version in versions.items()
        if version and name == named(name)
    ]
    machine = machine_from_facts(facts)
    commands = install_commands(release, machine, matrix, *beside)
    by_apt = "If venv is missing: sudo apt install python3-venv. " if value_or(facts.host.package_manager, "") == "apt" else ""  # fmt: skip
    note = f"{by_apt}Check it with `tfdoctor check --python tensorflow-{release.tensorflow}`."
    title = f"Install TensorFlow {release.tensorflow} in a new environment"
    made = environment_fix(title, commands, note)
    recipe = recipe_for(release, machine, matrix)
    if recipe.links or recipe.search_path or made.action is None:
        return made
    pythons = tuple(dict.fromkeys((recipe.python, *_pythons(release))))
    return replace(
        made, action=made.action.with_values(install=(*recipe.packages, *beside), pythons=pythons)
    )


def _pythons(release: Release) -> list[str]:
    """Those that it has wheels for, the newest first."""
    known: tuple[PythonRelease, ...] = value_or(release.python, ())
    found = sorted(known, key=lambda each: each.numbers, reverse=True)
    return [each.feature for each in found]


def sharing_an_environment(facts: Facts, matrix: Matrix) -> Fix | None:
    """TensorFlow and the other frameworks that are installed here, in versions that an installer accepts and that overwrite nothing;
    None where there is no other framework, or the matrix knows no such set."""
    asked = frameworks_here(facts, matrix)
    machine = machine_from_facts(facts)
    options = plan(machine, matrix, beside=asked).options if asked else ()
    if not options:
        return None
    release, beside = options[0].release, options[0].beside
    names = " and ".join(
        (f"TensorFlow {release.tensorflow}", *(each.replace("==", " ") for each in beside))
    )
    note = "In these versions no package overwrites another's files. `tfdoctor plan --with` lists others."
    return environment_fix(
        f"Install {names} in a new environment",
        install_commands(release, machine, matrix, *beside),
        note,
    )


def fitting(
    facts: Facts, matrix: Matrix, *, spec: str = "", any_python: bool = False
) -> Release | None:
    """The best release for this machine by the plan; with `any_python` a release that asks for another Python, too."""
    machine = machine_from_facts(facts)
    if any_python:
        machine = replace(machine, python=Failed("any Python will do", "not-asked"))
    best = next(best_first(machine, matrix, spec=spec), None)
    return best.release if best is not None else None


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


def _by_its_will(facts: Facts, command: Pip) -> Pip:
    """pip put these files there against the system's will already; only the same will fixes them in place."""
    return against_its_will(command) if forbids_pip(facts) else command


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
