"""`--no-require-gpu`: what concerns the GPU alone is worth knowing, unless TensorFlow itself fails of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.judge.machines import bundled
from tfdoctor.base.records import replace
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known
from tfdoctor.judge.engine.case import Case, Policy
from tfdoctor.knowledge.model import Role, Severity, Verdict
from tfdoctor.report.judgement import Conclusion, conclude

MACHINES = Path(__file__).parents[2] / "machines"


def concluded(facts: Facts) -> Conclusion:
    return conclude(Case(facts, bundled(), Policy(require_gpu=False)), {})


@pytest.fixture
def old_driver() -> Facts:
    """TensorFlow was tried: it shows no GPU, and computes right on the CPU."""
    report = json.loads((MACHINES / "driver-too-old" / "report.json").read_text("utf-8"))
    return from_json(report["facts"], Facts)


def test_a_tensorflow_that_computes_on_the_cpu_is_healthy(old_driver: Facts) -> None:
    made = concluded(old_driver)
    assert ("driver-too-old", Severity.INFO) in [
        (item.code, item.severity) for item in made.findings
    ]
    assert all(item.role is Role.NOTE for item in made.findings)
    assert made.verdict is Verdict.HEALTHY


def test_the_cause_of_tensorflows_own_failure_stays_its_root(old_driver: Facts) -> None:
    stage = old_driver.smoke.tensorflow
    assert isinstance(stage, Known)
    failed = replace(
        stage.value.computations[0], device="GPU:0", status="failed", error="CUDA_ERROR_INVALID_PTX"
    )
    stopped = Known(replace(stage.value, computations=(failed,)), "its own words")
    made = concluded(replace(old_driver, smoke=replace(old_driver.smoke, tensorflow=stopped)))
    assert made.verdict is Verdict.BROKEN
    assert [(item.code, item.severity) for item in made.findings if item.role is Role.ROOT] == [
        ("driver-too-old", Severity.ERROR)
    ]
    assert "smoke-tensorflow-failed" in [
        item.code for item in made.findings if item.role is Role.CONSEQUENCE
    ]
