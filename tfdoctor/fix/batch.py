"""Which batch fits into a GPU's memory, by what a step was seen to take, or by what an allocator could not give."""

from __future__ import annotations

from collections.abc import Sequence

from tfdoctor.base.records import record
from tfdoctor.facts.death import StepMemory, Training
from tfdoctor.facts.log_values import Dump
from tfdoctor.facts.outcome import Absent, Fact, Known, value_or

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
    """A batch that fits: `share` of the one that ran, and its `batch` where the program told that one. `least`: more may fit."""

    share: float
    batch: Fact[int]
    least: bool


def largest_batch(training: Training) -> Fact[Fits]:
    """A line through what is held between steps and the peak of a later step, with the allocator's rule; never less than ran.

    XLA tries out algorithms in the first step of each batch size and takes memory that no later step shows, so with it the
    batch that ran is all that is known to fit. Of several GPUs the one that is full first decides. Absent where no step's
    peak is known.
    """
    if not isinstance(training.memory, Known):
        return training.memory
    told = [(share, each) for each in training.memory.value if (share := _share(each, training)) is not None]
    if not told:
        return Absent("the peak of a step is not known")
    share, device = min(told, key=lambda each: each[0])
    share = 1.0 if training.xla else max(share, 1.0)
    step = value_or(device.peak, 0) - device.held
    batch: Fact[int] = training.batch
    if isinstance(batch, Known):
        batch = Known(int(share * batch.value), "what a step was seen to take")
    least = training.xla or step < _MOSTLY_BATCH * training.weights
    return Known(Fits(share, batch, least), "what a step was seen to take")


def _share(memory: StepMemory, training: Training) -> float | None:
    if not isinstance(memory.peak, Known) or memory.peak.value <= memory.held:
        return None
    step, room = memory.peak.value - memory.held, (1 - SPARE) * memory.limit - memory.held
    batch = value_or(training.batch, 0)
    tensor = min(training.result * batch, step) or step
    return max(room / (step + tensor), (room - _MOST_UNSPLIT) / step)


def most_of_this_batch(dumps: Sequence[Dump]) -> float | None:
    """An upper bound on the share of the batch that would fit, from what did not; None where the accounts don't tell.

    At least what was in use and what was asked for were needed. What is held whatever the batch, and what the step would have
    asked for next, can only lower it.
    """
    for dump in dumps:
        numbers = (dump.limit, dump.in_use, dump.requested)
        limit, used, asked = (value_or(each, 0) for each in numbers)
        if limit and used and asked and used + asked > limit:
            return limit / (used + asked)
    return None
