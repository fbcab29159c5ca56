"""One root, the planted one: a sample of the table in each run, all of it by `make fault-table`."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.real.faults import complaint, examined, functions_called, planted

pytestmark = [pytest.mark.nightly, pytest.mark.real, pytest.mark.slow]

SEED, PARTS, EACH = 20261123, 4, 12
"""Four tests take a dozen faults each of the shuffled table, so that two workers can share them; one that hangs takes 18 s."""


@pytest.mark.parametrize("part", range(PARTS))
def test_the_planted_fault_is_the_one_root_on_a_simulated_gpu(
    part: int, tensorflow_python: Path, tmp_path: Path
) -> None:
    every = list(planted(functions_called(tmp_path / "healthy", tensorflow_python)))
    random.Random(SEED).shuffle(every)
    wrong = {}
    for number, each in enumerate(every[part::PARTS][:EACH]):
        if words := complaint(each, examined(tmp_path / str(number), each, tensorflow_python)):
            wrong[f"{each.function} {each.what}"] = words
    assert wrong == {}
