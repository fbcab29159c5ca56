"""One answer of a server, within bounds of size and time: an index may send for ever, or a byte a second.

A server that sends a byte before each time-out of the socket keeps a reading call for as long as it likes, in the
headers, too. So the call is made in a thread that is left behind when its time is over.
"""

from __future__ import annotations

import os
import re
import threading

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from tfdoctor.light.records import record
from tfdoctor.matrix.model import MatrixError

TRIES = 4
"""On 429, 5xx and lost connections, with pauses in between, or as long as Retry-After says."""
CONNECT_S = 30.0
"""For the connection, and for each byte after another."""
WHOLE_S = 60.0
"""For a whole answer, pauses included; more for a large one, see `SLOWEST`."""
SLOWEST = 64 << 10
"""Bytes a second: a page of 5 MB has 80 s more, and a slower line is no use for reading wheels."""
LARGEST_PAGE = 16 << 20
"""Of an index's page; tensorflow's has 2 MB (2026-11)."""
_CHUNK = 1 << 14  # what is packed can become a thousand times as large


class TooLargeError(MatrixError):
    """The server sends more than was asked for."""


@record
class Answer:
    """`headers` are requests', whose names have no case. url: after redirects."""

    status: int
    headers: requests.structures.CaseInsensitiveDict[str]
    body: bytes
    url: str


def new_session() -> requests.Session:
    session = requests.Session()
    session.verify = os.environ.get("PIP_CERT") or True
    retries = Retry(
        TRIES - 1, backoff_factor=0.5, status_forcelist=[429, *range(500, 600)], raise_on_status=False
    )
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(max_retries=retries))
    return session


class _Request(threading.Thread):
    def __init__(self, session: requests.Session, url: str, headers: dict[str, str], most: int) -> None:
        super().__init__(daemon=True, name="fetch")
        self._session, self._url, self._headers, self._most = session, url, headers, most
        self.answer: Answer | None = None
        self.failure: Exception | None = None
        self.received, self.left = 0, False

    def run(self) -> None:
        try:
            with self._session.get(
                self._url, headers=self._headers, timeout=CONNECT_S, stream=True
            ) as response:
                body = self._body(response) if response.ok else b""
                self.answer = Answer(response.status_code, response.headers, body, response.url)
        except Exception as error:  # noqa: BLE001  # raised again by whoever waits for it
            self.failure = error

    def _body(self, response: requests.Response) -> bytes:
        parts = []
        for part in response.iter_content(_CHUNK):
            self.received += len(part)
            if self.received > self._most or self.left:
                raise TooLargeError(f"it sends more than the {self._most} bytes that it can have")
            parts.append(part)
        return b"".join(parts)


def get(session: requests.Session, url: str, headers: dict[str, str], most: int) -> Answer:
    """One answer with a good status and at most `most` bytes. Raises MatrixError."""
    request = _Request(session, url, headers, most)
    request.start()
    request.join(WHOLE_S + most / SLOWEST if most < LARGEST_PAGE else WHOLE_S)
    if request.is_alive():
        request.left = True
        raise MatrixError(f"{_shown(url)}: it is too slow: {request.received} bytes came in its time")
    if isinstance(request.failure, MatrixError):
        raise type(request.failure)(f"{_shown(url)}: {request.failure}") from request.failure
    if isinstance(request.failure, (requests.RequestException, OSError)):
        raise MatrixError(f"{_shown(url)} can't be reached ({type(request.failure).__name__})")
    if request.failure is not None:
        raise request.failure
    assert request.answer is not None
    if request.answer.status >= 400:
        raise MatrixError(f"{_shown(url)} answers with status {request.answer.status}")
    return request.answer


def _shown(url: str) -> str:
    """The address without credentials, which belong into no message."""
    return re.sub(r"//[^/@]*@", "//", url)
