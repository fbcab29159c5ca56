"""Which releases of other frameworks share an environment with a TensorFlow, as resolved and compared in the matrix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby, starmap

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace
from tfdoctor.base.version_ranges import contains
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.facts.versions import PythonRelease
from tfdoctor.fix.install import has_working_extra, wants_cuda
from tfdoctor.fix.machine import NO_SPECIFIER, DescriptionError, Machine
from tfdoctor.knowledge.matrix.model import Beside, Release
from tfdoctor.knowledge.matrix.query import Matrix

_ASKED = Expression(r"(?P<name>[A-Za-z0-9._-]+(?:\s*\[[^\]]*\])?)\s*(?P<spec>[<>=!~].*)?")
_NEXT = Expression(r",(?=\s*[A-Za-z])")


@record
class Wanted:
    """A framework ("jax[cuda12]") and the releases of it that will do; "" for any."""

    framework: str
    specifier: str = ""


def wanted(text: str, matrix: Matrix) -> tuple[Wanted, ...]:
    """What `--with` asks for ("torch, jax[cuda12]>=0.6,<0.7"), each framework once. Raises DescriptionError."""
    from packaging.specifiers import InvalidSpecifier  # 20 ms that few answers need

    known = matrix.frameworks()
    found: dict[str, str] = {}
    for part in filter(None, map(str.strip, _NEXT.split(text))):
        said = _ASKED.fullmatch(part)
        name = re.sub(r"\s", "", said["name"]).lower() if said else part
        if said is None or name not in known:
            names = ", ".join(known) or "no framework"
            raise DescriptionError("with", part, f"{names} are known beside TensorFlow")
        stated = re.sub(r"\s", "", said["spec"] or "")
        spec = found[name] = ",".join(filter(None, (found.get(name), stated)))
        try:
            fits = any(contains(spec, each) for each in known[name])
        except InvalidSpecifier as error:
            raise DescriptionError("with", part, NO_SPECIFIER) from error
        if not fits:
            raise DescriptionError(
                "with", part, f"{known[name][0]} to {known[name][-1]} are known beside TensorFlow"
            )
    return tuple(starmap(Wanted, found.items()))


_PLUGINS = ("jax-cuda12-plugin", "jax-cuda13-plugin")


def frameworks_here(facts: Facts, matrix: Matrix) -> tuple[Wanted, ...]:
    """The frameworks that are installed beside TensorFlow and that the matrix knows; jax with CUDA where a plugin of its is installed."""
    installed = {each.name for each in value_or(facts.packages.installed, ())}
    jax = "jax[cuda12]" if installed & {*_PLUGINS} else "jax"
    known = matrix.frameworks()
    return tuple(
        Wanted(each)
        for each in ("torch", jax)
        if each.partition("[")[0] in installed and each in known
    )


@record
class Clash:
    """Why releases of a framework can't share an environment with a TensorFlow. `packages`: what they clash over.

    outcome: "refused", "overwritten"; "unknown": they were not tried; "python": there are no wheels for the Python, but for `pythons`.
    """

    outcome: str
    what: str  # "torch 2.11.0–2.15.0"
    packages: tuple[str, ...] = ()
    pythons: tuple[str, ...] = ()


@record
class Fitting:
    """What is installed beside TensorFlow ("torch==2.10.0"), for a release that keeps only the Pythons that all have wheels for."""

    release: Release
    packages: tuple[str, ...]


def fitting(
    release: Release, machine: Machine, matrix: Matrix, asked: tuple[Wanted, ...]
) -> Fitting | tuple[Clash, ...]:
    """The newest releases of all frameworks that go with this TensorFlow, or what stands against it."""
    extra = (
        "and-cuda" if wants_cuda(release, machine) and has_working_extra(release, matrix) else ""
    )
    if machine.platform != "linux_x86_64":
        return (Clash("unknown", ", ".join(each.framework for each in asked)),)
    choices: list[list[Beside]] = []
    for each in asked:
        tried = [
            one
            for one in matrix.together(release.tensorflow, extra, each.framework)
            if contains(each.specifier, one.release)
        ]
        clean = [one for one in tried if one.outcome == "clean"]
        served = [one for one in clean if _served(release, machine, one.pythons)]
        if not served:
            return tuple(_clashes(release, each.framework, tried))
        choices.append(served)
    if len(choices) == 1:
        one = choices[0][0]
        return _fitting(release, (one,), _served(release, machine, one.pythons))
    for known, pythons in matrix.together_in_one(release.tensorflow, extra):
        chosen = tuple(
            one for each in choices for one in each if known.get(one.framework) == one.release
        )
        usable = _served(release, machine, pythons)
        if len(chosen) == len(choices) == len(known) and usable:
            return _fitting(release, chosen, usable)
    return (Clash("unknown", " and ".join(each.framework for each in asked)),)


def _fitting(
    release: Release, chosen: tuple[Beside, ...], pythons: tuple[PythonRelease, ...]
) -> Fitting:
    packages = tuple(f"{each.framework}=={each.release}" for each in chosen)
    return Fitting(replace(release, python=Known(pythons, chosen[0].source)), packages)


def _served(
    release: Release, machine: Machine, others: tuple[PythonRelease, ...]
) -> tuple[PythonRelease, ...]:
    """The Pythons that both have wheels for; on a machine with one Python that alone."""
    pythons = value_or(release.python, ())
    own = (
        {machine.python.value.feature}
        if isinstance(machine.python, Known)
        else {each.feature for each in pythons}
    )
    return tuple(
        each
        for each in pythons
        if each.feature in own.intersection(other.feature for other in others)
    )


def _clashes(release: Release, framework: str, tried: list[Beside]) -> Iterator[Clash]:
    """One for each reason, the newest releases first."""
    if not tried:
        yield Clash("unknown", framework)
    for (outcome, packages), several in groupby(tried, lambda each: (each.outcome, each.packages)):
        group = list(several)
        newest, oldest = group[0].release, group[-1].release
        what = f"{framework} {newest if newest == oldest else f'{oldest}–{newest}'}"
        theirs = {one.feature for each in group for one in each.pythons}
        pythons = tuple(
            each.feature for each in value_or(release.python, ()) if each.feature in theirs
        )
        yield Clash("python" if outcome == "clean" else outcome, what, packages, pythons)
