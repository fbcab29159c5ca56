"""Where the matrix in force comes from: a file that the user names, a fetched one in the cache, or the bundled one."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tfdoctor.base.digest import sha256
from tfdoctor.base.foreign_json import MOST_BYTES, ForeignJsonError, read_json
from tfdoctor.base.safe_open import whole_of
from tfdoctor.base.user_folders import NO_HOME, cache_home
from tfdoctor.knowledge.matrix.model import MatrixError, Origin
from tfdoctor.knowledge.matrix.query import Matrix

BUNDLED = Path(__file__).with_name("compat_matrix.json")
FORMAT = 1
LARGEST = MOST_BYTES
"""Bytes of a matrix; the bundled one has 0.1 MB."""
LARGEST_YAML = 512 << 10
"""Of one in YAML, which takes a hundred times as much memory to read; data/compat_matrix.yaml has 84 kB."""
MOST_NESTED = 20_000
"""Lists and tables in braces."""


def load_bundled() -> Matrix:
    """The matrix that ships with this tfdoctor. A test holds it equal to data/compat_matrix.yaml."""
    content = BUNDLED.read_bytes()
    return Matrix(json.loads(content), sha256(content).hex(), "bundled")


def load_file(path: Path) -> Matrix:
    """A matrix from a YAML or JSON file. Raises MatrixError with one sentence where it can't be used."""
    return _load(path, "file")


def cache_file() -> Path:
    """Where `matrix update` puts what it fetched; its digest is beside it. Raises MatrixError where no such place is known."""
    root = cache_home(os.environ)
    if not root:
        raise MatrixError(f"no fetched matrix can be kept: {NO_HOME}; set XDG_CACHE_HOME")
    return Path(root) / "tfdoctor" / "compat_matrix.json"


def digest_file(matrix: Path) -> Path:
    """Written by `matrix update` after the matrix itself: without it the matrix counts as unverified."""
    return matrix.with_suffix(".sha256")


def load_in_force(explicit: str | Path = "") -> Matrix:
    """`explicit` if given; else the cached one if it is verified and newer than the bundled; else the bundled.

    A cached matrix that is truncated, unverified or old never stops anybody: the bundled one stays in force.
    """
    if explicit:
        return load_file(Path(explicit))
    bundled = load_bundled()
    try:
        cached = load_cached(cache_file())
    except MatrixError:
        return bundled
    return cached if version_key(cached.version) > version_key(bundled.version) else bundled


def load_cached(path: Path) -> Matrix:
    """The cached matrix. Raises MatrixError where it is absent, is not what was fetched, or can't be used."""
    try:
        expected = whole_of(digest_file(path), 1024).decode("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise MatrixError(f"{path}: there is no digest beside it ({error})") from error
    matrix = _load(path, "cache")
    if matrix.sha256 != expected:
        raise MatrixError(f"{path}: its SHA-256 is {matrix.sha256}, {expected} was fetched")
    return matrix


def version_key(version: str) -> tuple[int, ...]:
    """Orders matrix versions: "2026.11.20" and, for a second one of that day, "2026.11.20.1"."""
    return tuple(int(part) for part in version.split("."))


def _load(path: Path, origin: Origin) -> Matrix:
    # The bundled matrix was validated by the tests.
    from tfdoctor.knowledge.matrix.validate import (
        validate,
    )

    try:
        content = whole_of(path, LARGEST)
    except (OSError, ValueError) as error:
        raise MatrixError(f"{path}: can't be read ({getattr(error, 'strerror', error)})") from error
    document = parse(content, str(path))
    validate(document, str(path))
    return Matrix(document, sha256(content).hex(), origin)


def parse(content: bytes, name: str) -> Any:
    """JSON, or YAML where it is not JSON. Raises MatrixError."""
    if content.lstrip()[:1] == b"{":
        try:
            return read_json(content)
        except ForeignJsonError as error:
            raise MatrixError(f"{name}: {error}") from error
    if len(content) > LARGEST_YAML or content.count(b"[") + content.count(b"{") > MOST_NESTED:
        raise MatrixError(f"{name}: it is larger than any matrix in YAML")
    import yaml

    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        return yaml.load(content, Loader=loader)  # noqa: S506  # both are safe loaders
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise MatrixError(
            f"{name}: neither JSON nor YAML ({' '.join(str(error).split())})"
        ) from error
