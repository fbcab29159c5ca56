"""A new environment where no change of the old one can help: what it takes along, how it is made, proven and removed again."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import PathDistribution
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from tfdoctor.apps.repair import journal as journals
from tfdoctor.apps.repair import tree
from tfdoctor.apps.repair.exchange import write_out
from tfdoctor.apps.repair.installer import (
    Installer,
    InstallerError,
    environ,
    installer_for,
    look,
    uv,
    words_of,
)
from tfdoctor.apps.repair.namespace import ANYWHERE, Namespace
from tfdoctor.apps.repair.plan import Changes, Step, judged
from tfdoctor.apps.repair.repair import DiscardedError, Work
from tfdoctor.apps.repair.trial import State, Trial, starts
from tfdoctor.ask.probes.python.metadata import TENSORFLOW_NAMES
from tfdoctor.ask.probes.smoke.scratch import scratch_folder
from tfdoctor.base.child import find_program, run_child
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.fix.commands import is_version

_MAKE_S = 300.0
_INSTALLERS = ("pip", "uv")
_OF_EVERY_ENVIRONMENT = frozenset(("pip", "setuptools", "wheel"))


def planned(step: Step, facts: Facts, looking: Namespace | None) -> Changes:
    """What is installed in it: the fix's own requirements, and what the user had asked for in the old one, as far as a resolver finds
    a way. `looking`: where its programs run. Raises InstallerError where no environment can be made.
    """
    own = step.fix.parameter("install")
    taken, left_out = _top_level(facts)
    taken = {
        name: each
        for name, each in taken.items()
        if name not in {canonicalize_name(Requirement(one).name) for one in own}
    }
    with scratch_folder() as scratch:
        python = made(scratch / "environment", step.fix.parameter("pythons"), looking)
        installer = installer_for(python, looking, has_pip=True)
        found = installer.resolve(own, {}, {})
        if found.refused:
            return Changes(because=f"{installer.name} finds no way: {found.refused}")
        kept = _as_far_as_possible(installer, list(own), list(taken.values()))
        packages = installer.sized(installer.resolve([*own, *kept], {}, {}).changes)
    lost = [name for name, each in taken.items() if not {each, name} & set(kept)]
    return Changes(packages, left_out=(*lost, *left_out))


def _top_level(facts: Facts) -> tuple[dict[str, str], tuple[str, ...]]:
    """What no other installed package requires and the system or conda did not bring, as name → requirement; and what of it no index
    has: projects of one's own.
    """
    folders = [
        PathDistribution(folder)
        for site in value_or(facts.interpreter.site_packages, ())
        for folder in sorted(Path(site).glob("[!~]*.dist-info"))
    ]
    required = (
        {name for each in folders for name in _required(each)}
        | TENSORFLOW_NAMES
        | _OF_EVERY_ENVIRONMENT
    )
    found: dict[str, str] = {}
    own = []
    for each in folders:
        name, version = _said(each)
        if (
            not name
            or name in required
            or (each.read_text("INSTALLER") or "").strip() not in _INSTALLERS
        ):
            continue
        if each.read_text("direct_url.json") is not None or not is_version(version):
            own.append(name)
        else:
            found[name] = f"{name}=={version}"
    return found, tuple(own)


def _said(distribution: PathDistribution) -> tuple[str, str]:
    """Its name, and its version; "" for what its metadata does not say."""
    try:
        return canonicalize_name(distribution.metadata["Name"] or ""), distribution.version or ""
    except (KeyError, OSError, ValueError, AttributeError):
        return "", ""


def _required(distribution: PathDistribution) -> Iterator[str]:
    """The names of what it requires, but for extras."""
    try:
        lines = distribution.requires or []
    except (OSError, ValueError):
        return
    for line in lines:
        with contextlib.suppress(InvalidRequirement):
            wanted = Requirement(line)
            if "extra" not in str(wanted.marker or ""):
                yield canonicalize_name(wanted.name)


def _as_far_as_possible(installer: Installer, base: list[str], wanted: list[str]) -> list[str]:
    """Those of the requirements that can be there beside the base: all, else each half as far as possible; a single one in any version."""
    if not wanted or not installer.resolve([*base, *wanted], {}, {}).refused:
        return wanted
    if len(wanted) == 1:
        name = wanted[0].partition("==")[0]
        return [name] if not installer.resolve([*base, name], {}, {}).refused else []
    middle = len(wanted) // 2
    first = _as_far_as_possible(installer, base, wanted[:middle])
    return [*first, *_as_far_as_possible(installer, [*base, *first], wanted[middle:])]


def made(folder: Path, pythons: Sequence[str], looking: Namespace | None) -> str:
    """The interpreter of a new environment there, of the first of these Pythons that is to be had. Raises InstallerError."""
    here = next(filter(None, map(_python, pythons)), "")
    program = uv()
    if program:
        command = [program, "venv", "--quiet", "--seed", "--python", here or pythons[0]]
    elif here:
        command = [here, "-m", "venv"]
    else:
        raise InstallerError(
            f"neither Python {' nor '.join(pythons)} is here, nor uv, which gets one"
        )
    ran = look([*command, str(folder)], looking, _MAKE_S)
    if not ran.ok:
        raise InstallerError(f"no environment can be made: {words_of(ran)}")
    return str(folder / "bin" / "python")


def _python(version: str) -> str:
    """A program of this version that starts; "" where there is none."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    base = Path(sys.base_prefix) / "bin" / f"python{version}"
    if version == own and base.exists():
        return str(base)
    try:
        found = find_program(f"python{version}", os.environ)
    except FileNotFoundError:
        return ""
    return (
        found if run_child([found, "-c", ""], timeout_s=_MAKE_S, env=environ(), cwd="/").ok else ""
    )


class NewWork(Work):
    """A new environment's way from an empty directory to its end."""

    def run(self, tell: Callable[[str], None]) -> None:
        """Raises DiscardedError."""
        job, place = self.job, self.job.place
        # in a namespace what it started ends with this process, and nothing goes on writing:
        apart = None if job.in_place else ANYWHERE
        wheels = self.folder / "wheels"
        wheels.mkdir(mode=0o700, parents=True)
        self.tree.mkdir()
        self._tell_apart()
        self._need(f"{place} is there already" if os.path.lexists(place) else "")
        os.rename(self.tree, place)
        tell("Making the environment")
        try:
            python = made(place, job.step.fix.parameter("pythons"), apart)
            installer = installer_for(python, apart, has_pip=True)
        except InstallerError as error:
            raise DiscardedError(str(error)) from error
        self._fetch(installer, wheels, tell)
        tell("Installing")
        trial = Trial(apart, ("--python", str(place)))
        if why := trial.install(installer, job.changes.packages, (), wheels):
            raise DiscardedError(why)
        tree.remove(wheels)
        self._add(state=journals.APPLIED)
        tell("Checking it")
        self.after = trial.state(None)
        self._add(state=journals.CHECKED, after=judged(self.after.report))
        self._need(self._against(self.after) or self._not_started(self.after))
        write_out(place)
        entries = tree.manifest(place)
        tree.write_manifest(self.folder / journals.AFTER, entries)
        self._add(state=journals.KEPT, kept_bytes=tree.own_bytes(place))

    def _not_started(self, after: State) -> str:
        return (
            ""
            if starts(after.report)
            else f"TensorFlow does not start in it: {after.report.summary}"
        )
