"""As tests/unit/apps/repair/test_random_kills.py, in an environment with a real TensorFlow and a real protobuf that is too old for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.command import clone
from tests.real.environments import environment
from tests.real.stories import cpu
from tests.unit.apps.repair import kills
from tests.unit.apps.repair.standin import Patient

pytestmark = [pytest.mark.slow, pytest.mark.real, pytest.mark.nightly]
SEED = int(os.environ.get("TFDOCTOR_SEED", "1"))
LONGEST_S = 70.0
NEW = "6.33.6"


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    words = ["download", "--quiet", "--no-deps", "--dest", str(folder), f"protobuf=={NEW}"]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    return folder


@pytest.mark.parametrize("number", kills.numbers(2))
def test_killed_at_a_random_moment(tmp_path: Path, wheels: Path, number: int) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "envs").mkdir()
    python = clone(environment(*cpu("2.21.0"), python="3.11"), tmp_path / "envs" / "tf")
    words = ["pip", "install", "--quiet", "--python", str(python), "--no-deps", "protobuf==4.25.3"]
    subprocess.run([sys.executable, "-m", "uv", *words], check=True)
    outcome = kills.kill(Patient(tmp_path, tmp_path / "envs" / "tf", wheels), SEED, number, LONGEST_S)
    assert outcome.same if outcome.found == "4.25.3" else outcome.found == NEW, outcome
    assert outcome.back, outcome
