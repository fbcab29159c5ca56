"""Causes that no fact shows before TensorFlow is imported: the failed stage's own text gives them away.

Each has texts that nothing else writes, so a hit is certain; they stand in signatures/, by code."""

from __future__ import annotations

from tfdoctor.judge.engine.case import Ability, Case, Found, check
from tfdoctor.judge.questions.stage_output import must_have_listened, words
from tfdoctor.knowledge.model import Fix


def by_words(code: str, harm: str, *fixes: Fix) -> None:
    """Registers the check of a code that the failed stage's words alone prove; `harm`: what it does to the user."""

    def judge(case: Case) -> Found | None:
        must_have_listened(case)
        text = words(case.facts, code)
        return None if text is None else Found(harm, (text,), fixes)

    check(code, blocks=Ability.COMPUTE)(judge)
