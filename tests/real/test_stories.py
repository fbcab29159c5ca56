"""Every story of `recipes.py`: it is really broken, and the first fix that `check` prints heals it, typed unedited, and breaks nothing.

A story whose first fix does not heal it says why (`not_good`), and must go when it does. And what works is told so, with no fix of
packages. TFDOCTOR_OUTCOMES=FILE keeps each outcome with its time there, and leaves out what the file has already.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path

import pytest

from tests.needs import OTHER_PYTHON
from tests.outcomes import done, keep
from tests.real.command import check
from tests.real.environments import EVERY_REPAIR, install, interpreter, make
from tests.real.healthy import HEALTHY, Works
from tests.real.recipes import STORIES
from tests.real.stories import QUIET, Story, run, told

pytestmark = [pytest.mark.slow, pytest.mark.real, pytest.mark.nightly]

TOLD = [pytest.param(each, id=each.name) for each in STORIES if each.name not in done("name")]


@pytest.mark.parametrize("story", TOLD)
def test_the_first_fix_heals_it_and_breaks_nothing(story: Story, tmp_path: Path) -> None:
    if interpreter(story.python) is None:
        pytest.skip(OTHER_PYTHON)
    outcome = told(story, tmp_path)
    keep(asdict(outcome))
    assert outcome.symptom, "it must fail, or it proves nothing"
    assert bool(outcome.why) == bool(story.not_good), outcome


@pytest.mark.parametrize(
    "works", [pytest.param(each, id=each.name) for each in HEALTHY[:: 1 if EVERY_REPAIR else 7]]
)
def test_what_works_is_given_no_fix_of_packages(works: Works, tmp_path: Path) -> None:
    if interpreter(works.python) is None:
        pytest.skip(OTHER_PYTHON)
    python = make(tmp_path / "environment", *works.installed, python=works.python)
    if works.alone:
        install(python, *works.alone, options=("--no-deps",))
    env = {**os.environ, **QUIET}
    assert run(python, works.program, env, tmp_path) == "", "it must work, or it proves nothing"
    report = check(python, env=env, cwd=tmp_path).report
    typed = [
        (each["code"], fix["commands"])
        for each in report["findings"]
        for fix in each["fixes"]
        if fix["commands"]
    ]
    assert (report["verdict"], [each for each in typed if "pip" in " ".join(each[1])]) == (
        "healthy",
        [],
    )
