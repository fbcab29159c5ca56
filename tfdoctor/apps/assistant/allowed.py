"""What the person who started the server allowed an assistant to see: environments and files, each by a name."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tfdoctor.say.clean import clean
from tfdoctor.say.redact.identity import Identity
from tfdoctor.say.redact.redactor import Redactor, Values

USUAL = "active"
_LONGEST = 120
_MOST_FILES = 1_000
_REPORTS = (".json",)


class Refused(Exception):  # noqa: N818  # an answer to the client
    """A name that nothing was allowed by; the message holds no other text than our own."""


class Allowed:
    """`pythons` and `folders` exist. A name that tells something private is not told: another stands for it."""

    def __init__(self, pythons: Sequence[str], folders: Sequence[str], whose: Identity) -> None:
        self._hide = Redactor(whose, Values()).hide
        self._folders = [os.path.realpath(folder) for folder in folders]
        self.environments = dict(self._named(pythons)) or {USUAL: ""}

    def python(self, name: str) -> str:
        """The path of an environment, by default of the first; "" where `check` is to choose. Raises Refused."""
        if name and name not in self.environments:
            raise Refused("there is no environment of this name; the tool environments lists them")
        return self.environments[name or next(iter(self.environments))]

    def shown(self, path: str) -> str:
        """A path without what is private."""
        return clean(self._hide(path))

    def reports(self) -> list[str]:
        return [name for name in self._files() if name.endswith(_REPORTS)]

    def logs(self) -> list[str]:
        return [name for name in self._files() if not name.endswith(_REPORTS)]

    def open(self, name: str) -> int:
        """A file of an allowed folder, to read from. Raises Refused."""
        folder = self._files().get(name)
        if folder is None:
            raise Refused("there is no file of this name; the tool environments lists them")
        try:
            with _opened(folder) as place:
                handle = _open_in(place, folder, name)
        except OSError as error:
            raise Refused("this file can't be read") from error
        if not stat.S_ISREG(os.fstat(handle).st_mode):  # another has taken its place since
            os.close(handle)
            raise Refused("not a regular file")
        return handle

    def _files(self) -> Mapping[str, str]:
        """The folder of each regular file of the allowed ones, of those of one name the first; no link leads elsewhere."""
        found: dict[str, str] = {}
        for folder in self._folders:
            for name in _regular(folder):
                if self._may_be_told(name):
                    found.setdefault(name, folder)
        return found

    def _named(self, pythons: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Each by the name of its folder; by its number where another has that name, or where it is private."""
        taken: set[str] = set()
        for number, path in enumerate(pythons, start=1):
            folder = os.path.abspath(os.path.expanduser(path))
            if os.path.isfile(folder):
                folder = os.path.dirname(os.path.dirname(folder))  # …/bin/python
            name = os.path.basename(folder)
            if name in taken or not self._may_be_told(name):
                name = f"environment-{number}"
            taken.add(name)
            yield name, os.path.abspath(os.path.expanduser(path))

    def _may_be_told(self, name: str) -> bool:
        return 0 < len(name) <= _LONGEST and clean(name) == name == self._hide(name)


_BY_HANDLE = os.open in os.supports_dir_fd and os.scandir in os.supports_fd
"""Whether a folder can be held while its files are listed and opened: not on Windows."""
_READING = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)


@contextmanager
def _opened(folder: str) -> Iterator[int | None]:
    """The folder itself, and not what a link has been put in its place, or in that of one above it, since the start; None where
    none can be held. Raises OSError.
    """
    handle = os.open(folder, _READING | os.O_DIRECTORY) if _BY_HANDLE else None
    try:
        if os.path.realpath(folder) != folder or (handle is not None and not _is(handle, folder)):
            raise FileNotFoundError(folder)
        yield handle
    finally:
        if handle is not None:
            os.close(handle)


def _is(handle: int, folder: str) -> bool:
    return os.path.samestat(os.fstat(handle), os.lstat(folder))


def _open_in(place: int | None, folder: str, name: str) -> int:
    if place is None:
        return os.open(os.path.join(folder, name), _READING)
    return os.open(name, _READING, dir_fd=place)


def _regular(folder: str) -> list[str]:
    try:
        with _opened(folder) as place, os.scandir(folder if place is None else place) as entries:
            names = sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    except OSError:
        return []  # it has gone since
    return names[:_MOST_FILES]
