"""Takes private values out of a shell command so that it still runs unedited: a home becomes "$HOME".

The command is read as a POSIX shell reads it (POSIX.1-2017, Shell Command Language, 2.2 Quoting), so that a value
inside single quotes leaves them, and everything that holds no private value stays as it was written.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable

from tfdoctor.light.expressions import Expression
from tfdoctor.render.redact.placeholders import Piece, Token

_SPECIAL = frozenset(" \t\n|&;<>()$`*?[]{}#!~")  # end a literal run
_NAME = Expression(r"[A-Za-z_]\w*")

Split = Callable[[str], list[Piece]]


def redact_command(command: str, split: Split) -> str:
    """`split` cuts literal text into what stays and what is replaced."""
    return _Reader(command, split).read()


class _Reader:
    """`_raw` and `_literal` are the run of a word that is read at the moment: as written, and what it means."""

    def __init__(self, text: str, split: Split) -> None:
        self._text, self._split, self._at = text, split, 0
        self._raw, self._literal = "", ""

    def read(self, *, nested: bool = False) -> str:
        """To the end, or to the parenthesis that closes a nested command."""
        out, depth = "", 0
        while self._at < len(self._text):
            char = self._text[self._at]
            if nested and char == ")" and depth == 0:
                break
            if char == "'":
                self._single()
            elif char == '"':
                out += self._double()
            elif char == "\\":
                self._take(self._text[self._at : self._at + 2], self._text[self._at + 1 : self._at + 2])
            elif char in _SPECIAL or (char == "=" and self._assigns()):
                depth += {"(": 1, ")": -1}.get(char, 0)
                out += self._end_run() + char
                self._at += 1
            else:
                self._take(char, char)
        return out + self._end_run()

    def _assigns(self) -> bool:
        """Whether the "=" here makes an assignment of the word, which stays one only if its name is not quoted."""
        return _NAME.fullmatch(self._raw) is not None and self._text[self._at + 1 : self._at + 2] != "="

    def _take(self, raw: str, literal: str) -> None:
        self._raw += raw
        self._literal += literal
        self._at += len(raw)

    def _single(self) -> None:
        end = self._text.find("'", self._at + 1)
        end = len(self._text) if end < 0 else end
        self._take(self._text[self._at : end + 1], self._text[self._at + 1 : end])

    def _double(self) -> str:
        """A string without expansions joins the run; one with them is rewritten, piece by piece."""
        start, parts, literal = self._at, [], ""
        self._at += 1
        plain = True
        while self._at < len(self._text) and self._text[self._at] != '"':
            if self._text.startswith("$(", self._at):
                inner = _Reader(self._text, self._split)
                inner._at = self._at + 2
                parts += [self._inside(literal), "$(", inner.read(nested=True)]
                literal, plain, self._at = "", False, inner._at
            elif self._text[self._at] in "$`\\":
                width = 2 if self._text[self._at] == "\\" else 1
                parts += [self._inside(literal), self._text[self._at : self._at + width]]
                literal, plain = "", False
                self._at += width
            else:
                literal += self._text[self._at]
                self._at += 1
        self._at += 1
        if plain:
            self._raw += self._text[start : self._at]
            self._literal += literal
            return ""
        return self._end_run() + '"' + "".join(parts) + self._inside(literal) + '"'

    def _inside(self, literal: str) -> str:
        """Literal text of a double-quoted string, which goes on around what is put in."""
        return "".join(
            (piece.shell or piece.text) if isinstance(piece, Token) else piece
            for piece in self._split(literal)
        )

    def _end_run(self) -> str:
        raw, literal = self._raw, self._literal
        self._raw = self._literal = ""
        pieces = self._split(literal)
        if all(isinstance(piece, str) for piece in pieces):
            return raw
        return "".join(_quoted(piece) for piece in pieces if piece != "")


def _quoted(piece: Piece) -> str:
    if isinstance(piece, str):
        return shlex.quote(piece)
    return f'"{piece.shell}"' if piece.shell else shlex.quote(piece.text)
