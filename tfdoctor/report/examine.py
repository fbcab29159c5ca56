"""One examination from end to end: probes and smoke ladder side by side, then the judgement, then the report.

The rules and the matrix are loaded in a thread of their own while the machine is being asked: loading them costs
as much as the shortest examination (0.1 to 0.2 s), and the first answers take that long to come.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tfdoctor.ask.probes.all import PROBES
from tfdoctor.ask.probes.driver.release import joined
from tfdoctor.ask.probes.python.target import as_its_kernel_starts
from tfdoctor.ask.probes.request import Ahead, Request
from tfdoctor.ask.probes.runner import Progress, begin_early, no_progress, run_probes
from tfdoctor.ask.probes.smoke.ladder import Ladder
from tfdoctor.base import supervised
from tfdoctor.base.records import replace
from tfdoctor.facts.model import Facts
from tfdoctor.report.options import Options

if TYPE_CHECKING:
    from tfdoctor.knowledge.matrix.query import Matrix
    from tfdoctor.report.report import Report

_FOR_THE_REPORT_S = 1.0  # of the limit are kept for judging and writing, on a busy machine, too


def _loaded(matrix: Callable[[], Matrix]) -> Matrix:
    """The matrix, with the rules that ask it."""
    import tfdoctor.report.judgement  # noqa: F401  # used after the wait, by its own import
    from tfdoctor.judge.engine import families

    families.load()
    return matrix()


def examine(
    request: Request,
    options: Options,
    matrix: Callable[[], Matrix],
    progress: Progress = no_progress,
) -> Report:
    """Asks, judges and returns the report, always within the limit.

    matrix: called in another thread once the probes are under way. Raises RequestError where what was asked for
    can't be examined, MatrixError where the matrix can't be used.
    """
    started = time.monotonic()
    deadline = started + max(options.limit_s - _FOR_THE_REPORT_S, options.limit_s / 2)
    request = as_its_kernel_starts(replace(request, deadline=deadline))
    begin_early(PROBES, request)
    ladder = Ladder(request, options.smoke, deadline, progress)
    loading = Ahead(lambda: _loaded(matrix), "loading")

    def learned(group: str, facts: Facts) -> None:
        ladder.update(group, facts)
        _tell(group, facts)

    try:
        facts, runs = run_probes(
            PROBES, request, Facts(), deadline=deadline, progress=progress, learned=learned
        )
        facts = joined(facts)
        in_force = loading.wait()  # TensorFlow's import goes on meanwhile
        supervised.tell(
            "matrix",
            {
                "version": in_force.version,
                "sha256": in_force.sha256,
                "origin": str(in_force.origin),
            },
        )
        smoke, stages = ladder.run(facts)
    finally:
        ladder.end()

    from tfdoctor.fix.loading import nobody
    from tfdoctor.report.judgement import judged
    from tfdoctor.report.report import SmokeReport
    from tfdoctor.report.trust import of_this_machine

    facts = replace(facts, smoke=smoke)
    _tell("smoke", facts)
    smoked = SmokeReport(options.smoke, stages)
    trusts = of_this_machine(facts) if request.system.live else nobody
    return judged(facts, options, in_force, smoked, runs, started, trusts)


def _tell(group: str, facts: Facts) -> None:
    """What is known, to the process that answers should this one come to no end."""
    if supervised.is_supervised():
        from tfdoctor.facts.codec import to_json

        found = to_json(getattr(facts, group))
        supervised.tell("facts", {f"{group}.{name}": fact for name, fact in found.items()})
