"""Opens what a user calls a log: a file, a pipe, a compressed file; hands its bytes out piece by piece.

Nothing is unpacked to disk and nothing is held whole: a log of gigabytes costs the memory of one piece.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import IO, Any, cast

from tfdoctor.base.records import record

PIECE = 1 << 20
_BOMB_BYTES = 2 << 30
_BOMB_RATIO = (
    200  # text of logs shrinks to a twentieth, a log of one repeated line to a two hundredth
)

GZIP, XZ, ZSTD, BZIP2, PLAIN = "gzip", "xz", "zstd", "bzip2", "text"
_MAGIC = ((b"\x1f\x8b", GZIP), (b"\xfd7zXZ\x00", XZ), (b"\x28\xb5\x2f\xfd", ZSTD), (b"BZh", BZIP2))


class LogError(Exception):
    """A log that can't be read; the message says which and why in one clause."""


@record
class Opened:
    """A log ready to be read. `pieces` yields bytes; `note()` tells afterwards what was left unread, "" if nothing.

    regular: it is a file, so it has an end.
    """

    name: str
    kind: str
    pieces: Iterator[bytes]
    note: Callable[[], str]
    regular: bool


def opened_logs(
    names: Iterable[str], waiting: Callable[[str], None] = lambda name: None
) -> Iterator[tuple[str, IO[bytes]]]:
    """The files of these names, each opened when it is its turn; "-" is standard input. Raises LogError.

    waiting: told of a named pipe into which nobody writes.
    """
    for name in names:
        try:
            file = _stdin() if name == "-" else _file(name, waiting)
        except OSError as error:
            raise _unreadable(name, error) from error
        yield name, file


def open_log(name: str, file: IO[bytes]) -> Opened:
    """The log, unpacked where it is packed. Raises LogError where there is nothing to read."""
    try:
        head = _first(file)
    except OSError as error:
        raise _unreadable(name, error) from error
    kind = next((kind for magic, kind in _MAGIC if head.startswith(magic)), PLAIN)
    reader = _Reader(name, file, head)
    pieces = reader.plain() if kind == PLAIN else reader.unpacked(kind)
    return Opened(name, kind, pieces, lambda: reader.note, _is_regular(file))


def _unreadable(name: str, error: OSError) -> LogError:
    return LogError(f"{name}: can't be read ({error.strerror or error})")


def _stdin() -> IO[bytes]:
    if sys.stdin is None:
        raise LogError("-: standard input is closed")
    return sys.stdin.buffer


def _file(name: str, waiting: Callable[[str], None]) -> IO[bytes]:
    kind = os.stat(name).st_mode
    if stat.S_ISDIR(kind):
        raise LogError(f"{name}: it is a directory; name the log inside it")
    return _pipe(name, waiting) if stat.S_ISFIFO(kind) else open(name, "rb", buffering=0)


def _pipe(name: str, waiting: Callable[[str], None]) -> IO[bytes]:
    """A named pipe, once something is written into it: to open one without a writer would wait without a word."""
    import select  # a browser has none

    handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    if not poll.poll(_PATIENCE_MS):
        waiting(name)
        poll.poll()
    os.set_blocking(handle, True)
    return open(handle, "rb", buffering=0)


_PATIENCE_MS = 1000


def _is_regular(file: IO[bytes]) -> bool:
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    except (OSError, ValueError):  # bytes in memory have no handle
        return False


def _first(file: IO[bytes]) -> bytes:
    """Enough to tell what it is. A pipe may hand out single bytes."""
    head = b""
    while len(head) < 6:
        piece = _read(file)
        if not piece:
            break
        head += piece
    return head


def _read(file: IO[bytes]) -> bytes:
    read = getattr(file, "read1", file.read)  # what is there now: a pipe is judged as far as it got
    return cast(bytes, read(PIECE))


class _Reader:
    """The pieces of one file, and why it stopped before the end."""

    def __init__(self, name: str, file: IO[bytes], head: bytes) -> None:
        self._name, self._file, self._head = name, file, head
        self.note = ""

    def plain(self) -> Iterator[bytes]:
        """What a pipe hands out in small portions is gathered: each piece costs something by itself."""
        gathered, size = [self._head], len(self._head)
        while portion := self._portion():
            if size >= PIECE:
                yield b"".join(gathered)
                gathered, size = [], 0
            gathered.append(portion)
            size += len(portion)
        if size:
            yield b"".join(gathered)

    def _portion(self) -> bytes:
        """The next bytes; none at the end, and none where reading stops before it."""
        try:
            return _read(self._file) if self._head else b""
        except OSError as error:
            self.note = f"reading stopped: {error.strerror or error}"
        except KeyboardInterrupt:
            self.note = "interrupted; what had been read until then was judged"
        return b""

    def unpacked(self, kind: str) -> Iterator[bytes]:
        """Decompressed pieces. What follows a broken place is lost; a bomb is not followed."""
        taken = _Counted(self.plain())
        given = 0
        try:
            for piece in _pieces(kind, taken, self._name):
                given += len(piece)
                yield piece
                if given > _BOMB_BYTES and given > taken.bytes * _BOMB_RATIO:
                    self.note = f"unpacking stopped after {given >> 20} MiB: it grows {given // taken.bytes}-fold"
                    return
        except LogError:
            raise
        except EOFError:
            self.note = (
                self.note or f"the {kind} data ends too early; only what is there could be read"
            )
        except Exception as error:  # noqa: BLE001  # lzma, zlib and zstandard have errors of their own without a common base
            self.note = (
                f"the {kind} data is damaged ({error}); only what stands before could be read"
            )


class _Counted:
    """Packed pieces as an iterator and as a file, with how much was taken."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest = pieces, b""
        self.bytes = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self.bytes += len(piece)
            yield piece

    def read(self, size: int = -1) -> bytes:
        if not self._rest:
            self._rest = next(self._pieces, b"")
            self.bytes += len(self._rest)
        out, self._rest = (self._rest, b"") if size < 0 else (self._rest[:size], self._rest[size:])
        return out


def _pieces(kind: str, packed: _Counted, name: str) -> Iterator[bytes]:
    """Raises EOFError where the data ends before its end."""
    if kind == ZSTD:
        yield from _of_zstd(packed, name)
        return
    unpacker = _Unpacker(_MAKERS[kind])
    for piece in packed:
        yield from unpacker.pieces(piece)
    if not unpacker.complete:
        raise EOFError


def _of_zstd(packed: _Counted, name: str) -> Iterator[bytes]:
    with _zstd_reader(cast("IO[bytes]", packed), name) as reader:
        while piece := reader.read(PIECE):
            yield piece


def _zstd_reader(packed: IO[bytes], name: str) -> Any:
    """Python has its own from 3.14 on; before, and where it is faster, the library's."""
    try:
        import zstandard
    except ImportError:
        try:
            zstd: Any = import_module("compression.zstd")
        except ImportError as error:
            raise LogError(
                f"{name}: this Python can't unpack zstd; pipe it: zstd -dc {name} | tfdoctor diagnose -"
            ) from error
        return zstd.ZstdFile(packed, options={zstd.DecompressionParameter.window_log_max: 27})
    unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    return unpacker.stream_reader(packed, read_across_frames=True, closefd=False)


class _Unpacker:
    """One decompressor after the other: a log that is appended to holds several streams."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make, self._now = make, make()
        self.complete = False

    def pieces(self, packed: bytes) -> Iterator[bytes]:
        while packed or not self._now.needs_input:
            out = self._now.decompress(packed, PIECE)
            packed = b""
            if out:
                yield out
            self.complete = self._now.eof
            if self._now.eof:
                packed = self._now.unused_data.lstrip(b"\0")
                self._now = self._make()
                if not packed:
                    return
                self.complete = False
            elif not out and self._now.needs_input:
                return


class _Gunzip:
    """zlib with the face of lzma's decompressor."""

    def __init__(self) -> None:
        import zlib

        self._inner = zlib.decompressobj(wbits=31)

    def decompress(self, packed: bytes, most: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + packed, most)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail


_MAKERS: dict[str, Callable[[], Any]] = {
    GZIP: _Gunzip,
    XZ: lambda: import_module("lzma").LZMADecompressor(),
    BZIP2: lambda: import_module("bz2").BZ2Decompressor(),
}
