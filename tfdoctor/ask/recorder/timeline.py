"""The samples in order, thinned when they become many: of each stretch of time the lowest and the highest stay, and every peak."""

from __future__ import annotations

from typing import Any

Sample = dict[str, Any]
"""One look in the form of the report: `t` in seconds since the start; what could not be read is not there."""

MOST = 2000
# Of the most: two samples of each stretch, and the last quarter whole, are seven twelfths of it.
_STRETCHES = 1 / 6
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
            self.samples = thinned(
                self.samples, list(self._peaks.values()), int(self.most * _STRETCHES)
            )
            self.thinned = True


def thinned(samples: list[Sample], vital: list[Sample], stretches: int) -> list[Sample]:
    """Of so many stretches of equal length the lowest and the highest by anonymous memory, and those of `vital`.

    The last quarter stays as it is: the end is what matters. Stretches of time, not of samples: what was thinned before
    would be thinned again and again, until of a long run's first hours nothing is left.
    """
    body, end = samples[: -len(samples) // 4], samples[-len(samples) // 4 :]
    begin, width = _time(body[0]), max(_time(body[-1]) - _time(body[0]), 1e-9) / stretches
    groups: dict[int, list[Sample]] = {}
    for each in body:
        groups.setdefault(int((_time(each) - begin) / width), []).append(each)
    kept = [samples[0], *vital, *end]
    for group in groups.values():
        kept += min(group, key=_size), max(group, key=_size)
    return sorted({id(each): each for each in kept}.values(), key=_time)


def _time(sample: Sample) -> float:
    at: float = sample["t"]
    return at


def _size(sample: Sample) -> float:
    return float(sample[_BY] if _BY in sample else sample.get("rss_bytes", 0.0))
