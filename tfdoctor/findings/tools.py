"""How packages are installed at a place where another tool than pip does it: the rows of `data/knowledge/tools.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from tfdoctor.findings.compiled import actions, filled
from tfdoctor.findings.lines import Pip, requirement
from tfdoctor.findings.model import Fix
from tfdoctor.findings.place import Place
from tfdoctor.records import record, replace

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
    alone: bool = False
    before: str = ""

    def takes(self, fix: Fix) -> bool:
        """Whether the fix can be done in this way."""
        return not self.alone or all(isinstance(line, Pip) and self.form(line) for line in fix.commands)

    def form(self, line: Pip) -> str:
        """What is typed in place of pip; "" where this tool has no words for the options."""
        forms = {(): self.install, ("--upgrade",): self.upgrade}
        return self.uninstall if line.uninstalls else forms.get(line.options, "")

    def line(self, line: str, values: Mapping[str, str]) -> str:
        """The line as it is typed here."""
        if isinstance(line, Pip) and line.packages[:1] != ("pip",) and (form := self.form(line)):
            quoted = [requirement(each) for each in line.packages]
            newest = [each if _OF_A_VERSION & set(each) else f"{each}@latest" for each in quoted]
            return filled(form, {**values, "packages": " ".join(quoted), "newest": " ".join(newest)})
        if isinstance(line, Pip) and self.pip:
            return f"{filled(self.pip, values)} {line.partition(' -m pip ')[2]}"
        return f"{self.run} {line}" if self.run and line.startswith("python") else line


def with_tool(fix: Fix, place: Place) -> Fix:
    """The fix in the words of the tool that keeps the place's packages."""
    tool = next((each for each in _tools() if place.has(*each.at)), None)
    if tool is None or not fix.commands or not tool.takes(fix):
        return fix
    note = f"{tool.before} {fix.note}".strip() if tool.before else fix.note
    return replace(fix, commands=tuple(tool.line(each, place.values) for each in fix.commands), note=note)


@cache
def _tools() -> tuple[Tool, ...]:
    rows: list[dict[str, Any]] = actions()["tools"]
    return tuple(Tool(**{**row, "at": tuple(row["at"])}) for row in rows)
