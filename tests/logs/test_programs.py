"""Recordings of programs that were really killed, starved or refused: what really ended the program is the root of its output."""

from __future__ import annotations

import pytest

from tests.logs.judged import judged, root
from tests.recordings.programs import CASES, FOLDER, output_of

each_case = pytest.mark.parametrize("name", CASES)


@each_case
def test_what_ended_the_program_is_the_root_of_its_output(name: str) -> None:
    assert root(judged((FOLDER / f"{name}.log").read_bytes())) in CASES[name].codes


@pytest.mark.slow  # starts a dozen programs
@pytest.mark.parametrize("name", [name for name, program in CASES.items() if not program.fetches])
def test_the_same_program_says_as_much_here(name: str) -> None:
    assert root(judged(output_of(CASES[name]))) in CASES[name].codes
