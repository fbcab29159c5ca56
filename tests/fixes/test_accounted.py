"""Every printed command is of a kind of kinds.yaml, which says where it is typed, or why it can't be."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.every import every
from tests.fixes.printed import commands

# Every sample is judged, once.
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.slow,
    pytest.mark.xdist_group("fixes"),
]

ROOT = Path(__file__).parents[2]
SAYS = {"typed", "resolved", "here", "not_here"}
FOREIGN = re.compile(
    r"\$env:|Add-Content|New-ItemProperty|\(?Get-CimInstance|Unblock-File|C:\\|reg |where\.exe|py -|for /f "
)
"""Not of a POSIX shell."""


@cache
def kinds() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "kinds.yaml").read_text())
    return found


def kind_of(command: str) -> dict[str, Any]:
    """The first that fits; {} where none does. In a notebook's cell the same command has a mark before it."""
    plain = (
        command.removeprefix("!")
        .replace("%pip ", "python -m pip ", 1)
        .replace("%conda ", "conda ", 1)
    )
    return next((each for each in kinds() if re.fullmatch(each["form"], plain, re.DOTALL)), {})


def test_each_command_that_a_fix_prints_is_accounted_for() -> None:
    unknown = {command: code for command, code in commands() if not kind_of(command)}
    assert unknown == {}, (
        "tests/fixes/kinds.yaml: say where such a command is typed, or why it can't be"
    )


@every(kinds(), lambda kind: kind["kind"])
def test_kind_says_what_becomes_of_it(kind: dict[str, Any]) -> None:
    assert SAYS & set(kind), "typed, resolved, here or not_here"
    assert set(kind) <= SAYS | {"kind", "form"}
    assert kind.get("not_here") != ""
    for test in kind.get("typed", ()):
        file, _, name = test.partition("::")
        text = (ROOT / file).read_text(encoding="utf-8")
        assert f"def {name}" in text
        assert re.search(r"\b(typed|by_shell|run_unedited|mended)\(", text), f"{test} types nothing"


def test_each_command_is_whole() -> None:
    """No "…", and a shell can read it: quotes are closed, parentheses too."""
    for command, code in commands():
        assert "…" not in command, f"{code}: {command}"
        if not FOREIGN.match(command):
            read = subprocess.run(
                ["bash", "-n", "-c", command], capture_output=True, text=True, check=False
            )
            assert read.returncode == 0, f"{code}: {command}\n{read.stderr}"


def test_one_command_calls_its_python_by_one_name() -> None:
    """`python3 -m pip install … $(python -m pip list)` would ask another interpreter than the one it changes."""
    for command, code in commands():
        names = set(re.findall(r"(?:^|[\s(\"'])((?:\S*/)?python[\d.]*) -", command))
        assert len(names) <= 1, f"{code}: {command}"
