"""Which batch to try next, and what is known from those that were tried. Arithmetic alone: nothing is asked of the machine."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tfdoctor.base.records import record
from tfdoctor.fix.batch import SPARE, largest_on_line

FIRST, GROWTH, CLOSE = 8, 32, 0.05
BEYOND = 4 / 3
"""How far above the largest that ran the one lies that must not fit: so the answer is a bound from both sides."""
HOST = "host memory"


@record
class Used:
    """What one memory was seen to hold with a batch that ran, in bytes.

    `held`: whatever the batch; -1 where that is not known. `tensor`: the largest of one sample, 0 where that is not known; a
    GPU's allocator needs it twice.
    """

    name: str
    limit: int
    held: int
    peak: int
    tensor: int = 0


@record
class Ran:
    """A batch that ran, and what each memory held."""

    batch: int
    used: tuple[Used, ...]


@record
class Line:
    """Of one memory: `fixed` bytes whatever the batch, `slope` for each sample, and the largest batch below the limit by that."""

    name: str
    limit: int
    fixed: int
    slope: float
    batch: float


def lines(ran: Sequence[Ran]) -> list[Line]:
    """The line of each memory through the largest batch that ran and the next that is well below it; through what is held, where none is.

    A memory that does not grow has none: what is smaller than the noise says nothing.
    """
    last = max(ran, key=lambda each: each.batch)
    below = [each for each in ran if each.batch <= last.batch / BEYOND]
    before = max(below, key=lambda each: each.batch, default=None)
    found = []
    for used in last.used:
        lower = (
            next((each for each in before.used if each.name == used.name), None) if before else None
        )
        if before is not None and lower is not None:
            slope = (used.peak - lower.peak) / (last.batch - before.batch)
        elif used.held >= 0:
            slope = (used.peak - used.held) / last.batch
        else:
            continue
        if slope <= 0:
            continue
        fixed = max(used.peak - slope * last.batch, 0)
        twice = 0 if used.name == HOST else min(used.tensor, slope) or slope
        limit = used.limit * (1 if used.name == HOST else 1 - SPARE)
        largest = largest_on_line(limit, fixed, slope, twice)
        found.append(Line(used.name, used.limit, round(fixed), slope, largest))
    return found


def next_batch(ran: Sequence[Ran], failed: Sequence[int], most: int = 0) -> int | None:
    """What to try next; None where the largest batch is known. `most`: no larger one is wanted; 0: none is too large.

    First a small one, or a single sample where that fails. Then where the line of the memory that is full first meets its limit,
    yet no more than `GROWTH` times the largest that ran; then a third above that, which has to fail; between one that ran and
    one that failed the line again, or the middle.
    """
    ceiling = most or math.inf
    if not ran:
        return min(FIRST, most or FIRST) if not failed else 1 if min(failed) > 1 else None
    best = max(each.batch for each in ran)
    larger = [each for each in failed if each > best]
    over = min(larger, default=math.inf)
    expected = min((each.batch for each in lines(ran)), default=math.inf)
    if best >= ceiling or over - best <= max(1, CLOSE * best):
        return None
    at_the_line = expected <= best * (1 + CLOSE)
    if at_the_line and over <= best * BEYOND + 1:
        return None
    if at_the_line:
        guess = best * BEYOND
    elif expected < over or (len(larger) == 1 and expected < math.inf):
        guess = min(expected, over * (1 - CLOSE))
    else:
        guess = (best + over) / 2
    return max(best + 1, int(min(guess, best * GROWTH, ceiling)))


def estimated(reports: Sequence[tuple[int, int]], name: str, limit: int, base: int) -> Line:
    """By the bytes that two batches need as XLA reports them, and what the process holds besides. Nothing ran."""
    (small, less), (large, more) = sorted(reports)[:2]
    slope = max(more - less, 0) / max(large - small, 1)
    fixed = base + max(less - slope * small, 0)
    return Line(
        name, limit, round(fixed), slope, max(limit - fixed, 0) / slope if slope else math.inf
    )
