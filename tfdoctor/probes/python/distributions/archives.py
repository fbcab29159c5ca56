"""Metadata of packages in an egg or a zip file on sys.path, found as importlib.metadata finds it, for imports work from there.

An egg is a folder or a zip file that holds one package and, in EGG-INFO, what is known of it; easy_install left them. A zip
file may hold any number of packages, with their metadata folders at its top.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from tfdoctor.system.safe_open import open_regular

if TYPE_CHECKING:
    from zipfile import ZipFile

_OF_AN_EGG = "EGG-INFO"
_FILES = ("METADATA", "PKG-INFO")
_MOST_OF_A_LIST = 1 << 21
"""Bytes of an archive's list of contents: zipfile holds all of it in memory, some 50,000 names at this size."""
_END, _END_OF_LARGE = b"PK\x05\x06", b"PK\x06\x07"
_END_BYTES = 22
"""Of the record at the end of a zip file, the length of the list at its byte 12 (PKWARE's APPNOTE 6.3.10, 4.3.16, read 2026-11-23)."""
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
        if _length_of_the_list(file) > _MOST_OF_A_LIST:
            raise OSError(errno.EFBIG, "its list of contents is too long to be read", archive)
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


def _length_of_the_list(file: BinaryIO) -> int:
    """As its end tells; 0 of what is no zip file, and more than any bound where it says that its numbers are of 64 bits."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - (1 << 16) - 2 * _END_BYTES))
    tail = file.read((1 << 16) + 2 * _END_BYTES)
    at = tail.rfind(_END)
    if _END_OF_LARGE in tail:
        return _MOST_OF_A_LIST + 1
    return int.from_bytes(tail[at + 12 : at + 16], "little") if at >= 0 else 0
