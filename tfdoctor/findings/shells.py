"""How variables are set at a place where no POSIX shell does it: the rows of `data/knowledge/variables.yaml`."""

from __future__ import annotations

from functools import cache
from typing import Any

from tfdoctor.findings.compiled import actions, filled
from tfdoctor.findings.lines import Placed, Variable, Variables
from tfdoctor.findings.model import Fix
from tfdoctor.findings.place import Place
from tfdoctor.records import record, replace

_OF_THE_LOADER = ("LD_LIBRARY_PATH", "LD_PRELOAD", "PATH")
"""Read when a process starts, so that a running kernel of a notebook can't change them for itself."""
_SPECIAL = frozenset(" \t<>|&^%()=;,*'\"!")


@record
class Shell:
    """One row; data/knowledge/variables.yaml says what its fields mean."""

    at: tuple[str, ...]
    set: str = ""
    unset: str = ""
    alone: bool = False
    before: str = ""
    after: str = ""
    each: str = "{{name}}={{value}}"
    between: str = " "

    def takes(self, fix: Fix) -> bool:
        """Whether the fix can be done in this way."""
        if not self.alone:
            return True
        every = [each for line in fix.commands if isinstance(line, Variables) for each in line.variables]
        nothing_else = all(isinstance(line, Variables) for line in fix.commands)
        return nothing_else and not any(each.value is None or each.name in _OF_THE_LOADER for each in every)

    def lines(self, line: str) -> list[str]:
        """The line as it is written here."""
        if not isinstance(line, Variables) or any(each.first for each in line.variables):
            return [line]
        forms = {True: self.unset, False: self.set}
        if not all(forms[each.value is None] for each in line.variables):
            return [line]
        return [
            Placed(filled(forms[each.value is None], {"name": each.name, "pair": _pair(each)}))
            for each in line.variables
        ]

    def note(self, note: str, variables: list[Variable]) -> str:
        """The fix's note with this row's sentences around it."""
        pairs = (filled(self.each, {"name": each.name, "value": each.value}) for each in variables)
        after = filled(self.after, {"pairs": self.between.join(pairs)}) if variables else ""
        return " ".join(filter(None, (self.before, note, after)))


def typed(fix: Fix, place: Place) -> Fix:
    """The fix with its variables set as it is done at the place."""
    lines = [line for line in fix.commands if isinstance(line, Variables)]
    shell = next((each for each in _shells() if place.has(*each.at)), None) if lines else None
    if shell is None or not shell.takes(fix):
        return fix
    set_here = [
        each for line in lines for each in line.variables if each.value is not None and not each.first
    ]
    commands = tuple(line for each in fix.commands for line in shell.lines(each))
    return replace(fix, commands=commands, note=shell.note(fix.note, set_here))


def _pair(variable: Variable) -> str:
    pair = f"{variable.name}={variable.value}"
    return f'"{pair}"' if _SPECIAL & set(variable.value or "") else pair


@cache
def _shells() -> tuple[Shell, ...]:
    rows: list[dict[str, Any]] = actions()["shells"]
    return tuple(Shell(**{**row, "at": tuple(row["at"])}) for row in rows)
