"""A fix that is killed, or whose disk fills, in an environment with a real TensorFlow and a real protobuf that is too old for it.

TFDOCTOR_KILLS=20 kills that often (default 2); else as tests/unit/apps/repair/test_random_kills.py.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.command import clone
from tests.real.environments import environment
from tests.real.stories import cpu
from tests.unit.apps.repair import full_disk, kills
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


def broken(folder: Path) -> Path:
    """The environment, a clone of one that is kept."""
    python = clone(environment(*cpu("2.21.0"), python="3.11"), folder / "tf")
    words = ["pip", "install", "--quiet", "--python", str(python), "--no-deps", "protobuf==4.25.3"]
    subprocess.run([sys.executable, "-m", "uv", *words], check=True)
    return folder / "tf"


@pytest.mark.parametrize("number", kills.numbers(2))
def test_killed_at_a_random_moment(tmp_path: Path, wheels: Path, number: int) -> None:
    for each in ("home", "envs"):
        (tmp_path / each).mkdir()
    outcome = kills.kill(
        Patient(tmp_path, broken(tmp_path / "envs"), wheels), SEED, number, LONGEST_S
    )
    assert outcome.same if outcome.found == "4.25.3" else outcome.found == NEW, outcome
    assert outcome.back, outcome


@pytest.mark.parametrize(
    ("left", "after_s"), [(0, 0), (1 << 20, 0), (12 << 20, 0), (0, 3), (0, 12), (0, 30)]
)
def test_a_disk_that_is_full(tmp_path: Path, wheels: Path, left: int, after_s: float) -> None:
    """Of 4 GB, in memory."""
    (tmp_path / "of" / "wheels").mkdir(parents=True)
    shutil.copytree(wheels, tmp_path / "of" / "wheels", dirs_exist_ok=True)
    broken(tmp_path / "of")
    (tmp_path / "disk").mkdir()
    full_disk.assert_right(
        full_disk.told(tmp_path / "disk", "4g", left, after_s, str(tmp_path / "of"))
    )
