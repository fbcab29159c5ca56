"""Pictures of a run: lines that lose no peak, the limit, the death; a sentence and a table with each."""

from __future__ import annotations

import math
import re
import time
from html import unescape
from typing import Any

import pytest

from tests.unit.report.test_death import WATCHED, report
from tfdoctor.base.records import replace
from tfdoctor.report.death import Timeline
from tfdoctor.say.charts import chart, round_labels, thinned
from tfdoctor.say.pages import render_fragment, render_html
from tfdoctor.say.run_view import card_view, run_view
from tfdoctor.say.view import Figure, Line, Mark, Section, View

BASE = next(each for each in WATCHED if each.name == "container-oom-killed/counter-and-peak")
SAMPLES: tuple[dict[str, Any], ...] = tuple({"t": float(at), "rss_bytes": at * 10**7, "cgroup_bytes": at * 10**7, "cgroup_limit_bytes": 2 * 10**9, "cpu_s": at / 2, "available_bytes": 9 * 10**9} for at in range(80))  # fmt: skip
GPUS: tuple[dict[str, Any], ...] = tuple({"t": float(at), "gpus": [{"index": 1, "used_bytes": at * 10**8, "own_bytes": at * 10**7, "total_bytes": 24 * 10**9, "utilization": at / 10}]} for at in range(9))  # fmt: skip
HOSTILE = '</svg><script>alert(1)</script>"\x1b[31m\u202egnp.exe'

Points = tuple[tuple[float, float], ...]


def page(samples: tuple[dict[str, Any], ...] = SAMPLES) -> str:
    run = replace(
        report(BASE.facts()), timeline=Timeline(1.0, samples), generated_at="2026-11-22T08:00:00Z"
    )
    return render_html(run_view(run))


def figure(*lines: Points, **more: Any) -> Figure:
    return Figure("X", "What it is.", tuple(Line(f"line {at}", each) for at, each in enumerate(lines)), "bytes", **more)  # fmt: skip


def drawn(*figures: Figure) -> str:
    return render_fragment(View("", "", "broken", "", (Section("", figures),), ""))


def test_it_loads_nothing_and_two_renderings_are_equal() -> None:
    html = page()
    assert not re.search(r"https?://|<link|<img|@import|url\(|\son\w+=|\ssrc=|<use", html)
    assert page() == html


def test_each_picture_has_its_sentence_its_table_its_limit_and_the_death() -> None:
    html = page()
    assert (
        html.count('<svg role="img"')
        == html.count("<figcaption>")
        == html.count("</table>\n</figure>")
        == 3
    )
    assert "The limit is 2.0 GB." in html and "limit 2.0 GB" in html
    assert html.count("✗ 83 s: SIGKILL") == 3
    assert "kept 0.5 cores busy" in html and "at least 9.0 GB left" in html
    assert "790 MB at\N{NO-BREAK SPACE}79\N{NO-BREAK SPACE}s" in html.replace(
        "790\N{NO-BREAK SPACE}", "790 "
    )


def test_the_first_picture_stands_below_the_headline_and_no_sentence_twice() -> None:
    html = page()
    first, others = html.index("<figure"), html.index("<article")
    assert html.index("</header>") < first < others < html.index("<figure", first + 1)
    assert html.count("of its container or job allows") == 1
    title = report(BASE.facts()).findings[0].title.rstrip(".")[1:]
    assert unescape(html).partition("<body>")[2].count(title) == 1, "the headline holds it"


def test_a_kept_page_says_of_when_and_what_it_is() -> None:
    assert "2026-11-22 08:00 UTC · tfdoctor run · 1 problem" in page()
    assert '<p class="verdict">KILLED</p>' in page()


def test_a_gpu_has_its_memory_and_its_utilization() -> None:
    html = page(GPUS)
    assert "Of GPU 1&#x27;s memory at most 800 MB of 24.0 GB were in use" in html
    assert "GPU 1 was busy 40 % of the time" in html and "100 %</text>" in html
    assert "24.0 GB, above the picture" in html


def test_the_card_in_a_notebook_has_the_picture_and_no_id_or_style_of_its_own() -> None:
    run = replace(report(BASE.facts()), timeline=Timeline(1.0, SAMPLES))
    card = render_fragment(card_view(run, "/r.json"))
    assert card.partition("<b>Over time</b>")[0].endswith('<summary style="cursor:pointer">')
    assert " open>" not in card.partition("<b>Over time</b>")[0].rpartition("<details")[2], (
        "it is short until opened"
    )
    assert card.count('<svg role="img"') == 1 and "limit 2.0 GB" in card
    assert not re.search(r"\s(?:id|class)=|<style|<script", card), "nothing is there to be copied"


def test_what_a_program_named_is_text_in_a_picture() -> None:
    html = drawn(
        replace(
            figure(((0.0, 1.0), (1.0, 2.0)), marks=(Mark(1.0, HOSTILE),)),
            title=HOSTILE,
            lines=(Line(HOSTILE, ((0.0, 1.0), (1.0, 2.0))),),
        )
    )
    assert html.count("&lt;/svg&gt;&lt;script&gt;alert(1)") == 4
    assert "<script" not in html and "\x1b" not in html and "\u202e" not in html


@pytest.mark.parametrize("count", [0, 1])
def test_too_short_for_a_picture(count: int) -> None:
    assert "too short for a picture" in page(SAMPLES[:count]) and '<svg role="img"' not in page(
        SAMPLES[:count]
    )


def test_a_line_of_one_point_is_a_dot() -> None:
    (stroke,) = chart(figure(((5.0, 1e9),))).strokes
    assert re.fullmatch(r"M[\d.]+ [\d.]+h0", stroke.path)


def test_a_peak_of_one_sample_is_in_the_picture() -> None:
    points = [(float(at), 1.0) for at in range(10_000)]
    points[5003] = (5003.0, 99.0)
    points[7001] = (7001.0, -5.0)
    kept = thinned(points)
    assert len(kept) <= 500 and (5003.0, 99.0) in kept and (7001.0, -5.0) in kept
    assert kept == sorted(kept)
    (stroke,) = chart(figure(tuple(points))).strokes
    at = 5003 / 9999 * 1000
    (y,) = re.findall(rf"L{at:.1f} ([\d.]+)", stroke.path)
    assert float(y) < 5, "near the top"


def test_5000_points_of_six_lines_are_small_and_quick_and_200_000_too() -> None:
    lines = [
        tuple((float(at), 1e9 * line + 1e8 * math.sin(at)) for at in range(5000))
        for line in range(6)
    ]
    begun = time.process_time()
    html = drawn(figure(*lines, limit=8e9))
    assert time.process_time() - begun < 1
    assert len(html.encode()) < 100_000
    assert len(drawn(figure(tuple((at / 10, float(at % 977)) for at in range(200_000))))) < 20_000


def test_a_line_breaks_where_nothing_was_measured() -> None:
    points = tuple((float(at), 1e9) for at in range(100) if not 40 < at < 70)
    assert chart(figure(points)).strokes[0].path.count("M") == 2
    uneven = tuple((at * (1.0 if at > 50 else 1.5), 1e9) for at in range(100))
    assert chart(figure(uneven)).strokes[0].path.count("M") == 1


def test_no_two_labels_are_the_same() -> None:
    assert [tick.text for tick in chart(figure(((0.0, 3.6e6), (3.0, 4e6)))).y] == ["0", "0.5 MB", "1 MB", "1.5 MB", "2 MB", "2.5 MB", "3 MB", "3.5 MB", "4 MB"]  # fmt: skip
    assert [tick.text for tick in chart(figure(((0.0, 0.0), (3.0, 0.0)))).y] == ["0", "1 B"]


def test_a_clock_that_jumps_and_numbers_out_of_all_measure_are_drawn() -> None:
    jumped = tuple((float(at if at < 50 else at - 30), 1e9) for at in range(100))
    numbers = [
        float(each)
        for each in re.findall(r"[ML](-?[\d.]+) ", chart(figure(jumped)).strokes[0].path)
    ]
    assert numbers == sorted(numbers) and numbers[-1] == 1000
    huge = chart(figure(((0.0, 1e18), (1e18, 3e18), (2e18, math.inf), (math.nan, 1.0))))
    assert huge.y[-1].text == "3 EB" and huge.x[-1].text.endswith(" d")
    assert huge.strokes[0].cells == ("1.0\N{NO-BREAK SPACE}EB", "1.0\N{NO-BREAK SPACE}EB", "3.0\N{NO-BREAK SPACE}EB at\N{NO-BREAK SPACE}11,574,074,074,074\N{NO-BREAK SPACE}d", "3.0\N{NO-BREAK SPACE}EB")  # fmt: skip


@pytest.mark.parametrize(
    ("highest", "labels"),
    [(1.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]), (629, [0, 100, 200, 300, 400, 500, 600, 700]), (0.63, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7])],
)  # fmt: skip
def test_labels_are_round(highest: float, labels: list[float]) -> None:
    assert round_labels(highest) == pytest.approx(labels)


@pytest.mark.parametrize("highest", [0.0, 1e-6, 0.004, 0.5, 3.0, 17.0, 1e5, 1e18])
def test_labels_are_few_and_reach_the_highest(highest: float) -> None:
    labels = round_labels(highest)
    assert 2 <= len(labels) <= 10 and labels[-1] >= highest
