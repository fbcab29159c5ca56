"""What judging leaves in memory: Python's collector hardly runs in a short program, so what only it could free stays to the end."""

from __future__ import annotations

import gc

from tfdoctor.facts.model import Facts, Smoke
from tfdoctor.facts.outcome import Failed
from tfdoctor.judge.engine.case import Case
from tfdoctor.judge.judge import judge
from tfdoctor.knowledge.matrix.load import load_bundled


def test_a_check_that_can_not_tell_leaves_no_cycle() -> None:
    """An exception that its own frame keeps would keep the case and half the matrix."""
    unknown = Failed("it hung", "timed-out")
    case = Case(Facts(smoke=Smoke(driver=unknown, tensorflow=unknown)), load_bundled())
    judge(case)
    gc.collect()
    codes = {each.code for each in judge(case).undecided}
    assert ("gpu-computes-wrong" in codes, gc.collect()) == (True, 0)
