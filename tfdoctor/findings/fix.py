"""Fixes by their names: their words and commands are data (`data/knowledge/fixes/`), compiled by `make knowledge`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from tfdoctor.findings.model import Fix

COMPILED = Path(__file__).parent / "fixes.json"


def fix(name: str, **values: object) -> Fix:
    """The fix of that name with the values in its holes. Raises LookupError for a name that no file has, OSError for a
    damaged installation.
    """
    title, commands, note = _all()[name]
    return Fix(
        _filled(title, values), tuple(_filled(each, values) for each in commands), _filled(note, values)
    )


def _filled(text: str, values: dict[str, object]) -> str:
    """In one pass: what a value holds is not looked at again."""
    filled, *parts = text.split("{{")
    for part in parts:
        name, end, after = part.partition("}}")
        filled += f"{values[name]}{after}" if end and name in values else "{{" + part
    return filled


@cache
def _all() -> dict[str, tuple[str, list[str], str]]:
    try:
        found: dict[str, tuple[str, list[str], str]] = json.loads(COMPILED.read_bytes())
    except (OSError, ValueError) as error:
        raise OSError(f"{COMPILED}: it is missing or damaged ({error}); reinstall tfdoctor") from error
    return found
