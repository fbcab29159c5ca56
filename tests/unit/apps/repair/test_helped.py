"""What counts as help: literal states before and after."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfdoctor.apps.repair.trial import State, against, is_complaint, leftovers, unfinished
from tfdoctor.base.records import replace
from tfdoctor.knowledge.model import Confidence, Evidence, Finding, Severity, Verdict
from tfdoctor.report.report import Report, SmokeReport, Stage, Subject

CODE = "protobuf-incompatible"
CHANGED = ("protobuf",)


def finding(code: str, severity: Severity = Severity.ERROR) -> Finding:
    return Finding(code, severity, Confidence.CERTAIN, code, "", (Evidence("a.fact", "x"),))


def state(verdict: str, *codes: str, passed: tuple[str, ...] = (), complaints: tuple[str, ...] = (), notes: tuple[str, ...] = (), python: str = "/e/bin/python", step: str = "import tensorflow") -> State:  # fmt: skip
    findings = (*map(finding, codes), *(finding(each, Severity.INFO) for each in notes))
    stages = tuple(Stage(each, "passed", 1.0, {}) for each in passed)
    stages += (
        () if "tensorflow" in passed else (Stage("tensorflow", "failed", 1.0, {"last_step": step}),)
    )
    report = Report(
        subject=Subject(python),
        verdict=Verdict(verdict),
        findings=findings,
        smoke=SmokeReport("auto", stages),
    )
    return State(report, frozenset(complaints))


BEFORE = state(
    "broken",
    CODE,
    "smoke-tensorflow-failed",
    complaints=("a 1 requires b, which is not installed",),
)


@pytest.mark.parametrize(
    "after",
    [
        state("healthy", passed=("tensorflow",)),
        state("healthy", notes=(CODE,)),
        state("broken", "smoke-tensorflow-failed"),
        # what only a test could show that did not pass before
        state("degraded", "ptx-jit-slow-start", passed=("libraries",)),
        state("broken", "numpy-abi-mismatch", step="matmul-float32 on CPU:0"),
    ],
)
def test_it_helped(after: State) -> None:
    assert against(finding(CODE), CHANGED, BEFORE, after) == ""


@pytest.mark.parametrize(
    ("after", "because"),
    [
        (state("broken", CODE), "the same problem is still there"),
        (state("broken", "numpy-abi-mismatch"), "a new problem came up: numpy-abi-mismatch"),
        (state("unknown"), "the check afterwards came to no verdict"),
        (state("healthy", python=""), "the check afterwards came to no verdict"),
        (
            state("healthy", complaints=("c 1 has requirement b<2",)),
            "another package's requirement is no longer met: c 1",
        ),
    ],
)
def test_it_did_not_help(after: State, because: str) -> None:
    assert against(finding(CODE), CHANGED, BEFORE, after).startswith(because)


def test_a_test_that_no_longer_passes_is_a_loss() -> None:
    before = state("degraded", CODE, passed=("driver", "tensorflow"))
    assert (
        against(finding(CODE), CHANGED, before, state("healthy", passed=("tensorflow",)))
        == "a test that passed before no longer does: driver"
    )


def test_a_worse_verdict_is_a_loss() -> None:
    before = state("degraded", CODE, "no-swap")
    assert (
        against(finding(CODE), CHANGED, before, state("broken", "no-swap"))
        == "the verdict is worse: broken"
    )


def test_only_what_this_installer_left_behind_is_unfinished(tmp_path: Path) -> None:
    (tmp_path / "~ip").mkdir()
    before = leftovers(tmp_path)
    assert unfinished(tmp_path, (), before) == ""
    (tmp_path / "~umpy").mkdir()
    assert unfinished(tmp_path, (), before) == "~umpy was left behind"


def test_another_problem_of_the_same_code_was_behind_it() -> None:
    """As "h5py is damaged" and "typing-extensions is too old" are both told as dependency-mismatch, one after the other."""
    first, second = (
        replace(finding(CODE), title=each) for each in ("protobuf is too old", "h5py is damaged")
    )
    before, after = (
        State(replace(BEFORE.report, findings=(each,)), BEFORE.complaints)
        for each in (first, second)
    )
    assert against(first, ("protobuf",), before, after) == ""
    assert against(first, ("protobuf", "h5py"), before, after) == "the same problem is still there"
    assert against(first, ("protobuf",), before, before) == "the same problem is still there"


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("tf-keras 2.16.0 requires tensorflow, which is not installed.", False),
        ("The package `tf-keras` requires `tensorflow>=2.21,<2.22`, but it's not installed", False),
        ("tensorflow-text 2.18.1 requires tensorflow-hub, which is not installed.", True),
        ("tf-keras 2.16.0 has requirement tensorflow<2.17, but you have tensorflow 2.20.0.", True),
        ("pip has no complaint", False),
    ],
)
def test_a_tensorflow_of_another_name_is_no_complaint(line: str, counts: bool) -> None:
    assert is_complaint(line) is counts
