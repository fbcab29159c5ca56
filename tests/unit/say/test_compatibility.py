"""The chart of GPUs by versions, on literal cells of the bundled matrix."""

from __future__ import annotations

import pytest

from tfdoctor.base.records import replace
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.say.compatibility import compatibility
from tfdoctor.say.pages import render_chart

CHART = compatibility(load_bundled())


@pytest.mark.parametrize(
    ("capability", "versions", "state", "driver"),
    [
        ("7.5", "2.15–2.21", "works", "525.60.13"),
        ("8.9", "2.4–2.14", "works", "520.56.06"),  # the first driver that knows Ada
        ("9.0", "2.3–2.14", "compiled", "525.53"),
        ("9.0", "2.19–2.21", "works", "555.42.02"),  # some of its kernels are PTX alone
        ("5.2", "2.17–2.21", "no", ""),
        ("12.0", "2.16–2.20", "no", ""),  # their PTX is for sm_90a
        ("12.0", "2.21", "unproven", "570.86.16"),
        ("3.7", "2.15–2.21", "no", ""),  # driver 470 is the last that serves it
    ],
)
def test_what_works_and_the_lowest_driver(
    capability: str, versions: str, state: str, driver: str
) -> None:
    (gpu,) = [each for each in CHART.rows if each.capability == capability]
    assert (versions, state, driver) in [(run.versions, run.state, run.driver) for run in gpu.runs]


def test_every_gpu_has_an_answer_for_every_version_and_boards_with_a_cpu_of_their_own_are_left_out() -> (
    None
):
    assert CHART.versions[0] == "2.21" and CHART.versions[-1] == "2.3"
    for gpu in CHART.rows:
        assert sum(run.count for run in gpu.runs) == len(CHART.versions)
    assert not {"5.3", "7.2", "8.7", "11.0", "12.1"} & {gpu.capability for gpu in CHART.rows}


def test_a_name_in_the_matrix_is_text() -> None:
    hostile = replace(
        CHART.rows[0], generation="</svg><script>", names=('"><img src=x>', "\u202eevil\x1b[31m")
    )
    html = render_chart(replace(CHART, rows=(hostile,)))
    assert (
        html.count("<script") == 1
        and "<img" not in html
        and "\u202e" not in html
        and "\x1b" not in html
    )
    assert html.count("&lt;/svg&gt;&lt;script&gt;") == 2
