"""Recordings of real TensorFlow on the simulated driver: the fault of the run is the root of its log.

tests/recordings/recipe.py tells how each was made; a real test makes those of 2.21.0 again.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.logs.healthy import healthy
from tests.logs.judged import judged, log, root
from tests.recordings.recipe import CASES, FOLDER

RECORDINGS = sorted(FOLDER.glob("2.*/*.log"))
every_recording = pytest.mark.parametrize(
    "file", RECORDINGS, ids=lambda each: f"{each.parent.name}-{each.stem}"
)


@every_recording
def test_simulated_fault_is_the_root_of_what_was_recorded(file: Path) -> None:
    codes = CASES[file.stem].codes
    diagnosis = judged(file.read_bytes())
    if codes:
        assert root(diagnosis) in codes
    else:
        assert (diagnosis.verdict, diagnosis.roots) == ("noise-only", ())


def test_simulated_handle_of_a_missing_library_leaves_the_library_open() -> None:
    """TensorFlow 2.21 names neither the library nor that it is missing."""
    diagnosis = judged((FOLDER / "2.21.0" / "no-libcublas.log").read_bytes())
    assert "cuda-libraries-missing" in diagnosis.open[0].codes


@pytest.mark.slow  # long logs
@every_recording
def test_simulated_fault_is_the_root_behind_a_long_training_too(file: Path) -> None:
    codes = CASES[file.stem].codes
    before = [line for line in healthy("2.18", 2000)[40:] if "[=" in line]
    diagnosis = judged(log(before) + file.read_text(encoding="utf-8"))
    assert root(diagnosis) in (codes or ("noise-only",))


def test_no_recording_names_a_folder_of_the_machine_that_made_it() -> None:
    said = {file: file.read_text(encoding="utf-8") for file in FOLDER.rglob("*.log")}
    assert [file for file, text in said.items() if re.search("/(root|tmp)/", text)] == []
