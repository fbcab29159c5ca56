"""One examination from end to end: probes and smoke ladder side by side, then the judgement, then the report."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone

from tfdoctor import __version__
from tfdoctor.checks.case import Case, Policy
from tfdoctor.examine.report import MatrixInForce, Report, SmokeReport, Tool
from tfdoctor.examine.summary import subject, summary
from tfdoctor.examine.verdict import conclude
from tfdoctor.facts.model import Facts
from tfdoctor.matrix.query import Matrix
from tfdoctor.probes.all import PROBES
from tfdoctor.probes.driver import driver_release
from tfdoctor.probes.request import Request
from tfdoctor.probes.runner import ProbeRun, run_probes
from tfdoctor.smoke.parent import Ladder

WITH_TENSORFLOW_S, WITHOUT_TENSORFLOW_S = 120.0, 20.0  # the whole command's time limits, where none is given
_FOR_THE_REPORT_S = 0.5  # of the limit are kept for judging and writing

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """What is demanded of the examination. `ignore` maps codes to reasons; `timeout_s` None: the default."""

    smoke: str = "auto"
    policy: Policy = field(default_factory=Policy)
    ignore: Mapping[str, str] = field(default_factory=dict)
    timeout_s: float | None = None

    @property
    def limit_s(self) -> float:
        if self.timeout_s is not None:
            return self.timeout_s
        return WITH_TENSORFLOW_S if self.smoke in ("auto", "tf") else WITHOUT_TENSORFLOW_S


def examine(
    request: Request, options: Options, matrix: Callable[[], Matrix], progress: Progress = lambda what: None
) -> Report:
    """Asks, judges and returns the report, always within the limit.

    matrix: called once the probes are under way, so that its loading overlaps with them. Raises RequestError
    where what was asked for can't be examined, MatrixError where the matrix can't be used.
    """
    started = time.monotonic()
    deadline = started + max(options.limit_s - _FOR_THE_REPORT_S, options.limit_s / 2)
    ladder = Ladder(request, options.smoke, deadline, progress)
    try:
        facts, runs = run_probes(
            PROBES, request, Facts(), deadline=deadline, progress=progress, learned=ladder.learn
        )
        facts = replace(facts, driver=replace(facts.driver, version=driver_release(facts)))
        in_force = matrix()  # TensorFlow's import is still under way
        smoke, stages = ladder.climb(facts)
    finally:
        ladder.end()
    facts = replace(facts, smoke=smoke)
    return judged(facts, options, in_force, SmokeReport(options.smoke, stages), runs, started)


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
        duration_s=time.monotonic() - started,
        subject=subject(facts),
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


