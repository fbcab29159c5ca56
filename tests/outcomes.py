"""Long runs that are made in parts: TFDOCTOR_OUTCOMES=FILE keeps a line of JSON for each outcome there, and leaves out what the file has."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_FILE = os.environ.get("TFDOCTOR_OUTCOMES", "")


def outcomes(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def done(key: str) -> set[Any]:
    """What the file has already, by one of its fields."""
    return {each[key] for each in outcomes(Path(_FILE))} if _FILE else set()


def keep(outcome: Mapping[str, Any]) -> None:
    if _FILE:
        with open(_FILE, "a", encoding="utf-8") as rows:
            rows.write(json.dumps(outcome) + "\n")
