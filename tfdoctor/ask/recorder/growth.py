"""Why memory grew: what is never given back, told from what only comes and goes.

What is held at a moment and never given back is the least that is held from then on: the lower envelope of anonymous
memory. A leak raises it again and again; warm-up, a sawtooth and noise don't; a jump raises it once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from tfdoctor.ask.recorder.timeline import Sample
from tfdoctor.base.records import record
from tfdoctor.facts.death import Growth, Reading
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known

Points = list[tuple[float, float]]
"""Seconds since the start, and bytes of anonymous memory with what of it was swapped out."""

_LOADED = 0.98  # of all that it ever had of its files in memory
_LOADING_S = 300.0  # what takes longer is no start
_FULL = 0.97  # of a limit, without what could be given back
_SQUEEZED_S = 1.0
_READ_BACK = 5.0  # major faults per second
_ENDING = 0.05  # of the time: a program that tidies up at its end has not stopped leaking


def points_of(samples: Sequence[Sample], begin: float, end: float) -> Points:
    """The looks of a time, without the fall of a program that ends by itself."""
    return _without_the_ending([
        (float(each["t"]), float(each["anon_bytes"]) + float(each.get("swap_bytes", 0)))
        for each in samples
        if "anon_bytes" in each and begin <= each["t"] <= end
    ])  # fmt: skip


def loaded_at(samples: Sequence[Sample]) -> float:
    """When nearly all of its program files were in memory: until then it starts, and memory rises as in a leak.

    Importing TensorFlow takes 4 s, and 75 s beside much other work, so no clock could tell.
    """
    mapped = [
        (float(each["t"]), float(each["rss_bytes"]) - float(each["anon_bytes"]))
        for each in samples
        if "anon_bytes" in each and "rss_bytes" in each
    ]
    enough = _LOADED * max((size for _, size in mapped), default=0.0)
    return min(next((at for at, size in mapped if size >= enough), 0.0), _LOADING_S)


def squeezed_at(samples: Sequence[Sample]) -> float:
    """From when on its memory could not grow, whatever it wanted; infinite where that never was.

    At a limit the kernel takes a program's files out of memory, and it reads them back again and again. That may take
    longer than all the growth before it.
    """
    told = [each for each in samples if "cgroup_limit_bytes" in each and "major_faults" in each]
    full = next(
        (each for each in told if each["cgroup_bytes"] >= _FULL * each["cgroup_limit_bytes"]), None
    )
    if full is None:
        return float("inf")
    lasted = told[-1]["t"] - full["t"]
    read_back = told[-1]["major_faults"] - full["major_faults"]
    return (
        float(full["t"])
        if lasted > _SQUEEZED_S and read_back > _READ_BACK * lasted
        else float("inf")
    )


def _without_the_ending(points: Points) -> Points:
    if len(points) < 3:
        return points
    end = points[-1][0]
    late = end - _ENDING * (end - points[0][0])
    highest = max(value for at, value in points if at >= late)
    before = list(points)
    while before and before[-1][0] >= late and before[-1][1] < 0.7 * highest:
        before.pop()
    return before


NO_LIMIT: Fact[int] = Absent("no limit is known")
LEVEL = "level"
LEAKS = ("slope", "per-step", "per-epoch")
FEWEST = 60  # samples: with fewer a warm-up can't be told from a leak
_FEWEST_LOADED = 45  # of them after the program was in memory
_FEW, _STRETCHES, _FEWEST_RISES = 12, 4, 4
_PER_PART = 5  # looks at the least
_FEWEST_PARTS = 6
_WARM_UP = 0.25  # of the time is left out at the beginning
_LEAST_BYTES = 8 << 20
_LEAST_SHARE = 0.02  # of what was held
_NOISE = 3.0  # growth must be so many times the wobble of the parts
_STEADY = 0.45  # the second half grows at least so much as the first, else it levels off
_TEETH = 3
_BOTTOMS = (
    0.2  # of the range: a look seldom meets the bottom of a tooth, so bottoms differ by chance
)


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
    """Too few looks to tell a leak from filling up; but it rose in each stretch, or with each look, up to the last one."""
    if len(points) < _FEW:
        rises = [after[1] - before[1] for before, after in itertools.pairwise(points)]
        grew = sum(rises)
        return (
            len(rises) >= _FEWEST_RISES
            and min(rises) > 0
            and grew > _LEAST_BYTES
            and max(rises) < _FINE.jump * grew
        )
    least = [value for _, value in _least(_late(points), _STRETCHES)]
    enough = max(_LEAST_BYTES, _LEAST_SHARE * least[0]) / _STRETCHES
    return len(least) == _STRETCHES and all(
        after - before > enough for before, after in itertools.pairwise(least)
    )


def _seen(points: Points, steps: Sequence[Step], limit: Fact[int], grain: _Grain) -> Fact[Growth]:
    floor = _envelope(_parts(points, grain.parts))
    if len(floor) < _FEWEST_PARTS - 1:
        return Absent("the looks stand too close together to tell")
    return Known(
        _judged(points, floor, steps, limit, grain), "the lower envelope of anonymous memory"
    )


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
            value
            for at, value in points
            if begin + 0.1 * (end - begin) <= at <= end - 0.1 * (end - begin)
        ]
        if len(inner) >= 2:
            half = len(inner) // 2
            within += min(inner[half:]) - min(inner[:half])
    bounds = [value for at, value in points if starts[0] <= at <= starts[-1]]
    whole = bounds[-1] - bounds[0] if len(bounds) >= 2 else 0.0
    return whole > 0 and within < 0.3 * whole


_WHILE_S = 5.0


def reading_of(samples: Sequence[Sample]) -> Fact[Reading]:
    if not samples:
        return Failed("it ended before the first look at it", "missing")

    def over(key: str, choose: Callable[[list[float]], float]) -> Fact[float]:
        values = [sample[key] for sample in samples if key in sample]
        return (
            Known(choose(values), "samples")
            if values
            else Failed(f"no sample has {key}", "missing")
        )

    def whole(key: str, choose: Callable[[list[float]], float]) -> Fact[int]:
        fact = over(key, choose)
        return Known(int(fact.value), fact.source) if isinstance(fact, Known) else fact

    def last(values: list[float]) -> float:
        return values[-1]

    def grew(values: list[float]) -> float:
        return max(values) - values[0]

    return Known(
        Reading(
            samples=len(samples),
            after_s=float(samples[-1]["t"]),
            most_rss=whole("rss_bytes", max),
            last_rss=whole("rss_bytes", last),
            most_anon=whole("anon_bytes", max),
            most_cgroup=whole("cgroup_bytes", max),
            cgroup_limit=whole("cgroup_limit_bytes", last),
            least_available=whole("available_bytes", min),
            last_available=whole("available_bytes", last),
            swap_grew=whole("swap_bytes", grew),
            most_pressure=over("pressure_full_percent", max),
            least_shm_free=whole("shm_free_bytes", min),
            least_disk_free=whole("disk_free_bytes", min),
            least_tmp_free=whole("tmp_free_bytes", min),
            most_threads=whole("threads", max),
            most_open_files=whole("open_files", max),
            most_processes=whole("processes", max),
            most_swapped_in=_most_per_second(samples, "swapped_in_pages"),
        ),
        "samples",
    )


def _most_per_second(samples: Sequence[Sample], key: str) -> Fact[float]:
    """The highest rate at which a counter grew, each time over `_WHILE_S` at least: a moment is no state."""
    counted = [(float(each["t"]), float(each[key])) for each in samples if key in each]
    if not counted:
        return Failed(f"no sample has {key}", "missing")
    rates, begin = [], 0
    for at, count in counted:
        while begin + 1 < len(counted) and at - counted[begin + 1][0] >= _WHILE_S:
            begin += 1
        if at - counted[begin][0] >= _WHILE_S:
            rates.append((count - counted[begin][1]) / (at - counted[begin][0]))
    if not rates:
        return Failed(f"it was watched for less than {_WHILE_S:g} s", "missing")
    return Known(max(rates), "samples")


def limit_of(samples: Sequence[Sample]) -> Fact[int]:
    """What memory may grow to, in bytes: the limit of the nearest cgroup; Absent where none has one."""
    found = [each["cgroup_limit_bytes"] for each in samples if "cgroup_limit_bytes" in each]
    return Known(int(found[-1]), "samples") if found else Absent("no cgroup of it has a limit")
