"""The inputs that are kept: the smallest that together reach what all of them reach."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from types import FrameType
from typing import Any

from tests.fuzz.readers import Reader
from tests.unit.documents import ROOT

FOLDER = ROOT / "tests" / "fuzz" / "corpora"
MOST_BYTES = 48 << 10  # of one reader
PACKAGE = str(ROOT / "tfdoctor")


def kept(name: str) -> list[bytes]:
    """Of a reader: each line of its file is one, as Python writes it."""
    return [
        ast.literal_eval(line) for line in (FOLDER / f"{name}.txt").read_text("ascii").splitlines()
    ]


def keep(name: str, inputs: Iterable[bytes]) -> None:
    (FOLDER / f"{name}.txt").write_text("".join(f"{each!r}\n" for each in inputs), encoding="ascii")


def minimised(read: Reader, inputs: Iterable[bytes]) -> list[bytes]:
    """Those that step from a line to another as none smaller does."""
    read(b"")
    reached: set[tuple[str, int, int]] = set()
    chosen: list[bytes] = []
    size = 0
    for data in sorted(set(inputs), key=len):
        steps = _steps(read, data)
        if steps <= reached or size + len(data) > MOST_BYTES:
            continue
        reached |= steps
        size += len(data)
        chosen.append(data)
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
