"""Fixes by their names: their words and commands are data (`data/knowledge/fixes/`), compiled by `make knowledge`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from tfdoctor.findings.model import Fix

COMPILED = Path(__file__).parent / "fixes.json"
IN_FILES = "In your files: "
"""How the last sentence of a note begins: what is to be written into a file."""


def fix(name: str, **values: object) -> Fix:
    """The fix of that name with the values in its holes. Raises LookupError for a name that no file has, OSError for a
    damaged installation.
    """
    title, commands, note, _ = _all()[name]
    return Fix(filled(title, values), tuple(filled(each, values) for each in commands), filled(note, values))


def filled(text: str, values: dict[str, object]) -> str:
    """In one pass: what a value holds is not looked at again."""
    said, *parts = text.split("{{")
    for part in parts:
        name, end, after = part.partition("}}")
        said += f"{values[name]}{after}" if end and name in values else "{{" + part
    return said


def for_files(note: str) -> tuple[str, tuple[str, ...]]:
    """A note's words, and the lines behind them that a file gets where there are several."""
    words, _, code = note.partition(IN_FILES)
    lines = tuple(code.splitlines())
    return (words + IN_FILES.rstrip(), lines) if len(lines) > 1 else (note, ())


def examples_in(fix: Fix) -> tuple[str, ...]:
    """The packages that a fix names as examples alone: which of them it is about has to be seen."""
    return _with_examples().get((fix.title, fix.commands, fix.note), ())


def examples() -> tuple[str, ...]:
    """Those of all fixes."""
    return tuple(sorted({name for names in _with_examples().values() for name in names}))


@cache
def _with_examples() -> dict[tuple[str, tuple[str, ...], str], tuple[str, ...]]:
    every = _all().values()
    return {(title, tuple(lines), note): tuple(names) for title, lines, note, names in every if names}


@cache
def _all() -> dict[str, tuple[str, list[str], str, list[str]]]:
    fixes: dict[str, tuple[str, list[str], str, list[str]]] = compiled(COMPILED)
    return fixes


def compiled(file: Path) -> Any:
    """What `make knowledge` wrote. Raises OSError for a damaged installation."""
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise OSError(f"{file}: it is missing or damaged ({error}); reinstall tfdoctor") from error
