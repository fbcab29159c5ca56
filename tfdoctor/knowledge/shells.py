"""A fix as it is typed at a place where no POSIX shell reads it: the rows of `data/knowledge/variables.yaml`."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import Any

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record, replace
from tfdoctor.knowledge.compiled import actions, filled
from tfdoctor.knowledge.lines import Placed, Variable, Variables, variables_in
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.place import Place
from tfdoctor.knowledge.quoting import QUOTES, UnwritableError, powershell_string, split

LEFT_OUT = "No command is shown: what the log names has characters in it that a shell would act on."
_OF_THE_LOADER = ("LD_LIBRARY_PATH", "LD_PRELOAD", "PATH")
"""Read when a process starts, so that a running kernel of a notebook can't change them for itself."""
_OF_WINDOWS = ("cmd", "powershell")
_OF_A_CELL = ("%", "!")
_SPECIAL = frozenset(" \t<>|&^()=;,*'!")

_OTHER_NAMES = {"mv": "move", "rm": "del", "cp": "copy", "ls": "dir"}
"""What Command Prompt has in their place, and PowerShell, too."""
_ASSIGNED = Expression(r"(?P<name>[A-Za-z_]\w{0,80})=(?P<value>.*)")
_NUMBERED = Expression(r"python(?P<version>3\.\d{1,2})")
_IN_AN_ENVIRONMENT = Expression(r"(?P<folder>\.?\w[\w.-]{0,80})/bin/(?P<program>\w.{0,80})")


@record
class Shell:
    """One row; data/knowledge/variables.yaml says what its fields mean."""

    at: tuple[str, ...]
    set: str = ""
    unset: str = ""
    prepend: str = ""
    quote: str = ""
    also: str = ""
    alone: bool = False
    before: str = ""
    after: str = ""
    each: str = "{{name}}={{value}}"
    between: str = " "

    def takes(self, fix: Fix) -> bool:
        """Whether the fix can be done in this way."""
        variables = variables_in(fix.commands)
        if self.alone:
            nothing_else = all(isinstance(line, Variables) for line in fix.commands)
            own = nothing_else and not any(
                each.value is None or each.name in _OF_THE_LOADER for each in variables
            )
            return bool(variables) and own
        return bool(variables) or self.quote in _OF_WINDOWS

    def lines(self, line: str) -> list[str]:
        """The line as it is written here. Raises UnwritableError."""
        if isinstance(line, Variables):
            forms = [self._form(each) for each in line.variables]
            return (
                [Placed(each, self._variable) for each in line.variables] if all(forms) else [line]
            )
        own = (
            self.quote in _OF_WINDOWS
            and not isinstance(line, Placed)
            and not line.startswith(_OF_A_CELL)
        )
        return self._of_windows(line) if own else [line]

    def _form(self, variable: Variable) -> str:
        if variable.value is None:
            return self.unset
        return self.prepend if variable.first else self.set

    def _variable(self, variable: Variable) -> str:
        value, quote = variable.value or "", QUOTES[self.quote]
        quote(value or "0")
        pair = f"{variable.name}={value}"
        values = {
            "name": variable.name,
            "value": powershell_string(f"{value};" if variable.first else value)
            if self.quote == "powershell"
            else "",
            "pair": f'"{pair}"' if self.quote == "cmd" and _SPECIAL & set(value) else pair,
            "directory": value,
        }
        return filled(self._form(variable), values)

    def _of_windows(self, line: str) -> list[str]:
        """One of Windows' two shells; what only a POSIX shell could expand stays as it is."""
        pieces = split(line)
        if pieces is None:
            return [line]
        lines: list[str] = []
        joined: list[str] = []
        for piece in pieces:
            if piece in ("&&", ";"):
                lines, joined = [*lines, " ".join(joined)], []
            elif isinstance(piece, str):
                joined.append(piece)
            else:
                variables, words = _started(piece)
                lines += [self._variable(each) for each in variables]
                joined += [self._called(words)] if words else []
        return [*lines, " ".join(joined)]

    def _called(self, words: list[str]) -> str:
        words = [*_launched(words[0]), *words[1:]]
        quote = QUOTES[self.quote]
        typed = [
            self._code(each) if last == "-c" else quote(each)
            for last, each in pairwise(["", *words])
        ]
        call = "& " if self.quote == "powershell" and typed[0].startswith(('"', "'")) else ""
        return call + " ".join(typed)

    def _code(self, code: str) -> str:
        """Our own lines for Python or a shell behind -c: with one kind of quotation marks they need no care."""
        if '"' not in code:
            return QUOTES[self.quote](code)
        if "'" not in code:
            return QUOTES[self.quote](code.replace('"', "'"))
        escaped = code.replace('"', '\\"')
        return f'"{escaped}"' if self.quote == "cmd" else "'" + escaped.replace("'", "''") + "'"

    def note(self, fix: Fix) -> str:
        """The fix's note with this row's sentences around it."""
        every = variables_in(fix.commands)
        variables = [each for each in every if each.value is not None and not each.first]
        pairs = (filled(self.each, {"name": each.name, "value": each.value}) for each in variables)
        after = filled(self.after, {"pairs": self.between.join(pairs)}) if variables else ""
        return " ".join(filter(None, (self.before, fix.note, after)))


def typed(fix: Fix, place: Place) -> Fix:
    """The fix as it is typed at the place; without commands where its shell has no way to write one of them."""
    shell = next((each for each in _shells() if place.has(*each.at)), None)
    if shell is None or not fix.commands or fix.where or not shell.takes(fix):
        return fix
    try:
        commands, undo, verify = (
            _written(each, shell) for each in (fix.commands, fix.undo, fix.verify)
        )
        other = "" if not shell.also or place.has("cmd") else _otherwise(fix, shell, commands)
    except UnwritableError:
        return without_commands(fix, LEFT_OUT)
    note = " ".join(filter(None, (shell.note(fix), other)))
    return replace(fix, commands=commands, note=note, undo=undo, verify=verify)


def without_commands(fix: Fix, why: str) -> Fix:
    """The fix by its words alone."""
    note = f"{why} {fix.note}".rstrip()
    return replace(fix, commands=(), note=note, action=None, applies=False, undo=(), verify=())


def _written(commands: tuple[str, ...], shell: Shell) -> tuple[str, ...]:
    return tuple(line for each in commands for line in shell.lines(each))


def _otherwise(fix: Fix, shell: Shell, commands: tuple[str, ...]) -> str:
    """A sentence with the lines that PowerShell takes otherwise; "" where it takes them all."""
    powershell = next(each for each in _shells() if each.quote == "powershell")
    lines = [line for line in _written(fix.commands, powershell) if line not in commands]
    return filled(shell.also, {"lines": "; ".join(lines)}) if lines else ""


def _started(words: list[str]) -> tuple[list[Variable], list[str]]:
    """The variables that a command sets or takes away for itself, and its words without them."""
    variables: list[Variable] = []
    if words[0] == "env":
        words = words[1:]
    while words:
        if words[0] == "-u" and len(words) > 1:
            variables, words = [*variables, Variable(words[1], None)], words[2:]
        elif found := _ASSIGNED.fullmatch(words[0]):
            variables, words = [*variables, Variable(found["name"], found["value"])], words[1:]
        else:
            break
    return variables, words


def _launched(program: str) -> list[str]:
    """The program's name on Windows, which has the launcher py for a Python by its number, and Scripts for an environment's bin."""
    if found := _NUMBERED.fullmatch(program):
        return ["py", f"-{found['version']}"]
    if found := _IN_AN_ENVIRONMENT.fullmatch(program):
        return [f"{found['folder']}\\Scripts\\{found['program']}"]
    return [_OTHER_NAMES.get(program, program)]


@cache
def _shells() -> tuple[Shell, ...]:
    rows: list[dict[str, Any]] = actions()["shells"]
    return tuple(Shell(**{**row, "at": tuple(row["at"])}) for row in rows)
