"""Private keys in blocks of any shape: whole, indented, behind a logger's words, cut off at either end, in a string with "\\n".

A block's beginning and end tell its lines (RFC 7468; OpenSSH's, PGP's and PuTTY's blocks are written alike). Where both are out
of sight a long line of Base64 tells itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import record
from tfdoctor.say.redact.rule import Rule, places

# One that was cut off goes on to the end of the text.
BLOCK = Expression(
    r"-{4,5} ?BEGIN(?: |%20|\+)[A-Z0-9 %+]{0,40}PRIVATE(?: |%20|\+)KEY[A-Z %0-9+]{0,10}-{4,5}[^-]*(?:-(?!---[- ]?END)[^-]*)*(?:-{4,5} ?END[A-Z0-9 %+]{0,60}-{4,5})?"
)
"""In an address a blank is written %20 or +."""
OF_JSON = Expression(
    r"(?<![A-Za-z])(?P<quote>\\{0,3}[\"'])(?:d|p|q|dp|dq|qi|k)(?P=quote)\s{0,3}:\s{0,3}(?P=quote)(?P<value>[A-Za-z0-9_-]{16,2000})"
)
"""The private numbers of a JSON Web Key (RFC 7518, 6.2.2, 6.3.2 and 6.4.1)."""
OF_PUTTY = Expression(r"Private-Lines: \d{1,4}\s[A-Za-z0-9+/=\s]{0,20000}")
TAIL = Expression(r"[A-Za-z0-9+/=\\\s]+(?=-----END[A-Z0-9 ]{0,40}PRIVATE KEY)")
"""The lines of a key before its end, where its beginning is not in the text."""
LINE = Expression(r"(?<![\w+/-])[A-Za-z0-9+/]{40,1000}={0,2}(?![\w+/-])")
"""Base64 as long as a key's line, and no file's hash in a wheel's RECORD."""
_BASE64 = Expression(r"[A-Za-z0-9+/=]+")
_MARKS = ("PRIVATE KEY", "Private-Lines:")
_BEGINS = Expression(
    r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-{4,5}|Private-Lines: \d{1,4}"
)
_ENDS = Expression(r"-{4,5} ?END [A-Z0-9 ]{0,60}|Private-MAC:")
_BREAKS = Expression(r"(?:\r?\n|(?:\\r)?\\n)")
_WORD = Expression(r"(?P<word>[A-Za-z0-9+/]{4,1000}={0,2})[\"',\\\s]{0,8}$")
_CHANGES = Expression(
    r"(?<=[0-9])(?=[A-Za-z])|(?<=[A-Za-z])(?=[0-9])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[a-z])"
)
_ALL_KINDS = Expression(r"(?=[^0-9]*[0-9])(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])")
_SMALL = Expression(r"[a-z]{4,}")
_DIGITS = Expression(r"\d+")
_HEADERS = 6  # lines in a key that are none of it: OpenSSL's and PGP's headers, another program's words between
_SHORTEST = 16  # characters of a line in a block; the last one holds what is left
_SHORTEST_TOLD = 8
_LONGEST = 400  # lines


def is_base64(text: str) -> bool:
    """Whether small and capital letters and digits change in it as they do in Base64 of random bytes, and not in words.

    Of random bytes' Base64 a thirteenth stands in four small letters or more beside each other, of words in CamelCase most.
    """
    if (
        text.islower()
        or _ALL_KINDS.match(text) is None
        or 3 * sum(map(len, _SMALL.findall(text))) > len(text)
    ):
        return False
    return 3 * len(_CHANGES.findall(text)) >= len(text)


@record(eq=False)
class Body(Rule):
    """A long line of Base64, wherever it stands."""

    def matches(self, text: str, lowered: str) -> Iterator[re.Match[str]]:
        for match in super().matches(text, lowered):
            before = lowered[max(match.start() - 7, 0) : match.start()]
            if is_base64(match[0]) and not before.startswith("sha"):
                yield match


@record(eq=False)
class Tail(Rule):
    """The lines of a private key that begins before the text. They are looked for from the end of the key backwards."""

    def matches(self, text: str, lowered: str) -> Iterator[re.Match[str]]:
        done = 0
        for end in places(lowered, self.begins):
            start = _lines_before(text, max(done, end - _LONGEST_KEY), end)
            if start < end and (match := self._compiled.match(text, start)):
                yield match
            done = end


_LONGEST_KEY = 20_000
_LINE_BREAKS = Expression(r"(?:\s|\\[rn])+")


def _lines_before(text: str, first: int, end: int) -> int:
    """Where the lines begin that are of Base64 alone and lead up to `end`; `end` where none does."""
    start, last = end, end
    breaks = [found.span() for found in _LINE_BREAKS.finditer(text, first, end)]
    for before, after in reversed([(first, first), *breaks]):
        line = text[after:last]
        if line:
            shortest = 1 if start == end else _SHORTEST
            if len(line) < shortest or not _BASE64.fullmatch(line):
                break
            start = after
        last = before
    return start


def stand_in(text: str) -> bool:
    """Whether a beginning or an end of a private key stands in it."""
    return any(mark in text for mark in _MARKS)


def lines_of_keys(texts: Iterable[str]) -> list[str]:
    """What stands in the lines of private keys, of texts in their order: they may be shown apart from each other."""
    texts = list(texts)
    if not any(map(stand_in, texts)):
        return []
    reader = _Reader()
    for text in texts:
        for line in _BREAKS.split(text):
            reader.take(line)
    return [word for word in dict.fromkeys(reader.found) if len(word) >= _SHORTEST_TOLD]


class _Reader:
    """Reads line by line. `_run` may be the lines of a key whose beginning was not read."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self._run: list[str] = []
        self._before: str | None = None
        self._left = 0

    def take(self, line: str) -> None:
        if begins := _BEGINS.search(line):
            self._run, self._before, self._left = [], None, _HEADERS
            line = line[begins.end() :]
        ends = _ENDS.search(line)
        if not ends:
            self._take(line)
        else:
            self._take_last(line[: ends.start()])
            self.found += self._run
            self._run, self._before, self._left = [], None, 0

    def _take_last(self, line: str) -> None:
        """What stands before a block's end in the same line."""
        self._run += [
            word for word in line.split() if len(word) >= _SHORTEST_TOLD and is_base64(word)
        ]

    def _take(self, line: str) -> None:
        told = _WORD.search(line[-2000:])
        word = told["word"] if told else ""
        before = _DIGITS.sub("0", line[: line.rfind(word)].strip(" \t\"'")) if word else ""
        full = len(word) >= _SHORTEST and is_base64(word)
        rest = not full and self._before == before and bool(word)
        if full:
            self._before = before
        if self._left and (full or (rest and not word.isalpha())):
            self.found.append(word)
            self._left = _HEADERS if full else 0
        elif self._left:
            self._left -= 1
        elif full or (rest and self._run):
            self._run = [*self._run[-_LONGEST:], word]
        else:
            self._run, self._before = [], None
