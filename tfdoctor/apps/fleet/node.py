"""One examination of this node as one record: `check --json` in a child, so that a record comes whatever it does."""

from __future__ import annotations

import json
from collections.abc import Sequence

from tfdoctor import __version__
from tfdoctor.apps.fleet.record import MOST_STDERR, Record, State
from tfdoctor.base.child import run_child
from tfdoctor.base.processes import own_process
from tfdoctor.base.units import rfc3339

LATE_S = 3.0  # `check` itself answers within a second behind its limit
_MOST_BYTES = 8 << 20


def examine_node(name: str, engine: str, options: Sequence[str], limit_s: float) -> Record:
    """The record of this node; `options` are those of `check`."""
    at, limit_s = rfc3339(), limit_s + LATE_S
    ended = run_child(
        own_process(["check", *options, "--json"]), timeout_s=limit_s, keep_bytes=_MOST_BYTES
    )
    stderr = ended.stderr.decode("utf-8", "replace")[-MOST_STDERR:]
    report = _report(ended.stdout)
    state, reason = State.ANSWERED, ""
    if report is None:
        late = ended.kind == "timed-out"
        state = State.TIMEOUT if late else State.SILENT
        said = [] if late else stderr.strip().splitlines()
        reason = said[-1].removeprefix("tfdoctor: ") if said else f"it {ended.describe()}"
    status = {"exit": ended.status, "signal": -ended.status}.get(ended.how)
    return Record(
        name,
        engine,
        state,
        reason,
        at,
        round(ended.duration_s, 3),
        status,
        stderr,
        __version__,
        report,
    )


def _report(out: bytes) -> object | None:
    try:
        return json.loads(out) or None
    except ValueError:
        return None
