"""Reads reports and records out of files, folders, archives and pipes: any number of them, one at a time, none trusted."""

from __future__ import annotations

import io
import os
import re
import tarfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from tfdoctor.ask.logs.forms.opening import LogError, open_log, opened_logs
from tfdoctor.base.records import record

MOST_BYTES = 4 << 20  # of one report; they have well under 1 MiB
_MOST_BETWEEN = 64 << 20
"""Bytes in a row without a report: a launcher's words between two have far fewer, a device and a damaged file go on for ever."""
_BUFFER = 1 << 18
_REPORTS = (".json", ".jsonl", ".ndjson", ".log", ".txt", ".gz", ".tgz", ".tar")
_TARS = (".tar", ".tar.gz", ".tgz")
_PACKED = (*_TARS, ".gz")
_SIGNS = (b'"schema_version"', b'"facts"')
_MOST_MEMBERS = 1_000_000  # of an archive: each takes time, if only to be passed over


@record
class Unread:
    """A file, or a part of one, that is no report that can be read."""

    file: str
    because: str


@record(eq=False)
class Found:
    """A report or a record as bytes, with the file that it is from and the name of a plain report's node."""

    file: str
    stem: str
    content: bytes


def gather(
    paths: Sequence[str], stdin: BinaryIO | None, waiting: Callable[[str], None] = lambda name: None
) -> Iterator[Found | Unread]:
    """What the paths hold; "-" is standard input. `waiting`: told of a named pipe into which nobody writes.

    Raises OSError or LogError for a path that can't be opened at all.
    """
    for path in paths:
        if path == "-":
            if stdin is not None:
                yield from _documents(stdin, "-")
        elif os.path.isdir(path):
            yield from _folder(path)
        else:
            for _, opened in opened_logs([path], waiting):
                with io.BufferedReader(opened, _BUFFER) as file:  # type: ignore[type-var]  # it was opened without a buffer
                    yield from _file(file, path)


def _folder(path: str) -> Iterator[Found | Unread]:
    """Its files by their names, and those of its folders; links to folders are not followed."""
    with os.scandir(path) as entries:
        inside = sorted(
            (entry.name, entry.is_dir(follow_symlinks=False), entry.is_file()) for entry in entries
        )
    for name, is_folder, is_file in inside:
        below = os.path.join(path, name)
        if name.startswith("."):
            continue
        try:
            if is_folder:
                yield from _folder(below)
            elif is_file and name.endswith(_REPORTS):
                with open(below, "rb", _BUFFER) as file:
                    yield from _file(file, below)
        except OSError as error:
            yield Unread(below, error.strerror or str(error))


def _file(file: BinaryIO, name: str) -> Iterator[Found | Unread]:
    if name.endswith(_PACKED):
        yield from _unpacked(file, name)
        return
    try:
        yield from _documents(file, name)
    except OSError as error:
        yield Unread(name, f"it is damaged ({error})")


def _unpacked(file: BinaryIO, name: str) -> Iterator[Found | Unread]:
    """As far as it can be unpacked, and as it does not grow beyond all measure."""
    try:
        opened = open_log(name, file)
    except LogError as error:
        yield Unread(name, str(error))
        return
    damage = ""
    try:
        with io.BufferedReader(_Pieces(opened.pieces), _BUFFER) as content:
            yield from (_members if name.endswith(_TARS) else _documents)(content, name)
    except (OSError, tarfile.TarError) as error:
        damage = f"it is damaged ({error})"
    if why := opened.note() or damage:
        yield Unread(name, why)


class _Pieces(io.RawIOBase):
    """Pieces of bytes as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        super().__init__()
        self._pieces, self._rest = pieces, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = piece
        part = self._rest[: len(buffer)]
        buffer[: len(part)], self._rest = part, self._rest[len(part) :]
        return len(part)


def _members(file: BinaryIO, name: str) -> Iterator[Found | Unread]:
    """Nothing is unpacked to a disk: a member's name is a name and no path."""
    with tarfile.open(fileobj=file, mode="r|") as archive:
        for number, member in enumerate(archive):
            if number >= _MOST_MEMBERS:
                yield Unread(name, f"it has more than {_MOST_MEMBERS:,} members")
                return
            archive.members.clear()  # type: ignore[attr-defined]  # it would keep them all; its stub lacks the list
            shown = f"{name}:{member.name}"
            if member.issym() or member.islnk():
                yield Unread(shown, "it is a link; an archive holds reports themselves")
            elif member.isfile():
                content = archive.extractfile(member)
                if content is not None:
                    yield from _documents(content, shown)  # type: ignore[arg-type]  # it reads as a file does


def _documents(stream: BinaryIO, name: str) -> Iterator[Found | Unread]:
    """Documents of one line, and those that begin with a line "{" and end with a line "}", as every printer lays them out."""
    stem = _stem(name)
    whole: list[bytes] = []
    size = number = count = between = 0
    bad = False
    while line := stream.readline(MOST_BYTES + 1):
        number += 1
        size += len(line)
        if too_long := len(line) > MOST_BYTES or (whole and size > MOST_BYTES):
            bad, whole, size = True, [], 0
            between += _skip(stream, line)
            yield Unread(name, f"line {number}: a document of more than {MOST_BYTES >> 20} MiB")
        between += len(line)
        if between > _MOST_BETWEEN:
            yield Unread(name, f"{_MOST_BETWEEN >> 20} MiB without a report; the rest was not read")
            return
        if too_long:
            continue
        word = line.strip() if len(line) < 8 else b""
        if whole:
            whole.append(b"}" if word == b"}{" else line)
            if not line.startswith(b"}"):
                continue
            content, whole, size = b"".join(whole), [b"{\n"] if word == b"}{" else [], 0
        elif word == b"{":
            whole, size = [line], len(line)
            continue
        else:
            content, size = line, 0
        if _is_ours(content):
            count, between = count + 1, 0
            yield Found(name, stem if count == 1 else f"{stem}#{count}", content)
    yield from _at_its_end(name, bool(whole), bool(count or bad or not number))


def _at_its_end(name: str, inside: bool, told: bool) -> Iterator[Unread]:
    if inside:
        yield Unread(name, "it ends within a document")
    elif not told:
        yield Unread(name, "no tfdoctor report in it")


def _stem(name: str) -> str:
    """What names the node of a plain report."""
    return (
        "stdin"
        if name == "-"
        else re.split(r"[/:]", name)[-1].partition(".json")[0].removesuffix(".gz")
    )


def _skip(stream: BinaryIO, line: bytes) -> int:
    """Reads on to the end of a line, or as far as anything is read without a report; returns how many bytes that were."""
    skipped = 0
    while line and not line.endswith(b"\n") and skipped <= _MOST_BETWEEN:
        line = stream.readline(1 << 20)
        skipped += len(line)
    return skipped


def _is_ours(content: bytes) -> bool:
    """Anything else is a line of a log."""
    return b"{" in content and any(sign in content for sign in _SIGNS)
