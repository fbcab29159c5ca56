"""The plots of a run on a terminal: host memory, and the GPU that was fullest."""

from __future__ import annotations

from typing import Any

from tests.unit.report.test_death import report
from tests.unit.say.test_pictures import BASE, SAMPLES
from tfdoctor.base.records import replace
from tfdoctor.report.death import Timeline
from tfdoctor.say.run_view import run_view
from tfdoctor.say.terminal import Page, render_text


def words(samples: tuple[dict[str, Any], ...]) -> str:
    return render_text(
        run_view(replace(report(BASE.facts()), timeline=Timeline(1.0, samples))), Page(100)
    )


def gpus(at: int) -> list[dict[str, Any]]:
    return [
        {"index": 0, "used_bytes": 10**9, "total_bytes": 24 * 10**9},
        {"index": 3, "used_bytes": at * 10**9, "total_bytes": 12 * 10**9},
        {"index": 4, "utilization": 0.5},  # one that does not tell its memory
    ]


def test_the_fullest_gpu_is_drawn_up_to_what_it_has() -> None:
    said = words(tuple({"t": float(at), "gpus": gpus(at)} for at in range(10)))
    assert "Memory of GPU 3, used by all programs:" in said
    assert "12.0 GB |-" in said and "GPU 0" not in said


def test_without_gpus_there_is_one_plot() -> None:
    said = words(SAMPLES)
    assert "Memory of its container" in said and "GPU" not in said
