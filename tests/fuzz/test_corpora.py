"""What fuzzing kept is read again: nothing raises what nobody expects, and the seeds are what they are meant to be."""

from __future__ import annotations

import pytest

from tests.fuzz.corpora import kept
from tests.fuzz.readers import READERS

each_reader = pytest.mark.parametrize("name", READERS)


@pytest.mark.slow  # more than a second for some readers
@each_reader
def test_every_kept_input_is_read_or_refused(name: str) -> None:
    inputs = kept(name)
    assert inputs
    for data in inputs:
        READERS[name](data)
