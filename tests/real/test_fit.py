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
    ran = subprocess.run(inside, capture_output=True, text=True, cwd=ROOT, env=env, timeout=1800, check=False)
    assert ran.returncode == 0, (ran.stdout, ran.stderr)
    return json.loads(ran.stdout)


def row(name: str, where: str, found: Any, larger: str) -> None:
    over = f"{found['larger_fails']:,}" if found["larger_fails"] else f"none ({found['bound']})"
    sys.stdout.write(
        f"\n| {name} | {where} | {found['batch']:,} | {over} | {larger} | {len(found['trials'])} | {found['duration_s']:.0f} |"
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_batch_that_is_named_runs_under_the_same_limit(name: str, tensorflow_python: Path) -> None:
    with memory_group(LIMIT) as group:
        found = fit(tensorflow_python, name, "--batch-max", str(MOST), group=group)
    runs = {}
    for batch in (found["batch"], found["batch"] * 4 // 3):
        with memory_group(LIMIT) as group:
            words = group.inside(str(tensorflow_python), MODELS, name, str(batch))
            runs[batch] = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    named, larger = runs.values()
    row(name, "host", found, "dies" if larger.returncode else "runs")
    assert named.returncode == 0, named.stderr[-2000:]


@pytest.fixture
def gpu(tmp_path: Path) -> Mapping[str, str]:
    return SimulatedDriver(tmp_path / "driver", Scenario(), libraries=EVERYTHING).environment()


def test_the_batch_that_is_named_runs_and_a_third_more_does_not_on_a_simulated_gpu(
    gpu: Mapping[str, str], tensorflow_python: Path
) -> None:
    found = fit(tensorflow_python, "small_gpu", env=gpu)
    row("small_gpu", "simulated GPU", found, "-")
    assert found["memory"] == "GPU:0"
    assert 64 < found["batch"] < found["larger_fails"] <= found["batch"] * 4 / 3 + 1
