"""Which tests reach which lines: each test is run once, traced in the rooms that are mutated (`tools/watch/mutants.py`)."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tools.watch.mutate import Mutant, file_of

Line = tuple[str, int]
_LONGEST_S = 10.0  # a test that takes longer tells nothing that a shorter one does not


@dataclass(frozen=True)
class Reached:
    """`lines`: what each test reaches, by its place among `items`; a test that fails by itself is none."""

    items: list[pytest.Item]
    lines: dict[int, frozenset[Line]]

    @classmethod
    def by(cls, items: list[pytest.Item], rooms: list[Path]) -> Reached:
        lines, prefixes = {}, tuple(f"{room}/" for room in rooms)
        for at, item in enumerate(items):
            begun = time.process_time()
            found = _traced(item, items[at + 1] if at + 1 < len(items) else item, prefixes)
            if found is not None and time.process_time() - begun < _LONGEST_S:
                lines[at] = frozenset(found)
        return cls(items, lines)

    def without(self, places: set[int]) -> Reached:
        return Reached(
            self.items, {at: lines for at, lines in self.lines.items() if at not in places}
        )

    def tests_for(self, mutant: Mutant) -> list[pytest.Item]:
        """Those that reach it, the ones that reach most of its module that few others do first."""
        file = str(file_of(mutant.module))
        wanted = _uses(mutant.name) if mutant.name else {(file, line) for line in mutant.lines}
        naming = {at for at in self.lines if mutant.name and _names(self.items[at], mutant.name)}
        reaching = [at for at, lines in self.lines.items() if lines & wanted or at in naming]
        often = Counter(line for at in reaching for line in self.lines[at] if line[0] == file)
        worth = {
            at: sum(1 / often[line] for line in self.lines[at] if line[0] == file)
            for at in reaching
        }
        return [
            self.items[at] for at in sorted(reaching, key=lambda at: (at not in naming, -worth[at]))
        ]


def _names(test: pytest.Item, constant: str) -> bool:
    """Whether the test's own file speaks of it."""
    return re.search(rf"\b{constant}\b", _text(str(test.path))) is not None


@cache
def _text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def _uses(name: str) -> set[Line]:
    """The lines that name a constant; another module knows it by the same name."""
    found = set()
    for file in sorted(file_of("tfdoctor").with_suffix("").rglob("*.py")):
        for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(rf"\b{name}\b", text):
                found.add((str(file), number))
    return found


def _traced(
    item: pytest.Item, following: pytest.Item, prefixes: tuple[str, ...]
) -> set[Line] | None:
    """None: it fails by itself, or was skipped."""
    found: set[Line] = set()

    def inside(frame: FrameType, event: str, _: Any) -> Any:
        found.add((frame.f_code.co_filename, frame.f_lineno))
        return inside

    def entered(frame: FrameType, event: str, _: Any) -> Any:
        return inside if frame.f_code.co_filename.startswith(prefixes) else None

    sys.settrace(entered)
    try:
        reports = runtestprotocol(item, nextitem=following, log=False)
    finally:
        sys.settrace(None)
    return found if all(report.passed for report in reports) else None
