"""Where a run's files are."""

from __future__ import annotations

import os
from collections.abc import Mapping

STEPS = "TFDOCTOR_RUN_STEPS"
"""The variable that names the file in which the command may tell of its training steps."""


def folder(environ: Mapping[str, str]) -> str:
    """${XDG_STATE_HOME:-~/.local/state}/tfdoctor/run; a relative XDG_STATE_HOME is no valid one (XDG base directories)."""
    state = environ.get("XDG_STATE_HOME", "")
    base = state if state.startswith("/") else os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(base, "tfdoctor", "run")
