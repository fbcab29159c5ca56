"""It works on my machine: what differs, what matters first."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from itertools import permutations

import pytest

from tests.unit.say.reports import NAMES, report
from tfdoctor.base.records import replace
from tfdoctor.facts.outcome import Absent, Failed, Known
from tfdoctor.facts.smoke_values import skipped
from tfdoctor.report.difference import Weight, compare
from tfdoctor.report.report import Report
from tfdoctor.report.summary import clause
from tfdoctor.say.difference import difference_to_json, difference_view
from tfdoctor.say.pages import render_html, render_markdown
from tfdoctor.say.terminal import Page, render_terminal
from tfdoctor.say.view import Pair, Pairs, View

GPU = report("healthy-gpu")


@pytest.mark.parametrize("machine", NAMES)
def test_a_report_does_not_differ_from_itself(machine: str) -> None:
    comparison = compare(report(machine), report(machine))
    assert comparison.same
    assert comparison.differences == ()


@pytest.mark.parametrize("machine", NAMES)
def test_there_and_back_are_the_same_differences(machine: str) -> None:
    there, back = compare(GPU, report(machine)), compare(report(machine), GPU)
    assert [(item.fact, item.a, item.b) for item in there.differences] == [
        (item.fact, item.b, item.a) for item in back.differences
    ]
    assert (there.only_a, there.only_b) == (back.only_b, back.only_a)


def test_the_driver_decides_and_stands_first() -> None:
    comparison = compare(GPU, report("driver-too-old"))
    told = {item.fact: item for item in comparison.differences}
    assert (told["driver.version"].a, told["driver.version"].b) == ("535.230.02", "470.57.02")
    assert told["driver.version"].weight is Weight.DECISIVE
    weights = [list(Weight).index(item.weight) for item in comparison.differences]
    assert weights == sorted(weights)
    assert comparison.only_b == ("driver-too-old", "smoke-tensorflow-failed")
    assert not comparison.same


def test_packages_and_libraries_are_compared_by_name() -> None:
    comparison = compare(GPU, report("no-cuda-libraries"))
    facts = [item.fact for item in comparison.differences]
    assert "cuda_libraries.libraries[libcudnn.so.9]" in facts
    assert not [fact for fact in facts if fact == "packages.installed"]


def test_what_one_side_does_not_know_is_no_difference() -> None:
    other = replace(
        GPU,
        facts=replace(
            GPU.facts, driver=replace(GPU.facts.driver, version=Failed("asleep", "missing"))
        ),
    )
    comparison = compare(GPU, other)
    assert [item.fact for item in comparison.open] == ["driver.version"]
    assert comparison.same


def test_a_stage_that_was_left_out_by_wish_decides_nothing() -> None:
    stages = tuple(skipped(stage.name, "--smoke none")[1] for stage in GPU.smoke.stages)
    other = replace(GPU, smoke=replace(GPU.smoke, requested="none", stages=stages))
    comparison = compare(GPU, other)
    assert stages
    assert [item.fact for item in comparison.open] == [f"smoke.{stage.name}" for stage in stages]
    assert comparison.same
    assert compare(other, other).open == ()


def test_none_differs_from_some() -> None:
    other = replace(
        GPU, facts=replace(GPU.facts, driver=replace(GPU.facts.driver, version=Absent("no driver")))
    )
    assert [
        item.b for item in compare(GPU, other).differences if item.fact == "driver.version"
    ] == ["none"]


def test_variables_are_compared_by_name() -> None:
    def with_variables(**variables: str) -> object:
        environment = replace(GPU.facts.environment, variables=Known(variables, "environ"))
        return replace(GPU, facts=replace(GPU.facts, environment=environment))

    one, other = with_variables(A="1", B="2"), with_variables(B="3")
    told = [(item.fact, item.a, item.b) for item in compare(one, other).differences]  # type: ignore[arg-type]  # replace keeps the kind
    assert told == [
        ("environment.variables[A]", "1", "none"),
        ("environment.variables[B]", "2", "3"),
    ]


def test_memory_of_this_minute_is_left_out() -> None:
    other = replace(
        GPU, facts=replace(GPU.facts, memory=replace(GPU.facts.memory, ram_available=Known(1, "x")))
    )
    assert compare(GPU, other).differences == ()


def shown(other: Report, page: Page, *, everything: bool = False) -> str:
    view = difference_view(
        compare(GPU, other), GPU, other, ("mine.json", "theirs.json"), everything=everything
    )
    out = StringIO()
    render_terminal(view, page, out)
    return out.getvalue()


@pytest.mark.parametrize("width", [20, 80])
def test_it_is_told_in_any_width_and_encoding(width: int) -> None:
    text = shown(report("hostile-text"), Page(width=width, encoding="ascii"))
    text.encode("ascii")
    assert "\x1b" not in text
    assert "\n\n\n" not in text


def test_why_comes_first_then_both_sides_under_their_names() -> None:
    text = shown(report("driver-too-old"), Page())
    first, *lines = text.splitlines()
    assert first.startswith("✗ theirs.json is broken and mine.json works: the driver")
    assert any(line.split() == ["mine.json", "theirs.json"] for line in lines)
    columns = [" ".join(line.split()) for line in lines]
    assert any(line.startswith("driver 535.230.02 470.57.02 (needs ≥") for line in columns)
    assert lines.index("                sudo apt-get install --yes nvidia-driver-580") < 8


def test_all_shows_every_difference() -> None:
    other = report("two-roots")
    comparison = compare(GPU, other)
    usual, everything = (shown(other, Page(width=100), everything=each) for each in (False, True))
    assert "libcublas.so.12 and 6 more" in usual  # seven libraries in one row
    assert (
        f"{len(comparison.differences) - 14} more differences, 1 could not be compared (--all)"
        in usual
    )
    assert len(everything.splitlines()) > len(usual.splitlines())
    assert "(--all)" not in everything


@pytest.mark.parametrize(("a", "b"), list(permutations(NAMES, 2)))
def test_the_cause_comes_first_and_all_fits_on_a_screen(a: str, b: str) -> None:
    sides = report(a), report(b)
    comparison = compare(*sides)
    view = difference_view(comparison, *sides, (f"{a}.json", f"{b}.json"))
    out = StringIO()
    render_terminal(view, Page(width=80), out)
    assert len(out.getvalue().splitlines()) <= 40
    [pairs] = [
        each for section in view.sections for each in section.blocks if isinstance(each, Pairs)
    ]
    for side, only in zip(sides, (comparison.only_a, comparison.only_b), strict=True):
        cause = next((each for each in side.roots if each.code in only), None)
        if cause is not None and clause(cause.title) in view.headline:
            assert pairs.items[0].label in FIRST[cause.code]


FIRST = {
    "driver-too-old": {"driver"},
    "driver-missing": {
        "driver library",
        "GPU on the PCI bus",
    },  # the second where neither side has a driver
    "driver-unresponsive": {"cuInit"},
    "cuda-libraries-missing": {"libcublas.so.12 and 6 more", "CUDA libraries"},
    "gpu-memory-held": {"nvml devices 0 processes"},
}


def test_a_cause_that_rests_on_nothing_that_differs_shows_what_was_seen_of_it() -> None:
    """A build that would use CUDA libraries finds none on either side; where there is no GPU that is no fault."""
    sides = report("no-cuda-libraries"), report("healthy-cpu")
    view = difference_view(compare(*sides), *sides, ("mine", "theirs"))
    [pairs] = [
        each for section in view.sections for each in section.blocks if isinstance(each, Pairs)
    ]
    assert pairs.items[0] == Pair(
        "CUDA libraries", "libcudart.so.12: the loader does not find it", "the same"
    )


def test_two_that_are_alike_say_so() -> None:
    assert shown(GPU, Page()).startswith("✓ Both work; nothing important differs.")


@pytest.mark.parametrize("form", [render_markdown, render_html])
def test_a_page_has_both_columns(form: Callable[[View], str]) -> None:
    other = report("driver-too-old")
    page = form(difference_view(compare(GPU, other), GPU, other, ("mine.json", "theirs.json")))
    assert "theirs.json is broken and mine.json works" in page
    assert page.rindex("mine.json") < page.index("535.230.02") < page.index("470.57.02")


def test_as_json() -> None:
    other = report("driver-too-old")
    told = difference_to_json(compare(GPU, other), GPU, other)
    assert told["schema_version"] == "1.0"
    assert told["findings"]["only_b"][0] == "driver-too-old"
    assert {"fact", "weight", "a", "b"} == set(told["differences"][0])
