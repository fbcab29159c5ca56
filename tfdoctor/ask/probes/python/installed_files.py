"""Has RECORD compared with the disk by a child, and turns its answer into facts."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

from tfdoctor.ask.probes.python.environments import read_layout
from tfdoctor.ask.probes.python.metadata import TENSORFLOW_NAMES, name_of_folder
from tfdoctor.ask.probes.python.target import choose_target
from tfdoctor.ask.probes.request import Ahead, Request
from tfdoctor.ask.probes.workers import in_own_interpreter
from tfdoctor.base.child import Child, ChildResult
from tfdoctor.base.safe_open import list_folder
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.values import RecordCheck

_MEMORY_BOUND = 512 << 20  # bytes; 2.21's RECORD needs 40 MB
_SLOW_DISK = 4  # 20,000 cold files took 10 s beside an installation of 6 GB, 0.1 s warm
_SPARE_S = 0.5  # so that the examination's end takes this one answer alone, not all that is known of TensorFlow
DEEP_LIMIT_S = 90.0
"""For the hashes of all files: 2.2 GB take 3 s from memory and 20 s from a slow disk."""


RecordFacts = tuple[Fact[RecordCheck], Fact[tuple[str, ...]]]


class Comparison(Ahead[RecordFacts]):
    """RECORD compared with the disk, and the files that other distributions claim, too, from its start on.

    The thread that starts the child stays until its end: PR_SET_PDEATHSIG speaks of the thread that is a child's
    parent, not of its process (prctl(2)).
    """

    def __init__(self, record_file: str, request: Request) -> None:
        self._record, self._deep = record_file, request.deep
        limit_s = _SLOW_DISK * request.child_limit_s
        end = time.monotonic() + (max(limit_s, DEEP_LIMIT_S) if request.deep else limit_s)
        self._end = min(end, request.deadline - _SPARE_S)
        self._begun = threading.Event()
        super().__init__(self._compared, "comparison")

    def run(self) -> None:
        super().run()
        self._begun.set()

    def wait_until_begun(self) -> None:
        """Returns once the child is at work, or where there is none to come."""
        self._begun.wait()

    def _compared(self) -> RecordFacts:
        if not os.path.lexists(self._record):
            folder = os.path.dirname(self._record)
            why = f"{folder} has no RECORD (conda, Debian and egg-info write none), so nothing says what should be there"
            return Absent(why), Absent(why)
        argv = in_own_interpreter(
            "compare_files", self._record, *(["--deep"] if self._deep else [])
        )
        try:
            child = Child(argv, memory_bound=_MEMORY_BOUND)
        except (OSError, ValueError) as error:
            failed = Failed(
                f"comparing {self._record} could not be started: {getattr(error, 'strerror', None) or error}",
                "no-more-threads" if isinstance(error, BlockingIOError) else "not-started",
            )
            return failed, failed
        self._begun.set()
        return _answer(child.wait(self._end - time.monotonic()), self._record, self._deep)


def begin_comparison(folder: str, request: Request) -> Comparison:
    """Starts to compare RECORD in the metadata folder with the disk. Asked for twice it is made once."""
    record_file = os.path.join(folder, "RECORD")
    return request.shared.once(
        ("comparison", record_file), lambda: Comparison(record_file, request)
    )


def begin_early(request: Request) -> None:
    """Begins the comparison with RECORD, which takes longest, while the interpreter is still being asked.

    Where the files of its environment show one distribution of TensorFlow. What the interpreter then says of its
    path decides; a comparison that it does not ask for is left to end by itself.
    """
    target = choose_target(request)
    if not isinstance(target.executable, Known):
        return
    sites = read_layout(target.executable.value, request.system).site_packages
    folders = [
        os.path.join(site, name)
        for site in sites
        for name in list_folder(site)
        if name_of_folder(name) in TENSORFLOW_NAMES
    ]
    if len(folders) == 1:
        begin_comparison(folders[0], request).wait_until_begun()


def _answer(result: ChildResult, record_file: str, deep: bool) -> RecordFacts:
    if not result.ok:
        words = result.stderr.decode("utf-8", "replace").strip().splitlines()
        why = f": {words[-1]}" if words else _hint(result, deep)
        failed = Failed(f"comparing {record_file} {result.describe()}{why}", result.kind)
        return failed, failed
    try:
        said = _Said(result.stdout)
        foreign = said.paths("foreign")
        claims: Fact[tuple[str, ...]] = Absent("no other distribution lists a file of the package")
        return _check(said, record_file, deep), Known(
            foreign, "the RECORD files"
        ) if foreign else claims
    except ValueError as error:
        failed = Failed(
            f"the comparison of RECORD answered something else than was asked: {error}",
            "unreadable",
        )
        return failed, failed


def _hint(result: ChildResult, deep: bool) -> str:
    return (
        "; hashing every file takes long on a slow disk, and --timeout gives it more"
        if deep and result.how == "timeout"
        else ""
    )


class _Said:
    """The lines of `compare_files.py`. Raises ValueError where their end is missing."""

    def __init__(self, output: bytes) -> None:
        *lines, end = output.decode("utf-8", "surrogateescape").rstrip("\n").split("\n")
        if end != "end":
            raise ValueError("its last line is missing")
        self._lines = [line.partition(" ") for line in lines]

    def number(self, word: str) -> int:
        """Raises ValueError where it was not said, or is none."""
        return int(next((value for name, _, value in self._lines if name == word), "nothing"))

    def paths(self, word: str) -> tuple[str, ...]:
        return tuple(value for name, _, value in self._lines if name == word)


def _check(said: _Said, record_file: str, deep: bool) -> Fact[RecordCheck]:
    """Proven damage is Known even where a part of RECORD can't be read; without any, that part leaves it open."""
    kinds = ("missing", "wrong_size", "wrong_hash")
    counts: dict[str, Any] = {f"{kind}_count": said.number(f"{kind}_count") for kind in kinds}
    files, broken, unreadable = (
        said.number(word) for word in ("files", "broken_count", "unreadable_count")
    )
    damaged = sum(counts.values())
    if broken and not damaged:
        return Failed(
            f"{record_file} has {broken} lines that are no entries, the first is line {said.number('broken')}",
            "unreadable",
        )
    if unreadable and not damaged:
        words = f"{unreadable} files can't be looked at, among them {said.paths('unreadable')[0]}"
        return Failed(words, "unreadable")
    if not files:
        return Failed(f"{record_file} lists no files", "missing")
    lists: dict[str, Any] = {kind: said.paths(kind) for kind in kinds}
    return Known(RecordCheck(files=files, hashed=deep, **lists, **counts), record_file)
