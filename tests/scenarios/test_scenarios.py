"""Every scenario is judged with the bundled matrix and has to get the answer that it names."""

from __future__ import annotations

from tests.scenarios.conftest import ANSWERS, KEYS, Scenario, all_scenarios
from tfdoctor.base.records import names
from tfdoctor.facts.model import Facts
from tfdoctor.judge.causes import resolve
from tfdoctor.judge.judge import Judgement
from tfdoctor.knowledge.catalog import CODES, EFFECTS
from tfdoctor.knowledge.model import Role

NEVER = {"probe-failed": {"undecided"}}
"""A fact that could not be found out is what this code speaks of."""


PATHS = {f"{group}.{name}" for group in names(Facts) for name in names(getattr(Facts(), group))}
PLACES = PATHS | {path.partition(".")[0] for path in PATHS} | {"--require-gpu"}
"""What evidence may speak of: a fact, a group of facts that failed as a whole, or a demand of the user's."""


def test_scenario_gets_its_answer(scenario: Scenario) -> None:
    """The code's own answer, then the roots of the whole machine; one judgement for all of it, they are many."""
    assert set(scenario.said) <= KEYS
    assert scenario.code in CODES, (
        f"tests/scenarios/codes/{scenario.code}.yaml: no code has this name"
    )
    judgement = scenario.judged()
    _answers(scenario, judgement)
    assert not [item for item in judgement.undecided if "own check failed" in item.because]
    resolved = resolve(judgement.findings, EFFECTS)
    roots = [finding.code for finding in resolved if finding.role is Role.ROOT]
    assert scenario.said.get("roots") in (None, roots), (
        f"tests/scenarios/codes/{scenario.code}.yaml, roots of {scenario.own_name}: {roots} came of it"
    )
    for finding in resolved:
        if finding.role is Role.CONSEQUENCE:
            assert set(finding.caused_by) & set(roots)


def _answers(scenario: Scenario, judgement: Judgement) -> None:
    fired = {finding.code: finding for finding in judgement.findings}
    undecided = {item.code: item.because for item in judgement.undecided}
    answer = (
        "fires"
        if scenario.code in fired
        else "undecided"
        if scenario.code in undecided
        else "quiet"
    )
    told = fired.get(scenario.code) or undecided.get(scenario.code)
    assert answer == scenario.said["expect"], (
        f"tests/scenarios/codes/{scenario.code}.yaml, {scenario.own_name}: {told}"
    )
    if answer == "quiet":
        assert scenario.code in (*judgement.passed, *judgement.not_applicable)
    if answer == "fires":
        finding = fired[scenario.code]
        assert scenario.said.get("severity") in (None, finding.severity.value)
        assert scenario.said.get("confidence") in (None, finding.confidence.value)
        assert finding.evidence, "a finding says how it is known"
        assert all(evidence.observed for evidence in finding.evidence)
        assert {evidence.fact for evidence in finding.evidence} <= PLACES
        seen = {evidence.fact: evidence.observed for evidence in finding.evidence}
        assert scenario.said.get("evidence", {}).items() <= seen.items()


def test_code_is_told_in_all_three_answers(told_code: str) -> None:
    answers = {each.said["expect"] for each in all_scenarios() if each.code == told_code}
    missing = set(ANSWERS) - NEVER.get(told_code, set()) - answers
    assert not missing, (
        f"tests/scenarios/codes/{told_code}.yaml: a scenario each with `expect: {', '.join(sorted(missing))}`"
    )
    assert answers == set(ANSWERS) - NEVER.get(told_code, set())
