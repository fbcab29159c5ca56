"""One root, the planted one: a few faults in each run, all of them by `make fault-table`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.real.faults import complaint, examined, functions_called, planted

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.clock]

SEED, MOST = 20261122, 24


def test_the_planted_fault_is_the_one_root_on_a_simulated_gpu(
    tensorflow_python: Path, tmp_path: Path
) -> None:
    every = list(planted(functions_called(tmp_path / "healthy", tensorflow_python)))
    needed = [each for each in every if each.needed and each.what != "hangs"]
    details = [each for each in every if not each.needed and each.what != "hangs"]
    chosen = random.Random(SEED)
    tried = [*chosen.sample(needed, MOST * 3 // 4), *chosen.sample(details, MOST // 4)]
    wrong = {}
    for number, each in enumerate(tried):
        if words := complaint(each, examined(tmp_path / str(number), each, tensorflow_python)):
            wrong[f"{each.function} {each.what}"] = words
    assert wrong == {}
