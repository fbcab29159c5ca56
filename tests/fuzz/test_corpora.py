"""What fuzzing kept is read again: nothing raises what nobody expects, and the seeds are what they are meant to be."""

from __future__ import annotations

import pytest

from tests.fuzz.corpora import kept
from tests.fuzz.readers import READERS
from tests.fuzz.seeds import MOST, seeds
from tfdoctor.examine.report import report_from_json
from tfdoctor.matrix.load import parse
from tfdoctor.matrix.validate import validate
from tfdoctor.system.foreign_json import read_json
from tfdoctor.system.loader import read_cache

each_reader = pytest.mark.parametrize("name", READERS)


@each_reader
def test_every_kept_input_is_read_or_refused(name: str) -> None:
    inputs = kept(name)
    assert inputs
    for data in inputs:
        READERS[name](data)


@each_reader
def test_the_seeds_are_small_and_are_read(name: str) -> None:
    inputs = list(seeds(name))
    assert inputs
    assert max(map(len, inputs)) <= MOST


def test_what_a_seed_stands_for_is_accepted() -> None:
    for data in seeds("report"):
        assert report_from_json(read_json(data)).verdict
    validate(parse(next(seeds("matrix")), "matrix"), "matrix")
    assert all(
        read_cache(data, "x86_64") == {"libx.so.1": ["/lib/libx.so.1"]} for data in seeds("loader-cache")
    )
