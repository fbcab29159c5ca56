"""`-o FILE` in every command: the name says the form, a form that the command can't write is refused, a terminal is told."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from tests.unit.apps.cli.running import environment, machine, tfdoctor
from tests.unit.apps.cli.test_every_help import PATHS
from tfdoctor.apps.cli.app import app, run
from tfdoctor.apps.cli.guard import UsageError

pytestmark = pytest.mark.slow
BROKEN, HEALTHY = machine("driver-too-old"), machine("healthy-gpu")
COMMANDS = {
    "check": ("check", "--facts", BROKEN),
    "diagnose": ("diagnose", "died.log"),
    "run": ("run", "-o", "FILE", "--", "sh", "-c", "exit 3"),
    "plan": ("plan",),
    "diff": ("diff", BROKEN, HEALTHY),
    "matrix show": ("matrix", "show"),
    "fleet summarize": ("fleet", "summarize", BROKEN),
    "explain": ("explain", "gpu-absent"),
    "lint": ("lint",),
    "fix": ("fix", "--list"),
    "fit": ("fit", "train.py"),
    "fleet run": ("fleet", "run"),
}
TOLD = [each for each in COMMANDS if each != "fleet run"]
"""Its file is of records as they come; the summary goes to standard output."""
WITHOUT_A_FORM = {"healthcheck"}
"""Its readers expect names of their own, as .prom: its form is --format's alone."""
STARTS = {
    "json": r"\{", "jsonl": r"\{", "md": "#", "html": "<!DOCTYPE html>", "txt": ".", "sarif": r"\{", "xml": r"<\?xml",
    "toml": r"[^\[]*\[project\]", "yml": r"(#.*\n|\n)*name: ", "sh": "python3",
}  # fmt: skip
"""How a file of each form begins."""
_TEXT = ("json", "txt")
_REPORT = (*_TEXT, "md", "html")
WRITTEN = {
    "check": (*_REPORT, "sarif", "xml"),
    "matrix show": (*_TEXT, "html"),
    "lint": (*_TEXT, "sarif"),
    "explain": ("md", "txt"),
    "plan": (*_TEXT, "toml", "yml", "sh"),
    **dict.fromkeys(("diagnose", "run", "diff", "fleet summarize"), _REPORT),
    **dict.fromkeys(("fix", "fit"), _TEXT),
    "fleet run": ("jsonl",),
}
"""The forms that a command writes; any other is refused by its name."""


def write_inputs(folder: Path) -> None:
    (folder / "died.log").write_text("ImportError: libcudnn.so.9: cannot open shared object file\n")
    (folder / "train.py").write_text("def build():\n    raise ValueError\n")


def with_an_output() -> set[str]:
    """The commands that have -o, as their own help tells."""
    top = typer.main.get_command(app)
    found = set()
    for path in PATHS:
        command: Any = top
        for word in path:
            command = command.get_command(None, word)
        if any("-o" in each.opts for each in command.params):
            found.add(" ".join(path))
    return found


def test_no_command_is_forgotten() -> None:
    assert with_an_output() == {*COMMANDS, *WITHOUT_A_FORM}


def words(command: str, file: Path) -> list[str]:
    said = [str(file) if word == "FILE" else word for word in COMMANDS[command]]
    return said if command == "run" else [*said, "-o", str(file)]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_form_that_the_command_lacks_is_refused_by_name(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)
    for ending in {*STARTS, "pdf"} - {*WRITTEN[command]}:
        file = tmp_path / f"answer.{ending}"
        with pytest.raises(UsageError) as refused:
            run(words(command, file))
        told = str(refused.value)
        assert (
            told.startswith(f"{file}: use .")
            and f".{ending} " not in f"{told.partition('use ')[2]} "
        )
        assert not file.exists()


@pytest.mark.parametrize(
    ("command", "ending"), [(each, form) for each in TOLD for form in WRITTEN[each]]
)
def test_the_name_says_the_form(command: str, ending: str, tmp_path: Path) -> None:
    write_inputs(tmp_path)
    file = tmp_path / f"answer.{ending}"
    done = tfdoctor(*words(command, file), cwd=tmp_path)
    assert re.match(STARTS[ending], file.read_text("utf-8")), done
    assert done.stdout == ""


@pytest.mark.parametrize("command", TOLD)
def test_a_person_is_told_the_verdict_and_where_the_rest_is(command: str, tmp_path: Path) -> None:
    write_inputs(tmp_path)
    file = tmp_path / f"answer.{'md' if command == 'explain' else 'json'}"
    own, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "tfdoctor", *words(command, file)],
        cwd=tmp_path, env=environment(COLUMNS="200"), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, timeout=60, check=False,
    )  # fmt: skip
    os.close(theirs)
    said = os.read(own, 1 << 16).decode()
    os.close(own)
    assert said.rstrip().endswith(f"Written to {file}")
    assert len(said.splitlines()) > 1 or command in ("matrix show", "explain", "fix"), (
        "these have no verdict"
    )
