"""Which fix is tried, and the smallest change of packages that does it."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from tfdoctor.apps.repair.installer import Installer
from tfdoctor.apps.repair.journal import Change, Judged
from tfdoctor.apps.repair.offer import applicable
from tfdoctor.ask.probes.python.metadata import TENSORFLOW_NAMES
from tfdoctor.base.fix_files import NEW
from tfdoctor.base.records import record
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import value_or
from tfdoctor.fix.commands import is_version
from tfdoctor.fix.kernel import KERNEL_JSON
from tfdoctor.knowledge.model import Confidence, Finding, Fix, Role, Severity
from tfdoctor.report.report import Report


@record
class Step:
    """A fix of one finding."""

    finding: Finding
    fix: Fix

    @property
    def is_of_a_kernel(self) -> bool:
        """Whether the kernel's own file is to be changed, and no package."""
        return self.fix.where == KERNEL_JSON

    @property
    def is_new(self) -> bool:
        """Whether an environment is made, and none is changed."""
        return self.fix.action is not None and self.fix.action.kind == NEW


@record
class Changes:
    """What is done: `packages` and a kernel's `variables` with what they become. `refused`: why a smaller change is impossible, in the installer's words.

    left_out: what a new environment does not take along.
    """

    packages: tuple[Change, ...] = ()
    variables: tuple[Change, ...] = ()
    left_out: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    because: str = ""


def steps(report: Report, code: str = "") -> Iterator[Step]:
    """What can be done about the causes of the report, or about that of one code, the first first.

    A cause that is not certain is none to act upon.
    """
    for finding in report.findings:
        wanted = finding.code == code if code else finding.role is Role.ROOT
        if (
            not wanted
            or finding.severity is Severity.INFO
            or finding.confidence is not Confidence.CERTAIN
        ):
            continue
        yield from (Step(finding, fix) for fix in finding.fixes if applicable(fix))


def judged(report: Report) -> Judged:
    """What is compared before and after: errors and warnings."""
    bad = (each.code for each in report.findings if each.severity is not Severity.INFO)
    return Judged(report.verdict.value, tuple(dict.fromkeys(bad)))


def smallest(step: Step, facts: Facts, installer: Installer) -> Changes:
    """Every other package stays; else TensorFlow stays; else nothing is held. `because`: why nothing can be done at all."""
    installed = _installed(facts)
    removed = [name for each in step.fix.parameter("remove") if (name := _name(each)) in installed]
    wanted = _parsed(step.fix.parameter("install"))
    if wanted is None:
        return Changes(because="a requirement of the fix can't be read")
    free = {*removed, *(_name(each.name) for each in wanted)}
    again = removed or (step.fix.action is not None and step.fix.action.kind == "reinstall")
    refused: list[str] = []
    for held in _held(facts, installed, free):
        changes, why = _resolved(step, installer, installed, held)
        second = _second_tensorflow(facts, changes, removed)
        if why or second:
            refused.append(why or f"it would install {second} beside the TensorFlow that is there")
            continue
        if again:
            changes = _with_pinned(changes, wanted, installed)
        gone = tuple(
            Change(each, installed[each], "")
            for each in removed
            if each not in {c.name for c in changes}
        )
        if not changes and not gone:
            return Changes(because="all that it asks for is installed already")
        return Changes(installer.sized((*changes, *gone)), refused=tuple(refused))
    return Changes(because=f"{installer.name} finds no way: {refused[-1]}", refused=tuple(refused))


def of_a_kernel(step: Step, facts: Facts) -> Changes:
    """The variables that its file is to have."""
    now = value_or(facts.environment.variables, {})
    values = [each.partition("=")[::2] for each in step.fix.parameter("set")]
    gone = [(each, "") for each in step.fix.parameter("unset")]
    return Changes(
        variables=tuple(Change(name, now.get(name, ""), value) for name, value in (*values, *gone))
    )


def _name(text: str) -> str:
    return canonicalize_name(text)


def _parsed(texts: tuple[str, ...]) -> list[Requirement] | None:
    try:
        return [Requirement(each) for each in texts]
    except InvalidRequirement:
        return None


def _installed(facts: Facts) -> dict[str, str]:
    """By name; a version that no installer can be asked for is left out."""
    found = value_or(facts.packages.installed, ())
    return {each.name: each.version for each in reversed(found) if is_version(each.version)}


def _held(facts: Facts, installed: Mapping[str, str], free: set[str]) -> Iterator[dict[str, str]]:
    yield {name: version for name, version in installed.items() if name not in free}
    ours = {each.name for each in value_or(facts.tensorflow.distributions, ())} - free
    if ours:
        yield {name: version for name, version in installed.items() if name in ours}
    yield {}


def _resolved(
    step: Step, installer: Installer, installed: Mapping[str, str], held: Mapping[str, str]
) -> tuple[tuple[Change, ...], str]:
    """The changes, and why there can be none."""
    alone = step.fix.parameter("alone")
    others = [each for each in step.fix.parameter("install") if each not in alone]
    changes: dict[str, Change] = {}
    for requirements, by_themselves in ((others, False), (list(alone), True)):
        if not requirements:
            continue
        found = installer.resolve(requirements, installed, held, alone=by_themselves)
        if found.refused:
            return (), found.refused
        changes |= {each.name: each for each in found.changes}
    return tuple(changes.values()), ""


def _second_tensorflow(facts: Facts, changes: tuple[Change, ...], removed: list[str]) -> str:
    """The distribution that would come beside the one that is there; "" where none would."""
    stays = {each.name for each in value_or(facts.tensorflow.distributions, ())} - set(removed)
    new = (each.name for each in changes if each.name in TENSORFLOW_NAMES and not each.before)
    return next(new, "") if stays else ""


def _with_pinned(
    changes: tuple[Change, ...], wanted: list[Requirement], installed: Mapping[str, str]
) -> tuple[Change, ...]:
    """With what is installed again in the version that it has."""
    known = {each.name for each in changes}
    again = [
        Change(name, installed.get(name, ""), version)
        for each in wanted
        if (name := canonicalize_name(each.name)) not in known
        and (version := _pinned(each) or installed.get(name, ""))
    ]
    return (*changes, *again)


def _pinned(requirement: Requirement) -> str:
    return next((each.version for each in requirement.specifier if each.operator == "=="), "")


def recorded_files(site: Path, changes: tuple[Change, ...]) -> set[str]:
    """The files below site-packages that the RECORDs of the packages name which are to be changed."""
    found: set[str] = set()
    for each in metadata_folders(site, {change.name for change in changes if change.before}):
        try:
            with open(
                each / "RECORD", encoding="utf-8", errors="surrogateescape", newline=""
            ) as file:
                found.update(row[0] for row in csv.reader(file) if row)
        except (OSError, csv.Error):
            continue  # pip will complain of it in the clone
    return found


def metadata_folders(site: Path, names: set[str]) -> list[Path]:
    """The .dist-info directories of these packages."""
    return [
        each
        for each in site.glob("*.dist-info")
        if canonicalize_name(each.name.removesuffix(".dist-info").rpartition("-")[0]) in names
    ]
