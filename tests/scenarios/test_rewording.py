"""Why something could not be found out is a kind. However a probe words it, no verdict changes."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from tests.scenarios.conftest import Scenario, all_scenarios, bundled
from tests.scenarios.test_machines import DOUBLE, HEALTHY
from tests.unit.say.reports import NAMES, document
from tfdoctor.base.records import replace
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.model import Facts
from tfdoctor.judge.causes import resolve
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.judge import judge
from tfdoctor.knowledge.catalog import EFFECTS


def reworded(value: Any) -> Any:
    """The same facts in JSON with every reason in other words; what was said alike is still said alike."""
    if isinstance(value, list):
        return [reworded(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"status", "kind", "error"}:
        other = hashlib.sha256(value["error"].encode()).hexdigest()[:12]
        return {**value, "error": f"Words nobody expects ({other})."}
    return {key: reworded(item) for key, item in value.items()}


def answers(case: Case) -> Any:
    """All that a judgement says, but for its sentences."""
    judgement = judge(case)
    resolved = resolve(judgement.findings, EFFECTS)
    findings = [
        (
            each.code,
            each.severity,
            each.confidence,
            each.role,
            each.caused_by,
            [proof.fact for proof in each.evidence],
            [fix.title for fix in each.fixes],
        )
        for each in resolved
    ]
    return (
        findings,
        [(each.code, each.not_live) for each in judgement.undecided],
        judgement.passed,
        judgement.not_applicable,
    )


def changed(facts: Facts) -> Facts:
    return from_json(reworded(to_json(facts)), Facts)


def assert_same(scenario: Scenario) -> None:
    case = scenario.case()
    other = changed(case.facts)
    if other != case.facts:
        assert answers(replace(case, facts=other)) == answers(case), scenario.name


@pytest.mark.slow  # judges every scenario twice
def test_no_scenario_is_judged_by_the_words_of_a_failure(told_code: str) -> None:
    for scenario in all_scenarios():
        if scenario.code == told_code:
            assert_same(scenario)


@pytest.mark.parametrize(
    "machine", (*DOUBLE, *HEALTHY), ids=[each.name for each in (*DOUBLE, *HEALTHY)]
)
def test_no_whole_machine_is_judged_by_the_words_of_a_failure(machine: Scenario) -> None:
    assert_same(machine)


@pytest.mark.parametrize("machine", NAMES)
def test_no_golden_machine_is_judged_by_the_words_of_a_failure(machine: str) -> None:
    facts = from_json(document(machine)["facts"], Facts)
    other = changed(facts)
    assert other != facts or '"failed"' not in json.dumps(document(machine)["facts"])
    assert answers(Case(other, bundled())) == answers(Case(facts, bundled()))
