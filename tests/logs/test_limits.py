"""Both sides of the limits that rules for logs chose."""

from __future__ import annotations

import pytest

from tfdoctor.facts.log_values import Ending, Saying
from tfdoctor.judge.log import testimony
from tfdoctor.judge.log.companions import import_failed
from tfdoctor.judge.log.weigh import _computes_on_the_gpu


@pytest.mark.parametrize(("free", "computes"), [(1023, False), (1024, True)])
def test_a_gpu_with_room_is_one_that_is_computed_on(free: int, computes: bool) -> None:
    created = Saying("gpu-created", "", "success", "certain", 0, 1, "", {"size": f"{free} MB"})
    assert _computes_on_the_gpu(testimony.Testimony((created,), (), ())) is computes


@pytest.mark.parametrize(("words", "wraps"), [("E: " + "x" * 17, False), ("E: " + "x" * 18, True)])
def test_words_that_are_long_enough_are_taken_for_the_same_error(words: str, wraps: bool) -> None:
    cause = Saying("some-cause", "numpy-abi-mismatch", "cause", "certain", 0, 1, words)
    last = Ending("exception", 1, "ImportError: no", 0, 9, package="umap", chained=(words,))
    assert (import_failed(testimony.Testimony((cause,), (last,), ()), last) is None) is wraps
