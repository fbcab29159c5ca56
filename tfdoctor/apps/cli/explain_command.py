"""`tfdoctor explain`: what a finding code means, how it is recognized, how it is fixed."""

from __future__ import annotations

import os
import sys

from tfdoctor.apps.cli.guard import UsageError
from tfdoctor.apps.cli.options import EXPLAIN
from tfdoctor.apps.cli.output import (
    fold,
    form_by_name,
    output_of,
    tell_written,
    text_encoding,
    wants_colour,
    width_of,
)
from tfdoctor.apps.cli.parse import parse_args
from tfdoctor.apps.cli.settings import load_plugins, refuse_broken_settings
from tfdoctor.knowledge.catalog import CODES, FAMILIES, Code
from tfdoctor.knowledge.pages import page_of, search, unknown_code
from tfdoctor.say.clean import fit
from tfdoctor.say.page import drawn

_ROOM_FOR_TITLE = 30  # columns
_ENDLESS = 1 << 16  # columns: a line stays whole where a program reads it


def main(arguments: list[str]) -> int:
    """The exit status. Raises UsageError and HelpAsked."""
    parsed = parse_args(EXPLAIN, arguments, os.environ)
    refuse_broken_settings()
    load_plugins()
    if len(parsed.words) > 1:
        raise UsageError(f"unexpected argument {parsed.words[1][:40]!r}; name one code")
    fields = parsed.fields()
    name = fields["output"]
    form = form_by_name(
        "", name, "markdown" if name not in ("", "-") else "terminal", ("md", "txt")
    )
    output = output_of(name)
    text = _answer(
        parsed.words[0] if parsed.words else "",
        fields["search"],
        list_all=fields["list"],
        raw=form == "markdown",
    )
    if output.to_file:
        output.write(text.encode())
        tell_written(output, "")
    else:
        encoding = text_encoding(os.environ)
        output.write(fit(text, encoding).encode(encoding, "replace"))
    return 0


def _answer(code: str, word: str, *, list_all: bool, raw: bool) -> str:
    """A page, or a list of the codes that were meant."""
    words = word.split() or ([code] if code and code not in CODES else [])
    if words:
        found = _matching(words)
        if not found:
            raise UsageError(
                unknown_code(code)
                if code
                else f"no page mentions {word!r}; tfdoctor explain lists all codes"
            )
        return _listing(found)
    if not code or list_all:
        return _listing(list(CODES))
    return page_of(code) if raw else _shown(page_of(code))


def _matching(words: list[str]) -> list[str]:
    """The codes whose names hold the word; else those whose pages mention all of the words."""
    return [name for name in CODES if len(words) == 1 and words[0] in name] or search(words)


def _shown(markdown: str) -> str:
    """The page as a terminal shows it."""
    colour = wants_colour(os.environ, terminal=sys.stdout is not None and sys.stdout.isatty())
    return drawn(markdown, min(width_of(os.environ), 100), colour=colour)


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
            fold("* not found by check; most show in logs: tfdoctor diagnose", columns, indent=2),
        ]
    return "\n".join(lines) + "\n"


def _entry(code: Code, width: int, columns: int) -> str:
    """A line of the table; on a narrow terminal the title stands below."""
    head = f"{_mark(code.code)} {code.code:<{width}}  "
    if columns - len(head) >= _ROOM_FOR_TITLE:
        return fold(head + code.name, columns, indent=len(head))
    return f"{_mark(code.code)} {code.code}\n{fold('    ' + code.name, columns, indent=4)}"


def _mark(name: str) -> str:
    from tfdoctor.judge.engine.families import in_catalog_order

    return " " if "/" in name or name in {check.code for check in in_catalog_order()} else "*"
