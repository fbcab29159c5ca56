"""Whole machines: two faults at once with exactly their roots in order, and healthy ones of many kinds.

These scenarios are about no single code: `expect` is `roots` (whole/double_faults.yaml) or `healthy` (whole/healthy.yaml),
which means no finding above info and nothing undecided but what a live system alone could tell.
"""

from __future__ import annotations

import pytest

from tests.scenarios.conftest import KEYS, Scenario, whole_machines
from tfdoctor.knowledge.model import Severity

DOUBLE = [each for each in whole_machines() if each.said.get("expect") == "roots"]
HEALTHY = [each for each in whole_machines() if each.said.get("expect") == "healthy"]
NAME = Scenario.name.fget  # type: ignore[attr-defined]  # a property's getter, as pytest's ids want it


@pytest.mark.parametrize("machine", DOUBLE, ids=NAME)
def test_double_fault_has_exactly_its_roots_in_order(machine: Scenario) -> None:
    assert set(machine.said) <= KEYS
    assert machine.roots() == machine.said["roots"]


@pytest.mark.parametrize("machine", DOUBLE, ids=NAME)
def test_double_fault_tells_who_caused_what(machine: Scenario) -> None:
    for finding in machine.resolved():
        assert set(finding.caused_by) <= set(machine.said["roots"])


@pytest.mark.parametrize("machine", HEALTHY, ids=NAME)
def test_healthy_machine_has_no_finding_above_info(machine: Scenario) -> None:
    assert set(machine.said) <= KEYS
    judgement = machine.judged()
    assert [each.code for each in judgement.findings if each.severity is not Severity.INFO] == []


@pytest.mark.parametrize("machine", HEALTHY, ids=NAME)
def test_healthy_machine_leaves_nothing_undecided(machine: Scenario) -> None:
    assert [
        (each.code, each.because) for each in machine.judged().undecided if not each.not_live
    ] == []
