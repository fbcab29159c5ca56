"""The line that `run --live` keeps up to date below the command's own output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfdoctor.ask.recorder.timeline import Sample
from tfdoctor.base.units import shown_size

_TREND_S = 10.0
_STILL = 0.1e6  # bytes a second: less is no trend


def live_line(samples: Sequence[Sample]) -> str:
    """Memory with its limit and trend, GPUs, and the time so far; "" without a sample."""
    return " · ".join(_parts(samples)) if samples else ""


def _parts(samples: Sequence[Sample]) -> Iterator[str]:
    last = samples[-1]
    yield f"tfdoctor {_time(last['t'])}"
    key = "cgroup_bytes" if "cgroup_limit_bytes" in last else "rss_bytes"
    if key in last:
        limit = last.get("cgroup_limit_bytes", 0)
        of = f" of {shown_size(limit)} ({last[key] / limit:.0%})" if limit else ""
        yield f"memory {shown_size(last[key])}{of}{_trend(samples, key)}"
    if "cgroup_limit_bytes" not in last and "available_bytes" in last:
        yield f"{shown_size(last['available_bytes'])} left"
    for gpu in last.get("gpus", ()):
        busy = f", {gpu['utilization']:.0%} busy" if "utilization" in gpu else ""
        if "total_bytes" in gpu:
            yield f"GPU {gpu['index']}: {shown_size(gpu['used_bytes'])} of {shown_size(gpu['total_bytes'])}{busy}"


def _trend(samples: Sequence[Sample], key: str) -> str:
    late = [each for each in samples if key in each and each["t"] >= samples[-1]["t"] - _TREND_S]
    seconds = late[-1]["t"] - late[0]["t"]
    if seconds <= 0:
        return ""
    rate = (late[-1][key] - late[0][key]) / seconds
    return f", {'+' if rate > 0 else '-'}{shown_size(abs(rate))}/s" if abs(rate) >= _STILL else ""


def _time(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
