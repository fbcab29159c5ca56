"""Whatever tfdoctor tells a user to type exists: its own commands and options, wherever its texts name them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tfdoctor
from tests.every import every
from tests.unit.documents import ROOT, command_line, fault_of
from tfdoctor.apps.cli.app import COMMANDS

PACKAGE = Path(tfdoctor.__file__).parent
PROMISED = {*COMMANDS, "run", "fleet", "mcp", "jupyter"}
"""Words that a reader takes for a command, those of versions to come among them: no text names one before it is there."""
SOURCES = sorted(PACKAGE.rglob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def texts(file: Path) -> Iterator[str]:
    """The strings of a program that are not its documentation; what is put into them is written as X."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    told = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values
            )
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and not {id(node)} & (told | parts)
        ):
            yield node.value


def commands_here() -> set[str]:
    return set(command_line().list_commands(None))


def named(text: str) -> Iterator[list[str]]:
    """What follows each `tfdoctor`, where a command, or one to come, follows it: "tfdoctor knows" is no command."""
    for found in re.finditer(r"(?<![\w./-])tfdoctor((?: +[^\s`,;)(]+)+)", text):
        words = found[1].split()
        if words[0] in PROMISED:
            yield words


def options_of(words: list[str]) -> list[str]:
    """The words up to the first that is no command or option: then values or prose begin."""
    plain = [word.rstrip(".:") for word in words]
    commands = 2 if plain[0] == "matrix" else 1
    end = next(
        (
            place
            for place, word in enumerate(plain)
            if place >= commands and not word.startswith("--")
        ),
        len(plain),
    )
    return plain[:end]


@pytest.mark.slow  # reads all pages
@every([*SOURCES, *PAGES], lambda file: str(file.relative_to(ROOT)))
def test_commands_that_are_named_exist(file: Path) -> None:
    told = texts(file) if file.suffix == ".py" else [file.read_text(encoding="utf-8")]
    wrong = []
    for words in (words for text in told for words in named(text)):
        if words[0] not in commands_here():
            wrong.append(f"tfdoctor {words[0]}: this version has no such command")
        elif fault := fault_of(options_of(words)):
            wrong.append(fault)
    assert wrong == []
