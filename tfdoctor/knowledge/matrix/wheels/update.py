"""Fetches a newer matrix into the user's cache, or adds releases that the one in force does not know yet.

Nothing is half-written: the matrix is renamed into place first and its digest after it, and a matrix whose digest
does not match counts for nothing (see load.py), so that a stop at any moment leaves the bundled one in force. The
document keeps its layout: a value is stated where it changes, and once for all platforms.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from tfdoctor.base.safe_open import whole_of
from tfdoctor.base.safe_replace import replace_file
from tfdoctor.knowledge.matrix.cells import (
    EVERY,
    FIELDS,
    HARVESTED,
    MAPS,
    ORDER,
    RELEASES,
    Cell,
    Row,
    cells,
    rows,
)
from tfdoctor.knowledge.matrix.load import LARGEST, cache_file, digest_file, parse, version_key
from tfdoctor.knowledge.matrix.model import UNVERIFIED, MatrixError
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.matrix.validate import validate
from tfdoctor.knowledge.matrix.wheels.index import Index, TooLargeError, Wheel, get, new_session
from tfdoctor.knowledge.matrix.wheels.read import Cells, Read, Unreadable, by_row, harvest

Rows = dict[Row, dict[str, Cell]]
UNKNOWN = Cell(None, "")


def expand(document: Mapping[str, Any], rows: Iterable[Row]) -> Rows:
    """Every cell of these rows, unknown ones left out."""
    found: Rows = {}
    for row in rows:
        here = cells(document["releases"], document["fields"], row)
        found[row] = {field: each for field, each in here.items() if each.value is not None}
    return found


def compact(
    rows: Rows, orders: Mapping[str, list[str]], usual: Mapping[str, str]
) -> dict[str, Any]:
    """The file's `releases` for these rows; `orders` gives each distribution's releases, the oldest first."""
    return {
        distribution: _distribution(rows, distribution, order, usual)
        for distribution, order in orders.items()
    }


def _distribution(
    rows: Rows, distribution: str, order: list[str], usual: Mapping[str, str]
) -> dict[str, Any]:
    mine = [row for row in rows if row.distribution == distribution]
    platforms = {
        platform: [release for release in order if Row(release, distribution, platform) in rows]
        for platform in sorted(
            {row.platform for row in mine}, key=lambda p: (p != "linux_x86_64", p)
        )
    }
    every: dict[str, Any] = {}
    own: dict[str, dict[str, Any]] = {
        platform: {RELEASES: has} for platform, has in platforms.items()
    }
    for field in FIELDS:
        for package in _packages(rows, mine, field):
            values = {
                platform: {
                    r: _stated(rows, Row(r, distribution, platform), field, package, usual)
                    for r in has
                }
                for platform, has in platforms.items()
            }
            shared, apart = _series(order, values)
            if shared:
                _put(every, field, package, shared)
            for platform, series in apart.items():
                _put(own[platform], field, package, series)
    return {ORDER: order, EVERY: every, **own}


def _packages(rows: Rows, mine: list[Row], field: str) -> list[str]:
    """The keys of a field's series: package names, or one nameless series."""
    if field not in MAPS:
        return [""]
    return sorted({name for row in mine for name in rows[row].get(field, UNKNOWN).value or ()})


def _stated(rows: Rows, row: Row, field: str, package: str, usual: Mapping[str, str]) -> Any:
    here = rows[row].get(field, UNKNOWN)
    value = here.value.get(package) if package and here.value is not None else here.value
    if value is None or (here.source == usual.get(field) and not here.disagrees):
        return value
    stated = {"is": value, "source": here.source}
    return {**stated, "disagrees": here.disagrees} if here.disagrees else stated


def _series(
    order: list[str], values: Mapping[str, dict[str, Any]]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The series that most platforms share (at least two), and the others' own: empty where they have no value."""
    own = {platform: changes(order, each) for platform, each in values.items()}
    shared: dict[str, Any] = {}
    users: list[str] = []
    for series in (each for each in own.values() if each):
        fits = [
            platform
            for platform, each in values.items()
            if own[platform] and _fits(order, series, each)
        ]
        if len(fits) > max(1, len(users)):
            shared, users = series, fits
    apart = {
        platform: series
        for platform, series in own.items()
        if not _fits(order, shared, values[platform])
    }
    return shared, apart


def changes(order: list[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """The series: each release at which the value differs from the one before."""
    series: dict[str, Any] = {}
    current: Any = None
    for release in order:
        if release in values and values[release] != current:
            series[release] = current = values[release]
    return series


def _fits(order: list[str], series: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    current: Any = None
    for release in order:
        current = series.get(release, current)
        if release in values and values[release] != current:
            return False
    return True


def _put(block: dict[str, Any], field: str, package: str, series: dict[str, Any]) -> None:
    if package:
        block.setdefault(field, {})[package] = series
    else:
        block[field] = series


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

    # The matrix in force stays as it is.
    document: dict[str, Any] = json.loads(json.dumps(matrix.document))
    fresh = {name: f"{name}-{today.isoformat()}" for name in document["fields"].values()}
    for usual, name in fresh.items():
        said = document["sources"][usual]
        title = (
            said["source"] if said["source"].endswith(UNVERIFIED) else said["source"] + UNVERIFIED
        )
        document["sources"][name] = {**said, "source": title, "date": today.isoformat()}
    table: Rows = expand(document, rows(document["releases"]))
    for row, found in harvested.items():
        table[row] = {
            field: Cell(value, fresh[document["fields"][field]])
            for field, value in found.items()
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
            raise MatrixError(
                f"{address}: sends more than {LARGEST} bytes, so it is no matrix"
            ) from error


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
