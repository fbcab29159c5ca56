"""The parts that stand between a command and its streams, without a command: `test_streams.py` tries the whole."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import until
from tfdoctor.ask.recorder.streams import (
    FILE,
    NONE,
    PIPE,
    SOCKET,
    Forwarder,
    OutputBuffer,
    Plan,
    Text,
    close_fds,
    inherited,
    pass_on,
    plan,
    to_null,
    write_all,
)


@contextlib.contextmanager
def standing_in(**streams: int) -> Iterator[None]:
    """Has these files in the place of this process' own streams; -1 closes one."""
    numbers = {"stdin": 0, "stdout": 1, "stderr": 2}
    kept = {numbers[name]: os.dup(numbers[name]) for name in streams}
    try:
        for name, file in streams.items():
            if file >= 0:
                os.dup2(file, numbers[name])
            else:
                os.close(numbers[name])
        yield
    finally:
        for number, file in kept.items():
            os.dup2(file, number)
            os.close(file)


class Files(list[int]):
    """Open files, closed at the end of a test."""

    def close(self, number: int) -> None:
        self.remove(number)  # its number may be another file's soon
        os.close(number)


@pytest.fixture
def opened() -> Iterator[Files]:
    files = Files()
    yield files
    close_fds(tuple(files))


@pytest.mark.parametrize(
    ("flags", "offset"), [(os.O_WRONLY, 3), (os.O_WRONLY | os.O_APPEND, 8)], ids=["2>", "2>>"]
)
def test_words_in_a_file_begin_where_the_command_does(
    flags: int, offset: int, tmp_path: Path, opened: Files
) -> None:
    (tmp_path / "log").write_bytes(b"earlier\n")
    opened.append(os.open(tmp_path / "log", flags))
    os.lseek(opened[0], 3, os.SEEK_SET)
    with standing_in(stderr=opened[0]):
        assert plan() == Plan(FILE, offset=offset)


def test_a_pipe_is_taken_and_stdout_with_it_where_both_are_one(opened: Files) -> None:
    opened += [*os.pipe(), *os.pipe()]
    with standing_in(stdout=opened[3], stderr=opened[1]):
        assert plan() == Plan(PIPE, (2,))
    with standing_in(stdout=opened[1], stderr=opened[1]):
        assert plan() == Plan(PIPE, (1, 2))


def test_a_socket_is_taken(opened: Files) -> None:
    opened += [each.detach() for each in socket.socketpair()]
    with standing_in(stdout=opened[1], stderr=opened[0]):
        assert plan() == Plan(SOCKET, (2,))


def test_what_can_not_be_read(opened: Files) -> None:
    opened += [os.open(os.devnull, os.O_WRONLY), *pty.openpty()]
    with standing_in(stderr=opened[0]):
        assert plan() == Plan(NONE, why="stderr goes to a device that keeps nothing")
    with standing_in(stderr=opened[2]):
        assert plan() == Plan(NONE, why="stderr is a terminal that is not this session's own")
    with standing_in(stderr=-1):
        closed = plan()
    assert closed == Plan(NONE, why="stderr is closed")


def test_files_that_are_handed_on(opened: Files) -> None:
    opened += os.pipe()
    before = inherited()
    os.set_inheritable(opened[1], True)
    assert set(inherited()) - set(before) == {opened[1]} and min(inherited()) > 2
    handed_on = opened.pop()
    close_fds((handed_on, handed_on))  # of a closed one nothing is said
    assert inherited() == before


def test_a_stream_that_is_the_commands_alone_becomes_the_null_device(opened: Files) -> None:
    opened += os.pipe()
    closed = fcntl.fcntl(opened[0], fcntl.F_DUPFD, 500)
    os.close(closed)
    before = os.listdir("/proc/self/fd")
    to_null(opened[1], closed)
    assert os.listdir("/proc/self/fd") == before
    assert os.read(opened[0], 1) == b"", "the writing end is gone"
    assert os.path.samestat(os.fstat(opened[1]), os.stat(os.devnull))
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(closed)


def test_all_is_passed_on_to_the_end_and_kept(opened: Files) -> None:
    opened += [*os.pipe(), *os.pipe()]
    source, their_end, ours, target = opened
    tape, begun = OutputBuffer(), time.monotonic()
    os.write(their_end, b"last words\n")
    opened.close(their_end)
    pass_on(source, target, tape)
    assert os.read(ours, 100) == b"last words\n"
    assert (tape.text(), tape.total, tape.busy) == (Text(b"last words\n", 0, b""), 11, False)
    assert begun <= tape.last_at <= time.monotonic()


def test_a_reader_that_went_away_ends_it(opened: Files) -> None:
    opened += [*os.pipe(), *os.pipe()]
    source, their_end, ours, target = opened
    opened.close(ours)
    os.write(their_end, b"x")
    tape = OutputBuffer()
    pass_on(source, target, tape)  # though the command could still write
    assert (tape.total, write_all(target, b"y")) == (1, False)


def test_a_terminal_that_nobody_has_open_any_more_is_the_end(opened: Files) -> None:
    opened += [*pty.openpty(), *os.pipe()]
    ours, theirs, _, target = opened
    opened.close(theirs)
    pass_on(ours, target, OutputBuffer())


def test_a_pipe_that_somebody_set_to_non_blocking_is_waited_for(opened: Files) -> None:
    opened += os.pipe()
    ours, target = opened
    os.set_blocking(target, False)
    fcntl.fcntl(target, fcntl.F_SETPIPE_SZ, 4096)
    read = bytearray()

    def reads() -> None:
        while len(read) < 1 << 16:
            read.extend(os.read(ours, 1 << 16))

    reader = threading.Thread(target=reads)
    reader.start()
    data = bytes(range(256)) * 256
    assert write_all(target, data)
    reader.join()
    assert bytes(read) == data


@pytest.mark.parametrize("kind", [PIPE, SOCKET])
def test_a_forwarder_passes_on_beside_the_command(kind: str, opened: Files) -> None:
    opened += os.pipe()
    ours, target = opened
    forwarder = Forwarder(kind)
    opened.append(command := os.dup(forwarder.write_end))
    forwarder.begin(target)
    os.write(command, b"Epoch 1/3\n")
    assert os.read(ours, 100) == b"Epoch 1/3\n"
    forwarder.settle(5.0)
    assert forwarder.tape.text().whole == b"Epoch 1/3\n" and not forwarder.tape.busy
    handle = forwarder.handle
    opened.close(command)
    until(lambda: os.waitid(os.P_PIDFD, handle, os.WEXITED | os.WNOWAIT | os.WNOHANG))
    forwarder.ended()
    assert forwarder.handle == -1
    forwarder.settle(5.0)  # nothing is waited for any more
    with pytest.raises(OSError, match="Bad file descriptor"):
        signal.pidfd_send_signal(handle, 0)


def test_a_forwarder_that_is_held_up_is_waited_for_no_longer_than_said(opened: Files) -> None:
    opened += os.pipe()
    fcntl.fcntl(opened[1], fcntl.F_SETPIPE_SZ, 4096)
    forwarder = Forwarder(PIPE)
    opened.append(command := os.dup(forwarder.write_end))
    forwarder.begin(opened[1])
    os.write(command, bytes(8192))  # more than the reader's pipe holds, and nobody reads
    until(lambda: forwarder.tape.busy)
    begun = time.monotonic()
    forwarder.settle(0.05)
    assert 0.05 <= time.monotonic() - begun < 2
    assert forwarder.tape.busy
    opened.close(command)
    opened.close(opened[0])  # the reader goes away
    until(lambda: os.waitid(os.P_PIDFD, forwarder.handle, os.WEXITED | os.WNOWAIT | os.WNOHANG))
    forwarder.ended()
