"""When memory that grows will meet its limit, told before it does.

What is held for good is the lower envelope of memory; its slope is the median of all slopes between its parts (Theil and
Sen), which a jump or a tooth moves little. Two stretches are looked at, the last minute and the whole run without its
warm-up: a steady leak shows in the first, one that grows once an epoch only in the second. A growth counts where it is
larger than the noise and than any fall that was seen: what came back once may come back again.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence

from tfdoctor.base.records import record

HORIZON_S = 60.0
_HORIZON_LOOKS = 16  # at the least: a slow machine is looked at every five or ten seconds
FEWEST = 60  # looks: with fewer, warming up looks like a leak
_RECENT, _PIECES = 64, 128
_IN_A_ROW = 4  # looks
_FULL = 0.75  # of the limit: what is far from it may stop by itself
_WARM_UP = 0.25  # of the run
_PARTS, _FEWEST_PARTS = 8, 6
_LAST_PARTS = 2  # whose highest value is the height from which memory grows on
_JUMP = 0.5  # of the growth in one part
_RISE, _ROSE = 0.3, 0.7  # a part rises by so much of the mean; so many of them do
_STEADY = 0.85  # the second half's growth of the first's: below, it levels off
_LEAST_BYTES, _LEAST_SHARE, _NOISE = 8 << 20, 0.01, 3.0


@record
class Forecast:
    """Memory grows by `per_second` bytes and meets the limit of `limit` bytes in `left_s` seconds."""

    per_second: float
    left_s: float
    limit: float


@record
class _Piece:
    """Neighboring looks: when the middle of them was, and the least and the most bytes."""

    at: float
    least: float
    most: float


class Forecaster:
    """One kind of memory under one limit, which may change."""

    def __init__(self) -> None:
        self._recent = deque[_Piece](maxlen=_RECENT)
        self._whole = list[_Piece]()
        self._each = 1  # looks in a piece of the whole
        self._begun = list[_Piece]()
        self._looks = self._in_a_row = 0
        self._highest = self._fall = 0.0
        self._told_s = float("inf")

    def look(self, at: float, used: float, limit: float) -> Forecast | None:
        """What is new to tell: the first time, then whenever the time that is left has halved. Seconds and bytes."""
        self._add(_Piece(at, used, used))
        self._highest = max(self._highest, used)
        self._fall = max(self._fall, self._highest - used)
        found = self._forecast(used, limit)
        self._in_a_row = self._in_a_row + 1 if found is not None else 0
        if found is None or self._in_a_row < _IN_A_ROW or found.left_s > self._told_s / 2:
            return None
        self._told_s = found.left_s
        return found

    def _add(self, look: _Piece) -> None:
        self._looks += 1
        self._recent.append(look)
        self._begun.append(look)
        if len(self._begun) < self._each:
            return
        self._whole.append(_merged(self._begun))
        self._begun = []
        if len(self._whole) == _PIECES:
            self._whole = [
                _merged(pair) for pair in zip(self._whole[::2], self._whole[1::2], strict=True)
            ]
            self._each *= 2

    def _forecast(self, used: float, limit: float) -> Forecast | None:
        if self._looks < FEWEST or used < _FULL * limit:
            return None
        whole = [*self._whole, _merged(self._begun)] if self._begun else self._whole
        settled, fall = _settled(whole), self._fall
        found = [_growth(list(self._recent), limit, fall), _growth(settled, limit, fall)]
        pause = (self._recent[-1].at - self._recent[0].at) / (len(self._recent) - 1)
        horizon = max(HORIZON_S, _HORIZON_LOOKS * pause)
        near = [each for each in found if each is not None and each.left_s <= horizon]
        return min(near, key=lambda each: each.left_s, default=None)


def _merged(looks: Sequence[_Piece]) -> _Piece:
    middle = (looks[0].at + looks[-1].at) / 2
    return _Piece(middle, min(each.least for each in looks), max(each.most for each in looks))


def _settled(pieces: Sequence[_Piece]) -> list[_Piece]:
    if not pieces:
        return []
    begin = pieces[0].at + _WARM_UP * (pieces[-1].at - pieces[0].at)
    return [each for each in pieces if each.at >= begin]


def _growth(looks: Sequence[_Piece], limit: float, fall: float) -> Forecast | None:
    """None where it does not grow for sure."""
    parts = _parts(looks)
    if len(parts) < _FEWEST_PARTS:
        return None
    floor = _envelope(parts)
    grew = floor[-1] - floor[0]
    if grew < max(_LEAST_BYTES, _LEAST_SHARE * limit, _NOISE * _wobble(looks), fall):
        return None
    rises = [after - before for before, after in itertools.pairwise(floor)]
    height = max(each.most for each in parts[-_LAST_PARTS:])
    rose = sum(rise > _RISE * grew / len(rises) for rise in rises)
    if (
        max(rises) > _JUMP * grew
        or rose < _ROSE * len(rises)
        or height + _still_to_come(rises) < limit
    ):
        return None
    per_second = _median([
        (high - low) / (late.at - early.at)
        for (early, low), (late, high) in itertools.combinations(zip(parts, floor, strict=True), 2)
    ])  # fmt: skip
    if per_second <= 0:
        return None
    return Forecast(per_second, max(limit - height, 0.0) / per_second, limit)


def _still_to_come(rises: Sequence[float]) -> float:
    """How much it will grow if each half grows in proportion to the one before: infinite unless it is leveling off."""
    half = len(rises) // 2
    early, late = sum(rises[:half]), sum(rises[-half:])
    share = late / early if early > 0 else 1.0
    return late * share / (1 - share) if share < _STEADY else float("inf")


def _parts(looks: Sequence[_Piece]) -> list[_Piece]:
    """Stretches of equal time; one without a look is left out."""
    if len(looks) < 2:
        return []
    begin, width = looks[0].at, (looks[-1].at - looks[0].at) / _PARTS
    if width <= 0:
        return []
    groups: dict[int, list[_Piece]] = {}
    for each in looks:
        groups.setdefault(min(int((each.at - begin) / width), _PARTS - 1), []).append(each)
    return [_merged(groups[place]) for place in sorted(groups)]


def _envelope(parts: Sequence[_Piece]) -> list[float]:
    """The least from each part on."""
    floor = itertools.accumulate((each.least for each in reversed(parts)), min)
    return list(floor)[::-1]


def _wobble(looks: Sequence[_Piece]) -> float:
    """How much a look differs from the line between its neighbors, in the middle: noise, and neither slope nor jump."""
    bends = [
        abs(here.least - (before.least + after.least) / 2)
        for before, here, after in zip(looks, looks[1:], looks[2:], strict=False)
    ]
    return _median(bends) if bends else 0.0


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
