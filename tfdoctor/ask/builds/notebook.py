"""The cells of notebooks that install packages: `!pip`, `%pip`, `%conda`, `%%bash`, and what they set by `%env`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from tfdoctor.ask.builds.shell_lines import installs
from tfdoctor.ask.builds.statements import Environment, Source, Statement, UnreadableError
from tfdoctor.base.records import replace

_INSTALLS = re.compile(
    r"\s*[!%](?!%)\s*(?P<command>(?:\{?sys\.executable\}?|pip3?|conda|mamba|uv|python3?)\b.*)"
)
_SHELL_CELL = re.compile(r"\s*%%(?:bash|sh)\b")
_SET = re.compile(r"\s*%env\s+(?P<name>\w+)(?:=|\s+)(?P<value>\S+)")


_MOST_MISSED = 100
"""Lines that are not found as JSON usually writes them: each is looked for in all that follows."""


def environments(source: Source) -> tuple[Environment, ...]:
    """One for each notebook. Raises UnreadableError."""
    try:
        document = json.loads(source.text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError("it is no notebook: no JSON") from error
    if not isinstance(document, dict) or not isinstance(document.get("cells"), list):
        raise UnreadableError("it is no notebook of format 4: it has no cells")
    found: list[Statement] = []
    at = step = missed = 0
    for cell in document["cells"]:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        for line in _shell_lines(cell.get("source")):
            written = _as_written(source, line, at) if missed < _MOST_MISSED else -1
            missed += written < 0
            at = max(written, at)
            setting = _SET.match(line)
            if setting:
                found.append(
                    Statement("variable", setting["name"], setting["value"], source.span(at, at))
                )
                continue
            blanks = len(line) - len(_command(line))
            told = installs(source, _command(line), at + blanks, {}, step)
            plain = written >= 0 and source.text.startswith(line, written)
            found += [each if plain else _at_its_line(source, each, at) for each in told.statements]
            step = told.step
    return (Environment(source.path, "", tuple(found)),)


def _shell_lines(text: Any) -> Iterator[str]:
    """The lines of a cell that a shell gets, or a magic."""
    joined = (
        "".join(each for each in text if isinstance(each, str)) if isinstance(text, list) else text
    )
    if not isinstance(joined, str) or len(joined) > 1 << 20:
        return
    shell = bool(_SHELL_CELL.match(joined))
    for line in joined.splitlines():
        if shell or _INSTALLS.match(line) or _SET.match(line):
            yield line


def _as_written(source: Source, line: str, at: int) -> int:
    """Where a line of a cell stands in the file, as JSON writes it; -1 where it is written in another way."""
    found = (
        source.text.find(json.dumps(line, ensure_ascii=plain)[1:-1], at) for plain in (False, True)
    )
    return next((each for each in found if each >= 0), -1)


def _command(line: str) -> str:
    """The command as a shell would get it, as long as it is written: `{sys.executable}` is a Python."""
    found = _INSTALLS.match(line)
    command = found["command"] if found else line
    return re.sub(r"^\{?sys\.executable\}?", lambda word: "python".ljust(len(word[0])), command)


def _at_its_line(source: Source, told: Statement, at: int) -> Statement:
    """Where JSON writes a line in another way, its columns are not those of the command."""
    return (
        replace(told, span=source.span(at, at), form="") if told.span.file == source.path else told
    )
