"""Which TensorFlow and which Python a log names: in a line of a program, in a program's answer, or in the fields of an issue's form."""

from __future__ import annotations

import re
from collections.abc import Callable

from tfdoctor.ask.logs.machine import clues
from tfdoctor.ask.logs.machine.line_index import Clue, LineIndex, LogLine
from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts, Interpreter, TensorFlow
from tfdoctor.facts.outcome import Known
from tfdoctor.facts.versions import PythonRelease

Where = Callable[[int], str]
Lines = LineIndex[LogLine]


def tensorflow_told(facts: Facts, lines: Lines, where: Where) -> Facts:
    asked: TensorFlow = facts.tensorflow
    if isinstance(asked.version, Known):
        return facts
    told = (
        lines.first(clues.TENSORFLOW)
        or lines.first(clues.TF_SHORT)
        or _printed(lines)
        or _of_pip_show(lines)
        or _of_template(lines, clues.TEMPLATE, clues.BARE)
    )
    if told is None:
        return facts
    line, found = told
    if "requirement tensorflow" in line.text:  # what was asked for, not what is there
        return facts
    version, source = found["version"], where(line.number)
    if own := _DISTRIBUTION.search(line.text):
        name = own["name"].lower().replace("_", "-")
        asked = replace(asked, distribution=Known(name, source))
    if version.count(".") < 2:
        version = _FIRST_OF.get(version, f"{version}.0")
    return replace(facts, tensorflow=replace(asked, version=Known(version, source)))


_DISTRIBUTION = Expression(
    r"(?:^|[\s/'\"`(\[])(?P<name>tensorflow[-_](?:cpu|gpu|intel|macos|rocm|directml)|tf[-_]nightly(?:[-_](?:cpu|gpu))?)(?:==|-| {1,60})[12]\.\d",
    re.IGNORECASE,
)


_FIRST_OF = {"2.16": "2.16.1"}
"""The first of a minor release where it is not .0 (list of files on the package index, 2026-11-20)."""


_BELOW = 3
"""Lines below a form's heading in which its answer can stand."""


def _printed(lines: Lines) -> tuple[LogLine, re.Match[str]] | None:
    """The release that a program printed, within a few lines behind its question for tf.__version__."""
    asked = [each.number for each in lines.holding(("tf.__version__", "tensorflow.__version__"))]
    for line in lines if asked else ():
        near = any(number <= line.number <= number + _NEAR for number in asked)
        if near and (found := clues.PRINTED.compiled.match(line.text.strip())):
            return line, found
    return None


_NEAR = 12
"""Lines behind a question: TensorFlow's own lines stand between it and its answer."""


_SHOWN = Expression(r"^Name: tensorflow(?:-gpu|-cpu|-intel|-macos)?\s{0,9}$")
_ITS_VERSION = Expression(r"^Version: (?P<version>[12]\.\d{1,2}\.\d{1,2}(?:rc\d{1,3})?)\s{0,9}$")


def _of_pip_show(lines: Lines) -> tuple[LogLine, re.Match[str]] | None:
    """`pip show tensorflow` writes the name on one line and the release on the next."""
    named = {
        each.number
        for each in lines.holding(("Name: tensorflow",))
        if _SHOWN.compiled.match(each.text)
    }
    for line in lines.holding(("Version: ",)) if named else ():
        if line.number - 1 in named and (found := _ITS_VERSION.compiled.match(line.text)):
            return line, found
    return None


def _of_template(
    lines: Lines, heading: Clue, bare: Expression
) -> tuple[LogLine, re.Match[str]] | None:
    """The release below a heading of an issue's form."""
    above = lines.first(heading)
    if above is None:
        return None
    number = above[0].number
    for line in lines:
        if number < line.number <= number + _BELOW and (
            found := bare.compiled.match(line.text.strip().strip("`"))
        ):
            return line, found
    return None


def interpreter_told(facts: Facts, lines: Lines, where: Where) -> Facts:
    asked: Interpreter = facts.interpreter
    told = lines.first(clues.PYTHON) or _of_template(lines, clues.PYTHON_HEADING, clues.BARE_PYTHON)
    if told is None or isinstance(asked.version, Known):
        return facts
    line, found = told
    version = PythonRelease.parse(_python(found))
    return replace(facts, interpreter=replace(asked, version=Known(version, where(line.number))))


def _python(found: re.Match[str]) -> str:
    """By the one group that holds something; Windows' folders and a wheel's tag have no dot ("Python310")."""
    text = next(text for text in found.groupdict().values() if text)
    return text if "." in text else f"{text[0]}.{text[1:]}"
