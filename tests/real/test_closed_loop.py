"""Hundreds of broken environments, each brought to `tfdoctor fix --all --yes`: healthy, or as it was with a reason; and undone to the byte.

It takes a minute for each, so it is made in parts: TFDOCTOR_LOOPS=40 does the next 40 (default 6, always the first), and
TFDOCTOR_OUTCOMES=FILE keeps each outcome there and leaves out what the file has already. docs/results/fix.md has what came of it.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.needs import OTHER_PYTHON
from tests.outcomes import done, keep
from tests.real.breakages import stories
from tests.real.environments import interpreter
from tests.real.loop import looped
from tests.real.stories import Story

pytestmark = [pytest.mark.slow, pytest.mark.real, pytest.mark.nightly]

MOST = int(os.environ.get("TFDOCTOR_LOOPS", "6"))
TRIED = [(number, each) for number, each in enumerate(stories()) if each.name not in done("name")][
    :MOST
]


@pytest.mark.parametrize(
    ("number", "story"), [pytest.param(*each, id=each[1].name) for each in TRIED]
)
def test_it_is_healthy_or_as_it_was(number: int, story: Story, tmp_path: Path) -> None:
    if interpreter(story.python) is None:
        pytest.skip(OTHER_PYTHON)
    try:
        outcome = looped(story, tmp_path, by_pip=number % 4 == 3)
    except AssertionError as error:
        keep({"name": story.name, "failed": str(error)[-600:]})
        raise
    keep(asdict(outcome))
    assert outcome.is_right, outcome
