"""tfdoctor, its installer or both killed at random moments: the environment is the old or the proven new one, byte for byte.

TFDOCTOR_KILLS=60 kills that often (default 6), TFDOCTOR_SEED chooses the moments; TFDOCTOR_OUTCOMES=FILE keeps a line for each, and
leaves out what it has.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.apps.repair import kills, standin

pytestmark = [pytest.mark.slow, pytest.mark.nightly]
SEED = int(os.environ.get("TFDOCTOR_SEED", "1"))
LONGEST_S = 8.0
"""A whole fix takes some 5 s on an idle machine: the last moments find it at its end or done."""


@pytest.mark.parametrize("number", kills.numbers(6))
def test_killed_at_a_random_moment(tmp_path: Path, number: int) -> None:
    outcome = kills.kill(standin.patient(tmp_path), SEED, number, LONGEST_S)
    assert outcome.same if outcome.found == "4.25.3" else outcome.found == "6.33.0", outcome
    assert outcome.back, outcome
