"""What counts as the failed stage's own words."""

from __future__ import annotations

import pytest

from tests.scenarios.conftest import base, bundled
from tfdoctor.base.records import replace
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Failed, Kind, Known
from tfdoctor.facts.smoke_values import TensorFlowSmoke
from tfdoctor.judge.engine.case import Case, Inconclusive
from tfdoctor.judge.questions.stage_output import (
    Said,
    failed_stage,
    first_words,
    must_have_listened,
    said,
    words,
)


def facts_of(name: str) -> Facts:
    return from_json(base(name), Facts)


def stage_of(facts: Facts) -> TensorFlowSmoke:
    assert isinstance(facts.smoke.tensorflow, Known)
    return facts.smoke.tensorflow.value


def with_stage(facts: Facts, stage: TensorFlowSmoke) -> Facts:
    return replace(facts, smoke=replace(facts.smoke, tensorflow=Known(stage, "test")))


def test_a_stage_that_passed_proves_nothing() -> None:
    facts = facts_of("cpu")
    noisy = with_stage(facts, replace(stage_of(facts), log=("MemoryError",)))
    assert failed_stage(noisy) is None
    assert words(noisy, "host-memory-exhausted") is None
    assert first_words(noisy) is None


def test_a_wrong_result_is_a_failure_too() -> None:
    facts = facts_of("cpu")
    stage = stage_of(facts)
    wrong = replace(stage.computations[0], status="failed", error="InternalError: std::bad_alloc")
    found = words(with_stage(facts, replace(stage, computations=(wrong,))), "host-memory-exhausted")
    assert found is not None
    assert found.observed == "InternalError: std::bad_alloc"


def test_the_exception_goes_before_the_log() -> None:
    facts = facts_of("cpu-import-fails")
    stage = replace(
        stage_of(facts), import_error=Known("MemoryError", "test"), log=("std::bad_alloc",)
    )
    found = words(with_stage(facts, stage), "host-memory-exhausted")
    assert found is not None
    assert found.observed == "MemoryError"


def test_a_long_line_is_cut() -> None:
    facts = facts_of("cpu-import-fails")
    stage = replace(stage_of(facts), log=("MemoryError: " + "x" * 10_000,))
    found = words(with_stage(facts, stage), "host-memory-exhausted")
    assert found is not None
    assert len(found.observed) < 400


def test_what_a_line_tells_comes_along() -> None:
    facts = facts_of("cpu-import-fails")
    error = "ModuleNotFoundError: No module named 'google.protobuf.internal'"
    found = said(
        with_stage(facts, replace(stage_of(facts), import_error=Known(error, "test"))),
        "module-missing",
    )
    assert isinstance(found, Said)
    assert found.told == {"module": "google.protobuf.internal"}
    assert found.signature == "module-missing"


@pytest.mark.parametrize(
    ("kind", "unasked"),
    [("skipped", True), ("not-live", True), ("not-asked", True), ("not-started", False)],
)
def test_a_stage_that_nobody_asked_for_holds_no_verdict_up(kind: Kind, unasked: bool) -> None:
    facts = facts_of("cpu")
    unheard = replace(facts, smoke=replace(facts.smoke, tensorflow=Failed("some words", kind)))
    with pytest.raises(Inconclusive) as answer:
        must_have_listened(Case(unheard, bundled()))
    assert answer.value.not_live is unasked
