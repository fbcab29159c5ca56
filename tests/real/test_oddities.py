"""Environments that look odd and work are called healthy: with TensorFlow computing in each (`make oddities`), or read alone.

A run of all tests reads the quick ones without starting TensorFlow, and has it compute in one. docs/results/oddities.md has what
came of all.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.command import Run, doctor
from tests.real.oddities import ODDITIES, Odd

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.real,
    pytest.mark.slow,
    pytest.mark.xdist_group("oddities"),
]

EVERY = os.environ.get("TFDOCTOR_ODDITIES") == "all"
QUICK = (
    "a wrapper in Python", "a link to the environment's folder", "a relative path", "no variables at all",
    "a locale that is not installed, and ASCII output", "an LD_LIBRARY_PATH with relative, empty and missing folders",
    "/tmp that takes nothing, TMPDIR elsewhere", "a sandbox: own processes, own host name, no network",
)  # fmt: skip
"""Those for which no packages are copied."""
COMPUTED = ("an egg of easy_install",)
WORKS = "import tensorflow as tf; assert float(tf.reduce_sum(tf.matmul(tf.ones((9, 9)), tf.ones((9, 9))))) == 729.0"


def examined(odd: Odd, *options: str) -> Run:
    env = {**os.environ, "CUDA_VISIBLE_DEVICES": "", **odd.env}
    return doctor(
        "check", "--python", odd.python, "--json", "--no-redact", *options, env=env, cwd=odd.cwd, before=odd.before
    )  # fmt: skip


def computes(odd: Odd) -> bool:
    """Whether TensorFlow works there, asked without the doctor."""
    done = subprocess.run(
        [*odd.before, str(odd.python), "-c", WORKS],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "", **odd.env}, cwd=odd.cwd, capture_output=True, timeout=170, check=False,
    )  # fmt: skip
    return done.returncode == 0


def healthy(run: Run) -> None:
    told = [(each["code"], each["severity"]) for each in run.report["findings"]]
    assert (run.report["verdict"], run.status) == ("healthy", 0), told


@pytest.mark.parametrize("name", [*ODDITIES] if EVERY else QUICK)
def test_what_is_only_odd_is_read_as_healthy(
    name: str, tensorflow_python: Path, anybodys: Path
) -> None:
    healthy(examined(ODDITIES[name](tensorflow_python, anybodys), "--smoke", "none"))


@pytest.mark.parametrize("name", [*ODDITIES] if EVERY else COMPUTED)
def test_what_computes_is_called_healthy(
    name: str, tensorflow_python: Path, anybodys: Path
) -> None:
    odd = ODDITIES[name](tensorflow_python, anybodys)
    run = examined(odd, "--smoke", "auto", "--timeout", "170")
    sys.stdout.write(
        f"| {name} | {run.report['verdict']}, {run.status} | {' '.join(run.codes) or 'none'} |\n"
    )
    assert computes(odd), "it must work, or it proves nothing"
    healthy(run)
