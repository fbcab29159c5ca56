"""Which batch fits into a GPU's memory, by what a step was seen to take, or by what an allocator could not give."""

from __future__ import annotations

from collections.abc import Sequence

from tfdoctor.facts.death import StepMemory, Training
from tfdoctor.facts.log_values import Dump
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.records import record

SPARE = 0.01
"""Of the memory: an allocator can't use every gap between its pieces."""


@record
class Fits:
    """The largest batch that fits: `share` of the one that ran, and its `batch` where the program told that one."""

    share: float
    batch: Fact[int]
    by: StepMemory


def largest_batch(training: Training) -> Fact[Fits]:
    """A line through what is held whatever the batch and the peak of a step: memory grows with the batch along it.

    Of several GPUs the one that is full first decides. Absent where no step's peak is known.
    """
    if not isinstance(training.memory, Known):
        return training.memory
    told = [(share, each) for each in training.memory.value if (share := _share(each)) is not None]
    if not told:
        return Absent("the peak of a step is not known")
    share, device = min(told, key=lambda each: each[0])
    batch: Fact[int] = training.batch
    if isinstance(batch, Known):
        batch = Known(int(share * batch.value), "a line through two measured points")
    return Known(Fits(share, batch, device), "a line through two measured points")


def _share(memory: StepMemory) -> float | None:
    if not isinstance(memory.peak, Known) or memory.peak.value <= memory.held:
        return None
    room = (1 - SPARE) * memory.limit - memory.held
    return max(room, 0.0) / (memory.peak.value - memory.held)


def most_of_this_batch(dumps: Sequence[Dump]) -> float | None:
    """An upper bound on the share of the batch that would fit, from what did not; None where the accounts don't tell.

    At least what was in use and what was asked for were needed. What is held whatever the batch, and what the step would have
    asked for next, can only lower it.
    """
    for dump in dumps:
        numbers = (dump.limit, dump.in_use, dump.requested)
        limit, used, asked = (each.value if isinstance(each, Known) else 0 for each in numbers)
        if limit and used and asked and used + asked > limit:
            return limit / (used + asked)
    return None
