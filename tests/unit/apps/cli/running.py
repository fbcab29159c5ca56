"""Runs the program as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[4]
MACHINES = CHECKOUT / "tests" / "machines"


def environment(**more: str) -> dict[str, str]:
    """A clean one; HOME is a folder that does not exist, so that nobody's settings count."""
    base = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "PYTHONPATH": str(CHECKOUT),
        "LANG": "C.UTF-8",
        "TERM": "xterm",
    }
    return {**base, **more}


def tfdoctor(
    *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """stdout and stderr as text, the exit status unchecked; `env` is added to the clean environment."""
    return subprocess.run(
        [sys.executable, "-m", "tfdoctor", *arguments],
        env=environment(**(env or {})), cwd=cwd, capture_output=True, timeout=60, stdin=subprocess.DEVNULL, encoding="utf-8",
    )  # fmt: skip


def machine(name: str) -> str:
    return str(MACHINES / name / "report.json")
