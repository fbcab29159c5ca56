"""What mails, web pages and narrow terminals did to a log before somebody pasted it, undone.

Only lines that change are given back; which ones were joined is decided by where the line ends, never by its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from tfdoctor.ask.logs.forms.colab import ROW, cleaned
from tfdoctor.base.expressions import Expression

_QUOTED = Expression(r"^\s{0,3}(?:> ?){1,5}(?!>> )")
_ENTITY = Expression(r"&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,5}|#x[0-9a-fA-F]{1,5});")
_TAG = Expression(
    r"</?(?:span|pre|code|div|br|p|a|b|i|font|tr|td|tbody|table|li|ul)(?:\s[^<>]{0,400})?/?>",
    re.IGNORECASE,
)
_BOLD = Expression(
    r"^(?P<before>\s{0,12}(?:>>> |\.\.\. |\$ )?)\*\*\s?(?P<words>[^*\s](?:[^\n]{0,4000}[^*\s])?)\s?\*\*\s{0,3}$"
)
"""A line that was made bold in the post. Three stars are a program's own: the prompt of pdb, HDF5's warning."""
_ESCAPED = Expression(r'^\s{0,8}File "?[A-Za-z]:\\\\')
"""A path of Windows in a notebook's error that VS Code copied as JSON."""
_CONTRACTED = Expression("n[\u2018\u2019\u00b4]t\\b")
_NAMED = Expression("[\u2018\u2019](?P<name>[\\w./:-]{3,80})[\u2018\u2019]")
"""What editors and web pages make of the apostrophe of "couldn't", and of the quotes around a file's name."""
_WIDTHS = range(60, 200)
_BEGINS = Expression(
    r"^\s\s|^\t|^$|^\d{4}-\d\d-\d\d|^[^\W\d_]{3,5}\.? [ \d]\d \d\d:\d\d:|^[IWEF]\d{4} |^[IWEF] |^Traceback|^\[|^Epoch|^[A-Z]\w+(?:Error|Exception)\b|^File |^---|^===|^>>>|^\$ |^\d+/\d+ "
)
# A row of a table; what IPython pushes to the right margin.
_ENDS = (
    "|",
    "(most recent call last)",
)
_MOST_JOINED = 12
_USUAL, _FEW = 80, 40  # columns, lines


def rejoined(lines: Mapping[int, str]) -> Iterator[tuple[int, str, int]]:
    """(number of its first line, text, number of its last line) of each line that was changed or joined."""
    plain = {number: _plain(text) for number, text in lines.items()}
    width = _width(plain)
    going_on = _going_on(plain, width) | _reasons(plain)
    first, joined, count = 0, "", 0
    before = ""
    for number, text in plain.items():
        if number in going_on and count < _MOST_JOINED:
            joined = f"{joined}{_gap(before, width)}{text}"
            count += 1
            yield first, joined, number
        else:
            first, joined, count = number, text, 1
            if text != lines[number]:
                yield number, text, number
        before = text


def _plain(text: str) -> str:
    if _ENTITY.search(text) or _TAG.search(text):
        import html  # its table of entities takes half a megabyte

        text = html.unescape(_TAG.sub("", text)).replace("\xa0", " ")
    text = _NAMED.sub(r"'\g<name>'", _CONTRACTED.sub("n't", text))
    text = cleaned(_QUOTED.sub("", text))
    if "**" in text and (bold := _BOLD.match(text)):
        text = f"{bold['before']}{bold['words']}"
    if _ESCAPED.match(text):
        text = text.replace("\\\\", "\\")
    stripped = text.strip()
    if len(stripped) > 2 and stripped[0] == stripped[-1] == "`":
        text = stripped.strip("`")
    return text


def _going_on(lines: Mapping[int, str], width: int) -> set[int]:
    """Those that go on with the line before. One alone shows nothing where it follows the longest line of all."""
    numbers = list(lines)
    found = {
        number for last, number in pairwise(numbers) if _goes_on(lines[last], lines[number], width)
    }
    if len(found) == 1 and width != _USUAL:
        return set()
    return found


def _goes_on(before: str, text: str, width: int) -> bool:
    """The line before is as full as it could be: the next word would not have fitted."""
    if not width or not text.strip() or _BEGINS.match(text) or ROW.match(text):
        return False
    if (text[0] == " " and len(before) < width) or before.endswith(_ENDS):
        return False
    word = text.split(maxsplit=1)[0]
    return (
        len(before) <= width
        and len(before.rstrip()) + 1 + len(word) > width
        and len(before) > width // 2
    )


_REASONS, _SENTENCE = "╰─▶ ", ("And because", "Because", "hint:", "we can conclude")
_INDENT = " " * 6


def _reasons(lines: Mapping[int, str]) -> set[int]:
    """Those of uv's reasons that go on with the line before: uv breaks its sentences to the terminal's width, below an arrow."""
    found, below = set(), False
    for number, text in lines.items():
        begins = _REASONS in text
        if (
            below
            and not begins
            and text.startswith(_INDENT)
            and not text.strip().startswith(_SENTENCE)
        ):
            found.add(number)
        below = begins or (below and text.startswith(_INDENT))
    return found


def _gap(before: str, width: int) -> str:
    """Terminals break at their last column, mails between words and drop the blank."""
    return "" if len(before) >= width or before.endswith(" ") else " "


def _width(lines: Mapping[int, str]) -> int:
    """Where a terminal or a mail broke the lines: many end near it and none goes beyond; 0 where nothing shows it.

    Of a few lines none may be near: then they are taken for those of a terminal of 80 columns, as most are.
    """
    lengths = [len(text) for text in lines.values() if text.strip()]
    longest = max(lengths, default=0)
    if len(lengths) <= _FEW and longest <= _USUAL:
        return _USUAL
    near = sum(1 for length in lengths if longest - 15 <= length)
    return longest if longest in _WIDTHS and near >= max(2, len(lengths) // 5) else 0
