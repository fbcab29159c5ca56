"""Rows of the table in which Colab shows its runtime's log ("View runtime logs"), as they are copied, saved or pasted.

Copied from the page a row's parts are parted by tabs or bars, saved they are CSV, and whoever makes Markdown of it escapes signs. The
browser writes the time in its own language's order. Texts that the page broke come back with two blanks in place of one.
"""

from __future__ import annotations

from collections.abc import Iterator

from tfdoctor.base.expressions import Expression

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


_WHEN = Expression(
    rf"\|?\s?\"?(?P<day>{_DAY}) (?P<hour>\d{{1,2}}):(?P<minute>\d\d):(?P<second>\d\d)(?:\s?(?P<half>[AP])M)?"
)
_MOST_BYTES = 8 << 20  # Colab's page shows a few thousand rows
NEWEST_FIRST = "newest line first as Colab shows it; turned, so that line 1 is the oldest"


def newest_first(head: bytes) -> bool:
    """Rows of one day whose times only fall: the page shows the newest line at its top, and so it was copied."""
    if b":" not in head or not ROW.search(sample := head.decode("utf-8", "replace")):
        return False
    rows = [
        found for line in sample.splitlines() if ROW.match(line) and (found := _WHEN.match(line))
    ]
    if len({row["day"] for row in rows}) != 1:
        return False
    times = [int(row["hour"]) % (12 if row["half"] else 24) * 3600 + (row["half"] == "P") * 43200 + int(row["minute"]) * 60 + int(row["second"]) for row in rows]  # fmt: skip
    return times[0] > times[-1] and times == sorted(times, reverse=True)


def turned(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    """The table from its oldest row on; what stands below a row belongs to it. One that is too long comes as it is."""
    content = bytearray(first)
    for piece in rest:
        content += piece
        if len(content) > _MOST_BYTES:
            yield bytes(content)
            yield from rest
            return
    rows: list[list[str]] = [[]]
    for line in content.decode("utf-8", "replace").splitlines():
        if ROW.match(line):
            rows.append([])
        rows[-1].append(line)
    head, *others = rows
    lines = [*head, *(line for row in reversed(others) for line in row)]
    yield "".join(f"{line}\n" for line in lines).encode()
