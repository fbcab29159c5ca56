"""The black box: what was seen, written as it is seen, so that it is there where the recorder dies along with the command.

A file of JSON lines below the state folder, readable by its owner alone: a head, then samples, then the facts of the
end. A file without an end is of a recorder that was killed.
"""

from __future__ import annotations

import contextlib
import os

from tfdoctor import __version__
from tfdoctor.base.json_text import dumps
from tfdoctor.base.records import record
from tfdoctor.base.user_folders import NO_HOME, state_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tfdoctor.ask.recorder.run import CleanExit, RunContext
    from tfdoctor.ask.recorder.timeline import Sample
    from tfdoctor.facts.model import Facts

KEPT = 10
_MOST_BYTES = 3 << 20
_SUFFIX, _STEPS = ".jsonl", ".steps"


@record
class RunHead:
    """What must be known to judge the rest without this recorder."""

    version: str
    command: tuple[str, ...]
    started_at: float
    monotonic: float  # when it began, by the clock of its boot
    boot: str
    pid: int
    recorder: int
    interval: float
    machine_kills: int | None


class RunJournal:
    """One run's file. `error` says why nothing is kept any more, "" while it is."""

    def __init__(self, place: str, run_id: str) -> None:
        self.path = os.path.join(place, f"{run_id}{_SUFFIX}")
        self.error = "" if place else NO_HOME
        self._handle, self._size = -1, 0
        self._head: list[dict[str, Any]] = []
        if self.error:
            return
        try:
            os.makedirs(place, 0o700, exist_ok=True)
            self._handle = self._open(self.path)
        except OSError as error:
            self.error = f"{self.path}: {error.strerror or error}"

    @staticmethod
    def _open(path: str) -> int:
        return os.open(
            path,
            os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW,
            0o600,
        )

    def begin(self, run: RunContext, *, pid: int, interval: float) -> None:
        from tfdoctor.ask.recorder.host_memory import kills

        command = tuple(os.fsencode(word).decode("utf-8", "replace") for word in run.argv)
        me = os.getpid()
        head = RunHead(
            __version__, command, run.started_at, run.at, boot_id(), pid, me, interval, kills()
        )
        # What the codec makes of it, for which a short command need not wait.
        self.head(**vars(head))

    def head(self, **said: Any) -> None:
        """Something that is not a sample and must stay when samples are thinned."""
        self._head.append(said)
        self._write(said)

    def end(self, facts: Facts, status: int) -> None:
        """The facts of the end, by which the run can be judged again."""
        import json

        from tfdoctor.facts.codec import to_json

        known = to_json(facts)
        death = {path: fact for path, fact in known.items() if path.startswith("death.")}
        self._put(json.dumps({"facts": death, "status": status}))

    def ended_well(self, end: CleanExit) -> None:
        """An end that needs no facts: they are made where somebody asks for the last run."""
        self._write({"ended_well": vars(end), "status": 0})

    def sample(self, sample: Sample, timeline: list[Sample]) -> None:
        """`timeline` are the samples that a thinned timeline holds: the file is rewritten from them when it grows."""
        if self._size > _MOST_BYTES:
            self._again(timeline)
        self._write({"sample": sample})

    def _write(self, line: dict[str, Any]) -> None:
        self._put(dumps(line))

    def _put(self, line: str) -> None:
        if self.error:
            return
        data = line.encode() + b"\n"
        try:
            os.write(self._handle, data)
            self._size += len(data)
        except OSError as error:
            self.error = f"{self.path}: {error.strerror or error}"

    def _again(self, timeline: list[Sample]) -> None:
        lines = [*self._head, *({"sample": each} for each in timeline)]
        data = b"".join(dumps(line).encode() + b"\n" for line in lines)
        beside = self.path.removesuffix(_SUFFIX) + ".new"
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


def leave_newest(place: str) -> None:
    """Removes all but the newest ten. What can't be removed stays."""
    for old in newest(place)[KEPT:]:
        for path in (old, steps_beside(old)):
            with contextlib.suppress(OSError):
                os.unlink(path)


def steps_beside(path: str) -> str:
    """The file in which that run's command told of its steps."""
    return path.removesuffix(_SUFFIX) + _STEPS


def newest(place: str) -> list[str]:
    """The boxes in a folder, the newest first."""
    found = []
    with contextlib.suppress(OSError):
        for entry in os.scandir(place):
            if entry.name.endswith(_SUFFIX):
                with contextlib.suppress(OSError):
                    found.append((entry.stat().st_mtime_ns, entry.path))
    return [path for _, path in sorted(found, reverse=True)]


def read(path: str) -> list[dict[str, Any]]:
    """The lines of a box; one that was cut off by the end is left out. Raises OSError."""
    import json

    lines = []
    with open(path, "rb") as file:
        whole = file.read()
    for line in whole.split(b"\n"):
        with contextlib.suppress(ValueError, RecursionError):
            found = json.loads(line)
            if isinstance(found, dict):
                lines.append(found)
    return lines


def boot_id() -> str:
    """Of the running kernel; "" where it does not say."""
    with (
        contextlib.suppress(OSError),
        open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file,
    ):
        return file.read().strip()
    return ""


STEPS = "TFDOCTOR_RUN_STEPS"
"""The variable that names the file in which the command may tell of its training steps."""


def folder(environ: Mapping[str, str]) -> str:
    """${XDG_STATE_HOME:-~/.local/state}/tfdoctor/run; "" where no home directory is known."""
    base = state_home(environ)
    return os.path.join(base, "tfdoctor", "run") if base else ""
