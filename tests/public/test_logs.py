"""Logs made from the facts of public threads (the third round): the cause that is named first, and the first line to type.

A case is a YAML file in `logs/`: its story in our own words, the thread, the cause that the thread established, and a log. The
lines of its errors are those that were posted; what stands around them is ours, and names of people and machines are gone.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import yaml

from tests.logs.judged import judged
from tfdoctor.examine.diagnosis import Diagnosis
from tfdoctor.findings.model import Finding
from tfdoctor.fixes.shell import LEFT_OUT
from tfdoctor.render.diagnosis_view import diagnosis_view
from tfdoctor.render.terminal import Page, render_text

LOGS = Path(__file__).parent / "logs"
NAMES = sorted(path.stem for path in LOGS.glob("*.yaml"))


@cache
def _case(name: str) -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    said: dict[str, Any] = yaml.load((LOGS / f"{name}.yaml").read_text("utf-8"), loader)
    return said


def log_of(name: str) -> str:
    text: str = _case(name)["log"]
    return text


@cache
def _diagnosis(name: str) -> Diagnosis:
    return judged(log_of(name))


SICK = [each for each in NAMES if _case(each)["root"] != "none"]


def _root(name: str) -> Finding:
    return _diagnosis(name).roots[0].finding


@pytest.mark.parametrize("name", SICK)
def test_the_cause_comes_first(name: str) -> None:
    assert [each.finding.code for each in _diagnosis(name).roots][:1] == [_case(name)["root"]]


@pytest.mark.parametrize("name", SICK)
def test_what_is_said_names_the_culprit(name: str) -> None:
    text = f"{_root(name).title} {_root(name).explanation}"
    assert [each for each in _case(name)["says"] if each not in text] == []


@pytest.mark.parametrize("name", [each for each in SICK if _case(each)["first_fix"]])
def test_the_first_line_to_type_takes_it_away(name: str) -> None:
    assert _case(name)["first_fix"] in " && ".join(_root(name).fixes[0].commands)


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(SICK)))
def test_what_only_frightens_has_no_root(name: str) -> None:
    assert [each.finding.code for each in _diagnosis(name).roots] == []


@pytest.mark.parametrize("name", SICK)
def test_our_own_shell_syntax_is_not_taken_for_the_logs(name: str) -> None:
    fixes = [fix for each in _diagnosis(name).diagnoses for fix in each.finding.fixes]
    assert [fix.title for fix in fixes if fix.note.startswith(LEFT_OUT)] == [], (
        "add it to fixes/shell_words.py"
    )


@cache
def _screen(name: str) -> list[str]:
    return render_text(diagnosis_view(_diagnosis(name)), Page(80)).splitlines()


@pytest.mark.parametrize("name", SICK)
def test_the_first_fix_stands_in_the_first_eight_lines(name: str) -> None:
    fix = diagnosis_view(_diagnosis(name)).fix
    wanted = fix.commands[:1] or [f"  Fix       {fix.title}"[:40]] if fix else []
    assert [text for text in wanted if not any(text in line for line in _screen(name)[:8])] == []


def test_half_of_the_answers_fit_into_twenty_lines() -> None:
    assert median(len(_screen(name)) for name in NAMES) <= 20
