"""Launchers and schedulers report that a process ended, not why."""

from __future__ import annotations

from tests.logs.judged import judged, log, root


def test_the_reason_in_the_same_log_is_the_cause() -> None:
    lines = (
        "slurmstepd: error: Detected 1 oom_kill event in StepId=42.0. Some of the step tasks have been OOM Killed.",
        "mpirun noticed that process rank 1 with PID 4242 on node n17 exited on signal 9 (Killed).",
    )
    assert root(judged(log(lines))) == "scheduler-killed"
