"""Metadata of packages in an egg or a zip file on sys.path, found as importlib.metadata finds it, for imports work from there.

An egg is a folder or a zip file that holds one package and, in EGG-INFO, what is known of it; easy_install left them. A zip
file may hold any number of packages, with their metadata folders at its top.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tfdoctor.asking.safe_open import open_regular

if TYPE_CHECKING:
    from zipfile import ZipFile

_OF_AN_EGG = "EGG-INFO"
_FILES = ("METADATA", "PKG-INFO")
_MOST_BYTES = 1 << 28
"""Of an archive that is looked into; packages' archives have some megabytes."""
_MOST_MEMBERS = 100_000


def metadata_folders(names: Iterable[str], place: str) -> list[str]:
    """Those among the names in a folder or an archive of sys.path."""
    egg = place.lower().endswith(".egg")
    return [
        name
        for name in names
        if name.lower().endswith((".dist-info", ".egg-info")) or (egg and name.upper() == _OF_AN_EGG)
    ]


def names_in(archive: str) -> list[str]:
    """The metadata folders at the top of a zip file; none of any other file, as nothing is imported from it. Raises OSError."""
    with _opened(archive) as found:
        members = found.namelist()[:_MOST_MEMBERS] if found is not None else []
    tops = (name.partition("/")[0] for name in members if name.rpartition("/")[2] in _FILES)
    return metadata_folders(dict.fromkeys(tops), archive)


def head_in(folder: str, most: int) -> bytes:
    """The first `most` bytes of METADATA or PKG-INFO in a folder of a zip file. Raises OSError."""
    archive, name = os.path.split(folder)
    with _opened(archive) as found:
        members = found.NameToInfo if found is not None else {}
        inside = next((members[f"{name}/{each}"] for each in _FILES if f"{name}/{each}" in members), None)
        if found is not None and inside is not None:
            with found.open(inside) as member:
                return member.read(most)
    raise FileNotFoundError(errno.ENOENT, "no metadata in this folder of a zip file", folder)


@contextmanager
def _opened(archive: str) -> Iterator[ZipFile | None]:
    """None where it is no zip file."""
    import zipfile  # seldom needed, and it costs several milliseconds
    import zlib

    with open_regular(archive) as file:
        if os.fstat(file.fileno()).st_size > _MOST_BYTES:
            raise OSError(errno.EFBIG, f"it is larger than {_MOST_BYTES >> 20} MiB", archive)
        if not zipfile.is_zipfile(file):
            yield None
            return
        try:
            with zipfile.ZipFile(file) as found:
                yield found
        # what zipfile raises of a damaged, an encrypted and a strangely packed archive
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            ValueError,
            RuntimeError,
            NotImplementedError,  # zipfile raises it for a compression that it does not know
        ) as error:
            raise OSError(errno.EINVAL, f"it can't be read as a zip file: {error}", archive) from error
