"""Reads the metadata folders that installers leave beside packages, without importing importlib.metadata (61 ms).

Names and versions come from METADATA's head where it can be read, else from the folder's name. A folder that
can't be read is told and passed over.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, BinaryIO

from tfdoctor.base.expressions import Expression
from tfdoctor.base.records import field, record
from tfdoctor.base.safe_open import head_of, head_text, list_folder, open_regular
from tfdoctor.base.version_ranges import normalised
from tfdoctor.facts.values import Distribution

if TYPE_CHECKING:
    from zipfile import ZipFile


_FOLDER = Expression(
    r"(?P<name>.+?)(?:-(?P<version>[^-]+?))?(?:-py\d[\d.]*)?\.(?:dist|egg)-info", re.IGNORECASE
)
TENSORFLOW_NAMES = frozenset(
    """tensorflow tensorflow-cpu tensorflow-gpu tensorflow-intel tensorflow-macos tensorflow-rocm tensorflow-cpu-aws
    tensorflow-aarch64 tensorflow-tpu tensorflow-directml intel-tensorflow intel-tensorflow-avx512 nvidia-tensorflow tf-nightly
    tf-nightly-cpu tf-nightly-gpu tf-nightly-intel tf-nightly-macos tf-nightly-rocm tf-nightly-cpu-aws""".split()  # noqa: SIM905  # quoted one by one they would be harder to read
)
"""Distributions that bring, or as stubs pull in, the module `tensorflow` (their project pages, November 2026)."""

_NAME = Expression(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?", re.ASCII)
_VERSION = Expression(r"[A-Za-z0-9][\w.+!-]*", re.ASCII)
"""What an installer takes for these (PEP 508 and PEP 440, with the older forms; read 2026-11): "x@http://…" is neither."""
_HEAD_BYTES = 8192  # Name and Version stand in the first lines
_FIELD = re.compile(rb"^(Name|Version):[ \t]*(\S+)", re.MULTILINE)
_MOST_VALUES = 1000  # of one field; the package with most extras has 600 requirements
_MOST_METADATA = 1 << 20  # bytes; TensorFlow's has 5 kB


@record(eq=False)
class Inventory:
    """What is in the folders. `installed` holds the first of each name, in sys.path's order."""

    installed: dict[str, Distribution] = field(default_factory=dict)
    every: list[Distribution] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    interrupted: list[Distribution] = field(default_factory=list)
    """What pip had moved aside ("~umpy-2.4.6.dist-info") when it was stopped."""


def name_of_folder(folder_name: str) -> str:
    """The normalised name that a metadata folder's own name tells; "" where it is none."""
    found = _FOLDER.fullmatch(folder_name)
    return normalised(found["name"]) if found else ""


def take_inventory(folders: Iterable[str], user_site: str = "") -> Inventory:
    """Reads every folder and every zip file of a sys.path in its order."""
    inventory = Inventory()
    for folder in folders:
        try:
            names = _names(folder)
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            inventory.unreadable.append(f"{folder}: {getattr(error, 'strerror', None) or error}")
            continue
        _take_folder(folder, names, bool(user_site) and _same(folder, user_site), inventory)
    return inventory


def _names(folder: str) -> list[str]:
    try:
        return metadata_folders(list_folder(folder), folder)
    except NotADirectoryError:
        return names_in(folder)


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _take_folder(folder: str, names: list[str], in_user_site: bool, inventory: Inventory) -> None:
    here: dict[str, Distribution] = {}
    for name in names:
        if name.startswith("~"):
            inventory.unreadable.append(
                f"{folder}/{name}: left behind by an installation that was interrupted"
            )
            left = _read_distribution(os.path.join(folder, name), "", in_user_site, Inventory())
            inventory.interrupted.extend([left] if left is not None else [])
            continue
        found = _read_distribution(os.path.join(folder, name), name, in_user_site, inventory)
        if found is None:
            continue
        twin = here.get(found.name)
        if twin is not None and twin.version != found.version:
            inventory.unreadable.append(
                f"{folder}: {found.name} has two metadata folders, of {twin.version} and of {found.version}"
            )
        if twin is None or _changed(found) > _changed(twin):
            here[found.name] = found
    for found in here.values():
        inventory.every.append(found)
        inventory.installed.setdefault(found.name, found)


def _changed(distribution: Distribution) -> float:
    """When it was installed: of two metadata folders of one name the later one belongs to the files."""
    try:
        return os.stat(distribution.folder).st_mtime
    except OSError:
        return 0.0


def _read_distribution(
    path: str, folder_name: str, in_user_site: bool, inventory: Inventory
) -> Distribution | None:
    found = _FOLDER.fullmatch(folder_name)
    name, version = (found["name"], found["version"] or "") if found else ("", "")
    try:
        # The first of each counts: a description may hold such lines, too.
        pairs = _FIELD.findall(_head(path))[::-1]
        fields = {key.decode(): value.decode("utf-8", "replace") for key, value in pairs}
        if "Name" not in fields or "Version" not in fields:
            raise ValueError("it says no name or no version")
        name, version = fields["Name"], fields["Version"]
    except (OSError, ValueError) as error:
        inventory.unreadable.append(f"{path}: {getattr(error, 'strerror', None) or error}")
    if not _NAME.fullmatch(name) or not _VERSION.fullmatch(version):
        if name and version:
            inventory.unreadable.append(
                f"{path}: its name or its version is none that an installer knows"
            )
        return None
    return Distribution(normalised(name), version, path, _installer(path), in_user_site)


def _head(path: str) -> bytes:
    """The first lines of METADATA or PKG-INFO; an .egg-info may be that file itself."""
    return _beginning(path, _HEAD_BYTES)


def _beginning(path: str, most: int) -> bytes:
    if path.lower().endswith(".dist-info"):
        file_name = os.path.join(path, "METADATA")
    else:
        file_name = os.path.join(path, "PKG-INFO") if os.path.isdir(path) else path
    try:
        return head_of(file_name, most)
    except NotADirectoryError:
        return head_in(path, most)


def _installer(path: str) -> str:
    return head_text(os.path.join(path, "INSTALLER"), 64).strip()


def metadata_text(distribution: Distribution) -> str:
    """METADATA or PKG-INFO in full. Raises OSError."""
    return _beginning(distribution.folder, _MOST_METADATA).decode("utf-8", "replace")


def header_values(text: str, field_name: str) -> list[str]:
    """The values of a field in METADATA's head, which ends at the first empty line; each once."""
    head = re.split(r"\r?\n\r?\n", text, maxsplit=1)[0]
    values = (match.strip() for match in re.findall(rf"(?m)^{field_name}:(.*)$", head))
    return list(islice(dict.fromkeys(values), _MOST_VALUES))


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
        if name.lower().endswith((".dist-info", ".egg-info"))
        or (egg and name.upper() == _OF_AN_EGG)
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
        inside = next(
            (members[f"{name}/{each}"] for each in _FILES if f"{name}/{each}" in members), None
        )
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
        length = _length_of_the_list(file)
        if length > _MOST_OF_A_LIST:
            raise OSError(errno.EFBIG, "its list of contents is too long to be read", archive)
        if length < 0:  # is_zipfile of Python 3.14 says no of a damaged one, too
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
            raise OSError(
                errno.EINVAL, f"it can't be read as a zip file: {error}", archive
            ) from error


def _length_of_the_list(file: BinaryIO) -> int:
    """As its end tells; -1 of what is no zip file, and more than any bound where it says that its numbers are of 64 bits."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - (1 << 16) - 2 * _END_BYTES))
    tail = file.read((1 << 16) + 2 * _END_BYTES)
    at = tail.rfind(_END)
    if _END_OF_LARGE in tail:
        return _MOST_OF_A_LIST + 1
    return (
        int.from_bytes(tail[at + 12 : at + 16], "little")
        if 0 <= at <= len(tail) - _END_BYTES
        else -1
    )
