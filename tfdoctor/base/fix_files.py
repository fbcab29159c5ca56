"""Where `tfdoctor fix` writes down what it does, and how those files are read: for it and for `check`.

A journal is a file of lines of JSON; the last one that can be read counts.
"""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tfdoctor.base.user_folders import state_home

ENDING = ".journal"
LENGTH = 1 << 18
NEW = "new-environment"
"""The kind of action that makes an environment and changes none."""
ENDED = ("kept", "discarded", "undone")


def journals(environ: Mapping[str, str]) -> Path | None:
    """Their directory; None where no home directory is known."""
    home = state_home(environ)
    return Path(home) / "tfdoctor" / "fixes" if home else None


def number_of(name: str) -> int:
    """Of a journal by its name; 0 for another file."""
    digits = name.removesuffix(ENDING)
    return int(digits) if name.endswith(ENDING) and digits.isdecimal() and len(digits) < 10 else 0


def lines(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """The lines that can be read, each with where the next one begins. Raises OSError."""
    end = 0
    with open(path, "rb") as file:
        while line := file.readline(2 * LENGTH - end):
            try:
                found = json.loads(line)
            except (ValueError, RecursionError):
                return
            if not isinstance(found, dict):
                return
            end += len(line.rstrip(b"\n")) + 1
            yield found, end


def beside(environment: Path) -> Path:
    """The directory for what belongs to the fixes of an environment."""
    dot = "" if environment.name.startswith(".") else "."
    return environment.parent / f"{dot}{environment.name}.tfdoctor"


def last_states(environ: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """The last line of each fix. Raises OSError."""
    folder = journals(environ)
    if folder is None or not folder.is_dir():
        return
    for name in sorted(os.listdir(folder), key=number_of):
        if number_of(name) and (last := deque(lines(folder / name), maxlen=1)):
            yield last[0][0]
