"""One examination from end to end: probes and smoke ladder side by side, then the judgement, then the report.

The rules and the matrix are loaded in a thread of their own while the machine is being asked: loading them costs
as much as the shortest examination (0.1 to 0.2 s), and the first answers take that long to come.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tfdoctor.asking.request import Request
from tfdoctor.asking.runner import begin_early, run_probes
from tfdoctor.examine.options import Options
from tfdoctor.facts.model import Facts
from tfdoctor.light import watched
from tfdoctor.light.records import replace
from tfdoctor.probes.all import PROBES
from tfdoctor.probes.driver.release import joined
from tfdoctor.probes.python.target import as_its_kernel_starts
from tfdoctor.smoke.ladder import Ladder

if TYPE_CHECKING:
    from tfdoctor.examine.report import Report
    from tfdoctor.matrix.query import Matrix

_FOR_THE_REPORT_S = 1.0  # of the limit are kept for judging and writing, on a busy machine, too

Progress = Callable[[str], None]


class _Loading(threading.Thread):
    """Imports the rules and reads the matrix. `matrix` waits for it and raises what the reading raised."""

    def __init__(self, matrix: Callable[[], Matrix]) -> None:
        super().__init__(daemon=True, name="loading")
        self._load = matrix
        self._loaded: Matrix | None = None
        self._error: Exception | None = None
        try:
            self.start()
        except RuntimeError:  # no more threads may be started: here and now
            self.run()

    def run(self) -> None:
        try:
            import tfdoctor.examine.judgement  # noqa: F401  # used after the wait, by its own import
            from tfdoctor.checks.engine import families

            families.load(families.OF_A_MACHINE)
            self._loaded = self._load()
        except Exception as error:  # noqa: BLE001  # raised again where the result is asked for
            self._error = error

    def matrix(self) -> Matrix:
        if self.ident is not None:
            self.join()
        if self._loaded is None:
            raise self._error or RuntimeError("the matrix was not read")
        return self._loaded


def examine(
    request: Request, options: Options, matrix: Callable[[], Matrix], progress: Progress = lambda what: None
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
    loading = _Loading(matrix)

    def learned(group: str, facts: Facts) -> None:
        ladder.learn(group, facts)
        _tell(group, facts)

    try:
        facts, runs = run_probes(
            PROBES, request, Facts(), deadline=deadline, progress=progress, learned=learned
        )
        facts = joined(facts)
        in_force = loading.matrix()  # TensorFlow's import goes on meanwhile
        watched.tell(
            "matrix",
            {"version": in_force.version, "sha256": in_force.sha256, "origin": str(in_force.origin)},
        )
        smoke, stages = ladder.climb(facts)
    finally:
        ladder.end()

    from tfdoctor.examine.judgement import judged
    from tfdoctor.examine.report import SmokeReport

    facts = replace(facts, smoke=smoke)
    _tell("smoke", facts)
    return judged(facts, options, in_force, SmokeReport(options.smoke, stages), runs, started)


def _tell(group: str, facts: Facts) -> None:
    """What is known, to the process that answers should this one come to no end."""
    if watched.is_watched():
        from tfdoctor.facts.codec import group_to_json

        watched.tell("facts", group_to_json(facts, group))
