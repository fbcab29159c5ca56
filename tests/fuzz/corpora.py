"""The inputs that are kept: the smallest that together reach what all of them reach."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

from tests.fuzz.readers import Reader
from tests.unit.documents import ROOT

FOLDER = ROOT / "tests" / "fuzz" / "corpora"
MOST_BYTES = 48 << 10  # of one reader
PACKAGE = str(ROOT / "tfdoctor")


def kept(name: str) -> dict[str, bytes]:
    """Of a reader, by file name."""
    return {each.name: each.read_bytes() for each in sorted((FOLDER / name).glob("*"))}


def minimised(read: Reader, inputs: Iterable[bytes]) -> dict[str, bytes]:
    """Those that step from a line to another as none smaller does, by a short hash."""
    read(b"")
    reached: set[tuple[str, int, int]] = set()
    chosen: dict[str, bytes] = {}
    size = 0
    for data in sorted(set(inputs), key=len):
        steps = _steps(read, data)
        if steps <= reached or size + len(data) > MOST_BYTES:
            continue
        reached |= steps
        size += len(data)
        chosen[hashlib.sha256(data).hexdigest()[:12]] = data
    return chosen


def _steps(read: Reader, data: bytes) -> set[tuple[str, int, int]]:
    """The steps from line to line that an input causes in the package."""
    found: set[tuple[str, int, int]] = set()
    last: dict[int, int] = {}

    def tracer(frame: FrameType, event: str, argument: Any) -> Any:
        file = frame.f_code.co_filename
        if not file.startswith(PACKAGE):
            return None
        if event == "line":
            found.add((file, last.get(id(frame), 0), frame.f_lineno))
            last[id(frame)] = frame.f_lineno
        return tracer

    sys.settrace(tracer)
    try:
        read(data)
    except Exception:  # noqa: BLE001  # a failure is told by the replay, not here
        found.add(("failed", 0, 0))
    finally:
        sys.settrace(None)
    return found
