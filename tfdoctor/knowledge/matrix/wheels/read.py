"""From published wheels to matrix rows: only the zip's directory and the members asked for travel.

The server has to answer HTTP range requests (RFC 9110, section 14). One that does not is refused at once, before the
body arrives, so that no 600 MB are fetched by accident. Every Python's wheel of a release is read.
"""

from __future__ import annotations

import hashlib
import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import Any, NamedTuple

import requests
from remotezip import PartialBuffer, RemoteFetcher, RemoteZip, RemoteZipError

from tfdoctor.knowledge.matrix.cells import Row
from tfdoctor.knowledge.matrix.model import DamagedWheelError, MatrixError
from tfdoctor.knowledge.matrix.wheels.index import LARGEST_PAGE, TooLargeError, Wheel, get
from tfdoctor.knowledge.matrix.wheels.texts import MEMBERS, read_texts

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
            raise MatrixError(
                "the wheel's zip can't be read (it states pieces larger than any wheel's)"
            )
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
            hits = {
                each.pattern: next((n for n in names if each.fullmatch(n)), None) for each in wanted
            }
            texts = {
                pattern: _text(archive, name) for pattern, name in hits.items() if name is not None
            }
    except (
        zipfile.BadZipFile,
        zlib.error,
        RemoteZipError,
        EOFError,
        NotImplementedError,  # zipfile raises it for a compression that it does not know
        ValueError,
        OverflowError,
    ) as error:
        raise MatrixError(
            f"the wheel's zip can't be read ({type(error).__name__}: {error})"
        ) from error
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


THREADS = 8
Cells = dict[str, Any]


class Read(NamedTuple):
    """One wheel that was read: its cells, and how many bytes travelled for them."""

    wheel: Wheel
    cells: Cells
    received: int


class Unreadable(NamedTuple):
    """One wheel that could not be read, and why; `damaged`: its content is not what its own zip says."""

    wheel: Wheel
    error: str
    damaged: bool = False


def read_wheel(session: requests.Session, wheel: Wheel) -> Read:
    """The cells of one wheel. Raises MatrixError."""
    texts, received = read_members(session, wheel.url, MEMBERS, wheel.sha256)
    return Read(wheel, read_texts(texts, wheel.filename, wheel.platform), received)


def read_wheels(session: requests.Session, wheels: Iterable[Wheel]) -> Iterator[Read | Unreadable]:
    """Reads wheels side by side and yields each as soon as it is there. A bad one does not stop the others."""
    with ThreadPoolExecutor(THREADS) as pool:
        running: dict[Future[Read], Wheel] = {
            pool.submit(read_wheel, session, wheel): wheel for wheel in wheels
        }
        try:
            for done in as_completed(running):
                error = done.exception()
                if error is None:
                    yield done.result()
                elif isinstance(error, MatrixError):
                    yield Unreadable(
                        running[done], str(error), isinstance(error, DamagedWheelError)
                    )
                else:
                    raise error
        finally:
            for each in running:
                each.cancel()  # when the caller stops (Ctrl-C), what has not begun never does


def by_row(distribution: str, wheels: Iterable[Wheel]) -> dict[Row, list[Wheel]]:
    """The wheels of each release and platform, the oldest Python first."""
    rows: dict[Row, list[Wheel]] = {}
    for wheel in wheels:
        if wheel.python == "3":
            continue  # TensorFlow has none; one that says so is no wheel of it
        rows.setdefault(Row(wheel.release, distribution, wheel.platform), []).append(wheel)
    for each in rows.values():
        each.sort(key=lambda wheel: int(wheel.python.partition(".")[2]))
    return rows


def merged(read: Iterable[Read]) -> Cells:
    """One row's cells from the wheels of all its Pythons. What these disagree about (but requirements) is None."""
    by_python = {
        each.wheel.python: each
        for each in sorted(read, key=lambda each: int(each.wheel.python[2:]))
    }
    first = next(iter(by_python.values()))
    cells: Cells = {"python": list(by_python)}
    glibc = {each.wheel.glibc for each in by_python.values()}
    if first.wheel.glibc:
        cells["glibc"] = first.wheel.glibc if len(glibc) == 1 else None
    for field in sorted(
        {field for each in by_python.values() for field in each.cells} - {"requires"}
    ):
        values = [each.cells.get(field) for each in by_python.values()]
        cells[field] = values[0] if all(value == values[0] for value in values) else None
    requires = {python: each.cells["requires"] for python, each in by_python.items()}
    cells["requires"], cells["requires_by_python"] = split_requirements(requires)
    return cells


def split_requirements(
    by_python: Mapping[str, Mapping[str, Any]],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """What most Pythons require, and by Python what differs there; an empty list there means "not required"."""
    names = sorted({name for each in by_python.values() for name in each})
    common = {name: _usual([each.get(name) for each in by_python.values()]) for name in names}
    differing: dict[str, Any] = {}
    for python, each in by_python.items():
        own = {name: each.get(name, []) for name in names if each.get(name) != common[name]}
        if own:
            differing[python] = own
    return {name: value for name, value in common.items() if value is not None}, differing


def _usual(values: list[Any]) -> Any:
    counts = Counter(repr(value) for value in values)
    usual = max(counts, key=lambda text: counts[text])
    return next(value for value in values if repr(value) == usual)


def harvest(
    session: requests.Session,
    rows: Mapping[Row, list[Wheel]],
    progress: Callable[[Read | Unreadable], None] = lambda each: None,
) -> tuple[dict[Row, Cells], list[Unreadable]]:
    """The cells of each row whose wheels could all be read, and the wheels that could not."""
    read: list[Read] = []
    failed: list[Unreadable] = []
    for each in read_wheels(session, (wheel for wheels in rows.values() for wheel in wheels)):
        progress(each)
        if isinstance(each, Read):
            read.append(each)
        else:
            failed.append(each)
    found = {each.wheel.filename: each for each in read}
    whole = {
        row: mine for row, mine in rows.items() if all(wheel.filename in found for wheel in mine)
    }
    return {
        row: merged(found[wheel.filename] for wheel in mine) for row, mine in whole.items()
    }, failed
