"""The line that is written while the command works."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.memory_group import memory_group
from tfdoctor.ask.recorder.timeline import Sample
from tfdoctor.ask.recorder.warner import Warner
from tfdoctor.facts.death import Fill
from tfdoctor.facts.outcome import Known

MB = 1_000_000


def warned(samples: Sequence[Sample], *, fill: Fill | None = None, pace: float = 0.0) -> list[str]:
    lines: list[str] = []
    warner = Warner(lines.append, filling=lambda before: fill, pace=lambda: pace)
    for count, sample in enumerate(samples, 1):
        warner.look(sample, samples[:count])
    assert [each.text for each in warner.told] == lines
    return lines


def growing(**kind: str) -> list[Sample]:
    """Ten megabytes a second, from 300 on."""
    held = [(300 + 10 * at) * MB for at in range(70)]
    if kind["of"] == "container":
        return [{"t": float(at), "cgroup_bytes": used, "cgroup_limit_bytes": 1000 * MB} for at, used in enumerate(held)]  # fmt: skip
    if kind["of"] == "host":
        return [{"t": float(at), "anon_bytes": used, "swap_bytes": 0, "available_bytes": 1000 * MB - used} for at, used in enumerate(held)]  # fmt: skip
    return [{"t": float(at), "gpus": [{"index": 1, "used_bytes": used, "total_bytes": 1000 * MB}]} for at, used in enumerate(held)]  # fmt: skip


def test_it_says_what_grows_how_fast_and_when_the_limit_is_met() -> None:
    assert warned(growing(of="container"))[0] == (
        "memory grows by 10 MB a second; if it goes on, it meets the container's limit of 1.0 GB in about 8 s. Save now."
    )
    assert warned(growing(of="host"))[0] == (
        "memory grows by 10 MB a second; if it goes on, this machine has none left in about 8 s. Save now."
    )
    assert warned(growing(of="gpu"))[0] == (
        "memory of GPU 1 grows by 10 MB a second; if it goes on, its 1.0 GB are full in about 8 s. Save now."
    )


def test_it_counts_in_steps_where_the_program_tells_of_them() -> None:
    assert "in about 8 s (16 steps)." in warned(growing(of="container"), pace=0.5)[0]


def test_a_shuffle_buffer_is_told_by_its_own_size_and_long_before() -> None:
    samples = [{**each, "anon_bytes": each["cgroup_bytes"]} for each in growing(of="container")][
        :20
    ]
    too_large = Fill(1_000, 50_000, Known(100_000.0, "samples"))
    assert warned(samples, fill=too_large) == [
        "the shuffle buffer has 1,000 of 50,000 elements and needs 4.9 GB more; 650 MB are left. "
        "Stop it and use a smaller one."
    ]
    assert (
        warned(growing(of="container"), fill=Fill(1_000, 2_000, Known(100_000.0, "samples"))) == []
    )


LEAK = "import time\nheld = []\nwhile True:\n    held.append(b'x' * 500_000)\n    time.sleep(0.1)\n"


@pytest.mark.nightly
@pytest.mark.slow
def test_a_real_leak_is_told_before_the_kernel_kills_it(tmp_path: Path) -> None:
    """It grows by 5 MB a second, in 500 MB: about 95 s."""
    report = tmp_path / "run.json"
    with memory_group(500 << 20) as group:
        words = [
            sys.executable,
            "-m",
            "tfdoctor",
            "run",
            "--report",
            str(report),
            "--",
            sys.executable,
            "-c",
            LEAK,
        ]
        ran = subprocess.run(
            group.inside(*words), capture_output=True, text=True, timeout=400, check=False
        )
    document = json.loads(report.read_text())
    assert document["outcome"] == "container-oom-killed"
    first, died_at = document["warnings"][0], document["timeline"]["samples"][-1]["t"]
    assert died_at - first["t"] > 10
    assert f"\ntfdoctor: {first['text']}\n" in f"\n{ran.stderr}"
