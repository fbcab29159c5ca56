"""`tfdoctor explain`: what a finding code means, how it is recognised, how it is fixed."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from tfdoctor.cli.guard import UsageError
from tfdoctor.cli.output import fold, text_encoding, width_of, write_result
from tfdoctor.cli.pages import page, search, unknown_code
from tfdoctor.findings.catalog import CODES, FAMILIES, Code
from tfdoctor.render.clean import fit

_ROOM_FOR_TITLE = 30  # columns
_ENDLESS = 1 << 16  # columns: a line stays whole where a program reads it

app = typer.Typer(add_completion=False, rich_markup_mode=None)


def complete_code(incomplete: str) -> list[str]:
    return [name for name in CODES if name.startswith(incomplete)]


@app.command()
def explain(
    code: Annotated[
        str,
        typer.Argument(
            metavar="CODE", help="A finding code, such as driver-too-old.", autocompletion=complete_code
        ),
    ] = "",
    list_all: Annotated[bool, typer.Option("--list", help="All codes with their meaning.")] = False,
    word: Annotated[
        str, typer.Option("--search", metavar="WORD", help="The codes whose pages speak of this.")
    ] = "",
) -> None:
    """Say what a finding code means, how it is recognised and how it is fixed."""
    if code and code not in CODES:
        raise UsageError(unknown_code(code))
    if code:
        text = page(code)
    elif list_all:
        text = _listing(list(CODES))
    elif word:
        found = search(word.split())
        if not found:
            raise UsageError(f"no page speaks of {word!r}; tfdoctor explain --list has all codes")
        text = _listing(found)
    else:
        raise UsageError(
            "name a code, or use --list or --search WORD; an example is: tfdoctor explain driver-too-old"
        )
    encoding = text_encoding(os.environ)
    write_result(fit(text, encoding).encode(encoding, "replace"))


def _listing(names: list[str]) -> str:
    """By family, in the order in which faults have to be fixed."""
    width, columns = max(len(name) for name in names), width_of(os.environ, nobody_looks=_ENDLESS)
    lines: list[str] = []
    for family in FAMILIES:
        mine = [CODES[name] for name in names if CODES[name].family == family]
        if mine:
            lines += ["", family] if lines else [family]
        lines += [_entry(code, width, columns) for code in mine]
    if any(_mark(name) == "*" for name in names):
        lines += [
            "",
            fold(
                "* not recognised by check; most of these show in logs: tfdoctor diagnose", columns, indent=2
            ),
        ]
    return "\n".join(lines) + "\n"


def _entry(code: Code, width: int, columns: int) -> str:
    """A line of the table; on a narrow terminal the title stands below."""
    head = f"{_mark(code.code)} {code.code:<{width}}  {code.severity.value:<7}  "
    if columns - len(head) >= _ROOM_FOR_TITLE:
        return fold(head + code.name, columns, indent=len(head))
    return (
        f"{_mark(code.code)} {code.code} {code.severity.value}\n{fold('    ' + code.name, columns, indent=4)}"
    )


def _mark(name: str) -> str:
    from tfdoctor.checks.engine.families import in_catalog_order

    return " " if name in {check.code for check in in_catalog_order()} else "*"
