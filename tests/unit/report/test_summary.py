"""One sentence that a person can act on."""

from __future__ import annotations

import pytest

from tests.unit.say.reports import NAMES, finding, report
from tfdoctor.facts.model import Facts
from tfdoctor.knowledge.model import Evidence, Finding, Fix, Role, Severity, Undecided, Verdict
from tfdoctor.report.summary import clause, subject, summary


@pytest.mark.parametrize(
    ("sentence", "part"),
    [
        ("The driver is old.", "the driver is old"),
        ("A GPU is there.", "a GPU is there"),
        ("NVML can't be loaded.", "NVML can't be loaded"),
        ("TensorFlow can't.", "TensorFlow can't"),
        ("CUDA libraries", "CUDA libraries"),
        ("Windows: a DLL", "Windows: a DLL"),
        ("Python is old", "Python is old"),
        ("/dev/shm is too small.", "/dev/shm is too small"),
        ("", ""),
    ],
)
def test_a_sentence_becomes_a_clause(sentence: str, part: str) -> None:
    assert clause(sentence) == part


OLD = (Evidence("driver.version", "470.57.02", ">=525.60.13"),)
DOUBTS = (Undecided("a", "on purpose", not_live=True), Undecided("b", "The probe died."))


@pytest.mark.parametrize(
    ("verdict", "findings", "undecided", "said"),
    [
        (Verdict.BROKEN, [finding(evidence=OLD, fixes=(Fix("Install driver 580"),))], (), "TensorFlow can't use the GPU: the driver is old (you have 470.57.02, needed: 525.60.13 or newer)."),
        (Verdict.BROKEN, [finding(title="Driver 470.57.02 is old.", evidence=OLD)], (), "TensorFlow can't use the GPU: driver 470.57.02 is old."),
        (Verdict.BROKEN, [finding(evidence=(Evidence("driver.version", "x" * 30, "y"),))], (), "TensorFlow can't use the GPU: the driver is old."),
        (Verdict.BROKEN, [finding("numpy-abi-mismatch", title="NumPy is wrong."), finding()], (), "TensorFlow doesn't work: NumPy is wrong."),
        (Verdict.DEGRADED, [finding(severity=Severity.WARNING)], (), "TensorFlow works, with a warning: the driver is old."),
        (Verdict.UNKNOWN, [], DOUBTS, "No verdict: some information could not be read: the probe died."),
        (Verdict.HEALTHY, [], (), "No problem found. TensorFlow was not run."),
    ],
)  # fmt: skip
def test_the_fault_is_told_with_what_it_breaks(
    verdict: Verdict, findings: list[Finding], undecided: tuple[Undecided, ...], said: str
) -> None:
    assert summary(verdict, findings, undecided, Facts()) == said


def test_notes_are_no_faults() -> None:
    note = finding("gpu-absent", role=Role.NOTE, severity=Severity.INFO)
    assert summary(Verdict.HEALTHY, [note], [], report("healthy-cpu").facts).startswith(
        "TensorFlow 2.21.0 works on the CPU"
    )


def test_what_was_not_run_is_not_praised() -> None:
    facts = report("driver-hangs").facts
    assert (
        summary(Verdict.HEALTHY, [], [], facts)
        == "No problem found with TensorFlow 2.20.0. TensorFlow was not run."
    )


@pytest.mark.parametrize("machine", NAMES)
def test_every_summary_is_one_line(machine: str) -> None:
    of = report(machine)
    text = summary(of.verdict, of.findings, of.undecided, of.facts)
    assert text.endswith(".")
    assert "\n" not in text
    assert text[:1].isupper()


def test_the_subject_leaves_open_what_is_not_known() -> None:
    assert subject(report("healthy-gpu").facts).environment == "venv"
    assert subject(Facts()).python == ""
