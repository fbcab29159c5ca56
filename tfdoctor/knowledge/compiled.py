"""What `make knowledge` compiled of `data/knowledge/`, and templates with holes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

ACTIONS = Path(__file__).parent / "actions.json"


def compiled(file: Path) -> Any:
    """What `make knowledge` wrote. Raises OSError for a damaged installation."""
    try:
        return json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise OSError(f"{file}: it is missing or damaged ({error}); reinstall tfdoctor") from error


@cache
def actions() -> dict[str, Any]:
    """The tables of actions, the places and the shells. Raises OSError for a damaged installation."""
    found: dict[str, Any] = compiled(ACTIONS)
    return found


def filled(text: str, values: Mapping[str, object]) -> str:
    """In one pass: what a value holds is not looked at again."""
    said, *parts = text.split("{{")
    for part in parts:
        name, end, after = part.partition("}}")
        said += f"{values[name]}{after}" if end and name in values else "{{" + part
    return said
