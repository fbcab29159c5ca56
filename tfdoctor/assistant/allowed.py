"""What the person who started the server allowed an assistant to see: environments and files, each by a name."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence

from tfdoctor.render.clean import clean
from tfdoctor.render.redact.identity import Identity
from tfdoctor.render.redact.redactor import Redactor, Values

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
        path = self._files().get(name)
        if path is None:
            raise Refused("there is no file of this name; the tool environments lists them")
        flags = (
            os.O_RDONLY
            | getattr(os, "O_NONBLOCK", 0)
            | getattr(os, "O_NOFOLLOW", 0)
            | getattr(os, "O_BINARY", 0)
        )
        try:
            handle = os.open(path, flags)
        except OSError as error:
            raise Refused("this file can't be read") from error
        if not stat.S_ISREG(os.fstat(handle).st_mode):  # another has taken its place since
            os.close(handle)
            raise Refused("not a regular file")
        return handle

    def _files(self) -> Mapping[str, str]:
        """The regular files of the allowed folders by name, of those of one name the first; no link leads elsewhere."""
        found: dict[str, str] = {}
        for folder in self._folders:
            for name in _regular(folder):
                if self._may_be_told(name):
                    found.setdefault(name, os.path.join(folder, name))
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


def _regular(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_file(follow_symlinks=False))
    except OSError:
        return []  # it has gone since
    return names[:_MOST_FILES]
