"""What the samples come to, each key on its own: where no sample had it, it could not be found out."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfdoctor.facts.death import Reading
from tfdoctor.facts.outcome import Absent, Fact, Failed, Known
from tfdoctor.recorder.watch.timeline import Sample

_WHILE_S = 5.0


def reading_of(samples: Sequence[Sample]) -> Fact[Reading]:
    if not samples:
        return Failed("it ended before the first look at it", "missing")

    def over(key: str, choose: Callable[[list[float]], float]) -> Fact[float]:
        values = [sample[key] for sample in samples if key in sample]
        return Known(choose(values), "samples") if values else Failed(f"no sample has {key}", "missing")

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
