"""How a parent speaks of a child that died: lines by which a traceback or a status is seen to pass a death on."""

from __future__ import annotations

NAMES = (
    "child-died-with-signal",
    "child-terminated-abruptly",
    "child-unexpectedly-terminated",
    "child-exited-prematurely",
    "child-killed-by-signal",
    "child-negative-exit-code",
    "child-negative-status",
)
