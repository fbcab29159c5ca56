"""A page's commands and the program's are of one mind: where both name a command of one kind, they ask the same of it.

Of what they install they share a package; of any other command the options. Versions, folders and numbers may differ, for
the program knows the machine.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache

import pytest

from tests.every import every
from tests.scenarios.conftest import all_scenarios
from tests.unit.documents import DOCS, fences
from tfdoctor.findings.catalog import CODES
from tfdoctor.findings.pages import ways_out

_PYTHON = re.compile(r"(?:.*/)?python[\d.]*")
_ASSIGNED = re.compile(r"[A-Z_]+=\S*")

OF_DIFFERENT_THINGS = {
    ("driver-module-not-loaded", "apt-get install"): "the page speaks of the kernel's headers, which DKMS builds with",
    ("driver-library-unreachable", "docker run"): "the page asks for the compute part, the program shows whether a GPU comes in",
    ("gpu-memory-held", "nvidia-smi"): "the page names the columns",
    ("check-failed", "python"): "the page runs the user's program, the program the smallest one",
    ("smoke-tensorflow-failed", "env"): "the page empties the environment, the program takes one variable out",
    ("smoke-timeout", "python"): "the page times the imports, the program shows where it waits",
    ("wrong-interpreter", "ipykernel install"): "the page has both places, the program the one of this kernel",
}  # fmt: skip
"""Where one kind of command serves two ends, with the reason. Each must still differ."""


def words_of(command: str) -> list[str]:
    """Without a prompt, sudo, variables before it and the remark after it; `python -m pip` is pip."""
    text = command.strip().removeprefix("$ ").partition("  #")[0]
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    while words and (words[0] == "sudo" or _ASSIGNED.fullmatch(words[0])):
        words = words[1:]
    if words and _PYTHON.fullmatch(words[0]):
        words = words[2:] if words[1:2] == ["-m"] else ["python", *words[1:]]
    return words


def kind_of(words: list[str]) -> str:
    """The program with its subcommand, or with the variable that it sets."""
    name = words[0].rpartition("/")[2]
    if name in ("export", "unset"):
        return f"{name} {words[1].partition('=')[0]}"
    return f"{name} {words[1]}" if len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]) else name


def options(words: list[str]) -> set[str]:
    return {word.partition("=")[0] for word in words if word.startswith("-")}


def packages(words: list[str]) -> set[str]:
    """Without versions, CUDA majors and driver branches."""
    plain = [word for word in words[2:] if not word.startswith("-")]
    names = [re.split(r"[=<>~!*]", word)[0].replace("_", "-").lower() for word in plain]
    return {re.sub(r"-(\d{3}|cu\d\d)\b", "-N", name) for name in names}


def agree(page: list[str], program: list[str]) -> bool:
    if kind_of(page).endswith(" install"):
        return bool(packages(page) & packages(program))
    return options(page) == options(program)


@cache
def of_the_program() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for scenario in all_scenarios():
        for finding in scenario.judged().findings:
            commands = [words_of(each) for fix in finding.fixes for each in fix.commands]
            found.setdefault(finding.code, []).extend(each for each in commands if each)
    return found


def of_the_page(code: str) -> Iterator[list[str]]:
    text = (DOCS / "codes" / f"{code}.md").read_text(encoding="utf-8")
    section = text.partition("\n## Fix\n")[2].partition("\n## ")[0]
    for block in fences(section, "console"):
        yield from (words for line in block.splitlines() if (words := words_of(line.partition(" #")[0])))


def both() -> list[str]:
    """Codes for which the page and the program name commands. Judges every scenario, so not while tests are collected."""
    return [code for code in CODES if of_the_program().get(code) and list(of_the_page(code))]


def differing(code: str) -> set[str]:
    """The kinds of commands that both name, and of which none of one is like any of the other."""
    page, program = list(of_the_page(code)), of_the_program()[code]
    shared = {kind_of(each) for each in page} & {kind_of(each) for each in program}
    return {
        kind
        for kind in shared
        if not any(agree(one, other) for one in page for other in program if kind_of(one) == kind_of(other) == kind)
    }  # fmt: skip


@pytest.mark.slow  # every page and every command
@every(both)
def test_page_and_program_ask_the_same_of_a_command(code: str) -> None:
    excused = {kind for name, kind in OF_DIFFERENT_THINGS if name == code}
    assert differing(code) == excused, (
        f"docs/codes/{code}.md and the check's fixes name a command in different forms"
    )


@every(both)
def test_page_and_program_share_a_way_out(code: str) -> None:
    of_page, of_program = (
        {kind_of(each) for each in of} for of in (of_the_page(code), of_the_program()[code])
    )
    assert of_page & of_program, f"docs/codes/{code}.md and the check's fixes have no command in common"


def test_most_codes_have_commands_in_both() -> None:
    assert len(both()) > 75


@every(sorted(CODES))
def test_every_way_out_says_what_it_does(code: str) -> None:
    """A block without words before it is called "Then": nobody can tell from that what the line is for."""
    assert [each.commands for each in ways_out(code) if each.title == "Then"] == []
