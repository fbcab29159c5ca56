"""The manual page, tfdoctor(1), of the commands' own help: `make man` writes dist/tfdoctor.1; `man -l dist/tfdoctor.1` shows it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from tfdoctor import __version__
from tfdoctor.apps.cli.app import GROUPS, app

STATUS = {
    "0": "Healthy: nothing at or above --fail-on.",
    "1": "A finding at or above --fail-on.",
    "2": "Wrong usage.",
    "3": "No verdict: the examination could not be completed.",
}


def manual() -> str:
    """The page in man(7)'s macros."""
    return "\n".join(_page()) + "\n"


def _page() -> Iterator[str]:
    group: Any = typer.main.get_command(app)
    yield f'.TH TFDOCTOR 1 "" "tfdoctor {__version__}" "User Commands"'
    yield ".SH NAME"
    yield r"tfdoctor \- say why TensorFlow won't use the GPU or why a run died, and what fixes it"
    yield ".SH SYNOPSIS"
    yield ".B tfdoctor\n.I COMMAND\n[\\fIOPTIONS\\fR]"
    yield ".SH DESCRIPTION"
    yield from map(_text, (group.help or "").split("\n\n"))
    yield ".SH COMMANDS"
    with group.make_context("tfdoctor", [], resilient_parsing=True) as context:
        for title, commands in GROUPS.items():
            yield f".SS {_text(title)}"
            for name, (told, example) in commands.items():
                yield f".TP\n.B {_text(name)}\n{_text(told)}\n.br\n.I {_text(example)}"
        for name in group.list_commands(context):
            yield from _command(f"tfdoctor {name}", group.get_command(context, name), context)
    yield ".SH EXIT STATUS"
    for status, meaning in STATUS.items():
        yield f".TP\n.B {status}\n{_text(meaning)}"
    yield ".PP\nhealthcheck uses 0 and 1 alone; run returns its command's own status."
    yield ".SH SEE ALSO"
    yield ".BR nvidia-smi (1)"


def _command(name: str, command: Any, outer: Any) -> Iterator[str]:
    with command.make_context(
        name.rpartition(" ")[2], [], parent=outer, resilient_parsing=True
    ) as context:
        nested = getattr(command, "commands", {})
        if not nested:
            usage = " ".join(command.collect_usage_pieces(context))
            yield f".SH {_text(name.upper())}\n.B {_text(name)}\n{_text(usage)}"
            yield from (f".PP\n{_text(part)}" for part in (command.help or "").split("\n\n"))
            for each in command.get_params(context):
                if (row := each.get_help_record(context)) and not row[0].startswith("--help"):
                    yield f".TP\n.B {_text(row[0])}\n{_text(row[1])}"
        for inner, each in nested.items():
            yield from _command(f"{name} {inner}", each, context)


def _text(text: str) -> str:
    """One line that no macro is made of, in ASCII: groff alone does not read UTF-8."""
    plain = " ".join(text.split()).replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    plain = "".join(each if each.isascii() else rf"\[u{ord(each):04X}]" for each in plain)
    return rf"\&{plain}" if plain[:1] in (".", "'") else plain


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.parent.mkdir(exist_ok=True)
    target.write_text(manual(), encoding="utf-8")
