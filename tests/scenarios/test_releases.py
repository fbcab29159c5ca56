"""The machines that are made of the matrix are in order: what a scenario lays over one is then all that is wrong."""

from __future__ import annotations

import pytest

from tests.scenarios.conftest import base
from tests.scenarios.releases import matrix
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.judge import judge
from tfdoctor.knowledge.model import Severity

RELEASES = [each.tensorflow for each in matrix().releases()]
PINS_A_CUDNN_WITH_A_BUG = ("2.14.0", "2.14.1")  # their extra asks for exactly 8.7.0.84


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("machine", ["gpu", "cpu", "cpu-unclimbed"])
def test_every_release_makes_a_healthy_machine(machine: str, release: str) -> None:
    judgement = judge(Case(from_json(base(machine, release), Facts), matrix()))
    faults = [each.code for each in judgement.findings if each.severity is not Severity.INFO]
    pinned = machine == "gpu" and release in PINS_A_CUDNN_WITH_A_BUG
    assert faults == (["cudnn-bug"] if pinned else [])
    assert [each.code for each in judgement.undecided if not each.not_live] == []
    assert "unknown-release" in judgement.passed
