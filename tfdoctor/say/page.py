"""A page of Markdown, as ours are written, as a terminal shows it.

rich's Markdown breaks a command at the terminal's edge, so that it can't be copied, and takes 50 of the 90 ms of `tfdoctor explain`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from itertools import groupby

_FENCE = "```"
_LINK = re.compile(r"\[([^\[\]]{1,120})\]\([^()\s]{0,300}\)")
_MARKS = re.compile(r"`|\*\*")
_ITEM = "- "
_RULE = re.compile(r"[|\s:-]+")
_BOLD = "\x1b[1m{}\x1b[0m"
_NARROWEST = 20


def drawn(markdown: str, width: int, *, colour: bool) -> str:
    """Its text in lines of at most `width` columns; commands, as the lines of a block of code, stay whole."""
    blocks = ("\n".join(_block(lines, width, colour=colour)) for lines in _blocks(markdown))
    return "\n\n".join(filter(None, blocks)) + "\n"


def _blocks(markdown: str) -> Iterator[list[str]]:
    """What empty lines part: a block of code is one, whatever it holds."""
    for number, text in enumerate(markdown.split(_FENCE)):
        lines = text.split("\n")
        if number % 2:
            yield [_FENCE, *lines[1:-1]]
            continue
        for filled, group in groupby(lines, bool):
            if filled:
                yield list(group)


def _block(lines: list[str], width: int, *, colour: bool) -> Iterator[str]:
    if lines[0] == _FENCE:
        yield from (f"    {line}".rstrip() for line in lines[1:])
    elif lines[0].startswith("#"):
        heading = _wrapped(lines[0].lstrip("# "), width)
        yield _BOLD.format(heading) if colour else heading
    elif lines[0].startswith("|"):
        yield from _table(lines, width)
    else:
        yield from (_wrapped(each, width) for each in _paragraphs(lines))


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Each item of a list is one."""
    found = ""
    for line in lines:
        if line.startswith(_ITEM) and found:
            yield found
            found = ""
        found = f"{found} {line.strip()}".lstrip()
    yield found


def _table(lines: list[str], width: int) -> Iterator[str]:
    """In columns; where most of the width would go to the first ones, each row as a sentence."""
    rows = [
        [_plain(cell.strip()) for cell in line.strip("| ").split("|")]
        for line in lines
        if not _RULE.fullmatch(line)
    ]
    columns = [max(map(len, column)) for column in zip(*rows, strict=True)]
    start = sum(columns[:-1]) + 2 * len(columns[:-1])
    if start + columns[-1] > width and start > width // 2:
        yield from (_wrapped(f"{_ITEM}{row[0]}: {', '.join(row[1:])}", width) for row in rows)
        return
    for row in rows:
        first = "".join(f"{cell:<{size}}  " for cell, size in zip(row[:-1], columns, strict=False))
        yield _filled(first + row[-1], width, start)


def _wrapped(text: str, width: int) -> str:
    return _filled(_plain(text), width, len(_ITEM) if text.startswith(_ITEM) else 0)


def _filled(text: str, width: int, indent: int) -> str:
    return textwrap.fill(
        text,
        max(width, _NARROWEST),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _plain(text: str) -> str:
    """A link is its text: a terminal can't open the other page, whose name is the code."""
    return _MARKS.sub("", _LINK.sub(r"\1", text))
