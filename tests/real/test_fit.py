"""`tfdoctor fit` of twelve models under a real limit of memory, and on a simulated GPU: the batch that it names runs in a program
of its own under the same limit. Prints the rows of docs/results/fit.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.driver.scenario import Scenario
from tests.driver.simulated import EVERYTHING, SimulatedDriver
from tests.memory_group import MemoryGroup, memory_group

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.real]

ROOT = Path(__file__).parents[2]
MODELS = str(ROOT / "tests" / "real" / "fit_models.py")
LIMIT = 900 << 20
MOST = 1 << 17
NAMES = (
    "dense", "convolutions", "batch_norm", "lstm", "attention", "embedding", "unet", "mixed_precision", "custom_step",
    "accumulation", "two_inputs", "tiny",
)  # fmt: skip
ON_A_GPU = (*(name for name in NAMES if name != "lstm"), "without_xla")
"""The simulated driver has none of cuDNN's recurrent networks."""


def fit(
    python: Path,
    name: str,
    *words: str,
    group: MemoryGroup | None = None,
    env: Mapping[str, str] = os.environ,
) -> Any:
    command = (
        sys.executable,
        "-m",
        "tfdoctor",
        "fit",
        "--python",
        str(python),
        "--json",
        *words,
        f"{MODELS}:{name}",
    )
    inside = group.inside(*command) if group else command
    ran = subprocess.run(
        inside, capture_output=True, text=True, cwd=ROOT, env=env, timeout=1800, check=False
    )
    assert ran.returncode == 0, (ran.stdout, ran.stderr)
    return json.loads(ran.stdout)


def row(name: str, where: str, found: Any, larger: str) -> None:
    over = f"{found['larger_fails']:,}" if found["larger_fails"] else f"none ({found['bound']})"
    sys.stdout.write(
        f"\n| {name} | {where} | {found['batch']:,} | {over} | {larger} | {len(found['trials'])} | {found['duration_s']:.0f} | {found['memory']} |"
    )


def own_program(
    python: Path,
    name: str,
    batch: int,
    group: MemoryGroup | None = None,
    env: Mapping[str, str] = os.environ,
) -> str:
    """What it wrote to stderr, where it failed."""
    command = (str(python), MODELS, name, str(batch))
    inside = group.inside(*command) if group else command
    ran = subprocess.run(inside, capture_output=True, text=True, env=env, timeout=600, check=False)
    return ran.stderr[-2000:] or "failed" if ran.returncode else ""


@pytest.mark.parametrize("name", NAMES)
def test_the_batch_that_is_named_runs_under_the_same_limit(
    name: str, tensorflow_python: Path
) -> None:
    with memory_group(LIMIT) as group:
        found = fit(tensorflow_python, name, "--batch-max", str(MOST), group=group)
    failed = []
    for batch in (found["batch"], found["batch"] * 4 // 3):
        with memory_group(LIMIT) as group:
            failed.append(own_program(tensorflow_python, name, batch, group))
    named, larger = failed
    row(name, "host", found, "fails" if larger else "runs")
    assert not named, named


@pytest.fixture
def gpu(tmp_path: Path) -> Mapping[str, str]:
    """One that takes memory and computes nothing."""
    driver = SimulatedDriver(
        tmp_path / "driver", Scenario(computes_nothing=True), libraries=EVERYTHING
    )
    return {**driver.environment(), "FIT_GPU_MIB": "256"}


@pytest.mark.parametrize("name", ON_A_GPU)
def test_the_batch_that_is_named_runs_on_a_simulated_gpu(
    name: str, gpu: Mapping[str, str], tensorflow_python: Path
) -> None:
    found = fit(tensorflow_python, name, "--batch-max", str(MOST), env=gpu)
    named, larger = (
        own_program(tensorflow_python, name, batch, env=gpu)
        for batch in (found["batch"], found["batch"] * 4 // 3)
    )
    row(name, "simulated GPU", found, "fails" if larger else "runs")
    assert found["memory"] in ("GPU:0", "")
    assert not named, named
