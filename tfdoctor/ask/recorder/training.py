"""What the program told of its training, where its callback did (tfdoctor/keras.py): a file of JSON lines."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from tfdoctor.ask.recorder.growth import Step
from tfdoctor.ask.recorder.journal import STEPS
from tfdoctor.ask.recorder.timeline import Sample
from tfdoctor.base.printable import plain
from tfdoctor.facts.death import Fill, StepMemory, Training
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known, value_or

_MOST_BYTES = 16 << 20
_SOURCE = "tfdoctor.keras"
_LONGEST = 300
Line = dict[str, Any]
T = TypeVar("T")


def told_in(name: str) -> list[Line]:
    """The lines of the process that told the most; what a death cut off is passed over. [] where there is no such file."""
    found = []
    for line in _lines(name):
        with contextlib.suppress(ValueError, RecursionError):
            told = json.loads(line)
            if isinstance(told, dict):
                found.append(told)
    counted = Counter(str(each.get("pid")) for each in found)
    if not counted:
        return []
    most = counted.most_common(1)[0][0]
    return [each for each in found if str(each.get("pid")) == most]


def steps_of(lines: Sequence[Line], started: float) -> tuple[Step, ...]:
    """`started` in time.monotonic() seconds."""
    return _understood(
        lines, lambda told: Step(float(told["t"]) - started, int(told["step"]), int(told["epoch"]))
    )


def training_of(lines: Sequence[Line], steps: Sequence[Step]) -> Fact[Training]:
    """Absent where nothing was told."""
    if not lines:
        return Absent("the program does not tell of its steps (tfdoctor.keras)")
    traces = _understood(lines, lambda told: int(told["traces"]))
    done = _understood(lines, lambda told: int(told["done"]))  # at the end of each fit
    fits = [each for each in lines if isinstance(each.get("memory"), list)]
    errors = [plain(str(each["error"]))[:_LONGEST] for each in lines if "error" in each]
    return Known(
        Training(
            steps=max(steps[-1].step + 1 if steps else 0, done[-1] if done else 0),
            epochs=len({each.epoch for each in steps}),
            seconds_per_step=_pace(steps),
            traces=Known(traces[-1], _SOURCE) if traces else Absent("this Keras does not show it"),
            batch=_batch(fits),
            memory=_memory(fits),
            error=errors[0] if errors else "",
            result=_number(fits, "result"),
            weights=_number(fits, "weights"),
            xla=bool(fits and fits[-1].get("xla")),
        ),
        _SOURCE,
    )


def gpus_told(lines: Sequence[Line]) -> Fact[int]:
    """How many GPUs TensorFlow had in the last `fit`."""
    told = _understood(lines, lambda line: int(line["gpus"]))
    return (
        Known(told[-1], _SOURCE)
        if told
        else Absent("the program does not tell of its GPUs (tfdoctor.keras)")
    )


def _pace(steps: Sequence[Step]) -> Fact[float]:
    """Between steps of one epoch, so that evaluation and saving between epochs are left out."""
    times = sorted(
        (after.t - before.t) / (after.step - before.step)
        for before, after in itertools.pairwise(steps)
        if after.epoch == before.epoch and after.step > before.step
    )
    return (
        Known(round(times[len(times) // 2], 4), _SOURCE)
        if times
        else Absent("fewer than two steps were told")
    )


def _batch(fits: Sequence[Line]) -> Fact[int]:
    batch = fits[-1].get("batch") if fits else 0
    if isinstance(batch, int) and batch > 0:
        return Known(batch, _SOURCE)
    return Absent("the callback was not told the batch")


def _number(fits: Sequence[Line], key: str) -> int:
    """Of the last `fit`; 0 where it was not told."""
    number = fits[-1].get(key) if fits else 0
    return number if isinstance(number, int) else 0


def _memory(fits: Sequence[Line]) -> Fact[tuple[StepMemory, ...]]:
    """Of the last `fit`, as it was told last."""
    found = _understood(fits[-1]["memory"], _of_device) if fits else ()
    return (
        Known(found, _SOURCE) if found else Absent("TensorFlow used no GPU that tells its memory")
    )


def _of_device(told: Line) -> StepMemory:
    before, peak = int(told["before"]), told.get("peak")
    step: Fact[int] = (
        Absent("fewer than two steps ran") if peak is None else Known(int(peak), _SOURCE)
    )
    return StepMemory(
        plain(str(told["device"]))[:20],
        int(told["limit"]),
        before,
        int(told.get("held", before)),
        step,
    )


def _understood(lines: Sequence[Any], read: Callable[[Line], T]) -> tuple[T, ...]:
    """Of those lines that can be read so: the file belongs to the program."""
    found = []
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError, OverflowError):
            found.append(read(line))
    return tuple(found)


def _lines(name: str) -> list[bytes]:
    """A file of our own making; the program may have put anything in its place, also a pipe."""
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return []
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return []
        with open(handle, "rb", closefd=False) as file:
            return file.read(_MOST_BYTES).split(b"\n")
    except OSError:
        return []
    finally:
        os.close(handle)


_FIRST_AFTER_S = 10.0
"""TensorFlow tells of a buffer at first when it has been filling for so long (shuffle_dataset_op.cc, kLogIntervalMicros;
2.21.0, 2026-11)."""
# TensorFlow's own log, in local time.
_STAMP = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{1,6}")
# absl's since 2.17, before it is initialised: seconds since 1970.
_ABSL_STAMP = re.compile(r"\b[IWEF]0000 00:00:(\d{9,11}\.\d{1,6}) ")


_SEVERITY = re.compile(r"(?:: |^)([IWEF])(?:0000 00:00:\d| tensorflow/)")
"""Of a line of TensorFlow's own log: information, warning, error, fatal."""
_HIDING = ("1", "2", "3")
_HIDDEN = Failed(
    "TensorFlow's messages about a shuffle buffer are hidden (TF_CPP_MIN_LOG_LEVEL)", "hidden"
)


def filling_of(
    lines: Fact[tuple[str, ...]], samples: Sequence[Sample], started_at: float, log_level: str = ""
) -> Fact[Fill]:
    """`started_at`: time.time() of the start. `log_level`: the command's TF_CPP_MIN_LOG_LEVEL."""
    hidden = log_level in _HIDING
    if not isinstance(lines, Known):
        return _HIDDEN if hidden else lines
    if not any("shuffle buffer" in line.lower() for line in lines.value):
        severities = {found[1] for line in lines.value if (found := _SEVERITY.search(line))}
        # The program sets it itself.
        hidden = hidden or (bool(severities) and "I" not in severities)
        return _HIDDEN if hidden else Absent("nothing was said of a shuffle buffer")
    from tfdoctor.knowledge.messages.catalogue import named

    filling, filled = named("shuffle-filling"), named("shuffle-filled")
    told: list[tuple[float, int, int]] = []
    for line in lines.value:
        if filled.hit(line):
            told = []
        elif hit := filling.hit(line):
            told.append((_seconds(line, started_at), int(hit.told["step"]), int(hit.told["total"])))
    if not told:
        return Absent("the shuffle buffer was filled")
    first, last = next(each for each in told if each[2] == told[-1][2]), told[-1]
    return Known(Fill(last[1], last[2], _per_element(first, last, samples)), lines.source)


def pace_in(environ: Mapping[str, str], started: float) -> float:
    """The seconds that a training step takes by what was told so far; 0.0 where the program does not tell."""
    told = told_in(environ.get(STEPS, ""))
    return value_or(_pace(steps_of(told, started)), 0.0)


def _seconds(line: str, started_at: float) -> float:
    """When it was written, in seconds since the start; -1 where it does not say."""
    if absl := _ABSL_STAMP.search(line):
        return float(absl[1]) - started_at
    found = _STAMP.search(line)
    with contextlib.suppress(ValueError):
        if found:
            return datetime.fromisoformat(found[0].ljust(26, "0")).timestamp() - started_at
    return -1.0


def _per_element(
    first: tuple[float, int, int], last: tuple[float, int, int], samples: Sequence[Sample]
) -> Fact[float]:
    """From the memory before the filling began and at the last line about it."""
    if last[0] < 0 or last[1] <= 0:
        return Failed("the line about the shuffle buffer has no time", "missing")
    before = _held(samples, first[0] - _FIRST_AFTER_S)
    after = _held(samples, last[0])
    if before is None or after is None or after <= before:
        return Failed("no samples show how memory grew meanwhile", "missing")
    return Known((after - before) / last[1], "anonymous memory while it was being filled")


def _held(samples: Sequence[Sample], at: float) -> float | None:
    """Anonymous memory and swap in bytes at a time, between the samples around it; None where there is none near."""
    points = [(float(each["t"]), float(each["anon_bytes"]) + float(each.get("swap_bytes", 0))) for each in samples if "anon_bytes" in each]  # fmt: skip
    before = [point for point in points if point[0] <= at]
    after = [point for point in points if point[0] > at]
    if not before or not after:
        return before[-1][1] if before else None
    (begin, low), (end, high) = before[-1], after[0]
    return low + (high - low) * (at - begin) / (end - begin)
