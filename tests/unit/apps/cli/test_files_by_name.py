"""`-o FILE` in every command: the name says the form, a form that the command can't write is refused, a terminal is told."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.apps.cli.running import environment, machine, tfdoctor

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
}
STARTS = {"json": r"\{", "md": r"#", "html": "<!DOCTYPE html>", "txt": ".", "sarif": r"\{", "xml": r"<\?xml"}
"""How a file of each form begins."""
CI_ALONE = ("sarif", "xml")
REFUSED = {
    **dict.fromkeys(("diagnose", "run", "diff", "fleet summarize"), CI_ALONE),
    "plan": ("md", "html", *CI_ALONE), "matrix show": ("md", *CI_ALONE), "lint": ("md", "html", "xml"), "fix": ("md", "html", *CI_ALONE), "explain": ("json", "html", *CI_ALONE),
}  # fmt: skip
"""Forms that a command does not have; .pdf is none of any."""


def words(command: str, file: Path) -> list[str]:
    said = [str(file) if word == "FILE" else word for word in COMMANDS[command]]
    return said if command == "run" else [*said, "-o", str(file)]


@pytest.mark.parametrize("ending", [*STARTS, "pdf"])
@pytest.mark.parametrize("command", COMMANDS)
def test_the_name_says_the_form(command: str, ending: str, tmp_path: Path) -> None:
    (tmp_path / "died.log").write_text("ImportError: libcudnn.so.9: cannot open shared object file\n")
    file = tmp_path / f"answer.{ending}"
    done = tfdoctor(*words(command, file), cwd=tmp_path)
    if ending == "pdf" or ending in REFUSED.get(command, ()):
        assert done.returncode == 2 and not file.exists()
        assert (
            f"{file}: use " in done.stderr.replace("\n", " ")
            and f".{ending} " not in done.stderr.partition("use ")[2]
        )
        return
    assert re.match(STARTS[ending], file.read_text("utf-8")), done
    assert done.stdout == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_person_is_told_the_verdict_and_where_the_rest_is(command: str, tmp_path: Path) -> None:
    (tmp_path / "died.log").write_text("ImportError: libcudnn.so.9: cannot open shared object file\n")
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
    assert len(said.splitlines()) > 1 or command in ("matrix show", "explain", "fix"), "these have no verdict"
