"""Causes that no fact shows before TensorFlow is imported: the failed stage's own text gives them away.

Each has texts that nothing else writes, so a hit is certain; they stand in signatures/, by code."""

from __future__ import annotations

from functools import partial

from tfdoctor.checks.engine.case import Ability, Case, Found, check
from tfdoctor.checks.questions.stage_output import must_have_listened, words
from tfdoctor.findings.model import Fix
from tfdoctor.records import record


@record
class Harm:
    """A code that its words alone prove, what it does to the user, and the ways out."""

    code: str
    harm: str
    fixes: tuple[Fix, ...]


def _judge(each: Harm, case: Case) -> Found | None:
    """By the failed stage's words alone: each of these codes has texts that nothing else writes."""
    must_have_listened(case)
    text = words(case.facts, each.code)
    return None if text is None else Found(each.harm, (text,), each.fixes)


def register(*harms: Harm) -> None:
    for each in harms:
        check(each.code, blocks=Ability.COMPUTE)(partial(_judge, each))
