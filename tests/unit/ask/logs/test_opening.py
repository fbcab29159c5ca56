"""A log is opened whatever it is packed in; what can't be read is said and what could be is used."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tfdoctor.ask.logs.forms import opening
from tfdoctor.ask.logs.forms.opening import LogError, Opened, open_log, opened_logs
from tfdoctor.ask.logs.read import read_streams

TEXT = b"first\nKilled\n" * 50_000
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "text": bytes,
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
    "zstd": lambda data: zstandard.compress(data),
}


def opened_log(name: str) -> Opened:
    return open_log(*next(opened_logs([name])))


def read(path: Path) -> tuple[bytes, str, str]:
    opened = opened_log(str(path))
    return b"".join(opened.pieces), opened.kind, opened.note()


@pytest.mark.parametrize("kind", PACKERS)
def test_it_is_unpacked_by_its_first_bytes_and_not_by_its_name(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    file.write_bytes(PACKERS[kind](TEXT))
    assert read(file) == (TEXT, kind, "")


@pytest.mark.parametrize("kind", ["gzip", "xz", "bzip2", "zstd"])
def test_several_streams_in_one_file_are_all_read(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    file.write_bytes(PACKERS[kind](b"one\n") + PACKERS[kind](b"two\n"))
    assert read(file)[0] == b"one\ntwo\n"


@pytest.mark.parametrize("kind", ["gzip", "xz", "bzip2"])
def test_of_a_cut_one_the_beginning_is_read_and_the_cut_is_said(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    noise = os.urandom(400_000)
    file.write_bytes(PACKERS[kind](b"first\n" + noise)[:-1000])
    data, _, note = read(file)
    assert b"first\n".startswith(data[:6])
    assert "ends too early" in note


def test_a_damaged_one_is_read_up_to_the_damage(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(os.urandom(400_000)))
    packed[200_000] ^= 0xFF
    (tmp_path / "a.gz").write_bytes(packed)
    assert "damaged" in read(tmp_path / "a.gz")[2]


@pytest.mark.slow  # makes the bomb
def test_a_bomb_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_BOMB_BYTES", 8 << 20)
    (tmp_path / "a.xz").write_bytes(lzma.compress(bytes(64 << 20)))
    opened = opened_log(str(tmp_path / "a.xz"))
    largest = total = 0
    for piece in opened.pieces:
        largest, total = max(largest, len(piece)), total + len(piece)
    assert total <= 10 << 20
    assert largest <= 1 << 20
    assert "grows" in opened.note()


def test_what_can_not_be_opened_is_one_clause(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="it is a directory"):
        opened_log(str(tmp_path))
    with pytest.raises(LogError, match=r"none\.log: can't be read \(No such file or directory\)"):
        opened_log(str(tmp_path / "none.log"))


def test_an_empty_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.log").touch()
    assert read(tmp_path / "a.log") == (b"", "text", "")


def test_a_pipe_of_small_portions_is_read_in_large_pieces() -> None:
    """Each piece costs something by itself, and a pipe hands out 64 kB at most."""
    reading, writing = os.pipe()
    data = TEXT * 5

    def write() -> None:
        for at in range(0, len(data), 5_000):
            os.write(writing, data[at : at + 5_000])
        os.close(writing)

    writer = threading.Thread(target=write)
    writer.start()
    pieces = list(opened_log(f"/dev/fd/{reading}").pieces)
    writer.join()
    os.close(reading)
    assert b"".join(pieces) == data
    assert len(pieces) <= len(data) // opening.PIECE + 1


@pytest.mark.slow  # waits for a second
def test_a_named_pipe_without_a_writer_is_said_and_read_when_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    said: list[str] = []

    def waiting(name: str) -> None:
        said.append(name)
        threading.Thread(target=lambda: path.write_bytes(b"Killed\n")).start()

    name, file = next(opened_logs([str(path)], waiting))
    assert (said, b"".join(open_log(name, file).pieces)) == ([str(path)], b"Killed\n")


def test_a_named_pipe_with_a_writer_is_read_without_a_word(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    said: list[str] = []
    threading.Thread(target=lambda: path.write_bytes(b"Killed\n")).start()
    name, file = next(opened_logs([str(path)], said.append))
    assert (said, b"".join(open_log(name, file).pieces)) == ([], b"Killed\n")


@pytest.mark.parametrize("start", [b"PK\x03\x04", b"Rar!\x1a\x07", b"7z\xbc\xaf'\x1c"])
def test_an_archive_that_looks_like_text_is_none(start: bytes) -> None:
    with pytest.raises(LogError, match="unpack an archive"):
        read_streams([("x.zip", io.BytesIO(start + b"a.log Killed\n" * 5000))])
