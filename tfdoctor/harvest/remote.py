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

from tfdoctor.harvest.bounded import TooLargeError
from tfdoctor.harvest.index import get
from tfdoctor.matrix.model import DamagedWheelError, MatrixError

TAIL_BYTES = 64 * 1024
"""Read first: holds the record at the directory's end, and all of a small wheel."""
PIECE_BYTES = 16 * 1024
"""A smaller piece costs as much time as this one."""
MEMBER_BYTES = 4 * 1024 * 1024
"""No member that is asked for is nearly as large; a zip that says so is broken or hostile."""
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)$")


class RemoteFile(io.RawIOBase):
    """A read-only file over range requests. `received` counts the bytes that came."""

    def __init__(self, session: requests.Session, url: str) -> None:
        self._session, self._url, self._at = session, url, 0
        self.received = 0
        self._start, self._piece, self.size = 0, b"", 0
        self._fetch(f"bytes=-{TAIL_BYTES}")
        self._tail_start, self._tail = self._start, self._piece

    def _fetch(self, wanted: str) -> None:
        first_asked, _, last_asked = wanted.partition("=")[2].partition("-")
        most = int(last_asked) - int(first_asked) + 1 if first_asked else TAIL_BYTES
        try:
            answer = get(self._session, self._url, {"Range": wanted, "Accept-Encoding": "identity"}, most)
        except TooLargeError as error:
            raise MatrixError("the server does not answer range requests") from error
        stated, body = _RANGE.match(answer.headers.get("Content-Range", "")), answer.body
        if answer.status != 206 or stated is None:
            raise MatrixError("the server does not answer range requests")
        first, last, self.size = (int(number) for number in stated.groups())
        if len(body) != last - first + 1:
            raise MatrixError(f"the server sent {len(body)} bytes of {last - first + 1}")
        self._start, self._piece = first, body
        self.received += len(body)

    def compare(self, sha256: str) -> None:
        """Raises DamagedWheelError where all of it is here and is not what the index states."""
        if sha256 and len(self._tail) == self.size and hashlib.sha256(self._tail).hexdigest() != sha256:
            raise DamagedWheelError(f"the wheel's SHA-256 is not the index's ({sha256})")

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def read(self, size: int = -1) -> bytes:
        """Bytes from the last piece or the tail where they hold all of them; else one request."""
        wanted = min(size if size >= 0 else self.size, self.size - self._at)
        if wanted <= 0:
            return b""
        at = self._at
        if at >= self._tail_start:
            found = self._tail[at - self._tail_start :][:wanted]
        else:
            if not (self._start <= at and at + wanted <= self._start + len(self._piece)):
                last = min(at + max(wanted, PIECE_BYTES), self.size) - 1
                self._fetch(f"bytes={at}-{last}")
            found = self._piece[at - self._start :][:wanted]
        self._at += len(found)
        return found


def read_members(
    session: requests.Session, url: str, wanted: Iterable[re.Pattern[str]], sha256: str = ""
) -> tuple[dict[str, str], int]:
    """For each pattern the text of the first member (by name) that it matches in full, and the bytes that came.

    sha256: what the index states; compared where all of the wheel came in one piece. Keys are the patterns' own texts; one that matches nothing has no key. Raises MatrixError for a server that
    can't be asked so and for a zip that can't be read, DamagedWheelError for a member that is not what the zip says.
    """
    file = RemoteFile(session, url)
    file.compare(sha256)
    try:
        with zipfile.ZipFile(file) as archive:
            names = sorted(archive.namelist())
            hits = {each.pattern: next((n for n in names if each.fullmatch(n)), None) for each in wanted}
            texts = {pattern: _text(archive, name) for pattern, name in hits.items() if name is not None}
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,  # zipfile raises it for a compression that it does not know
        ValueError,
        OverflowError,
    ) as error:
        raise MatrixError(f"the wheel's zip can't be read ({type(error).__name__}: {error})") from error
    return texts, file.received


def _text(archive: zipfile.ZipFile, name: str) -> str:
    if archive.getinfo(name).file_size > MEMBER_BYTES:
        raise MatrixError(f"the wheel's {name} is larger than any such file can be")
    try:
        return archive.read(name).decode("utf-8", "replace")
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise DamagedWheelError(f"the wheel's {name} is damaged ({error})") from error
