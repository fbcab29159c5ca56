"""What somebody typed at a program's question is theirs: taken out of what is kept of the terminal."""

from __future__ import annotations

import re
from collections import Counter

_SHORTEST = 4  # characters: "yes" is no secret, and a word that short ends many lines
_MOST, _LONGEST = 1000, 1024  # lines, bytes of one
_ENDS = re.compile(rb"[\r\n]")
_ERASING = frozenset(b"\x08\x7f")
_INTERPRETER = re.compile(rb"(?:>>>|\.\.\.|In \[\d+\]:|\(Pdb\)|ipdb>|[$#%]) ?$")
"""Behind these prompts the program itself is typed, and not an answer to it."""
INSTEAD = b"(typed)"


class Typed:
    """The lines that were typed, each until its echo was found."""

    def __init__(self) -> None:
        self._lines: list[bytes] = []
        self._rest = b""

    def add(self, keys: bytes) -> None:
        *whole, rest = _ENDS.split(self._rest + keys)
        self._rest = rest[-_LONGEST:]
        typed = (each for each in map(_corrected, whole) if len(each) >= _SHORTEST)
        self._lines = [*self._lines, *typed][-_MOST:]

    def taken_out(self, text: bytes) -> bytes:
        """The terminal's text without the echo of what was typed."""
        rest = _corrected(self._rest)
        left = Counter(self._lines if len(rest) < _SHORTEST else [*self._lines, rest])
        lengths = {len(each) for each in left}
        return (
            b"\n".join(_without(line, left, lengths) for line in text.split(b"\n"))
            if lengths
            else text
        )


def _corrected(line: bytes) -> bytes:
    """As the terminal has it after each key that erases one."""
    if _ERASING.isdisjoint(line):
        return line.strip()
    kept = bytearray()
    for byte in line.replace(b"\x08 \x08", b"\x08"):
        if byte not in _ERASING:
            kept.append(byte)
        elif kept:
            kept.pop()
    return bytes(kept.strip())


def _without(line: bytes, left: Counter[bytes], lengths: set[int]) -> bytes:
    first, last = line[:-_LONGEST], line[-_LONGEST:]
    seen = _corrected(last)
    for length in lengths:
        prompt, echo = seen[:-length], seen[-length:]
        if left[echo] > 0 and not _INTERPRETER.search(prompt.rstrip()):
            left[echo] -= 1
            return first + prompt + INSTEAD + last[len(last.rstrip(b"\r")) :]
    return line
