"""Which batch fits into a GPU's memory, by what a step was seen to take, or by what an allocator could not give."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tfdoctor.base.records import record
from tfdoctor.facts.death import StepMemory, Training
from tfdoctor.facts.log_values import Dump
from tfdoctor.facts.outcome import Absent, Fact, Known, value_or

_FULL = 0.98
"""Of the limit: a peak that high was set by the limit, and by what the allocator keeps of freed pieces, not by the step."""
_TELLS = 0.8
"""An upper bound nearer to the batch that died tells nothing: what is asked for last is mostly a small part
(bounds of 98 and 99 % were far too much wherever they were tried: simulated GPU, TensorFlow 2.21.0, 2026-11)."""
SPARE = 0.01
"""Of the memory: an allocator can't use every gap between its pieces."""
_MOST_UNSPLIT = 128 << 20
"""The allocator splits no free piece unless it is twice the request or so much is left (xla/tsl/framework/bfc_allocator.cc,
2.21.0, 2026-11): so the largest tensor of a step needs its size once more, and at most this."""
_MOSTLY_BATCH = 10
"""Times the trained weights. Gradients and the optimizer's own results took up to 2.2 times the weights in a step, whatever the batch
(Adam, TensorFlow 2.21.0 on a simulated GPU, 2026-11), so of a larger step nearly all grows with the batch."""


@record
class Fits:
    """A batch that fits: `share` of the one that ran, and its `batch` where the program told that one.

    bound: why more may fit, "" where that is known, too: "xla" takes memory that no later step shows, a step is mostly "weights", or
    the GPU was "full", so that the peak is no measure of the step.
    """

    share: float
    batch: Fact[int]
    bound: str

    @property
    def least(self) -> bool:
        """More may fit."""
        return bool(self.bound)


def largest_batch(training: Training) -> Fact[Fits]:
    """A line through what is held between steps and the peak of a later step, with the allocator's rule; never less than ran.

    XLA tries out algorithms in the first step of each batch size and takes memory that no later step shows, so with it the
    batch that ran is all that is known to fit. Of several GPUs the one that is full first decides. Absent where no step's
    peak is known.
    """
    if not isinstance(training.memory, Known):
        return training.memory
    told = [
        (share, each)
        for each in training.memory.value
        if (share := _share(each, training)) is not None
    ]
    if not told:
        return Absent("the peak of a step is not known")
    share, device = min(told, key=lambda each: each[0])
    full = value_or(device.peak, 0) >= _FULL * device.limit
    share = 1.0 if training.xla or full else max(share, 1.0)
    step = value_or(device.peak, 0) - device.held
    batch: Fact[int] = training.batch
    if isinstance(batch, Known):
        batch = Known(int(share * batch.value), "what a step was seen to take")
    mostly_weights = step < _MOSTLY_BATCH * training.weights
    bound = "xla" if training.xla else "full" if full else "weights" if mostly_weights else ""
    return Known(Fits(share, batch, bound), "what a step was seen to take")


def _share(memory: StepMemory, training: Training) -> float | None:
    if not isinstance(memory.peak, Known) or memory.peak.value <= memory.held:
        return None
    step = memory.peak.value - memory.held
    batch = value_or(training.batch, 0)
    tensor = min(training.result * batch, step) or step
    return largest_on_line((1 - SPARE) * memory.limit, memory.held, step, tensor)


def largest_on_line(limit: float, fixed: float, slope: float, tensor: float) -> float:
    """Where a line of memory meets its limit: `fixed`, and for each unit `slope`; `tensor` of it is the largest one."""
    room = limit - fixed
    return max(room / (slope + tensor), (room - _MOST_UNSPLIT) / slope if tensor else -math.inf)


def most_of_this_batch(dumps: Sequence[Dump]) -> float | None:
    """An upper bound on the share of the batch that would fit, from what did not; None where the accounts don't tell, or it is near to 1.

    At least what was in use and what was asked for were needed. What is held whatever the batch, and what the step would have
    asked for next, can only lower it.
    """
    for dump in dumps:
        numbers = (dump.limit, dump.in_use, dump.requested)
        limit, used, asked = (value_or(each, 0) for each in numbers)
        if limit and used and asked and limit < _TELLS * (used + asked):
            return limit / (used + asked)
    return None
