"""The recordings of TensorFlow 2.21.0 on the simulated driver, made again: the same fault is still the root."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logs.judged import judged, root
from tests.recordings.recipe import CASES, run

pytestmark = [pytest.mark.nightly, pytest.mark.slow, pytest.mark.real]


@pytest.mark.parametrize("name", ["cuinit-803", "old-cudnn", "too-big", "launch-214"])
def test_simulated_fault_of_a_run_of_today_is_the_root(
    name: str, tensorflow_python: Path, tmp_path: Path
) -> None:
    text = run(tensorflow_python, "2.21.0", CASES[name], tmp_path)
    assert root(judged(text)) in CASES[name].codes, text
