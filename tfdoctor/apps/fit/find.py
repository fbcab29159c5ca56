"""The search: which batch is tried, when it ends, and what is known then."""

from __future__ import annotations

import errno
import math
import time
from collections.abc import Callable
from typing import Any, TypeAlias

from tfdoctor.apps.fit.trial import Subject, Told, Trials
from tfdoctor.ask.recorder.own_memory import OwnMemory
from tfdoctor.ask.recorder.timeline import Sample
from tfdoctor.base.records import record
from tfdoctor.fix.batch_search import HOST, Line, estimated, lines, next_batch
from tfdoctor.report.fit import Bound, Fit, Parts, Tried, ways_out

_HOST_SPARE = 0.1
"""Of what is left on the host: two runs of one program differ by so much, and the rest of the machine needs some, too."""
_MOST_TRIALS = 16
_OF_ONE = 1 / 3  # of the time: so much may one trial take
Progress: TypeAlias = Callable[[str], None]


@record
class Wanted:
    """`name`: the file as it was typed. `most`: no larger batch is wanted; 0: none is too large. Time in seconds."""

    name: str
    subject: Subject
    most: int
    timeout_s: float


def host_room(sample: Sample) -> int:
    """Bytes of memory that a program may take: what its container and the machine leave. Raises OSError where that can't be read."""
    left: list[int] = [sample["available_bytes"]] if "available_bytes" in sample else []
    if "cgroup_limit_bytes" in sample:
        left.append(sample["cgroup_limit_bytes"] - sample["cgroup_bytes"])
    if not left:
        raise OSError(errno.ENODATA, "it does not say how much memory is left", "/proc/meminfo")
    return round(max(min(left), 0) * (1 - _HOST_SPARE))


def _host_room() -> int:
    return host_room(OwnMemory().look(0.0, ()))


def find(wanted: Wanted, tell: Progress) -> Fit:
    """Raises OSError where no trial can be started at all."""
    with Trials(wanted.subject) as trials:
        return Search(wanted, trials.run, _host_room(), tell).result()


def estimate(wanted: Wanted, tell: Progress) -> Fit:
    """By XLA's own report on two batches that it compiles. No step is run."""
    began, limit = time.monotonic(), _host_room()
    tell("compiling a step")
    with Trials(wanted.subject) as trials:
        told = trials.run(0, host_limit=limit, timeout_s=wanted.timeout_s, compiled=True)
    parts = _parts(told.model)
    if len(told.reports) < 2:
        return _unknown(wanted, [], began, told)
    name, size = min(told.gpus, key=lambda each: each[1], default=(HOST, limit))
    line = estimated(told.reports, name, size, base=0 if told.gpus else _size(told.model, "base"))
    batch = min(line.batch, wanted.most or math.inf)
    if batch == math.inf:
        return _fit(
            wanted,
            "unknown",
            began,
            [],
            kind="flat",
            stage="compile",
            because="its memory does not grow with the batch",
        )
    return _fit(wanted, "estimated", began, [], batch=int(batch), line=line, parts=parts)


class Search:
    """run: tries a batch (`Trials.run`). host_limit: bytes that a trial may take on the host."""

    def __init__(
        self, wanted: Wanted, run: Callable[..., Told], host_limit: int, tell: Progress
    ) -> None:
        self._wanted, self._run, self._limit, self._tell = wanted, run, host_limit, tell
        self._began = time.monotonic()
        self._told: list[Told] = []
        self._bound: Bound = "memory"

    def result(self) -> Fit:
        batch = next_batch([], [], self._wanted.most)
        while batch is not None:
            told = self._try(batch)
            if told.kind == "fixed-batch" and told.why.isdecimal() and self._bound != "model":
                self._bound, batch = "model", int(told.why)
                continue
            self._told.append(told)
            batch = self._after(told)
        return self._concluded()

    def _try(self, batch: int) -> Told:
        so_far = "".join(f"; {each.batch:,} fits" for each in self._ran()[-1:])
        self._tell(f"trying a batch of {batch:,}{so_far}")
        of_one = self._wanted.timeout_s * _OF_ONE
        return self._run(batch, host_limit=self._limit, timeout_s=min(self._left(), of_one))

    def _left(self) -> float:
        return self._began + self._wanted.timeout_s - time.monotonic()

    def _after(self, told: Told) -> int | None:
        """The next batch; None at the end, whose reason is kept."""
        if self._bound == "model" or (told.outcome in ("failed", "too-slow") and not self._ran()):
            return None
        if self._left() <= 0:
            self._bound = "time"
            return None
        if len(self._told) == _MOST_TRIALS:
            self._bound = "trials"
            return None
        return next_batch(
            [each.ran(self._limit) for each in self._ran()], self._failed(), self._wanted.most
        )

    def _ran(self) -> list[Told]:
        return sorted(
            (each for each in self._told if each.outcome == "ran"), key=lambda each: each.batch
        )

    def _failed(self) -> list[int]:
        """Also those that took too long: they are as much out of reach."""
        return [each.batch for each in self._told if each.outcome != "ran"]

    def _concluded(self) -> Fit:
        ran, last = self._ran(), self._told[-1]
        model = next((each.model for each in reversed(self._told) if each.model), {})
        parts = _parts(model)
        if not ran and last.outcome == "out-of-memory":
            limit = _limit_of(last, self._limit)
            return _fit(
                self._wanted,
                "nothing-fits",
                self._began,
                self._told,
                limit=limit,
                stage=last.stage,
                parts=parts,
            )
        if not ran:
            return _unknown(self._wanted, self._told, self._began, last)
        best = ran[-1]
        over = min((each for each in self._failed() if each > best.batch), default=0)
        bound = self._bound
        if bound == "memory" and not over:
            bound = "batch-max"
        line = min(
            lines([each.ran(self._limit) for each in ran]),
            key=lambda each: each.batch,
            default=None,
        )
        return _fit(
            self._wanted, "fits", self._began, self._told,
            batch=best.batch, over=over, bound=bound, line=line, steps=best.steps, parts=parts,
        )  # fmt: skip


def _limit_of(last: Told, host_limit: int) -> tuple[str, int]:
    """The memory that a batch did not fit into: a GPU's where TensorFlow had one and raised, else the host's."""
    return last.gpus[0] if last.kind == "raised" and last.gpus else (HOST, host_limit)


def _parts(model: dict[str, Any]) -> Parts | None:
    """By what a trial wrote; None where it did not get so far."""
    if not model:
        return None
    listed = model.get("layers")
    layers = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    largest = max(
        layers, key=lambda each: _size(each, "weights") + _size(each, "output"), default={}
    )
    return Parts(
        weights=_size(model, "weights"),
        gradients=_size(model, "gradients"),
        optimizer=_size(model, "optimizer"),
        activations=sum(_size(each, "output") for each in layers),
        layer=str(largest.get("name", ""))[:100],
        layer_weights=_size(largest, "weights"),
        layer_output=_size(largest, "output"),
        compute=str(model.get("compute", ""))[:20],
        optimizer_name=str(model.get("optimizer_name", ""))[:40],
    )


def _size(said: dict[str, Any], key: str) -> int:
    number = said.get(key)
    return number if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else 0


def _unknown(wanted: Wanted, told: list[Told], began: float, last: Told) -> Fit:
    return _fit(
        wanted, "unknown", began, told,
        kind=last.kind or last.outcome, stage=last.stage, because=last.why, parts=_parts(last.model),
    )  # fmt: skip


def _fit(
    wanted: Wanted, verdict: Any, began: float, told: list[Told], *, batch: int = 0, over: int = 0, bound: Bound = "memory",
    line: Line | None = None, limit: tuple[str, int] = ("", 0), steps: int = 0, parts: Parts | None = None,
    kind: str = "", stage: str = "", because: str = "",
) -> Fit:  # fmt: skip
    name, size = (line.name, line.limit) if line else limit
    return Fit(
        file=wanted.name,
        function=wanted.subject.function,
        verdict=verdict,
        batch=batch,
        larger_fails=over,
        bound=bound,
        memory=name,
        limit_bytes=size,
        fixed_bytes=line.fixed if line else 0,
        sample_bytes=round(line.slope) if line else 0,
        steps=steps,
        duration_s=round(time.monotonic() - began, 1),
        trials=tuple(map(_tried, told)),
        parts=parts,
        ways_out=ways_out(parts) if parts is not None and verdict == "nothing-fits" else (),
        kind=kind,
        stage=stage,
        because=because,
    )


def _tried(told: Told) -> Tried:
    used = told.ran(0).used[1:]
    return Tried(told.batch, told.outcome, round(told.duration_s, 1), told.host_peak, max((each.peak for each in used), default=0), told.why)  # fmt: skip
