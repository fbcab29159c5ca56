"""Tasks of one cluster that do not meet: one of them waited for another for as long as it may."""

from __future__ import annotations

UNMET = (
    "grpc-deadline",
    "tasks-not-registered",
    "task-seems-down",
    "cluster-check-failed",
    "cluster-timeout",
)
"""Of these nobody answered; the others tell of a connection that was there."""
