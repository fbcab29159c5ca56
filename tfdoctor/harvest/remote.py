"""A wheel that is on a server, read in pieces: only the zip's directory and the members asked for travel.

The server has to answer HTTP range requests (RFC 9110, section 14). One that does not is refused at once,
before the body arrives, so that no 600 MB are fetched by accident.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
import zlib
from collections.abc import Iterable

import requests
from remotezip import PartialBuffer, RemoteFetcher, RemoteZip, RemoteZipError

from tfdoctor.harvest.bounded import LARGEST_PAGE, TooLargeError, get
from tfdoctor.matrix.model import DamagedWheelError, MatrixError

MEMBER_BYTES = 4 * 1024 * 1024
"""No member that is asked for is nearly as large; a zip that says so is broken or hostile."""
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)$")


class _Fetcher(RemoteFetcher):  # type: ignore[misc]  # remotezip publishes no types
    """Fetches within bounds of size and time. `received` counts the bytes that came."""

    def __init__(self, url: str, session: requests.Session, **options: bool) -> None:
        super().__init__(url, session, **options)
        self.received = 0

    def fetch(self, data_range: tuple[int, int | None], stream: bool = False) -> PartialBuffer:
        first, last = data_range
        most = -first if last is None else last - first + 1
        if most > LARGEST_PAGE:
            raise MatrixError("the wheel's zip can't be read (it states pieces larger than any wheel's)")
        headers = {"Range": self.build_range_header(first, last), "Accept-Encoding": "identity"}
        try:
            answer = get(self._session, self._url, headers, most)
        except TooLargeError as error:
            raise MatrixError("the server does not answer range requests") from error
        stated = _RANGE.match(answer.headers.get("Content-Range", ""))
        if answer.status != 206 or stated is None:
            raise MatrixError("the server does not answer range requests")
        start, end, self.size = map(int, stated.groups())
        if len(answer.body) != end - start + 1:
            raise MatrixError(f"the server sent {len(answer.body)} bytes of {end - start + 1}")
        self.received += len(answer.body)
        self.body = answer.body
        return PartialBuffer(io.BytesIO(answer.body), start, len(answer.body), False)


def read_members(
    session: requests.Session, url: str, wanted: Iterable[re.Pattern[str]], sha256: str = ""
) -> tuple[dict[str, str], int]:
    """For each pattern the text of the first member (by name) that it matches in full, and the bytes that came.

    sha256: what the index states; compared where all of the wheel came in one piece. Keys are the patterns' own
    texts; one that matches nothing has no key. Raises MatrixError for a server that can't be asked so and for a zip
    that can't be read, DamagedWheelError for a member that is not what the zip says.
    """
    fetcher = _Fetcher(url, session)
    try:
        with RemoteZip(url, session=session, fetcher=lambda *_, **__: fetcher) as archive:
            if sha256 and len(fetcher.body) == fetcher.size:
                _compare(fetcher.body, sha256)
            names = sorted(archive.namelist())
            hits = {each.pattern: next((n for n in names if each.fullmatch(n)), None) for each in wanted}
            texts = {pattern: _text(archive, name) for pattern, name in hits.items() if name is not None}
    except (
        zipfile.BadZipFile,
        zlib.error,
        RemoteZipError,
        EOFError,
        NotImplementedError,  # zipfile raises it for a compression that it does not know
        ValueError,
        OverflowError,
    ) as error:
        raise MatrixError(f"the wheel's zip can't be read ({type(error).__name__}: {error})") from error
    return texts, fetcher.received


def _compare(whole: bytes, sha256: str) -> None:
    if hashlib.sha256(whole).hexdigest() != sha256:
        raise DamagedWheelError(f"the wheel's SHA-256 is not the index's ({sha256})")


def _text(archive: zipfile.ZipFile, name: str) -> str:
    if archive.getinfo(name).file_size > MEMBER_BYTES:
        raise MatrixError(f"the wheel's {name} is larger than any such file can be")
    try:
        return archive.read(name).decode("utf-8", "replace")
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise DamagedWheelError(f"the wheel's {name} is damaged ({error})") from error
