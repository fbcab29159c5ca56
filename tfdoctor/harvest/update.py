"""Fetches a newer matrix into the user's cache, or adds releases that the one in force does not know yet.

Nothing is half-written: the matrix is renamed into place first and its digest after it, and a matrix whose digest
does not match counts for nothing (see load.py), so that a stop at any moment leaves the bundled one in force.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from tfdoctor.asking.safe_open import whole_of
from tfdoctor.harvest.bounded import TooLargeError, get, new_session
from tfdoctor.harvest.compact import Rows, compact, expand
from tfdoctor.harvest.index import Index, Wheel
from tfdoctor.harvest.wheels import Cells, Read, Unreadable, by_row, harvest
from tfdoctor.light.safe_replace import replace_file
from tfdoctor.matrix.cells import HARVESTED, ORDER, Cell, Row, rows
from tfdoctor.matrix.load import LARGEST, cache_file, digest_file, parse, version_key
from tfdoctor.matrix.model import UNVERIFIED, MatrixError
from tfdoctor.matrix.query import Matrix
from tfdoctor.matrix.validate import validate


def unknown_rows(matrix: Matrix, index: Index) -> dict[Row, list[Wheel]]:
    """Published releases that the matrix does not know and that are newer than its oldest, yanked ones left out.

    An index that has no tensorflow is an error; one that lacks another distribution tells nothing about that one.
    """
    from packaging.version import InvalidVersion, Version

    found: dict[Row, list[Wheel]] = {}
    for distribution, block in matrix.document["releases"].items():
        known = {Version(release) for release in block[ORDER]}
        finals = [version for version in known if not version.is_prerelease]
        new = []
        for wheel in _listed(index, distribution):
            try:
                version = Version(wheel.release)
            except InvalidVersion:
                continue  # no release of ours is named so
            wanted = version not in known and version > min(known) and not wheel.yanked
            if wanted and (not version.is_prerelease or version > max(finals)):
                new.append(wheel)
        found.update(by_row(distribution, new))
    return found


def _listed(index: Index, distribution: str) -> tuple[Wheel, ...]:
    try:
        return index.wheels(distribution)
    except MatrixError:
        if distribution == "tensorflow":
            raise
        return ()  # a company's own index often has no tensorflow-gpu or tensorflow-intel


def extended(matrix: Matrix, harvested: Mapping[Row, Cells], today: date) -> dict[str, Any]:
    """The matrix' document with these rows added; their cells cite the wheels as of `today`."""
    from packaging.version import Version

    document: dict[str, Any] = json.loads(json.dumps(matrix.document))  # the matrix in force stays as it is
    fresh = {name: f"{name}-{today.isoformat()}" for name in document["fields"].values()}
    for usual, name in fresh.items():
        said = document["sources"][usual]
        title = said["source"] if said["source"].endswith(UNVERIFIED) else said["source"] + UNVERIFIED
        document["sources"][name] = {**said, "source": title, "date": today.isoformat()}
    table: Rows = expand(document, rows(document["releases"]))
    for row, cells in harvested.items():
        table[row] = {
            field: Cell(value, fresh[document["fields"][field]])
            for field, value in cells.items()
            if field in HARVESTED and value is not None
        }
    distributions = list(document["releases"])
    orders = {
        name: sorted({row.release for row in table if row.distribution == name}, key=Version)
        for name in distributions
    }
    document["releases"] = compact(table, orders, document["fields"])
    document["version"] = _next_version(matrix.version, today)
    return document


def _next_version(version: str, today: date) -> str:
    """Today's, or where that is not newer the old one's with a number more."""
    new = today.strftime("%Y.%m.%d")
    if version_key(new) > version_key(version):
        return new
    numbers = version_key(version)
    return ".".join([version[:10], str((numbers[3] if len(numbers) > 3 else 0) + 1)])


def harvest_new(
    matrix: Matrix, index: Index, progress: Callable[[Read | Unreadable], None], today: date
) -> tuple[list[Row], list[Unreadable]]:
    """Reads the wheels of unknown releases and puts the extended matrix into the cache. Raises MatrixError.

    Returns the rows that were added, and the wheels that could not be read: their rows are left out.
    """
    found = unknown_rows(matrix, index)
    harvested, failed = harvest(index.session, found, progress)
    if harvested:
        document = extended(matrix, harvested, today)
        install(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")
    return list(harvested), failed


def fetch(address: str, sha256: str) -> Matrix:
    """Puts the matrix from a URL or file into the cache if it has this SHA-256. Raises MatrixError."""
    content = _content(address)
    digest = hashlib.sha256(content).hexdigest()
    if digest != sha256.strip().lower():
        raise MatrixError(f"{address}: its SHA-256 is {digest}, {sha256} was asked for")
    document = parse(content, address)
    validate(document, address)
    install(content)
    return Matrix(document, digest, "cache")


def _content(address: str) -> bytes:
    if "://" not in address:
        try:
            return whole_of(Path(address), LARGEST)
        except OSError as error:
            raise MatrixError(f"{address}: can't be read ({error.strerror})") from error
    if not address.startswith(("https://", "http://")):
        raise MatrixError(f"{address}: only http, https and file paths can be fetched")
    with new_session() as session:
        try:
            return get(session, address, {}, LARGEST).body
        except TooLargeError as error:
            raise MatrixError(f"{address}: sends more than {LARGEST} bytes, so it is no matrix") from error


def install(content: bytes) -> Path:
    """Puts a matrix and its digest into the cache, each renamed into place. Raises MatrixError."""
    target = cache_file()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        replace_file(str(target), content)
        replace_file(str(digest_file(target)), hashlib.sha256(content).hexdigest().encode() + b"\n")
    except OSError as error:
        raise MatrixError(f"{target}: can't be written ({error.strerror})") from error
    return target
