"""One examination of this node as one record: `check --json` in a child, so that a record comes whatever it does."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone

from tfdoctor import __version__
from tfdoctor.fleet.record import MOST_STDERR, Record, State
from tfdoctor.system.processes import end_with_creator

LATE_S = 3.0  # `check` itself answers within a second behind its limit


def examine_node(name: str, engine: str, options: Sequence[str], limit_s: float) -> Record:
    """The record of this node; `options` are those of `check`."""
    started, at = time.monotonic(), now()
    command = [sys.executable, "-m", "tfdoctor", "check", *options, "--json"]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=end_with_creator,  # this process has no other thread
    ) as child:  # fmt: skip
        late = False
        try:
            out, err = child.communicate(timeout=limit_s + LATE_S)
        except subprocess.TimeoutExpired:
            late = True
            child.kill()
            out, err = child.communicate()
    stderr = err.decode("utf-8", "replace")[-MOST_STDERR:]
    report = _report(out)
    state, reason = State.ANSWERED, ""
    if report is None:
        state = State.TIMEOUT if late else State.SILENT
        reason = f"no report within {limit_s + LATE_S:g} s" if late else _last_line(stderr, child.returncode)
    return Record(
        name, engine, state, reason, at, round(time.monotonic() - started, 3), child.returncode, stderr,
        __version__, report,
    )  # fmt: skip


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")


def _report(out: bytes) -> object | None:
    try:
        return json.loads(out) or None
    except ValueError:
        return None


def _last_line(stderr: str, status: int) -> str:
    lines = stderr.strip().splitlines()
    return lines[-1].removeprefix("tfdoctor: ") if lines else f"it ended with status {status} and no report"
