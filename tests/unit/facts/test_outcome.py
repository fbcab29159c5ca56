"""Facts have no truth value, and kinds of versions don't mix."""

from __future__ import annotations

import pytest

from tfdoctor.facts.outcome import Absent, AnyFact, Failed, Known, map_known, part_of
from tfdoctor.facts.versions import (
    ComputeCapability,
    CudaRelease,
    CudnnRelease,
    DriverRelease,
)


@pytest.mark.parametrize("fact", [Known(0, "test"), Absent("none"), Failed("error", "missing")])
def test_a_fact_has_no_truth_value(fact: AnyFact) -> None:
    with pytest.raises(TypeError, match="Known, Absent or Failed"):
        bool(fact)


def test_map_changes_only_what_is_known() -> None:
    assert map_known(Known(2, "file"), str) == Known("2", "file")
    assert map_known(Absent("none"), str) == Absent("none")
    assert map_known(Failed("broken", "missing"), str) == Failed("broken", "missing")


def test_numbers_are_compared_as_numbers() -> None:
    assert DriverRelease.parse("525.60.13") < DriverRelease.parse("525.105.17")
    assert CudaRelease.parse("12") == CudaRelease.parse("12.0")
    assert hash(CudaRelease.parse("12")) == hash(CudaRelease.parse("12.0"))
    assert max(CudnnRelease.parse("9.3.0"), CudnnRelease.parse("9.11.0")).text == "9.11.0"


def test_kinds_do_not_mix() -> None:
    with pytest.raises(TypeError, match="can't be compared"):
        _ = CudaRelease("12.4") < DriverRelease("550.54")
    assert CudaRelease("12.4") != DriverRelease("12.4")


@pytest.mark.parametrize("text", ["", "abc", "12.", ".5", "12.4 beta", "12,4", "-1"])
def test_rubbish_is_no_version(text: str) -> None:
    with pytest.raises(ValueError, match="isn't a CUDA release"):
        CudaRelease.parse(text)


def test_integers_of_the_apis() -> None:
    assert str(CudaRelease.from_integer(12040)) == "12.4"
    assert str(CudaRelease.from_integer(11080)) == "11.8"
    assert str(CudnnRelease.from_integer(8907)) == "8.9.7"
    assert str(CudnnRelease.from_integer(91100)) == "9.11.0"


def test_a_binary_runs_on_its_own_major_only() -> None:
    ada = ComputeCapability("8.9")
    assert ada.runs_binary_for(ComputeCapability("8.0"))
    assert not ada.runs_binary_for(ComputeCapability("9.0"))
    assert not ComputeCapability("8.0").runs_binary_for(ComputeCapability("8.6"))
    assert not ComputeCapability("12.0").runs_binary_for(ComputeCapability("9.0"))


def test_a_part_that_is_more_than_the_whole_is_not_known() -> None:
    whole, failed = Known(4, "a"), Failed("no", "refused")
    assert part_of(whole, Known(4, "b"), "x") == Known(4, "b")
    assert part_of(whole, Known(5, "b"), "free of total") == Failed(
        "free of total can't be: 5 of 4 (b)", "unreadable"
    )
    assert part_of(failed, Known(5, "b"), "x") == Known(5, "b")
    assert part_of(whole, failed, "x") is failed
