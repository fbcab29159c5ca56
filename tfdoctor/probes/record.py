"""Has RECORD compared with the disk by a child, and turns its answer into facts."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.facts.values import Distribution, RecordCheck
from tfdoctor.probes.child import Child, ChildResult

_PROGRAM = Path(__file__).with_name("record_child.py")
_MEMORY_BOUND = 512 << 20  # bytes; 2.21's RECORD needs 40 MB
DEEP_LIMIT_S = 90.0
"""For the hashes of all files: 2.2 GB take 3 s from memory and 20 s from a slow disk."""


RecordFacts = tuple[Fact[RecordCheck], Fact[tuple[str, ...]]]


def begin_comparison(owner: Distribution, limit_s: float, *, deep: bool) -> Callable[[], RecordFacts]:
    """Starts to compare RECORD with the disk; the returned call waits for it.

    It gives the comparison, and the files that other distributions claim, too.
    """
    record = os.path.join(owner.folder, "RECORD")
    if not os.path.lexists(record):
        why = f"{owner.folder} has no RECORD (conda, Debian and egg-info write none), so nothing says what should be there"
        return lambda: (Absent(why), Absent(why))
    argv = [sys.executable, "-I", "-S", str(_PROGRAM), record, *(["--deep"] if deep else [])]
    try:
        child = Child(argv, memory_bound=_MEMORY_BOUND)
    except (OSError, ValueError) as error:
        failed = Failed(f"comparing {record} could not be started: {error}")
        return lambda: (failed, failed)
    child.send(b"", last=True)
    ends = child.started + (max(limit_s, DEEP_LIMIT_S) if deep else limit_s)
    return lambda: _answer(child.wait(ends - time.monotonic()), record, deep)


def _answer(result: ChildResult, record: str, deep: bool) -> RecordFacts:
    if not result.ok:
        words = result.stderr.decode("utf-8", "replace").strip().splitlines()
        failed = Failed(f"comparing {record} {result.describe()}" + (f": {words[-1]}" if words else ""))
        return failed, failed
    try:
        answer = json.loads(result.stdout)
        foreign = tuple(answer["foreign"])
        claims: Fact[tuple[str, ...]] = Absent("no other distribution lists a file of the package")
        return _check(answer, record, deep), Known(foreign, "the RECORD files") if foreign else claims
    except (ValueError, KeyError, TypeError) as error:
        failed = Failed(f"the comparison of RECORD answered something else than was asked: {error}")
        return failed, failed


def _check(answer: dict[str, Any], record: str, deep: bool) -> Fact[RecordCheck]:
    """Proven damage is Known even where a part of RECORD can't be read; without any, that part leaves it open."""
    damaged = answer["missing_count"] + answer["wrong_size_count"] + answer["wrong_hash_count"]
    if answer["broken_count"] and not damaged:
        return Failed(f"{record} has {answer['broken_count']} lines that are no entries, the first is line {answer['broken'][0]}")
    if answer["unreadable_count"] and not damaged:
        return Failed(f"{answer['unreadable_count']} files can't be looked at, among them {answer['unreadable'][0]}")
    if not answer["files"]:
        return Failed(f"{record} lists no files")
    lists: dict[str, Any] = {name: tuple(answer[name]) for name in ("missing", "wrong_size", "wrong_hash")}
    lists |= {f"{name}_count": answer[f"{name}_count"] for name in lists}
    return Known(RecordCheck(files=answer["files"], hashed=deep, **lists), record)
