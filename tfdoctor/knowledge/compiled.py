"""What `make knowledge` compiled of `data/knowledge/`, and templates with holes."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ACTIONS = Path(__file__).parent / "actions.json"
"""What actions have in common."""
ROWS = Path(__file__).parent / "actions.jsonl"
"""The rows of each, by `named`."""


def compiled(file: Path) -> Any:
    """What `make knowledge` wrote. Raises OSError for a damaged installation."""
    with whole(file):
        return json.loads(file.read_bytes())


@contextlib.contextmanager
def whole(file: Path) -> Iterator[None]:
    """What goes wrong with what is in the file is an OSError: the installation is damaged."""
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise OSError(f"{file}: it is missing or damaged ({error}); reinstall tfdoctor") from error


class Lines(Mapping[str, Any]):
    """A compiled file whose first line says where the line of each name begins behind it. A line is read when it is asked for: a report
    needs few of 600.
    """

    def __init__(self, file: Path) -> None:
        """Raises OSError for a damaged installation."""
        self._file = file
        with whole(file), file.open("rb") as opened:
            self._starts: dict[str, int] = json.loads(opened.readline())
            self._first = opened.tell()

    def __contains__(self, name: object) -> bool:
        return name in self._starts

    def __iter__(self) -> Iterator[str]:
        return iter(self._starts)

    def __len__(self) -> int:
        return len(self._starts)

    def __getitem__(self, name: str) -> Any:
        """Raises KeyError, and OSError for a damaged installation."""
        start = self._starts[name]
        with whole(self._file), self._file.open("rb") as opened:
            opened.seek(self._first + start)
            return json.loads(opened.readline())


@cache
def actions() -> dict[str, Any]:
    """The places, the placeholders, the shells and the like. Raises OSError for a damaged installation."""
    found: dict[str, Any] = compiled(ACTIONS)
    return found


def table(what: str) -> Any:
    """A part of names.yaml or tables.yaml."""
    return actions()["tables"][what]


def filled(text: str, values: Mapping[str, object]) -> str:
    """In one pass: what a value holds is not looked at again."""
    said, *parts = text.split("{{")
    for part in parts:
        name, end, after = part.partition("}}")
        said += f"{values[name]}{after}" if end and name in values else "{{" + part
    return said
