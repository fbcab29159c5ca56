"""The samples in order, thinned when they become many: of each stretch the lowest and the highest stay, and every peak."""

from __future__ import annotations

from typing import Any

Sample = dict[str, Any]
"""One look in the form of the report: `t` in seconds since the start; what could not be read is not there."""

MOST = 2000
_GROUP = 4
_BY = "anon_bytes"
_PEAKS = (
    "rss_bytes",
    "anon_bytes",
    "cgroup_bytes",
    "swap_bytes",
    "threads",
    "open_files",
    "pressure_full_percent",
)


class Timeline:
    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.samples: list[Sample] = []
        self._peaks: dict[str, Sample] = {}
        self.thinned = False

    def add(self, sample: Sample) -> None:
        self.samples.append(sample)
        for key in _PEAKS:
            if key in sample and sample[key] > self._peaks.get(key, {}).get(key, -1):
                self._peaks[key] = sample
        if len(self.samples) >= self.most:
            self.samples = thinned(self.samples, list(self._peaks.values()))
            self.thinned = True


def thinned(samples: list[Sample], vital: list[Sample]) -> list[Sample]:
    """About half of the samples: of each four the lowest and the highest by anonymous memory, and those of `vital`.

    The last ones stay as they are: the end is what matters.
    """
    body, end = samples[: -len(samples) // 4], samples[-len(samples) // 4 :]
    chosen: dict[int, Sample] = {id(each): each for each in vital}
    for start in range(0, len(body), _GROUP):
        group = body[start : start + _GROUP]
        lowest, highest = min(group, key=_size), max(group, key=_size)
        chosen[id(lowest)], chosen[id(highest)] = lowest, highest
    chosen[id(samples[0])] = samples[0]
    return sorted({**chosen, **{id(each): each for each in end}}.values(), key=_time)


def _time(sample: Sample) -> float:
    at: float = sample["t"]
    return at


def _size(sample: Sample) -> float:
    return float(sample[_BY] if _BY in sample else sample.get("rss_bytes", 0.0))
