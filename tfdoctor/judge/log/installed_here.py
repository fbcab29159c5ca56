"""Fixes as the log's own installation takes them: the line of its file of requirements, its distribution's name, no command
that would change nothing."""

from __future__ import annotations

from collections.abc import Callable

from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.fix.packages import fitting
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.log.spans import shown
from tfdoctor.knowledge.actions import examples_in, placeholder
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.lines import NO_NAME, Change, Pip, name_in, normal
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.packages import named
from tfdoctor.knowledge.shells import without_commands


def under_its_name(
    code: str, fixes: tuple[Fix, ...], facts: Facts, matrix: Matrix
) -> tuple[Fix, ...]:
    """With the distribution that is installed in place of tensorflow, for versions that it has: two of them in one environment
    overwrite each other. What brings the GPU, or removes one of them, means tensorflow.
    """
    name = value_or(facts.tensorflow.distribution, "tensorflow")
    if name == "tensorflow" or CODES[code].gpu_only:
        return fixes

    def renamed(requirement: str) -> str:
        package, _, version = requirement.partition("==")
        own = version == value_or(facts.tensorflow.version, "")
        known = version and (own or isinstance(matrix.release(version, name), Known))
        return f"{name}=={version}" if package == "tensorflow" and known else requirement

    removing = [
        any(isinstance(line, Change) and line.uninstalls for line in each.commands)
        for each in fixes
    ]
    return tuple(
        each if kept else _with_packages(each, renamed, here=True)
        for each, kept in zip(fixes, removing, strict=True)
    )


def _with_packages(fix: Fix, change: Callable[[str], str], *, here: bool = False) -> Fix:
    """With other requirements in what its lines install; `here`: only into the environment that is there."""
    commands = tuple(
        line.with_packages(*map(change, line.packages))
        if isinstance(line, Pip) and not (here and line.into)
        else line
        for line in fix.commands
    )
    return fix if commands == fix.commands else replace(fix, commands=commands)


def by_known_names(fix: Fix, case: Case) -> Fix:
    """The fix with a placeholder for each package that a log alone names: anybody can publish one under any name, and to install it
    runs its code.
    """
    lines = [line for line in fix.commands if isinstance(line, Change) and not line.uninstalls]
    names = {name_in(each) for line in lines for each in line.packages} - {NO_NAME}
    known = named() | case.trusts.packages | (case.matrix.packages if names else frozenset())
    unknown = {each for each in names if normal(each) not in known}
    if not unknown:
        return fix
    why = placeholder("unknown-package", package=" and ".join(sorted(unknown)))
    if any(not isinstance(line, Pip) or line.asks for line in lines):
        return without_commands(fix, why)

    def placed(requirement: str) -> str:
        return NO_NAME if name_in(requirement) in unknown else requirement

    action = fix.action
    if action is not None:
        own = {
            name: NO_NAME
            for name, value in action.values.items()
            if isinstance(value, str) and not unknown.isdisjoint(map(name_in, value.split()))
        }
        action = action.with_values(**own)
    note = f"{why} {fix.note}".rstrip()
    return replace(_with_packages(fix, placed), action=action, note=note)


def about_what_is_named(fix: Fix, facts: Facts) -> Fix | None:
    """The fix with those of its examples that the log names or the machine has; None where it would be about none."""
    examples = examples_in(fix)
    there = {each.name for each in value_or(facts.packages.installed, ())} | set(
        shown(facts).packages
    )
    others = [each for each in examples if each not in there]
    if not others:
        return fix
    if len(others) == len(examples):
        return None
    lines = tuple(
        " ".join(word for word in line.split(" ") if word not in others) for line in fix.commands
    )
    return replace(fix, commands=lines)


def with_a_known_version(fixes: tuple[Fix, ...], facts: Facts, matrix: Matrix) -> tuple[Fix, ...]:
    """With the newest TensorFlow that is known to work with the log's Python in place of a lower bound alone."""
    if not isinstance(facts.interpreter.version, Known):
        return fixes

    def pinned(requirement: str) -> str:
        package, _, floor = requirement.partition(">=")
        release = (
            fitting(facts, matrix, spec=f">={floor}")
            if package == "tensorflow" and floor and "," not in floor
            else None
        )
        return f"tensorflow=={release.tensorflow}" if release is not None else requirement

    return tuple(_with_packages(each, pinned, here=True) for each in fixes)
