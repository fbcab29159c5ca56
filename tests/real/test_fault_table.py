"""One root, the planted one: five minutes of the table in each run, all of it by `make fault-table`."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from tests.real.faults import complaint, examined, functions_called, planted

pytestmark = [pytest.mark.real, pytest.mark.slow, pytest.mark.clock]

SEED, PARTS, PART_S = 20261123, 4, 75.0
"""Four tests of 75 s share the table by its shuffled order, so that two workers can take them: how far each gets, the machine decides."""
FEWEST = 10
"""Faults that a part has to get through, or it has proved nothing; one that hangs takes 18 s."""


@pytest.mark.parametrize("part", range(PARTS))
def test_the_planted_fault_is_the_one_root_on_a_simulated_gpu(
    part: int, tensorflow_python: Path, tmp_path: Path
) -> None:
    every = list(planted(functions_called(tmp_path / "healthy", tensorflow_python)))
    random.Random(SEED).shuffle(every)
    wrong, ends = {}, time.monotonic() + PART_S
    for number, each in enumerate(every[part::PARTS]):
        if time.monotonic() > ends and number >= FEWEST:
            break
        if words := complaint(each, examined(tmp_path / str(number), each, tensorflow_python)):
            wrong[f"{each.function} {each.what}"] = words
    assert wrong == {}
