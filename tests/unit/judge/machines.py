"""The base machines of the scenarios with single facts replaced, for tests that speak of facts directly."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from tests.scenarios.conftest import vouched
from tfdoctor.base.records import replace
from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.judge.causes import resolve
from tfdoctor.judge.engine.case import Case, Policy
from tfdoctor.judge.judge import Judgement, judge
from tfdoctor.knowledge.catalog import EFFECTS
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Finding, Role

BASES = Path(__file__).parents[2] / "scenarios" / "_bases"


@cache
def bundled() -> Matrix:
    return load_bundled()


@cache
def base(name: str = "gpu") -> Facts:
    document: dict[str, Any] = json.loads((BASES / f"{name}.json").read_text("utf-8"))
    return from_json(document, Facts)


def changed(facts: Facts, **groups: dict[str, Any]) -> Facts:
    """The facts with single fields of single groups replaced: changed(facts, driver={"init_code": …})."""
    return replace(
        facts, **{name: replace(getattr(facts, name), **fields) for name, fields in groups.items()}
    )


def judged(facts: Facts, require_gpu: bool | None = None) -> Judgement:
    return judge(Case(facts, bundled(), Policy(require_gpu=require_gpu), vouched))


def finding(facts: Facts, code: str) -> Finding:
    """The finding of this code. Raises StopIteration where there is none."""
    return next(each for each in judged(facts).findings if each.code == code)


def roots(facts: Facts) -> list[str]:
    return [
        each.code for each in resolve(judged(facts).findings, EFFECTS) if each.role is Role.ROOT
    ]
