"""The line of `run --live`."""

from __future__ import annotations

import pytest

from tfdoctor.ask.recorder.live import live_line
from tfdoctor.ask.recorder.timeline import Sample

MB, GB = 10**6, 10**9
GPU = {"index": 0, "used_bytes": 3 * GB, "total_bytes": 24 * GB, "utilization": 0.87}


@pytest.mark.parametrize(
    ("samples", "line"),
    [
        ([], ""),
        ([{"t": 3.2}], "tfdoctor 0:03"),
        ([{"t": 3.2, "rss_bytes": 5 * MB, "available_bytes": 9 * GB}], "tfdoctor 0:03 · memory 5.0 MB · 9.0 GB left"),
        (
            [{"t": 60.0, "cgroup_bytes": 640 * MB, "cgroup_limit_bytes": 944 * MB}, {"t": 70.0, "cgroup_bytes": 709 * MB, "cgroup_limit_bytes": 944 * MB, "gpus": [GPU]}],
            "tfdoctor 1:10 · memory 709 MB of 944 MB (75%), +6.9 MB/s · GPU 0: 3.0 GB of 24.0 GB, 87% busy",
        ),
        ([{"t": 0.0, "rss_bytes": 900 * MB}, {"t": 3600.0, "rss_bytes": 900 * MB}, {"t": 3605.0, "rss_bytes": 400 * MB}], "tfdoctor 1:00:05 · memory 400 MB, -100 MB/s"),
        ([{"t": 1.0, "gpus": [{"index": 1}]}], "tfdoctor 0:01"),
    ],
)  # fmt: skip
def test_what_it_says(samples: list[Sample], line: str) -> None:
    assert live_line(samples) == line
