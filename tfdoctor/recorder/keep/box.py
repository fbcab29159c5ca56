"""The black box: what was seen, written as it is seen, so that it is there where the recorder dies along with the command.

A file of JSON lines below the state folder, readable by its owner alone: a head, then samples, then the facts of the
end. A file without an end is of a recorder that was killed.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfdoctor import __version__
from tfdoctor.asking.text_files import encodable
from tfdoctor.facts.codec import facts_to_json
from tfdoctor.recorder.watch.timeline import Sample

if TYPE_CHECKING:
    from tfdoctor.facts.model import Facts
    from tfdoctor.recorder.recording import Recording

KEPT = 10
_MOST_BYTES = 3 << 20
_SUFFIX = ".jsonl"


class Box:
    """One run's file. `error` says why nothing is kept any more, "" while it is."""

    def __init__(self, place: Path, run_id: str) -> None:
        self.path = place / f"{run_id}{_SUFFIX}"
        self.error = ""
        self._handle, self._size = -1, 0
        self._head: list[dict[str, Any]] = []
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._handle = self._open(self.path)
        except OSError as error:
            self.error = f"{self.path}: {error.strerror or error}"

    @staticmethod
    def _open(path: Path) -> int:
        return os.open(
            path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )

    def begin(self, run: Recording) -> None:
        """What must be known to judge the rest without this recorder."""
        from tfdoctor.recorder.watch.surroundings import kills

        self.head(
            version=__version__,
            command=[encodable(word) for word in run.orders.argv],
            started_at=run.started_at,
            monotonic=run.at,
            boot=boot_id(),
            pid=run.command.pid,
            recorder=os.getpid(),
            interval=run.orders.interval,
            machine_kills=kills(),
        )

    def head(self, **said: Any) -> None:
        """Something that is not a sample and must stay when samples are thinned."""
        self._head.append(said)
        self._write(said)

    def end(self, facts: Facts, status: int) -> None:
        """The facts of the end, by which the run can be judged again."""
        known = facts_to_json(facts)
        death = {path: fact for path, fact in known.items() if path.startswith("death.")}
        self._write({"facts": death, "status": status})

    def sample(self, sample: Sample, timeline: list[Sample]) -> None:
        """`timeline` are the samples that a thinned timeline holds: the file is rewritten from them when it grows."""
        if self._size > _MOST_BYTES:
            self._again(timeline)
        self._write({"sample": sample})

    def _write(self, line: dict[str, Any]) -> None:
        if self.error:
            return
        data = json.dumps(line).encode() + b"\n"
        try:
            os.write(self._handle, data)
            self._size += len(data)
        except OSError as error:
            self.error = f"{self.path}: {error.strerror or error}"

    def _again(self, timeline: list[Sample]) -> None:
        lines = [*self._head, *({"sample": each} for each in timeline)]
        data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
        beside = self.path.with_suffix(".new")
        try:
            handle = self._open(beside)
            os.write(handle, data)
            os.replace(beside, self.path)
            os.close(self._handle)
            self._handle, self._size = handle, len(data)
        except OSError as error:
            self.error = f"{self.path}: {error.strerror or error}"

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def leave_newest(place: Path) -> None:
    """Removes all but the newest ten. What can't be removed stays."""
    for old in newest(place)[KEPT:]:
        for path in (old, old.with_suffix(".steps")):
            with contextlib.suppress(OSError):
                path.unlink()


def newest(place: Path) -> list[Path]:
    """The boxes in a folder, the newest first."""
    found = []
    with contextlib.suppress(OSError):
        for path in place.glob(f"*{_SUFFIX}"):
            with contextlib.suppress(OSError):
                found.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(found, reverse=True)]


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a box; one that was cut off by the end is left out. Raises OSError."""
    lines = []
    for line in path.read_bytes().split(b"\n"):
        with contextlib.suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict):
                lines.append(found)
    return lines


def boot_id() -> str:
    """Of the running kernel; "" where it does not say."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    return ""
