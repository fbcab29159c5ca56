"""No check finds no fault, so a doctor that lost some of its own must not give a verdict."""

from __future__ import annotations

import pytest

from tests.unit.checks.machines import base, judged
from tfdoctor.checks.engine.case import REGISTRY
from tfdoctor.checks.engine.table import JUDGED_IN
from tfdoctor.findings.catalog import CODES
from tools.check_table import judged_in


def test_the_table_of_checks_is_what_the_sources_say() -> None:
    assert judged_in() == JUDGED_IN, "tfdoctor/checks/engine/table.py is out of date: make rings"


def test_a_lost_family_is_no_health(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if an interrupted installation had left its file empty."""
    monkeypatch.delitem(REGISTRY, "driver-too-old")
    with pytest.raises(RuntimeError, match="1 of tfdoctor's own checks are missing; reinstall tfdoctor"):
        judged(base())


@pytest.mark.parametrize("code", JUDGED_IN)
def test_a_checks_docstring_says_how_it_decides(code: str) -> None:
    """What is wrong stands in the catalogue alone."""
    judged_in()
    judge = REGISTRY[code].judge
    told = " ".join((getattr(judge, "func", judge).__doc__ or "").split())
    where = f"{getattr(judge, 'func', judge).__module__.replace('.', '/')}.py: the check's docstring"
    assert len(told) > 30, f"{where} says in a sentence how it decides"
    assert told != CODES[code].title, f"{where} says how it decides, not what is wrong"
