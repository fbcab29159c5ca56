"""Runs a program on a simulated driver, in a process of its own: it may hang or die on purpose."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import Any

from tests.driver import smoke_program
from tests.driver.simulated import SimulatedDriver

SMOKE_PROGRAM = smoke_program.__file__


def run(
    driver: SimulatedDriver, *command: str, extra: dict[str, str] | None = None, timeout: float = 10
) -> subprocess.CompletedProcess[str]:
    environment = {**driver.environment(trace=True), **(extra or {})}
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=timeout, check=False
    )


def smoke(driver: SimulatedDriver, *arguments: str, **extra: str) -> dict[str, Any]:
    done = run(driver, sys.executable, "-S", SMOKE_PROGRAM, *arguments, extra=extra)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def python(driver: SimulatedDriver, program: str, **extra: str) -> str:
    done = run(driver, sys.executable, "-c", textwrap.dedent(program), extra=extra)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
