"""The page of a run: one file that loads nothing, with its limit and its death drawn in."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.unit.examine.test_death import WATCHED, report
from tfdoctor.examine.death import Timeline
from tfdoctor.records import replace
from tfdoctor.render.pages import render_html
from tfdoctor.render.plots import round_labels, svg, thinned
from tfdoctor.render.run_view import run_view
from tfdoctor.render.view import Figure, Line

BASE = next(each for each in WATCHED if each.name == "container-oom-killed/counter-and-peak")
SAMPLES: tuple[dict[str, Any], ...] = tuple({"t": float(at), "rss_bytes": at * 10**7, "cgroup_bytes": at * 10**7, "cgroup_limit_bytes": 2 * 10**9, "cpu_s": at / 2, "available_bytes": 9 * 10**9} for at in range(80))  # fmt: skip
GPUS: tuple[dict[str, Any], ...] = tuple({"t": float(at), "gpus": [{"index": 1, "used_bytes": at * 10**8, "total_bytes": 24 * 10**9}]} for at in range(9))  # fmt: skip


def page(samples: tuple[dict[str, Any], ...] = SAMPLES) -> str:
    run = replace(report(BASE.facts()), timeline=Timeline(1.0, samples), generated_at="2026-11-22T08:00:00Z")
    return render_html(run_view(run))


def test_it_loads_nothing_and_runs_nothing() -> None:
    html = page()
    assert set(re.findall(r"https?://[^\"' <)]+", html)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<script|<link|<img|@import|url\(|\son\w+=", html)
    assert page() == html


def test_each_plot_has_its_sentence_limit_and_end() -> None:
    html = page()
    assert html.count("<svg ") == html.count("<figcaption>") == 3
    assert "The limit is 2.0 GB." in html and ">limit<" in html and ">its end<" in html
    assert "kept 0.5 cores busy" in html and "at least 9.0 GB left" in html


def test_a_gpu() -> None:
    assert "Of GPU 1&#x27;s memory at most 800 MB of 24.0 GB were in use" in page(GPUS)


def test_too_short_for_a_plot() -> None:
    assert "<svg" not in page(SAMPLES[:1])


def test_what_the_command_wrote_is_text() -> None:
    run = replace(report(BASE.facts()), command=("<script>alert(1)</script>", "\x1b[31m"))
    assert "<script" not in render_html(run_view(run)) and "\x1b" not in render_html(run_view(run))


def test_thinning_loses_no_peak() -> None:
    points = [(float(at), 1.0) for at in range(10_000)]
    points[5003] = (5003.0, 99.0)
    points[7001] = (7001.0, -5.0)
    kept = thinned(points)
    assert len(kept) <= 500 and (5003.0, 99.0) in kept and (7001.0, -5.0) in kept
    assert kept == sorted(kept)


@pytest.mark.parametrize(
    ("highest", "labels"),
    [(1.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]), (629, [0, 100, 200, 300, 400, 500, 600, 700]), (0.63, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])],
)  # fmt: skip
def test_labels_are_round(highest: float, labels: list[float]) -> None:
    assert round_labels(highest) == pytest.approx(labels)


@pytest.mark.parametrize("highest", [1e-6, 0.004, 0.5, 3.0, 17.0, 1e5])
def test_labels_are_few_and_reach_the_highest(highest: float) -> None:
    labels = round_labels(highest)
    assert 2 <= len(labels) <= 10 and labels[-1] >= highest


def test_a_quantity_that_stays_zero() -> None:
    assert "<svg" in svg(Figure("x", "X", "", (Line("a", ((0.0, 0.0), (1.0, 0.0))),), "GB"))
