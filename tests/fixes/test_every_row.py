"""Each row of each action, drawn with its examples at a place that it is for: its title is short, and a shell can read its commands."""

from __future__ import annotations

import subprocess

import pytest

from tfdoctor.knowledge.actions import act, placed, rows
from tfdoctor.knowledge.model import Fix
from tfdoctor.knowledge.place import Place
from tools.build.knowledge import actions

MOST_WORDS = 8
NO_POSIX_SHELL = frozenset({"windows", "cmd", "powershell"})


def drawn() -> list[tuple[str, Fix]]:
    """Every row, but for those that need more than one name of a place."""
    found = []
    for kind, what in sorted(actions()):
        for row in rows(kind, what):
            names = frozenset(row.at[:1])
            fix = placed(act(kind, what), Place(names)) if names else act(kind, what)
            if fix is not None and not names & NO_POSIX_SHELL:
                found.append((f"{kind}: {what} {' '.join(names)}".strip(), fix))
    return found


ROWS = drawn()


def test_titles_have_at_most_eight_words() -> None:
    titles = {row.title for kind, what in actions() for row in rows(kind, what)}
    assert [title for title in titles if len(title.split()) > MOST_WORDS] == []


def test_a_shell_can_read_each_command() -> None:
    assert len(ROWS) > 900
    commands = sorted({line for _, fix in ROWS for line in fix.commands})
    script = "\n".join(f"f{number}() {{\n{line}\n:\n}}" for number, line in enumerate(commands))
    assert _refused(script) == "", [line for line in commands if _refused(line)]


@pytest.mark.parametrize("line", ["echo 'a", 'ls "$(pwd"', "for /f %v in ('a') do b", "if x"])
def test_what_is_no_line_of_a_shell_is_refused(line: str) -> None:
    assert _refused(line)


def _refused(script: str) -> str:
    """What bash says of text that it can't parse; nothing is run."""
    ran = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    return ran.stderr
