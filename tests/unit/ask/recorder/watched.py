"""`tfdoctor run` in a process of its own, beside the bare command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT_S = 120.0
RUN = (sys.executable, "-m", "tfdoctor", "run")


@dataclass(frozen=True)
class Watched:
    """How a run ended. `status` is subprocess' own: negative for a signal."""

    status: int
    stdout: bytes
    stderr: bytes
    report: dict[str, Any]

    @property
    def outcome(self) -> str:
        return str(self.report["outcome"])

    @property
    def roots(self) -> list[str]:
        return [each["code"] for each in self.report["findings"] if each["role"] == "root"]

    @property
    def codes(self) -> list[str]:
        return [each["code"] for each in self.report["findings"]]

    def finding(self, code: str) -> dict[str, Any]:
        found: dict[str, Any] = next(
            each for each in self.report["findings"] if each["code"] == code
        )
        return found

    def fact(self, path: str) -> Any:
        return self.report["facts"][path]["value"]


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "XDG_STATE_HOME": str(folder / "state"), "PYTHONPATH": ""}


def watched(
    folder: Path,
    *command: str,
    options: tuple[str, ...] = (),
    before: tuple[str, ...] = (),
    limit_s: float = LIMIT_S,
) -> Watched:
    """Runs it with a report below `folder`. `before` is a command that starts it."""
    report = folder / "report.json"
    done = subprocess.run(
        [*before, *RUN, "--report", str(report), *options, "--", *command],
        capture_output=True, env=environment(folder), timeout=limit_s, check=False,
    )  # fmt: skip
    assert (
        b"Traceback (most recent call last)" not in done.stderr or b"tfdoctor/" not in done.stderr
    ), done.stderr
    assert report.exists(), done.stderr
    return Watched(done.returncode, done.stdout, done.stderr, json.loads(report.read_text("utf-8")))
