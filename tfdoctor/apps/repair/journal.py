"""What was done to an environment, step by step, in a file that survives whatever ends this process.

It is written at its full length before the first change, so that no full disk can stop a later line. Each line is the whole
state; the last one that can be read counts. So a journal that was cut off anywhere tells the step before.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from tfdoctor.apps.repair.exchange import sync_folder
from tfdoctor.base.fix_files import ENDING, LENGTH, NEW, beside, journals, lines, number_of
from tfdoctor.base.records import field, record, replace
from tfdoctor.facts.codec import DocumentError, from_json, to_json
from tfdoctor.knowledge.model import CODE, Action

SCHEMA_VERSION = "1.0"
_IGNORE = ".gitignore"
BEFORE, AFTER = "before.json", "after.json"
"""The manifests of the tree that is kept, and of the one that is in place."""
_MOST_TRIES = 1000
PLANNED, CLONED, APPLIED, CHECKED = "planned", "cloned", "applied", "checked"
KEPT, DISCARDED, UNDONE = "kept", "discarded", "undone"
STATES = (PLANNED, CLONED, APPLIED, CHECKED, KEPT, DISCARDED, UNDONE)


class JournalError(Exception):
    """A journal that can't be kept or read; the message says why in one clause."""


class BusyError(Exception):
    """Another tfdoctor is changing the same environment."""


@record
class Change:
    """One package, or variable of a kernel. `before` "": it was not there; `after` "": it is removed."""

    JSON: ClassVar = "name from=before to=after size?"
    SCHEMA: ClassVar = {
        "size": "Of the wheel to be fetched, in bytes at most; left out where nobody tells it."
    }

    name: str
    before: str = ""
    after: str = ""
    size: int = 0


@record
class Judged:
    """What a check said."""

    SCHEMA: ClassVar = {"codes": {"items": CODE, "description": "Of errors and warnings."}}

    verdict: str = ""
    codes: tuple[str, ...] = ()


@record
class Entry:
    """One state of one fix. `environment` is the directory that is changed; `kept` the other tree beside it, "" where there is none.

    inodes: of the directory as it was, and of the changed one; with their generations they tell which of both is in place.
    """

    JSON: ClassVar = """schema_version $schema=schema_id? id parent state code title action packages variables? left_out? before after environment examined kept
        kept_bytes inodes generations? in_place at reason?"""
    SCHEMA: ClassVar = {
        "schema_version": {"type": "string", "pattern": "^1\\.[0-9]+$"},
        "id": "0 where nothing was begun: a plan.",
        "parent": "The fix of the same environment that was kept before; 0 where there is none.",
        "state": {"enum": list(STATES)},
        "code": CODE,
        "examined": "The interpreter, or the kernel as --kernel NAME.",
        "variables": "Of a Jupyter kernel's file; left out where packages are changed.",
        "left_out": "What had been installed by name in the environment that was examined, and is not taken along into the new one.",
        "environment": "The directory that is changed or made: the environment's, or the kernel's.",
        "kept": "Where the directory as it was is kept; empty where nothing is kept.",
        "inodes": "Of the directory as it was (0: there was none), and of the changed one.",
        "generations": "Of these inodes, 0 where the file system tells none: a number alone may be given again. Left out by earlier versions.",
        "in_place": "True where the fix was tried in place, without a namespace.",
        "reason": "Why it was not kept.",
    }
    schema_version: ClassVar = SCHEMA_VERSION
    schema_id: ClassVar = "urn:tfdoctor:schema:fix:1.0"

    id: int = 0
    parent: int = 0
    state: str = PLANNED
    code: str = ""
    title: str = ""
    action: Action = Action("")
    packages: tuple[Change, ...] = ()
    variables: tuple[Change, ...] = ()
    left_out: tuple[str, ...] = ()
    before: Judged = field(default_factory=Judged)
    after: Judged = field(default_factory=Judged)
    environment: str = ""
    examined: str = ""
    kept: str = ""
    kept_bytes: int = 0
    inodes: tuple[int, ...] = ()
    generations: tuple[int, ...] = ()
    in_place: bool = False
    at: str = ""
    reason: str = ""

    @property
    def is_new(self) -> bool:
        """Whether the directory was made, and none was changed."""
        return self.action.kind == NEW


def folder() -> Path:
    """Where the journals are. Raises JournalError where no home directory is known."""
    found = journals(os.environ)
    if found is None:
        raise JournalError(
            "no place for the journal: neither HOME nor XDG_STATE_HOME names a directory"
        )
    return found


class Journal:
    """One fix's file, open for the next line."""

    def __init__(self, path: Path, used: int) -> None:
        self.path, self._used = path, used

    @classmethod
    def begin(cls, entry: Entry) -> tuple[Journal, Entry]:
        """A new one with this first line, and the line with its number. Raises JournalError, also for a full disk."""
        place = folder()
        try:
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            number, path = _new_file(place)
        except OSError as error:
            raise JournalError(f"{place}: can't be written ({error.strerror or error})") from error
        try:
            with open(path, "r+b") as file:
                file.write(b"\n" * LENGTH)
                file.flush()
                os.fsync(file.fileno())
            sync_folder(place)
            journal = cls(path, 0)
            numbered = replace(entry, id=number)
            journal.add(numbered)
        except (OSError, JournalError) as error:
            path.unlink(missing_ok=True)
            why = getattr(error, "strerror", None) or error
            raise JournalError(f"{path}: can't be written ({why})") from error
        return journal, numbered

    def add(self, entry: Entry) -> None:
        """The next line, on the disk when this returns. Raises JournalError."""
        line = json.dumps(to_json(entry)).encode() + b"\n"
        if self._used + len(line) > LENGTH:
            raise JournalError("its journal has no room for one more line")
        try:
            with open(self.path, "r+b") as file:
                file.seek(self._used)
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise JournalError(
                f"{self.path}: can't be written ({error.strerror or error})"
            ) from error
        self._used += len(line)


def _new_file(place: Path) -> tuple[int, Path]:
    number = max((number_of(name) for name in os.listdir(place)), default=0) + 1
    for each in range(number, number + _MOST_TRIES):
        path = place / f"{each}{ENDING}"
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            continue
        return each, path
    raise FileExistsError(f"{place}: every number is taken")


def read(path: Path) -> tuple[Entry, Journal] | None:
    """The last whole line of a journal, and the journal to go on with; None where it has none. Raises OSError."""
    found, used = None, 0
    for line, end in lines(path):
        entry = _parsed(line)
        if entry is None:
            break
        found, used = entry, end
    return None if found is None else (found, Journal(path, used))


def _parsed(line: dict[str, Any]) -> Entry | None:
    try:
        entry: Entry = from_json(line, Entry)
    except (ValueError, DocumentError, RecursionError):
        return None
    return entry if entry.id and entry.state in STATES else None


def all_entries() -> list[tuple[Entry, Journal]]:
    """The last state of each fix, the newest first. Raises JournalError and OSError."""
    try:
        names = sorted(os.listdir(folder()), key=number_of, reverse=True)
    except FileNotFoundError:
        return []
    found = (read(folder() / name) for name in names if number_of(name))
    return [each for each in found if each is not None]


def empty_journals() -> list[Path]:
    """Files without one whole line: their fix had not begun."""
    try:
        names = [name for name in os.listdir(folder()) if number_of(name)]
    except FileNotFoundError:
        return []
    return [folder() / name for name in names if read(folder() / name) is None]


@contextlib.contextmanager
def locked(environment: Path) -> Iterator[Path]:
    """The directory beside it, which no other tfdoctor uses meanwhile; gone afterwards where nothing is kept in it. Raises BusyError
    and OSError.
    """
    import fcntl  # check asks elsewhere, too, whether a fix could be applied

    place = beside(environment)
    place.mkdir(mode=0o700, exist_ok=True)
    handle = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        if os.fstat(handle).st_uid != os.geteuid():
            raise PermissionError(f"{place} belongs to another user")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BusyError(f"another tfdoctor is fixing {environment}") from error
        if not place.is_dir() or os.stat(place).st_ino != os.fstat(handle).st_ino:
            raise BusyError(f"another tfdoctor has just fixed {environment}; try again")
        try:
            ignore = place / _IGNORE
            if not ignore.exists():
                ignore.write_text("*\n", encoding="ascii")
            yield place
        finally:
            if set(os.listdir(place)) <= {_IGNORE}:
                shutil.rmtree(place)
    finally:
        os.close(handle)
