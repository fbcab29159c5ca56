"""The whole judgement under arbitrary facts: it always answers, and facts that were saved get the same answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.scenarios.conftest import all_scenarios
from tests.unit.judge.arbitrary_facts import disturbed, facts
from tfdoctor.base.records import replace
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.death import Stall
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Absent, Known
from tfdoctor.judge.causes import resolve
from tfdoctor.judge.engine.case import Case, Policy
from tfdoctor.judge.engine.families import in_catalog_order
from tfdoctor.judge.judge import Judgement, judge
from tfdoctor.knowledge.catalog import EFFECTS
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.model import Role, Severity

pytestmark = pytest.mark.slow  # hundreds of made-up machines

MATRIX = load_bundled()
machines = st.one_of(facts(), disturbed([each.facts for each in all_scenarios()]))
demands = st.sampled_from((None, True, False))
often = settings(
    max_examples=60,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
)  # a machine has 120 facts: shrinking a failure takes minutes and the message names the check already


def judged(given_facts: Facts, require_gpu: bool | None) -> Judgement:
    return judge(Case(given_facts, MATRIX, Policy(require_gpu=require_gpu)))


@often
@given(machines, demands)
def test_every_check_answers(given_facts: Facts, require_gpu: bool | None) -> None:
    answer = judged(given_facts, require_gpu)
    assert [item for item in answer.undecided if "own check failed" in item.because] == []
    told = (
        [finding.code for finding in answer.findings]
        + [item.code for item in answer.undecided]
        + list(answer.passed)
        + list(answer.not_applicable)
    )
    assert sorted(told) == sorted(each.code for each in in_catalog_order())
    assert isinstance(given_facts.death.end, Absent) <= ("success" in answer.not_applicable)


@often
@given(machines, demands)
def test_saved_facts_are_judged_alike(given_facts: Facts, require_gpu: bool | None) -> None:
    saved = from_json(json.loads(json.dumps(to_json(given_facts))), Facts)
    assert judged(saved, require_gpu) == judged(given_facts, require_gpu)


def test_nothing_known_is_judged_alike() -> None:
    saved = from_json(json.loads(json.dumps(to_json(Facts()))), Facts)
    assert judged(saved, None) == judged(Facts(), None)


def test_what_is_known_of_a_program_is_kept_though_nobody_watched_it() -> None:
    """Such facts come together in no machine of ours; found by the property above."""
    swapping = replace(
        Facts(),
        death=replace(Facts().death, stall=Known(Stall(3.0, 60.0, "py-spy", (), True), "the test")),
    )
    saved = from_json(json.loads(json.dumps(to_json(swapping))), Facts)
    assert saved.death == swapping.death


@often
@given(machines, demands)
def test_every_fault_has_a_root(given_facts: Facts, require_gpu: bool | None) -> None:
    resolved = resolve(judged(given_facts, require_gpu).findings, EFFECTS)
    roots = {finding.code for finding in resolved if finding.role is Role.ROOT}
    for finding in resolved:
        assert (finding.role is Role.NOTE) == (finding.severity is Severity.INFO)
        if finding.role is Role.CONSEQUENCE:
            assert finding.caused_by
            assert set(finding.caused_by) <= roots
