"""The way in: named logs, or pieces as they come, to facts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import IO

from tfdoctor.ask.logs.extract import Read, extract_facts
from tfdoctor.ask.logs.forms import colab, notebook
from tfdoctor.ask.logs.forms.opening import LogError as LogError
from tfdoctor.ask.logs.forms.opening import open_log
from tfdoctor.ask.logs.forms.opening import opened_logs as opened_logs
from tfdoctor.ask.logs.search import Literals
from tfdoctor.ask.logs.transcript import Transcript, default_literals
from tfdoctor.facts.log_values import LogFile
from tfdoctor.facts.model import Facts


def read_streams(logs: Iterable[tuple[str, IO[bytes]]]) -> tuple[Facts, tuple[Read, ...]]:
    """What the open logs of one case tell, each with its name, and their lines. Raises LogError where one can't be read."""
    literals = default_literals()
    reads = tuple(_read(name, file, literals) for name, file in logs)
    return extract_facts(reads), reads


_OWN_REPORT = re.compile(
    rb'\s*\{\s*"schema_version": "[^"]{1,20}",\s*(?:"\$schema": "[^"]{1,100}",\s*)?"tool": \{\s*"name": "tfdoctor"'
)
_TITLE = re.compile(rb'"title": ("(?:[^"\\]|\\.){1,400}")')
_CONTROL = bytes({*range(1, 32), 127} - set(b"\t\n\v\f\r\b\x1b"))
# What is packed in them may look like text.
_ARCHIVES = (
    b"PK\x03\x04",
    b"7z\xbc\xaf\x27\x1c",
    b"Rar!\x1a\x07",
)
_OF_BINARY = 0.03  # of its bytes: random ones have a tenth, logs next to none
_ENOUGH, _LOOKED_AT = 64, 1 << 16
_MOST_BLANK = 64 << 20  # bytes without a word, from what may have no end (/dev/zero)


def no_text(first: bytes) -> bool:
    """Whether data that begins so is a program, an image or the like. A log that was cut short in place begins with zeros."""
    looked_at = first[:_LOOKED_AT].replace(b"\0", b"")
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False
    if first.startswith(_ARCHIVES):
        return True
    controls = len(looked_at) - len(looked_at.translate(None, _CONTROL))
    if len(looked_at) < _ENOUGH:
        return bool(controls) and not _is_utf8(looked_at)
    return controls > len(looked_at) * _OF_BINARY


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _title(report: bytes) -> str:
    """The first title in it; "" where none can be read."""
    said = _TITLE.search(report)
    try:
        return str(json.loads(said[1])) if said else ""
    except ValueError:
        return ""


def _read(name: str, file: IO[bytes], literals: Literals) -> Read:
    opened = open_log(name, file)
    transcript = Transcript(literals)
    kind = opened.kind
    pieces = opened.pieces
    first = next(pieces, b"")
    fell = False
    if no_text(first):
        raise _binary(name)
    if _OWN_REPORT.match(first):
        said = _title(first)
        raise LogError(
            f"{name}: a report of tfdoctor, not a log{f'. It says: {said}' if said else ''}"
        )
    if notebook.looks_like(first):
        kind, pieces = "notebook", notebook.outputs(first, pieces)
        first = b""
    elif fell := colab.newest_first(first):
        first, pieces = b"", colab.turned(first, pieces)
    if first:
        transcript.feed(first)
    for piece in pieces:
        transcript.feed(piece)
        if transcript.blank and transcript.total_bytes > _MOST_BLANK and not opened.regular:
            break
    transcript.end()
    if transcript.blank and transcript.encoding == "binary":
        raise _binary(name)
    note = opened.note() or (colab.NEWEST_FIRST if fell else "")
    if note and not transcript.total_bytes:
        raise LogError(f"{name}: {note}, and that was nothing")
    return read_of(transcript, name, kind, note)


def _binary(name: str) -> LogError:
    return LogError(f"{name}: binary data, not text; unpack an archive first")


def read_of(transcript: Transcript, name: str, kind: str = "text", note: str = "") -> Read:
    """An ended transcript with what is known of its file."""
    file = LogFile(
        name, kind, transcript.encoding, transcript.total_bytes, transcript.total_lines, note
    )
    return Read(file, transcript)
