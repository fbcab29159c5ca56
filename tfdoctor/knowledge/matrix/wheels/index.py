"""The package index: which wheels of a distribution exist, where they are, and one answer of a server within bounds.

The index is the one that pip is configured with: PIP_INDEX_URL, else `global.index-url` of `pip config`, else
the default that pypi-simple brings. Wheels of its own address (`file:` indexes) are of no use here: a matrix row
has to be provable by anybody.

A server may send for ever, or a byte before each time-out of the socket, in the headers, too. So each call is made in
a thread that is left behind when its time is over.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading

import requests
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from tfdoctor.base.child import run_child
from tfdoctor.base.records import record
from tfdoctor.knowledge.matrix.model import MatrixError

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
        TRIES - 1,
        backoff_factor=0.5,
        status_forcelist=[429, *range(500, 600)],
        raise_on_status=False,
    )
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(max_retries=retries))
    return session


class _Request(threading.Thread):
    def __init__(
        self, session: requests.Session, url: str, headers: dict[str, str], most: int
    ) -> None:
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
        raise MatrixError(
            f"{_shown(url)}: it is too slow: {request.received} bytes came in its time"
        )
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


_PYTHON_3 = re.compile(r"cp3(\d+)|py3")
_GLIBC = re.compile(r"manylinux_(\d+)_(\d+)_")
_OLD_MANYLINUX = {"manylinux1": "2.5", "manylinux2010": "2.12", "manylinux2014": "2.17"}
"""PEP 600: the names that older tags had for these glibc floors."""


@record
class Wheel:
    """One wheel, as its file name tells."""

    filename: str
    distribution: str
    url: str
    release: str
    python: str  # "3.11"; "3" for every Python 3
    platform: str  # "linux_x86_64"
    glibc: str  # "2.27"; "" off Linux
    sha256: str
    yanked: bool


def wheel_of(filename: str, url: str, sha256: str = "", yanked: bool = False) -> Wheel | None:
    """A wheel from its name; None where the name is no wheel for Python 3 on a platform that we know."""
    try:
        name, version, _, tags = parse_wheel_filename(filename)
    except InvalidWheelFilename:
        return None
    for tag in sorted(tags, key=str):
        platform, python = platform_of(tag.platform), _PYTHON_3.fullmatch(tag.interpreter)
        if platform is not None and python is not None:
            feature = f"3.{python[1]}" if python[1] else "3"
            glibc = glibc_of(tag.platform)
            return Wheel(
                filename, name, url, str(version), feature, platform, glibc, sha256, yanked
            )
    return None


def platform_of(tag: str) -> str | None:
    """ "manylinux_2_17_x86_64.manylinux2014_x86_64" is linux_x86_64, "macosx_12_0_arm64" is macosx_arm64."""
    if tag == "win_amd64":
        return "win_amd64"
    for system, prefix in (("manylinux", "linux"), ("macosx", "macosx")):
        for machine in ("x86_64", "aarch64", "arm64", "intel"):
            if tag.startswith(system) and tag.endswith("_" + machine):
                return f"{prefix}_{'x86_64' if machine == 'intel' else machine}"
    return None


def glibc_of(tag: str) -> str:
    """The glibc that a manylinux tag asks for; of several names for the same floor any; "" for other tags."""
    new = _GLIBC.search(tag)
    if new:
        return f"{new[1]}.{new[2]}"
    return next((glibc for old, glibc in _OLD_MANYLINUX.items() if tag.startswith(old)), "")


def index_address() -> str:
    """The address of the configured index's simple API."""
    stated = os.environ.get("PIP_INDEX_URL") or _configured()
    if stated:
        return stated
    from pypi_simple import PYPI_SIMPLE_ENDPOINT

    return PYPI_SIMPLE_ENDPOINT


def _configured() -> str:
    for pip in ([sys.executable, "-I", "-m", "pip"], ["pip"]):
        answer = run_child([*pip, "config", "get", "global.index-url"], timeout_s=20)
        if answer.ok:
            return answer.stdout.decode("utf-8", "replace").strip().strip("'\"")
    return ""


class Index:
    """The simple API of one index. Every failure is a MatrixError that says what the index answered."""

    def __init__(self, address: str | None = None) -> None:
        self.address = (address or index_address()).rstrip("/")
        self.session = new_session()

    def wheels(self, distribution: str) -> tuple[Wheel, ...]:
        """The wheels of a distribution, by release and Python as the index lists them; yanked ones are marked."""
        from pypi_simple import ProjectPage, UnsupportedRepoVersionError

        url = f"{self.address}/{distribution}/"
        headers = {"Accept": "application/vnd.pypi.simple.v1+json, text/html;q=0.5"}
        answer = get(self.session, url, headers, LARGEST_PAGE)
        try:
            if "json" in answer.headers.get("Content-Type", ""):
                page = ProjectPage.from_json_data(json.loads(answer.body), answer.url)
            else:
                page = ProjectPage.from_html(distribution, answer.body, base_url=answer.url)
        except (
            UnsupportedRepoVersionError,
            ValueError,
            KeyError,
            TypeError,
            RecursionError,
        ) as error:
            raise MatrixError(
                f"the index's page on {distribution} can't be read ({type(error).__name__})"
            ) from error
        found = (
            wheel_of(
                each.filename,
                each.url,
                (each.digests or {}).get("sha256", ""),
                bool(each.is_yanked),
            )
            for each in page.packages
        )
        name = canonicalize_name(distribution)
        wheels = tuple(each for each in found if each is not None and each.distribution == name)
        if not wheels:
            raise MatrixError(f"the index's page on {distribution} lists no wheel")
        return wheels
