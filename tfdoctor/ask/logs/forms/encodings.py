"""Whatever a log is written in, as UTF-8 bytes with one kind of line end.

Bytes that are no text of their encoding stay as they are: a search for known texts passes over them, and what is
shown of a line is decoded with replacement.
"""

from __future__ import annotations

import codecs
import re

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096
_HEAD = 1 << 16  # bytes from which it is known what a log is written in, however it comes in pieces
_MANY = 0.3  # of every second byte being NUL: UTF-16 of Latin text
_CONTROL = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
# Colours and cursor movements (ECMA-48, 5.4), titles (OSC), and single-character functions
_ESCAPES = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]"
)
_BACKSPACES = re.compile(rb"\x08+")


def encoding_of(head: bytes) -> str:
    """The encoding by its mark or by its look: "utf-8", "utf-16-le" …, "binary" where it is no text at all."""
    for mark, name in _BOMS:
        if head.startswith(mark):
            return name
    sample = head[:_SAMPLE]
    if len(sample) >= 8:
        if sample[1::2].count(0) > len(sample) / 2 * _MANY and sample[::2].count(0) == 0:
            return "utf-16-le"
        if sample[::2].count(0) > len(sample) / 2 * _MANY and sample[1::2].count(0) == 0:
            return "utf-16-be"
    if len(_CONTROL.findall(sample)) > len(sample) * _MANY:
        return "binary"
    return "utf-8"


class Plainer:
    """Turns the bytes of one log into UTF-8 without colours, fed piece by piece."""

    def __init__(self) -> None:
        self.encoding = ""
        self._decode: codecs.IncrementalDecoder | None = None
        self._only_returns = False
        self._head = b""  # what came before it was enough
        self._cut = b""  # an escape sequence that the end of a piece cut in two

    def feed(self, piece: bytes, *, last: bool = False) -> bytes:
        if not self.encoding:
            self._head += piece
            if len(self._head) < _HEAD and not last:
                return b""
            piece, self._head = self._head, b""
            self._begin(piece[:_HEAD])
        if self._decode is not None:
            text = self._decode.decode(piece, last)
            piece = text.encode("utf-8", "replace")
        return self._without_controls(piece, last)

    def _begin(self, piece: bytes) -> None:
        self.encoding = encoding_of(piece)
        if self.encoding.startswith("utf-16") or self.encoding.startswith("utf-32"):
            self._decode = codecs.getincrementaldecoder(self.encoding)("replace")
            return
        self._only_returns = b"\n" not in piece and piece.count(b"\r") > 1

    def _without_controls(self, piece: bytes, last: bool) -> bytes:
        piece, self._cut = self._cut + piece, b""
        if b"\xef" in piece and codecs.BOM_UTF8 in piece:  # one byte is found far sooner than three
            piece = piece.replace(codecs.BOM_UTF8, b"")
        if b"\x1b" in piece:
            if not last and (place := piece.rfind(b"\x1b", -64)) >= 0:
                piece, self._cut = piece[:place], piece[place:]
            piece = _ESCAPES.sub(b"", piece)
        if b"\x08" in piece:
            piece = _BACKSPACES.sub(b"\r", piece)
        return piece.replace(b"\r", b"\n") if self._only_returns else piece
