"""Fixes as the log's own installation takes them: the line of its file of requirements, its distribution's name, no command
that would change nothing."""

from __future__ import annotations

from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.fix.known_names import with_packages
from tfdoctor.fix.packages import fitting
from tfdoctor.judge.log.spans import shown
from tfdoctor.knowledge.actions import examples_in
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.lines import Change
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Fix


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
        each if kept else with_packages(each, renamed, here=True)
        for each, kept in zip(fixes, removing, strict=True)
    )


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

    return tuple(with_packages(each, pinned, here=True) for each in fixes)
