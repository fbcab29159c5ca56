"""Rows of the table in which Colab shows its runtime's log ("View runtime logs"), as they are copied, saved or pasted.

Copied from the page a row's parts are parted by tabs or bars, saved they are CSV, and whoever makes Markdown of it escapes signs. The
browser writes the time in its own language's order. Texts that the page broke come back with two blanks in place of one.
"""

from __future__ import annotations

from tfdoctor.light.expressions import Expression

_DAY = r"(?:[A-Z][a-z]{2} \d{1,2}, \d{4}|\d{1,2} [A-Z][a-z]{2} \d{4}|\d{1,2}/\d{1,2}/\d{4}),"
_TIME = rf"{_DAY} \d{{1,2}}:\d\d:\d\d(?:\s?[AP]M)?"
_LEVEL = r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)"
ROW = Expression(rf"\|?\s?\"?{_TIME}\"?\s{{0,3}}[|,\t ]\s{{0,3}}{_LEVEL}\s{{0,3}}[|,\t ]\s?")
"""What stands before the message."""
_SEVERAL = Expression(r"(?<=\S)  +(?=\S)")
_ESCAPED = Expression(r"\\([.()\[\]_*#+!|<>~-])")


def cleaned(line: str) -> str:
    """The row as the page showed it; any other line stays as it is."""
    found = ROW.match(line)
    if found is None:
        return line
    head, words = found[0], line[found.end() :]
    if head.lstrip("| ").startswith('"') and words.startswith('"'):
        words = words[1:].removesuffix('"').replace('""', '"')
    if head.startswith("|"):
        words = _ESCAPED.sub(r"\1", words.removesuffix("|"))
    return f"{head}{_SEVERAL.sub(' ', words)}"
