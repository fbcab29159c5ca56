"""Starts one trial in a child with a clock and a limit of memory, and reads what it has written, whatever became of it."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, TypeAlias

from tfdoctor.apps import documents
from tfdoctor.apps.fit import trial_program
from tfdoctor.ask.probes.smoke.scratch import OURS, Scratch
from tfdoctor.ask.recorder.journal import STEPS
from tfdoctor.ask.recorder.training import told_in, training_of
from tfdoctor.base.child import ChildResult, run_child
from tfdoctor.base.processes import adopt, end_all, tree
from tfdoctor.base.records import record
from tfdoctor.base.safe_open import head_of
from tfdoctor.facts.death import Training
from tfdoctor.facts.outcome import Known, known, value_or
from tfdoctor.fix.batch_search import HOST, Ran, Used
from tfdoctor.knowledge.catalog import CODES
from tfdoctor.knowledge.matrix.load import load_in_force
from tfdoctor.report.fit import STEPS as STEPS_OF_A_TRIAL
from tfdoctor.say.clean import clean

_MOST_TOLD, _KEEP = 1 << 20, 256 << 10
_LONGEST = 300
Outcome: TypeAlias = Literal["ran", "out-of-memory", "too-slow", "failed"]


@record
class Subject:
    """What is tried: the file, the function in it, the Python that runs it, the shapes of a sample that the model leaves open."""

    file: str
    function: str
    python: str
    shapes: tuple[tuple[int, ...], ...]


@record
class Told:
    """What a trial wrote, and its end.

    why: what went wrong, in a clause; "" where it ran. kind: of that, where the trial's program told it. gpus: of which TensorFlow
    may use so many bytes. model: its parts in bytes. reports: what XLA said of batches that were compiled.
    """

    batch: int
    outcome: Outcome
    duration_s: float
    stage: str
    kind: str
    why: str
    host_peak: int
    steps: int
    training: Training | None
    gpus: tuple[tuple[str, int], ...]
    model: dict[str, Any]
    reports: tuple[tuple[int, int], ...]

    def ran(self, host_limit: int) -> Ran:
        """For the search. Of the host what is held whatever the batch shows with a second batch alone."""
        used = [Used(HOST, host_limit, -1, self.host_peak)]
        if self.training is not None:
            result = self.training.result
            used += [
                Used(each.device, each.limit, each.held, each.peak.value, result)
                for each in value_or(self.training.memory, ())
                if isinstance(each.peak, Known)
            ]
        return Ran(self.batch, tuple(used))


class Trials:
    """Runs them one after the other; `with` it, nothing that they start or write stays behind."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def __enter__(self) -> Trials:
        self._spared = frozenset(tree(os.getpid()))  # of a shell whose last command was an `exec`
        adopt()
        self._scratch = Scratch()
        # So that it is known as ours where this process is killed.
        self._place = self._scratch.folder / OURS
        self._place.mkdir()
        return self

    def __exit__(self, *error: object) -> None:
        end_all(self._spared)
        self._scratch.remove()

    def run(self, batch: int, *, host_limit: int, timeout_s: float, compiled: bool = False) -> Told:
        """`host_limit`: bytes of its own memory at which it is ended. `compiled`: only XLA's reports, no step."""
        out, steps, reports = (self._place / name for name in ("told", "steps", "xla"))
        for file in (out, steps):
            file.unlink(missing_ok=True)
        reports.mkdir(exist_ok=True)
        asked = {
            "file": self._subject.file, "function": self._subject.function, "shapes": self._subject.shapes, "batch": batch,
            "steps": STEPS_OF_A_TRIAL, "out": str(out), "callbacks": _callbacks(), "compiled": str(reports) if compiled else "",
        }  # fmt: skip
        ended = run_child(
            [self._subject.python, trial_program.__file__, json.dumps(asked)],
            timeout_s=timeout_s,
            env={
                **os.environ,
                STEPS: str(steps),
                "TMPDIR": str(self._place),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            memory_bound=host_limit,
            keep_bytes=_KEEP,
        )
        end_all(self._spared)
        return _told(batch, ended, list(_lines(out)), str(steps), host_limit)


def _callbacks() -> str:
    return str(Path(trial_program.__file__).parents[2] / "keras.py")


def _lines(out: Path) -> Iterator[dict[str, Any]]:
    """The program runs strangers' code in its process, so the file may hold anything."""
    with contextlib.suppress(OSError):
        for line in head_of(out, _MOST_TOLD).splitlines():
            with contextlib.suppress(ValueError, RecursionError):
                told = json.loads(line)
                if isinstance(told, dict):
                    yield told


def _told(
    batch: int, ended: ChildResult, lines: list[dict[str, Any]], steps: str, host_limit: int
) -> Told:
    host = _last(lines, "host", dict, {})
    error = _last(lines, "error", dict, {})
    peak = _number(host.get("peak"))
    finished = ended.ok and not error
    outcome: Outcome = "ran" if finished else _how(ended)
    why = "" if finished else _why(ended, error)
    if finished and peak > host_limit:
        outcome, why = "out-of-memory", "it needed more memory than is left"
    training = training_of(told_in(steps), ())
    return Told(
        batch,
        outcome,
        ended.duration_s,
        str(_last(lines, "stage", str, "start")),
        str(error.get("kind", "")),
        why,
        peak,
        _number(host.get("steps")),
        known(training),
        tuple(_gpus(_last(lines, "gpus", list, []))),
        _last(lines, "model", dict, {}),
        tuple(
            (_number(each["report"].get("batch")), _number(each["report"].get("bytes")))
            for each in lines
            if isinstance(each.get("report"), dict)
        ),
    )


def _how(ended: ChildResult) -> Outcome:
    if ended.how == "memory-bound" or (ended.how == "signal" and ended.status == 9):
        return "out-of-memory"
    if ended.how in ("timeout", "not-ended"):
        return "too-slow"
    return "out-of-memory" if _says_memory(ended.stderr) else "failed"


def _says_memory(stderr: bytes) -> bool:
    """Whether what it wrote says that memory ran out: the judge of logs knows the messages."""
    told = documents.diagnose([("stderr", io.BytesIO(stderr))], load_in_force(), None)
    roots = [each.code for each in told.roots]
    return any(CODES[code].family == "memory" for code in roots if code in CODES)


def _why(ended: ChildResult, error: dict[str, Any]) -> str:
    if error:
        text = str(error.get("text", ""))
        if error.get("kind") != "raised":
            return clean(text)[:_LONGEST]
        first = text.strip().partition("\n")[0]
        line = f"line {error['line']}: " if error.get("line") else ""
        return clean(f"{line}{error.get('type')}: {first}")[:_LONGEST]
    return clean(ended.describe())


def _gpus(told: list[Any]) -> Iterator[tuple[str, int]]:
    for each in told:
        if isinstance(each, dict):
            yield clean(str(each.get("device")))[:20], _number(each.get("limit"))


def _last(lines: list[dict[str, Any]], key: str, kind: type, otherwise: Any) -> Any:
    found = [each[key] for each in lines if isinstance(each.get(key), kind)]
    return found[-1] if found else otherwise


def _number(value: Any) -> int:
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 60
        else 0
    )
