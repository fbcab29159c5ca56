"""From a dead kernel to its report: the facts are gathered here, a child with a clock judges and writes.

The rules cost a server some megabytes and a third of a second of its interpreter; a child has them for as long as it
needs them, and may hang or die alone.
"""

from __future__ import annotations

import json
import os
import sys

from tfdoctor.apps.jupyter.judge import Observed, Verdict
from tfdoctor.apps.jupyter.reports import folder_of
from tfdoctor.apps.jupyter.watched import INTERVAL_S, WatchedKernel
from tfdoctor.ask.recorder.beside import WaitResult
from tfdoctor.ask.recorder.postmortem import ended
from tfdoctor.ask.recorder.run import RunContext
from tfdoctor.base.child import run_child
from tfdoctor.base.records import replace
from tfdoctor.facts.codec import from_json, to_json
from tfdoctor.facts.model import Facts
from tfdoctor.facts.outcome import Known

_MOST_S = 20.0
_PROGRAM = "from tfdoctor.apps.jupyter.judge import main; main()"


def judged(kernel: WatchedKernel) -> Verdict:
    """Writes the report. Never raises for what becomes of the child."""
    child = [sys.executable, "-c", _PROGRAM]
    environ = {**os.environ, "PYTHONFAULTHANDLER": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        told = json.dumps(to_json(observed(kernel))).encode()
        done = run_child(child, timeout_s=_MOST_S, env=environ, cwd="/", stdin=told)
        if done.how in ("timeout", "not-ended"):
            return Verdict("", f"judging took longer than {_MOST_S:.0f} s", "", "", "")
        return from_json(json.loads(done.stdout), Verdict)
    except (OSError, ValueError) as error:
        return Verdict(
            "", f"the judging process did not answer ({type(error).__name__})", "", "", ""
        )


def observed(kernel: WatchedKernel) -> Observed:
    """All that is known of the death. The last look is taken here."""
    kernel.last_look()
    launched = kernel.launched
    after = kernel.died_at - kernel.at
    context = RunContext(launched.argv, launched.environ, kernel.at, kernel.started_at)
    waited = WaitResult(kernel.status or 0, 0)
    death = ended(context, kernel.watcher, waited, after, kernel.text()).death
    if isinstance(death.end, Known):
        death = replace(
            death, end=Known(replace(death.end.value, called="kernel"), death.end.source)
        )
    cell = kernel.cells.running
    return Observed(
        facts=replace(Facts(), death=death),
        samples=tuple(kernel.watcher.timeline.samples),
        interval_s=INTERVAL_S,
        notes=tuple(kernel.watcher.errors),
        command=tuple(launched.argv),
        kernel_id=launched.kernel_id,
        status=_shells(kernel.status or 0),
        execution_count=(cell.count or None) if cell is not None else None,
        died_at=kernel.started_at + kernel.died_at - kernel.at,
        folder=str(folder_of(launched.environ)),
    )


def _shells(status: int) -> int:
    """As a shell tells it: 128 and the signal's number."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
