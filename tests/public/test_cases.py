"""Real problems from public threads: the cause that is named first, what is said of it, and the first line to type.

A case is a YAML file in `cases/`: its story in our own words, the thread, how it was reproduced (its recipe, where real
wheels were run, else facts written by hand after the thread), and the facts in which it differs from a healthy machine
(`_real.json`, `_gpu.json`). The first round was collected in 2026-11 by somebody who had not read the rules.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tfdoctor.facts.codec import from_json
from tfdoctor.facts.model import Facts
from tfdoctor.judge.engine.case import Case
from tfdoctor.knowledge.matrix.load import load_bundled
from tfdoctor.knowledge.matrix.query import Matrix
from tfdoctor.knowledge.model import Finding, Role, Verdict
from tfdoctor.report.judgement import Conclusion, conclude
from tfdoctor.report.summary import summary

HERE = Path(__file__).parent
NAMES = sorted(path.stem for path in (HERE / "cases").glob("*.yaml"))


@cache
def _matrix() -> Matrix:
    return load_bundled()


@cache
def _base(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((HERE / f"_{name}.json").read_text("utf-8"))
    return document


@cache
def _case(name: str) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    said: dict[str, Any] = yaml.load((HERE / "cases" / f"{name}.yaml").read_text("utf-8"), loader)
    return said


@cache
def _judged(name: str) -> tuple[Conclusion, str]:
    said = _case(name)
    facts = from_json({**_base(said["base"]), **(said["facts"] or {})}, Facts)
    found = conclude(Case(facts, _matrix()), {})
    return found, summary(found.verdict, found.findings, found.undecided, facts)


def _first_root(name: str) -> Finding:
    return next(each for each in _judged(name)[0].findings if each.role is Role.ROOT)


@pytest.mark.parametrize("name", NAMES)
def test_the_cause_comes_first(name: str) -> None:
    assert _first_root(name).code == _case(name)["root"]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_names_the_culprit(name: str) -> None:
    root = _first_root(name)
    text = " ".join((root.title, root.explanation, *(each.observed for each in root.evidence)))
    assert [each for each in _case(name)["says"] if each not in text] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_first_line_to_type_takes_it_away(name: str) -> None:
    assert (_case(name)["first_fix"] or "") in " && ".join(_first_root(name).fixes[0].commands)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_says_that_nobody_knows_why(name: str) -> None:
    found, told = _judged(name)
    said = " ".join(
        (told, *(each.title for each in found.findings if each.role is not Role.CONSEQUENCE))
    )
    assert "no other code explains" not in said
    assert found.verdict in (Verdict.BROKEN, Verdict.DEGRADED)
