"""One fix from the clone to its end: kept and proven, or discarded with the environment as it was; and back again."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tfdoctor.apps.repair import journal as journals
from tfdoctor.apps.repair import tree
from tfdoctor.apps.repair.environment import free_bytes
from tfdoctor.apps.repair.exchange import exchange, write_out
from tfdoctor.apps.repair.installer import Installer, pins_of
from tfdoctor.apps.repair.journal import BusyError, Change, Entry, Journal, locked
from tfdoctor.apps.repair.namespace import Namespace
from tfdoctor.apps.repair.plan import Changes, Step, judged, metadata_folders, recorded_files
from tfdoctor.apps.repair.trial import State, Trial, against, leftovers, unfinished
from tfdoctor.base.fix_files import ENDED, beside
from tfdoctor.base.records import record, replace
from tfdoctor.base.units import first_of, rfc3339
from tfdoctor.knowledge.model import Action

_TREE, _WHEELS = "tree", "wheels"
_MOST_NAMED = 3


class UndoRefusedError(Exception):
    """Why a fix is not undone: something else was changed, which would be lost. Nothing was changed."""


class IncompleteError(Exception):
    """The directories could not be exchanged back; the message names both."""


@record
class Job:
    """What is done where. `subject`: how the environment is named to `check`; `site`: its site-packages, links followed."""

    step: Step
    changes: Changes
    installer: Installer | None
    before: State
    place: Path
    site: Path
    subject: tuple[str, ...]
    in_place: bool = False
    keep: bool = True


class DiscardedError(Exception):
    """Why the change is not kept, in one clause."""


def apply(job: Job, way: type[Work], tell: Callable[[str], None]) -> tuple[Entry, State | None]:
    """The journal's last state, and what the check in the clone said. Raises BusyError, JournalError, OSError, IncompleteError; the environment is then as it was, but for
    the last.
    """
    with locked(job.place) as folder:
        newest = _newest_kept(job.place)
        entry = Entry(
            parent=newest.id if newest else 0,
            code=job.step.finding.code,
            title=job.step.fix.title,
            action=job.step.fix.action or Action(""),
            packages=job.changes.packages,
            variables=job.changes.variables,
            left_out=job.changes.left_out,
            before=judged(job.before.report),
            environment=str(job.place),
            examined=shlex.join(job.subject),
            in_place=job.in_place,
            at=rfc3339(),
        )
        journal, entry = Journal.begin(entry)
        work = way(folder / str(entry.id), journal, entry, job)
        try:
            work.run(tell)
        except (DiscardedError, tree.TreeError) as why:
            work.discard(str(why))
        except BaseException:
            work.discard("it was interrupted")
            raise
        return work.entry, work.after


class Work:
    """The directory of one fix beside the environment, and its journal."""

    def __init__(self, folder: Path, journal: Journal, entry: Entry, job: Job) -> None:
        self.folder, self.journal, self.entry, self.job = folder, journal, entry, job
        self.tree = folder / _TREE
        self.after: State | None = None

    def run(self, tell: Callable[[str], None]) -> None:
        """Raises DiscardedError."""
        job = self.job
        assert job.installer is not None
        self.folder.mkdir(mode=0o700)
        wheels = self.folder / _WHEELS
        wheels.mkdir()
        files = self._fetch(job.installer, wheels, tell)
        left = leftovers(job.site)
        tell("Cloning the environment")
        base = self._clone(files)
        if job.in_place:
            self._put_in_place(base)
        trial = Trial(None if job.in_place else Namespace(self.tree, job.place), job.subject)
        tell("Trying it in the clone" if not job.in_place else "Installing")
        removed = [each.name for each in job.changes.packages if each.name in self._removed()]
        if why := trial.install(job.installer, job.changes.packages, removed, wheels):
            raise DiscardedError(why)
        self._add(state=journals.APPLIED)
        tell("Checking the clone" if not job.in_place else "Checking")
        self.after = after = trial.state(job.installer)
        self._add(state=journals.CHECKED, after=judged(after.report))
        site = job.site if job.in_place else self.tree / job.site.relative_to(job.place)
        self._need(self._against(after) or unfinished(site, job.changes.packages, left))
        self._put_in_place_and_keep(base, tell)

    def _fetch(self, installer: Installer, wheels: Path, tell: Callable[[str], None]) -> set[str]:
        """The files that will be written, below site-packages."""
        tell("Downloading")
        pins = pins_of(self.job.changes.packages)
        if pins and (why := installer.fetch(pins, wheels)):
            raise DiscardedError(f"{installer.name} could not get the packages: {why}")
        files, size = installer.writes(wheels)
        if free_bytes(self.job.place) < 2 * size:
            raise DiscardedError(
                f"the disk has {free_bytes(self.job.place) >> 20} MB left; {2 * size >> 20} MB are needed"
            )
        return files

    def _put_in_place_and_keep(self, base: tree.Manifest, tell: Callable[[str], None]) -> None:
        job = self.job
        if not job.in_place:
            self._need(_changed(tree.differences(base, tree.manifest(job.place), caches=False)))
            self._put_in_place(tree.manifest(job.place))
            tell("Checking once more")
            outside = Trial(None, job.subject).state(job.installer)
            self._need(self._against(outside))
            self._add(after=judged(outside.report))
        self._keep()

    def _removed(self) -> set[str]:
        from packaging.utils import canonicalize_name

        return {canonicalize_name(each) for each in self.job.step.fix.parameter("remove")}

    def _against(self, after: State) -> str:
        job = self.job
        return against(
            job.step.finding, [each.name for each in job.changes.packages], job.before, after
        )

    def _need(self, why: str) -> None:
        if why:
            raise DiscardedError(why)

    def _add(self, **changed: Any) -> None:
        self.entry = replace(self.entry, at=rfc3339(), **changed)
        self.journal.add(self.entry)

    def _clone(self, written: set[str]) -> tree.Manifest:
        """The manifest of the environment while it has the clone. Raises DiscardedError."""
        place = self.job.place
        first = tree.manifest(place)
        tree.clone(place, self.tree, first, self._copied(first, written))
        base = tree.manifest(place)
        self._need(_changed(tree.differences(first, base)))
        self._tell_apart()
        return base

    def _tell_apart(self) -> None:
        """Writes down which directory is which, before the changed one comes into its place."""
        both = (self.job.place, self.tree)
        self._add(
            state=journals.CLONED,
            inodes=tuple(map(_inode, both)),
            generations=tuple(map(tree.generation, both)),
        )

    def _copied(self, entries: tree.Manifest, written: set[str]) -> set[str]:
        """What an installer may write into: scripts, metadata, and files of other packages that the new ones overwrite."""
        site = str(self.job.site.relative_to(self.job.place))
        changed = {each.name for each in self.job.changes.packages}
        folders = {f"{site}/{each.name}/" for each in metadata_folders(self.job.site, changed)}
        theirs = written - recorded_files(self.job.site, self.job.changes.packages)
        found = {f"{site}/{each}" for each in theirs} & entries.keys()
        return found | {
            each
            for each in entries
            if each.startswith("bin/")
            or (each.endswith((".pth", ".egg-link")) and os.path.dirname(each) == site)
            or f"{os.path.dirname(each)}/" in folders
        }

    def _put_in_place(self, entries: tree.Manifest) -> None:
        tree.write_manifest(self.folder / journals.BEFORE, entries)
        write_out(self.tree)
        exchange(self.job.place, self.tree)

    def _keep(self) -> None:
        shutil.rmtree(self.folder / _WHEELS, ignore_errors=True)
        if not self.job.keep:
            self._add(state=journals.KEPT)
            tree.remove(self.folder)
            return
        tree.write_manifest(self.folder / journals.AFTER, tree.manifest(self.job.place))
        self._add(state=journals.KEPT, kept=str(self.tree), kept_bytes=tree.own_bytes(self.tree))

    def discard(self, why: str) -> None:
        """Everything as it was. Raises IncompleteError."""
        _put_back(self.entry, self.tree)
        tree.remove(self.folder)
        self._add(state=journals.DISCARDED, reason=why)


class KernelWork(Work):
    """The same for a kernel's directory, in which its file is edited."""

    def run(self, tell: Callable[[str], None]) -> None:
        """Raises DiscardedError."""
        job = self.job
        self.folder.mkdir(mode=0o700)
        base = self._clone(set())
        file = self.tree / "kernel.json"
        try:
            file.write_text(
                edited(file.read_text(encoding="utf-8"), job.changes.variables), encoding="utf-8"
            )
        except ValueError as error:
            raise DiscardedError(f"{job.place / file.name} can't be read ({error})") from error
        self._add(state=journals.APPLIED)
        if job.in_place:
            self._put_in_place(base)
        tell("Checking the kernel with the changed file")
        trial = Trial(None if job.in_place else Namespace(self.tree, job.place), job.subject)
        self.after = after = trial.state(None)
        self._add(state=journals.CHECKED, after=judged(after.report))
        self._need(self._against(after))
        self._put_in_place_and_keep(base, tell)

    def _copied(self, entries: tree.Manifest, written: set[str]) -> set[str]:
        return set(entries)


def edited(text: str, variables: Sequence[Change]) -> str:
    """A kernel.json with these variables set and unset, indented as Jupyter writes it. Raises ValueError."""
    document = json.loads(text)
    if not isinstance(document, dict) or not isinstance(document.get("env"), dict):
        raise ValueError("it has no env")
    for each in variables:
        document["env"].pop(each.name, None)
        document["env"] |= {each.name: each.after} if each.after else {}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _changed(paths: Sequence[str]) -> str:
    if not paths:
        return ""
    return (
        f"the environment was changed meanwhile by something else ({first_of(paths, _MOST_NAMED)})"
    )


def _put_back(entry: Entry, kept: Path) -> None:
    """The directory as it was in its place, where the other one is there. Raises IncompleteError."""
    place = Path(entry.environment)
    if not _is_changed(entry, place):
        return
    if entry.is_new:
        tree.remove(place)
        return
    if not _is_former(entry, kept):
        return
    try:
        exchange(place, kept)
    except OSError as error:
        raise IncompleteError(
            f"{place} could not be exchanged back for {kept} ({error.strerror})"
        ) from error


def _is_former(entry: Entry, path: Path) -> bool:
    """Whether it is the directory as it was, and no other one."""
    return _is(entry, 0, path)


def _is_changed(entry: Entry, path: Path) -> bool:
    """Whether it is the changed or new directory, and none that somebody made there since."""
    return _is(entry, 1, path)


def _is(entry: Entry, which: int, path: Path) -> bool:
    if not entry.inodes or _inode(path) != entry.inodes[which]:
        return False
    return not entry.generations or tree.generation(path) == entry.generations[which]


def _inode(path: Path) -> int:
    try:
        return os.lstat(path).st_ino
    except OSError:
        return 0


def _newest_kept(place: Path) -> Entry | None:
    found = (entry for entry, _ in journals.all_entries() if entry.environment == str(place))
    return next((each for each in found if each.state == journals.KEPT), None)


def undo(number: int, refused: Callable[[Path], str]) -> Entry:
    """Puts the directory back as it was before a fix; 0: before the last one that can be undone. `refused`: why not now, or "".

    Raises UndoRefusedError, BusyError, JournalError, OSError, IncompleteError.
    """
    entry, journal = _to_undo(number)
    place = Path(entry.environment)
    kept = _work_of(entry) / _TREE if entry.is_new else Path(entry.kept)
    with locked(place):
        if why := refused(place):
            raise UndoRefusedError(why)
        _refuse_if_changed(entry, place, kept)
        if entry.is_new:
            os.rename(place, kept)
        else:
            exchange(place, kept)
        entry = replace(entry, state=journals.UNDONE, at=rfc3339(), kept="", kept_bytes=0)
        journal.add(entry)
        tree.remove(kept.parent)
    return entry


def _work_of(entry: Entry) -> Path:
    return beside(Path(entry.environment)) / str(entry.id)


def _to_undo(number: int) -> tuple[Entry, Journal]:
    every = journals.all_entries()
    if not number:
        every = [each for each in every if is_undoable(each[0])]
        if not every:
            raise UndoRefusedError(
                "there is no fix that can be undone; tfdoctor fix --list shows all"
            )
    entry, journal = next((each for each in every if number in (0, each[0].id)), (None, None))
    if entry is None or journal is None:
        raise UndoRefusedError(f"there is no fix {number}; tfdoctor fix --list shows all")
    if entry.state != journals.KEPT:
        raise UndoRefusedError(f"fix {entry.id} was {entry.state}, so there is nothing to undo")
    if not entry.kept and not entry.is_new:
        raise UndoRefusedError(f"fix {entry.id} was made with --no-keep, so the old files are gone")
    later = [
        other.id for other, _ in every if other.parent == entry.id and other.state == journals.KEPT
    ]
    if later:
        raise UndoRefusedError(
            f"fix {later[0]} came after it; undo that one first: tfdoctor fix --undo {later[0]}"
        )
    return entry, journal


def is_undoable(entry: Entry) -> bool:
    if entry.state != journals.KEPT:
        return False
    if entry.is_new:
        return _is_changed(entry, Path(entry.environment))
    return bool(entry.kept) and _is_former(entry, Path(entry.kept))


def _refuse_if_changed(entry: Entry, place: Path, kept: Path) -> None:
    old = "" if entry.is_new else f"; the old files are in {kept}"
    if not is_undoable(entry):
        gone = f"what it made is no longer at {place}" if entry.is_new else f"{kept} is gone"
        raise UndoRefusedError(f"{gone}, so fix {entry.id} can't be undone")
    if not _is_changed(entry, place):
        raise UndoRefusedError(
            f"{place} was made again since fix {entry.id}, so it can't be undone{old}"
        )
    try:
        was = {} if entry.is_new else tree.read_manifest(kept.parent / journals.BEFORE)
        became = tree.read_manifest(kept.parent / journals.AFTER)
    except tree.TreeError as error:
        raise UndoRefusedError(
            f"{error}, so nobody can tell what was changed since{old}"
        ) from error
    if not entry.is_new and (paths := tree.same_content(was, tree.manifest(kept))):
        raise UndoRefusedError(
            f"something wrote into the kept files: {first_of(paths, _MOST_NAMED)}. They are in {kept}"
        )
    if later := tree.written(became, tree.manifest(place)):
        raise UndoRefusedError(
            f"{place} was changed since fix {entry.id} ({first_of(later, _MOST_NAMED)}), which --undo would lose{old}"
        )


def interrupted() -> list[Entry]:
    """Fixes that came to no end. Raises JournalError and OSError."""
    return [entry for entry, _ in journals.all_entries() if entry.state not in ENDED]


def recover(*, skip_busy: bool = False) -> list[Entry]:
    """Brings every interrupted fix to its end: the environment as it was before. `skip_busy`: but for those that another tfdoctor
    is at work on. Raises as `undo`.
    """
    for path in journals.empty_journals():
        path.unlink()
    ended = []
    for entry, journal in journals.all_entries():
        place = Path(entry.environment)
        undone = entry.state == journals.KEPT and _is_undone(entry, place)
        if not undone and entry.state in ENDED:
            continue
        try:
            ended.append(
                _ended(entry, journal, place, journals.UNDONE if undone else journals.DISCARDED)
            )
        except BusyError:
            if not skip_busy:
                raise
    return ended


def _is_undone(entry: Entry, place: Path) -> bool:
    """Exchanged back, or moved aside to be removed, though the journal does not say so yet."""
    if entry.is_new:
        return _is_changed(entry, _work_of(entry) / _TREE)
    return bool(entry.kept) and _is_former(entry, place)


def _ended(entry: Entry, journal: Journal, place: Path, state: str) -> Entry:
    if place.parent.is_dir():
        with locked(place):
            _put_back(entry, _work_of(entry) / _TREE)
            tree.remove(_work_of(entry))
    entry = replace(
        entry, state=state, reason="it was interrupted", kept="", kept_bytes=0, at=rfc3339()
    )
    journal.add(entry)
    return entry
