"""What the program told of its training, where its callback did (tfdoctor/keras.py): a file of JSON lines."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import stat
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tfdoctor.facts.death import StepMemory, Training
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.probes.text_files import plain
from tfdoctor.recorder.watch.growth import Step

_MOST_BYTES = 16 << 20
_SOURCE = "tfdoctor.keras"
_LONGEST = 300
Line = dict[str, Any]
T = TypeVar("T")


def told_in(name: str) -> list[Line]:
    """The lines of the process that told the most; what a death cut off is passed over. [] where there is no such file."""
    found = []
    for line in _lines(name):
        with contextlib.suppress(ValueError):
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
        ),
        _SOURCE,
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


def _memory(fits: Sequence[Line]) -> Fact[tuple[StepMemory, ...]]:
    """Of the last `fit`, as it was told last."""
    found = _understood(fits[-1]["memory"], _of_device) if fits else ()
    return Known(found, _SOURCE) if found else Absent("TensorFlow used no GPU that tells its memory")


def _of_device(told: Line) -> StepMemory:
    before, peak = int(told["before"]), told.get("peak")
    step: Fact[int] = Absent("no step was above an earlier peak of the program")
    if peak is not None:
        step = Known(int(peak), _SOURCE)
    return StepMemory(plain(str(told["device"]))[:20], int(told["limit"]), before, int(told["held"]), step)


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
