"""Every command has its help: what typer and click make of our options works with the releases in use."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from tests.unit.apps.cli.running import tfdoctor
from tfdoctor.apps.cli.app import app

pytestmark = pytest.mark.slow  # each test starts the program


def paths(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command and group, by the words that name it."""
    yield words
    for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
        yield from paths(command.get_command(None, name), (*words, name))


PATHS = list(paths(typer.main.get_command(app)))


@pytest.mark.parametrize("words", PATHS, ids=lambda words: " ".join(words) or "tfdoctor")
def test_help(words: tuple[str, ...]) -> None:
    ran = tfdoctor(*words, "--help")
    assert (ran.returncode, ran.stderr) == (0, "")
    usage = ran.stdout.lower().split()
    assert usage[:2] == ["usage:", "tfdoctor"]
    assert tuple(usage[2 : 2 + len(words)]) == words
    assert tfdoctor(*words, "-h").stdout == ran.stdout


@pytest.mark.parametrize("width", [60, 80])
def test_no_line_of_help_is_wider_than_the_terminal(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for words in PATHS:
        told = CliRunner().invoke(app, [*words, "--help"], terminal_width=width)
        assert told.exit_code == 0
        assert [line for line in told.output.splitlines() if len(line) > width] == [], words


def test_the_manual_page_is_one_that_man_reads() -> None:
    from tools.build.manual import manual

    page = manual()
    assert all(
        f".SH TFDOCTOR {name.upper()}" in page for name in ("check", "fleet run", "matrix show")
    )
    assert r"\-\-gpu \(dqRTX 3090\(dq" in page
    if shutil.which("groff"):
        said = subprocess.run(
            ["groff", "-man", "-Tutf8", "-ww", "-P-cbu"], input=page.encode(), capture_output=True
        )
        assert said.stderr == b"" and b"EXIT STATUS" in said.stdout
