"""An index that sends for ever, a byte a second, or other wheels than it says is given up; its rows are never proven."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date

import pytest

from tests.unit.knowledge.matrix.test_update import without
from tests.unit.knowledge.matrix.wheels import Site, wheel, wheel_name
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.fix.machine import Machine
from tfdoctor.fix.plan import plan
from tfdoctor.knowledge.matrix.cells import Row
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.matrix.wheels import index
from tfdoctor.knowledge.matrix.wheels.index import Index
from tfdoctor.knowledge.matrix.wheels.read import Read, Unreadable
from tfdoctor.knowledge.matrix.wheels.update import extended, harvest_new

pytestmark = pytest.mark.slow  # waits for limits

GOOD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


@contextmanager
def serving(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """A server that reads a request and leaves everything else to `answer`."""

    def serve() -> None:
        while True:
            try:
                peer, _ = listening.accept()
            except OSError:
                return
            try:
                peer.recv(1 << 16)
                answer(peer)
            except OSError:
                continue  # the reader hung up
            finally:
                peer.close()

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/simple"


def endless(peer: socket.socket) -> None:
    peer.sendall(GOOD + b"\r\n")
    while True:
        peer.sendall(b"<a>" * 100_000)


def packed(peer: socket.socket) -> None:
    """A gibibyte of zeros in a mebibyte."""
    import gzip

    peer.sendall(GOOD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"\0" * (256 << 20), 1))


def slow_headers(peer: socket.socket) -> None:
    for byte in GOOD * 1000:
        peer.sendall(bytes([byte]))
        time.sleep(0.05)


def slow_body(peer: socket.socket) -> None:
    peer.sendall(GOOD + b"\r\n")
    while True:
        peer.sendall(b"<")
        time.sleep(0.05)


@pytest.mark.parametrize("answer", [endless, packed], ids=lambda answer: answer.__name__)
def test_what_has_no_end_is_given_up_by_its_size(answer: Callable[[socket.socket], None]) -> None:
    with (
        serving(answer) as address,
        pytest.raises(index.TooLargeError, match="it sends more than the"),
    ):
        Index(address).wheels("tensorflow")


@pytest.mark.parametrize("answer", [slow_headers, slow_body], ids=lambda answer: answer.__name__)
def test_what_trickles_is_given_up_by_its_time(
    answer: Callable[[socket.socket], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "WHOLE_S", 0.5)
    with serving(answer) as address, pytest.raises(Exception, match="it is too slow"):
        Index(address).wheels("tensorflow")


class Lying(Site):
    """Its page states another digest than the wheel has."""

    def listing(self, project: str) -> bytes:
        return re.sub(rb"sha256=[0-9a-f]{64}", b"sha256=" + b"0" * 64, super().listing(project))


def harvested(site: Site, before: Matrix) -> tuple[list[Row], list[Unreadable], list[Read]]:
    from tests.unit.knowledge.matrix.wheels import serving as serving_wheels

    read: list[Read] = []
    with serving_wheels(site):
        rows, failed = harvest_new(
            before, Index(site.address), lambda each: read.append(each) if isinstance(each, Read) else None, date(2026, 12, 24)
        )  # fmt: skip
    return rows, failed, read


def test_a_wheel_that_is_not_what_the_index_states_is_damaged(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    site = Lying()
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0", padding=0)
    rows, failed, _ = harvested(site, without(["2.21.0"]))
    assert rows == []
    assert [each.damaged for each in failed] == [True]
    assert "SHA-256 is not the index's" in failed[0].error


def test_what_one_index_told_is_never_proven(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    before, site = without(["2.21.0"]), Site()
    site.wheels[wheel_name("2.21.0")] = wheel("2.21.0")
    rows, failed, read = harvested(site, before)
    assert (len(rows), failed) == (1, [])
    table = Matrix(
        extended(before, {rows[0]: read[0].cells}, date(2026, 12, 24)), "0" * 64, "cache"
    )
    release = table.release("2.21.0")
    assert isinstance(release, Known)
    assert not any(source.verified for source in release.value.sources.values())
    nothing = Absent("any")
    made = plan(Machine("linux_x86_64", nothing, nothing, nothing, nothing), table, spec=">=2.20")
    told = {option.release.tensorflow: option for option in made.options}
    assert not told["2.21.0"].proven
    assert "one index alone" in told["2.21.0"].notes[0]
    assert told["2.20.0"].proven
    assert made.options[0] is told["2.20.0"], "what is proven goes first"
