"""Packages in lines that install: only those that we or the asked machine know by name."""

from __future__ import annotations

from collections.abc import Callable

from tfdoctor.base.records import replace
from tfdoctor.base.version_ranges import normalised
from tfdoctor.fix.loading import Trusts
from tfdoctor.knowledge.actions import placeholder
from tfdoctor.knowledge.lines import NO_NAME, Change, Pip, name_in
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.packages import named
from tfdoctor.knowledge.shells import without_commands

_UNKNOWN = "No command is shown: nothing but this text names one of these packages, and anybody can publish a package."


def with_packages(fix: Fix, change: Callable[[str], str], *, here: bool = False) -> Fix:
    """With other requirements in what its lines install; `here`: only into the environment that is there."""
    commands = tuple(
        line.with_packages(*map(change, line.packages))
        if isinstance(line, Pip) and not (here and line.into)
        else line
        for line in fix.commands
    )
    return fix if commands == fix.commands else replace(fix, commands=commands)


def by_known_names(fix: Fix, trusts: Trusts, matrix: Matrix) -> Fix:
    """The fix with a placeholder for each package that a log or a report alone names: anybody can publish one under any name, and to install it
    runs its code.
    """
    lines = [line for line in fix.commands if isinstance(line, Change) and not line.uninstalls]
    names = {name_in(each) for line in lines for each in line.packages} - {NO_NAME}
    known = named() | trusts.packages | (matrix.packages if names else frozenset())
    unknown = {each for each in names if normalised(each) not in known}
    if not unknown:
        return fix
    if any(not isinstance(line, Pip) or line.asks for line in lines):
        return without_commands(fix, _UNKNOWN)
    why = placeholder("unknown-package", package=" and ".join(sorted(unknown)))

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
    return replace(with_packages(fix, placed), action=action, note=note)
