"""How packages are installed at a place where another tool than pip does it: the rows of `data/knowledge/tools.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tfdoctor.base.records import record, replace
from tfdoctor.knowledge.compiled import actions, filled
from tfdoctor.knowledge.lines import Environment, Pip, Placed, Words, quoted, word
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.place import Place

_OF_A_VERSION = frozenset("=<>~!@[")


@record
class Tool:
    """One row; data/knowledge/tools.yaml says what its fields mean."""

    at: tuple[str, ...]
    install: str
    upgrade: str
    uninstall: str = ""
    run: str = ""
    pip: str = ""
    other: str = ""
    alone: bool = False
    before: str = ""

    def takes(self, fix: Fix) -> bool:
        """Whether the fix can be done in this way."""
        return not self.alone or all(
            isinstance(line, Pip) and not line.asks and self.form(line) for line in fix.commands
        )

    def form(self, line: Pip) -> str:
        """What is typed in place of pip; "" where this tool has no words for the options."""
        forms = {(): self.install, ("--upgrade",): self.upgrade}
        return self.uninstall if line.uninstalls else forms.get(line.options, "")

    def line(self, line: str, values: Mapping[str, str]) -> str:
        """The line as it is typed here."""
        own = word(values.get("python", "python"))
        if isinstance(line, Pip) and (
            line.python not in ("python", own) or (self.other and line.asks)
        ):
            return _within(self.other, line) if self.other else line
        if isinstance(line, Pip) and line.packages[:1] != ("pip",) and (form := self.form(line)):
            newest = [
                each if _OF_A_VERSION & set(each) else f"{each}@latest" for each in line.packages
            ]
            return Words(
                form, **{**values, "packages": quoted(*line.packages), "newest": quoted(*newest)}
            )
        if isinstance(line, Pip) and self.pip:
            return Words(f"{self.pip} {{{{rest}}}}", **{**values, "rest": line.rest})
        if self.other and not isinstance(line, Placed):
            return _within(self.other, line)
        if not self.run or not line.startswith("python"):
            return line
        return (
            line.by_way_of(self.run)
            if isinstance(line, Environment)
            else _within(f"{self.run} {{{{line}}}}", line)
        )


def _within(form: str, line: str) -> str:
    return Words(form, line=line) if isinstance(line, Words) else filled(form, {"line": line})


def with_tool(fix: Fix, place: Place) -> Fix:
    """The fix in the words of the tool that keeps the place's packages."""
    tool = next((each for each in _tools() if place.has(*each.at)), None)
    if place.has("windows"):
        fix = replace(fix, commands=tuple(map(_asking_nobody, fix.commands)))
    if tool is None or not fix.commands or not tool.takes(fix):
        return fix
    note = f"{tool.before} {fix.note}".strip() if tool.before else fix.note
    return replace(
        fix, commands=tuple(tool.line(each, place.values) for each in fix.commands), note=note
    )


def _asking_nobody(line: str) -> str:
    """Windows' command prompt puts no answer into a line. pip leaves TensorFlow alone where it is not named."""
    if not isinstance(line, Pip) or "$(" not in line.keep:
        return line
    return Pip(*(line.packages or ("tensorflow",)), python=line.python, options=line.options)


@cache
def _tools() -> tuple[Tool, ...]:
    rows: list[dict[str, Any]] = actions()["tools"]
    return tuple(Tool(**{**row, "at": tuple(row["at"])}) for row in rows)
