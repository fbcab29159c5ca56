"""Fixes as the log's own installation takes them: the line of its file of requirements, its distribution's name, no command
that would change nothing."""

from __future__ import annotations

import re
import shlex

from tfdoctor.checks.log.spans import shown
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known, value_or
from tfdoctor.findings.actions import examples_in
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.model import Fix
from tfdoctor.fixes.packages import fitting
from tfdoctor.matrix.query import Matrix
from tfdoctor.records import replace
from tfdoctor.system.expressions import Expression

_NAMED = Expression(r"(?P<before>^|[\s'\"])tensorflow(?P<rest>[=~]=(?P<version>\d[\w.]{1,20}))")
_PIP_INSTALL = Expression(r"(?:\bpip|\buv pip) install ")


def under_its_name(code: str, fixes: tuple[Fix, ...], facts: Facts, matrix: Matrix) -> tuple[Fix, ...]:
    """With the distribution that is installed in place of tensorflow, for versions that it has: two of them in one environment
    overwrite each other. What brings the GPU, or removes one of them, means tensorflow.
    """
    name = value_or(facts.tensorflow.distribution, "tensorflow")
    if name == "tensorflow" or CODES[code].gpu_only:
        return fixes

    def put(found: re.Match[str]) -> str:
        own = found["version"] == value_or(facts.tensorflow.version, "")
        known = own or isinstance(matrix.release(found["version"], name), Known)
        return f"{found['before']}{name}{found['rest']}" if known else found[0]

    def renamed(line: str) -> str:
        return _NAMED.sub(put, line) if _PIP_INSTALL.search(line) else line

    return tuple(
        each
        if any("uninstall" in line for line in each.commands)
        else replace(each, commands=tuple(map(renamed, each.commands)))
        for each in fixes
    )


def about_what_is_named(fix: Fix, facts: Facts) -> Fix | None:
    """The fix with those of its examples that the log names or the machine has; None where it would be about none."""
    examples = examples_in(fix)
    there = {each.name for each in value_or(facts.packages.installed, ())} | set(shown(facts).packages)
    others = [each for each in examples if each not in there]
    if not others:
        return fix
    if len(others) == len(examples):
        return None
    lines = tuple(" ".join(word for word in line.split(" ") if word not in others) for line in fix.commands)
    return replace(fix, commands=lines)


_OWN_PIP = Expression(r"^(?:[\w.-]{1,60}[/\\](?:bin|Scripts)[/\\])?python3? -m pip install ")
_OTHER_PYTHON = Expression(r"^python\d\.\d{1,2} -m venv |^uv venv .{0,20}--python ")
_AT_LEAST = Expression(
    r"(?P<before>^|[\s'\"])tensorflow>=(?P<floor>2\.\d{1,2}(?:\.\d{1,2})?)(?P<after>$|[\s'\"])"
)


def with_a_known_version(fixes: tuple[Fix, ...], facts: Facts, matrix: Matrix) -> tuple[Fix, ...]:
    """With the newest TensorFlow that is known to work with the log's Python in place of a lower bound alone."""
    if not isinstance(facts.interpreter.version, Known):
        return fixes

    def put(found: re.Match[str]) -> str:
        release = fitting(facts, matrix, spec=f">={found['floor']}")
        exact = f"tensorflow=={release.tensorflow}" if release is not None else ""
        return f"{found['before']}{exact}{found['after']}" if exact else found[0]

    def named(line: str) -> str:
        return _AT_LEAST.sub(put, line) if _OWN_PIP.match(line) else line

    return tuple(
        each
        if any(_OTHER_PYTHON.match(line) for line in each.commands)
        else replace(each, commands=tuple(map(named, each.commands)))
        for each in fixes
    )


_PLAIN_INSTALL = Expression(r"^(?:\S{1,200}/)?python[\d.]{0,5} -m pip install (?P<wanted>[^-].{0,600})$")


def without_idle(fixes: tuple[Fix, ...], facts: Facts) -> tuple[Fix, ...]:
    """Without installations of what is installed in that very version, as long as another way is left."""
    found = facts.packages.installed
    if not isinstance(found, Known):
        return fixes
    there = {each.name: each.version for each in found.value}
    left = tuple(each for each in fixes if not _is_idle(each, there))
    return left or fixes


def _is_idle(way: Fix, there: dict[str, str]) -> bool:
    lines = [_PLAIN_INSTALL.match(line) for line in way.commands]
    return bool(lines) and all(found is not None and _is_met(found["wanted"], there) for found in lines)


def _is_met(wanted: str, there: dict[str, str]) -> bool:
    """Whether pip would find all of it installed; False where that can't be read (an option, a shell's question)."""
    from packaging.requirements import InvalidRequirement, Requirement  # 20 ms that few answers need
    from packaging.version import InvalidVersion, Version

    try:
        asked = [Requirement(word) for word in shlex.split(wanted)]
        return all(
            not each.extras
            and not each.url
            and each.name.lower().replace("_", "-") in there
            and each.specifier.contains(Version(there[each.name.lower().replace("_", "-")]), prereleases=True)
            for each in asked
        )
    except (InvalidRequirement, InvalidVersion, ValueError):
        return False
