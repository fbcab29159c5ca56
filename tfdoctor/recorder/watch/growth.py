"""Why memory grew: what is never given back, told from what only comes and goes.

What is held at a moment and never given back is the least that is held from then on: the lower envelope of anonymous
memory. A leak raises it again and again; warm-up, a sawtooth and noise don't; a jump raises it once.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from tfdoctor.facts.death import Growth
from tfdoctor.facts.outcome import Absent, Fact, Known
from tfdoctor.light.records import record
from tfdoctor.recorder.watch.span import Points, loaded_at, points_of, squeezed_at
from tfdoctor.recorder.watch.timeline import Sample

NO_LIMIT: Fact[int] = Absent("no limit is known")
LEVEL = "level"
LEAKS = ("slope", "per-step", "per-epoch")
FEWEST = 60  # samples: with fewer a warm-up can't be told from a leak
_FEWEST_LOADED = 45  # of them after the program was in memory
_FEW, _STRETCHES = 12, 4
_PER_PART = 5  # looks at the least
_FEWEST_PARTS = 6
_WARM_UP = 0.25  # of the time is left out at the beginning
_LEAST_BYTES = 8 << 20
_LEAST_SHARE = 0.02  # of what was held
_NOISE = 3.0  # growth must be so many times the wobble of the parts
_STEADY = 0.45  # the second half grows at least so much as the first, else it levels off
_TEETH = 3
_BOTTOMS = 0.2  # of the range: a look seldom meets the bottom of a tooth, so bottoms differ by chance


@record
class _Grain:
    """Into how many parts the time is divided; which share of them must rise; which share of the growth in one is a jump."""

    parts: int
    rising: float
    jump: float


_FINE, _COARSE = _Grain(24, 0.6, 0.6), _Grain(8, 0.99, 0.4)


@record
class Step:
    """A training step that was reported: `t` in seconds since the start."""

    t: float
    step: int
    epoch: int


def growth_of(
    samples: Sequence[Sample], steps: Sequence[Step] = (), limit: Fact[int] = NO_LIMIT
) -> Fact[Growth]:
    """How memory went. Absent with the reason where there is too little to tell."""
    begin, end = (steps[0].t if steps else 0.0), squeezed_at(samples)
    points = points_of(samples, begin, end)
    many = len(points)
    if not steps:
        points = points_of(samples, loaded_at(samples), end)
    if many < FEWEST or len(points) < _FEWEST_LOADED:
        if _rises_to_its_end(points):
            return Known(_plain("rising", points[-1][1] - points[0][1], limit), "anonymous memory")
        return Absent(_too_few(many))
    found = _seen(points, steps, limit, _FINE)
    if isinstance(found, Known) and found.value.kind == LEVEL:
        # growth once an epoch leaves most of many short stretches level
        coarse = _seen(points, steps, limit, _COARSE)
        found = coarse if isinstance(coarse, Known) and coarse.value.kind in LEAKS else found
    return found


def _too_few(many: int) -> str:
    if many < FEWEST:
        return f"{many} looks are too few to tell growth from warming up; it takes {FEWEST}"
    return f"it was still loading its program files for most of the time; it takes {_FEWEST_LOADED} looks after that"


def _rises_to_its_end(points: Points) -> bool:
    """Too few looks to tell a leak from filling up; but it rose in each stretch, up to the last look."""
    if len(points) < _FEW:
        return False
    least = [value for _, value in _least(_late(points), _STRETCHES)]
    enough = max(_LEAST_BYTES, _LEAST_SHARE * least[0]) / _STRETCHES
    return len(least) == _STRETCHES and all(
        after - before > enough for before, after in itertools.pairwise(least)
    )


def _seen(points: Points, steps: Sequence[Step], limit: Fact[int], grain: _Grain) -> Fact[Growth]:
    floor = _envelope(_parts(points, grain.parts))
    if len(floor) < _FEWEST_PARTS - 1:
        return Absent("the looks stand too close together to tell")
    return Known(_judged(points, floor, steps, limit, grain), "the lower envelope of anonymous memory")


def _parts(points: Points, most: int) -> Points:
    """The least of each stretch of equal length, after the warm-up."""
    late = _late(points)
    count = max(min(most, len(late) // _PER_PART), 1)
    teeth = _teeth(late)
    if teeth >= _TEETH:
        count = max(min(count, teeth), _FEWEST_PARTS)
    return _least(late, count)


def _least(points: Points, count: int) -> Points:
    """Of each of so many stretches of equal time its middle and the least in it; one without a look is left out."""
    begin, end = points[0][0], points[-1][0]
    width = max(end - begin, 1e-9) / count
    least: dict[int, tuple[float, float]] = {}
    for at, value in points:
        place = min(int((at - begin) / width), count - 1)
        if place not in least or value < least[place][1]:
            least[place] = (begin + (place + 0.5) * width, value)
    return [least[place] for place in sorted(least)]


def _late(points: Points) -> Points:
    """Those after the warm-up."""
    begin = points[0][0] + _WARM_UP * (points[-1][0] - points[0][0])
    return [point for point in points if point[0] >= begin]


def _envelope(parts: Points) -> Points:
    """The least from each part on. The last part is left out: what follows it nobody saw."""
    floor, found = float("inf"), []
    for at, value in reversed(parts):
        floor = min(floor, value)
        found.append((at, floor))
    return found[::-1][:-1]


def _judged(
    points: Points,
    floor: Points,
    steps: Sequence[Step],
    limit: Fact[int],
    grain: _Grain,
) -> Growth:
    rises = [after[1] - before[1] for before, after in itertools.pairwise(floor)]
    grew = floor[-1][1] - floor[0][1]
    enough = max(_LEAST_BYTES, _LEAST_SHARE * floor[0][1], _NOISE * _wobble(points))
    settled = _late(points)
    saws = _teeth(settled) >= _TEETH
    if grew < max(enough, _BOTTOMS * _range(settled) if saws else 0.0):
        return _plain("sawtooth" if saws else LEVEL, grew, limit)
    if max(rises) >= grain.jump * grew:
        return _plain("jump", grew, limit)
    half = len(rises) // 2
    early, late = sum(rises[:half]) / half, sum(rises[half:]) / (len(rises) - half)
    rose = sum(rise > 0.3 * grew / len(rises) for rise in rises) / len(rises)
    if late < _STEADY * early or rose < grain.rising:
        return _plain(LEVEL, grew, limit)
    return _leak(points, floor, steps, limit)


def _plain(kind: str, grew: float, limit: Fact[int]) -> Growth:
    nothing = Absent("it does not go on growing")
    return Growth(kind, nothing, "", 0, int(max(grew, 0)), limit, nothing)


def _wobble(points: Points) -> float:
    """How much a look differs from the line between its neighbours, in the middle: noise, and neither slope nor jump."""
    bends = sorted(
        abs(here[1] - before[1] - (after[1] - before[1]) * (here[0] - before[0]) / max(after[0] - before[0], 1e-9))
        for before, here, after in zip(points, points[1:], points[2:], strict=False)
    )  # fmt: skip
    return bends[len(bends) // 2] if bends else 0.0


def _range(points: Points) -> float:
    return max(value for _, value in points) - min(value for _, value in points)


def _teeth(points: Points) -> int:
    """How often it fell by more than a fifth of its range."""
    values = [value for _, value in points]
    fall = max(_range(points) / 5, _LEAST_BYTES, 4 * _wobble(points))
    highest, teeth = values[0], 0
    for value in values:
        highest = max(highest, value)
        if highest - value > fall:
            teeth, highest = teeth + 1, value
    return teeth


def _leak(
    points: Points,
    floor: Points,
    steps: Sequence[Step],
    limit: Fact[int],
) -> Growth:
    (begin, low), (end, high) = floor[0], floor[-1]
    grew = high - low
    inside = [each for each in steps if begin <= each.t <= end]
    epochs = len({each.epoch for each in inside}) - 1
    kind, unit, units = "slope", "second", end - begin
    if epochs >= 4 and _at_epochs(points, inside):
        kind, unit, units = "per-epoch", "epoch", float(epochs)
    elif len(inside) >= 2:
        kind, unit, units = (
            "per-step",
            "step",
            float(inside[-1].step - inside[0].step) or float(len(inside) - 1),
        )
    each = grew / units
    left: Fact[float] = Absent("no limit is known")
    if isinstance(limit, Known):
        left = Known(round(max(limit.value - points[-1][1], 0.0) / each, 1), "extrapolated")
    return Growth(kind, Known(each, "the lower envelope"), unit, int(units), int(grew), limit, left)


def _at_epochs(points: Points, steps: Sequence[Step]) -> bool:
    """Whether memory rises between the epochs rather than within them."""
    starts = [after.t for before, after in itertools.pairwise(steps) if after.epoch != before.epoch]
    if len(starts) < 3:
        return False
    within = 0.0
    for begin, end in itertools.pairwise(starts):
        inner = [
            value for at, value in points if begin + 0.1 * (end - begin) <= at <= end - 0.1 * (end - begin)
        ]
        if len(inner) >= 2:
            half = len(inner) // 2
            within += min(inner[half:]) - min(inner[:half])
    bounds = [value for at, value in points if starts[0] <= at <= starts[-1]]
    whole = bounds[-1] - bounds[0] if len(bounds) >= 2 else 0.0
    return whole > 0 and within < 0.3 * whole
