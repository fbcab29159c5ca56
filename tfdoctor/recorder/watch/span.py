"""Which part of a run tells how its memory grows: neither its loading, nor its tidying up, nor the time at its limit.

All of it by what the looks saw and when, never by how many they were: beside much other work a program takes many times
longer, and looks come late.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfdoctor.recorder.watch.timeline import Sample

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
    full = next((each for each in told if each["cgroup_bytes"] >= _FULL * each["cgroup_limit_bytes"]), None)
    if full is None:
        return float("inf")
    lasted = told[-1]["t"] - full["t"]
    read_back = told[-1]["major_faults"] - full["major_faults"]
    return float(full["t"]) if lasted > _SQUEEZED_S and read_back > _READ_BACK * lasted else float("inf")


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
