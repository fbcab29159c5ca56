"""The judged half of an examination: from facts, wherever they come from, to a report."""

from __future__ import annotations

import time
from datetime import datetime, timezone

from tfdoctor import __version__
from tfdoctor.checks.engine.case import Case
from tfdoctor.examine.options import Options
from tfdoctor.examine.report import MatrixInForce, Report, SmokeReport, Tool
from tfdoctor.examine.summary import subject, summary
from tfdoctor.examine.verdict import conclude
from tfdoctor.facts.model import Facts
from tfdoctor.light.records import replace
from tfdoctor.matrix.query import Matrix
from tfdoctor.probes.runner import ProbeRun


def judged(
    facts: Facts,
    options: Options,
    matrix: Matrix,
    smoke: SmokeReport,
    runs: tuple[ProbeRun, ...],
    started: float,
) -> Report:
    """The report about facts, wherever they come from. `started` is in time.monotonic() seconds."""
    conclusion = conclude(Case(facts, matrix, options.policy), options.ignore)
    return Report(
        tool=Tool(__version__),
        matrix=MatrixInForce(matrix.version, matrix.sha256, matrix.origin),
        generated_at=datetime.now(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z"),
        duration_s=round(time.monotonic() - started, 3),
        subject=replace(subject(facts), settings=options.settings),
        verdict=conclusion.verdict,
        summary=summary(conclusion.verdict, conclusion.findings, conclusion.undecided, facts),
        findings=conclusion.findings,
        undecided=conclusion.undecided,
        passed=conclusion.passed,
        ignored=conclusion.ignored,
        smoke=smoke,
        facts=facts,
        probes=runs,
    )


def judge_again(saved: Report, options: Options, matrix: Matrix) -> Report:
    """A saved report's facts under this matrix and these rules; nothing is asked of this machine."""
    return judged(saved.facts, options, matrix, saved.smoke, saved.probes, time.monotonic())
