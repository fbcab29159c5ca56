"""`tfdoctor fleet run --engine ray` on three real Ray nodes of this machine."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.needs import PACKAGES
from tests.real.environments import CannotBuild, environment

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.nightly]

CHECKOUT = Path(__file__).parents[2]
EXPECTED = {
    "all": {"answered": 3},
    "gpu": {"answered": 3},
    "dead": {"answered": 2, "unavailable": 1},
    "killed": {"answered": 2, "lost": 1},
    "hanging": {"answered": 2, "timeout": 1},
}


@pytest.fixture(scope="module")
def python() -> Path:
    if given := os.environ.get("TFDOCTOR_TEST_RAY_PYTHON"):
        return Path(given)
    try:
        return environment("ray", "--editable", f"{CHECKOUT}[ray]")
    except CannotBuild:
        pytest.skip(PACKAGES)


@pytest.mark.parametrize("what", EXPECTED)
def test_every_node_has_its_state(python: Path, what: str) -> None:
    words = [str(python), "-m", "tests.real.ray_program", what]
    done = subprocess.run(
        words, cwd=CHECKOUT, capture_output=True, text=True, timeout=180, check=False
    )
    assert json.loads(done.stdout)["states"] == EXPECTED[what], done.stdout + done.stderr[-2000:]
    assert done.returncode == (0 if what in ("all", "gpu") else 3)
