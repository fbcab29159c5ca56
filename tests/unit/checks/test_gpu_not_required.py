"""`--no-require-gpu`: what concerns the GPU alone is worth knowing, unless TensorFlow itself fails of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.checks.machines import bundled
from tfdoctor.checks.case import Case, Policy
from tfdoctor.examine.verdict import Conclusion, conclude
from tfdoctor.facts.codec import facts_from_json
from tfdoctor.facts.model import Facts, Smoke
from tfdoctor.facts.outcome import Failed
from tfdoctor.findings.model import Role, Severity, Verdict

MACHINES = Path(__file__).parents[2] / "machines"


def concluded(facts: Facts) -> Conclusion:
    return conclude(Case(facts, bundled(), Policy(require_gpu=False)), {})


@pytest.fixture
def old_driver() -> Facts:
    report = json.loads((MACHINES / "driver-too-old" / "report.json").read_text("utf-8"))
    return facts_from_json(report["facts"])


def test_the_cause_of_tensorflows_own_failure_stays_its_root(old_driver: Facts) -> None:
    made = concluded(old_driver)
    assert made.verdict is Verdict.BROKEN
    assert [(item.code, item.severity) for item in made.findings if item.role is Role.ROOT] == [("driver-too-old", Severity.ERROR)]
    assert "smoke-tensorflow-failed" in [item.code for item in made.findings if item.role is Role.CONSEQUENCE]


def test_without_such_a_failure_it_is_worth_knowing(old_driver: Facts) -> None:
    not_tried = Failed("skipped: --smoke none")
    made = concluded(replace(old_driver, smoke=Smoke(not_tried, not_tried, not_tried)))
    assert ("driver-too-old", Severity.INFO) in [(item.code, item.severity) for item in made.findings]
    assert all(item.role is Role.NOTE for item in made.findings)
    assert made.verdict is not Verdict.BROKEN
